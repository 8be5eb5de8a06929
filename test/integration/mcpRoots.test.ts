import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { COMMAND } from '../support/command.ts';
import { McpSession } from '../support/mcp.ts';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';
import { until } from '../support/until.ts';

interface Found {
  readonly asOf?: string;
  readonly incomplete?: string;
  readonly results: readonly { readonly path: string }[];
}

describe('The roots of sextant mcp', () => {
  const folder = temporaryFolder();
  const sessions: McpSession[] = [];
  let cache = '';
  /** Folders whose files have their own name. */
  let shop = '';
  let bank = '';
  beforeEach(() => {
    cache = folder();
    const above = realpathSync(folder());
    [shop, bank] = ['shop', 'bank'].map((name) => {
      const root = join(above, name);
      writeFiles(root, { 'src/a.ts': `export function lantern() {}\n`, [`src/${name}.ts`]: 'lantern();\n' });
      return root;
    }) as [string, string];
  });
  afterEach(() => Promise.all(sessions.splice(0).map(({ client }) => client.close())));

  const start = async (
    options: { readonly roots?: readonly string[]; readonly cwd?: string },
    ...args: string[]
  ): Promise<McpSession> => {
    const env = { XDG_CACHE_HOME: cache, HOME: folder() };
    const session = await McpSession.start(['mcp', ...args], env, COMMAND, options);
    sessions.push(session);
    return session;
  };
  const address = (path: string): string => pathToFileURL(path).href;
  const found = async (session: McpSession): Promise<string[]> => {
    const { results } = await session.fresh<Found>('search', { query: 'lantern' });
    return results.map(({ path }) => path).sort();
  };

  it('are the folders among the addresses of the client', async () => {
    const session = await start({ roots: ['vscode-vfs://github/acme/shop', address(shop)], cwd: bank });
    assert.deepEqual(await found(session), ['src/a.ts', 'src/shop.ts']);
    assert.equal(session.stderr, '');
  });

  it('are those of the client, and follow their changes', async () => {
    const session = await start({ roots: [address(shop)], cwd: bank });
    assert.deepEqual(await found(session), ['src/a.ts', 'src/shop.ts']);
    await session.changeRoots([address(shop), address(bank)]);
    const both = ['bank/src/a.ts', 'bank/src/bank.ts', 'shop/src/a.ts', 'shop/src/shop.ts'];
    assert.deepEqual(await found(session), both);
    await session.changeRoots([address(bank)]);
    assert.deepEqual(await found(session), ['src/a.ts', 'src/bank.ts']);
    assert.equal(
      (await session.call('read_span', { path: join(shop, 'src/a.ts'), startLine: 1, endLine: 1 })).isError,
      true,
    );
  });

  it('are the folders of the command line before those of the client, several in one process', async () => {
    const session = await start({ roots: [address(cache)] }, '--workspace-root', shop, '--workspace-root', bank);
    assert.equal((await found(session)).length, 4);
    const { text } = await session.call('codebase-retrieval', { information_request: 'lantern' });
    assert.match(text, /^Path: shop\/src\/a\.ts$/m);
    // The same text is shown once.
    assert.match(text, /^bank\/src\/a\.ts:1: /m);
    const span = await session.json<object>('read_span', { path: 'bank/src/bank.ts', startLine: 1, endLine: 1 });
    assert.deepEqual(span, {
      path: 'bank/src/bank.ts',
      startLine: 1,
      endLine: 1,
      lines: 2,
      text: 'lantern();',
      isCut: false,
    });
    const { files } = await session.json<{ readonly files: object }>('list_files', { path: 'shop/**/*.ts' });
    assert.deepEqual(files, ['shop/src/a.ts', 'shop/src/shop.ts']);
    const used = await session.json<{ readonly usages: readonly { readonly path: string }[] }>('find_usages', {
      name: 'lantern',
      path: bank,
    });
    assert.deepEqual(
      used.usages.map(({ path }) => path),
      ['bank/src/a.ts', 'bank/src/bank.ts'],
    );
  });

  it('are the current folder for a client without roots', async () => {
    assert.deepEqual(await found(await start({ cwd: shop })), ['src/a.ts', 'src/shop.ts']);
    assert.deepEqual(await found(await start({ cwd: bank, roots: [] })), ['src/a.ts', 'src/bank.ts']);
  });

  it('are refused with a reason where they are too wide or missing, and the others are served', async () => {
    const session = await start({ roots: [address('/'), address(join(shop, 'nowhere')), address(shop)] });
    const { results, incomplete } = await session.json<Found>('search', { query: 'lantern' });
    assert.equal(results.length, 2);
    assert.match(incomplete ?? '', /is the whole disk\..*There is no folder/);
    await session.changeRoots([address('/')]);
    const refused = await session.call('search', { query: 'lantern' });
    assert.equal(refused.isError, true);
    assert.match(refused.text, /is the whole disk\. Name the project's folder/);
  });

  it('have the folder above in their paths where they have one name', async () => {
    const other = join(realpathSync(folder()), 'other', 'shop');
    mkdirSync(other, { recursive: true });
    writeFiles(other, { 'src/b.ts': 'lantern();\n' });
    const session = await start({}, '--workspace-root', shop, '--workspace-root', other);
    const paths = await found(session);
    assert.ok(paths.includes('other/shop/src/b.ts'), paths.join());
    assert.equal(paths.length, 3);
    const span = await session.json<{ readonly text: string }>('read_span', {
      path: 'other/shop/src/b.ts',
      startLine: 1,
      endLine: 1,
    });
    assert.equal(span.text, 'lantern();');
  });

  it('are reported where one of them vanishes', async () => {
    const session = await start({ roots: [address(shop), address(bank)] });
    assert.equal((await found(session)).length, 4);
    renameSync(bank, `${bank}-moved`);
    const { results, incomplete } = await session.json<Found>('search', { query: 'lantern' });
    assert.deepEqual(results.map(({ path }) => path).sort(), ['shop/src/a.ts', 'shop/src/shop.ts']);
    assert.match(incomplete ?? '', new RegExp(`The folder ${bank} does not exist any more`));
  });

  it('are fresh again in the next answer after the machine held up one look at the files', async () => {
    writeFiles(shop, Object.fromEntries(Array.from({ length: 800 }, (_, i) => [`src/many/file${i}.ts`, `// ${i}\n`])));
    const session = await start({ roots: [address(shop)] });
    await session.fresh<Found>('search', { query: 'lantern' });
    for (const ms of [2, 5, 10, 20]) {
      const held = session.json<Found>('search', { query: 'lantern' });
      await setTimeout(ms);
      process.kill(session.pid, 'SIGSTOP');
      await setTimeout(1_200);
      process.kill(session.pid, 'SIGCONT');
      await held;
      const { incomplete } = await session.json<Found>('search', { query: 'lantern' });
      assert.equal(incomplete, undefined, `held up after ${ms} ms`);
    }
  });

  it('have a file that was just written in the next answer, which states its time, for three clients at once', async () => {
    const three = await Promise.all([0, 1, 2].map(() => start({ roots: [address(shop)] })));
    await Promise.all(three.map(found));
    for (let i = 0; i < 10; i++) {
      const name = `candle${i}`;
      const writtenAt = Date.now();
      writeFileSync(join(shop, `src/${name}.ts`), `export function ${name}() {}\n`);
      for (const session of three) {
        const { results, asOf, incomplete } = await session.json<Found>('search', { query: name });
        assert.deepEqual([results[0]?.path, incomplete], [`src/${name}.ts`, undefined]);
        assert.ok(Date.parse(asOf ?? '') >= writtenAt - 1000, `${asOf} is before ${writtenAt}`);
      }
      rmSync(join(shop, `src/${name}.ts`));
    }
    // The process that keeps the index is killed: another one takes over.
    process.kill(three[0]!.pid, 'SIGKILL');
    writeFileSync(join(shop, 'src/after.ts'), 'export function lighthouse() {}\n');
    for (const session of three.slice(1)) {
      await until('the file written after the kill is found', async () => {
        const { results } = await session.json<Found>('search', { query: 'lighthouse' });
        return results[0]?.path === 'src/after.ts';
      });
    }
  });
});
