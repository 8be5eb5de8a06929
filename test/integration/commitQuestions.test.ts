import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../support/temporary.ts';
import { committedRepository, questionOf } from '../bench/commits/questions.ts';

describe('questions of commits', () => {
  const folder = temporaryFolder();

  it('are subjects without the kind of change and the number of an issue', () => {
    const cases: readonly (readonly [string, string | undefined])[] = [
      ['fix(router): keep the query of a redirect (#123)', 'router keep the query of a redirect'],
      ['Close the socket after a timeout, fixes #7', 'Close the socket after a timeout,'],
      ['feat!: read the limit of budgets from the plan', 'read the limit of budgets from the plan'],
      ['Bump the limit of files', undefined],
      ['deps: bump undici from one to two', undefined],
      ['Fix the limit', undefined],
      ['Explain how limits are read in server.ts', undefined],
      ['Explain how limits are read in src/server', undefined],
    ];
    for (const [subject, question] of cases) assert.equal(questionOf(subject), question, subject);
  });

  it('ask for the only file that a commit changed, if it still exists, at most twice for each', () => {
    const root = folder();
    const git = (...args: string[]): void => {
      execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args]);
    };
    const commit = (subject: string, ...paths: string[]): void => {
      for (const path of paths) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), subject);
      }
      git('add', '.');
      git('commit', '-q', '-m', subject);
    };
    git('init', '-q');
    commit('Light the lantern of the harbour', 'src/lantern.ts');
    commit('Ring the bell of the tower', 'src/bell.ts');
    commit('Ring the bell before the lantern is lit', 'src/bell.ts', 'src/lantern.ts');
    commit('Describe changes of the harbour', 'CHANGELOG.md');
    commit('Sink the boat near the harbour', 'src/boat.ts');
    for (const day of ['Monday', 'Tuesday', 'Thursday']) commit(`Light the lantern on every ${day}`, 'src/lantern.ts');
    git('rm', '-q', 'src/boat.ts');
    git('commit', '-q', '-m', 'Forget all boats of the harbour');
    const { documents, questions } = committedRepository(root, 'HEAD', 10);
    assert.deepEqual(documents.map(({ path }) => path).sort(), ['CHANGELOG.md', 'src/bell.ts', 'src/lantern.ts']);
    assert.deepEqual(questions, [
      { text: 'Light the lantern on every Thursday', path: 'src/lantern.ts' },
      { text: 'Light the lantern on every Tuesday', path: 'src/lantern.ts' },
      { text: 'Ring the bell of the tower', path: 'src/bell.ts' },
    ]);
  });
});
