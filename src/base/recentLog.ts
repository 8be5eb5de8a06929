import type { Logger } from './log.ts';

/** A logger that forwards everything and keeps the last lines for a report. */
export class RecentLog implements Logger {
  readonly #to: Logger;
  readonly #now: () => Date;
  readonly #limit: number;
  readonly #lines: string[] = [];

  constructor(to: Logger, now: () => Date, limit = 200) {
    this.#to = to;
    this.#now = now;
    this.#limit = limit;
  }

  /** The last lines, oldest first, each with its time (UTC) and level. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  debug(message: string): void {
    this.#keep('debug', message);
  }

  info(message: string): void {
    this.#keep('info', message);
  }

  warn(message: string): void {
    this.#keep('warn', message);
  }

  error(message: string): void {
    this.#keep('error', message);
  }

  #keep(level: 'debug' | 'info' | 'warn' | 'error', message: string): void {
    this.#lines.push(`${this.#now().toISOString()} ${level} ${message}`);
    if (this.#lines.length > this.#limit) this.#lines.shift();
    this.#to[level](message);
  }
}
