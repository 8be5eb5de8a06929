import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/temporary.ts';

const CONTEXT = `
  import { DirectContext } from './src/context/directContext.ts';
  const context = await DirectContext.create({ backend: 'embedded' });
  await context.addToIndex([{ path: 'secret.txt', contents: 'the text of a program' }]);
  console.log('ready');
`;

const SERVER = `
  import { SextantServer } from './src/server/server.ts';
  const server = await SextantServer.start();
  console.log('ready');
`;

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Names in the temporary folder while it ran, and afterwards. */
  readonly during: readonly string[];
  readonly left: readonly string[];
}

describe('an embedded context without a folder', () => {
  const folder = temporaryFolder();

  /** Runs a program with a temporary folder of its own, and calls `act` when it says that it is ready. */
  async function run(
    code: string,
    temporary: string,
    act: NodeJS.Signals | undefined,
    begin = CONTEXT,
  ): Promise<Ended> {
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', `${begin}${code}`], {
      cwd: new URL('../..', import.meta.url),
      env: { ...process.env, TMPDIR: temporary, TEMP: temporary },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    let during: string[] = [];
    for await (const _ of child.stdout) {
      during = contexts(temporary);
      if (act) child.kill(act);
    }
    const [exitCode, signal] = await exit;
    return { code: exitCode, signal, during, left: contexts(temporary) };
  }

  const contexts = (temporary: string): string[] =>
    readdirSync(temporary).filter((name) => /^sextant-(?:context|webhooks)-/.test(name));
  const STAY = `setInterval(() => undefined, 1000);`;

  for (const [title, code, act, expected] of [
    ['the program ends', '', undefined, { code: 0, signal: null }],
    ['it exits', 'process.exit(3);', undefined, { code: 3, signal: null }],
    ['an error is not caught', `setImmediate(() => { throw new Error('x'); });`, undefined, { code: 1, signal: null }],
    ['SIGINT ends it', STAY, 'SIGINT', { code: null, signal: 'SIGINT' }],
    ['SIGTERM ends it', STAY, 'SIGTERM', { code: null, signal: 'SIGTERM' }],
    [
      'its own handler exits',
      `process.on('SIGTERM', () => process.exit(5)); ${STAY}`,
      'SIGTERM',
      { code: 5, signal: null },
    ],
    [
      'its own handler goes on and ends later',
      `process.on('SIGTERM', async () => { console.error(await context.search('program')); process.exit(6); }); ${STAY}`,
      'SIGTERM',
      { code: 6, signal: null },
    ],
  ] as const)
    it(`leaves nothing when ${title}`, async function () {
      this.timeout(300_000);
      const { code: exitCode, signal, left } = await run(code, folder(), act);
      assert.deepEqual({ code: exitCode, signal }, expected);
      assert.deepEqual(left, []);
    });

  it('is removed after a kill of a server without a state folder, too', async function () {
    this.timeout(300_000);
    const temporary = folder();
    const { left } = await run(STAY, temporary, 'SIGKILL', SERVER);
    assert.deepEqual(
      left.map((name) => name.slice(0, -6)),
      ['sextant-webhooks-'],
    );
    assert.deepEqual((await run('await server.close();', temporary, undefined, SERVER)).left, []);
  });

  it('leaves no listener of signals when it is closed', async function () {
    this.timeout(300_000);
    const count = `const count = () => ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'].map((one) => process.listenerCount(one)).join();`;
    const code = `${count} const open = count(); await context.close(); process.exit(open === '1,1,1,1' && count() === '0,0,0,0' ? 0 : 1);`;
    assert.equal((await run(code, folder(), undefined)).code, 0);
  });

  it('is removed by the next one after a kill, and only then', async function () {
    this.timeout(300_000);
    const temporary = folder();
    const { left } = await run(STAY, temporary, 'SIGKILL');
    assert.equal(left.length, 1);
    // Just created by another process, and what is not a folder of ours.
    mkdirSync(join(temporary, 'sextant-context-young'));
    // Of a version whose folders of webhooks named no owner.
    mkdirSync(join(temporary, 'sextant-webhooks-old'));
    utimesSync(join(temporary, 'sextant-webhooks-old'), 0, 0);
    mkdirSync(join(temporary, 'sextant-context-old'));
    utimesSync(join(temporary, 'sextant-context-old'), 0, 0);
    writeFileSync(join(temporary, 'sextant-context-file'), '');

    const living = spawn(process.execPath, ['--input-type=module-typescript', '-e', `${CONTEXT}${STAY}`], {
      cwd: new URL('../..', import.meta.url),
      env: { ...process.env, TMPDIR: temporary, TEMP: temporary },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(living.stdout, 'data');
    const others = contexts(temporary);
    assert.ok(!others.includes(left[0]!) && others.every((name) => !name.endsWith('-old')));
    assert.equal(others.length, 3);
    await run('await context.close();', temporary, undefined);
    assert.deepEqual(contexts(temporary), others, 'that of a living process stays');
    living.kill('SIGTERM');
    await once(living, 'exit');
    assert.deepEqual(contexts(temporary).sort(), ['sextant-context-file', 'sextant-context-young']);
  });
});
