import assert from 'node:assert/strict';
import { once } from './once.ts';

describe('once', () => {
  it('makes it when it is first asked for and never again, also where nothing was made', () => {
    let made = 0;
    const first = once((): string | undefined => {
      made++;
      return undefined;
    });
    assert.equal(made, 0);
    assert.deepEqual([first(), first()], [undefined, undefined]);
    assert.equal(made, 1);
  });

  it('makes it again where that failed', async () => {
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
