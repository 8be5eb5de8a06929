import assert from 'node:assert/strict';
import { suiteServer } from '../../../test/support/suiteServer.ts';
import { until } from '../../../test/support/until.ts';
import type { EventFoundView, EventProofView, EventRowsView } from './rowViews.ts';
import type { NewWebhookView } from './views.ts';

describe('lists of events for the editor', () => {
  const suite = suiteServer();
  const ids: string[] = [];

  before(async () => {
    await suite.client.ask('POST', 'webhooks', { name: 'hub', type: 'github' });
    await suite.client.ask('POST', 'webhooks', { name: 'any' });
    const filter = { '==': [{ var: 'action' }, 'opened'] };
    await suite.client.ask('POST', 'triggers', { name: 'opened', webhook: 'hub', filter });
    const send = async (webhook: string, test: object): Promise<void> => {
      ids.push((await suite.client.ask<{ event_id: string }>('POST', `webhooks/${webhook}/send`, test)).event_id);
    };
    await send('hub', { template: 'github-push' });
    await send('hub', { template: 'github-pull-request' });
    for (let n = 0; n < 5; n++) await send('any', { text: `{\n "type": "tick",  "n": ${n}}` });
    await until('triggers are evaluated', async () => (await rows({ count: 9, status: 'received' })).total === 0);
  });

  const rows = (given: object): Promise<EventRowsView> =>
    suite.client.ask<EventRowsView>('POST', 'events/rows', { from: 0, count: 100, ...given });
  const found = async (given: object): Promise<string[]> => {
    const all: string[] = [];
    for await (const line of suite.client.lines<EventFoundView>('POST', 'events/find', given))
      if ('found' in line) all.push(...line.found);
    return all.toReversed();
  };
  const idsOf = (view: EventRowsView): string[] => view.rows.map(({ event_id: id }) => id).toReversed();

  it('show the sender, the type, the first line and why no trigger fired', async () => {
    const [pull, push] = (await rows({ webhook: 'hub' })).rows;
    assert.deepEqual(
      [pull?.sender, pull?.event_type, pull?.fired, pull?.status],
      ['GitHub', 'pull_request.opened', ['opened'], 'succeeded'],
    );
    assert.deepEqual([push?.event_type, push?.fired], ['push', []]);
    assert.match(push!.reason!, /`action` is missing/);
    const [last] = (await rows({ count: 1 })).rows;
    assert.deepEqual([last?.event_type, last?.sender, last?.line], ['tick', undefined, '{ "type": "tick", "n": 4}']);
  });

  it('are windows of any list, which stays the same while events arrive', async () => {
    assert.deepEqual(idsOf(await rows({})), ids);
    const part = await rows({ from: 2, count: 2, up_to: ids[5] });
    assert.deepEqual([idsOf(part), part.total, part.newer], [ids.slice(2, 4), 6, 1]);
    const any = await rows({ from: 1, count: 2, webhook: 'any', up_to: ids[5], after: ids[3] });
    assert.deepEqual([idsOf(any), any.total, any.newer], [ids.slice(3, 5), 3, 1]);
    assert.deepEqual(idsOf(await rows({ ids: [ids[6], 'evt_9999999999', ids[0]] })), [ids[0], ids[6]]);
    assert.equal((await rows({ from: 50 })).rows.length, 0);
    await assert.rejects(rows({ from: -1 }), { message: /from must be a whole number from 0/i });
    await assert.rejects(rows({ count: undefined }), { message: /count must be a whole number from 0/i });
  });

  it('are searched by words, JSONLogic, header, type, sender and status', async () => {
    assert.deepEqual(await found({ words: ['"N": 3', 'tick'] }), [ids[5]]);
    assert.deepEqual(await found({ words: [ids[2]] }), [ids[2]]);
    assert.deepEqual(await found({ filter: { '>': [{ var: 'n' }, 2] } }), ids.slice(5));
    assert.deepEqual(await found({ headers: [{ name: 'X-GitHub-Event', value: 'PUSH' }] }), [ids[0]]);
    assert.deepEqual(await found({ type: 'pull_request' }), [ids[1]]);
    assert.deepEqual(await found({ type: 'github', status: 'unmatched' }), [ids[0]]);
    assert.deepEqual(await found({ type: 'tick', up_to: ids[4], after: ids[3] }), ids.slice(3, 5));
    await assert.rejects(found({ filter: { nope: 1 } }), /nope/);
  });

  it('are searched within their bounds only', async () => {
    const totals: number[] = [];
    const given = { up_to: ids[4], after: ids[3], words: ['tick'] };
    for await (const line of suite.client.lines<EventFoundView>('POST', 'events/find', given))
      if ('progress' in line) totals.push(line.progress.total);
    assert.deepEqual(totals, [2]);
    await assert.rejects(found({ type: 1 }), { message: /type must be a string/i });
  });

  it('tell whether the stored signature is valid, and why not', async () => {
    const proof = (id: string): Promise<EventProofView> =>
      suite.client.ask<EventProofView>('GET', `events/${id}/proof`);
    assert.deepEqual(await proof(ids[0]!), { kind: 'signature', header: 'X-Hub-Signature-256', is_valid: true });
    assert.deepEqual(await proof(ids[3]!), { kind: 'token', header: 'Authorization' });
    const { webhook_id: id } = await suite.client.ask<NewWebhookView>('POST', 'webhooks', {
      name: 'std',
      type: 'standard_webhooks',
    });
    const { event_id: signed } = await suite.client.ask<{ event_id: string }>('POST', 'webhooks/std/send', {
      text: '{}',
    });
    assert.deepEqual(await proof(signed), { kind: 'signature', header: 'webhook-signature', is_valid: true });
    const headers = [
      ['webhook-id', 'msg_1'],
      ['webhook-timestamp', '1'],
      ['webhook-signature', 'v1,AAAA'],
    ] as const;
    const forged = await suite.server.webhooks.accept({ webhook: id, headers, body: Buffer.from('{}') });
    assert.match((await proof(forged.id)).problem!, /another secret/);
  });
});
