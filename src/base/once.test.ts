import assert from 'node:assert/strict';
import { once } from './once.ts';

describe('once', () => {
  it('makes it when it is first asked for and never again, also where it is undefined', () => {
    let made = 0;
    const first = once(() => void made++);
    assert.equal(made, 0);
    assert.equal(first(), undefined);
    first();
    assert.equal(made, 1);
  });
});
