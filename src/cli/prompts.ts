import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { cancelled, throwIfCancelled } from '../base/errors.ts';
import type { Terminal } from './terminal.ts';

/**
 * Reads a line of the standard input without showing it; other people see arguments and the screen. Empty at the end of the
 * input. Throws `Cancelled` on Ctrl-C.
 */
export function readSecret(name: string, terminal: Terminal): Promise<string> {
  return readLine(`${name} (it is not shown): `, terminal, true);
}

/** Asks on the terminal; no is the default, and the end of the input. Throws `Cancelled` on Ctrl-C. */
export async function confirm(question: string, terminal: Terminal): Promise<boolean> {
  return /^y(es)?$/i.test(await readLine(`${question} [y/N] `, terminal));
}

/** Reads a line, trimmed. Empty at the end of the input. */
async function readLine(prompt: string, { stdin, stderr, signal }: Terminal, isSecret = false): Promise<string> {
  throwIfCancelled(signal);
  // Readline shows what is typed on its output.
  const output = isSecret ? new Writable({ write: (_chunk, _encoding, done) => done() }) : stderr;
  const lines = createInterface({ input: stdin, output, terminal: stdin.isTTY, prompt });
  let entered: string | undefined;
  let stop = (): void => undefined;
  try {
    entered = await new Promise<string | undefined>((resolve, reject) => {
      stop = () => reject(cancelled());
      signal.addEventListener('abort', stop);
      lines.on('line', resolve).on('close', () => resolve(undefined));
      // A terminal in raw mode sends Ctrl-C as a key, and not as a signal.
      lines.on('SIGINT', stop);
      lines.prompt();
      // Last: before the terminal is in raw mode, it would show what is typed.
      if (isSecret && stdin.isTTY) stderr.write(prompt);
    });
    return entered?.trim() ?? '';
  } finally {
    signal.removeEventListener('abort', stop);
    lines.close();
    if (stdin.isTTY && (isSecret || entered === undefined)) stderr.write('\n');
  }
}
