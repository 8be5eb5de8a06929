import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { editBody } from '../../src/cli/webhooks/again.ts';
import { EventFollower } from '../../src/cli/webhooks/eventFollower.ts';
import { AdminClient } from '../../src/server/admin/adminClient.ts';
import { SextantServer } from '../../src/server/server.ts';
import type { ForwardView, NewWebhookView } from '../../src/server/webhooks/views.ts';
import { COMMAND } from '../support/command.ts';
import { hasTerminal } from '../support/terminal.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';

describe('sextant listen', () => {
  const folder = temporaryFolder();
  let target: Server;
  let url: string;
  let got: string[];
  let state: string;
  beforeEach(async () => {
    got = [];
    state = join(folder(), 'state');
    target = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        got.push(body);
        response.end('ok');
      });
    });
    target.listen(0, '127.0.0.1');
    await once(target, 'listening');
    url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/hooks`;
  });
  afterEach(() => target.close());

  const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ');

  async function inTerminal(
    args: readonly string[],
    work: (type: (keys: string) => void, shown: () => string) => Promise<void>,
  ): Promise<string> {
    const command = quoted([process.execPath, COMMAND, 'listen', ...args, '--state', state]);
    const env = { ...process.env, EDITOR: 'sed -i s/main/next/', TERM: 'xterm', COLUMNS: '120', LINES: '30' };
    const child: ChildProcessWithoutNullStreams = spawn(
      'script',
      ['-qec', `stty cols 120 rows 30; ${command}`, '/dev/null'],
      { env },
    );
    const ended = once(child, 'exit');
    let shown = '';
    child.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
    try {
      await work(
        (keys) => void child.stdin.write(keys),
        () => shown,
      );
      assert.deepEqual(await ended, [0, null], shown);
    } finally {
      child.kill();
    }
    return shown;
  }

  /** Number of different events in what was shown. */
  const rows = (shown: string): number => new Set(shown.match(/evt_\d+(?= {2}push)/g)).size;

  it('forwards the first event after one command and one key, and its keys do the rest', async function () {
    if (!hasTerminal) this.skip();
    const shown = await inTerminal(['--forward', url, '--from', 'github'], async (type, screen) => {
      await until('the list', () => screen().includes('Waiting for events'));
      assert.match(screen(), /secret {2}whsec_/);
      type('t');
      await until('the first event', () => got.length === 1);
      await until('its row', () => /push {2}.*succeeded {2}200/.test(screen()));
      type('e');
      await until('the edited event', () => got.length === 2);
      assert.equal(got[1], got[0]!.replace('main', 'next'), 'sed changes the first one of a line');
      await until('the row of the edit', () => rows(screen()) === 2);
      type('r');
      await until('the replay', () => got.length === 3);
      assert.equal(got[2], got[1]);
      type('o');
      await until(
        'the open event',
        () => screen().includes('x-sextant') || screen().includes('X-Hub-Signature-256: sha256='),
      );
      type('q');
      type('f');
      type('nothing like it\r');
      await until('no event', () => screen().includes('Only events with: nothing like it'));
      type('u');
      await until('the question', () => screen().includes('y/n'));
      type('y\r');
    });
    assert.match(shown, /are deleted; their events stay/);
  });

  it('takes two inputs from nothing to the first forwarded event, in a terminal of tmux', async function () {
    if (spawnSync('tmux', ['-V']).status !== 0) this.skip();
    // A server of its own, so that it ends with the test.
    const tmux = (...args: string[]): string =>
      execFileSync('tmux', ['-L', `sextant-${process.pid}`, ...args], { encoding: 'utf8' });
    const command = `${quoted([process.execPath, COMMAND])} listen --forward ${url} --from github --state '${state}'; printf 'it %s' ended`;
    tmux('new-session', '-d', '-x', '120', '-y', '30', 'sh');
    try {
      let inputs = 0;
      const input = (...keys: string[]): void => {
        inputs++;
        tmux('send-keys', ...keys);
      };
      const began = performance.now();
      input(command, 'Enter');
      const screen = (): string => tmux('capture-pane', '-p');
      await until('it waits for events', () => screen().includes('Waiting for events'));
      const ready = performance.now();
      input('t');
      await until('the first event', () => got.length === 1);
      const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
      const [first, start] = [performance.now() - began, ready - began];
      console.log(
        `      ${inputs} inputs, ${seconds(first)} from nothing to the first event (${seconds(start)} until ready)`,
      );
      assert.ok(inputs <= 3);
      assert.equal((JSON.parse(got[0]!) as { ref: string }).ref, 'refs/heads/main');
      await until('its row', () => /push {2}.*succeeded {2}200/.test(screen()));
      tmux('send-keys', 'q');
      await until('it ended', () => screen().includes('it ended'));
    } finally {
      tmux('kill-server');
    }
  });

  it('prints events as lines for programs, keeps the forward, and undoes it by name', async () => {
    const args = ['listen', '--forward', url, '--json', '--state', state];
    const child = spawn(process.execPath, [COMMAND, ...args]);
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const made = await until(
      'the forward',
      () => said.includes('\n') && (JSON.parse(said.split('\n')[0]!) as ForwardView),
    );
    assert.deepEqual([made.is_new, made.secret, made.webhook.type], [true, undefined, 'anything']);
    await fetch(`${made.webhook.url}?a=1`, { method: 'PUT', body: 'any text' });
    await until('the forwarded event', () => got.length === 1);
    await until('its line', () => said.includes('"status":"succeeded"'));
    const undo = (name: string): number | null =>
      spawnSync(process.execPath, [COMMAND, 'listen', '--undo', name, '--state', state]).status;
    assert.deepEqual([undo(made.name), undo(made.name)], [0, 1]);
    child.kill('SIGINT');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });

  it('runs a command of a file of the person instead, and undoes it', async function () {
    if (process.platform === 'win32') this.skip();
    const place = folder();
    const file = join(place, 'commands.json');
    const commands = [{ name: 'note', argv: ['tee', 'note.txt'] }];
    writeFileSync(file, JSON.stringify({ commands }), { mode: 0o600 });
    const child = spawn(process.execPath, [
      ...[COMMAND, 'listen', '--run', 'note', '--commands', file, '--from', 'github', '--json', '--state', state],
    ]);
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const made = await until(
      'the command',
      () => said.includes('\n') && (JSON.parse(said.split('\n')[0]!) as ForwardView),
    );
    assert.deepEqual([made.name, made.expert.type], ['github note', 'command']);
    const sextant = (...args: string[]): number | null =>
      spawnSync(process.execPath, [COMMAND, ...args, '--state', state]).status;
    assert.equal(sextant('webhooks', 'send', made.name, '--as', 'github.pull_request.opened'), 0);
    await until('its line', () => said.includes('"status":"succeeded"'));
    assert.match(readFileSync(join(place, 'note.txt'), 'utf8'), /"action":"opened"/);
    assert.equal(sextant('listen', '--undo', made.name), 0);
    child.kill('SIGINT');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });

  it('follows events that come faster than it asks, those after an error, and none twice', async () => {
    const server = await SextantServer.start({ state });
    try {
      const client = new AdminClient(server);
      const { webhook_id: webhook } = await client.ask<NewWebhookView>('POST', 'webhooks', { name: 'many' });
      const ids: string[] = [];
      const send = async (): Promise<void> =>
        void ids.push((await server.webhooks.accept({ webhook, headers: [], body: Buffer.of() })).id);
      await send();
      const events = new EventFollower(client, webhook, ids.shift()!, 120);
      for (let n = 0; n < 150; n++) await send();
      for await (const event of events.changed()) {
        assert.equal(event.event_id, ids[30], 'of more than it follows, the newest');
        break;
      }
      const seen: string[] = [];
      for await (const event of events.changed()) seen.push(event.event_id);
      assert.deepEqual(seen, ids.slice(31));
      for await (const event of events.changed()) assert.fail(event.event_id);
    } finally {
      await server.close();
    }
  });

  it('edits no bytes that are no text, which an editor would change', async () => {
    const event = { event_id: 'evt_0000000001', body: '\uFFFD', body_base64: '/w==' };
    await assert.rejects(editBody(event), { code: 'InvalidOption', message: /evt_0000000001 is no text/ });
  });

  it('names the option that is missing', () => {
    const { status, stderr } = spawnSync(process.execPath, [COMMAND, 'listen', '--state', state], { encoding: 'utf8' });
    assert.deepEqual([status, stderr.includes('--forward http://localhost:3000/hooks')], [2, true]);
  });
});
