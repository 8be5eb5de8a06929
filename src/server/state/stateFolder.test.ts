import assert from 'node:assert/strict';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Client, PATHS } from '../../../test/conformance/client.ts';
import { killed, spawnUntil } from '../../../test/support/processes.ts';
import { temporaryFolder, writeFiles } from '../../../test/support/temporary.ts';
import { writeCheckedJson } from '../../base/checkedJson.ts';
import { FencedJson } from '../../base/fencedJson.ts';
import { forwardingLogger, silentLogger, type Logger } from '../../base/log.ts';
import { exportState, startOrAttach } from '../launch.ts';
import { emptyDataSet } from '../analytics/data/dataBuilder.ts';
import { SextantServer, type ServerOptions } from '../server.ts';
import { findServer } from './published.ts';
import { StateFolder } from './stateFolder.ts';

const NDJSON = (email: string): string =>
  `${JSON.stringify({ kind: 'user', user_email: email })}\n` +
  `${JSON.stringify({ kind: 'activity', date: '2026-11-20', user_email: email, metrics: { total_messages: 12 } })}\n`;

describe('a state folder', () => {
  const folder = temporaryFolder();
  const running: SextantServer[] = [];
  let said: string[];
  beforeEach(() => (said = []));
  afterEach(async () => {
    for (const server of running.splice(0)) await server.close();
  });

  const logger = (): Logger =>
    forwardingLogger((level, message) => {
      if (level !== 'debug') said.push(message);
    });

  async function start(state: string, options: ServerOptions = {}): Promise<Client> {
    const server = await SextantServer.start(
      { state, rateLimit: false, now: Date.UTC(2026, 10, 21, 9), ...options },
      { logger: logger() },
    );
    running.push(server);
    return new Client(server);
  }

  const stopAll = async (): Promise<void> => {
    for (const server of running.splice(0)) await server.close();
    said = [];
  };

  /** Paths, modes and bytes of all that is in a folder. */
  function contentOf(root: string): unknown {
    return readdirSync(root, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((name) => {
        const { mode, mtimeMs } = statSync(join(root, name));
        return [name, mode, mtimeMs, statSync(join(root, name)).isFile() ? readFileSync(join(root, name), 'utf8') : ''];
      })
      .concat([['.', statSync(root).mode, '']]);
  }

  describe('that is not ours', () => {
    const foreign: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      'with names that the server uses': { 'imports/customers.csv': 'a,b\n', 'changes.log': 'x\n' },
      'with a file whose name is that of an import': { 'imports/1.ndjson': '{}\n' },
      'with a server.json of another program': { 'server.json': '{"port":80}\n' },
      'with a log of another program': { 'server.log': 'GET / 200\n' },
      'with hidden files': { '.git/HEAD': 'ref: refs/heads/main\n' },
      'with a lock of another program': { 'writer.1.lock': 'mine\n' },
    };
    for (const [what, files] of Object.entries(foreign))
      it(`${what} is refused and unchanged`, async () => {
        const place = folder();
        writeFiles(place, files);
        chmodSync(place, 0o755);
        const before = contentOf(place);
        const refusal = {
          code: 'FolderNotOurs',
          message:
            /is not empty .* is not a Sextant folder\. Name an empty or a new folder\. Nothing in it was changed\.$/,
        };
        await assert.rejects(start(place), refusal);
        await assert.rejects(startOrAttach({ state: place }), refusal);
        await assert.rejects(async () => {
          for await (const _ of exportState(place, emptyDataSet(), silentLogger)) assert.fail('nothing is exported');
        }, refusal);
        assert.deepEqual(contentOf(place), before);
      });

    it('of another use of Sextant is refused', async () => {
      const place = folder();
      writeCheckedJson(join(place, 'sextant-folder.json'), { kind: 'index', note: '' });
      const before = contentOf(place);
      await assert.rejects(startOrAttach({ state: place }), {
        code: 'FolderNotOurs',
        message: /already holds Sextant's index files/,
      });
      assert.deepEqual(contentOf(place), before);
    });
  });

  it('of an earlier version is used, with its tokens and imports', async () => {
    const place = folder();
    const address = { port: 0, token: 'reader', adminToken: 'admin' };
    const cursorKey = '00'.repeat(32);
    const older = { version: 1, url: 'http://127.0.0.1:1', pid: 1, cursorKey, ...address };
    writeCheckedJson(join(place, 'server.json'), older, 0o600);
    const scratch = join(folder(), 'new');
    const client = await start(scratch);
    await client.admin('POST', 'import', NDJSON('ada@example.com'));
    await stopAll();
    // Earlier versions wrote no numbers and no checksum of the file.
    mkdirSync(join(place, 'imports'));
    cpSync(join(scratch, 'imports', '1-1.ndjson'), join(place, 'imports', '1.ndjson'));
    const log = await StateFolder.open(scratch, silentLogger);
    await log.replace([{ type: 'import', file: '1.ndjson' }]);
    await log.close();
    const name = readdirSync(scratch).find((one) => /^changes\.\d+\.log$/.test(one))!;
    cpSync(join(scratch, name), join(place, 'changes.log'));
    const { target } = await start(place);
    assert.deepEqual([target.token, target.adminToken], ['reader', 'admin']);
    const answer = await new Client(target).get(PATHS.dau, { date: '2026-11-20' });
    assert.match(JSON.stringify(answer.body), /ada@example\.com/);
    assert.ok(!existsSync(join(place, 'server.json')));
  });

  it('of an earlier version whose first start failed is used', async () => {
    const place = folder();
    writeFiles(place, { 'writer.1.lock': 'released', 'changes.log': '', 'server.log': 'x\n' });
    mkdirSync(join(place, 'imports'));
    await start(place);
  });

  it('keeps files that the server never writes, also in imports', async () => {
    const place = join(folder(), 'state');
    await start(place);
    await stopAll();
    writeFiles(place, { 'imports/notes.csv': 'a,b\n', 'imports/7.ndjson.d/x': '', 'imports/999-1.ndjson': 'heir\n' });
    writeFiles(place, {
      'imports/1-7.ndjson': 'orphan\n',
      'imports/8.ndjson.tmp': 'orphan\n',
      'imports/9.ndjson/x': '',
    });
    await start(place);
    assert.deepEqual(readdirSync(join(place, 'imports')).sort(), [
      '7.ndjson.d',
      '9.ndjson',
      '999-1.ndjson',
      'notes.csv',
    ]);
  });

  it('writes nothing through a symbolic link', async function () {
    if (process.platform === 'win32') this.skip();
    const [place, elsewhere] = [join(folder(), 'state'), folder()];
    writeFiles(elsewhere, { log: 'theirs\n', 'imports/1-1.ndjson': 'theirs\n' });
    await start(place);
    await stopAll();
    for (const name of readdirSync(place))
      if (/^(?:changes|server)\./.test(name)) {
        renameSync(join(place, name), join(elsewhere, name));
        symlinkSync(join(elsewhere, name), join(place, name));
      }
    symlinkSync(join(elsewhere, 'log'), join(place, 'server.log'));
    symlinkSync(join(elsewhere, 'imports'), join(place, 'imports'));
    const before = contentOf(elsewhere);
    await assert.rejects(startOrAttach({ state: place }), {
      code: 'FolderNotOurs',
      message: /imports is a symbolic link,/,
    });
    rmSync(join(place, 'imports'));
    renameSync(join(place, 'webhooks'), join(place, 'kept'));
    symlinkSync(join(elsewhere, 'imports'), join(place, 'webhooks'));
    await assert.rejects(startOrAttach({ state: place }), { code: 'FolderNotOurs', message: /webhooks is a symbolic/ });
    rmSync(join(place, 'webhooks'));
    renameSync(join(place, 'kept'), join(place, 'webhooks'));
    assert.deepEqual(contentOf(elsewhere), before);
    const { server } = await startOrAttach({ state: place });
    running.push(server!);
    const client = new Client(server!);
    assert.equal((await client.admin('POST', 'tokens', { scopes: ['analytics:read'], name: 'ci' })).status, 200);
    symlinkSync(join(elsewhere, 'imports'), join(place, 'imports'));
    const answer = await client.admin('POST', 'import', NDJSON('ada@example.com'));
    assert.notEqual(answer.status, 200);
    await stopAll();
    assert.deepEqual(contentOf(elsewhere), before);
  });

  describe('that is damaged', () => {
    const flip = (file: string, at = -8): void => {
      const bytes = readFileSync(file);
      bytes[at < 0 ? bytes.length + at : at]! ^= 1;
      writeFileSync(file, bytes);
    };
    const filesOf = (place: string, pattern: RegExp): string[] =>
      readdirSync(place)
        .filter((name) => pattern.test(name))
        .map((name) => join(place, name));

    it('in one file of address and tokens keeps both, reports it once, and repairs it', async () => {
      const place = join(folder(), 'state');
      const { target } = await start(place);
      for (const pattern of [/^server\.\d+\.json$/, /^server\.\d+\.copy\.json$/]) {
        await stopAll();
        flip(filesOf(place, pattern)[0]!);
        const again = await start(place);
        const { url, token, adminToken } = again.target;
        assert.deepEqual(
          { url, token, adminToken },
          { url: target.url, token: target.token, adminToken: target.adminToken },
        );
        assert.match(said.join('\n'), /server\.\d+\.(?:copy\.)?json is damaged\. Nothing is lost: its copy is whole/);
        await stopAll();
        await start(place);
        assert.deepEqual(said, []);
      }
    });

    it('in both files of address and tokens reports what is lost', async () => {
      const place = join(folder(), 'state');
      const { target } = await start(place);
      await stopAll();
      for (const file of filesOf(place, /^server\.\d+\..*json$/)) flip(file);
      const again = await start(place);
      assert.notEqual(again.target.token, target.token);
      assert.match(said.join('\n'), /address and tokens are lost\. It uses new ones; give them to its clients\./);
    });

    it('in one file of the changes loses none: a revoked token stays revoked', async () => {
      const place = join(folder(), 'state');
      const client = await start(place);
      const { body } = await client.admin('POST', 'tokens', { scopes: ['analytics:read'], name: 'leaked' });
      const { body: kept } = await client.admin('POST', 'tokens', { scopes: ['analytics:read'], name: 'kept' });
      await client.admin('DELETE', 'tokens/leaked');
      await stopAll();
      flip(filesOf(place, /^changes\.\d+\.log$/)[0]!, -4);
      const again = await start(place);
      assert.equal((await again.get(PATHS.dau, {}, body.token as string)).status, 401);
      assert.equal((await again.get(PATHS.dau, {}, kept.token as string)).status, 200);
      assert.match(said.join('\n'), /Nothing is lost/);
    });

    it('in both files of the changes revokes all tokens of clients, for good', async () => {
      const place = join(folder(), 'state');
      const client = await start(place);
      const { body } = await client.admin('POST', 'tokens', { scopes: ['analytics:read'], name: 'leaked' });
      await client.admin('DELETE', 'tokens/leaked');
      await stopAll();
      for (const file of filesOf(place, /^changes\.\d+\..*log$/)) flip(file, -4);
      for (let i = 0; i < 2; i++) {
        const again = await start(place);
        assert.equal((await again.get(PATHS.dau, {}, body.token as string)).status, 401);
        assert.equal((await again.get(PATHS.dau)).status, 200, 'the token of the start is not a client’s');
        assert.equal(said.join('\n').includes('all tokens that clients created are revoked'), i === 0);
        await stopAll();
      }
    });

    for (const [what, damage] of [
      ['syntax', (file: string) => flip(file, 2)],
      ['a figure', (file: string) => writeFileSync(file, readFileSync(file, 'utf8').replace('12', '92'))],
      ['its length', (file: string) => writeFileSync(file, NDJSON('ada@example.com').split('\n')[0]!)],
      ['its presence', (file: string) => rmSync(file)],
    ] as const)
      it(`in an import, in ${what}, leaves that import out whole and starts`, async () => {
        const place = join(folder(), 'state');
        const client = await start(place);
        await client.admin('POST', 'import', NDJSON('ada@example.com'));
        await client.admin('POST', 'import', NDJSON('bob@example.com'));
        await stopAll();
        damage(join(place, 'imports', '1-1.ndjson'));
        for (let i = 0; i < 2; i++) {
          const again = await start(place);
          const users = JSON.stringify((await again.get(PATHS.dau, { date: '2026-11-20' })).body);
          assert.doesNotMatch(users, /ada@example\.com/);
          assert.match(users, /bob@example\.com/);
          assert.equal(
            said.filter((line) => /1-1\.ndjson.*none of its records.*Import the same file again/.test(line)).length,
            1,
          );
          if (i === 1) {
            await again.admin('POST', 'import', NDJSON('ada@example.com'));
            assert.match(JSON.stringify((await again.get(PATHS.dau, { date: '2026-11-20' })).body), /ada@example\.com/);
          }
          await stopAll();
        }
        const healed = await start(place);
        assert.match(JSON.stringify((await healed.get(PATHS.dau, { date: '2026-11-20' })).body), /ada@example\.com/);
        assert.deepEqual(said, []);
        assert.ok(!existsSync(join(place, 'imports', '1-1.ndjson')));
      });

    it('in the facts of a restored snapshot serves the data of the start', async () => {
      const place = join(folder(), 'state');
      const client = await start(place);
      await client.admin('POST', 'import', NDJSON('ada@example.com'));
      const snapshot = [...running[0]!.snapshot()].join('\n');
      await client.admin('POST', 'snapshot', snapshot);
      await stopAll();
      const [name] = readdirSync(join(place, 'imports'));
      flip(join(place, 'imports', name!));
      const again = await start(place);
      const empty = await again.get(PATHS.dau, { date: '2026-11-20' });
      assert.equal(empty.status, 200);
      assert.doesNotMatch(JSON.stringify(empty.body), /ada@example\.com/);
      assert.match(said.join('\n'), /the facts of a restored snapshot, is damaged or missing: the data of the start/);
    });
  });

  it('reports nothing as lost after first starts that were killed before they were ready', async () => {
    const place = join(folder(), 'state');
    const code = `
      import { silentLogger } from './src/base/log.ts';
      import { StateFolder } from './src/server/state/stateFolder.ts';
      await StateFolder.open(process.argv.at(-1), silentLogger);
      console.log('open');
      setInterval(() => undefined, 1000);`;
    for (let i = 0; i < 2; i++) await killed((await spawnUntil('open', code, [place])).child);
    await (await StateFolder.open(place, logger())).close();
    await start(place);
    assert.deepEqual(said, []);
  });

  it('reports files that were deleted together with their copies, and a damaged marker', async () => {
    for (const [kind, message] of [
      [/^server\./, /address and tokens of the last start are lost/],
      [/^changes\./, /changes\.<number>\.log and its copy are missing in .*: tokens that clients created/],
      [/^changes\..*log$/, /changes\.2\.log and its copy are missing: all records in them are lost/],
      [/^sextant-folder/, undefined],
    ] as const) {
      const place = join(folder(), 'state');
      await start(place);
      await stopAll();
      await start(place);
      assert.deepEqual(
        said.filter((one) => /missing|damaged/.test(one)),
        [],
      );
      await stopAll();
      for (const name of readdirSync(place)) if (kind.test(name)) rmSync(join(place, name));
      if (!message) writeFileSync(join(place, 'sextant-folder.json'), 'zeroes');
      await start(place);
      const found = said.filter((one) => /missing|damaged/.test(one));
      assert.match(
        found.join('\n'),
        message ?? /sextant-folder\.json is damaged\. Nothing is lost: it is written again/,
      );
      await stopAll();
    }
  });

  it('reports no loss after a first start that failed, or an export', async () => {
    const place = join(folder(), 'state');
    const noFacts = (): Promise<never> => Promise.reject(new Error('no facts'));
    await assert.rejects(start(place, { data: noFacts }), /no facts/);
    await start(join(folder(), 'other'));
    const port = Number(new URL(running[0]!.url).port);
    await assert.rejects(start(place, { port }), { code: 'PortTaken' });
    for await (const line of exportState(place, emptyDataSet(), logger())) assert.notEqual(line, '');
    await start(place);
    assert.deepEqual(said, []);
    await stopAll();
    await assert.rejects(start(place, { data: noFacts }), /no facts/);
    await start(place);
    assert.deepEqual(said, []);
  });

  it('reports definitions of webhooks that were deleted together with their copies', async () => {
    const place = join(folder(), 'state');
    const client = await start(place);
    const { body } = await client.admin('POST', 'webhooks', { name: 'w', type: 'standard_webhooks' });
    await client.admin('POST', 'webhooks/w/send', { body: {}, secret: body.secret });
    await stopAll();
    const remove = (stem: string): void => {
      for (const name of readdirSync(join(place, 'webhooks')))
        if (name.startsWith(`${stem}.`)) rmSync(join(place, 'webhooks', name));
    };
    remove('signing-keys');
    await start(place);
    assert.match(said.join('\n'), /signing-keys.*are missing in .*: no delivery to w is accepted or signed\. Rotate/);
    await stopAll();
    remove('definitions');
    await start(place);
    assert.match(said.join('\n'), /definitions.*are missing in .*: webhooks, triggers and experts are lost/);
  });

  it('names a server only by the file of the process that has the lease', async () => {
    const place = join(folder(), 'state');
    await start(place);
    assert.ok(findServer(place));
    const value = { ...findServer(place), owner: { pid: process.pid, host: 'x', started: '1' } };
    const fence = { number: 1, lost: new AbortController().signal, check: () => undefined };
    const { owner: _, ...mine } = findServer(place)!;
    new FencedJson(fence, place, 'server').write(value);
    assert.equal(findServer(place), undefined, 'another process that had the same id');
    // A process that lost the lease writes under a number above the lock's only if the lock is missing.
    new FencedJson({ ...fence, number: 7 }, place, 'server').write({ ...mine });
    assert.equal(findServer(place), undefined, 'of another lease');
  });

  describe('that another process took over', () => {
    it('is no longer written to or answered from: the server says 503 to everything but its health', async () => {
      const place = join(folder(), 'state');
      const lost: string[] = [];
      const server = await SextantServer.start(
        { state: place, rateLimit: false },
        { logger: logger(), onLost: ({ code }) => lost.push(code) },
      );
      running.push(server);
      const client = new Client(server);
      assert.equal((await client.get(PATHS.dau)).status, 200);
      server.faults.add({ status: 500 });
      writeFileSync(join(place, 'writer.2.lock'), 'released');
      const before = contentOf(place);
      for (const answer of [
        await client.admin('POST', 'tokens', { scopes: ['analytics:read'] }),
        await client.get(PATHS.dau),
        await client.post(PATHS.getOverrides, {}),
        await client.admin('GET', 'clock'),
        await client.admin('POST', 'clock', { frozen: true }),
        await client.get('/openapi.json'),
        await client.get('/nowhere'),
        await client.post('/webhooks/unknown', {}),
      ]) {
        assert.equal(answer.status, 503);
        const { code, message } = answer.body.error as { code: string; message: string };
        assert.equal(code, 'ServiceUnavailable');
        assert.ok(message.includes(place) && /took over .* Stop it, and/.test(message), message);
      }
      const health = await client.get('/healthz');
      assert.deepEqual([health.status, health.body.status], [200, 'lost']);
      assert.deepEqual(lost, ['LeaseLost']);
      assert.equal(said.filter((line) => /took over.*answers 503 to everything but/.test(line)).length, 1);
      await stopAll();
      assert.deepEqual(contentOf(place), before);
    });

    it('is not read by a paused process: its first answer is 503', async () => {
      const place = join(folder(), 'state');
      const client = await start(place);
      writeFileSync(join(place, 'writer.2.lock'), 'released');
      await new Promise((resolve) => setTimeout(resolve, 50));
      assert.equal((await client.get(PATHS.dau)).status, 503);
    });
  });
});
