import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs TypeScript in a new Node process, or in a command that starts one. Resolves to the process and its output when it has
 * printed `word`.
 */
export async function spawnUntil(
  word: string,
  code: string,
  args: readonly string[] = [],
  within?: { readonly command: string; readonly args: readonly string[] },
): Promise<{ readonly child: ChildProcess; readonly said: string }> {
  // The code is TypeScript, which the oldest Node cannot run.
  const node = process.env.SEXTANT_NODE_OF_TESTS ?? process.execPath;
  const own = [node, '--input-type=module-typescript', '-e', code, '--', ...args];
  const [command = '', ...rest] = within ? [within.command, ...within.args, ...own] : own;
  const child = spawn(command, rest, {
    cwd: new URL('../..', import.meta.url),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  for await (const chunk of child.stdout) {
    said += String(chunk);
    if (said.includes(word)) return { child, said };
  }
  throw new Error(`It ended without "${word}": ${said}`);
}

export async function killed(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}
