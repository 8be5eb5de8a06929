import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { getEncoding } from 'js-tiktoken';
import { FolderIndex } from '../../src/workspace/folderIndex.ts';
import { DEFAULT_EXCLUDE, indexFolderOf, MAX_FILE_BYTES } from '../../src/workspace/folderOptions.ts';
import { isHeld, Lease } from '../../src/base/lease.ts';
import { silentLogger } from '../../src/base/log.ts';
import { documentId } from '../../src/engine/documentId.ts';
import { SextantServer } from '../../src/server/server.ts';
import { WireClient } from '../../src/wire/wireClient.ts';
import { assertGolden } from '../support/golden.ts';
import { COMMAND, copySample } from '../support/command.ts';
import { replaceByEarlierVersion } from '../support/indexFiles.ts';
import { isAlive } from '../support/isAlive.ts';
import { McpSession } from '../support/mcp.ts';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';
import { until } from '../support/until.ts';

interface Found {
  readonly incomplete?: string;
  readonly results: readonly { readonly path: string; readonly startLine: number; readonly endLine: number }[];
  readonly problems?: readonly string[];
}

interface Tool {
  readonly name: string;
  readonly inputSchema: { readonly properties: Readonly<Record<string, object>>; readonly required: readonly string[] };
}

const MANIFEST = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  readonly contributes: { readonly languageModelTools: readonly Tool[] };
};

/** A number of files that takes noticeable time to index. */
const MANY = 1500;

