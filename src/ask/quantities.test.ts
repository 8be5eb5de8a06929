import assert from 'node:assert/strict';
import { asksForNumber } from './quantities.ts';

describe('a question for a number', () => {
  it('has a word for a quantity, not one that begins like it', () => {
    for (const question of ['what is the max length?', 'the minimum age of a session', 'maximal depth of a tree'])
      assert.ok(asksForNumber(question), question);
    for (const name of ['maxRetries', 'max_retries', 'MIN_SIZE', 'minAge'])
      assert.ok(asksForNumber(`what is ${name}?`), name);
    for (const question of ['what is the minimap?', 'how are minor faults handled?', 'where are scripts minified?'])
      assert.ok(!asksForNumber(question), question);
  });
});
