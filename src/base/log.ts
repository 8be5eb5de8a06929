import { appendFileSync, statSync, truncateSync } from 'node:fs';

/** Where a room reports what it does. The editor's log channel and the terminal both fit. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {
  // A logger that keeps nothing.
}

/** Appends lines to a file that only its owner may read; one that is large is begun anew at the next start. */
export function fileLogger(file: string, maxBytes = 1_000_000): Logger {
  let isOpen = false;
  const write = (level: string, message: string): void => {
    if (!isOpen && (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) truncateSync(file);
    isOpen = true;
    appendFileSync(file, `${new Date().toISOString()} ${level} ${message}\n`, { mode: 0o600 });
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
  const both =
    (level: keyof Logger) =>
    (message: string): void => {
      one[level](message);
      other[level](message);
    };
  return { debug: both('debug'), info: both('info'), warn: both('warn'), error: both('error') };
}
