import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';
import { isSoak } from '../support/runs.ts';
import { find, openIndex } from './support.ts';

const FILES = isSoak ? 5000 : 1500;

describe('An index of a Git repository', () => {
  const folder = temporaryFolder();

  function git(root: string, ...args: string[]): void {
    const settings = [
      'user.name=a',
      'user.email=a@example.org',
      'core.autocrlf=false',
      'core.fsync=none',
      'core.bigFileThreshold=1',
      'gc.auto=0',
    ];
    execFileSync('git', [...settings.flatMap((one) => ['-c', one]), ...args], { cwd: root, stdio: 'pipe' });
  }

  function repository(): string {
    const root = folder();
    const write = (branch: string): void => {
      const files = Array.from({ length: FILES }, (_, i) => [
        `dir${i % 50}/f${i}.ts`,
        `export const ${branch}${i} = ${i};\n`,
      ]);
      writeFiles(root, Object.fromEntries(files) as Record<string, string>);
      git(root, 'add', '-A');
      git(root, 'commit', '-qm', branch);
    };
    git(root, 'init', '-q', '-b', 'main');
    writeFiles(root, { 'common.ts': 'export const common = 1;\n', 'only-main.ts': 'export const solitary = 1;\n' });
    write('lantern');
    git(root, 'checkout', '-qb', 'other');
    rmSync(join(root, 'only-main.ts'));
    write('harbour');
    git(root, 'checkout', '-q', 'main');
    return root;
  }

  /** The places of some words that occur in one file, or that one file defines. */
  async function places(root: string, stateFolder: string): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    for (const word of ['lantern', 'harbour', 'solitary', 'halyard']) {
      const query = ['solitary', 'halyard'].includes(word) ? word : `sym:${word}1321`;
      const paths = await find(root, stateFolder, query);
      if (paths.length > 0) found[word] = paths.join();
    }
    return found;
  }

  const onMain = { lantern: 'dir21/f1321.ts', solitary: 'only-main.ts' };
  const onOther = { harbour: 'dir21/f1321.ts' };

  it('follows a switch of all files, and a switch back without analysing a file again', async function () {
    this.timeout(600_000);
    const root = repository();
    const state = folder();
    const index = openIndex(root, state);
    await index.reconcile();
    assert.equal(index.work().analysed, FILES + 2);
    git(root, 'checkout', '-q', 'other');
    await index.scanTimes();
    assert.equal(index.work().analysed, 2 * FILES + 2);
    assert.deepEqual(await places(root, state), onOther);
    assert.equal(index.status().files, FILES + 1);
    for (const branch of ['main', 'other', 'main']) {
      git(root, 'checkout', '-q', branch);
      await index.scanTimes();
    }
    assert.equal(index.work().analysed, 2 * FILES + 2);
    assert.deepEqual(await places(root, state), onMain);
    assert.equal(index.status().files, FILES + 2);
    await index.close();
  });

  it("of a new working tree starts as a copy of another tree's index, and analyses only the differences", async function () {
    this.timeout(600_000);
    const root = repository();
    const siblings = folder();
    const state = folder();
    const first = openIndex(root, state, { siblings });
    await first.reconcile();

    const linked = join(folder(), 'linked');
    git(root, 'worktree', 'add', '-q', '-b', 'third', linked);
    writeFiles(linked, { 'common.ts': 'export const halyard = 1;\n' });
    rmSync(join(linked, 'only-main.ts'));
    const linkedState = folder();
    const second = openIndex(linked, linkedState, { siblings });
    await second.reconcile();
    assert.deepEqual(second.work(), { filesRead: FILES + 1, analysed: 1 });
    const inLinked = { lantern: 'dir21/f1321.ts', halyard: 'common.ts' };
    assert.deepEqual(await places(linked, linkedState), inLinked);
    assert.equal(second.status().files, FILES + 1);

    // They share nothing but files.
    assert.deepEqual(await places(root, state), onMain);
    rmSync(join(root, 'dir21'), { recursive: true });
    await first.scanTimes();
    await first.close();
    assert.deepEqual(await places(root, state), { solitary: 'only-main.ts' });
    assert.deepEqual(await places(linked, linkedState), inLinked);
    await second.close();
  });
});
