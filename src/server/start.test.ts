import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cpSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Client, PATHS, type Answer } from '../../test/conformance/client.ts';
import { refused } from '../../test/conformance/suite.ts';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { SextantError } from '../base/errors.ts';
import { silentLogger } from '../base/log.ts';
import { hashToken } from './auth/tokens.ts';
import { findReachable } from './runningServer.ts';
import { SextantServer, type ServerOptions } from './server.ts';
import { startServer } from './testing.ts';
import { StateFolder } from './state/stateFolder.ts';

describe('the start of a server', () => {
  const folder = temporaryFolder();
  const running: SextantServer[] = [];
  afterEach(async () => {
    for (const server of running.splice(0)) await server.close();
  });

  async function start(options: ServerOptions = {}): Promise<Client> {
    const server = await SextantServer.start({ rateLimit: false, ...options });
    running.push(server);
    return new Client(server);
  }

  const create = (client: Client, name: string): Promise<Answer> =>
    client.admin('POST', 'tokens', { scopes: ['analytics:read'], name });

  it('refuses a clock outside the years that dates can express', async () => {
    for (const now of [Date.UTC(1969, 11, 31), -1e15, 1e300, Number.NaN])
      await assert.rejects(start({ now }), {
        code: 'InvalidArgument',
        message: 'now must be in the years 1970 to 9998',
      });
    assert.equal((await (await start({ now: 0, rateLimit: true })).get(PATHS.dau)).status, 200);
    await assert.rejects(startServer({ now: '0001-06-01T00:00:00Z' }), { code: 'InvalidArgument' });
    await using server = await startServer({ now: '2026-11-21T09:00:00Z' });
    const { clock } = server;
    for (const wrong of [1e300, Number.NaN, -1e14])
      assert.throws(() => clock.advance(wrong), { message: 'the clock must be in the years 1970 to 9998' });
    assert.throws(() => clock.set('0001-06-01T00:00:00Z'), { code: 'InvalidArgument' });
    assert.match(clock.now(), /^2026-11-21T09:00:/);
  });

  it('refuses tokens that no request can have, or that are the same, hosts without a name, and ports that are none', async () => {
    for (const wrong of ['', 'a b', 'a\n', '\u00fc']) {
      await assert.rejects(start({ token: wrong }), { code: 'InvalidOption', message: /^The token must be/ });
      await assert.rejects(startServer({ adminToken: wrong }), { message: /^The admin token must be .* leave it out/ });
    }
    await assert.rejects(start({ token: 'same', adminToken: 'same' }), {
      code: 'InvalidOption',
      message: /are the same/,
    });
    for (const name of ['', 'a b', 'https://tunnel.example'])
      await assert.rejects(start({ allowHosts: [name] }), { code: 'InvalidOption', message: /no name of a host/ });
    for (const port of [-1, 65_536, 1.5, '3000', 'pipe'] as number[])
      await assert.rejects(startServer({ port }), { code: 'InvalidOption', message: /is no port/ });
    const state = join(folder(), 'state');
    await start({ state, token: 'one', adminToken: 'two' });
    await running.pop()!.close();
    await assert.rejects(start({ state, token: 'two' }), { message: /are the same/ });
    const { target } = await start({ state });
    assert.deepEqual([target.token, target.adminToken], ['one', 'two']);
  });

  it('makes new tokens where those of an older version cannot be', async () => {
    const state = join(folder(), 'state');
    const publish = async (token: string, adminToken: string): Promise<void> => {
      const old = await StateFolder.open(state, silentLogger);
      old.publish('http://127.0.0.1:1', { port: 0, token, adminToken });
      await old.close();
    };
    await publish('', '');
    const first = await start({ state });
    assert.match(first.target.token, /^sxt_/);
    await running.pop()!.close();
    await publish('same', 'same');
    const { target } = await start({ state });
    assert.equal(target.token, 'same');
    assert.match(target.adminToken!, /^sxa_/);
  });

  it('says where there is no data file', async () => {
    await assert.rejects(startServer({ data: join(folder(), 'none') }), { code: 'NoDataFile' });
  });

  it('refuses a state folder that cannot be', async function () {
    const file = join(folder(), 'file');
    writeFileSync(file, '');
    for (const state of [file, join(file, 'sub')])
      await assert.rejects(start({ state }), {
        code: 'NotAFolder',
        message: `${state} is a file, or in one. Choose another folder.`,
      });
    if (process.platform !== 'linux') this.skip();
    await assert.rejects(start({ state: '/proc/x' }), { code: 'ReadOnly', message: /^\/proc\/x cannot be made/ });
  });

  it('is not mistaken for a program at its old address that relays its proof', async () => {
    const state = join(folder(), 'state');
    await start({ state });
    const first = running.pop()!;
    await first.close();
    assert.equal(await findReachable(state), undefined);
    const elsewhere = join(folder(), 'copy');
    cpSync(state, elsewhere, { recursive: true });
    const relay = createServer((request, response) => {
      void fetch(`${second.url}${request.url}`).then(async (answer) => response.end(await answer.text()));
    });
    relay.listen(Number(new URL(first.url).port), '127.0.0.1');
    await once(relay, 'listening');
    // The port of its folder is taken, so that it is at another.
    await start({ state: elsewhere, port: 0 });
    const second = running.at(-1)!;
    try {
      assert.notEqual(second.url, first.url);
      assert.equal(await findReachable(state), undefined);
    } finally {
      relay.close();
      relay.closeAllConnections();
    }
  });

  it('is found without a lease at its address by what only its folder holds', async () => {
    const state = join(folder(), 'state');
    await start({ state });
    const copy = join(folder(), 'copy');
    cpSync(state, copy, { recursive: true, filter: (name) => !name.endsWith('.lock') });
    const [{ url, token }] = [running[0]!];
    const found = await findReachable(copy);
    assert.deepEqual([found?.url, found?.token], [url, token]);
  });

  describe('has a token of its own', () => {
    it('that cannot be revoked or replaced, and whose name is taken', async () => {
      const client = await start();
      refused(await client.admin('DELETE', 'tokens/default'), 400, 'InvalidArgument', /start/);
      refused(await create(client, 'default'), 400, 'InvalidArgument', /another name/);
      assert.equal((await client.get(PATHS.dau)).status, 200);
    });

    it('also where an older version let it be revoked and created again', async () => {
      const state = join(folder(), 'state');
      const folderOfState = await StateFolder.open(state, silentLogger);
      await folderOfState.append({ type: 'revoke', name: 'default' });
      await folderOfState.append({ type: 'token', name: 'default', hash: hashToken('theirs'), scopes: [] });
      await folderOfState.close();
      const client = await start({ state, token: 'fresh' });
      assert.equal((await client.get(PATHS.dau)).status, 200);
      refused(await client.get(PATHS.dau, {}, 'theirs'), 401, 'Unauthenticated');
    });

    it('and others that stay as they were where the disk takes nothing', async () => {
      const state = join(folder(), 'state');
      const client = await start({ state });
      const { body } = await create(client, 'kept');
      const append = Object.getOwnPropertyDescriptor(StateFolder.prototype, 'append')!;
      StateFolder.prototype.append = () => Promise.reject(new SextantError('DiskFull', 'no space'));
      try {
        assert.equal((await create(client, 'new')).status, 507);
        assert.equal((await client.admin('DELETE', 'tokens/kept')).status, 507);
      } finally {
        Object.defineProperty(StateFolder.prototype, 'append', append);
      }
      assert.equal((await client.get(PATHS.dau, {}, body.token as string)).status, 200, 'as after a restart');
      assert.equal((await create(client, 'new')).status, 200);
    });

    it('and others of which none comes back that a reset took', async () => {
      const state = join(folder(), 'state');
      const client = await start({ state });
      const tokens: Promise<Answer>[] = [];
      const resets: Promise<Answer>[] = [];
      for (let i = 0; i < 10; i++) {
        for (let j = 0; j < 10; j++) tokens.push(create(client, `t-${i}-${j}`));
        resets.push(client.admin('POST', 'reset'));
      }
      await Promise.all(resets);
      const given = (await Promise.all(tokens)).map(({ body }) => body.token as string);
      const allowed = async (to: Client): Promise<number[]> => {
        const all: number[] = [];
        for (const token of given) all.push((await to.get(PATHS.dau, {}, token)).status);
        return all;
      };
      const before = await allowed(client);
      await running.pop()!.close();
      assert.deepEqual(await allowed(await start({ state })), before);
    });
  });

  it('refuses wrong arguments of a program without types', async () => {
    for (const options of [null, 5, { data: 5 }, { data: {} }, { token: 5 }, { adminToken: 5 }])
      await assert.rejects(startServer(options as never), { code: 'InvalidArgument' }, JSON.stringify(options));
    await using server = await startServer();
    for (const records of [undefined, null, {}, 'x'])
      await assert.rejects(server.import(records as never), { code: 'InvalidArgument' }, JSON.stringify(records));
  });
});
