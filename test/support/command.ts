import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';

/** The built command; `npm run build` builds it. */
export const COMMAND = join(import.meta.dirname, '../../dist/cli/sextant.js');
const SAMPLE = join(import.meta.dirname, '../fixtures/sample');

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Returns a function that runs the command with the suite's own cache folder. Call it inside `describe`. */
export function commandRunner(folder: () => string): (...args: string[]) => Outcome {
  let cache = '';
  before(() => (cache = folder()));
  return (...args) => {
    // The command's own compile cache, not that of the tests.
    const env = { ...process.env, NODE_COMPILE_CACHE: undefined, XDG_CACHE_HOME: cache, NO_COLOR: '1' };
    const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], { encoding: 'utf8', env });
    return { code: status, stdout, stderr };
  };
}

/** Copies the sample workspace to a folder outside of any repository. */
export function copySample(to: string): string {
  cpSync(SAMPLE, to, { recursive: true });
  return to;
}
