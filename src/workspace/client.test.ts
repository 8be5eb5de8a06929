import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../../test/support/isAlive.ts';
import { temporaryFolder, writeFiles } from '../../test/support/temporary.ts';
import { until } from '../../test/support/until.ts';
import { silentLogger } from '../base/log.ts';
import { WorkspaceClient, type ClientOptions } from './client.ts';
import type { FolderOptions } from './folderOptions.ts';
import { writerOf } from './folderReport.ts';
import type { FolderState, FolderStatus } from './status.ts';

const EIGHT = Object.fromEntries(
  Array.from({ length: 8 }, (_, i) => [`f${i}.ts`, `export const lantern${i} = ${i};\n`]),
);

function clientWith(options: Partial<ClientOptions>): WorkspaceClient {
  return new WorkspaceClient({
    indexProcess: new URL('./indexProcess.ts', import.meta.url),
    searchThread: new URL('./searchThread.ts', import.meta.url),
    logger: silentLogger,
    onStatus: () => undefined,
    onUnwatched: () => undefined,
    ...options,
  });
}

describe('the client of a workspace', () => {
  const temporary = temporaryFolder();

  function newFolder(): FolderOptions {
    return { root: temporary(), stateFolder: join(temporary(), 'state'), exclude: [], maxFileBytes: 1 << 20 };
  }

  it('restarts the indexing process after many files, without a gap or a report', async () => {
    const folder = newFolder();
    const { root } = folder;
    writeFiles(root, EIGHT);
    const kinds: FolderState['kind'][] = [];
    let renewals = 0;
    // New files are read again by the new process, which is to stay.
    const renewal = { files: 8, quietMs: 100 };
    const client = clientWith({
      logger: {
        ...silentLogger,
        debug: (message) => {
          if (!message.includes('to free its memory')) return;
          renewals++;
          renewal.files = Infinity;
        },
      },
      onStatus: ({ state }) => void kinds.push(state.kind),
      renewal,
    });
    const paths = async (query: string): Promise<string[]> =>
      (await client.search({ folders: [folder], query, limit: 20 })).results.map(({ path }) => path);
    try {
      client.open(folder);
      await until('the process is started again', () => renewals === 1);
      const first = kinds.length;
      writeFiles(root, { 'late.ts': 'export const harbour = 1;\n' });
      rmSync(join(root, 'f3.ts'));
      // Waits for the new process.
      await (await client.indexing()).call('reconcile', { root });
      assert.deepEqual(await paths('harbour'), ['late.ts']);
      assert.deepEqual(
        (await paths('lantern')).sort(),
        [0, 1, 2, 4, 5, 6, 7].map((i) => `f${i}.ts`),
      );
      assert.equal(kinds.slice(first).includes('scanning'), false);
    } finally {
      await client.dispose();
    }
  });

  it('opens a folder again at once, with its new rules, while it is being closed, rebuilt, or the process restarts', async () => {
    const folder = newFolder();
    const { root } = folder;
    writeFiles(root, EIGHT);
    const statuses: FolderStatus[] = [];
    const renewal = { files: 8, quietMs: 100 };
    // As the editor does when a setting changes.
    const reopen = (exclude: readonly string[]): void => {
      void client.close(root);
      client.open({ ...folder, exclude });
    };
    const client = clientWith({
      logger: {
        ...silentLogger,
        debug: (message) => {
          if (!message.includes('to free its memory')) return;
          renewal.files = Infinity;
          reopen(['f1.ts']);
        },
      },
      onStatus: (status) => void statuses.push(status),
      renewal,
    });
    const ready = (files: number): Promise<unknown> =>
      until(
        `${files} files are ready`,
        () => statuses.at(-1)?.state.kind === 'ready' && statuses.at(-1)!.files === files,
      );
    try {
      client.open(folder);
      await ready(7);
      reopen(['f1.ts', 'f2.ts']);
      await ready(6);
      // A rebuild that is wanted meanwhile, and one more.
      reopen([]);
      const calls = await client.indexing();
      await Promise.all([calls.call('rebuild', { root }), calls.call('rebuild', { root })]);
      await ready(8);
      assert.equal(statuses.filter(({ state }) => !['scanning', 'ready'].includes(state.kind)).length, 0);
    } finally {
      await client.dispose();
    }
  });

  it('starts the indexing process again when it is killed, and goes on with the index', async () => {
    const folder = newFolder();
    const { root, stateFolder } = folder;
    writeFiles(root, { 'a.ts': 'export const lantern = 1;\n' });
    const states: FolderState[] = [];
    const client = clientWith({
      onStatus: ({ state }) => void states.push(state),
    });
    const isReady = (): boolean => states.at(-1)?.kind === 'ready';
    try {
      client.open(folder);
      await until('it is indexed', isReady);
      const { pid } = writerOf(stateFolder)!;
      assert.notEqual(pid, process.pid);
      const before = states.length;
      process.kill(pid, 'SIGKILL');
      writeFiles(root, { 'b.ts': 'export const harbour = 1;\n' });
      const hasFailed = (): boolean => states.slice(before).some(({ kind }) => kind === 'failed');
      await until('it is up to date again', () => hasFailed() && isReady());
      assert.deepEqual(
        states.slice(before).flatMap((state) => (state.kind === 'failed' ? state.code : [])),
        ['ThreadDied'],
      );
      assert.notEqual(writerOf(stateFolder)!.pid, pid);
      await (await client.indexing()).call('reconcile', { root });
      for (const query of ['lantern', 'harbour'])
        assert.equal((await client.search({ folders: [folder], query, limit: 20 })).results.length, 1, query);
    } finally {
      await client.dispose();
    }
    assert.equal(writerOf(stateFolder), undefined);
  });

  it('reports that the indexing process stopped too often, and still searches', async () => {
    const folder = newFolder();
    const { root, stateFolder } = folder;
    const other = temporary();
    writeFiles(root, { 'a.ts': 'export const lantern = 1;\n' });
    const statuses: FolderStatus[] = [];
    const client = clientWith({
      onStatus: (status) => void statuses.push(status),
    });
    try {
      client.open(folder);
      const ended = new Set<number>();
      for (let death = 1; death <= 4; death++) {
        const pid = await until('a process owns the index', () => {
          const owner = writerOf(stateFolder)?.pid;
          return owner !== undefined && !ended.has(owner) && owner;
        });
        await until('it is up to date', () => statuses.at(-1)?.state.kind === 'ready');
        ended.add(pid);
        process.kill(pid, 'SIGKILL');
        await until(
          'its end is reported',
          () => statuses.filter(({ state }) => state.kind === 'failed').length === death,
        );
      }
      client.hint(root, ['a.ts']);
      const tooOften = /SIGKILL.* too often .*reload/;
      // The last status says what to do, and counts the files that searches still find.
      const last = statuses.at(-1)!;
      assert.match(last.state.kind === 'failed' ? last.state.message : '', tooOften);
      assert.equal(last.files, 1);
      await assert.rejects(client.pause(), { code: 'ThreadDied', message: tooOften });
      client.open({ ...folder, root: other, stateFolder: join(other, 'state') });
      const { root: failed, state } = statuses.at(-1)!;
      assert.equal(failed, other);
      assert.match(state.kind === 'failed' ? state.message : '', tooOften);
      assert.equal((await client.search({ folders: [folder], query: 'lantern', limit: 20 })).results.length, 1);
    } finally {
      await client.dispose();
    }
  });

  it('ends a process that does not close its folders', async function () {
    // No process can be stopped there.
    if (process.platform === 'win32') this.skip();
    const folder = newFolder();
    const { root, stateFolder } = folder;
    writeFiles(root, { 'a.ts': 'export const lantern = 1;\n' });
    const warnings: string[] = [];
    let isReady = false;
    const client = clientWith({
      logger: { ...silentLogger, warn: (message) => void warnings.push(message) },
      onStatus: ({ state }) => void (isReady ||= state.kind === 'ready'),
      closeMs: 100,
    });
    client.open(folder);
    await until('it is indexed', () => isReady);
    const { pid } = writerOf(stateFolder)!;
    process.kill(pid, 'SIGSTOP');
    await client.dispose();
    assert.equal(isAlive(pid), false);
    assert.equal(writerOf(stateFolder), undefined);
    assert.equal(warnings.length, 1);
  });
});
