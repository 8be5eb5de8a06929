import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Terminal } from './terminal.ts';

/**
 * Reads a line of the standard input without showing it; other people see arguments and the screen. Empty at the end of the
 * input, or after Ctrl-C.
 */
export async function readSecret(name: string, { stdin, stderr, signal }: Terminal): Promise<string> {
  const isTyped = stdin.isTTY;
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output, terminal: isTyped });
  try {
    if (isTyped) stderr.write(`${name} (it is not shown): `);
    const line = await Promise.race([firstOf(lines), aborted(signal)]);
    if (isTyped) stderr.write('\n');
    return line.trim();
  } finally {
    lines.close();
  }
}

async function firstOf(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) return line;
  return '';
}

function aborted(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(''), { once: true }));
}
