import assert from 'node:assert/strict';
import { withJoinedVerbs } from './phrasalVerbs.ts';

describe('Verbs with a second part', () => {
  const joined: readonly (readonly [string, string])[] = [
    ['What happens when it times out?', 'What happens when it timeout?'],
    ['Timing out, or timed out', 'timeout, or timeout'],
    ['where the server shuts down', 'where the server shuts down shutdown'],
    ['It fell back, then was torn down.', 'It fell back fallback, then was torn down teardown.'],
    ['rolled back (backs off)', 'rolled back rollback (backs off backoff)'],
  ];
  for (const [text, expected] of joined)
    it(`are also the joined word of code in ${text}`, () => assert.equal(withJoinedVerbs(text), expected));

  it('leave other text as it is', () => {
    for (const text of ['', 'time. Out of it', 'the time is out', 'out', 'set `up`', 'timeOut out', 'the back of it'])
      assert.equal(withJoinedVerbs(text), text);
  });
});
