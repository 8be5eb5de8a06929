import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMAND, commandRunner, copySample } from '../support/command.ts';
import { segmentsOf } from '../support/indexFiles.ts';
import { killed, spawnUntil } from '../support/processes.ts';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';

interface Found {
  readonly query: string;
  readonly root: string;
  readonly problems: readonly { readonly code: string; readonly start: number; readonly end: number }[];
  readonly results: readonly {
    readonly path: string;
    readonly line: number;
    readonly symbol?: { readonly name: string };
    readonly score: number;
    readonly more: readonly { readonly startLine: number; readonly endLine: number; readonly symbol?: object }[];
    readonly explanation?: readonly { readonly feature: string; readonly value: number; readonly share: number }[];
  }[];
}

describe('sextant', () => {
  const folder = temporaryFolder();
  const sextant = commandRunner(folder);
  const sample = (): string => copySample(folder());

  it('searches a folder that was never indexed', () => {
    const { code, stdout, stderr } = sextant('search', 'how long to wait before the next attempt', sample());
    assert.equal(stderr, '');
    assert.equal(code, 0);
    assert.match(stdout, /^\S*\/src\/orders\/retryPolicy\.ts:\d+ {2}nextRetryDelay function\n {4}\S/);
  });

  it('prints JSON for programs', () => {
    const root = sample();
    const { code, stdout } = sextant('search', 'verifyPassword', root, '--json', '--limit', '1');
    const found = JSON.parse(stdout) as Found;
    assert.equal(code, 0);
    assert.equal(found.root, root);
    assert.deepEqual(
      found.results.map(({ path, line, symbol }) => [path, line, symbol?.name]),
      [['src/auth/passwordHash.ts', 13, 'verifyPassword']],
    );
  });

  it('prints paths from the current folder, one for each file, or a line for each place', () => {
    const root = sample();
    const plain = sextant('search', 'verifyPassword', root, '--limit', '1').stdout;
    assert.ok(plain.startsWith(`${join(root, 'src/auth/passwordHash.ts')}:13  verifyPassword function\n`), plain);
    const paths = sextant('search', 'verifyPassword', root, '-l').stdout;
    assert.equal(paths.split('\n')[0], join(root, 'src/auth/passwordHash.ts'));
    writeFiles(root, { 'src/zebra.ts': '\tconst ä = zebraStripes();\n' });
    assert.equal(
      sextant('search', 'zebraStripes', root, '--vimgrep').stdout,
      `${join(root, 'src/zebra.ts')}:1:13: const ä = zebraStripes();\n`,
    );
  });

  it('finds all usages of a name', () => {
    const root = sample();
    const { code, stdout } = sextant('find-usages', 'nextRetryDelay', root);
    const file = join(root, 'src/orders/retryPolicy.ts');
    const [definition, call] = stdout.split('\n');
    assert.ok(definition?.startsWith(`${file}:6:17: definition: export function nextRetryDelay(`), stdout);
    assert.match(call ?? '', /:24:\d+: call: .* {2}in withRetries$/);
    assert.equal(code, 0);
    const { total, usages } = JSON.parse(sextant('find-usages', 'nextRetryDelay', root, '--json').stdout) as {
      readonly total: number;
      readonly usages: readonly { readonly kind: string; readonly path: string }[];
    };
    assert.deepEqual([total, usages.length, usages[0]?.path], [3, 3, 'src/orders/retryPolicy.ts']);
    assert.equal(sextant('find-usages', 'nowhereAtAll', root).code, 1);
    assert.match(sextant('find-usages', 'two words', root).stderr, /^sextant: "two words" is not one name\./);
  });

  it('marks the malformed parts of a query, and searches for the rest', () => {
    const root = sample();
    const { code, stdout, stderr } = sextant('search', 'path:[ verifyPassword', root);
    assert.equal(code, 0);
    assert.match(stdout, /^\S*\/src\/auth\/passwordHash\.ts:13/);
    assert.match(stderr, /^path:\[ verifyPassword\n {5}\^ This \[ is not closed: .*\n$/);
    const json = sextant('search', 'lang:klingon verifyPassword', root, '--json');
    assert.equal(json.stderr, '');
    assert.deepEqual(
      (JSON.parse(json.stdout) as Found).problems.map(({ code, start, end }) => [code, start, end]),
      [['UnknownLanguage', 5, 12]],
    );
  });

  it('restricts results by phrases, filters and exclusions', () => {
    const root = sample();
    const paths = (query: string): string[] => {
      const { stdout } = sextant('search', '--json', '--no-update', '--', query, root);
      return (JSON.parse(stdout) as Found).results.map(({ path }) => path).sort();
    };
    sextant('index', root);
    assert.deepEqual(paths('"next attempt"'), ['src/orders/retryPolicy.ts']);
    assert.equal(sextant('search', '--no-update', '"attempt zzyzx"', root).stdout.includes('retryPolicy.ts'), true);
    assert.match(sextant('search', '"attempt next"', root).stderr, /Nothing contains “attempt next” exactly/);
    assert.equal(paths('order -"next attempt"').includes('src/orders/retryPolicy.ts'), false);
    assert.deepEqual(paths('path:src/auth lang:ts'), ['src/auth/passwordHash.ts', 'src/auth/session.ts']);
    assert.deepEqual(paths('-path:src -lang:go -file:*.{html,md} -file:.git*'), [
      'db/schema.sql',
      'scripts/import_prices.py',
      'web/cart.js',
    ]);
    assert.deepEqual(paths('order lang:sql lang:go'), ['worker/labels.go', 'worker/queue.go']);
    assert.deepEqual(paths('verifyPassword path:src -timingSafeEqual'), ['src/auth/session.ts']);
    assert.deepEqual(paths('sym:verify*'), ['src/auth/passwordHash.ts']);
    assert.deepEqual(paths('sym:P* lang:go'), ['worker/labels.go', 'worker/queue.go']);
  });

  it('restricts results to changed files, and explains why it cannot', () => {
    const root = sample();
    const outside = sextant('search', 'attempt changed:', root);
    assert.match(outside.stderr, /^attempt changed:\n {8}\^+ .* is in no Git repository/);
    const git = (...args: string[]): void => {
      const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
      execFileSync('git', ['-C', root, ...author, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
    };
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'one');
    assert.equal(sextant('search', 'attempt changed:', root).code, 1);
    writeFiles(root, { 'src/again.ts': 'export function attemptAgain() {}\n' });
    assert.match(sextant('search', 'attempt changed:', root).stdout, /^\S*\/src\/again\.ts:1 .*\n.*\n$/);
    assert.match(sextant('search', 'attempt changed:HEAD~1', root).stderr, /There is no revision “HEAD~1” here/);
  });

  it('matches phrases in the present text of files', () => {
    const root = sample();
    sextant('index', root);
    writeFiles(root, {
      'src/orders/retryPolicy.ts': '// attempt after attempt\n\n\n// The next\n//   attempt is the last.\n',
    });
    assert.match(sextant('search', '"next attempt"', root, '--no-update').stderr, /Nothing contains “next attempt”/);
    const { stdout } = sextant('search', '"attempt is the last"', root);
    assert.match(stdout, /^\S*\/src\/orders\/retryPolicy\.ts:5\n {4}\/\/ {3}attempt is the last\.\n$/);
  });

  it('lists more places in a file', () => {
    const root = sample();
    const { stdout } = sextant('search', 'order', root, '--limit', '1');
    assert.match(
      stdout,
      /^\S*\/src\/orders\/orderService\.ts:12 {2}Order interface\n {4}.*\n( {2}also \d+-\d+ \w+\n){1,3}$/,
    );
    const [first] = (JSON.parse(sextant('search', 'order', root, '--json').stdout) as Found).results;
    assert.deepEqual(first?.more[0], {
      startLine: 19,
      endLine: 28,
      symbol: { name: 'placeOrder', kind: 'function', line: 20 },
    });
  });

  it('lists the lines of a phrase or an expression', () => {
    const root = sample();
    const { stdout } = sextant('search', '"price"', root, '--limit', '1');
    assert.match(stdout, /\/scripts\/import_prices\.py:1\n.*\n {2}also 8, 9, 12 and 9 more lines\n$/);
    const lines = sextant('search', String.raw`/\bnextRetryDelay\b/`, root, '--limit', '1', '--vimgrep').stdout;
    assert.deepEqual(
      lines.split('\n').map((line) => /:(\d+):/.exec(line)?.[1]),
      ['6', '24', undefined],
    );
  });

  it('explains a score by the shares of its features', () => {
    const root = sample();
    const { stdout } = sextant('search', 'verifyPassword', root, '--explain', '--limit', '1');
    const [, , head, ...rows] = stdout.trimEnd().split('\n');
    assert.match(head!, /^ {4}score \d+\.\d{3} +value +share$/);
    assert.ok(rows.length > 1 && rows.length <= 11, stdout);
    assert.match(rows[0]!, /^ {6}\w+ +-?\d+\.\d{3} +\+\d+\.\d{3}$/);
    assert.equal(new Set([head!, ...rows].map((row) => row.length)).size, 1, 'columns are aligned');
    const json = sextant('search', 'verifyPassword', root, '--explain', '--json');
    const [first] = (JSON.parse(json.stdout) as Found).results;
    const sum = first!.explanation!.reduce((total, { share }) => total + share, 0);
    assert.ok(Math.abs(sum - first!.score) < 1e-9);
    const plain = sextant('search', 'verifyPassword', root, '--json');
    assert.equal((JSON.parse(plain.stdout) as Found).results[0]?.explanation, undefined);
  });

  it('finds changes since the last search', () => {
    const root = sample();
    sextant('index', root);
    writeFiles(root, { 'src/lantern.ts': 'export function lightLantern() {}\n' });
    assert.match(sextant('search', 'lightLantern', root).stdout, /^\S*\/src\/lantern\.ts:1/);
    assert.equal(sextant('search', 'extinguishLantern', root, '--no-update').code, 0);
  });

  it('has different exit codes for nothing found and for a failure', () => {
    const root = sample();
    const nothing = sextant('search', 'zzyzx', root);
    assert.deepEqual([nothing.code, nothing.stdout], [1, '']);
    assert.match(nothing.stderr, /^Nothing found in .* for: zzyzx\n$/);
    const missing = sextant('search', 'x', join(root, 'nowhere'));
    assert.equal(missing.code, 2);
    assert.match(
      missing.stderr,
      /^sextant: There is no folder .*Name one.*\nPut several words in quotes, as in sextant search "/,
    );
    const unquoted = sextant('search', 'retry', 'a', 'payment');
    assert.deepEqual([unquoted.code, unquoted.stdout], [2, '']);
    assert.match(unquoted.stderr, /too many arguments.*\nPut several words in quotes, as in sextant search "/s);
    const bare = sextant('retry payment');
    assert.match(bare.stderr, /unknown command 'retry payment'\n.*\nPut search before a query, as in sextant search "/);
    assert.doesNotMatch(sextant('webhooks', 'serch').stderr, /before a query/);
    assert.doesNotMatch(sextant('index', 'a', 'b').stderr, /quotes/);
    for (const wrong of [['search'], ['search', 'x', '.', '--limit', '0'], ['nonsense'], ['index', '--nonsense']]) {
      const { code, stderr } = sextant(...wrong);
      assert.equal(code, 2, wrong.join(' '));
      assert.match(stderr, /^error: /);
      assert.match(stderr, /--help/);
    }
  });

  it('advises where the system does not allow to read a folder', function () {
    if (process.getuid === undefined) this.skip();
    const root = sample();
    chmodSync(root, 0o000);
    // The root user may read everything.
    const other = process.getuid() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const cache = folder();
    chmodSync(cache, 0o777);
    const args = [COMMAND, 'search', 'order', root];
    const env = { ...process.env, NODE_COMPILE_CACHE: undefined, XDG_CACHE_HOME: cache };
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env, ...other });
    chmodSync(root, 0o700);
    assert.equal(status, 2);
    assert.match(stderr, /^sextant: EACCES: .*\. Allow it, or choose another file or folder\.\n$/);
  });

  it('reports the folder that keeps a file out of the index because it cannot be listed', function () {
    if (process.getuid === undefined) this.skip();
    const root = sample();
    const cache = folder();
    chmodSync(root, 0o755);
    chmodSync(cache, 0o777);
    // The root user may read everything.
    const other = process.getuid() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const env = { ...process.env, NODE_COMPILE_CACHE: undefined, XDG_CACHE_HOME: cache };
    const run = (...args: string[]): string =>
      spawnSync(process.execPath, [COMMAND, ...args], { encoding: 'utf8', env, cwd: root, ...other }).stdout;
    for (const mode of [0o000, 0o311]) {
      chmodSync(join(root, 'src/auth'), mode);
      run('index');
      const why = run('why', 'src/auth/session.ts');
      chmodSync(join(root, 'src/auth'), 0o755);
      assert.match(why, /^src\/auth\/session\.ts is not indexed: its folder src\/auth cannot be read\.\n {2}EACCES: /);
    }
  });

  it('advises on a query that begins with a dash', () => {
    const root = sample();
    const refused = sextant('search', '--verbose', root);
    assert.match(refused.stderr, /unknown option '--verbose'\n.* Put -- before a query that begins with a dash\.\n$/);
    assert.match(sextant('search', '--', '--verifyPassword', root).stdout, /passwordHash\.ts/);
  });

  it('prints how many files are indexed and left out', () => {
    const root = sample();
    const text = sextant('index', root);
    assert.match(
      text.stdout,
      /^15 files indexed in [\d.]+ m?s, [\d.]+ [kM]B on disk\.\nLeft out: 1 not text, 1 keys or passwords\.\n$/,
    );
    const { files, skipped } = JSON.parse(sextant('index', root, '--json').stdout) as {
      files: number;
      skipped: object;
    };
    assert.deepEqual({ files, skipped }, { files: 15, skipped: { secret: 1, binary: 1 } });
  });

  it('repairs a damaged index before it answers, and reports the repair', () => {
    const root = sample();
    const state = folder();
    sextant('index', root, '--state', state);
    const file = segmentsOf(join(state, 'index'))[0]!;
    const assertRepaired = (said: RegExp): void => {
      const { code, stdout, stderr } = sextant('search', 'verifyPassword', root, '--state', state);
      assert.equal(code, 0);
      assert.match(stderr, said);
      assert.match(stdout, /^\S*\/src\/auth\/passwordHash\.ts:13/);
      assert.equal(sextant('search', 'verifyPassword', root, '--state', state).stderr, '');
    };
    writeFileSync(file, readFileSync(file).fill(0, 0, 64));
    assertRepaired(
      /^sextant: The index was damaged: segment\.1\.1\.sxs, block 0\. 15 documents are to be added again\.$/m,
    );
  });

  it('reports damage in a search without an update', () => {
    const root = sample();
    const state = folder();
    sextant('index', root, '--state', state);
    const search = (...options: string[]): ReturnType<typeof sextant> =>
      sextant('search', 'verifyPassword', root, '--state', state, '--no-update', ...options);
    const isDamaged = (): unknown => (JSON.parse(search('--json').stdout) as { damaged: unknown }).damaged;
    assert.equal(search().stderr, '');
    assert.equal(isDamaged(), false);
    writeFileSync(join(state, 'index/manifest.1.json'), 'nonsense');
    const repairs = 'Run without --no-update to repair it first.';
    assert.equal(search().stderr, `sextant: The index is damaged, but nothing is lost. ${repairs}\n`);
    assert.equal(isDamaged(), true);
    const file = segmentsOf(join(state, 'index'))[0]!;
    writeFileSync(file, readFileSync(file).fill(0, 0, 64));
    assert.match(search().stderr, /^sextant: The index is damaged, and answers may be missing\. /m);
    sextant('search', 'verifyPassword', root, '--state', state);
    assert.equal(search().stderr, '');
  });

  it('is up to date with its index in the folder, which neither it nor another index has in it', () => {
    const root = sample();
    const state = join(root, 'ci/index');
    for (let i = 0; i < 2; i++) sextant('index', root, '--state', state);
    const { state: now, skipped } = JSON.parse(sextant('status', root, '--state', state, '--json').stdout) as {
      readonly state: string;
      readonly skipped: Readonly<Record<string, number>>;
    };
    assert.deepEqual([now, skipped.excluded], ['upToDate', 1]);
    assert.equal(sextant('search', 'path:ci', root).code, 1);
    assert.match(
      sextant('why', join(state, 'files.json'), '--dir', root).stdout,
      /^ {2}Files of Sextant are never indexed\.$/m,
    );
  });

  it('keeps the index in the folder of --state', () => {
    const root = sample();
    const state = folder();
    assert.equal(sextant('index', root, '--state', state).code, 0);
    assert.equal(sextant('search', 'verifyPassword', root, '--state', state, '--no-update').code, 0);
  });

  it('keeps nothing in the current folder where the variable of a folder has a relative path', function () {
    if (process.platform !== 'linux') return this.skip();
    const [root, home] = [sample(), folder()];
    const env = { PATH: process.env.PATH, HOME: home, XDG_CACHE_HOME: '~/.cache', XDG_DATA_HOME: 'data' };
    const { status, stderr } = spawnSync(process.execPath, [COMMAND, 'search', 'verifyPassword'], { cwd: root, env, encoding: 'utf8' }); // oxfmt-ignore
    assert.equal(status, 0, stderr);
    assert.deepEqual([existsSync(join(root, '~')), existsSync(join(home, '.cache', 'sextant'))], [false, true]);
  });

  it('writes to the standard output where the output is -', () => {
    const root = sample();
    const state = folder();
    sextant('index', root, '--state', state);
    const { code, stdout } = sextant('doctor', root, '--state', state, '--output', '-');
    assert.equal(code, 0);
    assert.match(stdout, /^Sextant /);
    assert.equal(existsSync('-'), false);
  });

  it('shows the help of a command, and all commands for one that does not exist', () => {
    const create = sextant('help', 'webhooks', 'create');
    assert.deepEqual(
      [create.code, create.stdout.split('\n')[0]],
      [0, 'Usage: sextant webhooks create [options] <name>'],
    );
    assert.equal(sextant('webhooks', 'help', 'create').stdout, create.stdout);
    assert.match(sextant('help').stdout, /^Usage: sextant \[options\] \[command\]\n/);
    for (const args of [
      ['help', 'serch'],
      ['serch', '--help'],
      ['help', 'webhooks', 'serch'],
      ['webhooks', 'help', 'serch'],
    ]) {
      const { code, stdout, stderr } = sextant(...args);
      const [of, some] = args.includes('webhooks')
        ? ['sextant webhooks', 'create, list, ']
        : ['sextant', 'index, search, '];
      assert.deepEqual([code, stdout], [2, ''], args.join(' '));
      assert.ok(stderr.startsWith(`error: unknown command 'serch'. The commands of ${of} are ${some}`), stderr);
    }
  });

  it('shows help with examples', () => {
    const { code, stdout } = sextant('--help');
    assert.equal(code, 0);
    for (const word of ['index', 'search', 'usage', 'Examples:', 'Exit codes:']) assert.ok(stdout.includes(word), word);
    assert.doesNotMatch(stdout, /^Commands:/m, 'each command has a group');
  });

  it('stops on Ctrl-C, and continues at the next run', async () => {
    const root = folder();
    const files = Array.from({ length: 3000 }, (_, i) => [
      `f${i}.ts`,
      `export const lantern${i} = ${'1 + '.repeat(200)}1;`,
    ]);
    writeFiles(root, Object.fromEntries(files) as Record<string, string>);
    const state = folder();
    const child = spawn(process.execPath, [COMMAND, 'index', root, '--state', state], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (text) => (said += String(text)));
    const exit = once(child, 'exit');
    // Before that the command may not listen for signals.
    while (!existsSync(join(state, 'index', 'manifest.1.json')))
      await new Promise((resolve) => setTimeout(resolve, 10));
    child.kill('SIGINT');
    const [code] = (await exit) as [number];
    assert.ok(code === 130 || code === 0, `exit code ${code}`);
    assert.match(said, code === 130 ? /^sextant: Interrupted\. The index is as of its last commit/ : /^$/);
    assert.equal(sextant('doctor', root, '--state', state).code, 0, 'the index is sound');
    assert.match(sextant('index', root, '--state', state).stdout, /^3000 files indexed/);
  });

  it('works while another process keeps the index', async () => {
    const root = sample();
    sextant('index', root);
    const state = folder();
    const hold = `
      import { FolderIndex } from './src/workspace/folderIndex.ts';
      import { silentLogger } from './src/base/log.ts';
      const [root, stateFolder] = process.argv.slice(-2);
      const edges = { logger: silentLogger, now: Date.now, onStatus: () => undefined };
      const index = FolderIndex.open({ root, stateFolder, exclude: [], maxFileBytes: 1048576 }, edges);
      await index.reconcile();
      console.log('holding');
      setInterval(() => undefined, 1000);
    `;
    const { child } = await spawnUntil('holding', hold, [root, state]);
    try {
      const search = sextant('search', 'verifyPassword', root, '--state', state);
      assert.equal(search.code, 0);
      assert.match(search.stderr, /Process \d+ .* is writing to this index\. Searching the index as it is\./);
      assert.match(search.stdout, /^\S*\/src\/auth\/passwordHash\.ts:13/);
    } finally {
      await killed(child);
    }
  });
});
