import assert from 'node:assert/strict';
import { once } from './once.ts';

describe('once', () => {
  it('calls `make` at the first use and never again, even for an empty result', () => {
    let made = 0;
    const first = once((): string | undefined => {
      made++;
      return undefined;
    });
    assert.equal(made, 0);
    assert.deepEqual([first(), first()], [undefined, undefined]);
    assert.equal(made, 1);
  });

  it('calls `make` again after a failure', async () => {
    let tries = 0;
    const second = once(async () => {
      await Promise.resolve();
      if (++tries === 1) throw new Error('not yet');
      return tries;
    });
    await assert.rejects(Promise.all([second(), second()]), /not yet/);
    assert.deepEqual([await second(), await second()], [2, 2]);
  });
});
