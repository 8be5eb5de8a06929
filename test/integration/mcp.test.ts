import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FolderIndex } from '../../src/workspace/folderIndex.ts';
import { DEFAULT_EXCLUDE, MAX_FILE_BYTES } from '../../src/workspace/folderOptions.ts';
import { silentLogger } from '../../src/base/log.ts';
import { COMMAND, copySample } from '../support/command.ts';
import { McpSession, isAlive } from '../support/mcp.ts';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';
import { until } from '../support/until.ts';

interface Found {
  readonly incomplete?: string;
  readonly results: readonly { readonly path: string; readonly startLine: number; readonly endLine: number }[];
  readonly problems?: readonly string[];
}

interface Tool {
  readonly toolReferenceName: string;
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

  it('offers the tools of the wire sheet and of the editor, with the same limits', async () => {
    const { client } = sample;
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name, inputSchema, outputSchema }) => [name, inputSchema.required, outputSchema]),
      [
        ['codebase-retrieval', ['information_request'], undefined],
        ['search_workspace', ['query'], undefined],
        ['read_span', ['path', 'startLine', 'endLine'], undefined],
      ],
    );
    for (const { toolReferenceName, inputSchema } of MANIFEST.contributes.languageModelTools) {
      const tool = tools.find(({ name }) => name === toolReferenceName);
      const own = tool?.inputSchema.properties as Readonly<Record<string, { readonly maximum?: number }>>;
      const limits = Object.entries(own).map(([name, { maximum, ...rest }]) => [
        name,
        maximum === Number.MAX_SAFE_INTEGER ? rest : { ...rest, ...(maximum !== undefined && { maximum }) },
      ]);
      assert.deepEqual(Object.fromEntries(limits), inputSchema.properties);
    }
  });

  it('retrieves code as text, in the form of the service', async () => {
    const { text, isError } = await sample.call('codebase-retrieval', {
      information_request: 'how long to wait before the next attempt',
    });
    assert.equal(isError, false);
    assert.match(text, /^These parts .*\nPath: src\/orders\/retryPolicy\.ts\n/);
    assert.match(text, /\n {5}6\texport function nextRetryDelay/);
    assert.ok(text.length <= 20_000);
    assert.equal(sample.stderr, '');
  });

  it('searches, and reads the lines of results', async () => {
    const { results, incomplete } = await sample.json<Found>('search_workspace', {
      query: 'verifyPassword',
      limit: 2,
    });
    assert.equal(incomplete, undefined);
    assert.equal(results[0]?.path, 'src/auth/passwordHash.ts');
    const span = await sample.json<{ readonly text: string }>('read_span', results[0]);
    const lines = readFileSync(join(sampleRoot, results[0].path), 'utf8').split('\n');
    assert.equal(span.text, lines.slice(results[0].startLine - 1, results[0].endLine).join('\n'));
    const { problems } = await sample.json<Found>('search_workspace', { query: 'lang:klingon verifyPassword' });
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
      (await session.json<Found>('search_workspace', { query: 'nightingale' })).results.map(({ path }) => path);
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
      ['search_workspace', {}],
      ['search_workspace', { query: '' }],
      ['search_workspace', { query: 'a', limit: 31 }],
      ['codebase-retrieval', { information_request: 5 }],
      ['read_span', { path: 'README.md', startLine: 0, endLine: 2 }],
      ['read_span', { path: 'README.md', startLine: 2, endLine: 1 }],
      ['read_span', { path: 'README.md', startLine: 9000, endLine: 9001 }],
    ] as const;
    for (const [name, input] of wrong)
      assert.equal((await sample.call(name, input)).isError, true, JSON.stringify(input));
    // The server still runs.
    assert.equal((await sample.json<Found>('search_workspace', { query: 'verifyPassword' })).incomplete, undefined);
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
    assert.equal((await hasty.client.listTools()).tools.length, 3);
    const first = await hasty.json<Found>('search_workspace', { query: 'nightingale' });
    assert.match(first.incomplete ?? '', /^Sextant (has just begun to index|is still indexing) this folder/);
    const { text } = await hasty.call('codebase-retrieval', { information_request: 'nightingale' });
    assert.match(text, /^Sextant (has just begun to index|is still indexing) this folder.*\n(These|No) /);
    // A waiting server reads the index that the other process keeps.
    const patient = await start(root);
    await until('it is complete', async () => {
      const { results, incomplete } = await patient.json<Found>('search_workspace', { query: 'nightingale' });
      if (incomplete === undefined) assert.equal(results[0]?.path, 'zzz.ts');
      return incomplete === undefined;
    });
    await until('it is complete for its keeper', async () => {
      const { incomplete } = await hasty.json<Found>('search_workspace', { query: 'nightingale' });
      return incomplete === undefined;
    });
  });

  it('finds changes while it runs', async () => {
    writeFiles(sampleRoot, { 'src/new.ts': 'export function nightingale() {}\n' });
    await until('the new file is found', async () => {
      const { results } = await sample.json<Found>('search_workspace', { query: 'nightingale' });
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
      const before = await session.json<Found>('search_workspace', { query: 'verifyPassword' });
      assert.match(before.incomplete ?? '', /is writing to this index.*It may not be done/);
      assert.deepEqual(before.results, []);
      await index.reconcile();
    } finally {
      await index.close();
    }
    await until('it is complete', async () => {
      const { incomplete, results } = await session.json<Found>('search_workspace', { query: 'verifyPassword' });
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
    const answers = (): { readonly id: number; readonly result?: object; readonly error?: object }[] =>
      out
        .split('\n')
        .filter(Boolean)
        .map((one) => JSON.parse(one) as { readonly id: number });
    await until('all is answered', () => out.endsWith('\n') && answers().length === 3);
    const byId = new Map(answers().map((one) => [one.id, one]));
    assert.equal((byId.get(1)?.result as { protocolVersion?: string }).protocolVersion, '2024-11-05');
    assert.ok(byId.get(2)?.result);
    assert.ok(byId.get(3)?.error);
    assert.match(said, /^sextant: MCP: /);
    child.stdin.end();
    const [code] = (await once(child, 'exit')) as [number];
    assert.equal(code, 0);
    assert.equal(answers().length, 3);
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
    const session = await McpSession.start([JSON.stringify({ folder: options, version: '1.2.3' })], {}, script);
    sessions.push(session);
    assert.equal(session.client.getServerVersion()?.version, '1.2.3');
    const { results } = await session.json<Found>('search_workspace', { query: 'password' });
    assert.ok(results.length > 0);
    assert.ok(results.every(({ path }) => !path.startsWith('src/auth/')));
    const span = { path: 'src/auth/passwordHash.ts', startLine: 1, endLine: 9 };
    assert.equal((await session.call('read_span', span)).isError, true);
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
