/* eslint-disable @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-argument, @typescript-eslint/no-unsafe-return -- answers are any JSON, and what a test says of them is checked when it runs */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook as Signature } from 'standardwebhooks';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { Agent } from 'undici';
import { AdjustableClock } from '../../base/clock.ts';
import { SextantServer } from '../server.ts';
import { explanation } from './eventText.ts';

interface Answer {
  readonly status: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- whatever JSON is answered, looked at by tests
  readonly body: any;
}

/** An HTTP server that keeps each request and gives set answers. */
class Receiver {
  readonly got: { readonly request: IncomingMessage; readonly body: string }[] = [];
  statuses: number[] = [];
  retryAfter: string | undefined;
  readonly #server: Server;
  #arrived = (): void => undefined;

  constructor() {
    this.#server = createServer((request, response) => {
      let body = '';
      request.setEncoding('latin1');
      request.on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        this.got.push({ request, body });
        const { retryAfter } = this;
        response.writeHead(this.statuses.shift() ?? 200, {
          ...(retryAfter !== undefined && { 'Retry-After': retryAfter }),
        });
        response.end('thanks');
        this.#arrived();
      });
    });
  }

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/in`;
  }

  async until(count: number): Promise<void> {
    while (this.got.length < count) await new Promise<void>((resolve) => (this.#arrived = resolve));
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

describe('webhooks of the server', () => {
  const folder = temporaryFolder();
  const receiver = new Receiver();
  let receiverUrl: string;
  let state: string;
  let server: SextantServer;
  let dispatcher: Agent;
  let realClock: AdjustableClock;

  before(async () => (receiverUrl = await receiver.start()));
  after(() => receiver.close());
  beforeEach(async () => {
    state = folder();
    realClock = new AdjustableClock();
    await start();
  });
  afterEach(async () => {
    await server.close();
    await dispatcher.destroy();
    receiver.got.length = 0;
    receiver.statuses = [];
    receiver.retryAfter = undefined;
  });

  async function start(): Promise<void> {
    dispatcher = new Agent();
    const edges = { clock: realClock, dispatcher, backoffBaseMs: 5 };
    server = await SextantServer.start({ state, webhooks: { maxBodyBytes: 5000 } }, edges);
  }

  async function admin(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${server.url}/__admin/${path}`, {
      method,
      headers: { authorization: `Bearer ${server.adminToken}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  }

  async function made(path: string, body: unknown): Promise<Answer['body']> {
    const answer = await admin('POST', path, body);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body;
  }

  async function post(
    url: string,
    secret: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
      body,
    });
    return { status: response.status, body: await response.json() };
  }

  /** Waits until the triggers and runs of an event are finished. */
  async function finished(id: string): Promise<Answer['body']> {
    for (;;) {
      const { body } = await admin('GET', `events/${id}`);
      if (!['received', 'pending'].includes(body.status as string)) return body;
    }
  }

  it('accepts or refuses each delivery by the table of decisions', async () => {
    const { url, secret, webhook_id: id } = await made('webhooks', { name: 'w' });
    await made('webhooks', { name: 'off', enabled: false });
    const off = (await admin('GET', 'webhooks/off')).body;
    const json = '{"a": [1.0, "é"]}';
    const cases: [answer: Answer, status: number, code?: string][] = [
      [await post(url, secret, json), 202],
      [await post(url, secret, '3'), 202],
      [await post(url, 'wrong', json), 401, 'Unauthenticated'],
      [await post(`${server.url}/webhooks/unknown`, secret, json), 404, 'NotFound'],
      [await post(off.url as string, 'wrong', json), 404, 'NotFound'],
      [await post(url, secret, '{"a":'), 400, 'InvalidArgument'],
      [await post(url, secret, ''), 400, 'InvalidArgument'],
      [await post(url, secret, new Uint8Array([0x22, 0xff, 0x22])), 400, 'InvalidArgument'],
      [await post(url, secret, JSON.stringify('x'.repeat(5000))), 413, 'PayloadTooLarge'],
      [await post(url, secret, json, { 'content-type': 'text/plain' }), 415, 'UnsupportedMediaType'],
    ];
    for (const [i, [{ status, body }, expected, code]] of cases.entries())
      assert.deepEqual([i, status, body.error?.code], [i, expected, code]);
    const { body: log } = await admin('GET', 'refusals');
    assert.deepEqual(
      log.refusals.map(({ status, webhook }: { status: number; webhook: string }) => [status, webhook]).reverse(),
      [...cases.slice(2)].map(([{ status }], i) => [status, i === 1 ? null : i === 2 ? 'off' : 'w']),
    );
    assert.ok(!JSON.stringify(log).includes(secret as string));
    const reasons = log.refusals.map(({ reason }: { reason: string }) => reason).reverse();
    assert.deepEqual(reasons.slice(1, 3), [
      'there is no webhook unknown',
      'the webhook is disabled; "webhooks enable off" enables it',
    ]);
    // The sender learns nothing about existing addresses.
    assert.equal(cases[4]![0].body.error?.message, `there is no webhook ${off.webhook_id}`);
    const { body: list } = await admin('GET', 'events?source=Webhook&webhook=w');
    assert.deepEqual(
      list.events.map(({ event_id }: { event_id: string }) => event_id),
      [cases[1]![0].body.event_id, cases[0]![0].body.event_id],
    );
    const event = (await admin('GET', `events/${list.events[1].event_id}`)).body;
    assert.deepEqual([event.body, event.webhook_id, event.status], [json, id, 'unmatched']);
    const headers = Object.fromEntries(event.headers as [string, string][]);
    assert.equal(headers.authorization, '[redacted]');
  });

  it('keeps no secret of a header, keeps signatures, and shows the length of the body', async () => {
    const { url, secret } = await made('webhooks', { name: 'w' });
    const secrets = [
      'X-Api-Key',
      'X-Webhook-Secret',
      'Cookie',
      'Proxy-Authorization',
      'X-Auth-Token',
      'X-Signature-Key',
    ];
    const kept = ['X-Hub-Signature-256', 'Stripe-Signature', 'webhook-signature', 'Idempotency-Key', 'X-Kind'];
    const sent = Object.fromEntries([...secrets, ...kept].map((name) => [name, `of ${name}`]));
    const answer = await post(url, secret, '{"a":1}', { ...sent, 'X-Odd': `key=${secret}` });
    const { body: event } = await admin('GET', `events/${answer.body.event_id}`);
    const headers = new Map((event.headers as [string, string][]).map(([name, value]) => [name.toLowerCase(), value]));
    for (const name of [...secrets, 'X-Odd']) assert.equal(headers.get(name.toLowerCase()), '[redacted]', name);
    for (const name of kept) assert.equal(headers.get(name.toLowerCase()), `of ${name}`);
    assert.ok(!JSON.stringify(event).includes(secret as string));
    assert.equal(event.bytes, 7);
  });

  it('records a delivery for another host, as through a tunnel that is not allowed', async () => {
    const { webhook_id: id } = await made('webhooks', { name: 'w' });
    const ask = async (path: string): Promise<string> => {
      const sent = request(`${server.url}${path}`, { method: 'POST', headers: { host: 'abc.ngrok.app' } });
      const [response] = (await once(sent.end('{}'), 'response')) as [IncomingMessage];
      return `${response.statusCode} ${await text(response)}`;
    };
    const answers = await Promise.all([`/webhooks/${id}`, '/webhooks/nobody', '/nothing', '/__admin/clock'].map(ask));
    assert.match(answers[0]!, /^403 .*the Host header names another host/);
    assert.equal(new Set(answers).size, 1, 'the sender learns nothing about existing addresses');
    const { refusals } = (await admin('GET', 'refusals?webhook=w')).body;
    assert.deepEqual(
      refusals.map(({ status, reason }: { status: number; reason: string }) => [status, reason]),
      [[403, 'the Host header names abc.ngrok.app; --allow-host allows it']],
    );
    assert.equal((await admin('GET', 'refusals')).body.refusals.length, 2);
    assert.equal((await admin('GET', 'requests')).body.requests.length, 4, 'also those to the admin plane');
  });

  it('records why a delivery is not authenticated, and keeps that from its sender', async () => {
    const { url, secret } = await made('webhooks', { name: 'w' });
    const signed = await made('webhooks', { name: 'signed', type: 'standard_webhooks' });
    const answers = new Set<string>();
    const send = async (to: string, headers: Record<string, string>): Promise<string> => {
      const response = await fetch(to, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{}',
      });
      answers.add(`${response.status} ${await response.text()}`);
      const { refusals } = (await admin('GET', 'refusals?limit=1')).body;
      assert.ok(!JSON.stringify(refusals).includes('whsec_'));
      return refusals[0].reason as string;
    };
    const sign = (key: string, at = Date.now()): Record<string, string> => ({
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at / 1000)),
      'webhook-signature': new Signature(key).sign('msg_1', new Date(at), '{}'),
    });
    await admin('POST', 'webhooks/w/rotate', { overlap_seconds: 60 });
    await admin('POST', 'webhooks/signed/rotate', { overlap_seconds: 60 });
    realClock.advance(60_000);
    const [to, key] = [signed.url as string, signed.secret as string];
    const other = (await made('webhooks', { name: 'other', type: 'standard_webhooks' })).secret as string;
    const cases: [string, Promise<string> | string][] = [
      ['there is no Authorization header', await send(url as string, {})],
      [
        'there is no Authorization header, but X-Hub-Signature-256: use a webhook of type github',
        await send(url as string, { 'x-hub-signature-256': 'sha256=00' }),
      ],
      [
        'the Authorization header is not Bearer and the secret',
        await send(url as string, { authorization: secret as string }),
      ],
      ['wrong secret', await send(url as string, { authorization: 'Bearer whsec_wrong' })],
      ['the secret was rotated, and has expired', await send(url as string, { authorization: `Bearer ${secret}` })],
      [
        'webhook-id, webhook-timestamp, webhook-signature are missing: a bearer token was sent, but deliveries must be signed',
        await send(to, { authorization: `Bearer ${key}` }),
      ],
      ['webhook-id is missing', await send(to, { ...sign(key), 'webhook-id': '' })],
      ['webhook-timestamp is not a number', await send(to, { ...sign(key), 'webhook-timestamp': 'now' })],
      ['webhook-timestamp is more than 5 minutes ago', await send(to, sign(key, Date.now() - 400_000))],
      ['webhook-timestamp is more than 5 minutes ahead', await send(to, sign(key, Date.now() + 400_000))],
      ['webhook-signature is not v1 in base64', await send(to, { ...sign(key), 'webhook-signature': 'sha256=00' })],
      ['the signature is of another secret or of another body', await send(to, sign(other))],
      ['the secret was rotated, and has expired', await send(to, sign(key))],
    ];
    assert.deepEqual(
      cases.map(([, reason]) => reason),
      cases.map(([reason]) => reason),
    );
    assert.deepEqual(
      [...answers],
      ['401 {"error":{"code":"Unauthenticated","message":"missing or invalid authentication token"}}'],
    );
  });

  it('takes JSON behind a byte order mark, byte for byte', async () => {
    const { url, secret } = await made('webhooks', { name: 'w' });
    await made('triggers', { name: 't', webhook: 'w', filter: { '==': [{ var: 'a' }, 1] } });
    const body = '\ufeff{"a": 1}';
    const { event_id: id } = (await post(url as string, secret as string, body)).body;
    const event = await finished(id as string);
    assert.deepEqual([event.body, event.bytes], [body, Buffer.byteLength(body)]);
    assert.equal((event.evaluations as { fires: boolean }[])[0]?.fires, true);
  });

  it('reports the place of a JSON error, and stores nothing of the body', async () => {
    const { url, secret } = await made('webhooks', { name: 'w' });
    const places = [
      ['{"a": hunter2}', ': line 1, column 7'],
      ['{\n  "password": "hunter2",\n  "b" 1\n}', ': line 3, column 7'],
      ['', ': line 1, column 1'],
      // The search for the place must survive deep nesting.
      ['['.repeat(5000), /^the request body is not JSON(: line 1, column 5001)?$/],
    ] as const;
    for (const [body, place] of places) {
      const { status, body: answer } = await post(url as string, secret as string, body);
      assert.equal(status, 400);
      const { message } = answer.error as { message: string };
      if (typeof place === 'string') assert.equal(message, `the request body is not JSON${place}`);
      else assert.match(message, place);
    }
    const said = JSON.stringify([(await admin('GET', 'refusals')).body, (await admin('GET', 'requests')).body]);
    assert.ok(said.includes('line 3, column 7') && !said.includes('hunter2'));
  });

  it('answers a repeated delivery with the first event, and takes rotated secrets', async () => {
    const { url, secret } = await made('webhooks', { name: 'w' });
    const first = await post(url, secret, '1', { 'webhook-id': 'a' });
    assert.deepEqual(await post(url, secret, '1', { 'webhook-id': 'a' }), first);
    assert.deepEqual(await post(url, secret, '1', { 'idempotency-key': 'a' }), first);
    assert.deepEqual(await post(url, secret, '1', { 'webhook-id': '', 'idempotency-key': 'a' }), first);
    const { secret: second } = (await admin('POST', 'webhooks/w/rotate', { overlap_seconds: 60 })).body;
    server.clock.advance(400 * 86_400_000);
    server.webhooks.journal.forget();
    assert.equal((await post(url, secret, '2')).status, 202);
    realClock.advance(60_000);
    assert.deepEqual([(await post(url, secret, '2')).status, (await post(url, second, '2')).status], [401, 202]);
    assert.equal((await admin('GET', 'events')).body.events.length, 3);
  });

  it('takes deliveries of curl, and of the library of Standard Webhooks', async () => {
    const { url, secret } = await made('webhooks', { name: 'curl' });
    const args = ['-s', '-H', `Authorization: Bearer ${secret}`, '-H', 'Content-Type: application/json'];
    const { stdout: said } = await promisify(execFile)('curl', [...args, '-d', '{"from":"curl"}', url as string]);
    assert.match(said, /^\{"event_id":"evt_\d{10}"\}$/);

    const signed = await made('webhooks', { name: 'signed', type: 'standard_webhooks' });
    const send = (key: string, body: string, at = new Date(), sent = body): Promise<Answer> =>
      post(signed.url as string, 'none', sent, {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': new Signature(key).sign('msg_1', at, body),
      });
    const body = '{"test": 2432232314}';
    const other = await made('webhooks', { name: 'other', type: 'standard_webhooks' });
    assert.equal((await send(other.secret as string, body)).status, 401);
    assert.equal((await send(signed.secret as string, body, new Date(), '{"test": 0}')).status, 401);
    assert.equal((await send(signed.secret as string, body, new Date(Date.now() - 600_000))).status, 401);
    assert.equal((await post(signed.url as string, signed.secret as string, body)).status, 401);
    const { status, body: accepted } = await send(signed.secret as string, body);
    assert.equal(status, 202);
    assert.equal((await admin('GET', `events/${accepted.event_id}`)).body.body, body);
  });

  it('checks the signature of Standard Webhooks over the bytes that came', async () => {
    const webhook = { name: 'bytes', type: 'standard_webhooks', content: 'any', secret: 'whsec_c2VjcmV0_w' };
    const { url } = await made('webhooks', webhook);
    const at = String(Math.floor(Date.now() / 1000));
    const send = (id: string, signed: Buffer, sent: Uint8Array<ArrayBuffer>): Promise<Answer> => {
      const hmac = createHmac('sha256', Buffer.from('c2VjcmV0/w', 'base64')).update(`${id}.${at}.`).update(signed);
      const signature = `v1,${hmac.digest('base64')}`;
      const headers = { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature };
      return post(url as string, 'none', sent, { 'content-type': 'image/png', ...headers });
    };
    const [bytes, others] = [Buffer.from([0x89, 0x50, 0xff]), Buffer.from([0x89, 0x50, 0xfe])];
    const { status, body } = await send('msg_1', bytes, bytes);
    assert.equal(status, 202);
    assert.equal((await send('msg_2', bytes, others)).status, 401);
    assert.equal((await admin('GET', `events/${body.event_id}/proof`)).body.is_valid, true);
    const resent = await admin('POST', `events/${body.event_id}/resend`, {});
    assert.equal((await admin('GET', `events/${resent.body.event_id}/proof`)).body.is_valid, true);
  });

  it('reports for each trigger whether it fired and which part was false, and runs the experts', async () => {
    const { url, secret } = await made('webhooks', { name: 'w' });
    await made('experts', { name: 'bot', type: 'forward', url: receiverUrl });
    const filter = { and: [{ '==': [{ var: 'action' }, 'opened'] }, { in: ['bug', { var: 'labels' }] }] };
    const trigger = await made('triggers', { name: 'bugs', webhook: 'w', filter, expert: 'bot' });
    assert.equal(
      trigger.words,
      'When an event comes to w and `action` is "opened" and `labels` contains "bug": run bot.',
    );
    await made('triggers', { name: 'all', webhook: 'w' });
    await made('triggers', { name: 'off', webhook: 'w', enabled: false, expert: 'bot' });
    const no = await finished((await post(url, secret, '{"action":"closed"}')).body.event_id as string);
    assert.deepEqual(
      no.evaluations.map(({ trigger, fires, because }: Record<string, unknown>) => [trigger, fires, because]),
      [
        ['bugs', false, '`action` is "opened": `action` was "closed"'],
        ['all', true, undefined],
      ],
    );
    assert.deepEqual([no.status, receiver.got.length], ['succeeded', 0]);

    const body = ' {"action":"opened", "labels":["bug"], "n":1.50}';
    const yes = await finished((await post(url, secret, body, { 'X-GitHub-Event': 'issues' })).body.event_id as string);
    assert.deepEqual([yes.status, yes.runs.length, yes.runs[0].attempts[0].answer], ['succeeded', 2, 'thanks']);
    const [{ request, body: sent }] = receiver.got as [(typeof receiver.got)[0]];
    assert.deepEqual(
      [sent, request.headers['x-github-event'], request.headers['x-sextant-event-id'], request.headers.authorization],
      [body, 'issues', yes.event_id, undefined],
    );

    const replay = await admin('POST', `events/${yes.event_id}/replay`);
    const again = await finished(replay.body.event_id as string);
    assert.deepEqual([again.replay_of, again.body, receiver.got.length], [yes.event_id, body, 2]);
    const lines = (
      await (
        await fetch(`${server.url}/__admin/events/search?filter=${encodeURIComponent(JSON.stringify(filter))}`, {
          headers: { authorization: `Bearer ${server.adminToken}` },
        })
      ).text()
    )
      .trimEnd()
      .split('\n');
    assert.equal(lines.filter((line) => line.startsWith('{"event"')).length, 2);
    assert.equal(lines.at(-1), '{"done":true}');
    assert.deepEqual((await admin('POST', 'events/search', { filter, bogus: 1 })).status, 400);
    assert.deepEqual((await admin('POST', 'events/search', { filter: { nope: 1 } })).status, 400);
    assert.deepEqual((await admin('POST', 'events/search', { status: 'lost' })).status, 400);
  });

  it('forwards no redacted or connection header, asks for no compressed answer, and waits for Retry-After', async () => {
    const { url, secret } = await made('webhooks', { name: 'w' });
    await made('experts', { name: 'bot', type: 'forward', url: receiverUrl });
    await made('triggers', { name: 't', webhook: 'w', expert: 'bot' });
    const headers = {
      ...{ cookie: 'a=b', 'x-gitlab-token': 'x', 'x-sextant-event-id': 'evt_evil', 'X-Sextant-Other': 'evil' },
      ...{ 'x-kind': 'good', 'accept-encoding': 'gzip, br' },
    };
    const sent = await finished((await post(url, secret, '{}', headers)).body.event_id as string);
    const got = receiver.got[0]!.request.headers;
    const seen = ['cookie', 'x-gitlab-token', 'x-sextant-event-id', 'x-sextant-other', 'x-kind', 'accept-encoding'];
    assert.deepEqual(
      seen.map((name) => got[name]),
      [undefined, undefined, sent.event_id, undefined, 'good', undefined],
    );

    const waitS = async (retryAfter: string): Promise<number> => {
      [receiver.retryAfter, receiver.statuses] = [retryAfter, [503]];
      const { event_id: id } = (await post(url, secret, '{}')).body;
      for (;;) {
        const [run] = (await admin('GET', `events/${id}`)).body.runs;
        if (run?.next_at) return (Date.parse(run.next_at as string) - Date.parse(run.attempts[0].at as string)) / 1000;
      }
    };
    const near = (found: number, wanted: number): void =>
      assert.ok(found > wanted - 3 && found < wanted + 10, `${found} s, not ${wanted}`);
    near(await waitS('120'), 120);
    near(await waitS(new Date(Date.now() + 90_000).toUTCString()), 90);
    near(await waitS('86400'), 600);
    for (const odd of ['0', 'soon', '-5', new Date(0).toUTCString()]) {
      [receiver.retryAfter, receiver.statuses] = [odd, [503]];
      const { status } = await finished((await post(url, secret, '{}')).body.event_id as string);
      assert.equal(status, 'succeeded', `${odd} is no reason to wait`);
    }
  });

  it('retries a failed run, but not a refused one, and resumes after a restart', async () => {
    const { url, secret } = await made('webhooks', { name: 'w' });
    await made('experts', { name: 'bot', type: 'forward', url: receiverUrl, max_attempts: 3 });
    await made('triggers', { name: 't', webhook: 'w', expert: 'bot' });
    const outcome = async (...statuses: number[]): Promise<unknown[]> => {
      receiver.statuses = statuses;
      const { status, runs } = await finished((await post(url, secret, '{}')).body.event_id as string);
      return [status, ...runs[0].attempts.map((attempt: { status: number }) => attempt.status)];
    };
    assert.deepEqual(await outcome(503, 429, 200), ['succeeded', 503, 429, 200]);
    assert.deepEqual(await outcome(400, 200), ['failed', 400]);
    assert.deepEqual(await outcome(500, 500, 500, 200), ['failed', 500, 500, 500]);
    receiver.statuses = [308];
    const moved = await finished((await post(url, secret, '{}')).body.event_id as string);
    assert.match(explanation(moved), /redirected, and forwards follow no redirect \(set its target as the URL\) 308/);

    const deaf = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(deaf, 'listening');
    const { port } = deaf.address() as AddressInfo;
    const expert = { name: 'deaf', type: 'forward', url: `http://127.0.0.1:${port}/` };
    await made('experts', expert);
    await admin('PUT', 'triggers/t', { webhook: 'w', expert: 'deaf' });
    const asked = once(deaf, 'request');
    const { event_id: id } = (await post(url, secret, '{"slow":1}')).body;
    await asked;
    assert.equal((await admin('GET', `events/${id}`)).body.status, 'pending');
    await admin('PUT', 'triggers/t', { webhook: 'w', expert: 'bot' });
    const refused = await admin('DELETE', 'experts/deaf');
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'Conflict']);
    assert.match(refused.body.error.message as string, /used by 1 run that still waits, which would fail/);
    // Other events are accepted in between, and a stop gives up runs under way.
    assert.equal((await post(url, secret, '{}')).status, 202);
    await server.close();
    await dispatcher.destroy();
    deaf.closeAllConnections();
    deaf.removeAllListeners('request').on('request', (_request, response) => response.end());
    await start();
    assert.equal((await finished(id as string)).status, 'succeeded');
    deaf.close();
  });

  it('answers 410 with the reason for an event that is damaged', async () => {
    const { url, secret } = await made('webhooks', { name: 'w' });
    const { event_id: id } = (await post(url, secret, '"to be damaged"')).body;
    const folder = join(state, 'webhooks/events');
    const name = readdirSync(folder).find((one) => one.endsWith('.log'))!;
    const bytes = readFileSync(join(folder, name));
    bytes[bytes.indexOf('to be damaged')]! ^= 1;
    writeFileSync(join(folder, name), bytes);
    for (const answer of [await admin('GET', `events/${id}`), await admin('POST', `events/${id}/replay`)]) {
      assert.deepEqual([answer.status, answer.body.error.code], [410, 'Gone']);
      assert.ok(answer.body.error.message.includes(`of ${join(folder, name)} is damaged, and its content is lost.`));
    }
  });

  it('reports that the record of the runs of an event is damaged', async () => {
    const { url, secret } = await made('webhooks', { name: 'w' });
    await made('triggers', { name: 't', webhook: 'w' });
    const { event_id: id } = (await post(url, secret, '{}')).body;
    assert.ok(!('is_damaged' in (await finished(id as string))));
    const folder = join(state, 'webhooks/events');
    const file = join(
      folder,
      readdirSync(folder).find((name) => name.endsWith('.log'))!,
    );
    const bytes = readFileSync(file);
    bytes[bytes.indexOf('"evaluations"') + 1]! ^= 1;
    writeFileSync(file, bytes);
    const event = (await admin('GET', `events/${id}`)).body;
    assert.deepEqual([event.status, event.is_damaged], ['succeeded', true]);
    await server.close();
    await dispatcher.destroy();
    await start();
    assert.deepEqual((await admin('GET', `events/${id}`)).body, event, 'the event is not evaluated again');
    assert.match(
      explanation(event),
      /all runs succeeded\.\n\nNo more is known of it: the record of that is damaged\.\n$/,
    );
  });

  it('refuses to delete names in use, and sends examples', async () => {
    await made('webhooks', { name: 'w' });
    await made('triggers', { name: 't', webhook: 'w' });
    const refused = await admin('DELETE', 'webhooks/w');
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'Conflict']);
    const { body } = await admin('POST', 'webhooks/w/send', { template: 'github-pull-request' });
    const event = await finished(body.event_id as string);
    assert.deepEqual([event.is_test, JSON.parse(event.body as string).action], [true, 'opened']);
    assert.equal((await admin('POST', 'webhooks/w/send', { template: 'constructor' })).status, 400);
    // Sends unchanged text of the largest size; its JSON form is twice as long.
    const text = `[${'\n'.repeat(4998)}]`;
    const { event_id: id } = (await admin('POST', 'webhooks/w/send', { text, template: 'gitlab-push' })).body;
    const written = await finished(id as string);
    assert.deepEqual([written.body, new Map(written.headers).get('X-Gitlab-Event')], [text, 'Push Hook']);
    assert.equal((await admin('POST', 'webhooks/w/send', { text: `${text}\n` })).status, 413);
    assert.equal((await admin('POST', 'webhooks/w/send', { text: '{"a":' })).status, 400);
    assert.equal((await admin('POST', 'webhooks/w/send', { text: '1', body: 1 })).status, 400);
    assert.equal((await admin('DELETE', 'webhooks/w?force=true')).status, 200);
    assert.equal((await admin('POST', `events/${body.event_id}/replay`)).status, 404);
    assert.equal((await admin('GET', 'events?status=lost')).status, 400);
  });

  it('takes empty parameters of a list for absent ones, and no parameter twice', async () => {
    assert.equal((await admin('GET', 'events?webhook=&cursor=')).status, 200);
    for (const query of ['webhook=w&webhook=w', 'webhook=&webhook=w', 'limit=1&limit='])
      assert.equal((await admin('GET', `events?${query}`)).status, 400, query);
    const search = { method: 'POST', headers: { authorization: `Bearer ${server.adminToken}` } };
    const body = JSON.stringify({ cursor: '' });
    const headers = { ...search.headers, 'content-type': 'application/json' };
    const found = await fetch(`${server.url}/__admin/events/search`, { ...search, headers, body });
    assert.deepEqual([found.status, (await found.text()).trim()], [200, '{"done":true}']);
  });
});
