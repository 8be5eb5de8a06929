import assert from 'node:assert/strict';
import { execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { chooseSeed, seeded } from '../fault/truth.ts';
import { killed, spawnUntil } from '../support/processes.ts';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { isSoak } from '../support/runs.ts';
import { documentsOf, find, freshDocuments, openIndex } from './support.ts';

describe('Processes that index one folder', () => {
  const folder = temporaryFolder();
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  const INDEXING = `
    import { openIndex } from './test/workspace/support.ts';
    const [root, state] = process.argv.slice(1);
    const index = openIndex(root, state, {}, { now: Date.now });
    console.log('begins');
    await index.reconcile();
    setInterval(() => undefined, 1000);`;

  it('may be killed at any moment, and the next one has a correct index', async function () {
    this.timeout(isSoak ? 900_000 : 600_000);
    const seed = chooseSeed();
    const kills = isSoak ? 60 : 6;
    console.log(`      ${kills} kills from seed ${seed}`);
    const random = seeded(seed);
    const root = folder();
    const state = folder();
    for (let kill = 0; kill < kills; kill++) {
      for (let i = 0; i < 1500; i++) {
        if (kill > 0 && random() > 0.3) continue;
        const text = `export const lantern${Math.floor(random() * 1e9)} = 1;\n`.repeat(1 + Math.floor(random() * 40));
        writeFiles(root, { [`dir${i % 20}/f${i}.ts`]: text });
      }
      if (random() < 0.5) rmSync(join(root, `dir${Math.floor(random() * 20)}`), { recursive: true, force: true });
      const { child } = await spawnUntil('begins', INDEXING, [root, state]);
      children.push(child);
      await setTimeout(random() * 1000);
      await killed(child);
    }
    const index = openIndex(root, state);
    await index.reconcile();
    await index.close();
    assert.deepEqual(documentsOf(state), await freshDocuments(root, folder()));
  });

  it('may be two windows and the command: one writes, all search, and another takes over', async function () {
    this.timeout(600_000);
    const root = folder();
    const stateFolder = folder();
    writeFiles(root, { 'a.ts': 'export const lantern = 1;\n' });
    const window = `
      import { FolderIndexer } from './src/workspace/folderIndexer.ts';
      const [root, stateFolder, awaited] = process.argv.slice(1);
      // No process reads the output after the expected word.
      const seen = new Set();
      const log = () => undefined;
      new FolderIndexer({ root, stateFolder, exclude: [], maxFileBytes: 1e6 }, {
        logger: { debug: log, info: log, warn: log, error: log },
        now: Date.now, onUnwatched: log, scanMs: 200,
        onStatus: ({ state: { kind } }) => {
          if (kind === awaited && !seen.has(kind)) console.log(kind);
          seen.add(kind);
        },
      }).start();`;
    const start = async (state: string): Promise<ChildProcess> => {
      const { child } = await spawnUntil(state, window, [root, stateFolder, state]);
      children.push(child);
      return child;
    };
    const first = await start('ready');
    const second = await start('following');
    const command = join(import.meta.dirname, '../../dist/cli/sextant.js');
    const search = async (word: string): Promise<unknown> => {
      const { stdout } = await promisify(execFile)(process.execPath, [
        command,
        ...['search', word, root, '--state', stateFolder, '--json'],
      ]);
      return (JSON.parse(stdout) as { results: { path: string }[] }).results.map(({ path }) => path);
    };
    const edits = (async () => {
      for (let i = 0; i < 100; i++) {
        writeFiles(root, { [`new/f${i}.ts`]: `export const harbour${i} = 1;\n` });
        await setTimeout(5);
      }
      renameSync(join(root, 'new'), join(root, 'moved'));
    })();
    const answers = await Promise.all([search('lantern'), search('lantern'), search('lantern'), edits]);
    assert.deepEqual(answers.slice(0, 3), [['a.ts'], ['a.ts'], ['a.ts']]);
    await until('all edits are found', async () => (await find(root, stateFolder, 'sym:harbour*')).length === 100);
    assert.deepEqual(await search('sym:harbour99'), ['moved/f99.ts']);

    await killed(first);
    const takenOver = once(second, 'exit');
    writeFiles(root, { 'after.ts': 'export const halyard = 1;\n' });
    await until(
      'the second window took over',
      async () => (await find(root, stateFolder, 'halyard')).join() === 'after.ts',
    );
    second.kill('SIGKILL');
    await takenOver;
    const index = openIndex(root, stateFolder);
    await index.reconcile();
    await index.close();
    assert.deepEqual(documentsOf(stateFolder), await freshDocuments(root, folder()));
  });
});
