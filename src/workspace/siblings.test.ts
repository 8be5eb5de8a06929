import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder, writeFiles } from '../../test/support/temporary.ts';
import { openIndex } from '../../test/workspace/support.ts';
import { readCheckedJson } from '../base/checkedJson.ts';
import { forwardingLogger } from '../base/log.ts';
import { indexFolderOf } from './folderOptions.ts';
import { beginAsSibling } from './siblings.ts';

describe('a new index in a repository', () => {
  const folder = temporaryFolder();
  let said: string[];
  const logger = forwardingLogger((level, message) => said.push(`${level}: ${message}`));
  beforeEach(() => (said = []));

  const git = (cwd: string, ...args: readonly string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@x.io', ...args], { cwd });

  /** A repository, an index of it, and a second working tree without an index. */
  async function twoTrees(): Promise<{ siblings: string; first: string; tree: string }> {
    const root = folder();
    writeFiles(root, { 'a.ts': 'export const halyard = 1;\n' });
    git(root, 'init', '-q');
    git(root, 'add', '-A');
    git(root, 'commit', '-qm', 'one');
    const siblings = folder();
    const first = folder();
    const index = openIndex(root, first, { siblings });
    await index.reconcile();
    await index.close();
    const tree = join(folder(), 'tree');
    git(root, 'worktree', 'add', '-q', '-b', 'other', tree);
    return { siblings, first, tree };
  }

  /** The registry's entries, one file each. */
  function entries(siblings: string): string[] {
    return readdirSync(siblings, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(siblings, name));
  }

  function begin(siblings: string, tree: string): string {
    const stateFolder = folder();
    beginAsSibling({ root: tree, stateFolder, siblings, exclude: [], maxFileBytes: 1000 }, logger);
    return indexFolderOf(stateFolder);
  }

  it("begins as a copy of another working tree's index, and registers itself", async () => {
    const { siblings, tree } = await twoTrees();
    const index = begin(siblings, tree);
    assert.match(said.join('\n'), /^info: The index of .* begins as a copy of that in /);
    assert.ok(existsSync(index));
    assert.equal(entries(siblings).length, 2);
  });

  it('renews the time of its entry, and does not write it again', async () => {
    const { siblings, first } = await twoTrees();
    const [entry = ''] = entries(siblings);
    const { root } = (readCheckedJson(entry) as { value: { root: string } }).value;
    utimesSync(entry, 1, 1);
    const { ino } = statSync(entry);
    beginAsSibling({ root, stateFolder: first, siblings, exclude: [], maxFileBytes: 1000 }, logger);
    assert.deepEqual([statSync(entry).ino, statSync(entry).mtimeMs > 1_000], [ino, true]);
  });

  it('forgets a working tree whose state folder was deleted', async () => {
    const { siblings, first, tree } = await twoTrees();
    const [deleted = ''] = entries(siblings);
    rmSync(first, { recursive: true });
    const index = begin(siblings, tree);
    assert.deepEqual(said, []);
    assert.equal(existsSync(index), false);
    assert.equal(existsSync(deleted), false);
    assert.equal(entries(siblings).length, 1);
  });

  it('ignores a damaged entry of the registry', async () => {
    const { siblings, tree } = await twoTrees();
    writeFileSync(entries(siblings)[0]!, '{"root":"/","stateFolder":"/"}\n00000000\n');
    const index = begin(siblings, tree);
    assert.deepEqual(said, []);
    assert.equal(existsSync(index), false);
  });

  it('begins empty, with a warning, if the registry cannot be read', async () => {
    const { siblings, tree } = await twoTrees();
    rmSync(siblings, { recursive: true });
    writeFileSync(siblings, 'a file where the folder was');
    begin(siblings, tree);
    assert.match(said.join('\n'), /^warn: The index of .* could not begin as a copy of another one: /);
  });
});
