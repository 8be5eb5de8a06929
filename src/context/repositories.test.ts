import assert from 'node:assert/strict';
import { ALL, describeRepositories, OTHER, pusher, RETRY } from '../../test/support/repositoryStore.ts';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { AdjustableClock } from '../base/clock.ts';
import { Repositories } from './repositories.ts';
import { ContentStore } from './store/contentStore.ts';

const DAY = 86_400_000;

describe('repositories of a store in a folder', () => {
  const folder = temporaryFolder();
  describeRepositories(() => ContentStore.open(folder()));

  it('are there after a restart, and so are their files after months without a search', async () => {
    const place = folder();
    const clock = new AdjustableClock({ now: () => 0 });
    const first = await ContentStore.open(place, { clock });
    const push = pusher(first, new Repositories(first, clock));
    await push('pay', { 'a.ts': RETRY }, { url: 'https://git.example.com/{ref}/{path}#L{line}', ref: 'main' });
    await push('old', { 'b.ts': OTHER });
    await first.close();
    const store = await ContentStore.open(place, { clock });
    try {
      const repositories = new Repositories(store, clock);
      assert.ok(await repositories.remove('old'));
      assert.ok(!(await repositories.remove('old')));
      clock.set(90 * DAY);
      assert.deepEqual(await store.collect(), { blobs: 1 });
      const { results } = await repositories.search('retryPayment', undefined, undefined, ALL);
      assert.equal(results[0]?.url, 'https://git.example.com/main/a.ts#L1');
    } finally {
      await store.close();
    }
  });
});
