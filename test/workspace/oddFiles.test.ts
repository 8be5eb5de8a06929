import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { silentLogger } from '../../src/base/log.ts';
import { parseQueryLanguage } from '../../src/engine/query/queryLanguage.ts';
import { ChangedFiles } from '../../src/workspace/changedFiles.ts';
import { WorkspaceClient } from '../../src/workspace/client.ts';
import { DEFAULT_EXCLUDE, MAX_FILE_BYTES } from '../../src/workspace/folderOptions.ts';
import { GuardedFolder } from '../../src/workspace/guardedFile.ts';
import type { SearchResponse } from '../../src/workspace/searcher.ts';
import { COMMAND, type Outcome } from '../support/command.ts';
import { McpSession } from '../support/mcp.ts';
import { killed, spawnUntil } from '../support/processes.ts';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { find, openIndex } from './support.ts';

/** Ends a command that hangs; its duration is not tested. */
const HANGS_MS = 60_000;
const TEXT = 'export const lantern = "harbour light";\n';
const OUTSIDE = 'export const lantern = "harbour light from outside";\n';
const isRoot = process.getuid?.() === 0;

describe('Odd files in a folder', () => {
  const folder = temporaryFolder();
  const sessions: McpSession[] = [];
  before(function () {
    if (process.platform === 'win32') this.skip();
  });
  afterEach(async () => {
    await Promise.all(sessions.splice(0).map((session) => session.client.close()));
  });

  /** The kinds of files in place of a text file. Each creates one at a free path. */
  const KINDS: Readonly<Record<string, (file: string, outside: string) => unknown>> = {
    pipe: (file) => execFileSync('mkfifo', [file]),
    socket: async (file) => {
      // The path of a socket is limited to 107 bytes, and a closed server removes its path.
      const short = join(folder(), 's');
      const server = createServer().listen(short);
      await once(server, 'listening');
      renameSync(short, file);
      server.close();
    },
    loop: (file) => symlinkSync(file, file),
    linkOut: (file, outside) => symlinkSync(join(outside, 'outside.ts'), file),
    huge: (file) => {
      writeFileSync(file, TEXT);
      truncateSync(file, 3 * 2 ** 30);
    },
    folder: (file) => mkdirSync(file),
    // Only root may create a device.
    ...(isRoot && { device: (file: string) => execFileSync('mknod', [file, 'c', '1', '5']) }),
  };

  /** An indexed folder, its state and a folder outside, with a file for each kind. */
  async function indexed(): Promise<{ root: string; state: string; outside: string; run: Run }> {
    const [root, state, outside] = [folder(), folder(), folder()];
    writeFiles(outside, { 'outside.ts': OUTSIDE, 'in.ts': OUTSIDE });
    writeFiles(root, { 'keep.ts': TEXT, 'parent/in.ts': TEXT });
    for (const kind of Object.keys(KINDS)) writeFiles(root, { [`${kind}.ts`]: TEXT });
    const index = openIndex(root, state);
    await index.reconcile();
    await index.close();
    return { root, state, outside, run: runIn(root, state) };
  }

  async function replaceAll(root: string, outside: string): Promise<number> {
    for (const [kind, put] of Object.entries(KINDS)) {
      rmSync(join(root, `${kind}.ts`));
      await put(join(root, `${kind}.ts`), outside);
    }
    rmSync(join(root, 'parent'), { recursive: true });
    symlinkSync(outside, join(root, 'parent'));
    return Object.keys(KINDS).length + 1;
  }

  for (const name of ['.gitignore', '.sextantignore', '.git/info/exclude', '.git/config', '.git/HEAD', '.git']) {
    it(`may have the name ${name}: nothing waits or fails, and rules elsewhere apply`, async () => {
      for (const [kind, put] of Object.entries(KINDS)) {
        const [root, state, outside] = [folder(), folder(), folder()];
        execFileSync('git', ['init', '-q', root]);
        writeFiles(outside, { 'outside.ts': '*\n' });
        writeFiles(root, { 'sub/.sextantignore': 'no.ts\n', 'sub/no.ts': TEXT, 'a.ts': TEXT });
        rmSync(join(root, name), { force: true, recursive: true });
        await put(join(root, name), outside);
        // A call that might wait for ever runs in a process that can be killed.
        if (kind === 'pipe') assert.equal(runIn(root, state)('index', root).code, 0);
        const index = openIndex(root, state);
        await index.reconcile();
        await index.close();
        // Links that Git follows, such as a person's own ignore file, are followed.
        const isFollowed = kind === 'linkOut' && name === '.git/info/exclude';
        assert.deepEqual(await find(root, state, 'lantern'), isFollowed ? [] : ['a.ts'], `${kind} ${name}`);
      }
    });
  }

  it('in place of a part of the index are damage, which a search repairs, and hang nothing', async () => {
    for (const name of ['pipe', 'folder']) {
      const { state, run } = await indexed();
      const index = join(state, 'index');
      const segment = join(
        index,
        readdirSync(index).find((file) => file.startsWith('segment'))!,
      );
      rmSync(segment);
      await KINDS[name]!(segment, '');
      assert.notEqual(run('status').code, null);
      const { code, stdout, stderr } = run('search', 'lantern');
      assert.match(stderr, /The index was damaged: segment.*the disk cannot read it/);
      assert.match(stdout, /lantern/);
      assert.equal(code, 0);
    }
  });

  it('may be rule files: status, why and index report them, and none hangs', async () => {
    const [root, state, outside] = [folder(), folder(), folder()];
    execFileSync('git', ['init', '-q', root]);
    writeFiles(outside, { 'outside.ts': 'a.ts\n' });
    for (const [kind, put] of Object.entries(KINDS)) {
      writeFiles(root, { [`${kind}/a.ts`]: TEXT });
      await put(join(root, kind, '.gitignore'), outside);
    }
    const run = runIn(root, state);
    assert.equal(run('index', root).code, 0);
    assert.equal(run('status', root).code, 0);
    assert.equal(answer(run('search', 'lantern', root)).results.length, Object.keys(KINDS).length);
    for (const [kind, why] of [
      ['pipe', 'not a regular file'],
      ['loop', 'a symbolic link'],
      ['huge', 'too large'],
    ])
      // oxfmt-ignore
      assert.match(run('why', `${kind}/.gitignore`, '--dir', root).stdout, new RegExp(why!));
  });

  it('are left out of a search without an update, which prints their number; why and an update give the reason', async () => {
    const { root, outside, run } = await indexed();
    const count = await replaceAll(root, outside);
    for (const query of ['lantern', '"harbour light"', 'file:*.ts', 'lantern -"no such phrase"']) {
      const said = run('search', query, root, '--no-update');
      const found = answer(said);
      assert.deepEqual([found.results.map(({ path }) => path), found.leftOut], [['keep.ts'], count], query);
      assert.match(said.stderr, new RegExp(`${count} files are left out`));
    }
    assert.match(run('ask', 'lantern', root, '--no-update').stdout, /keep\.ts/);
    const reasons: Readonly<Record<string, string>> = { pipe: 'not a regular file', socket: 'not a regular file', device: 'not a regular file', loop: 'symbolic link', linkOut: 'symbolic link', huge: 'too large', folder: 'is a folder' }; // oxfmt-ignore
    for (const kind of Object.keys(KINDS)) {
      const { stdout } = run('why', `${kind}.ts`, '--dir', root);
      assert.match(stdout, new RegExp(reasons[kind]!));
    }
    assert.doesNotMatch(run('why', 'linkOut.ts', 'light', '--no-update', '--dir', root).stdout, /outside/);
    assert.match(run('why', 'parent/in.ts', '--dir', root).stdout, /its folder parent is a symbolic link/);
    const updated = answer(run('search', 'lantern', root));
    assert.deepEqual([updated.results.map(({ path }) => path), updated.leftOut], [['keep.ts'], 0]);
    const status = JSON.parse(run('status', root, '--json').stdout) as { skipped: Record<string, unknown> };
    for (const reason of ['special', 'link', 'tooLarge']) assert.ok(reason in status.skipped, reason);
  });

  it('neither block an MCP server, nor leak from it, while another process keeps its index', async () => {
    const { root, state, outside } = await indexed();
    const keeper = openIndex(root, state);
    try {
      const session = await McpSession.start(['mcp', '--workspace-root', root, '--state', state]);
      sessions.push(session);
      const search = (): Promise<{ results: { path: string }[]; leftOut?: number }> =>
        session.json('search', { query: 'lantern', limit: 20 });
      assert.equal((await search()).results.length, Object.keys(KINDS).length + 2);
      const count = await replaceAll(root, outside);
      const { results, leftOut } = await search();
      assert.deepEqual([results.map(({ path }) => path), leftOut], [['keep.ts'], count]);
      const { text } = await session.call('codebase-retrieval', { information_request: 'harbour light lantern' });
      assert.match(text, /keep\.ts/);
      assert.doesNotMatch(text, /outside/);
      for (const path of [...Object.keys(KINDS).map((kind) => `${kind}.ts`), 'parent/in.ts'])
        assert.equal((await session.call('read_span', { path, startLine: 1, endLine: 2 })).isError, true, path);
    } finally {
      await keeper.close();
    }
  });

  it('neither block the search thread, nor leak from it, while indexing is paused', async () => {
    const { root, state, outside } = await indexed();
    const entry = (name: string): URL => new URL(`../../dist/cli/${name}.js`, import.meta.url);
    const client = new WorkspaceClient({
      indexProcess: entry('indexProcess'),
      searchThread: entry('searchThread'),
      logger: silentLogger,
      onStatus: () => undefined,
      onUnwatched: () => undefined,
    });
    try {
      const options = { root, stateFolder: state, exclude: DEFAULT_EXCLUDE, maxFileBytes: MAX_FILE_BYTES };
      client.open(options);
      await client.pause();
      const before = await client.search({ folders: [options], query: 'lantern', limit: 20 });
      // The draft of a file that has become a pipe is the editor's text, not the pipe's.
      client.setUnsaved({ root, path: 'pipe.ts', text: 'export const lantern = "draft";\n' });
      const count = await replaceAll(root, outside);
      const after = await client.search({ folders: [options], query: 'lantern', limit: 20 });
      assert.deepEqual(after.results.map(({ path }) => path).sort(), ['keep.ts', 'pipe.ts']);
      assert.equal(after.leftOut, count - 1);
      assert.equal(JSON.stringify(after).includes('outside'), false);
      const places = await client.searching.call('relocate', { folders: [], places: before.results });
      assert.deepEqual(places.flatMap((place) => place?.path ?? []), ['keep.ts']); // oxfmt-ignore
      for (const path of ['pipe.ts', 'device.ts', 'huge.ts', 'linkOut.ts', 'parent/in.ts'])
        assert.ok('refused' in (await client.searching.call('read', { folder: options, path })), path);
      await client.resume();
      await until('the index has none of them', async () => (await find(root, state, 'lantern')).join() === 'keep.ts');
    } finally {
      await client.dispose();
    }
  });

  it('are not read while a file, a pipe and a link, or a folder and a link out of the root, swap places', async () => {
    const [root, outside] = [folder(), folder()];
    writeFiles(outside, { 'a.ts': OUTSIDE });
    writeFiles(root, { 'sub/a.ts': TEXT, 'file.ts': TEXT });
    const { child } = await spawnUntil('begins', FLIPPING, [root, outside]);
    try {
      const guarded = new GuardedFolder(root);
      const seen: Record<string, number> = {};
      for (let i = 0; i < 20_000; i++) {
        for (const path of ['sub/a.ts', 'file.ts']) {
          const read = guarded.read(path, { maxBytes: 1000 });
          const kind = !read ? 'missing' : 'reason' in read ? read.reason : 'text';
          if (read && 'content' in read) assert.equal(read.content.toString(), TEXT);
          seen[kind] = (seen[kind] ?? 0) + 1;
        }
      }
      assert.ok(seen.text! > 0 && seen.link! > 0, JSON.stringify(seen));
    } finally {
      await killed(child);
    }
  });

  it('that grow past the limit are left out, however they are read', () => {
    const root = folder();
    writeFiles(root, { 'a.ts': TEXT });
    const guarded = new GuardedFolder(root);
    const read = guarded.read('a.ts', { maxBytes: TEXT.length });
    assert.ok(read && 'content' in read && read.content.toString() === TEXT);
    writeFiles(root, { 'a.ts': `${TEXT} ` });
    const skip = { reason: 'tooLarge', detail: `${TEXT.length + 1} bytes` };
    assert.deepEqual(guarded.read('a.ts', { maxBytes: TEXT.length }), skip);
    assert.deepEqual([guarded.read('b.ts', { maxBytes: 1 }), guarded.read('a.ts/b', { maxBytes: 1 }), guarded.read('', { maxBytes: 1 })], [undefined, undefined, undefined]); // oxfmt-ignore
  });

  it('are found in a folder behind a link, also after the link changes', () => {
    const [real, other, above] = [folder(), folder(), folder()];
    writeFiles(real, { 'sub/a.ts': TEXT });
    const root = join(above, 'root');
    symlinkSync(real, root);
    const read = (): unknown => new GuardedFolder(root).read('sub/a.ts', { maxBytes: 1000 });
    assert.ok(Object.hasOwn(read() as object, 'content'));
    renameSync(real, join(other, 'moved'));
    rmSync(root);
    symlinkSync(join(other, 'moved'), root);
    assert.ok(Object.hasOwn(read() as object, 'content'));
    assert.deepEqual(readdirSync(root), ['sub']);
  });

  it('do not block a search for changes, although Git waits for a pipe of that name', async () => {
    const root = folder();
    execFileSync('git', ['init', '-q', root]);
    execFileSync('mkfifo', [join(root, '.gitignore')]);
    const { filters } = parseQueryLanguage('changed:');
    const { problems } = await new ChangedFiles(500).resolve([{ root, reader: { paths: () => [] } }], filters, true);
    assert.deepEqual(problems.map(({ code }) => code), ['GitFailed']); // oxfmt-ignore
    assert.match(problems[0]!.message, /Git did not end within 0.5 s/);
  });
});

