import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { readDestination } from '../../analytics/alerts/destination.ts';
import { AlertDestinations } from './alertDestinations.ts';

describe('the destinations of alerts in the secret storage', () => {
  it('keep one that this version cannot read, through changes of others', async () => {
    const secrets = new Map<string, string>();
    const storage = {
      get: async (key: string) => secrets.get(key),
      store: async (key: string, value: string) => secrets.set(key, value),
      delete: async (key: string) => secrets.delete(key),
    };
    const destinations = new AlertDestinations(storage as unknown as vscode.SecretStorage);
    const [ops, team] = ['ops', 'team'].map((name) =>
      readDestination({ name, url: `https://hooks.slack.com/services/${name}` }),
    );
    await destinations.add(ops!);
    const [[key, kept] = ['', '']] = secrets;
    const later = { ...ops!, name: 'later', url: 'https://later.example.com/', kind: 'carrier-pigeon' };
    secrets.set(key, JSON.stringify([later, ...(JSON.parse(kept) as unknown[])]));
    assert.deepEqual(await destinations.read(), [ops]);
    await destinations.add(team!);
    await destinations.remove('ops');
    assert.deepEqual(await destinations.read(), [team]);
    assert.deepEqual(JSON.parse(secrets.get(key)!), [later, team]);
    await destinations.remove('later');
    await destinations.remove('team');
    assert.equal(secrets.size, 0);
  });
});
