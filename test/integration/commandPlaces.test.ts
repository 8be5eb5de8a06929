import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Painter, hasHyperlinks } from '../../src/cli/search/painter.ts';
import { commandRunner, copySample } from '../support/command.ts';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';

interface Answer {
  readonly root: string;
  readonly results: readonly { readonly path: string }[];
}

interface List {
  readonly indexes: readonly {
    readonly root: string;
    readonly stateFolder: string;
    readonly files: number;
    readonly exists: boolean;
  }[];
}

describe('The places that the command prints', () => {
  const folder = temporaryFolder();
  const sextant = commandRunner(folder);
  const json = (...args: string[]): unknown => JSON.parse(sextant(...args, '--json').stdout);
  const indexed = (): string[] => (json('index', '--list') as List).indexes.map(({ root }) => root);

  it('of a folder in an indexed one come from that index, restricted to the folder beside other filters', () => {
    const root = copySample(folder());
    const auth = join(root, 'src/auth');
    sextant('index', root);
    const { results, root: searched } = json('search', 'password path:README path:Hash', auth) as Answer;
    assert.equal(searched, auth);
    assert.deepEqual(
      results.map(({ path }) => path),
      ['passwordHash.ts'],
    );
    assert.match(sextant('search', 'verifyPassword', auth).stdout, new RegExp(`^${auth}/passwordHash\\.ts:13 `));
    const usages = sextant('find-usages', 'verifyPassword', auth).stdout;
    assert.ok(
      usages
        .split('\n')
        .filter(Boolean)
        .every((line) => line.startsWith(auth)),
      usages,
    );
    assert.match(sextant('ask', 'how are passwords verified?', auth).stdout, /\[1\] passwordHash\.ts/);
    const why = sextant('why', 'passwordHash.ts', 'password path:README path:Hash', '--dir', auth);
    assert.match(why.stdout, /^src\/auth\/passwordHash\.ts is result 1 for: /);
    assert.match(sextant('why', join(auth, 'passwordHash.ts'), '--dir', auth).stdout, /^src\S+ is indexed: typescript/);
    assert.match(sextant('why', auth, '--dir', auth).stdout, /^src\/auth is a folder\./);
    assert.deepEqual(indexed(), [root]);
    // A folder that the rules leave out has an index of its own.
    writeFiles(root, { '.sextantignore': 'build/\n', 'build/out.ts': 'export function lighthouse() {}\n' });
    const build = join(root, 'build');
    assert.deepEqual(
      (json('search', 'lighthouse', build) as Answer).results.map(({ path }) => path),
      ['out.ts'],
    );
    assert.deepEqual(indexed(), [root, build]);
    sextant('index', '--remove', root);
    sextant('index', '--remove', build);
  });

  it('have lines around the best one', () => {
    const root = folder();
    writeFiles(root, {
      'a.ts': 'const one = 1;\nconst two = 2;\n  export function lighthouse() {}\n\nconst five = 5;\n',
    });
    const { stdout } = sextant('search', 'lighthouse', root, '-C', '2');
    assert.equal(
      stdout,
      `${root}/a.ts:3  lighthouse function\n    1- const one = 1;\n    2- const two = 2;\n    3:   export function lighthouse() {}\n    4-\n    5- const five = 5;\n`,
    );
  });

  it('have colours as wanted', () => {
    const root = copySample(folder());
    const always = sextant('search', 'verifyPassword', root, '--limit', '1', '--color', 'always').stdout;
    assert.ok(always.includes(`\u001b[36m${root}/src/auth/passwordHash.ts\u001b[39m:13`), always);
    assert.ok(!sextant('search', 'verifyPassword', root, '--color', 'never').stdout.includes('\u001b'));
    assert.ok(sextant('find-usages', 'verifyPassword', root, '--color', 'always').stdout.includes('\u001b[36m'));
    assert.equal(sextant('search', 'x', root, '--color', 'sometimes').code, 2);
  });

  it('are links where the terminal has them', () => {
    const terminal = Object.assign(new PassThrough(), { isTTY: true }) as unknown as NodeJS.WriteStream;
    const pipe = new PassThrough() as unknown as NodeJS.WriteStream;
    const env = { TERM_PROGRAM: 'WezTerm' };
    assert.equal(
      new Painter('always', terminal, env).path('a b.ts', '/x/a b.ts', 3),
      `\u001b]8;;file://${hostname()}/x/a%20b.ts#L3\u001b\\\u001b[36ma b.ts\u001b[39m\u001b]8;;\u001b\\`,
    );
    assert.equal(new Painter('never', terminal, env).path('a.ts', '/x/a.ts', 3), 'a.ts');
    assert.ok(!new Painter('always', pipe, env).path('a', '/a', 1).includes(']8;;'));
    for (const known of [
      env,
      { VTE_VERSION: '7200' },
      { WT_SESSION: 'x' },
      { TERM: 'xterm-kitty' },
      { FORCE_HYPERLINK: '1' },
    ])
      assert.equal(hasHyperlinks(known), true, JSON.stringify(known));
    for (const other of [{}, { TERM: 'dumb', VTE_VERSION: '7200' }, { TMUX: '/x', ...env }, { NO_COLOR: '1', ...env }])
      assert.equal(hasHyperlinks(other), false, JSON.stringify(other));
  });

  it('are definitions, for outline', () => {
    const root = copySample(folder());
    const file = join(root, 'src/orders/retryPolicy.ts');
    assert.match(sextant('outline', file).stdout, new RegExp(`^${file}:\\d+-\\d+ function nextRetryDelay$`, 'm'));
    assert.deepEqual(
      (json('index', '--list') as List).indexes.some((one) => one.root.startsWith(root)),
      false,
    );
    const { files } = json('outline', join(root, 'src')) as {
      files: readonly { path: string; definitions: readonly { name: string }[] }[];
    };
    const found = files.find(({ path }) => path === 'orders/retryPolicy.ts');
    assert.ok(found?.definitions.some(({ name }) => name === 'nextRetryDelay'));
    assert.ok(files.length > 3);
    writeFiles(root, { 'empty.txt': '\n', '.env': 'PASSWORD=hunter2hunter2\n' });
    const empty = sextant('outline', join(root, 'empty.txt'));
    assert.deepEqual([empty.code, empty.stdout], [1, '']);
    assert.match(empty.stderr, /^No definition found in .*empty\.txt\n$/);
    assert.match(sextant('outline', join(root, 'missing.ts')).stderr, /There is no file or folder ".*missing\.ts"/);
    assert.equal(sextant('outline', join(root, '.env')).code, 2);
  });

  it('come from indexes that are listed and removed', () => {
    for (const root of indexed()) sextant('index', '--remove', root);
    assert.deepEqual([sextant('index', '--list').code, indexed()], [1, []]);
    const [kept, deleted] = [copySample(folder()), copySample(folder())];
    sextant('index', kept);
    sextant('index', deleted);
    rmSync(deleted, { recursive: true });
    const { indexes } = json('index', '--list') as List;
    assert.deepEqual(
      new Map(indexes.map(({ root, exists }) => [root, exists])),
      new Map([
        [kept, true],
        [deleted, false],
      ]),
    );
    assert.ok(indexes.every(({ files }) => files > 5));
    assert.match(sextant('index', '--list').stdout, new RegExp(`${deleted} \\(deleted\\) +\\d+ files`));
    assert.equal(sextant('index', '--remove', deleted).stdout, `Removed the index of ${deleted}.\n`);
    assert.ok(indexes.every(({ root, stateFolder }) => existsSync(stateFolder) === (root === kept)));
    assert.deepEqual(indexed(), [kept]);
    const again = sextant('index', '--remove', deleted);
    assert.equal(again.code, 2);
    assert.match(again.stderr, /has no index/);
    // Files that are not of the index stay.
    const state = folder();
    sextant('index', kept, '--state', state);
    writeFiles(state, { 'mine.txt': 'mine\n' });
    assert.equal(sextant('index', '--remove', kept, '--state', state).code, 0);
    assert.ok(existsSync(join(state, 'mine.txt')) && !existsSync(join(state, 'files.json')));
  });

  it('come from no folder of state without a name, as an empty variable gives it', () => {
    const root = copySample(folder());
    const message = 'sextant: The name after --state is empty. Name a folder, or leave --state out.\n';
    for (const args of [['search', 'verifyPassword'], ['index'], ['status'], ['doctor']]) {
      const { code, stdout, stderr } = sextant(...args, root, '--state', '');
      assert.deepEqual([code, stdout, stderr], [2, '', message], args.join(' '));
    }
  });

  it('are no places but a failure as JSON where one is wanted', () => {
    const failure = (...args: string[]): unknown[] => {
      const { code, stdout, stderr } = sextant(...args);
      const { error } = JSON.parse(stdout) as { error: { code: string; message: string } };
      assert.ok(stderr.includes(error.message), stderr);
      return [code, error.code];
    };
    assert.deepEqual(failure('search', 'x', '/nonexistent', '--json'), [2, 'NotAFolder']);
    assert.deepEqual(failure('search', '--json'), [2, 'InvalidUsage']);
    assert.deepEqual(failure('find-usages', 'two words', folder(), '--json'), [2, 'InvalidName']);
    assert.equal(sextant('search', '/nonexistent', '/nonexistent').stdout, '');
  });
});
