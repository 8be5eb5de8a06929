import assert from 'node:assert/strict';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { AdminClient } from '../../server/admin/adminClient.ts';
import { SextantServer } from '../../server/server.ts';
import { EventList } from './eventList.ts';

describe('the list of events in the editor', () => {
  const folder = temporaryFolder();
  let server: SextantServer;
  let client: AdminClient;
  let list: EventList;

  before(async () => {
    server = await SextantServer.start({ state: folder() });
    client = new AdminClient(server);
    await client.ask('POST', 'webhooks', { name: 'w' });
    for (let n = 1; n <= 10; n++) await send({ n, kind: n % 2 === 0 ? 'even' : 'odd' });
    list = new EventList(
      () => client,
      () => undefined,
    );
  });
  after(async () => {
    list.dispose();
    await server.close();
  });

  const send = (body: object): Promise<unknown> => client.ask('POST', 'webhooks/w/send', { body });
  const numbers = async (from = 0, count = 100): Promise<number[]> =>
    (await list.rows(from, count)).map(({ line }) => (JSON.parse(line!) as { n: number }).n);

  it('has all events by position, and takes new ones while it follows', async () => {
    await list.search('');
    assert.equal(list.shown.total, 10);
    assert.deepEqual(await numbers(2, 3), [8, 7, 6]);
    const { version } = list.shown;
    await list.refresh();
    assert.equal(list.shown.version, version, 'nothing changed');
    await list.follow(false);
    await send({ n: 11, kind: 'odd' });
    await list.refresh();
    assert.deepEqual([list.shown.total, list.shown.newer, await numbers(0, 1)], [10, 1, [10]]);
    await list.follow(true);
    assert.deepEqual([list.shown.total, list.shown.newer, await numbers(0, 1)], [11, 0, [11]]);
  });

  it('has the events of a search, also those that arrive later', async () => {
    const search = list.search('EVEN');
    assert.deepEqual(list.shown.searched, { count: 0, of: 0 }, 'the events found so far are not yet all');
    await search;
    assert.equal(list.shown.searched, null);
    assert.deepEqual([list.shown.total, await numbers()], [5, [10, 8, 6, 4, 2]]);
    await send({ n: 12, kind: 'even' });
    await send({ n: 13, kind: 'odd' });
    await list.refresh();
    assert.deepEqual(await numbers(), [12, 10, 8, 6, 4, 2]);
    await list.search('{">": [{"var": "n"}, 11]}');
    assert.deepEqual(await numbers(), [13, 12]);
    await list.search('status:unmatched webhook:w');
    assert.equal(list.shown.total, 13);
  });

  it('has each event once, however searches and looks for new events overlap', async () => {
    await list.search('EVEN');
    const before = await numbers();
    await send({ n: 14, kind: 'even' });
    await Promise.all([list.refresh(), list.follow(true), list.refresh()]);
    assert.deepEqual(await numbers(), [14, ...before]);
    await list.search('status:unmatched');
    await Promise.all([list.refresh(), list.search('EVEN')]);
    await list.refresh();
    assert.deepEqual(await numbers(), [14, ...before]);
  });

  it('reports what is wrong with a query, and hides old events until they are shown again', async () => {
    await list.search('kind');
    await list.search('{"var": ');
    assert.match(list.shown.problem, /is not JSON/);
    assert.equal(list.shown.total, 0);
    assert.deepEqual(await list.rows(0, 9), []);
    await list.search('');
    await list.clear(true);
    assert.deepEqual([list.shown.total, list.shown.isCleared], [0, true]);
    await send({ n: 15 });
    await list.refresh();
    assert.deepEqual(await numbers(), [15]);
    await list.search('kind');
    assert.deepEqual(await numbers(), [], 'a search leaves out hidden events');
    await list.search('');
    await list.clear(false);
    assert.deepEqual([list.shown.total, list.shown.isCleared], [15, false]);
  });

  it('reports a server that has stopped', async () => {
    await server.close();
    await list.refresh();
    assert.match(list.shown.problem, /does not answer/);
  });
});
