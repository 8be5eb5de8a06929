import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { claimFolder, makeInnerFolder, MARKER, readFolderMark } from './ownedFolder.ts';

describe('a folder of state', () => {
  const temporary = temporaryFolder();

  it('is marked when it is new or empty, and recognized from then on', () => {
    const folder = join(temporary(), 'new');
    assert.deepEqual(claimFolder(folder, { kind: 'index', of: '/work' }), { kind: 'index', of: '/work' });
    writeFileSync(join(folder, 'anything'), '');
    assert.deepEqual(claimFolder(folder, { kind: 'index', of: '/other' }), { kind: 'index', of: '/work' });
    assert.throws(() => claimFolder(folder, { kind: 'server' }), { code: 'FolderNotOurs' });
  });

  it('is of the process that marked it first, also when that goes on meanwhile', () => {
    const folder = temporary();
    const index = join(folder, 'index');
    mkdirSync(index);
    // Called after the marker was read, and before the folder is refused.
    const isOlder = (): boolean => {
      rmSync(index, { recursive: true });
      claimFolder(folder, { kind: 'index', of: '/work' });
      mkdirSync(index);
      return false;
    };
    assert.deepEqual(claimFolder(folder, { kind: 'index', of: '/work' }, { isOlder }), { kind: 'index', of: '/work' });
  });

  it('is refused if it contains anything else, which stays unchanged', () => {
    const folder = temporary();
    mkdirSync(join(folder, 'imports'));
    writeFileSync(join(folder, 'changes.log'), 'x');
    const { mode } = statSync(folder);
    assert.throws(() => claimFolder(folder, { kind: 'server' }, { mode: 0o700 }), {
      code: 'FolderNotOurs',
      message: /is not empty \(changes\.log, imports\) and is not a Sextant folder\. Name an empty or a new folder/,
    });
    assert.deepEqual([readdirSync(folder), statSync(folder).mode], [['changes.log', 'imports'], mode]);
  });

  it('is taken over from an earlier version, and marked again if the marker is damaged, which is reported', () => {
    const folder = temporary();
    writeFileSync(join(folder, 'files.json'), '');
    const isOlder = (names: readonly string[]): boolean => names.includes('files.json');
    claimFolder(folder, { kind: 'index' }, { isOlder });
    writeFileSync(join(folder, MARKER), 'zeroes');
    assert.equal(readFolderMark(folder), 'damaged');
    const other = temporary();
    writeFileSync(join(other, MARKER), '{"hello":1}');
    writeFileSync(join(other, 'changes.log'), 'mine');
    assert.throws(() => claimFolder(other, { kind: 'server' }), { code: 'FolderNotOurs' });
    assert.deepEqual(readdirSync(other).sort(), ['changes.log', MARKER]);
    const said: string[] = [];
    claimFolder(folder, { kind: 'index', of: '/work' }, { isOlder, onDamage: (message) => said.push(message) });
    assert.deepEqual(said, [`${join(folder, MARKER)} is damaged. Nothing is lost: it is written again.`]);
    assert.deepEqual(readFolderMark(folder), { kind: 'index', of: '/work' });
  });

  it('with a damaged marker is not taken over by another kind, though a lock of ours is there', () => {
    const folder = temporary();
    claimFolder(folder, { kind: 'index', of: '/work' });
    writeFileSync(join(folder, 'writer.3.lock'), '');
    writeFileSync(join(folder, 'files.json'), '');
    const text = readFileSync(join(folder, MARKER), 'utf8');
    const before = readdirSync(folder);
    for (const damaged of ['zeroes', text.slice(0, 30), text.replace('note', 'vote')]) {
      writeFileSync(join(folder, MARKER), damaged);
      assert.throws(() => claimFolder(folder, { kind: 'server' }), { code: 'FolderNotOurs' });
      // Also where the names look like those of an earlier version.
      if (damaged !== 'zeroes')
        assert.throws(() => claimFolder(folder, { kind: 'server' }, { isOlder: () => true }), {
          code: 'FolderNotOurs',
        });
      assert.deepEqual([readdirSync(folder), readFileSync(join(folder, MARKER), 'utf8')], [before, damaged]);
    }
  });

  it('has a marker that is no link, also none that leads nowhere', () => {
    const folder = temporary();
    symlinkSync(join(folder, 'nowhere'), join(folder, MARKER));
    assert.throws(() => claimFolder(folder, { kind: 'server' }), { code: 'FolderNotOurs', message: /symbolic link/ });
    assert.deepEqual(readdirSync(folder), [MARKER]);
  });

  it('has no folder inside that is a link to elsewhere', () => {
    const folder = temporary();
    makeInnerFolder(join(folder, 'real'));
    makeInnerFolder(join(folder, 'real'));
    symlinkSync(temporary(), join(folder, 'link'));
    assert.throws(() => makeInnerFolder(join(folder, 'link')), { code: 'FolderNotOurs', message: /symbolic link/ });
  });
});
