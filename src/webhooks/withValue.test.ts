import assert from 'node:assert/strict';
import fc from 'fast-check';
import { withValue } from './withValue.ts';

describe('--set', () => {
  it('sets the value that an assignment in JavaScript sets', () => {
    const key = fc.constantFrom('a', 'b', '0', 'constructor', 'é"');
    const value = fc.letrec<{ any: unknown; object: Record<string, unknown> }>((tie) => ({
      any: fc.oneof({ maxDepth: 3 }, fc.integer(), fc.string(), tie('object')),
      object: fc.dictionary(key, tie('any'), { noNullPrototype: true }),
    })).object;
    fc.assert(
      fc.property(value, key, key, fc.json(), (object, outer, inner, json) => {
        const parsed: unknown = JSON.parse(json);
        const text = JSON.stringify(object, null, 2);
        assert.deepEqual(JSON.parse(withValue(text, `${outer}=${json}`)), { ...object, [outer]: parsed });
        const before = Object.hasOwn(object, outer) ? object[outer] : {};
        if (typeof before !== 'object') return;
        assert.deepEqual(JSON.parse(withValue(text, `${outer}.${inner}=${json}`)), {
          ...object,
          [outer]: { ...before, [inner]: parsed },
        });
      }),
    );
  });

  it('keeps all other characters', () => {
    const json = ' {"n": 1.0, "a": null, "a": [ ], "n":2.0}\n';
    assert.equal(withValue(json, 'a.0=1.50'), ' {"n": 1.0, "a": null, "a": [1.50 ], "n":2.0}\n');
    assert.equal(withValue(json, 'n=x=y'), ' {"n": 1.0, "a": null, "a": [ ], "n":"x=y"}\n');
    assert.throws(() => withValue(json, 'a.1=1'), { code: 'InvalidOption', message: '--set a.1=1: a has no part 1.' });
  });

  it('is for JSON only', () => {
    for (const text of ['', 'a=1', '{"a": 1} and more', '{'])
      assert.throws(() => withValue(text, 'a=1'), { code: 'InvalidOption', message: /: the body is not JSON\.$/ });
  });
});
