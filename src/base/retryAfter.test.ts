import assert from 'node:assert/strict';
import { retryAfterMs } from './retryAfter.ts';

describe('the delay in Retry-After', () => {
  it('is seconds, or a date in the future', () => {
    assert.deepEqual(['0', '30'].map(retryAfterMs), [0, 30_000]);
    const ms = retryAfterMs(new Date(Date.now() + 100_000).toUTCString())!;
    assert.ok(ms > 90_000 && ms <= 100_000, String(ms));
    assert.equal(retryAfterMs('Wed, 21 Oct 2015 07:28:00 GMT'), 0);
  });

  it('is undefined for a header that is missing, repeated or malformed', () => {
    for (const header of [undefined, ['1', '2'], '', 'soon', '-'])
      assert.equal(retryAfterMs(header), undefined, String(header));
  });
});
