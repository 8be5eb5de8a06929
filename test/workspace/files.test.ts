import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { FolderIndexer } from '../../src/workspace/folderIndexer.ts';
import { DEFAULT_EXCLUDE, MAX_FILE_BYTES } from '../../src/workspace/folderOptions.ts';
import { silentLogger } from '../../src/base/log.ts';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { isSoak } from '../support/runs.ts';
import { find, openIndex } from './support.ts';

describe('Files in real folders', () => {
  const folder = temporaryFolder();

  it('are followed when they are empty and very many', async function () {
    this.timeout(isSoak ? 900_000 : 600_000);
    const count = isSoak ? 200_000 : 10_000;
    const root = folder();
    const state = folder();
    for (let i = 0; i < count; i++) {
      if (i % 1000 === 0) mkdirSync(join(root, `d${i / 1000}`));
      writeFileSync(join(root, `d${Math.floor(i / 1000)}/f${i}.ts`), '');
    }
    const index = openIndex(root, state);
    await index.reconcile();
    assert.equal(index.status().files, count);
    assert.deepEqual(await find(root, state, 'file:f4321.ts'), ['d4/f4321.ts']);
    writeFiles(root, { 'd4/f4321.ts': 'lantern', 'd5/new.ts': 'lantern' });
    rmSync(join(root, 'd7'), { recursive: true });
    await index.scanTimes();
    assert.equal(index.status().files, count + 1 - 1000);
    assert.deepEqual(await find(root, state, 'lantern'), ['d4/f4321.ts', 'd5/new.ts']);
    await index.close();
    const again = openIndex(root, state);
    await again.reconcile();
    assert.deepEqual(again.work(), { filesRead: 0, analysed: 0 });
    await again.close();
  });

  it('are found at their last names after a storm of renames', async function () {
    this.timeout(600_000);
    const root = folder();
    const stateFolder = folder();
    const names = Array.from({ length: 200 }, (_, i) => `dir${i % 10}/f${i}.ts`);
    writeFiles(root, Object.fromEntries(names.map((name) => [name, `const lantern = '${name}';`])));
    const keeper = new FolderIndexer(
      { root, stateFolder, exclude: DEFAULT_EXCLUDE, maxFileBytes: MAX_FILE_BYTES },
      { logger: silentLogger, now: Date.now, onStatus: () => undefined, onUnwatched: () => undefined, scanMs: 200 },
    );
    keeper.start();
    await until('all are found', async () => (await find(root, stateFolder, 'lantern', 1000)).length === names.length);
    // Files swap names in circles, and folders change names, while the watcher and the index follow.
    for (let round = 0; round < 20; round++) {
      const from = join(root, names[0]!);
      renameSync(from, `${from}.moving`);
      for (let i = 1; i < names.length; i++) renameSync(join(root, names[i]!), join(root, names[i - 1]!));
      renameSync(`${from}.moving`, join(root, names.at(-1)!));
      renameSync(join(root, 'dir3'), join(root, 'dir3.moving'));
      await new Promise(setImmediate);
      renameSync(join(root, 'dir3.moving'), join(root, 'dir3'));
    }
    // After 20 rounds each name has the content of the name 20 places further.
    for (const at of [0, 77, 180]) {
      const original = names[(at + 20) % names.length]!;
      const query = `"'${original}'"`;
      await until(original, async () => (await find(root, stateFolder, query)).join() === names[at]);
    }
    // A search reads changed files itself, so these are found before the index has followed.
    const last = names.toSorted().join();
    await until('all are found again', async () => (await find(root, stateFolder, 'lantern', 1000)).join() === last);
    await keeper.close();
  });

  it('are followed through renames that change only the case, and hard links', async () => {
    const root = folder();
    const state = folder();
    writeFiles(root, { 'Lantern.ts': 'export class Lantern {}', 'Dir/a.ts': 'halyard' });
    const index = openIndex(root, state);
    await index.reconcile();
    renameSync(join(root, 'Lantern.ts'), join(root, 'lantern.ts'));
    renameSync(join(root, 'Dir'), join(root, 'dir'));
    linkSync(join(root, 'lantern.ts'), join(root, 'second.ts'));
    await index.scanPaths(['Lantern.ts', 'Dir', 'second.ts']);
    assert.deepEqual(await find(root, state, 'lantern'), ['lantern.ts', 'second.ts']);
    assert.deepEqual(await find(root, state, 'halyard'), ['dir/a.ts']);
    await index.close();
  });

  it('are not followed through links, which may form circles', async () => {
    const root = folder();
    const state = folder();
    const outside = folder();
    writeFiles(root, { 'a/b/c.ts': 'lantern' });
    writeFiles(outside, { 'secret.ts': 'lantern' });
    symlinkSync('..', join(root, 'a/b/up'));
    symlinkSync(root, join(root, 'a/root'));
    symlinkSync('self', join(root, 'self'));
    symlinkSync(outside, join(root, 'outside'));
    symlinkSync(join(outside, 'secret.ts'), join(root, 'file.ts'));
    const index = openIndex(root, state);
    await index.reconcile();
    assert.deepEqual(await find(root, state, 'lantern'), ['a/b/c.ts']);
    const links = [...index.skipped()].filter(([, { reason }]) => reason === 'link').map(([path]) => path);
    assert.deepEqual(links.sort(), ['a/b/up', 'a/root', 'file.ts', 'outside', 'self']);
    // A file that becomes a link, and a folder that does.
    rmSync(join(root, 'a'), { recursive: true });
    symlinkSync(outside, join(root, 'a'));
    await index.scanTimes();
    assert.deepEqual(await find(root, state, 'lantern'), []);
    await index.close();
  });

  it('may have any name in UTF-8; others are left out and reported', async function () {
    const root = folder();
    const state = folder();
    const odd = [
      'two\nlines.ts',
      ' space .ts',
      'tab\t.ts',
      '-rf.ts',
      'ünïcödé.ts',
      '日本.ts',
      '#{$}`"\'\\.ts',
      '😀.ts',
    ];
    if (process.platform !== 'linux') this.skip();
    writeFiles(root, Object.fromEntries(odd.map((name) => [name, 'lantern'])));
    writeFileSync(
      Buffer.concat([Buffer.from(`${root}/bad`), Buffer.from([0xff, 0xfe]), Buffer.from('.ts')]),
      'lantern',
    );
    mkdirSync(Buffer.concat([Buffer.from(`${root}/dir`), Buffer.from([0xc3])]));
    const index = openIndex(root, state);
    for (const look of [() => index.reconcile(), () => index.scanTimes()]) {
      await look();
      assert.deepEqual(await find(root, state, 'lantern'), [...odd].sort());
      const left = [...index.skipped()].map(([path, { reason, detail }]) => [path, reason, detail]);
      assert.deepEqual(left.sort(), [
        ['bad\uFFFD\uFFFD.ts', 'unreadable', 'its name is not valid UTF-8'],
        ['dir\uFFFD', 'unreadable', 'its name is not valid UTF-8'],
      ]);
    }
    await index.close();
  });

  it('are left out while they are unreadable', async function () {
    if (process.getuid === undefined) this.skip();
    const root = folder();
    const state = folder();
    writeFiles(root, {
      'open.ts': 'lantern',
      'closed.ts': 'lantern',
      'locked/in.ts': 'lantern',
      'locked/deep/x.ts': 'lantern',
    });
    // Rights do not bind root, so a process of root becomes another user: once it has loaded what that user may not reach.
    const OTHER_USER = 65534;
    const isRoot = process.getuid() === 0;
    if (isRoot) for (const path of [state, root]) chownSync(path, OTHER_USER, OTHER_USER);
    chmodSync(root, 0o755);
    chmodSync(join(root, 'closed.ts'), 0o000);
    chmodSync(join(root, 'locked'), 0o000);
    const code = `
      import { openIndex, find } from './test/workspace/support.ts';
      const [root, state] = process.argv.slice(1);
      if (${isRoot}) {
        process.setgroups([]);
        process.setgid(${OTHER_USER});
        process.setuid(${OTHER_USER});
      }
      const index = openIndex(root, state);
      await index.reconcile();
      const skipped = [...index.skipped()].map(([path, { reason }]) => path + ' ' + reason).sort();
      console.log(JSON.stringify({ found: await find(root, state, 'lantern'), skipped }));
      await index.close();`;
    const look = (): unknown => {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        ['--input-type=module-typescript', '-e', code, '--', root, state],
        { encoding: 'utf8', cwd: new URL('../..', import.meta.url) },
      );
      assert.equal(status, 0, stderr);
      return JSON.parse(stdout);
    };
    assert.deepEqual(look(), { found: ['open.ts'], skipped: ['closed.ts unreadable', 'locked unreadable'] });
    chmodSync(join(root, 'closed.ts'), 0o644);
    chmodSync(join(root, 'locked'), 0o755);
    const found = ['closed.ts', 'locked/deep/x.ts', 'locked/in.ts', 'open.ts'];
    assert.deepEqual(look(), { found, skipped: [] });
    chmodSync(join(root, 'locked'), 0o000);
    assert.deepEqual(look(), { found: ['closed.ts', 'open.ts'], skipped: ['locked unreadable'] });
    chmodSync(join(root, 'locked'), 0o755);
  });

  it('may be pipes or sockets, or be replaced during a scan', async function () {
    if (process.platform === 'win32') this.skip();
    const root = folder();
    const state = folder();
    writeFiles(root, { 'a.ts': 'lantern' });
    assert.equal(spawnSync('mkfifo', [join(root, 'pipe.ts')]).status, 0);
    const index = openIndex(root, state);
    await index.reconcile();
    assert.equal(index.skipped().get('pipe.ts')?.reason, 'special');
    rmSync(join(root, 'a.ts'));
    assert.equal(spawnSync('mkfifo', [join(root, 'a.ts')]).status, 0);
    rmSync(join(root, 'pipe.ts'));
    writeFiles(root, { 'pipe.ts': 'lantern' });
    await index.scanTimes();
    assert.deepEqual(await find(root, state, 'lantern'), ['pipe.ts']);
    await index.close();
  });

  it('may be rule files that cannot be read, and can be later', async function () {
    if (process.platform === 'win32') this.skip();
    const before: Readonly<Record<string, (file: string) => void>> = {
      pipe: (file) => assert.equal(spawnSync('mkfifo', [file]).status, 0),
      'link to nothing': (file) => symlinkSync('nothing', file),
      folder: (file) => mkdirSync(file),
      large: (file) => writeFileSync(file, Buffer.alloc(20 << 20)),
    };
    for (const [kind, make] of Object.entries(before)) {
      const root = folder();
      const state = folder();
      const rules = join(root, '.sextantignore');
      writeFiles(root, { 'a.ts': 'lantern', 'b.ts': 'lantern' });
      make(rules);
      const index = openIndex(root, state);
      await index.reconcile();
      assert.deepEqual(await find(root, state, 'lantern'), ['a.ts', 'b.ts'], kind);
      if (kind !== 'large') rmSync(rules, { recursive: true });
      writeFiles(root, { '.sextantignore': 'b.ts' });
      await index.scanTimes();
      assert.deepEqual(await find(root, state, 'lantern'), ['a.ts'], kind);
      await index.close();
    }
  });

  it('are read again when they change while they are read', async () => {
    const root = folder();
    const state = folder();
    const text = (version: number): string => `lantern${String(version).padStart(3, '0')} ${'x '.repeat(1000)}`;
    writeFiles(root, { 'a.ts': text(0) });
    const index = openIndex(root, state, {}, { now: Date.now });
    let version = 0;
    const writing = setInterval(() => {
      writeFileSync(join(root, 'a.ts'), text(++version));
      // The new content has the same time and size as the old.
      utimesSync(join(root, 'a.ts'), 1, 1);
    });
    for (let i = 0; i < 50; i++) await index.scanTimes();
    clearInterval(writing);
    await index.scanTimes();
    const word = text(version).slice(0, 10);
    assert.deepEqual(await find(root, state, `"${word}"`), ['a.ts']);
    assert.ok(index.work().filesRead > 2);
    await index.close();
  });
});
