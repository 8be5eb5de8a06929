import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { proofOf } from '../../webhooks/proof.ts';
import { AdminClient } from '../admin/adminClient.ts';
import { SextantServer } from '../server.ts';
import type { EventDetailView, EventPageView, ForwardView, NewWebhookView, RefusalsView } from './views.ts';

const FORM = 'application/x-www-form-urlencoded';
const BINARY = Buffer.from([0, 0xff, 0xfe, 0x80, 10, 13, 0]);

describe('webhooks that take anything', () => {
  const folder = temporaryFolder();
  let server: SextantServer;
  let client: AdminClient;
  const got: { readonly request: IncomingMessage; readonly body: Buffer }[] = [];
  const target = createServer((incoming, response) => {
    void buffer(incoming).then((body) => {
      got.push({ request: incoming, body });
      response.end();
    });
  });
  before(async () => {
    server = await SextantServer.start({ state: folder(), allowHosts: ['tunnel.example'] });
    client = new AdminClient(server);
    target.listen(0, '127.0.0.1');
    await once(target, 'listening');
  });
  after(async () => {
    target.close();
    await server.close();
  });

  const create = (name: string, input: object = {}): Promise<NewWebhookView> =>
    client.ask<NewWebhookView>('POST', 'webhooks', { name, type: 'anything', ...input });
  const eventOf = async (response: Response): Promise<EventDetailView> => {
    const { event_id: id } = (await response.json()) as { event_id: string };
    for (;;) {
      const event = await client.ask<EventDetailView>('GET', `events/${id}`);
      if (event.status !== 'received' && event.status !== 'pending') return event;
    }
  };
  /** Sends with headers that fetch does not allow. */
  const statusOf = async (url: string, headers: Record<string, string>): Promise<number> => {
    const sent = request(url, { method: 'POST', headers });
    sent.end('x');
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode!;
  };

  it('store each method, query, type and body exactly, and forward them alike', async () => {
    const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/hooks?own=1`;
    const { webhook } = await client.ask<ForwardView>('POST', 'forwards', { url, name: 'all' });
    const cases = [
      { method: 'GET', query: '?a=1&b=%20', type: undefined, body: undefined },
      { method: 'PUT', query: '', type: 'text/plain', body: Buffer.from('héllo\r\n') },
      { method: 'DELETE', query: '', type: undefined, body: undefined },
      { method: 'POST', query: '?x', type: 'application/octet-stream', body: BINARY },
      { method: 'PATCH', query: '', type: FORM, body: Buffer.from('a=1&a=2') },
    ];
    for (const { method, query, type, body } of cases) {
      const headers = { ...(type !== undefined && { 'Content-Type': type }) };
      const response = await fetch(webhook.url + query, { method, headers, ...(body && { body }) });
      assert.equal(response.status, 202, method);
      const event = await eventOf(response);
      assert.equal(event.status, 'succeeded', method);
      const stored =
        event.body_base64 === undefined ? Buffer.from(event.body) : Buffer.from(event.body_base64, 'base64');
      assert.deepEqual([...stored], [...(body ?? [])], method);
      assert.deepEqual([event.method ?? 'POST', event.query ?? ''], [method, query.slice(1)]);
      const forwarded = got.at(-1)!;
      assert.equal(forwarded.request.method, method);
      assert.equal(forwarded.request.url, `/hooks?own=1${query.replace('?', '&')}`);
      assert.deepEqual([...forwarded.body], [...(body ?? [])]);
      assert.equal(forwarded.request.headers['content-type'], type);
    }
  });

  it('are for programs of this machine alone', async () => {
    const { url } = await create('local');
    const reasons: string[] = [];
    for (const headers of [
      { Host: 'tunnel.example' },
      { 'X-Forwarded-For': '203.0.113.7' },
      { Forwarded: 'for=203.0.113.7' },
      { 'Sec-Fetch-Site': 'cross-site' },
    ] as Record<string, string>[]) {
      assert.equal(await statusOf(url, headers), 403, JSON.stringify(headers));
      reasons.push((await client.ask<RefusalsView>('GET', 'refusals?limit=1')).refusals[0]!.reason);
    }
    assert.match(reasons[0]!, /tunnel\.example/);
    assert.match(reasons[1]!, /x-forwarded-for shows that a proxy or tunnel/);
    assert.match(reasons[3]!, /pages of other sites/);
    assert.equal(await statusOf(url, { Host: 'localhost:1' }), 202);
  });

  it('evaluate filters over the fields of a form', async () => {
    const { name, url } = await create('forms');
    const filter = { '==': [{ var: 'command' }, '/deploy'] };
    await client.ask('POST', 'triggers', { name: 'deploy', webhook: name, filter });
    const send = (body: string): Promise<Response> =>
      fetch(url, { method: 'POST', headers: { 'Content-Type': FORM }, body });
    assert.equal((await eventOf(await send('command=%2Fdeploy'))).status, 'succeeded');
    const { status, evaluations } = await eventOf(await send('command=%2Fstop'));
    assert.equal(status, 'unmatched');
    assert.equal(evaluations[0]?.because, '`command` is "/deploy": `command` was "/stop"');
    const found: string[] = [];
    for await (const line of client.lines<object>('POST', 'events/search', { webhook: name, filter }))
      if ('event' in line) found.push((line.event as { event_id: string }).event_id);
    assert.equal(found.length, 1);
  });

  it('answer the checks of an address by systems, which are no events', async () => {
    const { url } = await create('checks');
    const before = await client.ask<EventPageView>('GET', 'events');
    for (const query of [
      'hub.mode=subscribe&hub.challenge=c%3C1%3E',
      'validationToken=c%3C1%3E',
      'challenge=c%3C1%3E',
    ]) {
      const response = await fetch(`${url}?${query}`);
      assert.deepEqual([response.status, await response.text()], [200, 'c<1>']);
      assert.match(response.headers.get('content-type') ?? '', /^text\/plain/);
    }
    assert.deepEqual(await client.ask('GET', 'events'), before);
  });

  it('store a delivery that has the parameter of a check, and a body', async () => {
    const { url } = await create('challenged');
    assert.equal((await fetch(`${url}?challenge=1`, { method: 'POST', body: 'x' })).status, 202);
    assert.equal((await fetch(`${url}?validationToken=1`, { method: 'POST' })).status, 200);
  });

  it('leave POST of JSON as the only thing that other webhooks take', async () => {
    const bearer = await create('bearer', { type: 'bearer_token' });
    const headers = { Authorization: `Bearer ${bearer.secret}`, 'Content-Type': FORM };
    assert.equal((await fetch(bearer.url, { method: 'POST', headers, body: 'a=1' })).status, 415);
    const { refusals } = await client.ask<RefusalsView>('GET', 'refusals?limit=1');
    assert.match(refusals[0]!.reason, /^Content-Type must be .*; "webhooks edit --content any" takes others$/);
    assert.equal((await fetch(bearer.url, { headers })).status, 405);
    await client.ask('PATCH', 'webhooks/bearer', { content: 'any' });
    assert.equal((await fetch(bearer.url, { method: 'POST', headers, body: 'a=1' })).status, 202);
    assert.equal((await fetch(bearer.url, { headers })).status, 405);
  });

  it("take a signed form of Slack's slash commands, and refuse a changed one", async () => {
    const slack = await create('slash', { type: 'slack' });
    const body = 'command=%2Fdeploy&text=shop';
    const headers = { 'Content-Type': FORM, ...Object.fromEntries(proofOf(slack, slack.secret, Buffer.from(body))) };
    assert.equal((await fetch(slack.url, { method: 'POST', headers, body })).status, 202);
    assert.equal((await fetch(slack.url, { method: 'POST', headers, body: `${body}s` })).status, 401);
  });

  it('give their own answer, with a delay and a share of failures', async () => {
    const { url } = await create('answers', {
      answer: {
        status: 201,
        body: '{"ok":true}',
        headers: { 'content-type': 'application/json', 'X-Own': '1' },
        delay_ms: 120,
      },
    });
    const began = performance.now();
    const response = await fetch(url, { method: 'POST', body: 'x' });
    assert.ok(performance.now() - began >= 115);
    assert.deepEqual([response.status, response.headers.get('x-own'), await response.json()], [201, '1', { ok: true }]);
    const { total } = { total: (await client.ask<EventPageView>('GET', 'events?webhook=answers')).events.length };
    await client.ask('PATCH', 'webhooks/answers', { answer: { failure_share: 1, failure_status: 418 } });
    assert.equal((await fetch(url, { method: 'POST', body: 'x' })).status, 418);
    assert.equal((await client.ask<EventPageView>('GET', 'events?webhook=answers')).events.length, total);
    const { refusals } = await client.ask<RefusalsView>('GET', 'refusals?limit=1');
    assert.deepEqual([refusals[0]?.status, refusals[0]?.code], [418, 'ChosenFailure']);
    await client.ask('PATCH', 'webhooks/answers', { answer: null });
    assert.equal((await fetch(url, { method: 'POST', body: 'x' })).status, 202);
    await assert.rejects(client.ask('PATCH', 'webhooks/answers', { answer: { headers: { Host: 'x' } } }), {
      message: /answer\.headers has a header of the connection/,
    });
  });
});
