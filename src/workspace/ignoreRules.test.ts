import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { temporaryFolder, writeFiles } from '../../test/support/temporary.ts';
import { IgnoreRules } from './ignoreRules.ts';

describe('IgnoreRules', () => {
  const folder = temporaryFolder();

  it('agrees with git check-ignore on any rules, also in nested files', () => {
    const root = folder();
    execFileSync('git', ['init', '-q', root]);
    const name = fc.constantFrom('a', 'b', 'c.log', 'd.ts', 'build', 'x y', 'ä');
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
    const pattern = fc.oneof(
      path,
      fc.constantFrom(
        '*.log',
        '/a',
        'a/',
        '!b',
        '**/build',
        'a/**',
        '!*.ts',
        '# note',
        '',
        '*',
        '!a/',
        'a/*',
        'b?ild',
        '[ab]',
        '/build/',
        '\\#',
        'x\\ y',
      ),
    );
    const rules = fc.array(pattern, { maxLength: 5 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(rules, rules, fc.array(path, { minLength: 1, maxLength: 12 }), (top, nested, paths) => {
        writeFiles(root, { '.gitignore': top, 'a/.gitignore': nested });
        const stdin = paths.join('\0');
        const args = ['-C', root, '-c', 'core.ignorecase=false', 'check-ignore', '--stdin', '-z', '--no-index'];
        const git = spawnSync('git', args, { input: stdin, encoding: 'utf8' });
        const ignored = new Set(git.stdout.split('\0'));
        // a/ exists, to hold its .gitignore, and Git looks whether a path is a folder.
        const ours = new IgnoreRules(root, []);
        for (const one of paths) {
          assert.equal(
            ours.checkFromTop(one, one === 'a') !== undefined,
            ignored.has(one),
            `${one} with ${top} and ${nested}`,
          );
        }
      }),
      { numRuns: 300 },
    );
  });

  it('takes .gitignore for what it is outside a repository: a file like others', () => {
    const root = folder();
    writeFiles(root, {
      '.gitignore': '/*\n',
      '.sextantignore': '*.tmp\n',
      'clone/.git/HEAD': '',
      'clone/.gitignore': '*.log\n',
    });
    const rules = new IgnoreRules(root, []);
    assert.equal(rules.checkFromTop('src/main.ts', false), undefined);
    assert.equal(rules.checkFromTop('a.tmp', false)?.reason, 'ignored');
    assert.equal(rules.checkFromTop('a.log', false), undefined);
    assert.equal(rules.checkFromTop('clone/a.log', false)?.reason, 'ignored');
  });

  it('keeps the rules of the repository when only a part of it is open', () => {
    const root = folder();
    writeFiles(root, { '.git/HEAD': '', '.gitignore': 'dist/\n/apps/shop/local.json\n', 'apps/.gitignore': '*.log\n' });
    const rules = new IgnoreRules(join(root, 'apps/shop'), []);
    assert.equal(rules.checkFromTop('dist/main.js', false)?.detail, '.gitignore: dist/');
    assert.equal(rules.checkFromTop('local.json', false)?.reason, 'ignored');
    assert.equal(rules.checkFromTop('src/x.log', false)?.detail, 'apps/.gitignore: *.log');
    assert.equal(rules.checkFromTop('src/main.ts', false), undefined);
  });

  it('names the rule that decided', () => {
    const root = folder();
    writeFiles(root, { '.gitignore': '*.log\n', 'sub/.sextantignore': 'secret/\n', '.git/info/exclude': 'mine.txt\n' });
    const rules = new IgnoreRules(root, ['**/dist']);
    assert.deepEqual(rules.checkFromTop('x/y.log', false), { reason: 'ignored', detail: '.gitignore: *.log' });
    assert.deepEqual(rules.checkFromTop('sub/secret/key', false), {
      reason: 'ignored',
      detail: 'sub/.sextantignore: secret/',
    });
    assert.deepEqual(rules.checkFromTop('mine.txt', false), {
      reason: 'ignored',
      detail: '.git/info/exclude: mine.txt',
    });
    assert.deepEqual(rules.checkFromTop('a/dist/b.js', false), { reason: 'excluded', detail: 'sextant.index.exclude' });
    assert.deepEqual(rules.checkFromTop('.git/config', false), { reason: 'excluded', detail: 'version control' });
    assert.equal(rules.checkFromTop('src/main.ts', false), undefined);
  });
});
