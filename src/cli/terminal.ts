import { readFileSync } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { formatColumns, printable, UNSEEN } from '../base/columns.ts';
import { cancelled, SextantError } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';

export { formatColumns, printable };

/** The part of its process that a subcommand uses. */
export interface Terminal {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly stdin: NodeJS.ReadStream;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
}

/** An output: a stream, or a thread's channel to one. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Exit codes by shell conventions; as for grep, "nothing found" differs from a failure. */
export const ExitCode = { ok: 0, nothingFound: 1, failed: 2, interrupted: 130 } as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** Without a terminal: the interval between lines, and the duration below which there is none. */
const PLAIN_MS = 10_000;

/** Progress: on a terminal one line that is overwritten; in a file or a pipe a plain line every 10 seconds. */
export class ProgressLine {
  readonly #stream: Output;
  readonly #now: () => number;
  readonly #hasScreen: boolean;
  #lastPlain: number;
  #shown = false;

  /** `now` is in milliseconds, of any clock that never goes back. */
  constructor(stream: Output, now: () => number = () => performance.now(), env = process.env) {
    this.#stream = stream;
    this.#hasScreen = hasScreen(stream, env);
    this.#now = now;
    this.#lastPlain = now();
  }

  /** Shows the parts that fit on the line; the most important comes first. */
  show(parts: readonly string[]): void {
    if (this.#hasScreen) {
      const { columns = 0 } = this.#stream;
      this.#stream.write(`\r\u001b[2K${fit(parts, (columns || 80) - 1)}`);
      this.#shown = true;
    } else if (this.#now() - this.#lastPlain >= PLAIN_MS) {
      this.#lastPlain = this.#now();
      this.#stream.write(`sextant: ${parts.join(', ')}\n`);
    }
  }

  clear(): void {
    if (this.#shown) this.#stream.write('\r\u001b[2K');
    this.#shown = false;
  }
}

/** Whether text can be overwritten: a dumb terminal shows the codes for that. */
export function hasScreen({ isTTY }: Pick<Output, 'isTTY'>, { TERM } = process.env): boolean {
  return isTTY === true && TERM !== 'dumb';
}

/** Logger that writes warnings and errors for a person. */
export function logTo(stream: Output): Logger {
  const write = (message: string): void => void stream.write(`sextant: ${printable(message)}\n`);
  return { debug: () => undefined, info: () => undefined, warn: write, error: write };
}

function fit([first = '', ...rest]: readonly string[], width: number): string {
  let line = first;
  for (const part of rest) {
    if (line.length + 3 + part.length > width) break;
    line += ` · ${part}`;
  }
  return line.slice(0, width);
}

export function printJson(value: unknown, { stdout }: Terminal): void {
  stdout.write(`${jsonText(value, 2)}\n`);
}

/** What `JSON.stringify` leaves as it is, and a terminal does not. */
const UNESCAPED = new RegExp(String.raw`[\u007f-\u009f\u2028\u2029${UNSEEN}]`, 'g');

/** JSON that controls no terminal: `JSON.stringify` itself leaves the controls from U+007F, and those of direction. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(
    UNESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Prints a failure as JSON; its text goes to the standard error, too. */
export function printError(code: string, message: string, terminal: Terminal): void {
  printJson({ error: { code, message } }, terminal);
}

/** Rows of a name and a value, the values below each other and wrapped to the width of the output, if it is a terminal that has one. */
export function formatRows(rows: readonly (readonly [name: string, value: string])[], output?: Output): string {
  const columns = output?.columns ?? 0;
  const width = Math.max(...rows.map(([name]) => name.length)) + 4;
  const lines = rows.flatMap(([name, value]) => {
    const [first = '', ...rest] = wrap(value, (columns || Infinity) - width);
    return [`  ${name.padEnd(width - 2)}${first}`, ...rest.map((line) => ' '.repeat(width) + line)];
  });
  return `${lines.join('\n')}\n`;
}

/** Lines of at most `width` characters; only longer words exceed it. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > Math.max(20, width)) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** The error of a command that reads a file or the standard input. */
export function noFile(file: string, cause: unknown): SextantError {
  return new SextantError('NoFile', `${file} cannot be read. Name another file, or - for the standard input.`, {
    cause,
  });
}

/** Reads a file, or the standard input for `-`: other programs may write it late. Throws the system's error, and `Cancelled` on Ctrl-C. */
export async function readInput(file: string, { stdin, signal }: Terminal): Promise<Buffer> {
  if (file !== '-') return readFileSync(file);
  try {
    return await buffer(addAbortSignal(signal, stdin));
  } catch (error) {
    throw signal.aborted ? cancelled() : error;
  }
}
