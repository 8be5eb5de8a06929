import assert from 'node:assert/strict';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { COMMAND } from '../support/command.ts';

/** Long enough for a command to wait for its input. */
const LATE_MS = 1_000;

function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [COMMAND, ...args], { env: { ...process.env, ...env } });
}

/** The exit code and the outputs of a command that is stopped or fed meanwhile. */
async function ended(
  child: ChildProcessWithoutNullStreams,
): Promise<{ code: number | null; out: string; err: string }> {
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}

describe('a command that waits for its input', () => {
  it('reads what another program writes late', async () => {
    const child = start(['filters', 'test', '{"==": [{"var": "a"}, 1]}', '-']);
    const result = ended(child);
    await setTimeout(LATE_MS);
    child.stdin.write('{"a":');
    await setTimeout(LATE_MS / 10);
    child.stdin.end(' 1}');
    assert.deepEqual(await result, { code: 0, out: '-: fires\n', err: 'Fires when `a` is 1\n' });
  });

  for (const args of [
    ['filters', 'test', '{"==": [1, 1]}', '-'],
    ['budgets', 'import', '-'],
  ])
    it(`${args.slice(0, 2).join(' ')} stops on Ctrl-C`, async () => {
      const stopped = async (lateMs: number): Promise<Awaited<ReturnType<typeof ended>>> => {
        const child = start(args);
        const result = ended(child);
        await setTimeout(lateMs);
        child.kill('SIGINT');
        const { code } = await result;
        // The signal itself ended it: on a slow machine it did not listen for signals yet.
        return code === null ? stopped(2 * lateMs) : result;
      };
      const { code, err } = await stopped(LATE_MS);
      assert.deepEqual([code, err], [130, 'sextant: Interrupted.\n']);
    });
});
