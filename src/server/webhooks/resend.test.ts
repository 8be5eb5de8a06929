import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { EventProofView } from './rowViews.ts';
import { signedDelivery } from './signedDelivery.ts';
import type { AddressInfo } from 'node:net';
import { suiteServer } from '../../../test/support/suiteServer.ts';
import { until } from '../../../test/support/until.ts';
import { proofOf } from '../../webhooks/proof.ts';
import { schemeOf, signatureProblem } from '../../webhooks/signatures.ts';
import { AdminClient } from '../admin/adminClient.ts';
import type {
  EventDetailView,
  EventView,
  FilterTestView,
  ForwardView,
  NewWebhookView,
  ResentView,
  RetryView,
  TriggerView,
} from './views.ts';

const FORM = 'application/x-www-form-urlencoded';
const BODY = '{"action": "opened",  "number": 1.0}';

describe('events that are sent again', () => {
  const suite = suiteServer({ backoffBaseMs: 3_600_000 });

  const create = (name: string, input: object = {}): Promise<NewWebhookView> =>
    suite.client.ask<NewWebhookView>('POST', 'webhooks', { name, ...input });
  const deliver = async (webhook: NewWebhookView, body: string, more: Record<string, string> = {}): Promise<string> => {
    const proof = Object.fromEntries(proofOf(webhook, webhook.secret, Buffer.from(body)));
    const headers = { 'Content-Type': 'application/json', ...proof, ...more };
    const response = await fetch(webhook.url, { method: 'POST', headers, body });
    assert.equal(response.status, 202);
    return ((await response.json()) as { event_id: string }).event_id;
  };
  const resend = (id: string, input: object): Promise<ResentView> =>
    suite.client.ask<ResentView>('POST', `events/${id}/resend`, input);
  const show = (id: string): Promise<EventDetailView> => suite.client.ask<EventDetailView>('GET', `events/${id}`);

  it('with another body are signed again as their sender would', async () => {
    for (const type of ['github', 'stripe', 'slack', 'shopify', 'pagerduty'] as const) {
      const webhook = await create(type, { type });
      const id = await deliver(webhook, BODY, { 'X-Own': 'stays' });
      const body = '{"action": "closed"}';
      const { event_id: again, edit_of: editOf, edits } = await resend(id, { body });
      assert.deepEqual([editOf, edits], [id, 1]);
      const event = await show(again);
      assert.equal(event.body, body);
      assert.equal(event.edit_of, id);
      const headers = Object.fromEntries(event.headers.map(([name, value]) => [name.toLowerCase(), value]));
      assert.equal(headers['x-own'], 'stays');
      assert.equal(headers['content-length'], String(body.length));
      assert.equal(
        signatureProblem(schemeOf({ type })!, headers, Buffer.from(body), [webhook.secret], Date.now()),
        undefined,
      );
      const names = event.headers.map(([name]) => name.toLowerCase());
      assert.equal(names.length, new Set(names).size, 'the old signature is replaced');
    }
  });

  it('as another form are signed for their address again, which names no body', async () => {
    const webhook = await create('calls', { type: 'twilio' });
    const send = signedDelivery(
      { ...webhook, id: webhook.webhook_id },
      webhook.secret,
      [
        ['Content-Type', FORM],
        ['Host', new URL(webhook.url).host],
      ],
      Buffer.from('To=%2B1&From=a'),
      'a=1',
    );
    const headers = { 'Content-Type': FORM, ...Object.fromEntries(send.headers) };
    const first = await fetch(`${webhook.url}?${send.query}`, { method: 'POST', headers, body: 'To=%2B1&From=a' });
    assert.equal(first.status, 202);
    const { event_id: id } = (await first.json()) as { event_id: string };
    const again = await resend(id, { body: 'MessageStatus=sent' });
    for (const one of [id, again.event_id]) {
      const proof = await suite.client.ask<EventProofView>('GET', `events/${one}/proof`);
      assert.deepEqual(proof, { kind: 'signature', header: 'X-Twilio-Signature', is_valid: true });
      assert.equal((await show(one)).query, 'a=1');
    }
    const filed = await fetch(`${webhook.url}?a=2`, { method: 'POST', headers, body: 'To=%2B1&From=a' });
    assert.equal(filed.status, 401, 'the address is signed, too');
  });

  it('are signed with a given secret once, where the server keeps no key', async () => {
    const webhook = await create('lab', { type: 'gitlab' });
    const id = await deliver(webhook, BODY);
    for (const input of [{}, { secret: webhook.secret }]) {
      const { headers } = await show((await resend(id, input)).event_id);
      const tokens = headers.filter(([name]) => name.toLowerCase() === 'x-gitlab-token');
      assert.deepEqual(
        tokens.map(([, value]) => value),
        'secret' in input ? ['[redacted]'] : [],
      );
    }
  });

  it('keep their history: the first event lists all edits of it and of its edits', async () => {
    const webhook = await create('history', { type: 'anything' });
    const first = await deliver(webhook, BODY);
    const { event_id: second } = await resend(first, { body: '2' });
    const { event_id: third, edits } = await resend(second, { body: '3' });
    assert.equal(edits, 2);
    assert.deepEqual((await show(first)).edits, [second, third]);
    assert.deepEqual([(await show(third)).edit_of, (await show(third)).edits], [second, undefined]);
    assert.equal((await show(first)).body, BODY);
  });

  it('with another type name it as their system does', async () => {
    const webhook = await create('types', { type: 'anything' });
    const cases = [
      [
        { 'X-GitHub-Event': 'pull_request' },
        'pull_request.closed',
        '{"action": "closed",  "number": 1.0}',
        'pull_request',
      ],
      [{ 'X-Gitlab-Event': 'Push Hook' }, 'Tag Push Hook', BODY, 'Tag Push Hook'],
      [{ 'X-Own': '1' }, 'merged', '{"action": "merged",  "number": 1.0}', '1'],
    ] as const;
    for (const [headers, type, body, value] of cases) {
      const id = await deliver(webhook, BODY, headers);
      const event = await show((await resend(id, { type })).event_id);
      assert.equal(event.body, body);
      const name = Object.keys(headers)[0]!;
      assert.deepEqual(
        event.headers.filter(([one]) => one.toLowerCase() === name.toLowerCase()).map(([, one]) => one),
        [value],
      );
    }
  });

  it('go to another webhook, with its signature', async () => {
    const [from, to] = [await create('from', { type: 'anything' }), await create('to', { type: 'github' })];
    const id = await deliver(from, BODY);
    const event = await show((await resend(id, { webhook: 'to', headers: [['X-Only', '1']] })).event_id);
    assert.equal(event.webhook, 'to');
    assert.deepEqual(
      event.headers.map(([name]) => name),
      ['X-Only', 'X-Hub-Signature-256'],
    );
    assert.equal(event.headers[1]![1], proofOf(to, to.secret, Buffer.from(BODY))[0]![1]);
  });

  it('are refused if no sender could send them', async () => {
    const id = await deliver(await create('json', { type: 'stripe' }), BODY);
    const refused = (input: object, message: RegExp): Promise<void> => assert.rejects(resend(id, input), { message });
    await refused({ body: '{' }, /body is not JSON/i);
    await refused({ headers: [['a b', '1']] }, /name that no header can have/);
    await refused({ headers: [['a', '1\r\nB: 2']] }, /value that no header can have/);
    await refused({ body: 'a', body_base64: 'YQ==' }, /not both/);
    await refused({ body: '1', type: 'paid' }, /type cannot be set: the body .* has no place for type/i);
    await refused({ webhook: 'none' }, /no webhook named none/);
    await assert.rejects(resend('evt_0000099999', {}), { code: 'NotFound' });
  });

  describe('by a run', () => {
    let target: Server;
    let url: string;
    let statuses: number[] = [];
    let got: string[] = [];
    beforeEach(async () => {
      [statuses, got] = [[], []];
      target = createServer((request, response) => {
        got.push(String(request.headers['x-sextant-event-id']));
        response.writeHead(statuses.shift() ?? 200).end();
      });
      target.listen(0, '127.0.0.1');
      await once(target, 'listening');
      url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`;
    });
    afterEach(() => target.close());
    const forward = (name: string): Promise<ForwardView> =>
      suite.client.ask<ForwardView>('POST', 'forwards', { url, name });
    const settled = async (id: string, status: string): Promise<EventDetailView> => {
      await until(
        'the run',
        async () => (await show(id)).status === status && (await show(id)).runs.every((run) => run.attempts.length > 0),
      );
      return show(id);
    };
    const retry = (id: string, input: object = {}): Promise<RetryView> =>
      suite.client.ask<RetryView>('POST', `events/${id}/retry`, input);
    const close = async (): Promise<void> => {
      target.closeAllConnections();
      target.close();
      await once(target, 'close');
    };

    it('that failed begin again with all their attempts', async () => {
      const { webhook } = await forward('failed');
      statuses = [400, 400];
      const id = await deliver({ ...webhook, secret: '' }, BODY);
      await settled(id, 'failed');
      assert.deepEqual(await retry(id), { retried: 1 });
      await until('the run', async () => (await show(id)).runs[0]?.attempts.length === 2);
      await settled(id, 'failed');
      await suite.client.ask('POST', 'triggers', { name: 'another', webhook: webhook.name });
      assert.deepEqual(await retry(id, { trigger: 'another' }), { retried: 0 });
      await assert.rejects(retry(id, { trigger: 'nope' }), /There is no trigger named nope/);
      assert.deepEqual(await retry(id, { trigger: 'failed' }), { retried: 1 });
      assert.equal((await settled(id, 'succeeded')).runs[0]?.attempts.length, 3);
      assert.deepEqual(await retry(id), { retried: 0 });
    });

    it('that wait an hour begin now, once', async () => {
      const { webhook } = await forward('waiting');
      statuses = [503];
      const id = await deliver({ ...webhook, secret: '' }, BODY);
      await until('the run', async () => (await show(id)).runs[0]?.next_at !== undefined);
      const both = await Promise.all([retry(id), retry(id)]);
      assert.equal(both[0].retried + both[1].retried, 1);
      assert.equal((await settled(id, 'succeeded')).runs[0]?.attempts.length, 2);
      assert.deepEqual(got, [id, id]);
    });

    it('of an expert begin again oldest first, by filter, and not while its target is down', async () => {
      const { webhook, expert } = await forward('many');
      const old = url;
      statuses = Array<number>(4).fill(400);
      const ids: string[] = [];
      for (const n of [1, 2, 3, 4]) ids.push(await deliver({ ...webhook, secret: '' }, `{"n": ${n}}`));
      for (const id of ids) await settled(id, 'failed');
      got = [];
      const all = (input: object): Promise<RetryView> =>
        suite.client.ask<RetryView>('POST', 'runs/retry', { expert: expert.name, ...input });
      const filter = { '>': [{ var: 'n' }, 2] };
      assert.deepEqual(await all({ filter }), { retried: 2 });
      for (const id of ids.slice(2)) await settled(id, 'succeeded');
      assert.deepEqual(got, ids.slice(2));
      await close();
      const { retried, down } = await all({});
      assert.equal(retried, 0);
      assert.ok(down?.startsWith(`many is down: ${old} accepts no connection`), down);
      assert.equal((await show(ids[0]!)).status, 'failed');
      assert.equal((await all({ force: true })).retried, 2);
      assert.match((await retry(ids[0]!)).down ?? '', /many is down/);
      await assert.rejects(all({ expert: 'none' }), { code: 'NotFound' });
    });
  });

  it('show for how many of the last events a filter fires, and why not', async () => {
    const webhook = await create('trial', { type: 'anything' });
    for (const action of ['opened', 'closed', 'opened']) await deliver(webhook, JSON.stringify({ action }));
    const test = (input: object): Promise<FilterTestView> =>
      suite.client.ask<FilterTestView>('POST', 'webhooks/trial/filter-test', input);
    const filter = { '==': [{ var: 'action' }, 'opened'] };
    const { words, fires, of, results } = await test({ filter });
    assert.deepEqual([words, fires, of], ['`action` is "opened"', 2, 3]);
    assert.deepEqual(
      results.map((one) => one.because),
      [undefined, '`action` is "opened": `action` was "closed"', undefined],
    );
    assert.equal((await test({ filter, last: 1 })).of, 1);
    await assert.rejects(test({ filter: { nope: [] } }), { code: 'InvalidArgument', message: /filter/ });
  });

  it('reach a trigger under its new name, with its new expert', async () => {
    await create('named', { type: 'anything' });
    await suite.client.ask('POST', 'triggers', { name: 'before', webhook: 'named' });
    await suite.client.ask('POST', 'triggers', { name: 'taken', webhook: 'named' });
    await suite.client.ask('POST', 'experts', { name: 'other', type: 'forward', url: 'http://127.0.0.1:9/' });
    const change = (name: string, input: object): Promise<TriggerView> =>
      suite.client.ask<TriggerView>('PATCH', AdminClient.path(['triggers', name]), input);
    const { name, expert } = await change('before', { name: 'after', expert: 'other', filter: true });
    assert.deepEqual([name, expert], ['after', 'other']);
    await assert.rejects(change('after', { name: 'taken' }), { code: 'Conflict' });
    await assert.rejects(change('before', {}), { code: 'NotFound' });
    const { triggers } = await suite.client.ask<{ triggers: TriggerView[] }>('GET', 'triggers');
    assert.deepEqual(
      triggers.filter((one) => one.webhook === 'named').map((one) => one.name),
      ['after', 'taken'],
    );
  });

  it('are exact, of bytes that are no text', async () => {
    const webhook = await create('bytes', { type: 'anything' });
    const id = await deliver(webhook, 'x');
    const bytes = Buffer.from([0, 255, 254]).toString('base64');
    const event = await suite.client.ask<EventView>(
      'GET',
      `events/${(await resend(id, { body_base64: bytes })).event_id}`,
    );
    assert.equal(event.body_base64, bytes);
  });
});
