import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { claimFolder, makeInnerFolder, MARKER, readMark } from './ownedFolder.ts';

describe('a folder of state', () => {
  const temporary = temporaryFolder();

  it('is marked when it is new or empty, and recognized from then on', () => {
    const folder = join(temporary(), 'new');
    assert.deepEqual(claimFolder(folder, { kind: 'index', of: '/work' }), { kind: 'index', of: '/work' });
    writeFileSync(join(folder, 'anything'), '');
    assert.deepEqual(claimFolder(folder, { kind: 'index', of: '/other' }), { kind: 'index', of: '/work' });
    assert.throws(() => claimFolder(folder, { kind: 'server' }), { code: 'FolderNotOurs' });
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

  it('is taken over from an earlier version, and marked again if the marker is damaged', () => {
    const folder = temporary();
    writeFileSync(join(folder, 'writer.3.lock'), '');
    claimFolder(folder, { kind: 'index' }, { isOlder: (names) => names.includes('writer.3.lock') });
    writeFileSync(join(folder, MARKER), 'zeroes');
    assert.equal(readMark(folder), 'damaged');
    const other = temporary();
    writeFileSync(join(other, MARKER), '{"hello":1}');
    writeFileSync(join(other, 'changes.log'), 'mine');
    assert.throws(() => claimFolder(other, { kind: 'server' }), { code: 'FolderNotOurs' });
    assert.deepEqual(readdirSync(other).sort(), ['changes.log', MARKER]);
    claimFolder(folder, { kind: 'index', of: '/work' });
    assert.deepEqual(readMark(folder), { kind: 'index', of: '/work' });
  });

  it('has no folder inside that is a link to elsewhere', () => {
    const folder = temporary();
    makeInnerFolder(join(folder, 'real'));
    makeInnerFolder(join(folder, 'real'));
    symlinkSync(temporary(), join(folder, 'link'));
    assert.throws(() => makeInnerFolder(join(folder, 'link')), { code: 'FolderNotOurs', message: /symbolic link/ });
  });
});
