import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { SextantServer } from '../../src/server/server.ts';

const PROGRAM = join(import.meta.dirname, '../fixtures/sdkProgram.mts');

/** Runs the program for the original SDK on the built library with a server's service. Fails if it does. */
export async function runSdkProgram({ url, token }: SextantServer): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, SEXTANT_API_URL: url, SEXTANT_API_TOKEN: token },
  });
  let stderr = '';
  child.stderr.on('data', (piece: Buffer) => (stderr += piece.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  assert.equal(code, 0, stderr);
}
