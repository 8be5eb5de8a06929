import assert from 'node:assert/strict';
import { retryAfterMs } from './retryAfter.ts';

const NOW = Date.UTC(2026, 10, 21, 12);

describe('the delay in Retry-After', () => {
  it('is seconds, or a date in the future', () => {
    assert.deepEqual(
      ['0', '30'].map((header) => retryAfterMs(header, NOW)),
      [0, 30_000],
    );
    assert.equal(retryAfterMs(new Date(NOW + 100_000).toUTCString(), NOW), 100_000);
    assert.equal(retryAfterMs('Wed, 21 Oct 2015 07:28:00 GMT', NOW), 0);
    const longest = ['9'.repeat(20), '9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT'];
    for (const header of longest) assert.equal(retryAfterMs(header, NOW), 86_400_000, header);
  });

  it('is undefined for a header that is missing, repeated or malformed', () => {
    for (const header of [undefined, ['1', '2'], '', 'soon', '-'])
      assert.equal(retryAfterMs(header, NOW), undefined, String(header));
  });
});
