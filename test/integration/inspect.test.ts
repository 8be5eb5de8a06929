import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { COMMAND, commandRunner, copySample } from '../support/command.ts';
import { assertGolden } from '../support/golden.ts';
import { manifestsOf, segmentsOf } from '../support/indexFiles.ts';
import { killed, spawnUntil } from '../support/processes.ts';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';

/* The commands that inspect an index and change nothing: status, why, doctor. */

interface Status {
  readonly state: string;
  readonly files?: number;
  readonly languages?: readonly { readonly language: string; readonly files: number; readonly bytes: number }[];
  readonly lastChange?: string;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly skipped: Readonly<Record<string, number>>;
  readonly skippedFiles?: readonly { readonly path: string; readonly reason: string }[];
  readonly writer?: { readonly pid: number };
  readonly problems: readonly { readonly code: string }[];
}

describe('sextant status, why and doctor', () => {
  const folder = temporaryFolder();
  const sextant = commandRunner(folder);

  function sample(): string {
    const root = copySample(folder());
    execFileSync('git', ['init', '-q', root]);
    writeFiles(root, { 'dist/main.js': 'x', 'notes.log': 'x', 'worker/.gitignore': '/queue.go\n' });
    return root;
  }

  const status = (...args: string[]): Status => JSON.parse(sextant('status', '--json', ...args).stdout) as Status;

  /** Replaces the parts that differ between runs or machines. */
  function stable(text: string, root: string): string {
    return text
      .replaceAll(root, 'ROOT')
      .replaceAll(/[^\s']*\/sextant\/sextant-test-\S+/g, 'CACHE')
      .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+Z)?/g, 'TIME')
      .replaceAll(/(\bindex +|Index +)[\d.]+ [kM]B/gi, '$1SIZE');
  }

  it('describe the state of a folder and its files', () => {
    const root = sample();
    const said: string[] = [];
    const run = (...args: string[]): void => {
      const { code, stdout, stderr } = sextant(...args);
      said.push(`$ sextant ${args.join(' ')}\n${stdout}${stderr}[${code}]\n`);
    };
    run('status', root);
    sextant('index', root);
    run('status', root, '--skipped');
    run('status', root, '--skipped', 'ignored');
    writeFiles(root, { 'src/server.ts': '// changed\n', 'src/new.ts': 'export {};\n' });
    run('status', root);
    for (const file of ['dist/main.js', 'worker/queue.go', '.env', 'web/logo.png', 'src/new.ts', 'web', 'nowhere.ts'])
      run('why', join(root, file), '--dir', root);
    sextant('index', root);
    run('why', join(root, 'src/server.ts'), '--dir', root);
    const ask = (file: string, query: string): void => run('why', join(root, file), query, '--dir', root);
    ask('src/orders/retryPolicy.ts', 'retry lang:go "next payment" -attempt');
    ask('db/schema.sql', 'zzyzx');
    ask('dist/main.js', 'anything');
    run('why', '/elsewhere/x.ts', '--dir', root);
    assertGolden('inspect.txt', stable(said.join('\n'), root));
  });

  it('know the encoding from .vscode/settings.json, as search and outline do', () => {
    const root = folder();
    const line = Buffer.from('93fa967b8cea', 'hex');
    writeFiles(root, { 'src/a.py': Buffer.concat([Buffer.from('def f():  # '), line, Buffer.from('\n')]) });
    writeFiles(root, { '.vscode/settings.json': '{ "[python]": { "files.encoding": "shiftjis" } }' });
    assert.match(sextant('search', '日本語', root).stdout, /^ +def f\(\): {2}# 日本語$/m);
    assert.match(sextant('outline', join(root, 'src/a.py')).stdout, /function f$/m);
  });

  it('print the same facts as JSON', () => {
    const root = sample();
    assert.deepEqual([status(root).state, status(root).files], ['notIndexed', 0]);
    sextant('index', root);
    const { state, files, languages, lastChange, skipped, problems } = status(root);
    assert.deepEqual([state, files, problems], ['upToDate', 15, []]);
    assert.equal(languages?.[0]?.language, 'typescript');
    assert.equal(
      languages.reduce((sum, one) => sum + one.files, 0),
      15,
    );
    assert.ok(Date.parse(lastChange!) > Date.now() - 60_000);
    assert.deepEqual(skipped, { excluded: 1, secret: 1, binary: 1, ignored: 3 });
    assert.deepEqual(
      status(root, '--skipped', 'ignored').skippedFiles?.map(({ path }) => path),
      ['dist', 'notes.log', 'worker/queue.go'],
    );
    writeFiles(root, { 'src/server.ts': '// changed\n', 'src/new.ts': 'export {};\n' });
    const behind = status(root);
    assert.deepEqual([behind.state, behind.added, behind.changed, behind.removed], ['behind', 1, 1, 0]);
  });

  it('explain the rank of a file, and its difference from the first result', () => {
    const root = sample();
    const query = 'order';
    const found = JSON.parse(sextant('search', query, root, '--json', '--limit', '50').stdout) as {
      results: { path: string }[];
      upToDate: boolean;
    };
    assert.equal(found.upToDate, true);
    for (const [i, { path }] of found.results.entries()) {
      const { code, stdout } = sextant('why', join(root, path), query, '--dir', root, '--no-update');
      assert.equal(code, 0);
      assert.ok(stdout.startsWith(`${path} is result ${i + 1} for: order\n`), stdout);
      if (i === 0) continue;
      const [, first, ...rows] = stdout
        .trimEnd()
        .split('\n')
        .filter((line) => !line.startsWith('  It '));
      assert.equal(first, `  The first is ${found.results[0]!.path}:12`);
      assert.match(rows[0]!, /^ {4}what ranks it +this file +the first +difference$/);
      assert.match(rows.at(-1)!, /^ {4}score +-?\d+\.\d\d +-?\d+\.\d\d +-\d+\.\d\d$/);
      assert.equal(new Set(rows.map((row) => row.length)).size, 1, 'columns are aligned');
    }
    const json = JSON.parse(sextant('why', join(root, 'worker/labels.go'), query, '--dir', root, '--json').stdout) as {
      rank: { kind: string; rank: number; file: { explanation: object[] }; first: { explanation: object[] } };
    };
    assert.equal(json.rank.kind, 'ranked');
    assert.ok(json.rank.rank > 1 && json.rank.file.explanation.length > 0 && json.rank.first.explanation.length > 0);
  });

  it('find the file from the current folder, through links to the folder', () => {
    const root = sample();
    const run = (cwd: string, file: string): string =>
      execFileSync(process.execPath, [COMMAND, 'why', file, '--state', folder()], { cwd, encoding: 'utf8' });
    assert.throws(() => run(root, '.env'), { status: 1 });
    sextant('index', root);
    assert.equal(sextant('why', 'src/server.ts', '--dir', root).code, 0, 'named from the indexed folder');
    assert.match(sextant('why', root, '--dir', root).stdout, /^\. is a folder\./);
    const other = folder();
    execFileSync('ln', ['-s', root, join(other, 'link')]);
    const through = sextant('why', join(other, 'link/src/server.ts'), '--dir', join(other, 'link'));
    assert.deepEqual([through.code, through.stdout], [0, 'src/server.ts is indexed: typescript, 2 kB.\n']);
  });

  it('print names without terminal controls', () => {
    const root = join(folder(), 'named\u001b[2J');
    writeFiles(root, {
      'a\u001b[31m\nb.ts': 'export const lantern = "\u001b[2J";\n',
      'c\u001b]0;x\u0007.pem': '',
      'd\u009b31m\u202e.md':
        '# Wick\n\n## Trim \u001b]0;x\u0007 the wick\n\noil\n\n## Light the wick \u009b2J\n\noil\n',
    });
    const outputs = [
      sextant('search', 'lantern', root),
      sextant('search', 'trim light wick path:d', root),
      sextant('search', 'wick', root, '--json'),
      sextant('search', 'nowhere', root, '--no-update'),
      sextant('find-usages', 'nowhere', root),
      sextant('status', root, '--skipped'),
      sextant('why', join(root, 'a\u001b[31m\nb.ts'), 'lantern', '--dir', root),
      sextant('why', join(root, 'c\u001b]0;x\u0007.pem'), '--dir', root),
      sextant('index', '--remove', root),
    ];
    for (const { stdout, stderr } of outputs) {
      assert.equal(/[\p{Cc}\u202e]/u.test((stdout + stderr).replaceAll(/[\n\t]/g, '')), false, JSON.stringify(stdout));
    }
    assert.match(outputs[0]!.stdout, /\/a \[31m b\.ts:1/);
    assert.match(outputs[1]!.stdout, /^ {2}also \d+-\d+ (?:Trim|Light)/m);
    const { results } = JSON.parse(outputs[2]!.stdout) as { results: { path: string }[] };
    assert.equal(results[0]?.path, 'd\u009b31m\u202e.md');
  });

  it('report that another process writes to the index, and search it all the same', async () => {
    const root = sample();
    const state = folder();
    const hold = `
      import { FolderIndex } from './src/workspace/folderIndex.ts';
      import { silentLogger } from './src/base/log.ts';
      const [root, stateFolder] = process.argv.slice(-2);
      const edges = { logger: silentLogger, now: Date.now, onStatus: () => undefined };
      FolderIndex.open({ root, stateFolder, exclude: [], maxFileBytes: 1048576 }, edges);
      console.log('holding');
      setInterval(() => undefined, 1000);
    `;
    const { child } = await spawnUntil('holding', hold, [root, state]);
    try {
      const { state: itsState, writer } = status(root, '--state', state);
      assert.deepEqual([itsState, writer?.pid], ['behind', child.pid]);
      assert.match(
        sextant('status', root, '--state', state).stdout,
        /State +behind: 16 new; process \d+ on .* is writing/,
      );
      const { stdout, stderr } = sextant('search', 'order', root, '--state', state, '--json');
      assert.match(stderr, /is writing to this index\. It is not complete yet\. Searching the index as it is\./);
      assert.equal((JSON.parse(stdout) as { upToDate: boolean }).upToDate, false);
    } finally {
      await killed(child);
    }
  });

  it('report that no file of a folder is indexed', () => {
    const root = folder();
    for (const args of [
      ['search', 'order', root],
      ['find-usages', 'order', root],
      ['outline', root],
    ]) {
      const { code, stderr } = sextant(...args);
      assert.deepEqual(
        [code, stderr],
        [1, `No file of ${root} is indexed. "sextant status --skipped" lists the reasons.\n`],
      );
    }
  });

  it('name the index that a search of an inner folder uses', () => {
    const root = sample();
    const inner = join(root, 'src');
    const next = (): string => /Next +(.*)/.exec(sextant('status', inner).stdout)![1]!;
    assert.match(next(), /^"sextant index \S+" builds it; a search does so too\.$/);
    const none = sextant('search', 'order', inner, '--no-update');
    assert.deepEqual([none.code, none.stdout], [1, '']);
    assert.match(none.stderr, /^There is no index of \S+ yet\. Run without --no-update to build it\.\n$/);
    for (const args of [
      ['find-usages', 'order', inner],
      ['outline', inner],
    ])
      assert.equal(sextant(...args, '--no-update').stderr, none.stderr, args[0]);
    sextant('index', root);
    assert.ok(next().startsWith(`A search uses the index of ${root};`), next());
    assert.equal(sextant('search', 'order', inner, '--no-update').code, 0);
    assert.equal(sextant('index', '--list').stdout.includes(inner), false);
  });

  it('report damage and the advice, and write nothing', () => {
    const root = sample();
    const state = folder();
    sextant('index', root, '--state', state);
    const file = segmentsOf(join(state, 'index'))[0]!;
    const damaged = readFileSync(file);
    damaged.fill(0, damaged.length - 64);
    writeFileSync(file, damaged);
    const { stdout } = sextant('status', root, '--state', state);
    assert.match(stdout, /Problem +The index was damaged: segment\.1\.1\.sxs/);
    assert.match(stdout, /Next +"sextant index \S+" repairs or rebuilds it/);
    const doctor = sextant('doctor', root, '--state', state);
    assert.equal(doctor.code, 1);
    assert.match(doctor.stdout, /problem IndexDamaged: The index was damaged: segment\.1\.1\.sxs/);
    assert.deepEqual(readFileSync(file), damaged);
    for (const manifest of manifestsOf(join(state, 'index'))) writeFileSync(manifest, 'x');
    assert.equal(status(root, '--state', state).problems.length > 0, true);
  });

  it('write a report without private names, and list its parts', () => {
    const root = join(folder(), 'Secret Project');
    copySample(root);
    writeFiles(root, { 'payroll 2026/ada.lovelace@example.org.ts': 'export const x = 1;\n' });
    sextant('index', root);
    const damage = sextant('index', root, '--json');
    assert.equal(damage.code, 0);
    const { code, stdout, stderr } = sextant('doctor', root);
    assert.equal(code, 0);
    assert.equal(stderr, 'Read it before you share it. Nothing was sent.\n');
    for (const name of ['Secret Project', 'payroll', 'lovelace', homedir(), root])
      assert.equal(stdout.includes(name), false, name);
    assert.match(stdout, /^ {2}\S+Z info <folder 1>: 16 files are indexed\.$/m);
    for (const part of ['Versions', 'Platform', 'Settings', 'Folder <folder 1>', 'Log, last 2 lines'])
      assert.ok(stdout.includes(`\n${part}\n`), `${part} in ${stdout}`);
    const json = JSON.parse(sextant('doctor', root, '--json').stdout) as Record<string, unknown>;
    assert.deepEqual(Object.keys(json), ['made', 'versions', 'settings', 'folders', 'log', 'platform', 'redacted']);
  });

  it('write the report to a new file that only its owner may read', () => {
    const root = sample();
    const file = join(folder(), 'report.txt');
    const { code, stdout, stderr } = sextant('doctor', root, '--output', file);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /report\.txt was written: versions, platform, settings, the state of the index, 0 problems/);
    assert.match(readFileSync(file, 'utf8'), /^Sextant diagnostics\n/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const again = sextant('doctor', root, '--output', file);
    assert.equal(again.code, 2);
    assert.match(
      again.stderr,
      /^sextant: The file .* exists already\. Name another with --output, or replace it with --force\./,
    );
  });

  it('have help with examples and exit codes for every subcommand', () => {
    for (const command of ['index', 'search', 'status', 'why', 'doctor']) {
      const { code, stdout } = sextant(command, '--help');
      assert.equal(code, 0);
      assert.ok(stdout.includes('\nExamples:\n  sextant '), command);
      assert.match(stdout, /\nExit codes: 0 /, command);
    }
  });

  it('suggest the right command or option for a typing error', () => {
    const root = sample();
    const wrong = (...args: string[]): string => {
      const { code, stdout, stderr } = sextant(...args);
      assert.deepEqual([code, stdout], [2, ''], args.join(' '));
      return stderr;
    };
    assert.match(wrong('serch', 'x'), /Did you mean search\?/);
    assert.match(wrong('status', '--skiped'), /Did you mean --skipped\?/);
    assert.match(
      wrong('status', '--skipped', 'bogus'),
      /The reasons are excluded, .* A folder goes before --skipped\./,
    );
    assert.match(wrong('why'), /missing required argument 'file'/);
    assert.match(wrong('why', 'x', 'y', 'z'), /too many arguments/);
    assert.match(wrong('status', join(root, 'README.md')), /is a file\. Name the folder that it is in\./);
    assert.match(wrong('doctor', join(root, 'nowhere')), /There is no folder/);
    // As of a variable of a script that is not set.
    assert.match(wrong('index', ''), /The name of the folder is empty\./);
    assert.match(wrong('events', 'list', '--state', ''), /folder of state is empty\./);
  });
});
