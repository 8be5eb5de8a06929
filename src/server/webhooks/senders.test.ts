import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { suiteServer } from '../../../test/support/suiteServer.ts';
import { LIBRARY } from '../../webhooks/library/library.ts';
import { WEBHOOK_TYPES } from '../../webhooks/names.ts';
import { proofOf } from '../../webhooks/proof.ts';
import { TEMPLATES } from '../../webhooks/templates.ts';
import { AdminClient } from '../admin/adminClient.ts';
import { signedDelivery } from './signedDelivery.ts';
import type { EventPageView, EventView, NewWebhookView, RefusalsView } from './views.ts';

// Its other modules open connections.
const twilio = createRequire(import.meta.url)('twilio/lib/webhooks/webhooks.js') as {
  validateRequest(token: string, signature: string, url: string, fields: Readonly<Record<string, string>>): boolean;
};
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const signature = { header: 'X-Sign', encoding: 'base64', signed: '{body}!' };

describe('deliveries of systems', () => {
  const suite = suiteServer();

  const create = (name: string, input: object): Promise<NewWebhookView> =>
    suite.client.ask<NewWebhookView>('POST', 'webhooks', { name, ...input });
  const post = (webhook: NewWebhookView, secret: string, body: string): Promise<Response> => {
    const type = ['Content-Type', 'application/json'] as const;
    const host = ['Host', new URL(webhook.url).host] as const;
    const to = { ...webhook, id: webhook.webhook_id };
    const { headers: proof, query } = signedDelivery(to, secret, [type, host], Buffer.from(body));
    const headers = proof.length > 0 ? proof : [['Authorization', `Bearer ${secret}`]];
    const all = Object.fromEntries([type, ...headers]) as Record<string, string>;
    return fetch(`${webhook.url}${query === undefined ? '' : `?${query}`}`, { method: 'POST', headers: all, body });
  };

  for (const type of WEBHOOK_TYPES.filter((one) => one !== 'anything'))
    it(`of type ${type} are accepted with the sender's secret alone, and before and after its rotation`, async () => {
      const webhook = await create(type, { type, secret: SECRET, ...(type === 'hmac' && { signature }) });
      assert.equal(webhook.secret, SECRET);
      const body = '{"a": "é",  "n": 1.0}';
      const accepted = await post(webhook, SECRET, body);
      assert.equal(accepted.status, 202, await accepted.clone().text());
      const { event_id: id } = (await accepted.json()) as { event_id: string };
      const event = await suite.client.ask<EventView>('GET', `events/${id}`);
      assert.equal(event.body, body);
      assert.ok(!JSON.stringify(event).includes(SECRET), 'tokens are not stored');
      assert.equal((await post(webhook, OTHER, body)).status, 401);

      await suite.client.ask('POST', `webhooks/${type}/rotate`, { secret: OTHER, overlap_seconds: 60 });
      assert.deepEqual(
        [(await post(webhook, SECRET, body)).status, (await post(webhook, OTHER, body)).status],
        [202, 202],
      );
      const list = JSON.stringify(await suite.client.ask('GET', 'webhooks'));
      assert.ok(!list.includes(SECRET) && !list.includes(OTHER));
    });

  it('of each template are test events with the proof of their webhook', async () => {
    for (const [template, { system }] of Object.entries(TEMPLATES)) {
      const webhook = await create(`test of ${template}`, { type: system });
      const path = AdminClient.path(['webhooks', webhook.name, 'send']);
      const { event_id: id } = await suite.client.ask<{ event_id: string }>('POST', path, { template });
      const { headers } = await suite.client.ask<EventView>('GET', `events/${id}`);
      const names = headers.map(([name]) => name.toLowerCase());
      for (const [name] of system === 'gitlab' ? [] : proofOf(webhook, webhook.secret, Buffer.of()))
        assert.equal(names.filter((one) => one === name.toLowerCase()).length, 1, `${template}: ${name}`);
    }
  });

  it("of Twilio's library events are forms that Twilio's own library accepts", async () => {
    const webhook = await create('sms', { type: 'twilio', secret: SECRET });
    for (const [name, { body }] of Object.entries(LIBRARY).filter(([, { system }]) => system === 'twilio')) {
      const { event_id: id } = await suite.client.ask<{ event_id: string }>('POST', 'webhooks/sms/send', {
        template: name,
      });
      const event = await suite.client.ask<EventView>('GET', `events/${id}`);
      const sign = event.headers.find(([header]) => header.toLowerCase() === 'x-twilio-signature')?.[1];
      assert.ok(
        twilio.validateRequest(SECRET, sign!, webhook.url.replace('http:', 'https:'), body as Record<string, string>),
        name,
      );
      assert.deepEqual(Object.fromEntries(new URLSearchParams(event.body)), body);
      const again = await fetch(webhook.url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': sign! },
        body: event.body,
      });
      assert.equal(again.status, 202, 'as if it came from Twilio');
    }
  });

  it("of Slack's check of the address are answered with its challenge, and are no events", async () => {
    const webhook = await create('slack address', { type: 'slack', secret: SECRET });
    const before = await suite.client.ask<EventPageView>('GET', 'events');
    const body = JSON.stringify({ token: 'old', challenge: '3eZbrw1aBm2rZgRNFdxV', type: 'url_verification' });
    const answer = await post(webhook, SECRET, body);
    assert.deepEqual([answer.status, await answer.json()], [200, { challenge: '3eZbrw1aBm2rZgRNFdxV' }]);
    assert.equal((await post(webhook, OTHER, body)).status, 401);
    assert.deepEqual(await suite.client.ask('GET', 'events'), before);
  });

  it('are refused with the reason in the log, and 401 for the sender', async () => {
    const webhook = await create('gitlab wrong', { type: 'gitlab', secret: SECRET });
    const send = async (headers: Record<string, string>): Promise<string | undefined> => {
      const all = { 'content-type': 'application/json', ...headers };
      const { status } = await fetch(webhook.url, { method: 'POST', headers: all, body: '{}' });
      assert.equal(status, 401);
      return (await suite.client.ask<RefusalsView>('GET', 'refusals?limit=1')).refusals[0]?.reason;
    };
    assert.equal(await send({}), 'there is no X-Gitlab-Token header');
    assert.equal(await send({ authorization: `Bearer ${SECRET}` }), 'there is no X-Gitlab-Token header');
    assert.equal(await send({ 'x-gitlab-token': OTHER }), 'wrong secret');
    assert.match(
      (await send({ 'stripe-signature': 't=1,v1=00' })) ?? '',
      /but Stripe-Signature: use a webhook of type stripe$/,
    );
  });

  it('need a webhook with a valid secret and scheme', async () => {
    const refused = async (input: object): Promise<string> => {
      const error = await create('x', input).then(
        () => assert.fail('it was created'),
        (reason: unknown) => reason as Error,
      );
      return error.message;
    };
    assert.match(await refused({ secret: 'short' }), /secret.* must have at least 8 characters/);
    assert.match(await refused({ secret: 'with space' }), /secret.* ASCII/);
    assert.match(await refused({ type: 'standard_webhooks', secret: 'not~base64' }), /secret.* must be base64/);
    assert.match(await refused({ type: 'hmac' }), /signature.* is for the type hmac, which needs it/);
    assert.match(await refused({ type: 'github', signature }), /signature.* is for the type hmac/);
    assert.match(
      await refused({ type: 'hmac', signature: { ...signature, signed: 'x' } }),
      /signed.* must have \{body\} or \{form\} once/,
    );
  });
});
