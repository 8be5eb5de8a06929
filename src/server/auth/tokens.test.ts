import assert from 'node:assert/strict';
import fc from 'fast-check';
import { hashToken, newToken, requireToken, digest, Tokens } from './tokens.ts';

const NAMES = ['a', 'b', 'c'];
const SECRETS = ['one', 'two', 'three'];
/** As `one`, as far as the table of tokens looks them up, but for its last bytes. */
const NEAR = `${hashToken('one').slice(0, -2)}${hashToken('one').endsWith('00') ? '01' : '00'}`;

describe('tokens', () => {
  const callerOf = (tokens: Tokens, authorization: string | undefined): string | undefined => {
    try {
      return tokens.authenticate(authorization).name;
    } catch (error) {
      assert.equal((error as { code?: string }).code, 'Unauthenticated');
      return undefined;
    }
  };

  it('are known by what was set last under a name, whatever was set and revoked before', () => {
    const step = fc.record({
      name: fc.constantFrom(...NAMES),
      secret: fc.option(fc.constantFrom(...SECRETS), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const tokens = new Tokens();
        const naive = new Map<string, string>();
        for (const { name, secret } of steps) {
          if (secret === undefined) tokens.delete(name);
          else tokens.set({ name, hash: hashToken(secret), scopes: ['analytics:read'] });
          naive.delete(name);
          if (secret !== undefined) naive.set(name, secret);
          for (const one of SECRETS) {
            const holders = [...naive].filter(([, held]) => held === one).map(([holder]) => holder);
            assert.equal(callerOf(tokens, `Bearer ${one}`), holders.at(-1));
          }
          assert.deepEqual(
            tokens.list().map((token) => [token.name, token.hash]),
            [...naive].map(([holder, held]) => [holder, hashToken(held)]),
          );
        }
      }),
    );
  });

  it('are distinguished by their whole hash, and appear nowhere in the stored records', () => {
    const tokens = new Tokens();
    tokens.set({ name: 'near', hash: NEAR, scopes: ['analytics:read'] });
    assert.equal(callerOf(tokens, 'Bearer one'), undefined);
    const token = newToken('sxt');
    tokens.set({ name: 'real', hash: hashToken(token), scopes: ['analytics:read'] });
    assert.equal(callerOf(tokens, `Bearer ${token}`), 'real');
    assert.equal(callerOf(tokens, `bearer   ${token} `), 'real');
    assert.ok(!JSON.stringify(tokens.list()).includes(token.slice(4)));
    tokens.clear();
    assert.equal(callerOf(tokens, `Bearer ${token}`), undefined);
  });

  it('come in the form of a bearer token only', () => {
    const expected = digest('one');
    assert.doesNotThrow(() => requireToken('Bearer one', expected));
    for (const wrong of [
      undefined,
      '',
      'one',
      'Bearer',
      'Bearer ',
      'Basic one',
      'Bearer one two',
      'Bearer ONE',
      'Bearer one\n',
    ])
      assert.throws(() => requireToken(wrong, expected), { code: 'Unauthenticated' }, String(wrong));
  });
});
