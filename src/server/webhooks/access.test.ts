import assert from 'node:assert/strict';
import { suiteServer } from '../../../test/support/suiteServer.ts';
import { AdminClient } from '../admin/adminClient.ts';
import type { EventPageView, NewWebhookView, RefusalsView, TriggerView, WebhookView } from './views.ts';

describe('scopes and owners of webhooks', () => {
  const suite = suiteServer();
  let jo: AdminClient;
  let kim: AdminClient;
  let reader: AdminClient;
  /** Webhooks by their name. */
  const made = new Map<string, NewWebhookView>();
  /** An event of each webhook. */
  const events = new Map<string, string>();

  async function person(name: string, scopes: readonly string[] = ['webhooks:use']): Promise<AdminClient> {
    const { token } = await suite.client.ask<{ token: string }>('POST', 'tokens', { name, scopes });
    return new AdminClient({ url: suite.client.url, adminToken: token });
  }
  const namesFor = async (client: AdminClient, query = ''): Promise<string[]> =>
    (await client.ask<{ webhooks: WebhookView[] }>('GET', `webhooks${query}`)).webhooks.map(({ name }) => name).sort();
  const path = (...parts: string[]): string => AdminClient.path(parts);
  const DENIED = { code: 'PermissionDenied' };
  const NOT_FOUND = { code: 'NotFound' };

  before(async () => {
    [jo, kim, reader] = [await person('jo'), await person('kim'), await person('reader', ['analytics:read'])];
    await suite.client.ask('POST', 'experts', { name: 'for all', type: 'editor', scope: 'organization' });
    await suite.client.ask('POST', 'experts', { name: 'of the admin', type: 'editor' });
    for (const [client, name, scope] of [
      [suite.client, 'admin own', 'personal'],
      [suite.client, 'admin shared', 'organization'],
      [jo, 'jo own', 'personal'],
      [jo, 'jo shared', 'organization'],
      [kim, 'kim own', 'personal'],
    ] as const) {
      made.set(name, await client.ask<NewWebhookView>('POST', 'webhooks', { name, scope }));
      await client.ask('POST', 'triggers', { name: `all of ${name}`, webhook: name });
      const sent = await client.ask<{ event_id: string }>('POST', path('webhooks', name, 'send'), { text: '{"a":1}' });
      events.set(name, sent.event_id);
      await fetch(made.get(name)!.url, { method: 'POST', body: '{}', headers: { authorization: 'Bearer wrong' } });
    }
  });

  it('belong to their creator, and are seen by them, by all if of the organization, and by the admin', async () => {
    assert.deepEqual(await namesFor(jo), ['admin shared', 'jo own', 'jo shared']);
    assert.deepEqual(await namesFor(kim), ['admin shared', 'jo shared', 'kim own']);
    assert.equal((await namesFor(suite.client)).length, 5);
    assert.deepEqual(await namesFor(suite.client, '?owner=jo'), ['jo own', 'jo shared']);
    assert.deepEqual(await namesFor(kim, '?scope=organization'), ['admin shared', 'jo shared']);
    for (const at of ['webhooks', 'events', 'events/search'])
      await assert.rejects(kim.ask('GET', `${at}?scope=organisation`), /must be one of organization, personal/);
    assert.deepEqual(
      ['jo own', 'admin own'].map((name) => made.get(name)!.owner),
      ['jo', undefined],
    );
  });

  it('hide what is personal of others, as if it did not exist', async () => {
    const other = events.get('kim own')!;
    for (const [method, at, body] of [
      ['GET', path('webhooks', 'kim own')],
      ['PATCH', path('webhooks', 'kim own'), { description: 'x' }],
      ['DELETE', `${path('webhooks', 'kim own')}?force=true`],
      ['POST', path('webhooks', 'kim own', 'rotate'), {}],
      ['POST', path('webhooks', 'kim own', 'send'), { text: '{}' }],
      ['POST', path('webhooks', 'kim own', 'filter-test'), { filter: true }],
      ['GET', path('triggers', 'all of kim own')],
      ['PATCH', path('triggers', 'all of kim own'), { enabled: false }],
      ['PUT', path('triggers', 'all of kim own'), { webhook: 'jo own' }],
      ['DELETE', path('triggers', 'all of kim own')],
      ['POST', 'triggers', { name: 'spy', webhook: 'kim own' }],
      ['PATCH', path('triggers', 'all of jo own'), { webhook: 'kim own' }],
      ['GET', `events/${other}`],
      ['GET', `events/${other}/proof`],
      ['POST', `events/${other}/replay`, {}],
      ['POST', `events/${other}/resend`, { body: '{}' }],
      ['POST', `events/${events.get('jo own')}/resend`, { body: '{}', webhook: 'kim own' }],
      ['POST', `events/${other}/retry`, {}],
    ] as const)
      await assert.rejects(jo.ask(method, at, body), NOT_FOUND, `${method} ${at}`);
    // The same words as for a webhook that does not exist.
    const messageOf = (name: string): Promise<string> =>
      jo.ask('GET', path('webhooks', name)).then(
        () => '',
        (error: unknown) => (error as Error).message.replace(name, 'X'),
      );
    assert.equal(await messageOf('kim own'), await messageOf('no such'));
  });

  it('of the organization are read by all, and changed by their owner alone', async () => {
    const event = events.get('jo shared')!;
    assert.equal((await kim.ask<{ event_id: string }>('GET', `events/${event}`)).event_id, event);
    await kim.ask('POST', path('webhooks', 'jo shared', 'filter-test'), { filter: { '==': [1, 1] } });
    for (const [method, at, body] of [
      ['PATCH', path('webhooks', 'jo shared'), { scope: 'personal' }],
      ['DELETE', `${path('webhooks', 'jo shared')}?force=true`],
      ['POST', path('webhooks', 'jo shared', 'rotate'), {}],
      ['POST', path('webhooks', 'jo shared', 'send'), { text: '{}' }],
      ['PATCH', path('triggers', 'all of jo shared'), { enabled: false }],
      ['DELETE', path('triggers', 'all of jo shared')],
      ['POST', 'triggers', { name: 'more', webhook: 'jo shared' }],
      ['POST', `events/${event}/replay`, {}],
      ['POST', `events/${event}/resend`, { body: '{}' }],
      ['POST', `events/${event}/retry`, {}],
      ['PATCH', path('webhooks', 'admin shared'), { description: 'mine' }],
    ] as const)
      await assert.rejects(kim.ask(method, at, body), DENIED, `${method} ${at}`);
    const { description } = await jo.ask<WebhookView>('PATCH', path('webhooks', 'jo shared'), { description: 'ours' });
    assert.equal(description, 'ours');
  });

  it('are not given away or taken, but by the admin', async () => {
    await assert.rejects(jo.ask('POST', 'webhooks', { name: 'x', owner: 'kim' }), DENIED);
    await assert.rejects(jo.ask('PATCH', path('webhooks', 'jo own'), { owner: 'kim' }), DENIED);
    await assert.rejects(jo.ask('PATCH', path('webhooks', 'jo own'), { owner: null }), DENIED);
    const change = (owner: string | null): Promise<WebhookView> =>
      suite.client.ask<WebhookView>('PATCH', path('webhooks', 'admin own'), { owner });
    assert.equal((await change('kim')).owner, 'kim');
    assert.ok((await namesFor(kim)).includes('admin own'));
    assert.equal((await change(null)).owner, undefined);
    assert.ok(!(await namesFor(kim)).includes('admin own'));
    await assert.rejects(change('a b'), { code: 'InvalidArgument' });
  });

  it('run only experts that the admin shares, who alone creates them', async () => {
    const change = (expert: string): Promise<TriggerView> =>
      jo.ask<TriggerView>('PATCH', path('triggers', 'all of jo own'), { expert });
    await assert.rejects(change('of the admin'), NOT_FOUND);
    assert.equal((await change('for all')).expert, 'for all');
    await assert.rejects(jo.ask('POST', 'experts', { name: 'x', type: 'forward', url: 'http://127.0.0.1/' }), DENIED);
    const { experts } = await jo.ask<{ experts: { name: string }[] }>('GET', 'experts');
    assert.deepEqual(
      experts.map(({ name }) => name),
      ['record', 'for all'],
    );
    // A filter is changed without losing the expert that the admin chose.
    await suite.client.ask('PATCH', path('triggers', 'all of jo own'), { expert: 'of the admin' });
    assert.equal(
      (await jo.ask<TriggerView>('PATCH', path('triggers', 'all of jo own'), { enabled: false })).enabled,
      false,
    );
  });

  it('narrow every list of events and refusals, in all ways to ask for them', async () => {
    const hidden = [events.get('kim own')!, events.get('admin own')!];
    const seen = [events.get('jo own')!, events.get('jo shared')!, events.get('admin shared')!];
    const check = (text: string, what: string): void => {
      for (const id of hidden) assert.ok(!text.includes(id), `${what} shows ${id}`);
      for (const id of seen) assert.ok(text.includes(id), `${what} lacks ${id}`);
    };
    check(JSON.stringify(await jo.ask('GET', 'events')), 'the list');
    const rows = await jo.ask<{ total: number }>('POST', 'events/rows', { from: 0, count: 100 });
    check(JSON.stringify(rows), 'rows');
    check(
      JSON.stringify(await jo.ask('POST', 'events/rows', { from: 0, count: 0, ids: [...hidden, ...seen] })),
      'rows by id',
    );
    for (const [at, body] of [
      ['events/search', { text: '"a"' }],
      ['events/find', { words: ['"a"'] }],
    ] as const) {
      let text = '';
      for await (const line of jo.lines('POST', at, body)) text += JSON.stringify(line);
      check(text, at);
    }
    const count = async (query: string): Promise<number> =>
      (await jo.ask<EventPageView>('GET', `events?${query}`)).events.length;
    assert.equal(await count(`webhook=${encodeURIComponent('kim own')}`), 0);
    assert.equal(await count(`webhook=${made.get('kim own')!.webhook_id}`), 0);
    assert.equal(await count('owner=kim'), 0);
    assert.ok((await count('owner=jo')) >= 2 && (await count('scope=organization')) >= 2);
    const { refusals } = await jo.ask<RefusalsView>('GET', 'refusals');
    assert.deepEqual(new Set(refusals.map(({ webhook }) => webhook)), new Set(['admin shared', 'jo own', 'jo shared']));
    const summary = JSON.stringify(await jo.ask('GET', 'refusals/summary'));
    assert.ok(!summary.includes('kim own') && summary.includes('jo own'));
  });

  it('leave the rest of the admin plane to the admin token, and refuse tokens without the permission', async () => {
    for (const [method, at, body] of [
      ['GET', 'clock'],
      ['POST', 'reset'],
      ['GET', 'export'],
      ['GET', 'snapshot'],
      ['POST', 'tokens', { scopes: ['webhooks:use'] }],
      ['DELETE', 'tokens/kim'],
      ['GET', 'requests'],
      ['GET', 'journal'],
      ['POST', 'journal/verify'],
      ['POST', 'forwards', { url: 'http://127.0.0.1/' }],
      ['DELETE', 'forwards/x'],
      ['POST', 'editor', { experts: [{ name: 'for all', does: '' }] }],
      ['POST', 'editor/runs/x', { ok: true }],
      ['POST', 'editor/runs/x/begin', {}],
      ['POST', 'runs/retry', { expert: 'for all' }],
      ['PATCH', path('experts', 'for all'), { scope: 'personal' }],
      ['DELETE', path('experts', 'for all')],
    ] as const)
      await assert.rejects(jo.ask(method, at, body), (error: { code: string }) => {
        assert.ok(['Unauthenticated', 'Unauthorized'].includes(error.code), `${method} ${at}: ${error.code}`);
        return true;
      });
    for (const at of ['webhooks', 'triggers', 'experts', 'events', 'refusals', 'library'])
      await assert.rejects(reader.ask('GET', at), DENIED, at);
    const ownApi = new AdminClient({ url: suite.client.url, adminToken: 'sxt_wrong' });
    await assert.rejects(ownApi.ask('GET', 'webhooks'));
  });

  it('are no more for a person whose token was revoked', async () => {
    const lee = await person('lee');
    await lee.ask('GET', 'webhooks');
    await suite.client.ask('DELETE', 'tokens/lee');
    await assert.rejects(lee.ask('GET', 'webhooks'));
  });
});
