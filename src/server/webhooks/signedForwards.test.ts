import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { verify as verifyAsGithub } from '@octokit/webhooks-methods';
import { Webhook as Standard } from 'standardwebhooks';
import { Stripe } from 'stripe';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { until } from '../../../test/support/until.ts';
import { SIGNING_TYPES } from '../../webhooks/names.ts';
import { AdminClient } from '../admin/adminClient.ts';
import { SextantServer } from '../server.ts';
import type { EventDetailView, EventPageView, NewExpertView, NewWebhookView } from './views.ts';

const BODY = '{"a": "é",  "n": 1.0}';
const KEY = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const signature = { header: 'X-Own', prefix: 'v=', encoding: 'base64', signed: '{body}.end' };

describe('headers and signatures of forwards', () => {
  const folder = temporaryFolder();
  let state: string;
  let server: SextantServer;
  let client: AdminClient;
  let target: Server;
  let url: string;
  let got: { readonly headers: IncomingHttpHeaders; readonly body: string }[];
  before(async () => {
    state = folder();
    await start();
    target = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        got.push({ headers: request.headers, body });
        response.end();
      });
    });
    target.listen(0, '127.0.0.1');
    await once(target, 'listening');
    url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`;
  });
  beforeEach(() => (got = []));
  after(async () => {
    await server.close();
    target.closeAllConnections();
    target.close();
  });

  async function start(): Promise<void> {
    server = await SextantServer.start({ state });
    client = new AdminClient(server);
  }
  const expert = (name: string, input: object): Promise<NewExpertView> =>
    client.ask<NewExpertView>('POST', 'experts', { name, type: 'forward', url, ...input });
  /** Creates a webhook whose events all go to an expert. */
  async function intake(to: string): Promise<NewWebhookView> {
    const webhook = await client.ask<NewWebhookView>('POST', 'webhooks', { name: `to ${to}`, type: 'anything' });
    await client.ask('POST', 'triggers', { name: `to ${to}`, webhook: webhook.name, expert: to });
    return webhook;
  }
  /** Sends an event, and returns it once its runs ended. */
  async function deliver({ url: to }: NewWebhookView, headers: object = {}): Promise<EventDetailView> {
    const sent = await fetch(to, { method: 'POST', body: BODY, headers: { 'Content-Type': 'text/plain', ...headers } });
    const { event_id: id } = (await sent.json()) as { event_id: string };
    let event: EventDetailView | undefined;
    await until('the run', async () => {
      event = await client.ask<EventDetailView>('GET', `events/${id}`);
      return !['received', 'pending'].includes(event.status);
    });
    return event!;
  }

  for (const type of SIGNING_TYPES)
    it(`sign as ${type}: a webhook of that type with the same secret accepts what is forwarded`, async () => {
      const own = type === 'hmac' ? { signature } : {};
      const inner = await client.ask<NewWebhookView>('POST', 'webhooks', {
        ...{ name: `inner ${type}`, type, secret: KEY, content: 'any' },
        ...own,
      });
      await expert(type, { url: inner.url, sign: type, secret: KEY, ...own });
      const { status, runs } = await deliver(await intake(type));
      assert.deepEqual([status, runs[0]?.attempts[0]?.status], ['succeeded', 202], runs[0]?.attempts[0]?.answer);
      const path = AdminClient.path(['events'], { webhook: inner.name });
      assert.equal((await client.ask<EventPageView>('GET', path)).events.length, 1);

      await client.ask('PATCH', AdminClient.path(['experts', type]), { secret: KEY.replaceAll('M', 'N') });
      await client.ask('PATCH', AdminClient.path(['experts', type]), { max_attempts: 1 });
      const refused = await deliver(
        await client.ask<NewWebhookView>('GET', AdminClient.path(['webhooks', `to ${type}`])),
      );
      assert.deepEqual([refused.status, refused.runs[0]?.attempts[0]?.status], ['failed', 401]);
    });

  it("are valid for the senders' own libraries, in place of the signature that came", async () => {
    const github = await expert('as github', { sign: 'github' });
    assert.match(github.secret ?? '', /^whsec_/);
    await deliver(await intake('as github'), { 'X-Hub-Signature-256': 'sha256=00', 'X-GitHub-Event': 'push' });
    const [{ headers, body }] = got as [(typeof got)[number]];
    assert.deepEqual([body, headers['x-github-event']], [BODY, 'push']);
    assert.ok(await verifyAsGithub(github.secret!, BODY, headers['x-hub-signature-256'] as string));

    await expert('as stripe', { sign: 'stripe', secret: KEY });
    await deliver(await intake('as stripe'));
    new Stripe('sk_test_none').webhooks.constructEvent(BODY, got[1]!.headers['stripe-signature']!, KEY);

    await expert('as standard', { sign: 'standard_webhooks', secret: KEY });
    const event = await deliver(await intake('as standard'));
    new Standard(KEY).verify(BODY, got[2]!.headers as Record<string, string>);
    // Each attempt of an event has the same id, by which receivers recognize it.
    assert.equal(got[2]!.headers['webhook-id'], event.event_id);
  });

  it('are sent instead of those of the event, and are shown in no list, event or file but that of keys', async () => {
    const secret = 'Bearer value-that-stays-secret';
    const made = await expert('with headers', {
      headers: { authorization: secret, 'X-Stage': 'test' },
      sign: 'github',
    });
    assert.deepEqual(made.type === 'forward' && made.headers, ['authorization', 'X-Stage']);
    const webhook = await intake('with headers');
    const event = await deliver(webhook, { 'x-stage': 'production', 'X-Kept': '1' });
    const [{ headers }] = got as [(typeof got)[number]];
    assert.deepEqual([headers.authorization, headers['x-stage'], headers['x-kept']], [secret, 'test', '1']);

    const lists = await Promise.all(['experts', 'triggers', 'webhooks'].map((path) => client.ask('GET', path)));
    const shown = JSON.stringify([lists, event]);
    for (const text of ['value-that-stays-secret', made.secret!]) assert.ok(!shown.includes(text));
    await server.close();
    const files = readdirSync(join(state, 'webhooks'), { recursive: true, withFileTypes: true });
    for (const file of files.filter((one) => one.isFile() && !one.name.startsWith('writer.'))) {
      const content = readFileSync(join(file.parentPath, file.name), 'latin1');
      assert.equal(content.includes('value-that-stays-secret'), file.name.startsWith('signing-keys'), file.name);
    }
    // The server is started again with the same definitions.
    await start();
    await deliver(await client.ask<NewWebhookView>('GET', AdminClient.path(['webhooks', webhook.name])));
    assert.equal(got[1]?.headers.authorization, secret);
    assert.ok(await verifyAsGithub(made.secret!, BODY, got[1].headers['x-hub-signature-256'] as string));
  });

  it('are changed one by one, and removed', async () => {
    const made = await expert('changing', { headers: { 'X-A': '1' }, sign: 'github' });
    const webhook = await intake('changing');
    const edit = (input: object): Promise<NewExpertView> =>
      client.ask<NewExpertView>('PATCH', 'experts/changing', input);
    const { secret } = await edit({ timeout_ms: 5_000 });
    assert.equal(secret, undefined, 'an unchanged key is not shown');
    await deliver(webhook);
    assert.equal(got[0]?.headers['x-a'], '1');
    assert.ok(await verifyAsGithub(made.secret!, BODY, got[0].headers['x-hub-signature-256'] as string));

    await edit({ headers: { 'X-B': '2' }, sign: 'hmac', signature, secret: KEY });
    await deliver(webhook);
    assert.deepEqual([got[1]?.headers['x-a'], got[1]?.headers['x-b']], [undefined, '2']);
    assert.match(String(got[1]?.headers['x-own']), /^v=/);
    assert.match((await edit({ sign: 'stripe' })).secret ?? '', /^whsec_/);

    await edit({ set_headers: { 'x-b': null, 'X-C': '3', 'X-D': '4' } });
    await edit({ set_headers: { 'x-c': '5' } });
    await deliver(webhook);
    const { 'x-b': b, 'x-c': c, 'x-d': d } = got[2]!.headers;
    assert.deepEqual([b, c, d], [undefined, '5', '4']);
    await assert.rejects(edit({ set_headers: { Host: 'x' } }), { code: 'InvalidArgument' });
    await assert.rejects(edit({ set_headers: { a: 1 } }), { code: 'InvalidArgument' });

    await edit({ headers: null, sign: null });
    await deliver(webhook);
    const names = Object.keys(got[3]!.headers);
    assert.deepEqual(
      names.filter((name) => ['x-b', 'x-own', 'stripe-signature'].includes(name)),
      [],
    );
    await assert.rejects(edit({ secret: KEY }), { code: 'InvalidArgument', message: /forwards that sign/ });
    await assert.rejects(client.ask('PATCH', 'experts/none', { url }), { code: 'NotFound' });
  });

  it('are refused where they could not be sent', async () => {
    for (const input of [
      { headers: { Host: 'x' } },
      { headers: { 'X-Sextant-Event-Id': 'x' } },
      { headers: { 'a b': 'x' } },
      { headers: { a: 'x\r\ny: z' } },
      { sign: 'anything' },
      { sign: 'hmac' },
      { sign: 'github', signature },
      { secret: KEY },
    ])
      await assert.rejects(expert('bad', input), { code: 'InvalidArgument' }, JSON.stringify(input));
  });
});
