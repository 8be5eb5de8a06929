import assert from 'node:assert/strict';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { acquireFence, isHeld } from '../../src/base/lease.ts';
import { COMMAND } from '../support/command.ts';
import { temporaryFolder } from '../support/temporary.ts';

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

/** The end of a command that is stopped by Ctrl-C while it waits. */
async function interrupted(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  input?: string,
  lateMs = LATE_MS,
): ReturnType<typeof ended> {
  const child = start(args, env);
  const result = ended(child);
  if (input !== undefined) child.stdin.end(input);
  await setTimeout(lateMs);
  child.kill('SIGINT');
  const { code } = await result;
  // The signal itself ended it: on a slow machine it did not listen for signals yet.
  return code === null ? interrupted(args, env, input, 2 * lateMs) : result;
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
      const { code, err } = await interrupted(args);
      assert.deepEqual([code, err], [130, 'sextant: Interrupted.\n']);
    });
});

describe('a command that is interrupted', () => {
  it('ends though something still keeps the process, as a socket that connects', async () => {
    const env = { NODE_OPTIONS: '--import=data:text/javascript,setInterval(()=>{},1e6)' };
    const { code, err } = await interrupted(['budgets', 'import', '-'], env);
    assert.deepEqual([code, err], [130, 'sextant: Interrupted.\n']);
  });
});

describe('a command that waits for the change of another process', () => {
  const folder = temporaryFolder();

  for (const [args, input] of [
    [['orgs', 'add', 'acme', 'https://a.example.com', '--token-env', 'TOKEN'], ''],
    [['orgs', 'remove', 'acme'], ''],
    [['alerts', 'add', 'ops'], 'https://a.example.com/hook\n'],
    [['alerts', 'remove', 'ops'], ''],
  ] as const)
    it(`${args.slice(0, 2).join(' ')} stops on Ctrl-C`, async () => {
      const data = folder();
      const lease = acquireFence(join(data, 'sextant', 'changes'));
      assert.ok(isHeld(lease));
      const env = { XDG_DATA_HOME: data };
      const { code, err } = await interrupted(args, env, input);
      assert.deepEqual([code, err], [130, 'sextant: Interrupted.\n']);
      lease.release();
      const child = start(args, env);
      child.stdin.end(input);
      assert.equal((await ended(child)).code, args[1] === 'add' ? 0 : 1);
    });
});
