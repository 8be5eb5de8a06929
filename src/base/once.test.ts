import assert from 'node:assert/strict';
import { once } from './once.ts';

describe('once', () => {
  it('makes it when it is first asked for and never again, also where it is undefined', () => {
    let made = 0;
    const first = once(() => {
      made++;
      return undefined;
    });
    assert.equal(made, 0);
    for (const value of [first(), first()]) assert.equal(value, undefined);
    assert.equal(made, 1);
  });
});
