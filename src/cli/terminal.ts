import type { Logger } from '../base/log.ts';

/** What a subcommand needs of the process it runs in. */
export interface Terminal {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
}

/** Shell conventions: like grep's where nothing found is told apart from a failure. */
export const ExitCode = { ok: 0, nothingFound: 1, failed: 2, interrupted: 130 } as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** One line on a terminal that is written over; nothing where the output goes to a file or a pipe. */
export class ProgressLine {
  readonly #stream: NodeJS.WriteStream;
  #shown = false;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  show(text: string): void {
    if (!this.#stream.isTTY) return;
    this.#stream.write(`\r\u001b[2K${text.slice(0, this.#stream.columns - 1)}`);
    this.#shown = true;
  }

  clear(): void {
    if (this.#shown) this.#stream.write('\r\u001b[2K');
    this.#shown = false;
  }
}

/** Warnings and errors, for a person. */
export function logTo(stream: NodeJS.WriteStream): Logger {
  const write = (message: string): void => void stream.write(`sextant: ${message}\n`);
  return { debug: () => undefined, info: () => undefined, warn: write, error: write };
}
