import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suiteServer } from '../../../test/support/suiteServer.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { WEBHOOK_TYPES } from '../../webhooks/names.ts';
import { asFetch, asFixture, comparable, sortedJson, valuesNamed } from './eventCopies.ts';
import type { EventDetailView, EventPageView, NewWebhookView } from './views.ts';

const BODY = '{"b": 1.0, "a": {"token": "s3cret", "é": [1e2, {}]}}';

describe('an event as code', () => {
  const folder = temporaryFolder();
  const suite = suiteServer();

  it('is sent again by the copied program, whatever the type of its webhook', async () => {
    for (const type of WEBHOOK_TYPES) {
      const signature = { header: 'X-Sign', signed: 'a:{timestamp}:{body}!', timestamp_header: 'X-At' };
      const input = { name: `of ${type}`, type, ...(type === 'hmac' && { signature }) };
      const webhook = await suite.client.ask<NewWebhookView>('POST', 'webhooks', input);
      const sent = await suite.client.ask<{ event_id: string }>('POST', `webhooks/of ${type}/send`, { text: BODY });
      const event = await suite.client.ask<EventDetailView>('GET', `events/${sent.event_id}`);
      const file = join(folder(), 'send.mjs');
      writeFileSync(file, asFetch(event, webhook));
      const env = { ...process.env, SECRET: webhook.secret };
      const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
      assert.match(stdout, /^202 /, type);
      const [last] = (await suite.client.ask<EventPageView>('GET', 'events?limit=1')).events;
      assert.equal((await suite.client.ask<EventDetailView>('GET', `events/${last!.event_id}`)).body, BODY, type);
    }
  });

  it('has the query, the method and the bytes of the event', async () => {
    const webhook = await suite.client.ask<NewWebhookView>('POST', 'webhooks', { name: 'bytes', type: 'anything' });
    const body = Buffer.from([0, 255, 10]);
    const sent = await fetch(`${webhook.url}?a=1&b=%20`, { method: 'PUT', body });
    const { event_id: id } = (await sent.json()) as { event_id: string };
    const event = await suite.client.ask<EventDetailView>('GET', `events/${id}`);
    const file = join(folder(), 'send.mjs');
    writeFileSync(file, asFetch(event, webhook));
    const { stdout } = await promisify(execFile)(process.execPath, [file]);
    const { event_id: again } = JSON.parse(stdout.replace('202 ', '')) as { event_id: string };
    const { method, query, body_base64: base64 } = await suite.client.ask<EventDetailView>('GET', `events/${again}`);
    assert.deepEqual([method, query, base64], ['PUT', 'a=1&b=%20', body.toString('base64')]);
    assert.equal((JSON.parse(asFixture(event, 'f')) as { body_base64: string }).body_base64, base64);
  });

  it('is a fixture without secrets, and a text with sorted keys', () => {
    const headers = [
      ['Authorization', '[redacted]'],
      ['X-Kind', 'a"b'],
    ] as const;
    const fixture = asFixture({ headers, body: BODY }, 'push');
    const parsed = JSON.parse(fixture) as { headers: object; body: unknown };
    assert.deepEqual([parsed.headers, parsed.body], [{ 'X-Kind': 'a"b' }, JSON.parse(BODY)]);
    assert.match(fixture, /"b": 1\.0/);
    assert.equal((JSON.parse(asFixture({ headers: [], body: 'a=1' }, 'f')) as { body: string }).body, 'a=1');
    assert.match(comparable({ headers, body: '{}' }), /^authorization: \[redacted\]\nx-kind: a"b\n\n\{\}\n$/);
    assert.equal(sortedJson('{"b": 1.0, "a": [ ]}'), '{\n  "a": [ ],\n  "b": 1.0\n}');
    assert.equal(sortedJson('a=1'), undefined);
  });

  it('has ranges of values to hide', () => {
    const [range, ...more] = valuesNamed(BODY, /token/i);
    assert.deepEqual([BODY.slice(range!.start, range!.end), more], ['"s3cret"', []]);
  });
});
