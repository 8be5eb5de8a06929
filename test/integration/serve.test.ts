import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  createWriteStream,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { once } from 'node:events';
import { join, relative } from 'node:path';
import { dayOf, formatDay } from '../../src/base/day.ts';
import { Client, PATHS } from '../conformance/client.ts';
import { dataset } from '../conformance/dataset.ts';
import { serve, stop, type ServeProcess } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary.ts';

const COMMAND = join(import.meta.dirname, '../../dist/cli/sextant.js');
const NOW = '2026-11-21T09:00:00Z';
const OVERRIDE = { resource: 'BUDGET_RESOURCE_CREDITS_CONSUMED', period: 'BUDGET_PERIOD_MONTHLY' };

describe('sextant serve', () => {
  const folder = temporaryFolder();
  const running: ServeProcess[] = [];
  afterEach(async () => {
    for (const server of running.splice(0)) if (server.child.exitCode === null) await stop(server, 'SIGKILL');
  });

  async function start(...args: string[]): Promise<ServeProcess> {
    const server = await serve(args);
    running.push(server);
    return server;
  }

  function fails(...args: string[]): string {
    const { status, stderr } = spawnSync(process.execPath, [COMMAND, ...args], { encoding: 'utf8', timeout: 30_000 });
    assert.equal(status, 2, stderr);
    return stderr;
  }

  function dataFile(): string {
    const file = join(folder(), 'facts.ndjson');
    const records = dataset(3, NOW.slice(0, 10));
    writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    return file;
  }

  const setLimit = (limit: string): unknown => ({
    overrides: [{ user_email: 'ada@example.com', ...OVERRIDE, config: { limit } }],
  });

  async function limitOfAda(client: Client): Promise<unknown> {
    const { body } = await client.post(PATHS.getOverrides, { user_emails: ['ada@example.com'] });
    return (body.overrides as { config: { limit: string } }[])[0]?.config.limit;
  }

  it('prints its address on one line, and keeps address, tokens and changes over a restart', async () => {
    const state = join(folder(), 'state');
    // Its readers may be in another folder.
    const args = ['--state', relative(process.cwd(), state), '--data', dataFile(), '--now', NOW];
    const first = await start(...args);
    assert.deepEqual(Object.keys(first.info), ['url', 'token', 'adminToken', 'pid', 'state']);
    assert.equal(first.info.pid, first.child.pid);
    assert.equal(first.info.state, state);
    const client = new Client(first.info);
    assert.deepEqual((await client.post(PATHS.setOverrides, setLimit('123'))).body, { failures: [] });
    const { body } = await client.admin('POST', 'tokens', { scopes: ['analytics:read'], name: 'ci' });
    const { body: page } = await client.get(PATHS.userActivity, {
      page_size: 1,
      start_date: '2026-11-01',
      end_date: '2026-11-09',
    });
    assert.equal(await stop(first), 0);

    const second = await start(...args);
    const { pid: _, ...same } = second.info;
    assert.deepEqual({ ...same, pid: first.info.pid }, first.info);
    assert.equal(await limitOfAda(client), '123', "the state's changes win over the data file");
    assert.equal((await client.get(PATHS.dau, {}, body.token as string)).status, 200);
    const { next_cursor: cursor } = page.pagination as { next_cursor: string };
    const next = await client.get(PATHS.userActivity, { cursor, start_date: '2026-11-01', end_date: '2026-11-09' });
    assert.equal(next.status, 200, 'a cursor is valid after a restart');
    assert.equal((await client.admin('DELETE', 'tokens/ci')).status, 200);
    assert.equal((await client.admin('POST', 'reset')).status, 200);
    const limit = await limitOfAda(client);
    assert.notEqual(limit, '123');
    assert.equal(await stop(second, 'SIGINT'), 0);
    await start(...args);
    assert.equal(await limitOfAda(client), limit, 'a reset lasts');
    assert.equal((await client.get(PATHS.dau, {}, body.token as string)).status, 401);
  });

  it('runs once for each state folder: a second server attaches to the first', async () => {
    const state = join(folder(), 'state');
    const first = await start('--state', state);
    const second = await start('--state', state, '--now', NOW);
    assert.deepEqual(second.info, first.info);
    assert.equal(await second.ended, 0);
    assert.match(
      second.stderr(),
      /^sextant: Process \d+ already serves .*; use that server\. --now has no effect: it keeps its own options\.$/m,
    );
    const plain = spawnSync(process.execPath, [COMMAND, 'serve', '--state', state], { encoding: 'utf8' });
    assert.equal(plain.status, 0);
    assert.match(plain.stdout, /^The analytics API is served at http/);
    assert.doesNotMatch(plain.stdout, /Ctrl-C/);
    assert.match(plain.stderr, /use that server\.$/m);
    assert.equal((await fetch(`${first.info.url}/healthz`)).status, 200);
  });

  it('says that it was updated where a file of it is missing', async () => {
    const copy = folder();
    for (const name of ['package.json', 'dist/cli'])
      cpSync(join(import.meta.dirname, '../..', name), join(copy, name), { recursive: true });
    const server = await serve(['--state', join(folder(), 'state')], {}, join(copy, 'dist/cli/sextant.js'));
    running.push(server);
    rmSync(join(copy, 'dist'), { recursive: true });
    const response = await fetch(`${server.info.url}/openapi.json`);
    const error = { code: 'ServiceUnavailable', message: 'the server was updated while it ran; start it again' };
    assert.deepEqual([response.status, await response.json()], [503, { error }]);
    assert.equal((await fetch(`${server.info.url}/healthz`)).status, 200);
  });

  it('is taken over from a killed process by exactly one of several', async () => {
    const state = join(folder(), 'state');
    const first = await start('--state', state);
    await stop(first, 'SIGKILL');
    const others = await Promise.all([start('--state', state), start('--state', state), start('--state', state)]);
    assert.equal(new Set(others.map(({ info }) => info.pid)).size, 1);
    assert.equal(others[0].info.url, first.info.url);
  });

  it('names the process that it waits for, and takes over when that process ends', async () => {
    const state = join(folder(), 'state');
    const first = await start('--state', state);
    first.child.kill('SIGSTOP');
    const second = spawn(process.execPath, [COMMAND, 'serve', '--json', '--state', state]);
    try {
      let said = '';
      for await (const chunk of second.stderr as AsyncIterable<Buffer>)
        if ((said += chunk.toString()).includes('\n')) break;
      assert.match(
        said,
        new RegExp(
          `^sextant: Process ${first.child.pid} on \\S+ has the state in ${state}\\. Waiting until its server answers,`,
        ),
      );
      first.child.kill('SIGKILL');
      const [line] = (await once(second.stdout, 'data')) as [Buffer];
      assert.equal((JSON.parse(line.toString()) as { url: string }).url, first.info.url);
    } finally {
      second.kill('SIGKILL');
    }
  });

  it('answers 503, logs once and writes nothing after a pause in which its state was taken over', async function () {
    if (process.platform === 'win32') this.skip();
    const state = join(folder(), 'state');
    const first = await start('--state', state);
    const old = new Client(first.info);
    assert.equal((await old.admin('POST', 'tokens', { scopes: ['analytics:read'], name: 'before' })).status, 200);
    first.child.kill('SIGSTOP');
    const lock = readdirSync(state).find((name) => name.endsWith('.lock'))!;
    // Looks like a minute without a heartbeat.
    utimesSync(join(state, lock), 0, 0);
    const second = await start('--state', state, '--port', '0');
    const heir = new Client(second.info);
    assert.equal((await heir.admin('DELETE', 'tokens/before')).status, 200);
    first.child.kill('SIGCONT');
    for (let i = 0; i < 3; i++)
      for (const answer of [
        await old.get(PATHS.dau),
        await old.admin('POST', 'tokens', { scopes: ['analytics:read'], name: 'after' }),
      ]) {
        assert.equal(answer.status, 503);
        assert.match(JSON.stringify(answer.body), /"ServiceUnavailable".*took over .*Stop it, and/);
      }
    assert.equal((await fetch(`${first.info.url}/healthz`)).status, 200);
    assert.equal(first.stderr().match(/took over/g)?.length, 1, first.stderr());
    assert.match(readFileSync(join(state, 'server.log'), 'utf8'), /error .* took over/);
    assert.equal(await stop(first), 0);
    assert.equal((await heir.admin('POST', 'tokens', { scopes: ['analytics:read'], name: 'before' })).status, 200);
  });

  it('takes over at once from a container whose process had the same id', async function () {
    if (spawnSync('unshare', ['-pf', 'true']).status !== 0) {
      console.log('      skipped: a process namespace needs Linux and root');
      this.skip();
    }
    const state = join(folder(), 'state');
    for (let i = 0; i < 2; i++) {
      const args = ['-pf', '--kill-child', process.execPath, COMMAND, 'serve', '--json', '--state', state];
      const child = spawn('unshare', args);
      let said = '';
      child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
      const [line] = (await once(child.stdout, 'data')) as [Buffer];
      assert.equal((JSON.parse(line.toString()) as { pid: number }).pid, 1);
      assert.doesNotMatch(said, /has the state/);
      child.kill('SIGKILL');
      await once(child, 'close');
    }
  });

  it('reads its tokens from variables, which options override', async () => {
    const variables = { SEXTANT_SERVE_TOKEN: 'my-reader', SEXTANT_SERVE_ADMIN_TOKEN: 'my-admin' };
    for (const [args, token] of [
      [[], 'my-reader'],
      [['--token', 'other'], 'other'],
    ] as const) {
      const server = await serve(['--state', join(folder(), 'state'), ...args], variables);
      running.push(server);
      assert.deepEqual([server.info.token, server.info.adminToken], [token, 'my-admin']);
      assert.equal((await new Client(server.info).get(PATHS.dau)).status, 200);
    }
  });

  it('writes files that only its owner may read, and a log without tokens', async () => {
    const state = join(folder(), 'state');
    const server = await start('--state', state, '--token', 'my-secret-token', '--admin-token', 'my-admin-token');
    const client = new Client(server.info);
    assert.equal(server.info.token, 'my-secret-token');
    const { body } = await client.admin('POST', 'tokens', { scopes: ['budgets:write'] });
    await client.get(PATHS.dau, {}, 'wrong-secret');
    await stop(server);
    const files = readdirSync(state, { recursive: true, encoding: 'utf8' }).filter((name) =>
      statSync(join(state, name)).isFile(),
    );
    for (const name of files) {
      if (process.platform !== 'win32' && !name.endsWith('.lock'))
        assert.equal(statSync(join(state, name)).mode & 0o077, 0, name);
      const text = readFileSync(join(state, name), 'latin1');
      assert.ok(!text.includes(body.token as string), `${name} has a client's token`);
      assert.ok(!text.includes('wrong-secret'));
      if (!/^server\.\d+\.(?:copy\.)?json$/.test(name)) assert.ok(!/my-(secret|admin)-token/.test(text), name);
    }
    assert.ok(files.includes('server.log'));
  });

  it('names the process that has its port, or uses a free port', async () => {
    const first = await start('--state', join(folder(), 'a'));
    const port = new URL(first.info.url).port;
    assert.match(
      fails('serve', '--state', join(folder(), 'b'), '--port', port),
      new RegExp(`Port ${port} .*process ${first.info.pid}`),
    );
    const state = join(folder(), 'c');
    const second = await start('--state', state);
    const kept = Number(new URL(second.info.url).port);
    await stop(second);
    const other = createServer((_, response) => response.end('another program')).listen(kept, '127.0.0.1');
    await once(other, 'listening');
    try {
      assert.match(fails('serve', '--state', join(folder(), 'd'), '--port', String(kept)), /taken by another program/);
      const third = await start('--state', state);
      assert.notEqual(Number(new URL(third.info.url).port), kept);
      assert.match(third.stderr(), new RegExp(`Port ${kept} of the last start is taken`));
    } finally {
      other.close();
    }
  });

  it('serves the data file of its documentation', async () => {
    const docs = readFileSync(join(import.meta.dirname, '../../docs/local-server.md'), 'utf8');
    const file = join(folder(), 'facts.ndjson');
    writeFileSync(file, /```jsonl\n([^]*?)```/.exec(docs)![1]!);
    const { info } = await start('--state', join(folder(), 'state'), '--data', file, '--now', NOW);
    const client = new Client(info);
    const first = async (answer: ReturnType<Client['get']>, field: string): Promise<unknown> => {
      const { status, body } = await answer;
      assert.equal(status, 200, JSON.stringify(body));
      return (body[field] as unknown[])[0];
    };
    const user = (await first(client.get(PATHS.userActivity), 'users')) as { metrics: { chat_messages: number } };
    assert.equal(user.metrics.chat_messages, 3);
    assert.deepEqual(await first(client.get(PATHS.credits), 'records'), {
      service_account_name: 'nightly-build',
      credits_consumed: 120,
    });
    const point = (await first(client.post(PATHS.cost, {}), 'data_points')) as { cost_metrics: object };
    assert.deepEqual(Object.entries(point.cost_metrics).slice(0, 4), [
      ['billed_amount_usd', '0.75'],
      ['estimated_customer_cost_usd', '0.75'],
      ['base_cost_usd', '0.6'],
      ['surcharge_usd', '0.15'],
    ]);
    assert.equal(await limitOfAda(client), '5000');
  });

  it('applies the given scenario and faults at the start and after each reset', async () => {
    const rule = '{"path":"/analytics/v0/dau","every":2,"status":418}';
    const args = ['--state', join(folder(), 'state'), '--users', '5', '--now', NOW, '--no-rate-limit'];
    const server = await start(
      ...args,
      '--scenario',
      'stale-credits',
      '--fault',
      rule,
      '--fault',
      '{"reset":true,"times":1}',
    );
    const client = new Client(server.info);
    const statuses = async (): Promise<unknown[]> => {
      // The second rule counts requests that the first does not hit.
      await assert.rejects(client.get(PATHS.dau));
      return [(await client.get(PATHS.dau)).status, (await client.get(PATHS.dau)).status];
    };
    for (let round = 0; round < 2; round++) {
      assert.equal((await client.admin('GET', 'scenario')).body.active, 'stale-credits');
      assert.deepEqual(await statuses(), [418, 200]);
      const { body } = await client.admin('GET', 'faults');
      const counts = (body.faults as { matches: number; hits: number }[]).map(({ matches, hits }) => [matches, hits]);
      assert.deepEqual(counts, [
        [3, 1],
        [2, 1],
      ]);
      const { metadata } = (await client.get(PATHS.credits)).body as { metadata: { generated_at: string } };
      assert.equal(metadata.generated_at, '2026-11-20T06:00:00Z');
      assert.equal((await client.admin('POST', 'reset')).status, 200);
    }
  });

  it('runs the examples of the help of serve and export', async function () {
    if (process.platform === 'win32') this.skip();
    const examples = (command: string): string[] => {
      const { stdout } = spawnSync(process.execPath, [COMMAND, command, '--help'], { encoding: 'utf8' });
      return [...stdout.matchAll(new RegExp(`^  sextant ${command}(.*)$`, 'gm'))].map(([, rest]) => rest!);
    };
    const data = dataFile();
    /** Splits a command line as a shell does. */
    const words = (rest: string): string[] =>
      execFileSync('sh', ['-c', `printf '%s\\n' ${rest}`], { encoding: 'utf8' })
        .split('\n')
        .filter((word) => word !== '')
        .map((word) => (word === 'facts.ndjson' ? data : word));
    const serving = examples('serve');
    assert.ok(serving.length >= 4);
    for (const rest of serving) {
      const server = await start(...words(rest), '--state', join(folder(), 'state'), '--port', '0');
      assert.equal((await fetch(`${server.info.url}/healthz`)).status, 200, rest);
      assert.equal(await stop(server), 0);
    }
    const exporting = examples('export');
    assert.ok(exporting.length >= 3);
    for (const rest of exporting) {
      const cwd = folder();
      // No file is replaced without --force.
      if (!rest.includes('--output')) copyFileSync(data, join(cwd, 'facts.ndjson'));
      // The 500 people of the example would take long.
      const short = rest.replace(/ \|.*/, '').replace('--users 500', '--users 2');
      const isOfService = rest.includes('--facts');
      const state = join(cwd, 'state');
      const server = isOfService && (await start('--state', state, '--port', '0', '--users', '2', '--no-rate-limit'));
      // The days of the example become more each day.
      const days = `--since ${formatDay(dayOf(Date.now()) - 2)} --state '${state}'`;
      const options = isOfService ? short.replace(/--since \S+/, days) : short;
      const { status, stderr } = spawnSync(
        'sh',
        ['-c', `"$0" "$1" export ${options} > out`, process.execPath, COMMAND],
        {
          ...{ encoding: 'utf8', env: { ...process.env, XDG_DATA_HOME: cwd }, cwd },
        },
      );
      assert.equal(status, 0, `${rest}: ${stderr}`);
      if (server) assert.equal(await stop(server), 0);
    }
  });

  it('refuses unknown scenarios, faults and plans, and lists the known ones', () => {
    const state = (): string[] => ['--state', join(folder(), 's')];
    assert.match(fails('serve', ...state(), '--scenario', 'doomsday'), /scenario must be one of: rate-limited, flaky/);
    assert.match(
      fails('serve', ...state(), '--fault', '{"every":2}'),
      /--fault \{"every":2\}: a rule must have one of status/,
    );
    assert.match(fails('serve', ...state(), '--fault', '{"status":'), /--fault \{"status":: this is no JSON; quote it/);
    assert.match(fails('serve', ...state(), '--users', '0'), /users/);
    assert.match(fails('serve', ...state(), '--plan', 'gold'), /plan|credits, usd/);
    const file = join(folder(), 'facts.ndjson');
    writeFileSync(file, '{"kind":"user","user_email":"a"}\n');
    assert.match(
      fails('serve', ...state(), '--data', file, '--scenario', 'new-user-flood'),
      /only a simulated organization/,
    );
  });

  it('refuses options of the simulated organization beside a data file, as export does', () => {
    for (const command of ['serve', 'export'])
      for (const option of ['--seed', '--users', '--plan']) {
        const args = [COMMAND, command, '--data', 'facts.ndjson', option, '1', '--state', folder()];
        const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
        assert.equal(status, 2);
        assert.ok(stderr.includes(`'--data <file>' cannot be used with option '${option} `), stderr);
      }
  });

  it('refuses a data file with an invalid line, and names the line', () => {
    const file = join(folder(), 'bad.ndjson');
    writeFileSync(file, '{"kind":"user","user_email":"a"}\n\n{"kind":"user"}\n');
    assert.match(
      fails('serve', '--state', join(folder(), 's'), '--data', file),
      /bad\.ndjson, line 3: user_email must be/,
    );
    assert.match(
      fails('serve', '--state', join(folder(), 's'), '--data', join(folder(), 'none')),
      /none cannot be read/,
    );
    assert.match(fails('serve', '--now', 'noon'), /ISO 8601/);
    assert.match(fails('serve', '--port', '99999'), /0.*to 65535/s);
  });

  it('finishes requests in flight on SIGTERM, and accepts no new ones', async () => {
    const server = await start('--state', join(folder(), 'state'), '--data', dataFile(), '--now', NOW);
    const { hostname, port } = new URL(server.info.url);
    const socket = connect(Number(port), hostname);
    const body = JSON.stringify(setLimit('7'));
    socket.write(
      `POST ${PATHS.setOverrides} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${server.info.token}\r\n` +
        `Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
    );
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    assert.match(chunk.toString(), /^HTTP\/1\.1 100 Continue/);
    server.child.kill('SIGTERM');
    while (
      await fetch(`${server.info.url}/healthz`).then(
        ({ status }) => status === 200,
        () => false,
      )
    );
    socket.write(body);
    let answer = '';
    for await (const part of socket) answer += String(part);
    assert.match(answer, /^HTTP\/1\.1 200 OK[^]*\{"failures":\[\]\}$/);
    assert.equal(await server.ended, 0);
  });

  it('stops on Ctrl-C while it reads its data', async function () {
    if (process.platform === 'win32') this.skip();
    const file = join(folder(), 'facts.fifo');
    execFileSync('mkfifo', [file]);
    const args = [COMMAND, 'serve', '--state', join(folder(), 'state'), '--data', file];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const ended = once(child, 'close');
    const facts = createWriteStream(file);
    // Wait until the server reads.
    await once(facts, 'open');
    child.kill('SIGINT');
    // The server has more to read until it gets the signal; later writes fail.
    facts.on('error', () => undefined);
    const writing = setInterval(() => facts.write('\n'), 5);
    try {
      assert.deepEqual(await ended, [130, null], said);
    } finally {
      clearInterval(writing);
      facts.destroy();
    }
    assert.match(said, /^sextant: Interrupted/);
  });

  it("limits V8's young generation, and leaves the old generation as it is", async () => {
    const [probe, found] = [join(folder(), 'probe.cjs'), join(folder(), 'limits.json')];
    writeFileSync(
      probe,
      `const { isMainThread, resourceLimits } = require('node:worker_threads');
      const limits = JSON.stringify(resourceLimits);
      if (!isMainThread) require('node:fs').writeFileSync(${JSON.stringify(found)}, limits);`,
    );
    const server = await serve(['--state', join(folder(), 'state')], { NODE_OPTIONS: `--require=${probe}` });
    running.push(server);
    const limits = JSON.parse(readFileSync(found, 'utf8')) as Record<string, number>;
    assert.ok(limits.maxYoungGenerationSizeMb! <= 32, JSON.stringify(limits));
    assert.ok(limits.maxOldGenerationSizeMb! > 500, JSON.stringify(limits));
  });

  it('exports the same data running or stopped, and serves the export again', async () => {
    const [state, data] = [join(folder(), 'state'), dataFile()];
    const server = await start('--state', state, '--data', data, '--now', NOW);
    const client = new Client(server.info);
    await client.post(PATHS.setOverrides, setLimit('77'));
    await client.admin(
      'POST',
      'import',
      '{"kind":"credits","date":"2026-11-20","user_email":"ada@example.com","model_name":"m","credits_consumed":5}',
    );
    const exported = (...args: string[]): string => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, 'export', ...args], {
        encoding: 'utf8',
        maxBuffer: 1e8,
      });
      assert.equal(status, 0, stderr);
      return stdout;
    };
    const whileRunning = exported('--state', state);
    await stop(server);
    assert.equal(exported('--state', state, '--data', data), whileRunning);
    assert.ok(whileRunning.split('\n').length > 1000);
    const file = join(folder(), 'exported.ndjson');
    assert.equal(exported('--state', state, '--data', data, '--output', file), '');
    assert.equal(readFileSync(file, 'utf8'), whileRunning);
    assert.equal(
      exported('--state', join(folder(), 'fresh'), '--data', file),
      whileRunning,
      'a round trip changes nothing',
    );
  });
});
