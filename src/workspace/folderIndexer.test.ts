import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { killed, spawnUntil } from '../../test/support/processes.ts';
import { temporaryFolder, writeFiles } from '../../test/support/temporary.ts';
import { until } from '../../test/support/until.ts';
import { openIndex } from '../../test/workspace/support.ts';
import { Lease, isHeld } from '../base/lease.ts';
import { silentLogger } from '../base/log.ts';
import { Engine, EngineReader } from '../engine/engine.ts';
import { FolderIndexer, type IndexerDependencies } from './folderIndexer.ts';
import { DEFAULT_EXCLUDE, MAX_FILE_BYTES, indexFolderOf } from './folderOptions.ts';
import { DEFAULT_BUDGET, Governor, threadsWithin } from './governor.ts';
import { Searcher } from './searcher.ts';
import type { FolderStatus } from './status.ts';
import { watchFolder } from './watcher.ts';

describe('FolderIndexer', () => {
  const folder = temporaryFolder();
  const open: FolderIndexer[] = [];

  afterEach(async () => {
    for (const keeper of open.splice(0)) await keeper.close();
  });

  interface Kept {
    readonly root: string;
    readonly stateFolder: string;
    readonly keeper: FolderIndexer;
    readonly statuses: FolderStatus[];
    readonly find: (query: string) => Promise<string[]>;
    readonly state: (kind: string) => Promise<FolderStatus>;
  }

  function keep(
    files: Record<string, string>,
    edges: Partial<IndexerDependencies> = {},
    { root, stateFolder } = { root: folder(), stateFolder: folder() },
  ): Kept {
    writeFiles(root, files);
    const statuses: FolderStatus[] = [];
    const keeper = new FolderIndexer(
      { root, stateFolder, exclude: DEFAULT_EXCLUDE, maxFileBytes: MAX_FILE_BYTES },
      {
        logger: silentLogger,
        now: Date.now,
        onStatus: (status) => statuses.push(status),
        onUnwatched: () => undefined,
        scanMs: 50,
        ...edges,
      },
    );
    open.push(keeper);
    keeper.start();
    const find = async (query: string): Promise<string[]> => {
      const searcher = new Searcher();
      const { results } = await searcher.search({ folders: [{ root, stateFolder }], query, limit: 100 });
      searcher.close();
      return results.map(({ path }) => path).sort();
    };
    const state = (kind: string): Promise<FolderStatus> =>
      until(kind, () => (statuses.at(-1)?.state.kind === kind ? statuses.at(-1) : undefined));
    return { root, stateFolder, keeper, statuses, find, state };
  }

  const silent = { watch: () => () => Promise.resolve() };

  /** Until it is resumed. */
  function pausedGovernor(): Governor {
    const governor = new Governor({ isOnBattery: () => false, freeMemory: () => undefined });
    governor.pause();
    return governor;
  }

  it('finds changes that a watcher lost', async () => {
    const { root, find, state } = keep(
      { 'a.ts': 'lantern', 'dir/b.ts': 'lantern', 'dir/deep/c.ts': 'lantern' },
      silent,
    );
    await state('ready');
    writeFiles(root, { 'new/d.ts': 'lantern', 'a.ts': 'harbour' });
    renameSync(join(root, 'dir/deep'), join(root, 'moved'));
    rmSync(join(root, 'dir/b.ts'));
    await until('all is found', async () => (await find('lantern')).join() === 'moved/c.ts,new/d.ts');
    assert.deepEqual(await find('harbour'), ['a.ts']);
    writeFiles(root, { '.sextantignore': 'new/' });
    await until('the rule counts', async () => (await find('lantern')).join() === 'moved/c.ts');
  });

  it('finds changes by whatever names a watcher reports, and has each file once, by its listed name', async () => {
    const files = ['Source/Caf\u00e9.ts', 'Source/Lantern.ts', 'other/b.ts'];
    const { root, stateFolder, keeper, find, state } = keep(
      Object.fromEntries(files.map((path) => [path, 'lantern'])),
      silent,
    );
    await state('ready');
    // Other case, short names, decomposed letters, a folder for all below it, the root, and half of a rename.
    const reports = [
      ...['SOURCE/LANTERN.TS', 'SOURCE~1/LANTER~1.TS', 'Source/Cafe\u0301.ts', 'Source', '', 'Source/gone.ts'],
      ...['Source/Lantern.ts/', 'source', 'other/b.ts'],
    ];
    for (const [i, reported] of reports.entries()) {
      for (const path of files) writeFiles(root, { [path]: `lantern word${i}` });
      keeper.hint([reported]);
      await until(`all is found after ${reported}`, async () => (await find(`word${i}`)).length === files.length);
      assert.deepEqual(await find(`word${i}`), files);
    }
    renameSync(join(root, 'Source/Lantern.ts'), join(root, 'other/Lamp.ts'));
    keeper.hint(['other/LAMP.TS', 'Source/lantern.ts']);
    const moved = [files[0], 'other/Lamp.ts', files[2]].sort();
    await until('the rename is found', async () => (await find('lantern')).join() === moved.join());
    await keeper.close();
    const reader = new EngineReader(indexFolderOf(stateFolder));
    assert.deepEqual([...reader.paths()].sort(), moved);
    reader.close();
  });

  it('follows a folder that is removed and created again, or replaced', async () => {
    let watched = 0;
    const watch = (): (() => Promise<void>) => {
      watched++;
      return () => Promise.resolve();
    };
    const logged: string[] = [];
    const logger = { ...silentLogger, error: (text: string) => void logged.push(text) };
    const { root, find, state } = keep({ 'a.ts': 'lantern' }, { watch, logger });
    await state('ready');
    rmSync(root, { recursive: true });
    const { state: failed } = await state('failed');
    assert.equal(failed.kind === 'failed' && failed.code, 'ENOENT');
    await until('it is logged', () => logged.length > 0);
    assert.deepEqual(logged, [`${root}: The folder is missing. If it was moved, open its new location.`]);
    mkdirSync(root);
    writeFiles(root, { 'b.ts': 'lantern' });
    await until('the new file is found', async () => (await find('lantern')).join() === 'b.ts');
    await until('it is watched again', () => watched === 2);
    const other = folder();
    writeFiles(other, { 'c.ts': 'lantern' });
    rmSync(root, { recursive: true });
    renameSync(other, root);
    await until('the other folder is found', async () => (await find('lantern')).join() === 'c.ts');
    await until('the other folder is watched', () => watched === 3);
  });

  it('keeps the index of a missing folder when that is to be rebuilt', async () => {
    const { root, keeper, find, state } = keep({ 'a.ts': 'lantern' }, silent);
    await state('ready');
    renameSync(root, `${root}-moved`);
    await assert.rejects(keeper.rebuild(), { code: 'ENOENT' });
    assert.equal((await state('failed')).files, 1);
    renameSync(`${root}-moved`, root);
    await state('ready');
    assert.equal(keeper.index!.work().analysed, 1);
    assert.deepEqual(await find('lantern'), ['a.ts']);
  });

  describe('watches', () => {
    /** Files with a watcher that finds them: `isReported` saves a file of a new name until the watcher reports one. */
    function keepWatched(
      files: Record<string, string>,
      place?: { readonly root: string; readonly stateFolder: string },
    ): Kept & { isReported: (inFolder: string) => Promise<unknown> } {
      const reported = new Set<string>();
      const watch: typeof watchFolder = (root, excluded, events) => {
        const onPath = (path: string): void => {
          reported.add(path);
          events.onPath(path);
        };
        return watchFolder(root, excluded, { ...events, onPath });
      };
      const kept = keep(files, { watch }, place);
      let saved = 0;
      const isReported = (inFolder: string): Promise<unknown> =>
        until(`a file in ${inFolder} is reported`, () => {
          if ([...reported].some((path) => path.startsWith(`${inFolder}/new`))) return true;
          writeFiles(kept.root, { [`${inFolder}/new${++saved}.ts`]: '' });
          return false;
        });
      return { ...kept, isReported };
    }

    it('a folder that no rule leaves out any more', async () => {
      const { root, find, state, isReported } = keepWatched({
        '.sextantignore': 'build/',
        'src/a.ts': '',
        'build/b.ts': 'lantern',
      });
      await state('ready');
      await isReported('src');
      writeFiles(root, { '.sextantignore': '' });
      await until('the rule counts', async () => (await find('lantern')).length === 1);
      await isReported('build');
    });

    it('a folder that is opened by a link to it', async () => {
      const root = join(folder(), 'link');
      symlinkSync(folder(), root);
      const { state, isReported } = keepWatched({ 'src/a.ts': '' }, { root, stateFolder: folder() });
      await state('ready');
      await isReported('src');
    });

    it('a folder in place of a link', async () => {
      const { root, state, isReported } = keepWatched({ 'src/a.ts': '' });
      symlinkSync(folder(), join(root, 'lib'));
      await state('ready');
      await isReported('src');
      rmSync(join(root, 'lib'));
      mkdirSync(join(root, 'lib'));
      await isReported('lib');
    });

    it('a folder that replaced another one', async function () {
      // A watched folder keeps its name there until the watch ends.
      if (process.platform === 'win32') this.skip();
      const { root, state, isReported } = keepWatched({ 'src/deep/a.ts': '', 'src/b.ts': '', 'other/c.ts': '' });
      await state('ready');
      await isReported('other');
      cpSync(join(root, 'src'), join(root, 'copy'), { recursive: true });
      rmSync(join(root, 'src'), { recursive: true });
      renameSync(join(root, 'copy'), join(root, 'src'));
      await isReported('src/deep');
      await isReported('src');
    });
    it('from the last scan on, also what is saved while it begins', async () => {
      const watch: typeof watchFolder = (root, excluded, events) => {
        const stop = watchFolder(root, excluded, events);
        // The watcher takes it for a file that was there before.
        writeFiles(root, { 'b.ts': 'lantern' });
        return stop;
      };
      const { find } = keep({ 'a.ts': '' }, { watch, scanMs: 3_600_000 });
      await until('the file is found', async () => (await find('lantern')).length === 1);
    });
  });

  it('reports a pause, and resumes', async () => {
    const governor = pausedGovernor();
    const { root, find, state } = keep({ 'a.ts': 'lantern' }, { governor, ...silent });
    const { state: paused } = await state('paused');
    assert.deepEqual(paused, { kind: 'paused', reason: 'user', done: 0, total: 0 });
    assert.deepEqual(await find('lantern'), []);
    governor.resume();
    await state('ready');
    assert.deepEqual(await find('lantern'), ['a.ts']);
    governor.pause();
    writeFiles(root, { 'b.ts': 'lantern' });
    await state('paused');
    assert.deepEqual(await find('lantern'), ['a.ts']);
    governor.resume();
    await until('it goes on', async () => (await find('lantern')).length === 2);
  });

  it('waits for mains power and for free memory, and can be closed meanwhile', async () => {
    const machine = { isOnBattery: () => true, freeMemory: () => 1 << 30 };
    const onBattery = new Governor(machine, { ...DEFAULT_BUDGET, onBattery: 'paused' }, 1 << 20);
    const first = await keep({ 'a.ts': 'lantern' }, { governor: onBattery }).state('paused');
    assert.equal(first.state.kind === 'paused' && first.state.reason, 'battery');
    const withoutMemory = new Governor({ ...machine, freeMemory: () => 1000 }, DEFAULT_BUDGET, 1 << 20);
    const second = await keep({ 'a.ts': 'lantern' }, { governor: withoutMemory }).state('paused');
    assert.equal(second.state.kind === 'paused' && second.state.reason, 'memory');
    const reduced = new Governor(machine, DEFAULT_BUDGET, 1 << 20);
    await keep({ 'a.ts': 'lantern' }, { governor: reduced }).state('ready');
  });

  it('follows the process that took over its index while it slept, and takes it back', async () => {
    const { root, stateFolder, state, find } = keep({ 'a.ts': 'lantern' });
    await state('ready');
    const longAgo = new Date(Date.now() - 3_600_000);
    const indexFolder = indexFolderOf(stateFolder);
    for (const name of readdirSync(indexFolder))
      if (name.endsWith('.lock')) utimesSync(join(indexFolder, name), longAgo, longAgo);
    const heir = Engine.open(indexFolder);
    writeFiles(root, { 'b.ts': 'lantern' });
    const { state: following } = await state('following');
    assert.match(following.kind === 'following' ? following.owner : '', new RegExp(`^Process ${process.pid} on `));
    assert.deepEqual(await find('lantern'), ['a.ts']);
    await heir.close();
    await state('ready');
    assert.deepEqual(await find('lantern'), ['a.ts', 'b.ts']);
  });

  it('follows a process of another version, whose index it cannot read, and rebuilds the index once that ends', async () => {
    const stateFolder = folder();
    const indexFolder = indexFolderOf(stateFolder);
    const old = join(import.meta.dirname, '../../test/fixtures/formats/format-1-analysis-1/index');
    cpSync(old, indexFolder, { recursive: true });
    const owner = Lease.acquire(indexFolder);
    assert.ok(isHeld(owner));
    const { state, find } = keep({ 'a.ts': 'lantern' }, {}, { root: folder(), stateFolder });
    assert.equal((await state('following')).files, 0);
    owner.release();
    await state('ready');
    assert.deepEqual(await find('lantern'), ['a.ts']);
  });

  it('still takes its index over after it could not rebuild it, as another process has it', async () => {
    const first = keep({ 'a.ts': 'lantern' });
    await first.state('ready');
    const second = keep({}, {}, first);
    await second.state('following');
    await assert.rejects(second.keeper.rebuild(), { code: 'IndexBusy' });
    await second.state('following');
    await first.keeper.close();
    await second.state('ready');
    assert.deepEqual(await second.find('lantern'), ['a.ts']);
  });

  it('reports the state of an index that another process keeps, and no longer once that is up to date', async () => {
    const governor = pausedGovernor();
    const first = keep({ 'a.ts': 'lantern' }, { governor, ...silent });
    await first.state('paused');
    const second = keep({}, silent, first);
    const { state } = await second.state('following');
    const paused = { kind: 'paused', reason: 'user', done: 0, total: 0 };
    assert.deepEqual(state.kind === 'following' && state.ownerState, paused);
    governor.resume();
    await first.state('ready');
    await until('up to date', () => {
      const { state: now } = second.statuses.at(-1)!;
      return now.kind === 'following' && now.ownerState === undefined;
    });
  });

  it('reports that an index is new from the moment on that another process has it', async () => {
    const [root, stateFolder] = [folder(), folder()];
    const owner = openIndex(root, stateFolder);
    const second = keep({ 'a.ts': 'lantern' }, silent, { root, stateFolder });
    const { state } = await second.state('following');
    assert.deepEqual(state.kind === 'following' && state.ownerState, { kind: 'scanning' });
    await owner.close();
    await second.state('ready');
  });

  it('repairs damage that a process that follows it has met', async () => {
    const first = keep({ 'a.ts': 'lantern', 'b.ts': 'harbour' }, silent);
    await first.state('ready');
    const second = keep({}, silent, first);
    await second.state('following');
    const indexFolder = indexFolderOf(first.stateFolder);
    const segment = join(
      indexFolder,
      readdirSync(indexFolder).find((name) => name.endsWith('.sxs'))!,
    );
    const bytes = readFileSync(segment);
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(segment, bytes);
    await second.keeper.verify();
    await until('it is repaired', () => first.statuses.at(-1)!.repaired !== undefined);
    assert.deepEqual(await second.find('lantern'), ['a.ts']);
  });

  it('ignores the state that an earlier owner of the index left', async () => {
    const governor = pausedGovernor();
    const first = keep({ 'a.ts': 'lantern' }, { governor, ...silent });
    await first.state('paused');
    await first.keeper.close();
    const other = Lease.acquire(indexFolderOf(first.stateFolder));
    assert.ok(isHeld(other));
    const { state } = await keep({}, silent, first).state('following');
    assert.deepEqual(Object.keys(state), ['kind', 'owner']);
    other.release();
  });

  it('takes an index that is free by now over for an update, and refuses one that another process keeps', async () => {
    const first = keep({ 'a.ts': 'lantern' }, silent);
    await first.state('ready');
    const second = keep({}, silent, first);
    await second.state('following');
    await assert.rejects(second.keeper.reconcile(), { code: 'IndexBusy' });
    await first.keeper.close();
    await second.keeper.reconcile();
    assert.equal(second.statuses.at(-1)!.state.kind, 'ready');
  });

  it('uses fewer threads in less memory', () => {
    assert.equal(threadsWithin(256 << 20), 0);
    assert.equal(threadsWithin(8 * 2 ** 30), Math.min(3, availableParallelism() - 1));
  });

  it('goes on, with advice, when the system has no more watches', async function () {
    // Every process may lower the limit in a user namespace that it creates.
    const limited = (command: string): string[] => [
      ...['-Ur', 'sh', '-c', `echo 10 > /proc/sys/user/max_inotify_watches && ${command}`],
    ];
    if (spawnSync('unshare', limited('true')).status !== 0) this.skip();
    const root = folder();
    for (let i = 0; i < 30; i++) writeFiles(root, { [`dir${i}/a.ts`]: 'lantern' });
    const code = `
      import { writeFileSync } from 'node:fs';
      import { FolderIndexer } from './src/workspace/folderIndexer.ts';
      const [root, stateFolder] = process.argv.slice(1);
      const log = () => undefined;
      const keeper = new FolderIndexer({ root, stateFolder, exclude: [], maxFileBytes: 1000 }, {
        logger: { debug: log, info: log, warn: log, error: console.log },
        now: Date.now, scanMs: 50, onUnwatched: () => console.log('the editor is to watch'),
        onStatus: ({ state, files, problem }) => {
          if (state.kind === 'ready') console.log(files, problem?.code, problem?.message);
          if (problem && files === 30) writeFileSync(root + '/dir29/b.ts', 'lantern');
          if (files === 31) console.log('found it');
        },
      });
      keeper.start();`;
    const shell = limited('exec "$0" "$@"');
    const { child, said } = await spawnUntil('found it', code, [root, folder()], { command: 'unshare', args: shell });
    await killed(child);
    assert.match(said, /the editor is to watch/);
    assert.match(said, /WatchLimit The system's limit of file watches is reached.*max_user_watches/);
  });
});
