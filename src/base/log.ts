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
