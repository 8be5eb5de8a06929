import assert from 'node:assert/strict';
import { suiteServer } from '../../../test/support/suiteServer.ts';
import { until } from '../../../test/support/until.ts';
import { commandInput, parse } from '../../webhooks/schemas.ts';
import { AdminClient } from '../admin/adminClient.ts';
import type { EventDetailView, EventPageView, ForwardView, NewWebhookView, RefusalsView } from './views.ts';

describe('a forward in one step', () => {
  const deploy = parse(commandInput, { name: 'deploy', argv: ['true'] }, 'command');
  const suite = suiteServer(undefined, { commands: [{ ...deploy, type: 'command', cwd: '.' }] });

  const url = 'http://127.0.0.1:3000/hooks';
  const create = (input: object): Promise<ForwardView> => suite.client.ask<ForwardView>('POST', 'forwards', input);
  const definitions = async (): Promise<string> =>
    JSON.stringify([
      await suite.client.ask('GET', 'webhooks'),
      await suite.client.ask('GET', 'triggers'),
      await suite.client.ask('GET', 'experts'),
    ]);

  it('creates webhook, trigger and expert, and its undo leaves nothing of them', async () => {
    const before = await definitions();
    const { name, webhook, trigger, expert, secret, is_new: isNew } = await create({ url, from: 'github' });
    assert.deepEqual([name, isNew, webhook.type], ['github 127.0.0.1-3000', true, 'github']);
    assert.match(secret ?? '', /^whsec_/);
    assert.deepEqual([trigger.webhook, trigger.expert, trigger.filter], [name, name, undefined]);
    assert.deepEqual([expert.name, expert.type === 'forward' && expert.url], [name, url]);
    await suite.client.ask('DELETE', AdminClient.path(['forwards', name]));
    assert.equal(await definitions(), before);
  });

  it('is the same one the second time, without its secret', async () => {
    const first = await create({ url, from: 'stripe' });
    const again = await create({ url, from: 'stripe' });
    assert.deepEqual(
      [again.name, again.webhook.url, again.is_new, again.secret],
      [first.name, first.webhook.url, false, undefined],
    );
    const other = await create({ url: `${url}/other`, from: 'stripe' });
    assert.equal(other.name, 'stripe 127.0.0.1-3000 2');
    await assert.rejects(create({ url: `${url}/third`, from: 'stripe', name: other.name }), { code: 'Conflict' });
  });

  it('has no secret for senders of any kind', async () => {
    const { webhook, secret } = await create({ url, name: 'any' });
    assert.deepEqual([webhook.type, secret], ['anything', undefined]);
  });

  it('is not undone while others use its parts, unless by force', async () => {
    const { name } = await create({ url, name: 'shared' });
    await suite.client.ask('POST', 'triggers', { name: 'another', webhook: name });
    const path = (force: boolean): string => AdminClient.path(['forwards', name], { force });
    await assert.rejects(suite.client.ask('DELETE', path(false)), { code: 'Conflict', message: /another/ });
    await suite.client.ask('DELETE', path(true));
    const { triggers } = await suite.client.ask<{ triggers: { name: string }[] }>('GET', 'triggers');
    assert.ok(triggers.every((one) => one.name !== 'another' && one.name !== name));
  });

  it('that forwards to its own webhook ends after a few events, with the reason', async () => {
    const webhook = await suite.client.ask<NewWebhookView>('POST', 'webhooks', {
      name: 'circle',
      type: 'anything',
    });
    await suite.client.ask('POST', 'experts', { name: 'circle', type: 'forward', url: webhook.url });
    await suite.client.ask('POST', 'triggers', { name: 'circle', webhook: 'circle', expert: 'circle' });
    await suite.client.ask('POST', AdminClient.path(['webhooks', 'circle', 'send']), { body: { a: 1 } });
    const { refusals } = await until('a refusal', async () => {
      const found = await suite.client.ask<RefusalsView>('GET', 'refusals?webhook=circle');
      return found.refusals.length > 0 && found;
    });
    assert.deepEqual(
      refusals.map(({ status, reason }) => [status, reason.includes('forwarded 5 times')]),
      [[400, true]],
    );
    const { events } = await suite.client.ask<EventPageView>('GET', 'events?webhook=circle');
    assert.equal(events.length, 5);
    const last = await until('its end', async () => {
      const event = await suite.client.ask<EventDetailView>('GET', `events/${events[0]!.event_id}`);
      return event.status === 'failed' && event;
    });
    assert.equal(last.runs[0]?.attempts.length, 1);
  });

  it('runs a command instead of a forward, and its undo leaves the command', async () => {
    const before = await definitions();
    const { name, trigger, expert, secret } = await create({ run: 'deploy', from: 'github' });
    assert.deepEqual([name, trigger.expert, expert.type], ['github deploy', 'deploy', 'command']);
    assert.match(secret ?? '', /^whsec_/);
    assert.equal((await create({ run: 'deploy', from: 'github' })).is_new, false);
    assert.equal((await create({ run: 'deploy', from: 'anything' })).name, 'anything deploy');
    for (const one of [name, 'anything deploy']) await suite.client.ask('DELETE', AdminClient.path(['forwards', one]));
    assert.equal(await definitions(), before);
    await assert.rejects(create({ run: 'none' }), { code: 'NotFound', message: /no command named none/ });
    for (const input of [{}, { run: 'deploy', url }, { run: 'deploy', headers: { a: 'b' } }])
      await assert.rejects(create(input), { code: 'InvalidArgument' }, JSON.stringify(input));
  });

  it('is not created in part', async () => {
    const before = await definitions();
    await suite.client.ask('POST', 'experts', { name: 'taken', type: 'forward', url });
    await assert.rejects(create({ url, name: 'taken' }), { code: 'Conflict' });
    await suite.client.ask('DELETE', 'experts/taken');
    await assert.rejects(create({ url: 'ftp://127.0.0.1/' }), { code: 'InvalidArgument', message: /url/i });
    assert.equal(await definitions(), before);
  });
});
