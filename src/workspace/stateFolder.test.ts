import assert from 'node:assert/strict';
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentsOf, openIndex } from '../../test/workspace/support.ts';
import { temporaryFolder, writeFiles } from '../../test/support/temporary.ts';
import { claimFolder, MARKER, readFolderMark } from '../base/ownedFolder.ts';
import { silentLogger } from '../base/log.ts';
import { checkStateFolder } from './stateFolder.ts';

describe('The state folder of an index', () => {
  const folder = temporaryFolder();

  async function index(root: string, state: string): Promise<void> {
    const opened = openIndex(root, state);
    try {
      await opened.reconcile();
    } finally {
      await opened.close();
    }
  }

  function workspace(path: string): string {
    const root = folder();
    writeFiles(root, { [path]: 'export const lantern = 1;\n' });
    return root;
  }

  it('belongs to one workspace folder: a second one is refused, and changes nothing', async () => {
    const [first, second, state] = [workspace('a.ts'), workspace('b.ts'), folder()];
    await index(first, state);
    const notOurs = {
      code: 'FolderNotOurs',
      message: new RegExp(`already holds the index of ${first.replaceAll('\\', '\\\\')}\\. Name an empty`),
    };
    assert.throws(() => openIndex(second, state), notOurs);
    assert.throws(() => checkStateFolder(second, state), notOurs);
    checkStateFolder(first, state);
    assert.deepEqual([...documentsOf(state).keys()], ['a.ts']);
    await index(first, state);
  });

  it('stays in use after the workspace folder was moved', async () => {
    const [root, state, moved] = [workspace('a.ts'), folder(), join(folder(), 'moved')];
    await index(root, state);
    renameSync(root, moved);
    await index(moved, state);
    assert.deepEqual(readFolderMark(state), { kind: 'index', of: moved });
    assert.deepEqual([...documentsOf(state).keys()], ['a.ts']);
  });

  it('is refused if it has other files or another use', () => {
    const [root, theirs, server] = [workspace('a.ts'), folder(), folder()];
    writeFiles(theirs, { 'thesis.txt': 'mine', 'index/notes.txt': 'mine' });
    claimFolder(server, { kind: 'server' });
    for (const state of [theirs, server]) {
      const before = readdirSync(state);
      assert.throws(() => openIndex(root, state), { code: 'FolderNotOurs' });
      assert.deepEqual(readdirSync(state), before);
    }
  });

  it('reports a damaged marker once, and writes it again', async () => {
    const [root, state] = [workspace('a.ts'), folder()];
    await index(root, state);
    writeFileSync(join(state, MARKER), '{');
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (message: string) => void warnings.push(message) };
    await openIndex(root, state, {}, { logger }).close();
    await openIndex(root, state, {}, { logger }).close();
    assert.equal(warnings.length, 1);
    assert.match(warnings[0]!, /sextant-folder\.json is damaged\. Nothing is lost/);
    assert.deepEqual(readFolderMark(state), { kind: 'index', of: root });
  });

  it('of an earlier version is taken over for its folder', async () => {
    const [root, other, state] = [workspace('a.ts'), workspace('b.ts'), folder()];
    await index(root, state);
    rmSync(join(state, MARKER));
    assert.throws(() => openIndex(other, state), { code: 'FolderNotOurs' });
    await index(root, state);
    assert.deepEqual(readFolderMark(state), { kind: 'index', of: root });
    rmSync(join(state, MARKER));
    rmSync(join(state, 'files.json'));
    await index(root, state);
    assert.ok(existsSync(join(state, MARKER)));
  });
});
