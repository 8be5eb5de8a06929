import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { until } from '../../test/support/until.ts';
import { silentLogger } from '../base/log.ts';
import { AdminClient } from './admin/adminClient.ts';
import { startOrAttach } from './launch.ts';
import { LocalServer } from './localServer.ts';
import type { EventPageView, ForwardView } from './webhooks/views.ts';

describe('the local server of a window', () => {
  const folder = temporaryFolder();

  it('whose state another process took over fails with the reason, answers 503, and attaches to the new owner', async () => {
    const state = join(folder(), 'state');
    const thread = new URL('./serverThread.ts', import.meta.url);
    const server = new LocalServer({ thread, logger: silentLogger, onState: () => undefined });
    const kind = (): string => server.state.kind;
    try {
      await server.start({ state });
      const { url } = server.info!;
      writeFileSync(join(state, 'writer.2.lock'), 'released');
      assert.equal((await fetch(`${url}/openapi.json`)).status, 503);
      await until('the window knows', () => kind() === 'failed');
      assert.ok(server.state.kind === 'failed');
      assert.equal(server.state.code, 'LeaseLost');
      assert.match(server.state.message, /took over .*Stop it, and/);
      assert.equal(server.info, undefined);
      const other = await startOrAttach({ state });
      try {
        assert.notEqual(other.info.url, url, 'the old one is still there');
        await server.attach(state);
        assert.equal(kind(), 'attached');
        assert.deepEqual(server.info, other.info);
        await assert.rejects(fetch(`${url}/healthz`), 'the old one is stopped');
      } finally {
        await other.server?.close();
      }
      await until('its end is noticed', () => kind() === 'stopped');
      await server.start({ state });
      assert.equal(kind(), 'running');
    } finally {
      await server.dispose();
    }
  });

  it("runs the commands of the machine's own file, and does not start with one that others may write", async function () {
    if (process.platform === 'win32') this.skip();
    const place = folder();
    const commands = join(place, 'commands.json');
    writeFileSync(commands, JSON.stringify({ commands: [{ name: 'note', argv: ['tee', 'note.txt'] }] }), {
      mode: 0o600,
    });
    const thread = new URL('./serverThread.ts', import.meta.url);
    const server = new LocalServer({ thread, logger: silentLogger, onState: () => undefined });
    const options = { state: join(place, 'state'), commands };
    try {
      await server.start(options);
      const client = new AdminClient(server.info!);
      const input = { run: 'note', from: 'anything' };
      const { name, webhook } = await client.ask<ForwardView>('POST', 'forwards', input);
      await fetch(webhook.url, { method: 'POST', body: 'by the editor' });
      await until(
        'the command ran',
        () => existsSync(join(place, 'note.txt')) && statSync(join(place, 'note.txt')).size > 0,
      );
      assert.equal(readFileSync(join(place, 'note.txt'), 'utf8'), 'by the editor');
      await until('its run ended', async () => {
        const { events } = await client.ask<EventPageView>('GET', 'events');
        return events.every(({ status }) => status === 'succeeded');
      });
      await client.ask('DELETE', AdminClient.path(['forwards', name]));
      await server.stop();
      chmodSync(commands, 0o666);
      await assert.rejects(server.start(options), { code: 'UnsafeCommands', message: /may be written by others/ });
    } finally {
      await server.dispose();
    }
  });
});
