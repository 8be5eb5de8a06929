import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AdminClient } from '../../src/server/admin/adminClient.ts';
import type { EventDetailView } from '../../src/server/webhooks/views.ts';
import { serve, stop, type ServeProcess } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';

/** Notes that it began, waits until it may end, and notes the event. */
const PROGRAM = `
const fs = require('fs');
const { SEXTANT_EVENT_ID: id } = process.env;
fs.appendFileSync('begun', id + '\\n');
setInterval(() => {
  if (!fs.existsSync('go')) return;
  fs.appendFileSync('done', id + ' ' + fs.readFileSync(0) + '\\n');
  console.log('noted ' + id);
  process.exit();
}, 20);`;

describe('commands of sextant serve --commands', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  let server: ServeProcess | undefined;
  afterEach(async () => {
    if (server?.child.exitCode === null && server.child.signalCode === null) await stop(server, 'SIGKILL');
  });

  const lines = (place: string, name: string): string[] => {
    const file = join(place, name);
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  };

  it('run for each event at least once, also if the server is killed meanwhile', async () => {
    const place = folder();
    const file = join(place, 'commands.json');
    const command = { name: 'note', argv: [process.execPath, '-e', PROGRAM], env: { KEY: 'sesame' }, concurrency: 2 };
    writeFileSync(file, JSON.stringify({ commands: [command] }), { mode: 0o600 });
    const args = ['--state', join(place, 'state'), '--commands', file];
    server = await serve(args);
    let client = new AdminClient(server.info);
    const listed = await client.ask<{ experts: { env?: unknown }[] }>('GET', 'experts');
    assert.deepEqual(listed.experts[1]!.env, ['KEY']);
    assert.ok(!JSON.stringify(listed).includes('sesame'));
    await assert.rejects(client.ask('POST', 'experts', { ...command, type: 'command' }), { code: 'InvalidArgument' });
    await assert.rejects(client.ask('DELETE', 'experts/note'), { message: /is of the file of commands/ });
    const { url, secret } = await client.ask<{ url: string; secret: string }>('POST', 'webhooks', { name: 'w' });
    await client.ask('POST', 'triggers', { name: 't', webhook: 'w', expert: 'note' });
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) {
      const headers = { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' };
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ n }) });
      ids.push(((await response.json()) as { event_id: string }).event_id);
    }
    await until('two have begun', () => lines(place, 'begun').length === 2);
    await stop(server, 'SIGKILL');
    server = await serve(args);
    client = new AdminClient(server.info);
    writeFileSync(join(place, 'go'), '');
    for (const [n, id] of ids.entries()) {
      const { runs } = await until('it succeeded', async () => {
        const event = await client.ask<EventDetailView>('GET', `events/${id}`);
        return event.status === 'succeeded' && event;
      });
      assert.equal(runs[0]!.attempts.at(-1)!.answer, `noted ${id}\n`);
      assert.ok(lines(place, 'done').includes(`${id} ${JSON.stringify({ n })}`));
    }
    assert.equal(await stop(server), 0);
  });

  it('end with the server, which begins them again at its next start', async () => {
    const place = folder();
    const file = join(place, 'commands.json');
    const command = { name: 'note', argv: [process.execPath, '-e', PROGRAM] };
    writeFileSync(file, JSON.stringify({ commands: [command] }), { mode: 0o600 });
    const args = ['--state', join(place, 'state'), '--commands', file];
    server = await serve(args);
    const client = new AdminClient(server.info);
    await client.ask('POST', 'webhooks', { name: 'w' });
    await client.ask('POST', 'triggers', { name: 't', webhook: 'w', expert: 'note' });
    await client.ask('POST', 'webhooks/w/send', { body: {} });
    await until('it has begun', () => lines(place, 'begun').length === 1);
    assert.equal(await stop(server), 0);
    writeFileSync(join(place, 'go'), '');
    server = await serve(args);
    await until('it is done', () => lines(place, 'done').length === 1);
    assert.equal(lines(place, 'begun').length, 2);
    assert.equal(await stop(server), 0);
  });
});
