import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { packTar } from 'modern-tar/fs';
import { pipeline } from 'node:stream/promises';
import { SextantServer } from '../../src/server/server.ts';
import { COMMAND, commandRunner, copySample } from '../support/command.ts';
import { manifestsOf } from '../support/indexFiles.ts';
import { temporaryFolder } from '../support/temporary.ts';

describe('sextant context', () => {
  const folder = temporaryFolder();
  const sextant = commandRunner(folder);

  it('imports an index for another checkout, and analyses only the files that differ', () => {
    const built = copySample(folder());
    const file = join(folder(), 'index.tar');
    const exported = sextant('context', 'export', built, '-o', file);
    assert.deepEqual([exported.code, exported.stdout], [0, ''], exported.stderr);
    assert.match(exported.stderr, /^sextant: Exported the index of \d+ files\.\n$/);
    assert.equal(statSync(file).mode & 0o777, 0o600);

    const here = copySample(folder());
    for (const name of ['README.md', 'src/auth/passwordHash.ts']) utimesSync(join(here, name), 1, 1);
    writeFileSync(join(here, 'new.ts'), 'export function nightingale() {}\n');
    const state = join(folder(), 'state');
    const imported = sextant('context', 'import', file, here, '--state', state);
    assert.match(imported.stdout, /^Imported the index of \d+ files for /);
    // Searched without an update, and so without the new file.
    const find = (...args: string[]): string[] =>
      (
        JSON.parse(sextant('search', ...args, here, '--state', state, '--json').stdout) as {
          readonly results: readonly { readonly path: string }[];
        }
      ).results.map(({ path }) => path);
    assert.equal(find('verifyPassword', '--no-update')[0], 'src/auth/passwordHash.ts');
    assert.deepEqual(find('nightingale', '--no-update'), []);
    assert.deepEqual(find('nightingale'), ['new.ts']);
    assert.deepEqual(
      readdirSync(state).filter((name) => name.startsWith('archive-')),
      [],
    );
  });

  it('exports to a pipe and imports from one', () => {
    const root = copySample(folder());
    const env = { ...process.env, XDG_CACHE_HOME: folder() };
    const { stdout } = spawnSync(process.execPath, [COMMAND, 'context', 'export', root], { env, maxBuffer: 1 << 26 });
    const state = join(folder(), 'state');
    const args = [COMMAND, 'context', 'import', '-', root, '--state', state];
    const imported = spawnSync(process.execPath, args, { env, input: stdout, encoding: 'utf8' });
    assert.deepEqual([imported.status, imported.stderr], [0, '']);
  });

  it('reports an output file in a missing folder, like doctor and export', () => {
    const root = copySample(folder());
    const file = join(folder(), 'missing', 'file');
    for (const args of [
      ['context', 'export', root],
      ['doctor', root],
      ['export', '--users', '2', '--state', folder()],
    ]) {
      const { code, stderr } = sextant(...args, '--output', file);
      assert.equal(code, 2, args.join(' '));
      assert.ok(stderr.includes(`sextant: ${file} cannot be written. Name a file in a folder that exists.`), stderr);
    }
  });

  it('replaces no output file without --force, like doctor and export', () => {
    const root = copySample(folder());
    const file = join(folder(), 'file');
    for (const args of [
      ['context', 'export', root],
      ['doctor', root],
      ['export', '--users', '2', '--state', folder()],
    ]) {
      writeFileSync(file, 'mine');
      const refused = sextant(...args, '--output', file);
      assert.equal(refused.code, 2, args.join(' '));
      assert.match(
        refused.stderr,
        /The file ".*file" exists already\. Name another with --output, or replace it with --force\./,
      );
      assert.equal(readFileSync(file, 'utf8'), 'mine');
      assert.equal(sextant(...args, '--output', file, '--force').code, 0, args.join(' '));
      assert.notEqual(readFileSync(file, 'utf8'), 'mine');
      assert.deepEqual(readdirSync(dirname(file)), ['file'], 'no temporary file is left');
    }
  });

  it('keeps the index if the imported file is damaged or no archive', async () => {
    const root = copySample(folder());
    const state = join(folder(), 'state');
    const file = join(folder(), 'index.tar');
    assert.equal(sextant('context', 'export', root, '--state', state, '-o', file).code, 0);
    const [manifest = ''] = manifestsOf(join(state, 'index'));
    const before = readFileSync(manifest, 'utf8');
    const bad = folder();
    writeFileSync(join(bad, 'text.tar'), 'this is no archive\n'.repeat(100));
    writeFileSync(join(bad, 'empty.tar'), '');
    writeFileSync(join(bad, 'cut.tar'), readFileSync(file));
    truncateSync(join(bad, 'cut.tar'), Math.floor(statSync(file).size / 2));
    const evil = [{ type: 'content', content: 'x', target: 'xx/xx/evil.txt' }] as const;
    await pipeline(packTar(evil), createWriteStream(join(bad, 'evil.tar')));
    const climbing = readFileSync(join(bad, 'evil.tar'));
    climbing.write('../../', 'latin1');
    const sum = parseInt(climbing.toString('latin1', 148, 154), 8) - 4 * ('x'.charCodeAt(0) - '.'.charCodeAt(0));
    climbing.write(sum.toString(8).padStart(6, '0'), 148, 'latin1');
    writeFileSync(join(bad, 'evil.tar'), climbing);
    const other = [{ type: 'content', content: 'x', target: 'segment-1.sxs.txt' }] as const;
    await pipeline(packTar(other), createWriteStream(join(bad, 'other.tar')));
    for (const name of [...readdirSync(bad), 'missing.tar']) {
      const { code, stdout, stderr } = sextant('context', 'import', join(bad, name), root, '--state', state);
      assert.deepEqual([code, stdout], [2, ''], name);
      assert.match(
        stderr,
        name === 'missing.tar'
          ? /cannot be read. Name another file.*ENOENT/
          : /The file is not an index that sextant context export/,
        name,
      );
      assert.equal(readFileSync(manifest, 'utf8'), before, name);
      assert.equal(existsSync(join(state, '../evil.txt')), false);
    }
    assert.deepEqual(
      readdirSync(state).filter((name) => name.startsWith('archive-')),
      [],
    );
  });
});

