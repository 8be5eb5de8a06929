import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ServerInfo } from '../../src/server/runningServer.ts';

const COMMAND = join(import.meta.dirname, '../../dist/cli/sextant.js');

export interface ServeProcess {
  readonly child: ChildProcess;
  readonly info: ServerInfo;
  stderr(): string;
  /** The exit code. */
  readonly ended: Promise<number | null>;
}

/** Runs `sextant serve --json`; resolves when it is ready. `variables` are added to its environment, `command` is the program. */
export async function serve(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  command = COMMAND,
): Promise<ServeProcess> {
  const child = spawn(process.execPath, [command, 'serve', '--json', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...variables },
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  for await (const line of createInterface(child.stdout))
    return { child, info: JSON.parse(line) as ServerInfo, stderr: () => stderr, ended };
  throw new Error(`It ended with ${await ended}: ${stderr}`);
}

export async function stop(server: ServeProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  server.child.kill(signal);
  return server.ended;
}
