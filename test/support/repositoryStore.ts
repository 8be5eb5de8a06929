import assert from 'node:assert/strict';
import { Repositories, type MayUse } from '../../src/context/repositories.ts';
import type { ContextStore } from '../../src/context/store/contextStore.ts';
import { AdjustableClock } from '../../src/base/clock.ts';
import { SextantError } from '../../src/base/errors.ts';
import type { WireRepository } from '../../src/wire/repositories.ts';
import type { NewVersion } from '../../src/wire/wireClient.ts';

export const ALL: MayUse = () => true;
export const RETRY = 'export function retryPayment(): void {\n  wait();\n}\n';
export const OTHER = 'export function chargeCard(): void {\n  pay();\n}\n';

const withCode =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof SextantError && error.code === code;

/** Adds repositories to a store of tests.  */
export function pusher(store: ContextStore, repositories: Repositories): Push {
  return async (name, files, more = {}) => {
    const added = await store.upload(Object.entries(files).map(([path, content]) => ({ path, content })));
    return repositories.put({ name, blobs: { checkpointId: undefined, added, deleted: [] }, ...more });
  };
}

/** Tests of any store with repositories. `open` returns an empty one. */
export function describeRepositories(open: () => Promise<ContextStore>): void {
  async function withRepositories(use: (repositories: Repositories, push: Push) => Promise<void>): Promise<void> {
    const store = await open();
    const repositories = new Repositories(store, new AdjustableClock({ now: () => 0 }));
    try {
      await use(repositories, pusher(store, repositories));
    } finally {
      await store.close();
    }
  }

  it('are searched together, and a file that several have is shown once', async () => {
    await withRepositories(async (repositories, push) => {
      await push('acme/pay', { 'src/retry.ts': RETRY, 'src/card.ts': OTHER });
      await push('acme/fork', { 'src/retry.ts': RETRY });
      await push('tools', { 'lib/retry.ts': RETRY });
      const { results, searched } = await repositories.search('retryPayment', undefined, undefined, ALL);
      assert.equal(searched, 3);
      const shown = results.map(({ path, repositories: names, repository_count: count }) => ({ path, names, count }));
      assert.deepEqual(
        shown.find(({ path }) => path === 'src/retry.ts'),
        { path: 'src/retry.ts', names: ['acme/fork', 'acme/pay'], count: 2 },
      );
      assert.equal(results[0]!.places[0]!.symbol?.name, 'retryPayment');
      assert.equal(results[0]!.places[0]!.text, RETRY.trimEnd());
    });
  });

  it('have each their own file of a path, as good as that of another one', async () => {
    await withRepositories(async (repositories, push) => {
      await push('pay', { 'src/retry.ts': RETRY, 'src/card.ts': `${OTHER}// see retryPayment\n` });
      await push('tools', { 'src/retry.ts': `/** Waits longer. */\n${RETRY}` });
      const { results } = await repositories.search('how to retry a payment', undefined, undefined, ALL);
      assert.deepEqual(
        results.map(({ path }) => path),
        ['src/retry.ts', 'src/retry.ts', 'src/card.ts'],
      );
    });
  });

  it('are chosen by patterns and by filters of the query', async () => {
    await withRepositories(async (repositories, push) => {
      await push('acme/pay', { 'a.ts': RETRY });
      await push('acme/old', { 'b.ts': RETRY });
      await push('tools', { 'c.ts': RETRY });
      const paths = async (query: string, patterns?: string[]): Promise<string[]> =>
        (await repositories.search(query, patterns, undefined, ALL)).results.map(({ path }) => path).sort();
      assert.deepEqual(await paths('retry', ['acme/*']), ['a.ts', 'b.ts']);
      assert.deepEqual(await paths('retry repo:acme/* -repo:acme/old'), ['a.ts']);
      assert.deepEqual(await paths('retry repo:tools', ['acme/*']), []);
      const { problems } = await repositories.search('retry repo:tool', undefined, undefined, ALL);
      assert.deepEqual(problems, ['No repository that you may read matches repo:tool.']);
      const about = async (query: string, patterns?: string[], length?: number): Promise<string> =>
        (await repositories.retrieve(query, patterns, length, ALL)).split('Path: ')[0]!;
      const none = 'No repository was searched: none was pushed that you may read, or none has such a name.';
      assert.equal(await about('retry', ['nobody']), `${none}\nNo code was found for this.`);
      const language = 'There is no language “pyhton”. Did you mean python?';
      const found = await about('retry -repo:tool lang:pyhton');
      const leftOut = 'No repository that you may read matches -repo:tool.';
      assert.equal(found, `${leftOut}\n${language}\nThese parts of the code were found, the best file first:\n`);
      assert.ok((await about('retry repo:tool', undefined, 60)).length <= 60);
      const text = await repositories.retrieve('retry', ['tools'], undefined, ALL);
      assert.match(text, /^Path: tools\/c\.ts$/m);
    });
  });

  it('show nothing of those that a caller may not use', async () => {
    await withRepositories(async (repositories, push) => {
      await push('open', { 'a.ts': OTHER });
      await push('secret', { 'b.ts': RETRY });
      const may: MayUse = (name) => name === 'open';
      assert.deepEqual(
        (await repositories.list(may)).map(({ name }) => name),
        ['open'],
      );
      for (const patterns of [undefined, ['secret'], ['*'], ['open', 'secret']])
        for (const query of ['retryPayment', 'retryPayment repo:secret', 'repo:* retryPayment']) {
          const { results, searched } = await repositories.search(query, patterns, undefined, may);
          assert.deepEqual(results, []);
          assert.ok(searched <= 1);
          assert.ok(!(await repositories.retrieve(query, patterns, undefined, may)).includes('retryPayment'));
        }
      const { results } = await repositories.search('retryPayment', undefined, undefined, ALL);
      const blob = results[0]!.blob_name;
      await assert.rejects(repositories.file('secret', blob, may), withCode('NoSuchFile'));
      await assert.rejects(repositories.file('open', blob, may), withCode('NoSuchFile'));
      assert.deepEqual(await repositories.file('secret', blob, ALL), { path: 'b.ts', text: RETRY });
    });
  });

  it('keep earlier versions, whose files can be read and are not searched', async () => {
    await withRepositories(async (repositories, push) => {
      await push('pay', { 'a.ts': RETRY }, { ref: 'main', commit: '1' });
      const { results } = await repositories.search('retryPayment', undefined, undefined, ALL);
      const second = await push('pay', { 'a.ts': OTHER }, { ref: 'main', commit: '2', keep: 1 });
      assert.deepEqual([second.commit, second.older, second.files], ['2', 1, 1]);
      assert.deepEqual((await repositories.search('retryPayment', undefined, undefined, ALL)).results, []);
      assert.equal((await repositories.file('pay', results[0]!.blob_name, ALL)).text, RETRY);
      assert.equal((await push('pay', { 'a.ts': OTHER }, { ref: 'main', commit: '2' })).older, 1, 'pushed again');
      assert.equal((await push('pay', { 'c.ts': OTHER }, { commit: '3', keep: 0 })).older, 0);
      await assert.rejects(repositories.file('pay', results[0]!.blob_name, ALL), withCode('NoSuchFile'));
    });
  });

  it('refuse files that were never uploaded', async () => {
    await withRepositories(async (repositories) => {
      const blobs = { checkpointId: undefined, added: ['f'.repeat(64)], deleted: [] };
      await assert.rejects(repositories.put({ name: 'pay', blobs }), withCode('FilesMissing'));
      await assert.rejects(
        repositories.put({ name: 'pay', blobs: { ...blobs, checkpointId: 'e'.repeat(64) } }),
        withCode('CheckpointNotFound'),
      );
      assert.deepEqual(await repositories.list(ALL), []);
    });
  });
}

export type Push = (
  name: string,
  files: Readonly<Record<string, string>>,
  more?: Omit<Partial<NewVersion>, 'name' | 'blobs'>,
) => Promise<WireRepository>;
