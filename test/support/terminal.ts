import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { COMMAND } from './command.ts';

/** `script` of util-linux gives a command a terminal. */
export const hasTerminal = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

export interface TerminalRun {
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly columns?: number;
  readonly onStart?: (type: (keys: string) => void) => void;
  /** Called for each output, with all that was shown. */
  readonly onOutput?: (shown: string, type: (keys: string) => void) => void;
}

/** Runs the command in a terminal; resolves to its exit code, and to what was shown. */
export async function runInTerminal({ args, cwd, env, columns = 120, onStart, onOutput }: TerminalRun): Promise<{
  readonly code: number | null;
  readonly shown: string;
}> {
  // Without exec some shells stay around the command, and end by Ctrl-C although it goes on.
  const command = [process.execPath, COMMAND, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', `stty cols ${columns} rows 30; exec ${command}`, '/dev/null'], {
    cwd,
    env: { ...process.env, TERM: 'xterm', ...env },
  });
  const type = (keys: string): void => void child.stdin.write(keys);
  onStart?.(type);
  let shown = '';
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    onOutput?.(shown, type);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, shown };
}
