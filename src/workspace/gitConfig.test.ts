import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { runs } from '../../test/support/runs.ts';
import { temporaryFolder, writeFiles } from '../../test/support/temporary.ts';
import { globalExcludesFile, parseGitConfig, readGitConfig, systemFiles } from './gitConfig.ts';

describe('gitConfig', () => {
  const folder = temporaryFolder();

  it('reads the settings that Git reads from any file that it accepts', () => {
    const file = join(folder(), 'config');
    const piece = fc.constantFrom(
      ...[
        '[core]',
        '[Core "Sub.x"]',
        '[a "q\\"u"]',
        '\n',
        '\n',
        '\n',
        'excludesFile',
        ' = ',
        '=',
        'x',
        ' y ',
        '"',
        '\\\\',
      ],
      ...['\\n', '\\"', '# no', '; no', '\t', 'key', '\\\n', '~/f', 'Ab-1', '\r\n'],
    );
    let accepted = 0;
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const text = `[core]\n${pieces.join('')}`;
        writeFiles(join(file, '..'), { config: text });
        const git = spawnSync('git', ['config', '--file', file, '--list', '-z'], { encoding: 'utf8' });
        if (git.status !== 0) return;
        accepted++;
        const expected = git.stdout.split('\0').slice(0, -1);
        // Git before 2.45 makes a space of a tab within a value.
        const spaces = (value: string): string => value.replace(/\t/g, ' ');
        const ours = parseGitConfig(text).map(({ name, value }) => `${name}\n${spaces(value)}`);
        // Git tells a key without a value by leaving the line break out.
        assert.deepEqual(
          ours,
          expected.map((line) => (line.includes('\n') ? line : `${line}\ntrue`)).map(spaces),
          JSON.stringify(text),
        );
      }),
      { numRuns: runs(1000) },
    );
    assert.ok(accepted > 40, `${accepted} files were accepted`);
  });

  it('keeps spaces before a line that is continued, as Git does', () => {
    const valueOf = (text: string): string | undefined => parseGitConfig(`[core]\nexcludesFile =${text}`)[0]?.value;
    assert.equal(valueOf(' y \\\n'), 'y ');
    assert.equal(valueOf(' y \\\n\n'), 'y ');
    assert.equal(valueOf(' y \\\n  z # \\\n'), 'y   z');
    assert.equal(valueOf(' y \n'), 'y');
  });

  it('lets the repository overrule the user, follows includes, and finds the excludes file', () => {
    const home = folder();
    const repository = folder();
    const tree = folder();
    const env = { GIT_CONFIG_NOSYSTEM: '1' };
    const excludes = (): string | undefined =>
      globalExcludesFile(
        readGitConfig({ commonDir: repository, gitDir: tree }, { home, env }, () => undefined),
        { home, env },
      );
    assert.equal(excludes(), join(home, '.config/git/ignore'));
    writeFiles(home, { '.config/git/config': '[core]\nexcludesFile = /x\n' });
    assert.equal(excludes(), '/x');
    writeFiles(home, { '.gitconfig': '[include]\npath = more.inc\n', 'more.inc': '[core]\nexcludesFile = "~/y z"\n' });
    assert.equal(excludes(), join(home, 'y z'));
    writeFiles(repository, { config: '[CORE]\n\texcludesfile =\n' });
    assert.equal(excludes(), undefined);
    writeFiles(tree, { 'config.worktree': '[core]\nexcludesFile = /of/tree\n' });
    assert.equal(excludes(), undefined);
    writeFiles(repository, { config: '[extensions]\n\tworktreeConfig\n' });
    assert.equal(excludes(), '/of/tree');
  });

  it('ends with a configuration that includes itself, and keeps its settings', () => {
    const repository = folder();
    writeFiles(repository, { config: `[core]\nexcludesFile = /x\n${'[include]\npath = config\n'.repeat(6)}` });
    const git = { home: folder(), env: { GIT_CONFIG_NOSYSTEM: '1' } };
    let files = 0;
    const settings = readGitConfig({ commonDir: repository, gitDir: repository }, git, () => files++);
    assert.equal(settings.get('core.excludesfile'), '/x');
    assert.ok(files < 110, `${files} files`);
  });

  it('finds the settings of the machine beside Git for Windows, and in ProgramData', () => {
    const files = (programs: string | undefined, env = {}): string[] => systemFiles(env, 'win32', () => programs);
    const beside = join('/Git', 'etc', 'gitconfig');
    for (const programs of ['cmd', 'bin', 'mingw64/bin', 'clangarm64/bin'])
      assert.deepEqual(files(join('/Git', programs)), [beside], programs);
    assert.deepEqual(files(join('/Git', 'cmd'), { ProgramData: '/data' }), [join('/data', 'Git', 'config'), beside]);
    assert.deepEqual(files(undefined), []);
    assert.deepEqual(systemFiles({}, 'linux'), ['/etc/gitconfig']);
  });
});