describe('sextant login', () => {
  const folder = temporaryFolder();
  let server: SextantServer;
  let state = '';
  let home = '';
  before(async () => {
    state = folder();
    server = await SextantServer.start({ port: 0, state });
  });
  after(() => server.close());
  beforeEach(() => (home = folder()));

  const run = (input: string, ...args: string[]): { code: number | null; stdout: string; stderr: string } => {
    const env = { ...process.env, HOME: home, USERPROFILE: home, NO_COLOR: '1' };
    const options = { env, input, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], options);
    return { code: status, stdout, stderr };
  };
  const file = (): string => join(home, '.sextant/session.json');

  it('stores the session of the local server readable by its owner alone, prints it, and removes it', async () => {
    mkdirSync(join(home, '.sextant'), { mode: 0o755 });
    // Asynchronous, since this process is the server.
    const login = await runAsync(home, '', 'login', '--state', state);
    assert.deepEqual(login, {
      code: 0,
      stdout: `Logged in to ${server.url}. The session is in ${file()}.\n`,
      stderr: '',
    });
    assert.equal(statSync(file()).mode & 0o777, 0o600);
    assert.equal(statSync(join(home, '.sextant')).mode & 0o777, 0o700);
    const session = { accessToken: server.token, tenantURL: server.url, scopes: ['context:use'] };
    assert.deepEqual(JSON.parse(readFileSync(file(), 'utf8')), session);
    const printed = run('', 'token', 'print');
    assert.equal(printed.stdout, `${JSON.stringify(session)}\n`);
    assert.deepEqual(run('', 'logout'), { code: 0, stdout: 'Logged out: the session is removed.\n', stderr: '' });
    assert.equal(existsSync(file()), false);
    assert.deepEqual(run('', 'logout'), { code: 0, stdout: 'There was no session to remove.\n', stderr: '' });
    assert.deepEqual([run('', 'token', 'print').code, run('', 'token', 'print').stdout], [1, '']);
  });

  it('stores a token from the standard input if the service accepts it, and never prints it', async () => {
    const { token } = await server.createToken('program', ['context:use']);
    const login = await runAsync(home, `${token}\n`, 'login', ` ${server.url} `);
    assert.equal(login.code, 0, login.stderr);
    assert.equal((JSON.parse(readFileSync(file(), 'utf8')) as { accessToken: string }).accessToken, token);
    const before = readFileSync(file(), 'utf8');
    const { token: other } = await server.createToken('reader', ['analytics:read']);
    for (const [input, reason] of [
      ['wrong-token', / refuses the token: it is wrong or was revoked\. Type or pipe another one\.\n$/],
      [other, / answers 403 Forbidden: .* Use a token that may\.\n$/],
    ] as const) {
      const { code, stdout, stderr } = await runAsync(home, input, 'login', server.url);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, reason);
      assert.equal(stderr.includes(input), false);
    }
    assert.equal((await runAsync(home, '', 'login', server.url)).code, 2);
    assert.equal(readFileSync(file(), 'utf8'), before);
  });

  it('sends a token over https alone, and fails without a server', () => {
    for (const url of ['http://search.example.com', 'ftp://x', 'https://user:secret@x', 'nonsense'])
      assert.match(run('token', 'login', url).stderr, /^sextant: The address must be an https URL/);
    const { code, stderr } = run('', 'login', '--state', folder());
    assert.equal(code, 2);
    assert.match(stderr, /^sextant: No local server runs\. .* name the address of a service: sextant login URL\.\n$/);
    assert.equal(existsSync(file()), false);
  });
});

/** Runs the command without blocking the server of this process. */
async function runAsync(
  home: string,
  input: string,
  ...args: string[]
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [COMMAND, ...args], { env: { ...process.env, HOME: home, USERPROFILE: home } });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}