describe('sextant mcp', () => {
  const folder = temporaryFolder();
  const sessions: McpSession[] = [];
  let cache = '';
  let sampleRoot = '';
  let sample: McpSession;
  before(async () => {
    cache = folder();
    sampleRoot = copySample(folder());
    sample = await McpSession.start(['mcp', '--workspace-root', sampleRoot], { XDG_CACHE_HOME: cache });
  });
  afterEach(() => Promise.all(sessions.splice(0).map(({ client }) => client.close())));
  after(() => sample.client.close());

  const start = async (root: string, ...args: string[]): Promise<McpSession> => {
    const session = await McpSession.start(['mcp', '--workspace-root', root, ...args], { XDG_CACHE_HOME: cache });
    sessions.push(session);
    return session;
  };

  it('searches the other folders while a process of another version keeps the index of one, and names that one', async () => {
    const [one, other] = [folder(), folder()];
    for (const root of [one, other]) writeFiles(root, { 'a.ts': 'export function lantern() {}\n' });
    const first = await start(other);
    await first.fresh<Found>('search', { query: 'lantern' });
    await first.client.close();
    const indexes = join(cache, 'sextant');
    const index = indexFolderOf(
      join(
        indexes,
        readdirSync(indexes).find((name) => name.startsWith(basename(other)))!,
      ),
    );
    replaceByEarlierVersion(index);
    const owner = Lease.acquire(index);
    assert.ok(isHeld(owner));
    const session = await start(one, '--workspace-root', other);
    const path = `${basename(one)}/a.ts`;
    const notSearched = `${other} is not searched: another version of Sextant wrote its index.`;
    const found = await session.json<Found>('search', { query: 'lantern' });
    assert.deepEqual([found.results.map((result) => result.path), found.problems?.length], [[path], 1]);
    assert.ok(found.problems![0]!.startsWith(notSearched), found.problems![0]);
    const usages = await session.json<Omit<Found, 'results'>>('find_usages', { name: 'lantern' });
    assert.match(usages.incomplete ?? '', /is writing to this index.* Not all files were read\.$/);
    assert.ok(usages.incomplete!.startsWith(`In ${basename(other)}/: Process `), usages.incomplete);
    assert.ok(usages.problems![0]!.startsWith(notSearched));
    const { text } = await session.call('codebase-retrieval', { information_request: 'lantern' });
    assert.ok(text.includes(`\n${notSearched}`) && text.includes(`Path: ${path}`), text);
    owner.release();
  });

  it('offers the tools of the wire sheet and of the editor, with the same limits', async () => {
    const { client } = sample;
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name, inputSchema, outputSchema }) => [name, inputSchema.required, outputSchema?.required]),
      [
        ['codebase-retrieval', ['information_request'], undefined],
        ['search', ['query'], ['results']],
        ['read_span', ['path', 'startLine', 'endLine'], ['path', 'startLine', 'endLine', 'lines', 'text', 'isCut']],
        ['find_usages', ['name'], ['total', 'usages']],
        ['outline', ['path'], undefined],
        ['list_files', undefined, ['files']],
        ['explain_missing', ['path'], ['path', 'explanation']],
      ],
    );
    for (const { name: inEditor, inputSchema } of MANIFEST.contributes.languageModelTools) {
      const tool = tools.find(({ name }) => `sextant_${name.replace('-', '_')}` === inEditor);
      const own = tool?.inputSchema.properties as Readonly<Record<string, object>>;
      assert.deepEqual(own, inputSchema.properties);
    }
  });

  it('names all of its tools in the help', async () => {
    const { tools } = await sample.client.listTools();
    const { stdout } = spawnSync(process.execPath, [COMMAND, 'mcp', '--help'], { encoding: 'utf8' });
    const [, listed = ''] = /^Tools:\n((?: {2}\S.*\n)+)/m.exec(stdout) ?? [];
    const named = listed
      .trimEnd()
      .split('\n')
      .flatMap((line) => line.trim().split(/ {2,}/)[0]!.split(', '));
    assert.deepEqual(named.sort(), tools.map(({ name }) => name).sort());
  });

  it('tells a model when to use which tool, in few words', async () => {
    const { client } = sample;
    const { tools } = await client.listTools();
    const instructions = client.getInstructions() ?? '';
    const encoding = getEncoding('o200k_base');
    const tokens = { instructions: encoding.encode(instructions).length, tools: 0 };
    // All that a client receives; it gives a model no output schemas, which are a third of it.
    tokens.tools = encoding.encode(JSON.stringify(tools)).length;
    console.log(`      ${tokens.instructions} tokens of instructions, ${tokens.tools} of tools`);
    assert.ok(tokens.instructions <= 200);
    assert.ok(tokens.tools <= 1_800);
    const texts = tools.map(({ name, description = '' }) => `## ${name}\n\n${description}\n`);
    assertGolden('mcp-tools.md', [`# Instructions\n\n${instructions}\n`, ...texts].join('\n'));
  });

  it('finds all usages of a name, by kind and in pages', async () => {
    interface Usages {
      readonly total: number;
      readonly files: number;
      readonly nextOffset?: number;
      readonly usages: readonly {
        readonly path: string;
        readonly line: number;
        readonly kind: string;
        readonly in?: string;
      }[];
    }
    const all = await sample.json<Usages>('find_usages', { name: 'nextRetryDelay' });
    assert.deepEqual(
      all.usages.map(({ path, kind, in: within }) => [path, kind, within]),
      [
        ['src/orders/retryPolicy.ts', 'definition', undefined],
        ['src/orders/retryPolicy.ts', 'call', 'withRetries'],
        ['README.md', 'prose', 'Harbour Books'],
      ],
    );
    assert.deepEqual([all.total, all.nextOffset], [all.usages.length, undefined]);
    const first = await sample.json<Usages>('find_usages', { name: 'nextRetryDelay', limit: 2 });
    const rest = await sample.json<Usages>('find_usages', { name: 'nextRetryDelay', offset: first.nextOffset });
    assert.deepEqual([...first.usages, ...rest.usages], all.usages);
    const page = await sample.json<Usages>('find_usages', { name: 'nextRetryDelay', path: 'README.md' });
    assert.deepEqual([page.files, page.total], [1, 1]);
    assert.deepEqual((await sample.json<Usages>('find_usages', { name: 'nowhereAtAll' })).usages, []);
    const wrong = await sample.call('find_usages', { name: 'two words' });
    assert.equal(wrong.isError, true);
    assert.match(wrong.text, /is not one name/);
  });

  const listed = async (input: object): Promise<readonly string[]> =>
    (await sample.json<{ readonly files: readonly string[] }>('list_files', input)).files;

  it('outlines files and folders, lists files, and explains what is missing', async () => {
    const outline = await sample.json<{ readonly definitions: readonly string[] }>('outline', {
      path: 'src/orders/retryPolicy.ts',
    });
    assert.ok(
      outline.definitions.some((one) => /^\d+-\d+ function nextRetryDelay$/.test(one)),
      outline.definitions.join(),
    );
    const folders = await sample.json<{ readonly files: readonly { readonly path: string }[] }>('outline', {
      path: 'src/auth',
    });
    assert.ok(folders.files.length > 1 && folders.files.every(({ path }) => path.startsWith('src/auth/')));
    const { files } = await sample.json<{ readonly files: readonly string[] }>('list_files', {
      path: 'src/orders/*.ts',
    });
    assert.ok(files.includes('src/orders/retryPolicy.ts') && files.every((path) => path.startsWith('src/orders/')));
    const python = await sample.json<{ readonly files: readonly string[] }>('list_files', { language: 'python' });
    assert.ok(python.files.every((path) => path.endsWith('.py')));
    const one = await sample.json<{ readonly files: readonly string[]; readonly nextOffset?: number }>('list_files', {
      limit: 1,
    });
    assert.deepEqual([one.files.length, one.nextOffset], [1, 1]);
    const pages = { all: await listed({}), first: await listed({ limit: 3 }), rest: await listed({ offset: 3 }) };
    assert.deepEqual([...pages.first, ...pages.rest], pages.all);
    const outlined = await sample.json<{ readonly files: readonly { readonly path: string }[] }>('outline', {
      path: 'src/auth',
      offset: 1,
    });
    assert.deepEqual(outlined.files, folders.files.slice(1));
    const explained = await sample.json<{ readonly explanation: readonly string[] }>('explain_missing', {
      path: './.env',
    });
    assert.match(explained.explanation.join(' '), /keys or passwords/);
    const ranked = await sample.json<{ readonly explanation: readonly string[] }>('explain_missing', {
      path: 'src/orders/retryPolicy.ts',
      query: 'nextRetryDelay',
    });
    assert.match(ranked.explanation.join(' '), /It is result 1\./);
    for (const name of ['outline', 'explain_missing', 'read_span']) {
      const refused = await sample.call(name, { path: '/etc/passwd', startLine: 1, endLine: 1 });
      assert.equal(refused.isError, true);
      assert.match(refused.text, /is outside of/);
    }
  });

  it('reports a path where nothing is', async () => {
    for (const [name, input] of [
      ['search', { query: 'retry' }],
      ['find_usages', { name: 'nextRetryDelay' }],
      ['list_files', {}],
    ] as const) {
      const problemsAt = async (path: string): Promise<string> =>
        JSON.stringify(
          (await sample.json<{ readonly problems?: readonly string[] }>(name, { ...input, path })).problems,
        );
      assert.match(await problemsAt('src/order'), /There is no file src\/order\./, name);
      assert.match(await problemsAt('/etc'), /\/etc is outside of/, name);
      assert.match(await problemsAt('.env'), /keys or passwords/, name);
      assert.equal(await problemsAt(join(sampleRoot, '**/*.xyz')), undefined, name);
    }
    // The reason names the filter of the query, and not that of the path.
    assert.deepEqual(
      (await sample.json<{ problems: string[] }>('search', { query: 'retry lang:rust', path: '**/*.xyz' })).problems,
      ['No file in the index matches lang:rust; files may be left out.'],
    );
    assert.equal(
      (await sample.json<{ problems: string[] }>('search', { query: 'retry', path: '/etc' })).problems.length,
      1,
    );
    assert.equal(
      await sample.json<Found>('search', { query: 'zzyzx', path: 'src' }).then(({ results }) => results.length),
      0,
    );
    assert.equal((await sample.call('outline', { path: 'src/order' })).isError, true);
    assert.deepEqual((await sample.json<{ files: object[] }>('outline', { path: 'src', offset: 900 })).files, []);
    assert.match((await sample.call('read_span', { path: '.', startLine: 1, endLine: 1 })).text, /^\. is a folder\./);
  });

  it('takes null, an empty text and an offset of 0 as missing, and a truth value as text', async () => {
    const all = await listed({});
    assert.deepEqual(await listed({ path: null, language: '', limit: null, offset: 0, changed: 'false' }), all);
    assert.deepEqual(await listed({ path: join(sampleRoot, 'src/**') }), await listed({ path: 'src/**' }));
    assert.equal((await sample.call('list_files', { changed: 'true' })).isError, false);
  });

  it('takes a path in any form', async () => {
    const path = 'src/orders/retryPolicy.ts';
    const spans = await Promise.all(
      [
        path,
        `./${path}`,
        join(sampleRoot, path),
        `file://${join(sampleRoot, path)}`,
        path.replaceAll('/', '\\'),
        `${path}:12`,
      ].map(async (given) => sample.call('read_span', { path: given, startLine: 1, endLine: 3 })),
    );
    assert.deepEqual(new Set(spans.map(({ text }) => text)).size, 1, spans.map(({ text }) => text).join('\n'));
    assert.match(spans[0]!.text, /^\{"path":"src\/orders\/retryPolicy\.ts"/);
  });

  it('answers a name by its definition alone, within the requested length', async () => {
    await sample.fresh('search', { query: 'nextRetryDelay' });
    const { text } = await sample.call('codebase-retrieval', { information_request: 'nextRetryDelay' });
    assert.ok(text.length < 2_000 * 4);
    assert.deepEqual(
      [...text.matchAll(/^Path: (.*)$/gm)].map(([, path]) => path),
      ['src/orders/retryPolicy.ts'],
    );
    const short = await sample.call('codebase-retrieval', { information_request: 'retry', max_output_length: 300 });
    assert.ok(short.text.length <= 300);
  });

  it('retrieves code as text, in the form of the service', async () => {
    const text = await until('the index is complete', async () => {
      const input = { information_request: 'how long to wait before the next attempt' };
      const { text, isError } = await sample.call('codebase-retrieval', input);
      assert.equal(isError, false);
      return text.startsWith('These parts ') && text;
    });
    assert.match(text, /^These parts .*\nPath: src\/orders\/retryPolicy\.ts\n/);
    assert.match(text, /\n {5}6\texport function nextRetryDelay/);
    assert.ok(text.length <= 20_000);
    assert.equal(sample.stderr, '');
  });

  it('searches, and reads the lines of results', async () => {
    const { results } = await sample.fresh<Found>('search', { query: 'verifyPassword', limit: 2 });
    const inFolder = { query: 'order "retried', path: 'src/orders', language: 'typescript' };
    const { results: below } = await sample.json<Found>('search', inFolder);
    assert.ok(below.length > 0);
    for (const { path } of below) assert.match(path, /^src\/orders\/.*\.ts$/);
    assert.equal(results[0]?.path, 'src/auth/passwordHash.ts');
    const span = await sample.json<{ readonly text: string }>('read_span', results[0]);
    const lines = readFileSync(join(sampleRoot, results[0].path), 'utf8').split('\n');
    assert.equal(span.text, lines.slice(results[0].startLine - 1, results[0].endLine).join('\n'));
    const { problems } = await sample.json<Found>('search', { query: 'lang:klingon verifyPassword' });
    assert.equal(problems?.length, 1);
  });

  it('refuses ignored files, secrets and files outside of the folder', async () => {
    const root = copySample(folder());
    const outside = folder();
    writeFiles(outside, { 'outside.ts': 'export const nightingale = 1;\n' });
    writeFiles(root, {
      '.sextantignore': 'hidden/\n',
      'hidden/a.ts': 'export const nightingale = 1;\n',
      '.env': 'nightingale=1\n',
      'later.ts': 'export const nightingale = 1;\n',
    });
    symlinkSync(join(outside, 'outside.ts'), join(root, 'link.ts'));
    const session = await start(root);
    const search = async (): Promise<string[]> =>
      (await session.json<Found>('search', { query: 'nightingale' })).results.map(({ path }) => path);
    assert.deepEqual(await search(), ['later.ts']);
    // A file that became a secret is refused before the index is updated.
    writeFileSync(
      join(root, 'later.ts'),
      `export const nightingale = 'ghp_${'q7Zr2Kx9Lm4TvB'.repeat(3).slice(0, 36)}';\n`,
    );
    assert.deepEqual(await search(), []);
    const { text } = await session.call('codebase-retrieval', { information_request: 'nightingale' });
    assert.doesNotMatch(text, /nightingale|ghp_/);
    for (const path of ['hidden/a.ts', '.env', 'later.ts', 'link.ts', '../outside.ts', join(outside, 'outside.ts')]) {
      const refused = await session.call('read_span', { path, startLine: 1, endLine: 9 });
      assert.equal(refused.isError, true, path);
      assert.doesNotMatch(refused.text, /= 1|ghp_/);
    }
  });

  it('reports errors in a request', async () => {
    const wrong = [
      ['search', {}],
      ['search', { query: '' }],
      ['search', { query: 'a', limit: 31 }],
      ['codebase-retrieval', { information_request: 5 }],
      ['read_span', { path: 'README.md', startLine: 0, endLine: 2 }],
      ['read_span', { path: 'README.md', startLine: 2, endLine: 1 }],
      ['read_span', { path: 'README.md', startLine: 9000, endLine: 9001 }],
    ] as const;
    for (const [name, input] of wrong)
      assert.equal((await sample.call(name, input)).isError, true, JSON.stringify(input));
    // The server still runs.
    await sample.fresh<Found>('search', { query: 'verifyPassword' });
  });

  it('lists its tools before the index is complete, and marks results as partial', async () => {
    const root = folder();
    const body = 'export const common = "filler that takes a moment to be read";\n'.repeat(40);
    writeFiles(
      root,
      Object.fromEntries(Array.from({ length: MANY }, (_, i) => [`src/file${i}.ts`, `// ${i}\n${body}`])),
    );
    writeFiles(root, { 'zzz.ts': 'export function nightingale() {}\n' });
    const hasty = await start(root, '--wait', '0');
    assert.equal((await hasty.client.listTools()).tools.length, 7);
    const first = await hasty.json<Found>('search', { query: 'nightingale' });
    assert.match(first.incomplete ?? '', /^Sextant (has just begun to index|is still indexing) this folder/);
    const { text } = await hasty.call('codebase-retrieval', { information_request: 'nightingale' });
    assert.match(text, /^Sextant (has just begun to index|is still indexing) this folder.*\n(These|No) /);
    const short = { information_request: 'nightingale', max_output_length: 300 };
    assert.ok((await hasty.call('codebase-retrieval', short)).text.length <= 300);
    // A waiting server reads the index that the other process keeps.
    const patient = await start(root);
    await until('it is complete', async () => {
      const { results, incomplete } = await patient.json<Found>('search', { query: 'nightingale' });
      if (incomplete === undefined) assert.equal(results[0]?.path, 'zzz.ts');
      return incomplete === undefined;
    });
    await until('it is complete for its keeper', async () => {
      const { incomplete } = await hasty.json<Found>('search', { query: 'nightingale' });
      return incomplete === undefined;
    });
  });

  it('reports progress while a call waits for the index, and stops when the call is cancelled', async () => {
    const root = folder();
    const body = 'export const common = "filler that takes a moment to be read";\n'.repeat(80);
    writeFiles(
      root,
      Object.fromEntries(Array.from({ length: 2 * MANY }, (_, i) => [`src/file${i}.ts`, `// ${i}\n${body}`])),
    );
    const session = await start(root, '--wait', '30000');
    const call = { name: 'search', arguments: { query: 'common' } };
    const cancelled = new AbortController();
    const stopped = assert.rejects(session.client.callTool(call, undefined, { signal: cancelled.signal }));
    const done: number[] = [];
    const onprogress = ({ progress }: { readonly progress: number }): void => {
      done.push(progress);
      cancelled.abort();
    };
    const { isError } = await session.client.callTool(call, undefined, { onprogress });
    assert.notEqual(isError, true);
    assert.ok(done.length > 1, 'there was progress');
    assert.deepEqual(
      done,
      [...new Set(done)].sort((a, b) => a - b),
      'it only grows',
    );
    await stopped;
  });

  it('finds changes while it runs', async () => {
    writeFiles(sampleRoot, { 'src/new.ts': 'export function nightingale() {}\n' });
    await until('the new file is found', async () => {
      const { results } = await sample.json<Found>('search', { query: 'nightingale' });
      return results[0]?.path === 'src/new.ts';
    });
  });

  it('reads an index that another process keeps, and takes it over when that process ends', async () => {
    const root = copySample(folder());
    const stateFolder = folder();
    const options = { root, stateFolder, exclude: DEFAULT_EXCLUDE, maxFileBytes: MAX_FILE_BYTES };
    const index = FolderIndex.open(options, { logger: silentLogger, now: Date.now, onStatus: () => undefined });
    const session = await start(root, '--state', stateFolder);
    try {
      const before = await session.json<Found>('search', { query: 'verifyPassword' });
      assert.match(before.incomplete ?? '', /is writing to this index.*It may not be done/);
      assert.deepEqual(before.results, []);
      await index.reconcile();
    } finally {
      await index.close();
    }
    await until('it is complete', async () => {
      const { incomplete, results } = await session.json<Found>('search', { query: 'verifyPassword' });
      return incomplete === undefined && results.length > 0;
    });
  });

  it('speaks the older protocol version, prints nothing else, and ends with its input', async () => {
    const root = copySample(folder());
    const child = spawn(process.execPath, [COMMAND, '--workspace-root', root, '--mcp'], {
      env: { ...process.env, XDG_CACHE_HOME: cache },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let out = '';
    let said = '';
    child.stdout.on('data', (chunk) => (out += String(chunk)));
    child.stderr.on('data', (chunk) => (said += String(chunk)));
    const send = (message: object): void =>
      void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    child.stdin.write('this is no message\n');
    const client = { capabilities: {}, clientInfo: { name: 'old', version: '1' } };
    send({ id: 1, method: 'initialize', params: { protocolVersion: '2024-11-05', ...client } });
    send({ method: 'notifications/initialized' });
    const input = { name: 'codebase-retrieval', arguments: { information_request: 'password', extra: 1 } };
    send({ id: 2, method: 'tools/call', params: input });
    send({ id: 3, method: 'tools/nonsense' });
    const answers = (): {
      readonly id: number;
      readonly result?: { protocolVersion?: string };
      readonly error?: object;
    }[] =>
      out
        .split('\n')
        .filter(Boolean)
        .map((one) => JSON.parse(one) as { readonly id: number });
    await until('all is answered', () => out.endsWith('\n') && answers().length === 3);
    const byId = new Map(answers().map((one) => [one.id, one]));
    assert.equal(byId.get(1)?.result?.protocolVersion, '2024-11-05');
    assert.ok(byId.get(2)?.result);
    assert.ok(byId.get(3)?.error);
    assert.match(said, /^sextant: MCP: /);
    child.stdin.end();
    const [code] = (await once(child, 'exit')) as [number];
    assert.equal(code, 0);
    assert.equal(answers().length, 3);
  });

  it('ends with a reason after a message that is too long, so that its client can start it again', async () => {
    const child = spawn(process.execPath, [COMMAND, 'mcp', '--workspace-root', copySample(folder())], {
      env: { ...process.env, XDG_CACHE_HOME: cache },
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk) => (said += String(chunk)));
    child.stdin.on('error', () => undefined);
    child.stdin.write(Buffer.alloc(11 << 20, 'a'));
    await once(child, 'exit');
    assert.match(said, /^sextant: MCP: .* exceeded maximum size of 10485760 bytes\n$/);
  });

  it('ends when its parent process is killed, also while indexing', async () => {
    const root = folder();
    writeFiles(
      root,
      Object.fromEntries(Array.from({ length: MANY }, (_, i) => [`file${i}.ts`, `export const a = ${i};\n`])),
    );
    const code = `
      import { spawn } from 'node:child_process';
      const child = spawn(process.execPath, ${JSON.stringify([COMMAND, 'mcp', '--workspace-root', root])}, { stdio: 'pipe' });
      console.log(child.pid);
      setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, XDG_CACHE_HOME: cache },
    });
    const [chunk] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(String(chunk));
    assert.equal(isAlive(pid), true);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    await until('the process has ended', () => !isAlive(pid));
  });

  it("leaves out, as the process of an editor, the files that the folder's settings exclude", async () => {
    const root = copySample(folder());
    const options = { root, stateFolder: folder(), exclude: ['src/auth'], maxFileBytes: MAX_FILE_BYTES };
    const script = join(import.meta.dirname, '../../dist/extension/mcpServer.js');
    const session = await McpSession.start([JSON.stringify({ folders: [options], version: '1.2.3' })], {}, script);
    sessions.push(session);
    assert.equal(session.client.getServerVersion()?.version, '1.2.3');
    const { results } = await session.json<Found>('search', { query: 'password' });
    assert.ok(results.length > 0);
    assert.ok(results.every(({ path }) => !path.startsWith('src/auth/')));
    const span = { path: 'src/auth/passwordHash.ts', startLine: 1, endLine: 9 };
    assert.equal((await session.call('read_span', span)).isError, true);
  });

  it('searches, as the process of an editor, the code of its team with a token of the environment', async () => {
    const server = await SextantServer.start({ state: folder() });
    const client = new WireClient({ url: server.url, token: server.token, userAgent: 'test' });
    const content = 'export function lighthouseTariff(): number {\n  return 7;\n}\n';
    const file = { path: 'src/tariff.ts', content, size: content.length };
    const added = await client.upload([{ ...file, name: documentId(file.path, Buffer.from(content)) }]);
    await client.putRepository({
      name: 'acme/tools',
      blobs: { checkpointId: undefined, added: [...added], deleted: [] },
    });
    await client.close();
    const root = copySample(folder());
    const options = { root, stateFolder: folder(), exclude: [], maxFileBytes: MAX_FILE_BYTES };
    const editor = async (team: string, token: string | undefined): Promise<McpSession> => {
      const args = [JSON.stringify({ folders: [options], version: '1.2.3', team })];
      const env = token === undefined ? {} : { SEXTANT_TEAM_TOKEN: token };
      const session = await McpSession.start(args, env, join(import.meta.dirname, '../../dist/extension/mcpServer.js'));
      sessions.push(session);
      return session;
    };
    try {
      const session = await editor(server.url, server.token);
      const { tools } = await session.client.listTools();
      assert.equal(tools.at(-1)?.name, 'search_team_code');
      const answer = async (session: McpSession): Promise<string> => {
        const called = { name: 'search_team_code', arguments: { query: 'lighthouse tariff' } };
        const { content } = await session.client.callTool(called);
        return (content as { readonly text: string }[])[0]!.text;
      };
      assert.match(await answer(session), /^Path: acme\/tools\/src\/tariff\.ts$/m);
      assert.match(
        await answer(await editor(server.url, 'wrong')),
        / refuses the token: .* Enter another with “Sextant: Search Team Code…”\.$/,
      );
      const without = await (await editor(server.url, undefined)).client.listTools();
      assert.equal(without.tools.length, tools.length - 1);
    } finally {
      await server.close();
    }
  });

  it('refuses the home folder and the top of the disk', () => {
    const home = folder();
    for (const [root, env] of [
      ['/', {}],
      ['.', { HOME: home }],
    ] as const) {
      const args = [COMMAND, 'mcp', '--workspace-root', root];
      const options = { encoding: 'utf8', input: '', cwd: home, env: { ...process.env, ...env } } as const;
      const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
      assert.deepEqual([status, stdout], [2, '']);
      assert.match(stderr, /is (the whole disk|your home folder)\. Name the project's folder with --workspace-root\./);
    }
  });

  it('reports that the folder has vanished', async () => {
    const root = copySample(folder());
    const session = await start(root);
    await session.json<Found>('search', { query: 'verifyPassword' });
    rmSync(root, { recursive: true });
    const { incomplete } = await session.json<Found>('search', { query: 'verifyPassword' });
    assert.match(incomplete ?? '', /does not exist any more/);
  });

  it('serves a user without a home folder', async () => {
    const env = { HOME: join(folder(), 'missing'), XDG_CACHE_HOME: folder() };
    const { client } = await McpSession.start(['mcp', '--workspace-root', sampleRoot], env);
    await client.listTools();
    await client.close();
  });

  it('refuses a missing folder', () => {
    const root = folder();
    rmSync(root, { recursive: true });
    const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, 'mcp', '--workspace-root', root], {
      encoding: 'utf8',
      input: '',
    });
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, /^sextant: There is no folder/);
  });
});
