import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { checkRepository } from '../../scripts/lib/repository.mjs';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';

const IDENTITY = ['-c', 'user.name=Tester', '-c', 'user.email=tester@example.com'];

describe('the check of the repository', () => {
  const folder = temporaryFolder();
  const git = (cwd: string, ...args: readonly string[]): string =>
    execFileSync('git', [...IDENTITY, ...args], { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();
  const commit = (cwd: string, subject: string): string => {
    git(cwd, 'commit', '-q', '--allow-empty', '-m', subject);
    return git(cwd, 'rev-parse', 'HEAD');
  };
  /** A repository whose first commit breaks the rule, and precedes it. */
  const repository = (): { readonly root: string; readonly since: string } => {
    const root = folder();
    git(root, 'init', '-q', '-b', 'main');
    return { root, since: commit(root, 'x'.repeat(100)) };
  };
  const problemsOf = ({ root, since }: { readonly root: string; readonly since: string }, large?: string): string[] =>
    checkRepository(root, { since, large: new Set(large === undefined ? [] : [large]) }).problems;

  it('refuses a tracked file over 300 kB that is not on the list', () => {
    const { root, since } = repository();
    const bytes = new Uint8Array(300_001);
    writeFiles(root, { 'lib/model.bin': bytes, 'untracked.bin': bytes, 'small.bin': bytes.subarray(1) });
    git(root, 'add', 'lib/model.bin', 'small.bin');
    const [problem, ...others] = problemsOf({ root, since });
    assert.match(problem ?? '', /^lib\/model\.bin has 301 kB, more than 300 kB/);
    assert.deepEqual(others, []);
    assert.deepEqual(problemsOf({ root, since }, 'lib/model.bin'), []);
  });

  it('refuses a source of over 500 lines, but not a test or a page', () => {
    const { root, since } = repository();
    const long = 'x\n'.repeat(501);
    writeFiles(root, {
      'src/a.ts': long,
      'src/b.ts': long.slice(2),
      'src/a.test.ts': long,
      'docs/a.md': long,
      'webview/a.tsx': long,
    });
    git(root, 'add', '.');
    assert.deepEqual(
      problemsOf({ root, since }),
      ['src/a.ts', 'webview/a.tsx'].map((name) => `${name} has 501 lines, more than 500: divide it.`),
    );
  });

  it('refuses avoided words in pages, in the manifest and in its texts, but not in code', () => {
    const { root, since } = repository();
    writeFiles(root, {
      'README.md': 'Told twice.\n\n```\nnobody is asked\n```\n\nOne line,\nand then\nanew `gone`.\n',
      'docs/clean.md': 'None of these pages.\n',
      'docs/api/index.md': 'Generated for somebody.\n',
      'package.nls.json': '{"command.x": "Make the Index Anew"}',
      'package.json': '{"contributes": {"commands": [{"title": "Ask Somebody"}]}}',
    });
    git(root, 'add', '.');
    const { problems } = checkRepository(root, { since });
    assert.deepEqual(
      problems.map((problem) => problem.slice(0, problem.indexOf(' write'))),
      [
        'README.md:1: Instead of “Told”',
        'README.md:9: Instead of “anew”',
        'package.json: Instead of “Somebody”',
        'package.nls.json: Instead of “Anew”',
        'package.nls.json: Instead of “Make the Index”',
      ],
    );
  });

  it('refuses subjects over 72 characters and subjects with a full stop', () => {
    const made = repository();
    commit(made.root, 'y'.repeat(72));
    assert.deepEqual(problemsOf(made), []);
    commit(made.root, 'z'.repeat(73));
    commit(made.root, 'Stop here.');
    const problems = problemsOf(made);
    assert.equal(problems.length, 2);
    assert.match(problems[0] ?? '', /ends with a full stop: Stop here\.$/);
    assert.match(problems[1] ?? '', /has 73 characters, more than 72: z+$/);
  });

  it('exempts merges, but not the merged commits', () => {
    const made = repository();
    git(made.root, 'checkout', '-q', '-b', 'side');
    commit(made.root, 'Side.');
    git(made.root, 'checkout', '-q', 'main');
    git(made.root, 'merge', '-q', '--no-ff', '-m', `Merge ${'m'.repeat(100)}.`, 'side');
    assert.match(problemsOf(made).join('\n'), /^The subject of \w+ ends with a full stop: Side\.$/);
  });

  it('checks the commits of a shallow clone, and notes that the others are missing', () => {
    const { root, since } = repository();
    commit(root, 'Long ago.');
    commit(root, 'Today.');
    const clone = join(folder(), 'clone');
    git(root, 'clone', '-q', '--depth', '1', `file://${root}`, clone);
    const { problems, notes } = checkRepository(clone, { since });
    assert.match(problems.join('\n'), /^The subject of \w+ ends with a full stop: Today\.$/);
    assert.match(notes.join('\n'), /^A shallow clone: /);
  });

  it('notes a folder that is no repository or has another history', () => {
    assert.match(checkRepository(folder()).notes.join('\n'), /no Git repository/);
    const { problems, notes } = checkRepository(repository().root, { since: '0'.repeat(40) });
    assert.deepEqual(problems, []);
    assert.match(notes.join('\n'), /^The history has no commit 0000000/);
  });
});
