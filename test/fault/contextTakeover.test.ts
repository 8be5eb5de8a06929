import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { spawn } from 'node:child_process';
import { ContentStore } from '../../src/context/store/contentStore.ts';
import { SextantServer } from '../../src/server/server.ts';
import { PATHS } from '../../src/wire/contract.ts';
import { temporaryFolder } from '../support/temporary.ts';

/** An owner that runs the command of each input line, and reports the result. */
const OWNER = `
  import { createInterface } from 'node:readline';
  import { ContentStore } from './src/context/store/contentStore.ts';
  const store = await ContentStore.open(process.argv.at(-1), { keepMs: -1000 });
  const upload = (path) => store.upload([{ path, content: 'needle of ' + path }]);
  const added = await upload('first.txt');
  const scope = { checkpointId: undefined, added, deleted: [] };
  await store.checkpoint(scope);
  const work = {
    upload: () => upload('late.txt'),
    checkpoint: () => store.checkpoint({ ...scope, added: [] }),
    collect: () => store.collect(),
    search: () => store.retrieve('needle', scope),
    find: () => store.findMissing(added),
  };
  console.log('ready');
  for await (const line of createInterface(process.stdin))
    try {
      await work[line]();
      console.log('done');
    } catch (error) {
      console.log(error.code);
    }
`;

/** Makes an owner's heartbeat look old. */
function silence(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (/writer\.\d+\.lock$/.test(name)) utimesSync(join(folder, name), 0, 0);
}

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /^(packs|checkpoints)/.test(name))
    .sort();

describe('a store of contexts whose owner slept through a takeover', () => {
  const folder = temporaryFolder();

  it('is not changed by the earlier owner, which refuses all requests', async function () {
    this.timeout(600_000);
    const place = folder();
    const owner = spawn(process.execPath, ['--input-type=module-typescript', '-e', OWNER, '--', place], {
      cwd: new URL('../..', import.meta.url),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = createInterface(owner.stdout)[Symbol.asyncIterator]();
    try {
      assert.equal((await lines.next()).value, 'ready');
      owner.kill('SIGSTOP');
      silence(place);
      const heir = await ContentStore.open(place);
      const content = 'needle of first.txt';
      const [first] = await heir.upload([{ path: 'first.txt', content }]);
      const [second] = await heir.upload([{ path: 'second.txt', content: 'needle of second.txt' }]);
      const scope = { checkpointId: undefined, added: [first!, second!], deleted: [] };
      const id = await heir.checkpoint(scope);
      const before = filesOf(place);
      assert.ok(before.length >= 5);

      owner.kill('SIGCONT');
      // To the earlier owner both files look old and unreachable: without a fence, it would remove them.
      for (const work of ['collect', 'upload', 'checkpoint', 'search', 'find', 'collect']) {
        owner.stdin.write(`${work}\n`);
        assert.equal((await lines.next()).value, 'LeaseLost', work);
      }
      assert.deepEqual(filesOf(place), before);
      owner.kill('SIGKILL');
      await once(owner, 'exit');
      await heir.close();

      const next = await ContentStore.open(place);
      assert.deepEqual(next.findMissing([first!, second!]), { unknown: [], nonindexed: [] });
      const text = await next.retrieve('needle', { checkpointId: id, added: [], deleted: [] });
      assert.match(text, /Path: first\.txt/);
      assert.match(text, /Path: second\.txt/);
      await next.close();
    } finally {
      owner.kill('SIGKILL');
    }
  });

  it('answers 503 with the reason, for reads as well', async () => {
    const state = folder();
    const server = await SextantServer.start({ port: 0, state });
    const ask = async (
      path: string,
      body: object,
    ): Promise<[number, { error?: { code: string; message: string } }]> => {
      const response = await fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return [response.status, (await response.json()) as { error?: { code: string; message: string } }];
    };
    try {
      const blobs = [{ path: 'a', content: 'needle' }];
      assert.equal((await ask(PATHS.batchUpload, { blobs }))[0], 200);
      const place = join(state, 'context');
      silence(place);
      const heir = await ContentStore.open(place);
      const scope = { added_blobs: [], deleted_blobs: [] };
      for (const [path, body] of [
        [PATHS.findMissing, { mem_object_names: [] }],
        [PATHS.batchUpload, { blobs }],
        [PATHS.checkpointBlobs, { blobs: scope }],
        [PATHS.codebaseRetrieval, { information_request: 'x', blobs: scope }],
      ] as const) {
        const [status, { error }] = await ask(path, body);
        assert.deepEqual([status, error?.code], [503, 'ServiceUnavailable']);
        assert.match(error!.message, /took over .*context/);
      }
      await heir.close();
    } finally {
      await server.close();
    }
  });
});