/** Swaps a file with a pipe and a link, and a folder with a link out, endlessly. */
const FLIPPING = `
  import { renameSync, symlinkSync, writeFileSync } from 'node:fs';
  import { execFileSync } from 'node:child_process';
  import { join } from 'node:path';
  const [root, outside] = process.argv.slice(1);
  symlinkSync(outside, join(root, 'out'));
  symlinkSync(join(outside, 'a.ts'), join(root, 'link'));
  execFileSync('mkfifo', [join(root, 'pipe')]);
  const swap = (a, b) => {
    renameSync(join(root, a), join(root, 'moving'));
    renameSync(join(root, b), join(root, a));
    renameSync(join(root, 'moving'), join(root, b));
  };
  console.log('begins');
  for (;;) {
    for (let i = 0; i < 100; i++) swap('sub', 'out');
    for (const odd of ['pipe', 'link']) for (let i = 0; i < 50; i++) swap('file.ts', odd);
    await new Promise(setImmediate);
  }`;

type Run = (...args: string[]) => Outcome;

function runIn(root: string, state: string): Run {
  return (...args) => {
    const options = args[0] === 'search' ? ['--json', '--limit', '20'] : [];
    const { status, signal, stdout, stderr } = spawnSync(
      process.execPath,
      [COMMAND, ...args, '--state', state, ...options],
      { encoding: 'utf8', timeout: HANGS_MS, cwd: root, env: { ...process.env, NO_COLOR: '1' } },
    );
    assert.equal(signal, null, `sextant ${args.join(' ')} hangs`);
    return { code: status, stdout, stderr };
  };
}

function answer({ stdout, stderr }: Outcome): Pick<SearchResponse, 'results' | 'leftOut'> {
  assert.ok(stdout.startsWith('{'), stderr);
  return JSON.parse(stdout) as SearchResponse;
}
