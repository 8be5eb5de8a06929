import assert from 'node:assert/strict';
import { isIndexed, parseEventQuery } from './eventQuery.ts';

describe('a query for events', () => {
  it('has words, phrases, and filters by status, webhook, type, header and time', () => {
    assert.deepEqual(parseEventQuery('octo "fix the" status:failed webhook:"my hub" type:push from:2026-11-01'), {
      words: ['octo', 'fix the'],
      status: 'failed',
      webhook: 'my hub',
      type: 'push',
      from: '2026-11-01',
    });
    assert.deepEqual(parseEventQuery('header:X-A=b=c header:X-B http://x'), {
      words: ['http://x'],
      headers: [
        { name: 'X-A', value: 'b=c' },
        { name: 'X-B', value: '' },
      ],
    });
    assert.deepEqual(parseEventQuery(' '), {});
  });

  it('is JSONLogic if it begins with a brace', () => {
    assert.deepEqual(parseEventQuery(' {"var": "ok"}'), { filter: { var: 'ok' } });
    assert.throws(() => parseEventQuery('{"var": '), /is not JSON/);
    assert.throws(() => parseEventQuery('status:nope'), /must be one of received/);
  });

  it('needs a search unless it has only what the index knows', () => {
    assert.ok(isIndexed(parseEventQuery('status:failed to:2026-11-01')));
    assert.ok(!isIndexed(parseEventQuery('status:failed a')));
  });
});
