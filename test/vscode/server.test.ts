import * as assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import * as vscode from 'vscode';
import { startOrAttach } from '../../src/server/launch.ts';
import type { LocalServerState } from '../../src/server/localServer.ts';
import { sextant, until } from './support.ts';

const state = async (): Promise<LocalServerState> => (await sextant()).localServer();
const run = (name: string): Thenable<unknown> => vscode.commands.executeCommand(`sextant.${name}`);
const clipboard = (): Thenable<string> => vscode.env.clipboard.readText();

async function set(name: string, value: unknown): Promise<void> {
  await vscode.workspace.getConfiguration('sextant.server').update(name, value, vscode.ConfigurationTarget.Global);
}

async function copied(command: 'copyServerUrl' | 'copyServerToken'): Promise<string> {
  await vscode.env.clipboard.writeText('');
  await run(command);
  return clipboard();
}

async function running(): Promise<LocalServerState & { readonly kind: 'running' }> {
  const now = await state();
  assert.ok(now.kind === 'running', JSON.stringify(now));
  return now;
}

describe('the local server', () => {
  let folder: string;
  let data: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sextant-server-'));
    data = join(folder, 'facts.ndjson');
    writeFileSync(
      data,
      '{"kind":"org","plan":"usd","enterprise":true}\n{"kind":"user","user_email":"ada@example.com"}\n',
    );
    await set('stateFolder', join(folder, 'state'));
    await set('dataFile', data);
  });
  afterEach(async () => {
    await run('stopServer');
    await until('nothing runs', async () => ['stopped', 'failed'].includes((await state()).kind));
    for (const name of ['stateFolder', 'dataFile', 'port']) await set(name, undefined);
    await vscode.commands.executeCommand('notifications.clearAll');
    rmSync(folder, { recursive: true, force: true });
  });

  it('does not start by itself', async () => {
    await vscode.commands.executeCommand('sextant.server.focus');
    assert.deepEqual(await state(), { kind: 'stopped' });
    assert.equal(existsSync(join(folder, 'state')), false);
  });

  it('starts, serves the data file at the copied address with the copied token, and stops', async () => {
    await run('startServer');
    const { at, data: file, isEmpty } = await running();
    assert.deepEqual([at.pid, at.state, file, isEmpty], [process.pid, join(folder, 'state'), data, false]);
    const [url, token] = [await copied('copyServerUrl'), await copied('copyServerToken')];
    assert.equal(url, at.url);
    const answer = await fetch(`${url}/analytics/v0/dau-count`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(answer.status, 200);
    assert.equal((await fetch(`${url}/analytics/v0/dau-count`)).status, 401);

    await run('startServer');
    assert.deepEqual((await running()).at, at, 'a second start changes nothing');
    await run('stopServer');
    assert.deepEqual(await state(), { kind: 'stopped' });
    await assert.rejects(fetch(`${url}/healthz`));
    assert.equal(await copied('copyServerUrl'), '', 'there is nothing to copy any more');
    assert.equal(await copied('copyServerToken'), '');
  });

  it('restarts with changed settings, at the same address with the same token', async () => {
    await run('startServer');
    const [url, token] = [await copied('copyServerUrl'), await copied('copyServerToken')];
    assert.equal((await running()).isEmpty, false);
    await set('dataFile', undefined);
    await run('restartServer');
    const { at, isEmpty } = await running();
    assert.deepEqual([at.url, isEmpty, await copied('copyServerToken')], [url, false, token]);
    await set('port', 0);
    await run('restartServer');
    assert.equal((await fetch(`${(await running()).at.url}/healthz`)).status, 200);
  });

  it('attaches to the server of another process, and leaves it running', async () => {
    await run('attachServer');
    assert.deepEqual(await state(), { kind: 'stopped' }, 'there is none');
    const { server, info } = await startOrAttach({ state: join(folder, 'state') });
    try {
      await run('attachServer');
      const place = { url: info.url, pid: info.pid, state: info.state };
      assert.deepEqual(await state(), { kind: 'attached', at: place });
      assert.deepEqual([await copied('copyServerUrl'), await copied('copyServerToken')], [info.url, info.token]);
      await run('stopServer');
      assert.equal((await state()).kind, 'attached');
      await run('restartServer');
      assert.equal((await fetch(`${info.url}/healthz`)).status, 200);
    } finally {
      await server?.close();
    }
    await until('the end of the server is noticed', async () => (await state()).kind === 'stopped');
    assert.equal(await copied('copyServerToken'), '');
  });

  it('attaches instead of starting a second server', async () => {
    const { server, info } = await startOrAttach({ state: join(folder, 'state') });
    try {
      await run('startServer');
      const now = await state();
      assert.ok(now.kind === 'attached');
      assert.equal(now.at.url, info.url);
    } finally {
      await server?.close();
    }
    await until('the end of the server is noticed', async () => (await state()).kind === 'stopped');
  });

  it('reports a wrong data file or port, and starts once it is corrected', async () => {
    writeFileSync(data, '{"kind":"user"}\n');
    await run('startServer');
    const bad = await state();
    assert.ok(bad.kind === 'failed');
    assert.match(bad.message, /facts\.ndjson, line 1: user_email must be/);
    assert.equal(bad.code, 'BadData');

    writeFileSync(data, '{"kind":"user","user_email":"ada@example.com"}\n');
    await run('startServer');
    const { port } = new URL((await running()).at.url);
    await run('stopServer');
    const { server } = await startOrAttach({ state: join(folder, 'other'), port: Number(port) });
    try {
      await set('port', Number(port));
      await run('startServer');
      const taken = await state();
      assert.ok(taken.kind === 'failed');
      assert.match(taken.message, new RegExp(`Port ${port} `));
    } finally {
      await server?.close();
    }
    await run('startServer');
    assert.equal(new URL((await running()).at.url).port, port);
  });

  it('cancels a start when it is stopped, and releases the folder', async () => {
    const lines = Array.from({ length: 300_000 }, (_, i) => `{"kind":"user","user_email":"person-${i}@example.com"}\n`);
    writeFileSync(data, lines.join(''));
    const starting = run('startServer');
    await until('it reads', async () => {
      const now = await state();
      return now.kind === 'starting' && now.lines > 0;
    });
    await run('stopServer');
    await starting;
    assert.deepEqual(await state(), { kind: 'stopped' });
    await set('dataFile', undefined);
    await run('startServer');
    await running();
  });

  it('opens its log; only the files for its owner alone have a token', async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await run('openServerLog');
    assert.equal(vscode.window.activeTextEditor, undefined, 'no server has run yet');
    await run('startServer');
    const token = await copied('copyServerToken');
    await run('openServerLog');
    const editor = await until('the log is shown', () => Promise.resolve(vscode.window.activeTextEditor));
    assert.equal(editor.document.uri.fsPath, join(folder, 'state', 'server.log'));
    assert.match(editor.document.getText(), /serves http:\/\/127\.0\.0\.1:\d+/);
    await run('stopServer');
    const files = readdirSync(join(folder, 'state'), { withFileTypes: true }).filter((entry) => entry.isFile());
    const withToken = files.filter(({ name }) => readFileSync(join(folder, 'state', name), 'latin1').includes(token));
    assert.deepEqual(withToken.map(({ name }) => name.replace(/\d+/, 'N')).sort(), [
      'server.N.copy.json',
      'server.N.json',
    ]);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('injects faults by command, into its own server and into an attached one', async () => {
    const ask = async (): Promise<number> => {
      const [url, token] = [await copied('copyServerUrl'), await copied('copyServerToken')];
      const { status } = await fetch(`${url}/analytics/v0/dau-count`, {
        headers: { authorization: `Bearer ${token}` },
      });
      return status;
    };
    const choose = (scenario: string): Thenable<unknown> =>
      vscode.commands.executeCommand('sextant.chooseServerScenario', scenario);
    await choose('outage');
    assert.deepEqual(await state(), { kind: 'stopped' }, 'the command only offers a start');
    await run('startServer');
    await choose('outage');
    assert.equal(await ask(), 503);
    await choose('doomsday');
    assert.equal(await ask(), 503, 'an unknown scenario changes nothing');
    await choose('');
    assert.equal(await ask(), 200);
    await run('stopServer');

    const { server } = await startOrAttach({ state: join(folder, 'state') });
    try {
      await run('attachServer');
      await choose('token-revoked');
      assert.equal(await ask(), 401);
      assert.equal(server?.scenario, 'token-revoked');
    } finally {
      await server?.close();
    }
    await until('the end of the server is noticed', async () => (await state()).kind === 'stopped');
  });

  it('reports that its thread died, and starts again at the same address', async () => {
    const threads: Worker[] = [];
    const note = (message: unknown): void => void threads.push((message as { readonly worker: Worker }).worker);
    subscribe('worker_threads', note);
    try {
      await run('startServer');
    } finally {
      unsubscribe('worker_threads', note);
    }
    const { at } = await running();
    assert.equal(threads.length, 1);
    // An invalid message: reading it throws, as a defect of the server would.
    threads[0]!.postMessage(null);
    const broken = await until('it is noticed', async () => {
      const now = await state();
      return now.kind === 'failed' && now;
    });
    assert.equal(broken.code, 'ThreadDied');
    assert.match(broken.message, /A thread of Sextant stopped: .*null/);
    await assert.rejects(fetch(`${at.url}/healthz`));
    assert.equal(await copied('copyServerToken'), '');
    await run('startServer');
    assert.equal((await running()).at.url, at.url);
  });
});
