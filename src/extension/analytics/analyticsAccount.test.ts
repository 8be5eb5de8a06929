import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { AnalyticsAccount } from './analyticsAccount.ts';

/** An account on the state and the secrets of an editor. */
function editor(state: Map<string, unknown>, secrets: Map<string, string>): AnalyticsAccount {
  const globalState = {
    get: (key: string, otherwise?: unknown) => state.get(key) ?? otherwise,
    update: async (key: string, value: unknown) => state.set(key, value),
  };
  const storage = {
    get: async (key: string) => secrets.get(key),
    store: async (key: string, value: string) => secrets.set(key, value),
    delete: async (key: string) => secrets.delete(key),
  };
  return new AnalyticsAccount({ globalState, secrets: storage } as unknown as vscode.ExtensionContext);
}

const connection = { url: 'https://api.acme.example.com', token: 't0ken' };
/** What an earlier version kept. */
const FORMER_CHOICE = ['sextant.analytics.account', { kind: 'service', url: connection.url }] as const;
const FORMER_SECRET = ['sextant.analytics.connection', JSON.stringify(connection)] as const;

describe('the connected organizations', () => {
  it('have the one connection of an earlier version, under the name of its host', async () => {
    const state = new Map<string, unknown>([FORMER_CHOICE]);
    const secrets = new Map([FORMER_SECRET]);
    const account = editor(state, secrets);
    assert.equal(account.name, 'api.acme.example.com', 'before the secret is read');
    assert.deepEqual(await account.connection(), connection);
    assert.deepEqual(account.organizations, [{ name: 'api.acme.example.com', url: connection.url }]);
    assert.deepEqual(account.choice, { kind: 'service', url: connection.url, name: 'api.acme.example.com' });
    assert.equal(secrets.has('sextant.analytics.connection'), false);
    assert.deepEqual(await editor(state, secrets).connection(), connection, 'in the next window');
  });

  it('keep the earlier connection where another one or sample data are shown first', async () => {
    const secrets = new Map([FORMER_SECRET]);
    const account = editor(new Map<string, unknown>([FORMER_CHOICE]), secrets);
    await account.connect({ url: 'https://b.example.com', token: 'b' }, 'b');
    assert.deepEqual(account.organizations.map(({ name }) => name), ['api.acme.example.com', 'b']); // oxfmt-ignore
    assert.equal(account.name, 'b');
    assert.equal(await account.show('api.acme.example.com'), true);
    assert.deepEqual(await account.connection(), connection);
  });

  it('have no token in the state, and each its own in the secrets', async () => {
    const state = new Map<string, unknown>();
    const secrets = new Map<string, string>();
    const account = editor(state, secrets);
    for (const [name, token] of [
      ['a', 't0ken-a'],
      ['b', 't0ken-b'],
      ['a', 't0ken-c'],
    ] as const)
      // oxfmt-ignore
      await account.connect({ url: 'https://one.example.com', token }, name);
    assert.deepEqual(account.organizations.map(({ name }) => name), ['a', 'b']); // oxfmt-ignore
    assert.equal((await account.connection())?.token, 't0ken-c');
    assert.equal(JSON.stringify([...state]).includes('t0ken'), false);
    await account.forget();
    assert.equal(account.name, 'b');
    assert.equal((await account.connection())?.token, 't0ken-b');
    await account.showSample();
    assert.deepEqual([account.name, await account.connection()], [undefined, undefined]);
    await account.show('b');
    await account.forget();
    assert.deepEqual([account.choice, account.organizations], [undefined, []]);
    assert.equal(JSON.stringify([...secrets]).includes('t0ken'), false);
    assert.equal(await account.show('b'), false);
  });
});
