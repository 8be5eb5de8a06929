import { appendFileSync, statSync, truncateSync } from 'node:fs';
import { systemCode } from './errors.ts';

/** Where a room reports what it does. The editor's log channel and the terminal both fit. */
export interface Logger {
  /** What only who looks for a fault wants to know. */
  debug(message: string): void;
  /** What is done. */
  info(message: string): void;
  /** What went wrong and was made up for. */
  warn(message: string): void;
  /** What went wrong and stays so. */
  error(message: string): void;
}

export type LogLevel = keyof Logger;

export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {
  // A logger that keeps nothing.
}

/** Hands every line to one function: that of a thread which has no log of its own, for instance. */
export function forwardingLogger(send: (level: LogLevel, message: string) => void): Logger {
  const at =
    (level: LogLevel) =>
    (message: string): void =>
      send(level, message);
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/**
 * Appends lines to a file that only its owner may read; one that is large is begun anew at the next start. A disk that takes
 * nothing costs lines, and never whoever had something to say.
 */
export function fileLogger(file: string, maxBytes = 1_000_000): Logger {
  let isOpen = false;
  const write = (level: string, message: string): void => {
    try {
      if (!isOpen && (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) truncateSync(file);
      isOpen = true;
      appendFileSync(file, `${new Date().toISOString()} ${level} ${message}\n`, { mode: 0o600 });
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

/** Reports to each of them. */
export function bothLoggers(one: Logger, other: Logger): Logger {
  return forwardingLogger((level, message) => {
    one[level](message);
    other[level](message);
  });
}
