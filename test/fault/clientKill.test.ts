import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DirectContext } from '../../src/context/directContext.ts';
import { SextantServer } from '../../src/server/server.ts';
import { PATHS } from '../../src/wire/contract.ts';
import { killed, spawnUntil } from '../support/processes.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';

const FILES = 2500;

/** The work of the killed program and of its successor. With a step, the program hangs there until it is killed. */
const PROGRAM = `
  import { existsSync } from 'node:fs';
  import { DirectContext } from './src/context/directContext.ts';
  const [apiUrl, apiKey, file, stage, count] = process.argv.slice(1);
  const options = { apiUrl, apiKey };
  const context = existsSync(file) ? await DirectContext.importFromFile(file, options) : await DirectContext.create(options);
  const word = (i) => String(i).replaceAll(/\\d/g, (digit) => 'bcdfghjklm'[digit]) + 'z';
  const files = Array.from({ length: ${FILES} }, (_, i) => ({ path: 'f' + i, contents: 'needle ' + word(i) + '\\n' }));
  const onProgress = (progress) => {
    if (progress.stage !== stage || progress.uploaded < Number(count)) return;
    console.log('hangs');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };
  console.log('begins');
  const { newlyUploaded } = await context.addToIndex(files, { onProgress });
  await context.removeFromIndex(['f0']);
  await context.exportToFile(file);
  await context.close();
  console.log('uploaded ' + newlyUploaded.length + '.');`;

const word = (i: number): string => `${String(i).replaceAll(/\d/g, (digit) => 'bcdfghjklm'[Number(digit)]!)}z`;
const pathsIn = (text: string): string[] => [...text.matchAll(/^Path: (.*)$/gm)].map(([, path]) => path!);

describe('A program with the library, killed with SIGKILL between its steps', () => {
  const folder = temporaryFolder();
  let server: SextantServer;
  beforeEach(async () => (server = await SextantServer.start({ port: 0, state: folder() })));
  afterEach(() => server.close());

  for (const [when, stage, count, kept] of [
    ['before the first upload', '', 0, 0],
    ['between two uploads', 'uploading', 1000, 1000],
    ['before its checkpoint', 'uploading', FILES, FILES],
    ['after its checkpoint', 'indexing', 0, FILES],
  ] as const) {
    it(`leaves the context unchanged ${when}, and the same calls complete it`, async () => {
      const file = join(folder(), 'state.json');
      const options = { apiUrl: server.url, apiKey: server.token };
      {
        await using before = await DirectContext.create(options);
        await before.addToIndex([{ path: 'first', contents: 'needle of before\n' }]);
        await before.exportToFile(file);
      }
      const args = [options.apiUrl, options.apiKey, file];
      if (stage === '') {
        server.requestLog.clear();
        server.faults.add({ path: PATHS.batchUpload, latency: { ms: 60_000 } });
        const { child } = await spawnUntil('begins', PROGRAM, args);
        await until('all names are asked for', () => server.requestLog.latest(10).length === FILES / 1000 + 0.5);
        await killed(child);
        server.faults.clear();
      } else await killed((await spawnUntil('hangs', PROGRAM, [...args, stage, String(count)])).child);
      {
        await using context = await DirectContext.importFromFile(file, options);
        assert.deepEqual(context.getIndexedPaths(), ['first']);
        assert.deepEqual(pathsIn(await context.search('needle')), ['first']);
      }
      const { said } = await spawnUntil('.', PROGRAM, args);
      assert.match(said, new RegExp(`uploaded ${FILES - kept}\\.`));
      await using context = await DirectContext.importFromFile(file, options);
      assert.equal(context.getIndexedPaths().length, FILES);
      assert.deepEqual(pathsIn(await context.search(word(0))), []);
      for (const i of [1, 1001, FILES - 1]) assert.deepEqual(pathsIn(await context.search(word(i))), [`f${i}`]);
    });
  }
});
