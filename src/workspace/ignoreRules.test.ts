import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { runs, times } from '../../test/support/runs.ts';
import { temporaryFolder, writeFiles } from '../../test/support/temporary.ts';
import { IgnoreRules } from './ignoreRules.ts';

describe('IgnoreRules', () => {
  const folder = temporaryFolder();
  /** A home without configuration, which a test may fill. */
  const home = { home: '/nowhere', env: { GIT_CONFIG_NOSYSTEM: '1' } };
  const none = { exclude: [] };

  function git(home: string, root: string, ...args: string[]): string {
    const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.org', '-c', 'protocol.file.allow=always'];
    return execFileSync('git', [...identity, ...args], { cwd: root, env, encoding: 'utf8', stdio: 'pipe' });
  }

  /** Those of the paths that Git ignores. */
  function ignoredByGit(home: string, root: string, paths: readonly string[]): ReadonlySet<string> {
    const args = ['-C', root, 'check-ignore', '--stdin', '-z', '--no-index'];
    const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
    const { stdout, stderr, status } = spawnSync('git', args, { input: paths.join('\0'), encoding: 'utf8', env });
    assert.ok(status === 0 || status === 1, stderr);
    return new Set(stdout.split('\0'));
  }

  const name = fc.constantFrom('a', 'b', 'c.log', 'd.ts', 'build', 'x y', 'B', '#n', '!k', '[z]');
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
  const pattern = fc.oneof(
    path,
    fc
      .array(fc.constantFrom('a', 'b', '*', '**', '?', '/', '.', 'log', '!', '[', ']', '-', '\\', ' ', 'x', '#'), {
        minLength: 1,
        maxLength: 7,
      })
      .map((parts) => parts.join('')),
    fc.constantFrom(
      ...['*.log', '/a', 'a/', '!b', '**/build', 'a/**', '!*.ts', '# note', '', '*', '!a/', 'a/*', 'b?ild', '[ab]'],
      ...['/build/', '\\#n', '\\!k', 'x\\ y', 'x y  ', '!/a/b', 'a/**/b', '[[:alpha:]]', '[!a]', '[a-b]', '/*', '!/a'],
      ...['/**', '**', '**/', '!**/b', 'a//b', '/', '!', '\\[z\\]', 'd.ts\r'],
    ),
  );
  const rules = fc.array(pattern, { maxLength: 5 }).map((lines) => lines.join('\n'));

  it('agrees with git check-ignore on random rules in every place of Git', () => {
    const own = folder();
    const root = folder();
    git(own, root, 'init', '-q');
    const places = fc.record({ top: rules, nested: rules, deep: rules, info: rules, global: rules });
    fc.assert(
      fc.property(places, fc.array(path, { minLength: 1, maxLength: 12 }), (texts, paths) => {
        writeFiles(root, { '.gitignore': texts.top, 'a/.gitignore': texts.nested, 'a/b/.gitignore': texts.deep });
        writeFiles(root, { '.git/info/exclude': texts.info });
        writeFiles(own, { '.config/git/ignore': texts.global });
        const ignored = ignoredByGit(own, root, paths);
        const ours = new IgnoreRules(root, none, { home: own, env: home.env });
        for (const one of paths) {
          // These exist, to hold their .gitignore, and Git looks whether a path is a folder.
          const isFolder = one === 'a' || one === 'a/b';
          assert.equal(
            ours.checkFromTop(one, isFolder) !== undefined,
            ignored.has(one),
            `${one} with ${JSON.stringify(texts)}`,
          );
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('agrees with git check-ignore on escaped slashes, and on ** after a literal beginning', () => {
    const own = folder();
    const root = folder();
    git(own, root, 'init', '-q');
    const names = ['a', 'b', 'x'];
    const inFolders = names.flatMap((first) => names.map((second) => `${first}/${second}`));
    const paths = [...names, ...inFolders, ...inFolders.flatMap((one) => names.map((third) => `${one}/${third}`))];
    const lines =
      String.raw`**\/a /**\/a !**\/b x/**\/a x**\/a x**/a !a/x**/b a\/b a\/** **\/a\/b **\/**\/a a\/ \/a \\/a`.split(
        ' ',
      );
    for (const line of lines.flatMap((one) => [one, `${one} `])) {
      for (const file of ['.gitignore', 'a/.gitignore']) {
        writeFiles(root, {
          '.gitignore': '',
          'a/.gitignore': '',
          [file]: `${line.startsWith('!') ? '*\n' : ''}${line}\n`,
        });
        const ignored = ignoredByGit(own, root, paths);
        const ours = new IgnoreRules(root, none, { home: own, env: home.env });
        for (const one of paths)
          assert.equal(
            ours.checkFromTop(one, one === 'a') !== undefined,
            ignored.has(one),
            `${one} with ${line} in ${file}`,
          );
      }
    }
  });

  it('agrees with git check-ignore in clones, submodules, linked and nested working trees', () => {
    const own = folder();
    const at = folder();
    const library = join(at, 'library');
    writeFiles(own, { '.gitconfig': '[core]\n\texcludesFile = ~/mine # and no other\n', mine: '*.swp\nlocal/\n' });
    writeFiles(library, { '.gitignore': '*.log\n/out\n!keep.log\n', 'lib/.gitignore': 'tmp\n', 'lib/a.c': '' });
    git(own, library, 'init', '-q');
    git(own, library, 'add', '-A');
    git(own, library, 'commit', '-qm', 'one');
    git(own, at, 'clone', '-q', 'library', 'clone');
    const clone = join(at, 'clone');
    git(own, clone, 'submodule', '--quiet', 'add', library, 'sub');
    git(own, clone, 'worktree', 'add', '-q', join(at, 'linked'));
    git(own, clone, 'init', '-q', 'nested');
    writeFiles(clone, {
      '.git/info/exclude': 'info.txt\n',
      '.git/modules/sub/info/exclude': 'subinfo.txt\n',
      'nested/.gitignore': 'n.txt\n',
      'nested/.git/info/exclude': 'nestedinfo.txt\n',
    });
    const names = ['a.swp', 'a.log', 'keep.log', 'info.txt', 'subinfo.txt', 'n.txt', 'nestedinfo.txt', 'x.c', 'tmp'];
    const folders = ['', 'lib/', 'out/', 'local/', 'lib/deep/'];
    const paths = folders.flatMap((one) => names.map((name) => one + name));
    for (const [root, below] of [
      [clone, ''],
      [join(clone, 'sub'), 'sub/'],
      [join(clone, 'nested'), 'nested/'],
    ] as const) {
      const ignored = ignoredByGit(own, root, paths);
      assert.ok(ignored.size > 3);
      const whole = new IgnoreRules(clone, none, { home: own, env: home.env });
      const part = new IgnoreRules(root, none, { home: own, env: home.env });
      for (const one of paths) {
        assert.equal(whole.checkFromTop(below + one, false) !== undefined, ignored.has(one), below + one);
        assert.equal(part.checkFromTop(one, false) !== undefined, ignored.has(one), one);
      }
    }
    const linked = new IgnoreRules(join(at, 'linked'), none, { home: own, env: home.env });
    const ignored = ignoredByGit(own, join(at, 'linked'), paths);
    assert.ok(ignored.has('info.txt'));
    for (const one of paths) assert.equal(linked.checkFromTop(one, false) !== undefined, ignored.has(one), one);
  });

  it('reads an excludes file with a relative path, and that of a working tree alone, as Git does', () => {
    const own = folder();
    const at = folder();
    const tree = join(at, 'tree');
    const names = ['a.log', 'a.tmp', 'a.ts', 'sub/a.log', 'nested/a.log', 'nested/a.tmp'];
    writeFiles(tree, { 'mine.txt': '*.log\n', 'theirs.txt': '*.tmp\n' });
    git(own, tree, 'init', '-q');
    git(own, tree, 'init', '-q', 'nested');
    git(own, tree, 'config', 'core.excludesFile', 'mine.txt');
    const agree = (): void => {
      const rules = new IgnoreRules(tree, none, { home: own, env: home.env });
      const ignored = ignoredByGit(own, tree, names.slice(0, 4));
      assert.ok(ignored.size > 1);
      for (const one of names) assert.equal(rules.checkFromTop(one, false) !== undefined, ignored.has(one), one);
    };
    agree();
    git(own, tree, 'config', 'extensions.worktreeConfig', 'true');
    git(own, tree, 'config', '--worktree', 'core.excludesFile', 'theirs.txt');
    agree();
  });

  it('passes over a line that is too long for a path, and keeps the others', () => {
    const root = folder();
    writeFiles(root, { '.git/HEAD': '', '.gitignore': `*.log\n${'a'.repeat(1 << 15)}\n${'b'.repeat(200_000)}\n` });
    const rules = new IgnoreRules(root, none, home);
    assert.equal(rules.check('a.log', false)?.reason, 'ignored');
    assert.equal(rules.check('a.ts', false), undefined);
  });

  it('treats .gitignore outside a repository as an ordinary file', () => {
    const root = folder();
    writeFiles(root, {
      '.gitignore': '/*\n',
      '.sextantignore': '*.tmp\n',
      'clone/.git/HEAD': '',
      'clone/.gitignore': '*.log\n',
    });
    const rules = new IgnoreRules(root, none, home);
    assert.equal(rules.checkFromTop('src/main.ts', false), undefined);
    assert.equal(rules.checkFromTop('a.tmp', false)?.reason, 'ignored');
    assert.equal(rules.checkFromTop('a.log', false), undefined);
    assert.equal(rules.checkFromTop('clone/a.log', false)?.reason, 'ignored');
    assert.equal(rules.checkFromTop('clone/a.tmp', false)?.reason, 'ignored');
  });

  it('keeps the rules of the repository when only a subfolder is open', () => {
    const root = folder();
    writeFiles(root, { '.git/HEAD': '', '.gitignore': 'dist/\n/apps/shop/local.json\n', 'apps/.gitignore': '*.log\n' });
    const rules = new IgnoreRules(join(root, 'apps/shop'), none, home);
    assert.equal(rules.checkFromTop('dist/main.js', false)?.detail, '.gitignore: dist/');
    assert.equal(rules.checkFromTop('local.json', false)?.reason, 'ignored');
    assert.equal(rules.checkFromTop('src/x.log', false)?.detail, 'apps/.gitignore: *.log');
    assert.equal(rules.checkFromTop('src/main.ts', false), undefined);
  });

  it('indexes an open folder that its repository ignores', () => {
    const root = folder();
    writeFiles(root, { '.git/HEAD': '', '.gitignore': 'vendor/\n', '.sextantignore': '*.tmp\n' });
    const rules = new IgnoreRules(join(root, 'vendor/lib'), none, home);
    assert.equal(rules.checkFromTop('src/main.ts', false), undefined);
  });

  it('includes files that Git ignores, and enters ignored folders on the path of a pattern', () => {
    const root = folder();
    writeFiles(root, {
      '.git/HEAD': '',
      '.gitignore': 'build/\n*.pb.go\nout/\nvendor/\n*.log\n',
      '.sextantignore':
        '!build/generated/api/\n!*.pb.go\n!vendor/\nsecret/\n!secret/public/\nbuild/generated/api/old/\n',
      'vendor/.gitignore': 'tmp/\n',
      'build/.gitignore': '!loose.ts\n',
    });
    const rules = new IgnoreRules(root, { exclude: ['**/never.ts'] }, home);
    const reason = (path: string): string | undefined => rules.checkFromTop(path, false)?.detail;
    assert.equal(reason('build/generated/api/x/y.ts'), undefined);
    assert.equal(reason('build/generated/api/never.ts'), 'sextant.index.exclude: **/never.ts');
    assert.equal(reason('build/generated/api/old/y.ts'), '.sextantignore: build/generated/api/old/');
    assert.equal(reason('build/generated/api/x.log'), '.gitignore: *.log');
    assert.equal(reason('build/generated/other/y.ts'), '.gitignore: build/');
    assert.equal(reason('build/main.js'), '.gitignore: build/');
    assert.equal(reason('build/loose.ts'), '.gitignore: build/');
    assert.equal(reason('src/a.pb.go'), undefined);
    assert.equal(reason('out/a.pb.go'), '.gitignore: out/');
    assert.equal(reason('vendor/a.c'), undefined);
    assert.equal(reason('vendor/tmp/a.c'), 'vendor/.gitignore: tmp/');
    assert.equal(reason('secret/public/a.txt'), '.sextantignore: secret/');
    assert.equal(rules.check('build', true), undefined);
    assert.equal(rules.check('out', true)?.detail, '.gitignore: out/');
  });

  it('includes all files that Git ignores by one rule, and none that its own rules ignore', () => {
    fc.assert(
      fc.property(rules, fc.array(path, { minLength: 1, maxLength: 8 }), (text, paths) => {
        const root = folder();
        mkdirSync(join(root, '.git'));
        writeFiles(root, { '.gitignore': text, '.sextantignore': '!**\nb/\n' });
        const ours = new IgnoreRules(root, none, home);
        for (const one of paths) {
          const isBelowB = one.split('/').slice(0, -1).includes('b');
          assert.equal(ours.checkFromTop(one, false) !== undefined, isBelowB, `${one} with ${text}`);
        }
        rmSync(root, { recursive: true });
      }),
      { numRuns: times(100) },
    );
  });

  it('names the deciding rule', () => {
    const root = folder();
    writeFiles(root, { '.gitignore': '*.log\n', 'sub/.sextantignore': 'secret/\n', '.git/info/exclude': 'mine.txt\n' });
    writeFiles(root, { 'ci/index/sextant-folder.json': '' });
    const own = folder();
    writeFiles(own, { '.config/git/ignore': '*.swp' });
    const editorExclude = { 'files.exclude': ['**/*.bak'], 'search.exclude': ['**/dist'] };
    const rules = new IgnoreRules(root, { exclude: ['**/gen'], editorExclude }, { home: own, env: home.env });
    const details: Record<string, string> = {
      'x/y.log': '.gitignore: *.log',
      'sub/secret/key': 'sub/.sextantignore: secret/',
      'mine.txt': '.git/info/exclude: mine.txt',
      'a.swp': `${own}/.config/git/ignore: *.swp`,
    };
    for (const [path, detail] of Object.entries(details)) {
      assert.deepEqual(rules.checkFromTop(path, false), { reason: 'ignored', detail });
    }
    const settings: Record<string, string> = {
      'a/gen/b.js': 'sextant.index.exclude: **/gen',
      'a/dist/b.js': 'search.exclude: **/dist',
      'c.bak': 'files.exclude: **/*.bak',
      '.git/config': 'version control',
      'sub/.git': 'version control',
      'ci/index/files.json': 'Sextant',
    };
    for (const [path, detail] of Object.entries(settings)) {
      assert.deepEqual(rules.checkFromTop(path, false), { reason: 'excluded', detail });
    }
    assert.equal(rules.checkFromTop('src/main.ts', false), undefined);
  });

  it('notices a changed rule file, even outside the folder', () => {
    const own = folder();
    const root = folder();
    const changes: (() => void)[] = [
      () => writeFiles(own, { '.config/git/ignore': '*.swp' }),
      () => writeFiles(root, { '.git/info/exclude': '*.swp' }),
      () => writeFiles(root, { '.git/config': '[core]\nexcludesFile = ~/other\n' }),
      () => writeFiles(own, { other: '*.swp' }),
      () => writeFiles(root, { '.gitignore': '*.swp' }),
      () => rmSync(join(root, '.gitignore')),
      () => writeFiles(root, { 'part/.sextantignore': '*.swp' }),
      () => rmSync(join(root, '.git'), { recursive: true }),
    ];
    writeFiles(root, { '.git/HEAD': '', 'part/deep/a.ts': '' });
    for (const [i, change] of changes.entries()) {
      const rules = new IgnoreRules(join(root, 'part/deep'), none, { home: own, env: home.env });
      rules.checkFromTop('a.ts', false);
      assert.equal(rules.isStale(), false, `before change ${i}`);
      change();
      assert.equal(rules.isStale(), true, `after change ${i}`);
    }
    assert.deepEqual(readdirSync(root), ['part']);
  });
});
