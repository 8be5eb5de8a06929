import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ServerInfo } from '../../src/server/runningServer.ts';
import type { SearchAnswer, WireRepository } from '../../src/wire/repositories.ts';
import { TestAuthority } from '../support/certificates.ts';
import { COMMAND, copySample, type Outcome } from '../support/command.ts';
import { McpSession } from '../support/mcp.ts';
import { killed } from '../support/processes.ts';
import { temporaryFolder } from '../support/temporary.ts';

interface Run {
  readonly token: string;
  readonly args: readonly string[];
}

describe('sextant push and repos', () => {
  const folder = temporaryFolder();
  const servers: ChildProcess[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0))
      if (server.exitCode === null && server.signalCode === null) await killed(server, 'SIGTERM');
  });

  function run(more: Readonly<Record<string, string>>, ...args: string[]): Outcome {
    const env = { ...process.env, HOME: home, NO_COLOR: '1', ...more };
    const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], { encoding: 'utf8', env });
    return { code: status, stdout, stderr };
  }
  let home = '';
  before(() => (home = folder()));

  const tokenOf = (file: string, ...args: string[]): string => {
    const { code, stdout, stderr } = run({}, 'token', 'create', file, ...args);
    assert.equal(code, 0, stderr);
    return stdout.trim();
  };

  async function serve(...args: string[]): Promise<string> {
    return (await start(...args)).url;
  }

  async function start(...args: string[]): Promise<ServerInfo> {
    const child = spawn(process.execPath, [COMMAND, 'serve', '--json', '--port', '0', ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, HOME: home },
    });
    servers.push(child);
    for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line) as ServerInfo;
    throw new Error('The server printed no address.');
  }

  it('pushes folders, searches all of them, and shows each token its own repositories', async () => {
    const tokens = join(folder(), 'tokens.json');
    const ci = tokenOf(tokens, '--name', 'ci', '--scope', 'repositories:push', '--repo', 'acme/*');
    const all = tokenOf(tokens, '--name', 'people', '--scope', 'repositories:read');
    const few = tokenOf(tokens, '--name', 'guest', '--scope', 'repositories:read', '--repo', 'acme/open*');
    assert.equal(statSync(tokens).mode & 0o777, 0o600);
    assert.ok(![ci, all, few].some((token) => readFileSync(tokens, 'utf8').includes(token)));
    const log = join(folder(), 'access.log');
    const url = await serve('--state', folder(), '--tokens', tokens, '--access-log', log);
    const as = ({ token, args }: Run): Outcome => run({ SEXTANT_API_TOKEN: token, SEXTANT_API_URL: url }, ...args);

    const sample = copySample(folder());
    const template = 'https://git.example.com/shop/blob/{ref}/{path}#L{line}';
    const push = (name: string, ...more: string[]): Outcome => {
      const args = ['push', sample, '--name', name, '--ref', 'main', '--url', template, ...more];
      return as({ token: ci, args });
    };
    const first = push('acme/open');
    assert.match(first.stdout, /^Pushed \d+ files as acme\/open \(main\); \d+ were new\.\n$/, first.stderr);
    appendFileSync(join(sample, 'README.md'), '\nThe nightingale sings.\n');
    assert.match(push('acme/secret').stdout, /; 1 were new\.\n$/);
    const unknown = as({ token: 'wrong', args: ['repos', 'list'] });
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /^sextant: http:\S+ refuses the token: it is wrong or was revoked\. Log in with/);
    const asking = as({ token: 'wrong', args: ['ask', 'why?', '--team'] });
    assert.match(asking.stderr, /^sextant: http:\S+ refuses the token: it is wrong or was revoked\. Log in with/);
    const refused = push('other');
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /answers 403 Forbidden: this token may not push to other\. Use a token that may\.\n$/);
    const reading = as({ token: few, args: ['push', sample, '--name', 'acme/open'] });
    assert.match(reading.stderr, /does not have the permission context:use or repositories:push\. Use a token/);

    const search = (token: string, ...args: string[]): SearchAnswer => {
      const { stdout } = as({ token, args: ['repos', 'search', '--json', ...args] });
      return JSON.parse(stdout) as SearchAnswer;
    };
    const [found] = search(all, 'verifyPassword').results;
    assert.deepEqual([found?.path, found?.repositories], ['src/auth/passwordHash.ts', ['acme/open', 'acme/secret']]);
    assert.match(found?.url ?? '', /^https:\/\/git\.example\.com\/shop\/blob\/main\/src\/auth\/passwordHash\.ts#L\d+$/);
    assert.deepEqual(search(all, 'nightingale').results[0]?.repositories, ['acme/secret']);
    for (const query of ['nightingale', 'nightingale repo:acme/secret', 'nightingale repo:*'])
      assert.deepEqual(search(few, query).results, [], query);
    assert.equal(search(few, 'nightingale', '--repo', 'acme/secret').searched, 0);
    const shown = as({ token: all, args: ['repos', 'search', 'verifyPassword', '--limit', '1'] });
    assert.match(shown.stdout, /^acme\/open\/src\/auth\/passwordHash\.ts:\d+ {2}verifyPassword function\n/);
    assert.match(shown.stdout, /\n {2}also in acme\/secret\n/);

    const asked = as({ token: all, args: ['ask', 'how is a password checked? repo:acme/o*', '--team'] });
    assert.match(
      asked.stdout,
      /\n\[1\] acme\/open\/src\/auth\/passwordHash\.ts:\d+ {2}verifyPassword function\n/,
      asked.stderr,
    );
    assert.equal(asked.stderr, `sextant: Passages, no model. Only the question was sent, to ${url}.\n`);
    const bird = as({ token: all, args: ['ask', 'what does the nightingale do?', '--team', '--json'] });
    const { service, cited } = JSON.parse(bird.stdout) as { service: string; cited: { path: string; text: string }[] };
    assert.equal(service, url);
    assert.match(cited.find(({ path }) => path === 'acme/secret/README.md')?.text ?? '', /nightingale sings/);
    const hidden = as({ token: few, args: ['ask', 'what does the nightingale do?', '--team'] });
    assert.ok(!hidden.stdout.includes('nightingale sings'), hidden.stdout);
    const none = as({ token: few, args: ['ask', 'nightingale', '--team', '--repo', 'acme/secret'] });
    assert.deepEqual([none.code, none.stdout], [2, '']);
    assert.match(none.stderr, /No repository was searched\. None was pushed that you may read/);
    assert.equal(as({ token: few, args: ['ask', 'x', folder(), '--team'] }).code, 2);

    const env = { HOME: home, XDG_CACHE_HOME: folder(), SEXTANT_API_TOKEN: few, SEXTANT_API_URL: url };
    const { client } = await McpSession.start(['mcp', '--team', '--workspace-root', folder()], env);
    try {
      const { tools } = await client.listTools();
      assert.equal(tools.at(-1)?.name, 'search_team_code');
      const ask = async (query: string): Promise<string> => {
        const { content } = await client.callTool({ name: 'search_team_code', arguments: { query } });
        return (content as { readonly text: string }[])[0]!.text;
      };
      assert.match(await ask('verifyPassword'), /^Path: acme\/open\/src\/auth\/passwordHash\.ts$/m);
      assert.ok(!(await ask('nightingale')).includes('The nightingale sings'));
    } finally {
      await client.close();
    }
    const wrong = await McpSession.start(['mcp', '--team', '--workspace-root', folder()], {
      ...env,
      SEXTANT_API_TOKEN: 'wrong',
    });
    try {
      const called = { name: 'search_team_code', arguments: { query: 'verifyPassword' } };
      assert.match(JSON.stringify(await wrong.client.callTool(called)), /refuses the token: .* Log in with/);
    } finally {
      await wrong.client.close();
    }

    const list = as({ token: few, args: ['repos', 'list', '--json'] });
    const { repositories } = JSON.parse(list.stdout) as { repositories: WireRepository[] };
    assert.deepEqual(
      repositories.map(({ name }) => name),
      ['acme/open'],
    );
    assert.equal(as({ token: few, args: ['push', sample, '--name', 'acme/open'] }).code, 2);
    assert.equal(as({ token: ci, args: ['repos', 'remove', 'acme/open'] }).stdout, 'Removed acme/open.\n');
    assert.equal(as({ token: few, args: ['repos', 'list'] }).code, 1);

    await killed(servers[0]!, 'SIGTERM');
    const logged = readFileSync(log, 'utf8');
    const entry = JSON.parse(logged.split('\n')[0]!) as Record<string, unknown>;
    assert.deepEqual(Object.keys(entry), ['at', 'token', 'method', 'path', 'status', 'ms', 'code']);
    assert.equal(entry.token, 'ci');
    assert.ok(![ci, all, few, 'nightingale'].some((secret) => logged.includes(secret)));
  });

  it('continues a push whose server was killed', async () => {
    const state = folder();
    const sample = folder();
    for (let i = 0; i < 4_000; i++) writeFileSync(join(sample, `file${i}.ts`), `export const value${i} = ${i};\n`);
    const url = await serve('--state', state, '--token', 'push');
    const env = { ...process.env, HOME: home, SEXTANT_API_TOKEN: 'push' };
    const args = [COMMAND, 'push', sample, '--name', 'many', '--json'];
    const child = spawn(process.execPath, args, { env: { ...env, SEXTANT_API_URL: url }, stdio: 'ignore' });
    const exit = once(child, 'exit');
    while (!(await hasFiles(url))) await new Promise((resolve) => setTimeout(resolve, 20));
    await killed(servers[0]!);
    child.kill('SIGINT');
    await exit;
    const again = await serve('--state', state, '--token', 'push');
    const { stdout } = run({ SEXTANT_API_TOKEN: 'push', SEXTANT_API_URL: again }, ...args.slice(1));
    const pushed = JSON.parse(stdout) as { readonly repository: WireRepository; readonly uploaded: number };
    assert.equal(pushed.repository.files, 4_000);
    assert.ok(pushed.uploaded < 4_000, `${pushed.uploaded} files were uploaded`);
  });

  it('refuses to listen for other machines without tokens, and a file of tokens that others may write', () => {
    const open = run({}, 'serve', '--host', '0.0.0.0', '--state', folder());
    assert.equal(open.code, 2);
    assert.match(open.stderr, /0\.0\.0\.0 can be reached from other machines\. Give tokens of your own/);
    const tokens = join(folder(), 'tokens.json');
    tokenOf(tokens, '--name', 'a', '--scope', 'repositories:read');
    assert.match(
      run({}, 'token', 'create', tokens, '--name', 'a', '--scope', 'context:use').stderr,
      /has a token named a/,
    );
    chmodSync(tokens, 0o666);
    assert.match(run({}, 'serve', '--tokens', tokens, '--state', folder()).stderr, /may be written by others/);
  });

  it('pushes and searches over TLS with a certificate of an own authority', async () => {
    const authority = new TestAuthority(folder());
    const { cert, key } = authority.issue('DNS:localhost,IP:127.0.0.1');
    const tokens = join(folder(), 'tokens.json');
    const token = tokenOf(tokens, '--name', 'ci', '--scope', 'repositories:push', '--scope', 'repositories:read');
    const tls = ['--host', '0.0.0.0', '--tls-cert', cert, '--tls-key', key];
    const { publicUrl: url } = await start('--state', folder(), '--tokens', tokens, ...tls);
    assert.match(url!, /^https:\/\/localhost:\d+$/);
    const as = (more: Readonly<Record<string, string>>, ...args: string[]): Outcome =>
      run({ SEXTANT_API_TOKEN: token, SEXTANT_API_URL: url!, ...more }, ...args);
    const trusting = { NODE_EXTRA_CA_CERTS: authority.ca };
    const pushed = as(trusting, 'push', copySample(folder()), '--name', 'shop');
    assert.match(pushed.stdout, /^Pushed \d+ files as shop/, pushed.stderr);
    assert.match(as(trusting, 'repos', 'search', 'verifyPassword').stdout, /password/i);
    const refused = as({}, 'repos', 'list');
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /No known authority signed the certificate of https:\S+\. .* NODE_EXTRA_CA_CERTS/);
    const half = run({}, 'serve', '--tls-cert', cert, '--state', folder());
    assert.equal(half.code, 2);
    assert.match(half.stderr, /--tls-cert and --tls-key belong together/);
  });

  it('says how to name a service, in place of options that the library has', () => {
    for (const args of [
      ['repos', 'list'],
      ['ask', 'why?', '--team'],
      ['mcp', '--team'],
    ]) {
      const { code, stderr } = run({}, ...args);
      assert.equal(code, 2);
      assert.match(stderr, /Log in with "sextant login URL", or set SEXTANT_API_URL and SEXTANT_API_TOKEN\.\n$/);
    }
  });

  it('reports names and templates that cannot be', () => {
    const nowhere = join(folder(), 'missing', 'tokens.json');
    const refused = run({}, 'token', 'create', nowhere, '--name', 'ci', '--scope', 'repositories:push');
    assert.match(refused.stderr, /tokens\.json cannot be written\. Name a file in a folder that exists\. /);
    const tokens = join(folder(), 'tokens.json');
    const misnamed = run({}, 'token', 'create', tokens, '--name', 'Zo\u00eb B', '--scope', 'repositories:push');
    assert.match(misnamed.stderr, /^sextant: The token is not created: name must be up to 64 letters from a to z, /);
    assert.equal(existsSync(tokens), false);
    const more = { SEXTANT_API_TOKEN: 'x', SEXTANT_API_URL: 'http://127.0.0.1:9' };
    assert.match(run(more, 'push', folder(), '--name', '../x').stderr, /is no name of a repository/);
    const args = ['push', folder(), '--name', 'x', '--url', 'javascript:{path}'];
    assert.match(run(more, ...args).stderr, /--url must be an address/);
    assert.match(run(more, 'push', folder(), '--name', 'x').stderr, /has no file that can be searched/);
    const file = join(folder(), 'a.ts');
    writeFileSync(file, '');
    assert.match(
      run(more, 'repos', 'search', ' ').stderr,
      /^sextant: The query is empty\. Give a word, a name or a filter\.\n$/,
    );
    assert.match(run(more, 'push', file, '--name', 'x').stderr, /a\.ts" is a file\. Name the folder that it is in/);
  });

  it('pushes the text of files in other encodings, and leaves out those whose text is too large', async () => {
    const root = folder();
    writeFileSync(join(root, 'wide.ts'), Buffer.from('\ufeffexport const lanternWide = 1;\n', 'utf16le'));
    writeFileSync(join(root, 'western.ts'), Buffer.from('export const lanternWestern = "\u00e9t\u00e9";\n', 'latin1'));
    writeFileSync(join(root, 'large.ts'), Buffer.from(`// ${'\u00e9'.repeat(1_000_000)}`, 'latin1'));
    const url = await serve('--state', folder(), '--token', 'push');
    const more = { SEXTANT_API_TOKEN: 'push', SEXTANT_API_URL: url };
    const pushed = run(more, 'push', root, '--name', 'x', '--json');
    assert.equal(pushed.code, 0, pushed.stderr);
    const { uploaded, leftOut } = JSON.parse(pushed.stdout) as { uploaded: number; leftOut: number };
    assert.deepEqual([uploaded, leftOut], [2, 1]);
    const { stdout } = run(more, 'repos', 'search', 'lantern', '--json');
    const texts = (JSON.parse(stdout) as SearchAnswer).results.map(({ places }) => places[0]!.text.trim());
    assert.deepEqual(texts.sort(), ['export const lanternWestern = "\u00e9t\u00e9";', 'export const lanternWide = 1;']);
  });

  it('reports what of a folder cannot be read', async function () {
    if (process.platform !== 'linux') return this.skip();
    const sample = copySample(folder());
    // No right keeps root from reading, but a name does that is not UTF-8.
    writeFileSync(Buffer.from(join(sample, 'na\u00efve.ts'), 'latin1'), 'export const a = 1;\n');
    const url = await serve('--state', folder(), '--token', 'push');
    const more = { SEXTANT_API_TOKEN: 'push', SEXTANT_API_URL: url };
    const { code, stderr } = run(more, 'push', sample, '--name', 'x');
    assert.deepEqual([code, stderr], [0, 'sextant: The repository lacks what cannot be read: na\uFFFDve.ts. Correct its rights or name, and push again.\n']); // oxfmt-ignore
  });
});

/** Whether a file of the push has arrived. */
async function hasFiles(url: string): Promise<boolean> {
  const { documentId } = await import('../../src/engine/documentId.ts');
  const name = documentId('file0.ts', Buffer.from('export const value0 = 0;\n'));
  const response = await fetch(`${url}/find-missing`, {
    method: 'POST',
    headers: { authorization: 'Bearer push', 'content-type': 'application/json' },
    body: JSON.stringify({ mem_object_names: [name] }),
  });
  const { unknown_memory_names: unknown } = (await response.json()) as { unknown_memory_names: string[] };
  return unknown.length === 0;
}
