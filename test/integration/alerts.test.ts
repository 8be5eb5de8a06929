import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AlertReceiver } from '../support/alertReceiver.ts';
import { organizationOf, person } from '../support/budgets.ts';
import { COMMAND, type Outcome } from '../support/command.ts';
import { serve, stop, type ServeProcess } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';

interface Message {
  readonly id: string;
  readonly alerts: readonly { readonly id: string; readonly kind: string; readonly text: string }[];
}

/** Commands run beside this process, which answers them. */
describe('sextant alerts', () => {
  const newFolder = temporaryFolder();
  let server: ServeProcess;
  let receiver: AlertReceiver;
  let folder: string;
  let cache: string;
  let fetched: string;
  const folders: string[] = [];
  const printed: string[] = [];
  before(async () => {
    cache = newFolder();
    const state = newFolder();
    const today = new Date().toISOString().slice(0, 10);
    const facts = [
      ...organizationOf([
        [person('ada@x.io'), '100'],
        [person('bob@x.io'), '540'],
      ]),
      ...['ada@x.io', 'bob@x.io'].map((user_email) => ({
        ...{ kind: 'credits', date: today, user_email, model_name: 'm', credits_consumed: 500 },
      })),
    ];
    const data = join(state, 'facts.ndjson');
    writeFileSync(data, facts.map((fact) => `${JSON.stringify(fact)}\n`).join(''));
    server = await serve(['--state', join(state, 'server'), '--port', '0', '--data', data, '--no-rate-limit']);
    // Figures are fetched once, within the budget of requests, and then cached for all tests.
    fetched = folder = newFolder();
    const first = await finish(start(['preview'], { SEXTANT_ALERTS_URL: 'http://127.0.0.1:9/' }));
    assert.equal(first.code, 0, first.stderr);
  });
  beforeEach(async () => {
    folder = newFolder();
    folders.push(folder);
    cpSync(fetched, folder, { recursive: true });
    receiver = await AlertReceiver.start();
  });
  afterEach(() => receiver.close());
  after(() => stop(server, 'SIGKILL'));

  function start(args: readonly string[], more: NodeJS.ProcessEnv = {}): ChildProcess {
    const env = {
      ...process.env,
      ...{ SEXTANT_ANALYTICS_URL: server.info.url, SEXTANT_ANALYTICS_TOKEN: server.info.token },
      ...{ XDG_CACHE_HOME: cache, NO_COLOR: '1', NODE_OPTIONS: '', ...more },
    };
    return spawn(process.execPath, [COMMAND, 'alerts', ...args, '--state', folder], { env, cwd: folder });
  }

  async function finish(child: ChildProcess, input = ''): Promise<Outcome> {
    let [stdout, stderr] = ['', ''];
    child.stdout!.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.stdin!.end(input);
    const [code] = (await once(child, 'close')) as [number | null];
    printed.push(stdout, stderr);
    return { code, stdout, stderr };
  }

  const alerts = (...args: string[]): Promise<Outcome> => finish(start(args));
  const add = (name = 'ops', ...args: string[]): Promise<Outcome> =>
    finish(start(['add', name, ...args]), `${receiver.url()}\n`);
  const ids = (): string[] => (receiver.bodies as Message[]).flatMap((one) => one.alerts.map(({ id }) => id));

  it('sends nothing before it is set up, and shows a message before the first is sent', async () => {
    const none = await alerts('run');
    assert.deepEqual([none.code, none.stdout], [2, '']);
    assert.match(none.stderr, /There is no destination, so nothing is sent/);
    const added = await add('ops', '--quiet', '20:00-07:00', '--time-zone', 'Europe/Berlin');
    assert.equal(added.code, 0, added.stderr);
    assert.match(added.stdout, /\n {6}"text": "Example: ada@example\.com is 120 credits over.*",\n/);
    assert.match(added.stdout, /Nothing was sent/);
    const refused = await alerts('test', 'ops');
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /Add --yes to send without a terminal/);
    assert.equal(receiver.received.length, 0);
    const test = await alerts('test', 'ops', '--yes');
    assert.deepEqual([test.code, test.stdout], [0, 'Accepted: 200\n']);
    receiver.behaviors.push({ status: 404, body: 'no_service' });
    const wrong = await alerts('test', 'ops', '--yes');
    assert.deepEqual([wrong.code, wrong.stdout], [1, 'Not accepted: 404: no_service\n']);
    const list = await alerts('list');
    assert.match(list.stdout, /^ops +json +http:\/\/127\.0\.0\.1:\d+\/… .*quiet 20:00-07:00 Europe\/Berlin\n$/);
    assert.equal((await alerts('remove', 'ops')).code, 0);
    assert.equal((await alerts('remove', 'ops')).code, 1);
    assert.equal((await alerts('list')).code, 1);
  });

  it('shows what is new, and sends it once', async () => {
    await add();
    const preview = await alerts('preview', '--json');
    assert.equal(preview.code, 0, preview.stderr);
    const [{ alerts: found }] = JSON.parse(preview.stdout) as [Message];
    assert.deepEqual(found.map(({ kind }) => kind), ['over', 'near']); // oxfmt-ignore
    assert.equal(receiver.received.length, 0);
    const run = await alerts('run');
    assert.equal(run.code, 0, run.stderr);
    assert.deepEqual(ids(), found.map(({ id }) => id)); // oxfmt-ignore
    const again = await alerts('run', '--once');
    assert.deepEqual([again.code, again.stdout, receiver.received.length], [0, 'Nothing is new.\n', 1]);
    assert.equal((await alerts('preview')).code, 1);
    const log = JSON.parse((await alerts('log', '--json')).stdout) as { state: string; result: string }[];
    assert.deepEqual(log.map(({ state, result }) => [state, result]), [['sent', '200']]); // oxfmt-ignore
  });

  it('sends each event once when two processes run at once', async () => {
    await add();
    receiver.delayMs = 500;
    const codes = await Promise.all([alerts('run'), alerts('run'), alerts('run')]);
    assert.deepEqual(codes.map(({ code }) => code), [0, 0, 0]); // oxfmt-ignore
    assert.deepEqual([receiver.received.length, receiver.mostAtOnce], [1, 1]);
    assert.equal(new Set(ids()).size, ids().length);
  });

  it('sends a message again, with the same id, after it was killed while it sent it', async () => {
    await add();
    receiver.behaviors.push('hang');
    const child = start(['run']);
    await until('a request', () => receiver.received.length === 1);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const run = await alerts('run');
    assert.equal(run.code, 0, run.stderr);
    assert.match(run.stdout, /^ops +\d+ alerts? +sent .* 2 attempts +200\n$/);
    const [first, second] = receiver.bodies as [Message, Message];
    assert.deepEqual([receiver.received.length, second], [2, first]);
    assert.equal((await alerts('run')).stdout, 'Nothing is new.\n');
  });

  it('keeps a message that is refused for now, and sends it while it runs at intervals', async () => {
    receiver.behaviors.push({ status: 429, headers: { 'retry-after': '1' } });
    await add();
    const failed = await alerts('run', '--json');
    assert.equal(failed.code, 1, failed.stderr);
    const [waiting] = JSON.parse(failed.stdout) as [{ state: string; attempts: number }];
    assert.deepEqual([waiting.state, waiting.attempts], ['waiting', 1]);
    const child = start(['run', '--every', '1m']);
    await once(child.stdout!, 'data');
    await alerts('remove', 'ops');
    await add('ops', '--kind', 'slack');
    await until('a second attempt', () => receiver.received.length === 2);
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number];
    assert.equal(code, 0);
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['x-sextant-alert-id'])).size, 1);
    assert.ok('blocks' in (receiver.bodies[1] as object), 'the destination as it is now');
  });

  it('warns of a destination whose group the group file does not have', async () => {
    writeFileSync(join(folder, 'sextant-groups.csv'), 'account,cost center\nada@x.io,CC 1\n');
    await add('ops', '--group', 'Cost Center=CC 1');
    const preview = await alerts('preview');
    assert.deepEqual([preview.code, preview.stderr], [0, '']);
    await alerts('remove', 'ops');
    await add('ops', '--group', 'cost_center=CC 2');
    const none = await alerts('preview');
    assert.match(none.stderr, /ops gets no alerts: no row of the group file has cost_center=CC 2\./);
    assert.equal(none.code, 1);
  });

  it('has help with examples and exit codes', async () => {
    for (const command of ['add', 'list', 'remove', 'test', 'preview', 'run', 'log']) {
      const { stdout, code } = await finish(start([command, '--help']));
      assert.equal(code, 0);
      assert.match(stdout, new RegExp(`Examples:\n  sextant alerts ${command}`));
      assert.match(stdout, /Exit codes: /);
    }
  });

  it('prints no secret, and keeps it in one file only', () => {
    for (const text of printed) assert.doesNotMatch(text, /T0PSECRET/);
    const files = folders
      .flatMap((one) => readdirSync(one, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile());
    assert.ok(files.some(({ name }) => /^alerts\.\d+\.json$/.test(name)));
    const withSecret = files.filter(({ parentPath, name }) =>
      readFileSync(join(parentPath, name), 'latin1').includes('T0PSECRET'),
    );
    assert.deepEqual(withSecret.map(({ name }) => name).filter((name) => name !== 'destinations.json'), []); // oxfmt-ignore
  });
});
