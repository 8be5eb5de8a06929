import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
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

  it('says on one line how to reach it, and keeps address, tokens and changes over a restart', async () => {
    const state = join(folder(), 'state');
    const args = ['--state', state, '--data', dataFile(), '--now', NOW];
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
    assert.equal(next.status, 200, 'a cursor is good after a restart');
    assert.equal((await client.admin('DELETE', 'tokens/ci')).status, 200);
    assert.equal((await client.admin('POST', 'reset')).status, 200);
    const limit = await limitOfAda(client);
    assert.notEqual(limit, '123');
    assert.equal(await stop(second, 'SIGINT'), 0);
    await start(...args);
    assert.equal(await limitOfAda(client), limit, 'what was reset stays so');
    assert.equal((await client.get(PATHS.dau, {}, body.token as string)).status, 401);
  });

  it('is one for each state folder: a second one attaches to it', async () => {
    const state = join(folder(), 'state');
    const first = await start('--state', state);
    const second = await start('--state', state, '--now', NOW);
    assert.deepEqual(second.info, first.info);
    assert.equal(await second.ended, 0);
    assert.match(second.stderr(), /runs on .* already \(process \d+\)/);
    assert.equal((await fetch(`${first.info.url}/healthz`)).status, 200);
  });

  it('is taken over from a process that was killed, also when many want it', async () => {
    const state = join(folder(), 'state');
    const first = await start('--state', state);
    await stop(first, 'SIGKILL');
    const others = await Promise.all([start('--state', state), start('--state', state), start('--state', state)]);
    assert.equal(new Set(others.map(({ info }) => info.pid)).size, 1);
    assert.equal(others[0].info.url, first.info.url);
  });

  it('lets nobody else read its files, and writes no token into its log', async () => {
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
      if (name !== 'server.json') assert.ok(!/my-(secret|admin)-token/.test(text), name);
    }
    assert.ok(files.includes('server.log'));
  });

  it('names who has its port, or takes the next free one', async () => {
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
    const other = createServer((_, response) => response.end('somebody else')).listen(kept, '127.0.0.1');
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

  it('refuses a data file with a bad line, and says which', () => {
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

  it('finishes what is in flight when it is told to stop, and takes nothing new', async () => {
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

  it('exports the same whether it runs or not, and takes it again', async () => {
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
