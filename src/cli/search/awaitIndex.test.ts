import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { killed, spawnUntil } from '../../../test/support/processes.ts';
import { temporaryFolder, writeFiles } from '../../../test/support/temporary.ts';
import { until } from '../../../test/support/until.ts';
import { documentsOf, freshDocuments } from '../../../test/workspace/support.ts';
import { updateOrAwait } from './awaitIndex.ts';
import type { Terminal } from '../terminal.ts';
import { folderOptions } from './updateIndex.ts';

describe('updateOrAwait', () => {
  const folder = temporaryFolder();
  let child: ChildProcess | undefined;
  afterEach(() => child?.kill('SIGKILL'));

  /** Starts a process that keeps the index: it updates once, and again only if it `watches`. */
  async function keep(root: string, state: string, watches: boolean): Promise<ChildProcess> {
    const code = `
      import { openIndex } from './test/workspace/support.ts';
      const [root, state, watches] = process.argv.slice(-3);
      const index = openIndex(root, state, {}, { now: Date.now });
      await index.reconcile();
      console.log('holding');
      setInterval(() => watches === 'true' && index.reconcile(), 200);`;
    ({ child } = await spawnUntil('holding', code, [root, state, String(watches)]));
    return child;
  }

  function terminal(): { readonly terminal: Terminal; readonly said: () => string } {
    const stderr = new PassThrough();
    let said = '';
    stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const stream = stderr as unknown as NodeJS.WriteStream;
    const { signal } = new AbortController();
    return { terminal: { stdout: stream, stderr: stream, stdin: process.stdin, signal }, said: () => said };
  }

  it('finishes the update if the other process ends without having seen a change', async function () {
    this.timeout(300_000);
    const [root, state] = [folder(), folder()];
    writeFiles(root, { 'a.ts': 'const lantern = 1;' });
    const other = await keep(root, state, false);
    writeFiles(root, { 'a.ts': 'const lantern = 22;', 'b.ts': 'const harbour = 1;' });
    const { terminal: own, said } = terminal();
    const updated = updateOrAwait(folderOptions(root, state), own);
    await until('it waits', () => said().includes('Waiting until'));
    assert.match(said(), new RegExp(`^sextant: Process ${other.pid} on .* is writing to this index\\. Waiting until`));
    await killed(other);
    const result = await updated;
    assert.ok('status' in result && result.status.files === 2);
    assert.deepEqual(documentsOf(state), await freshDocuments(root, folder()));
  });

  it('waits for a process that keeps the index up to date, and ends when the index is', async function () {
    this.timeout(300_000);
    const [root, state] = [folder(), folder()];
    writeFiles(root, { 'a.ts': 'const lantern = 1;' });
    await keep(root, state, true);
    writeFiles(root, { 'a.ts': 'const lantern = 22;', 'b.ts': 'const harbour = 1;' });
    const result = await updateOrAwait(folderOptions(root, state), terminal().terminal);
    assert.ok('keptBy' in result && result.contents.files === 2);
    assert.deepEqual(documentsOf(state), await freshDocuments(root, folder()));
  });

  it('fails and lists the missing changes if the other process does nothing', async function () {
    this.timeout(300_000);
    const [root, state] = [folder(), folder()];
    writeFiles(root, { 'a.ts': 'const lantern = 1;' });
    const other = await keep(root, state, false);
    writeFiles(root, { 'a.ts': 'const lantern = 22;', 'b.ts': 'const harbour = 1;' });
    await assert.rejects(updateOrAwait(folderOptions(root, state), terminal().terminal, 1), {
      code: 'IndexBehind',
      message: new RegExp(`^Process ${other.pid} on .* It has not brought the index of .*: 1 new, 1 changed\\.`),
    });
  });
});
