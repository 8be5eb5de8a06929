import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { systemCode } from './errors.ts';

/** Destination of a room's reports. The editor's log channel and the terminal both fit. */
export interface Logger {
  /** Details for troubleshooting. */
  debug(message: string): void;
  /** Normal activity. */
  info(message: string): void;
  /** Failures that were recovered from. */
  warn(message: string): void;
  /** Failures that remain. */
  error(message: string): void;
}

export type LogLevel = keyof Logger;

export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {
  // A logger that discards everything.
}

/** Passes every line to one function: for a thread without a log of its own, for instance. */
export function forwardingLogger(send: (level: LogLevel, message: string) => void): Logger {
  const at =
    (level: LogLevel) =>
    (message: string): void =>
      send(level, message);
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
/** A link in the place of the file is not followed. Windows has no such flag. */
const APPEND = O_APPEND | O_CREAT | O_WRONLY | (process.platform === 'win32' ? 0 : O_NOFOLLOW);

/**
 * Appends lines to a file that only its owner may read; a large one is truncated at the next start. A disk that cannot
 * be written costs lines, and never an error for the caller.
 */
export function fileLogger(file: string, maxBytes = 1_000_000): Logger {
  let isOpen = false;
  const write = (level: string, message: string): void => {
    try {
      const fd = openSync(file, APPEND, 0o600);
      try {
        if (!isOpen && fstatSync(fd).size > maxBytes) ftruncateSync(fd);
        isOpen = true;
        writeSync(fd, `${new Date().toISOString()} ${level} ${message}\n`);
      } finally {
        closeSync(fd);
      }
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
    }
  };
  return {
    debug: ignore,
    info: (message) => write('info', message),
    warn: (message) => write('warning', message),
    error: (message) => write('error', message),
  };
}

/** Reports to both loggers. */
export function bothLoggers(one: Logger, other: Logger): Logger {
  return forwardingLogger((level, message) => {
    one[level](message);
    other[level](message);
  });
}
