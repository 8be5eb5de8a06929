import assert from 'node:assert/strict';
import { AccountNames } from './accountNames.ts';

const ada = { kind: 'user_email', name: 'ada@example.com' } as const;
const build = { kind: 'service_account_name', name: 'nightly' } as const;

describe('pseudonyms', () => {
  it('are the same for a person in any case, and differ with another secret', () => {
    const names = new AccountNames('secret', true);
    assert.equal(names.of(ada), new AccountNames('secret', true).of({ ...ada, name: 'Ada@Example.com' }));
    assert.notEqual(names.of(ada), new AccountNames('other', true).of(ada));
    assert.match(names.of(ada), /^Person [2-9A-Z]{3}-[2-9A-Z]{4}$/);
    assert.match(names.of(build), /^Service account [2-9A-Z]{3}-[2-9A-Z]{4}$/);
    assert.match(names.ofInfo({ bot_name: 'reviewer' }).bot_name!, /^Bot /);
    assert.equal(names.ofInfo({ user_email: ada.name }).user_email, names.of(ada));
    assert.deepEqual(names.ofInfo({}), {});
  });

  it('differ for ten thousand people', () => {
    const names = new AccountNames('secret', true);
    const all = Array.from({ length: 10_000 }, (_, i) => names.of({ ...ada, name: `p${i}@example.com` }));
    assert.equal(new Set(all).size, all.length);
  });

  it('leave the id of a person unchanged', () => {
    const [hidden, shown] = [new AccountNames('secret', true), new AccountNames('secret', false)];
    assert.equal(shown.of(ada), 'ada@example.com');
    assert.equal(hidden.id(ada), shown.id(ada));
    assert.ok(!hidden.id(ada).startsWith(hidden.of(ada).slice(-8).replace('-', '')));
  });
});
