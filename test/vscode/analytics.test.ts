import * as assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { AnalyticsState } from '../../src/extension/analytics/analyticsActions.ts';
import { startServer, type TestServer } from '../../src/server/testing.ts';
import { sextant, until } from './support.ts';

const run = (name: string, argument?: unknown): Thenable<unknown> =>
  vscode.commands.executeCommand(`sextant.${name}`, argument);
const state = async (): Promise<AnalyticsState> => (await sextant()).analytics();
const set = (name: string, value: unknown): Thenable<void> =>
  vscode.workspace.getConfiguration('sextant').update(name, value, vscode.ConfigurationTarget.Global);

/** Waits until all reports satisfy a condition. */
function reports(as: string): Promise<unknown> {
  return until(`all reports are ${as}`, async () => Object.values((await state()).reports).every((one) => one === as));
}

describe('usage, cost and budgets', () => {
  let folder: string;
  let server: TestServer;
  const { XDG_DATA_HOME: before } = process.env;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sextant-analytics-'));
    process.env.XDG_DATA_HOME = folder;
    await set('server.stateFolder', join(folder, 'server'));
    server = await startServer({ seed: 3, users: 30 });
  });
  afterEach(async () => {
    while ((await state()).account) await run('disconnectAnalytics');
    await run('stopServer');
    await server.close();
    await set('server.stateFolder', undefined);
    await vscode.commands.executeCommand('notifications.clearAll');
    if (before === undefined) delete process.env.XDG_DATA_HOME;
    else process.env.XDG_DATA_HOME = before;
    rmSync(folder, { recursive: true, force: true });
  });

  it('send no request until an account is connected', async () => {
    await run('usage.focus');
    await run('refreshAnalytics');
    const { account, reports } = await state();
    assert.equal(account, undefined);
    assert.deepEqual(reports, { usage: 'none', people: 'none', cost: 'none', budgets: 'none' });
  });

  it('are loaded from the connected service, whose token is in no file', async () => {
    await run('connectAnalytics', { url: server.url, token: server.token });
    await reports('ready');
    assert.deepEqual((await state()).account, { kind: 'service', url: server.url, name: new URL(server.url).host });
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    assert.ok(files.length > 5, 'what was answered is kept');
    for (const { parentPath, name } of files)
      assert.equal(readFileSync(join(parentPath, name)).includes(server.token), false);

    await run('disconnectAnalytics');
    const { account, reports: gone } = await state();
    assert.deepEqual([account, gone.usage], [undefined, 'none']);
  });

  it('report a refused token, and a service that is down', async () => {
    await run('connectAnalytics', { url: server.url, token: 'sxt_wrong' });
    await reports('Unauthenticated');
    await run('connectAnalytics', { url: server.url, token: server.token });
    await reports('ready');
    await server.close();
    await run('refreshAnalytics');
    const { reports: now } = await state();
    assert.equal(now.budgets, 'offline', 'what is known is shown');
    await assert.rejects(
      async () => run('connectAnalytics', { url: 'http://example.com', token: 'x' }),
      /without encryption/,
    );
  });

  it('never send the token of one service to another', async () => {
    await using other = await startServer({ seed: 4, users: 5 });
    await run('connectAnalytics', { url: server.url, token: server.token });
    await reports('ready');
    await run('connectAnalytics', { url: other.url, token: other.token });
    await reports('ready');
    const response = await fetch(`${server.url}/__admin/requests?limit=1000`, {
      headers: { authorization: `Bearer ${server.adminToken}` },
    });
    const { requests } = (await response.json()) as { requests: readonly { readonly status: number }[] };
    assert.ok(requests.length > 3);
    assert.deepEqual(
      requests.filter(({ status }) => status === 401),
      [],
    );
  });

  it('of several organizations are kept apart, and are shown by a switch', async () => {
    await using other = await startServer({ seed: 4, users: 5 });
    await run('connectAnalytics', { url: server.url, token: server.token, name: 'acme' });
    await reports('ready');
    await run('connectAnalytics', { url: other.url, token: other.token, name: 'Globex $(bug)' });
    await reports('ready');
    assert.deepEqual((await state()).organizations, ['acme', 'Globex $(bug)']);
    assert.deepEqual(
      readdirSync(join(folder, 'sextant', 'analytics', 'requests')).length,
      2,
      'each has its own budget',
    );

    // The figures of the first are in its cache, and its service is not needed for them.
    await server.close();
    await run('switchOrganization', 'acme');
    assert.deepEqual((await state()).account, { kind: 'service', url: server.url, name: 'acme' });
    await until('its figures are shown', async () =>
      /^(ready|offline|Unreachable)$/.test((await state()).reports.cost),
    );
    assert.equal((await state()).reports.cost === 'Unreachable', false);
    await assert.rejects(
      async () => run('switchOrganization', 'Initech'),
      /No connected organization is named Initech\. Connect it, or switch to another/,
    );
    assert.deepEqual((await state()).account, { kind: 'service', url: server.url, name: 'acme' });

    await run('trySampleData');
    assert.deepEqual((await state()).account, { kind: 'sample' });
    assert.deepEqual((await state()).organizations, ['acme', 'Globex $(bug)'], 'sample data end no connection');
    await run('switchOrganization', 'Globex $(bug)');
    await reports('ready');
    await run('disconnectAnalytics');
    assert.deepEqual((await state()).organizations, ['acme']);
    assert.deepEqual((await state()).account, { kind: 'service', url: server.url, name: 'acme' });
    for (const { parentPath, name } of readdirSync(folder, { recursive: true, withFileTypes: true }))
      if (statSync(join(parentPath, name)).isFile())
        for (const { token } of [server, other])
          assert.equal(readFileSync(join(parentPath, name)).includes(token), false, name);
  });

  it('stay connected when the local server of the sample data cannot start', async () => {
    await run('connectAnalytics', { url: server.url, token: server.token, name: 'acme' });
    const foreign = mkdtempSync(join(folder, 'foreign-'));
    writeFileSync(join(foreign, 'notes.txt'), '');
    await set('server.stateFolder', foreign);
    await run('trySampleData');
    assert.deepEqual((await state()).account, { kind: 'service', url: server.url, name: 'acme' });
  });

  it('can be tried with sample data of the local server', async () => {
    await run('trySampleData');
    await reports('ready');
    assert.deepEqual((await state()).account, { kind: 'sample' });
    assert.equal((await (await sextant()).localServer()).kind, 'running');
    await run('stopServer');
    await until('nothing is shown of it', async () => (await state()).reports.usage === 'none');
    await run('startServer');
    await reports('ready');
  });
});
