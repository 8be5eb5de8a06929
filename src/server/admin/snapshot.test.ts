import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Client, PATHS } from '../../../test/conformance/client.ts';
import { dataset } from '../../../test/conformance/dataset.ts';
import { refused } from '../../../test/conformance/suite.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { SextantServer } from '../server.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const COST = { group_by_keys: ['COST_ANALYTICS_GROUP_BY_USER'], start_date: '2026-11-01', end_date: '2026-11-20' };

describe('a snapshot', () => {
  const folder = temporaryFolder();
  const running: SextantServer[] = [];
  afterEach(async () => {
    for (const server of running.splice(0)) await server.close();
  });

  async function start(seed?: number, state?: string): Promise<[Client, SextantServer]> {
    const simulation = seed === undefined ? undefined : ({ seed, users: 60, plan: 'credits' } as const);
    const server = await SextantServer.start({ now: NOON, rateLimit: false, simulation, state });
    running.push(server);
    return [new Client(server), server];
  }

  async function snapshot({ target }: Client): Promise<string> {
    const headers = { authorization: `Bearer ${target.adminToken}` };
    return (await fetch(`${target.url}/__admin/snapshot`, { headers })).text();
  }

  /** The state of a server that a client can read. */
  async function view(client: Client, token?: string): Promise<unknown> {
    return [
      (await client.admin('GET', 'clock')).body,
      (await client.admin('GET', 'faults')).body,
      (await client.admin('GET', 'scenario')).body.active,
      (await client.post(PATHS.getOverrides, {})).body,
      (await client.post(PATHS.cost, COST, token)).body.data_points,
      (await client.get(PATHS.userActivity, { page_size: 100 })).body.users,
    ];
  }

  /** Changes every kind of state; returns a created token. */
  async function change(client: Client): Promise<string> {
    const { body } = await client.post(PATHS.getOverrides, {});
    const [first, second] = body.overrides as Record<string, unknown>[];
    const limits = [
      { ...first, config: { limit: '77' } },
      { ...second, config: { limit: '' } },
    ];
    assert.deepEqual((await client.post(PATHS.setOverrides, { overrides: limits })).body, { failures: [] });
    await client.admin('POST', 'clock', { now: '2026-11-25T08:00:00Z', frozen: true });
    await client.admin('POST', 'scenario', { scenario: 'stale-credits' });
    await client.admin('POST', 'faults', { path: '/nowhere', status: 500 });
    return (await client.admin('POST', 'tokens', { scopes: ['analytics:read'], name: 'kept' })).body.token as string;
  }

  it('restores all state durably, also on a server of another seed', async () => {
    const [source] = await start(1);
    const token = await change(source);
    const [text, expected] = [await snapshot(source), await view(source, token)];
    const state = join(folder(), 'state');
    const [target, server] = await start(2, state);
    await target.admin('POST', 'tokens', { scopes: ['analytics:read'], name: 'forgotten' });
    assert.notDeepEqual(await view(target), expected);
    assert.equal((await target.admin('POST', 'snapshot', text)).status, 200);
    assert.deepEqual(await view(target, token), expected);
    assert.equal(await snapshot(target), text, 'the same snapshot again');
    assert.ok(!text.includes(token) && !text.includes(server.token));

    await server.close();
    const [again] = await start(2, state);
    await again.admin('POST', 'clock', { now: '2026-11-25T08:00:00Z', frozen: true });
    const facts = (all: unknown): unknown => (all as unknown[]).slice(3);
    assert.deepEqual(facts(await view(again, token)), facts(expected), 'after a restart');
  });

  it('contains the facts of data files', async () => {
    const [source] = await start();
    await source.begin(dataset(3, '2026-11-21'), '2026-11-21T09:00:00Z');
    const token = await change(source);
    const [text, expected] = [await snapshot(source), await view(source, token)];
    const [target] = await start(4);
    assert.equal((await target.admin('POST', 'snapshot', text)).status, 200);
    assert.deepEqual(await view(target, token), expected);
  });

  it('is consistent, as an export is, even if read slowly', async () => {
    const [client, server] = await start(1);
    server.clock.freeze();
    const before = await snapshot(client);
    const [export_, rest] = [server.organization.lines(), server.snapshot()].map((all) => all[Symbol.iterator]());
    const exported = [...server.organization.lines()];
    const read = [export_!.next().value as string];
    rest!.next();
    const { body } = await client.post(PATHS.getOverrides, {});
    const [first] = body.overrides as Record<string, unknown>[];
    await client.post(PATHS.setOverrides, { overrides: [{ ...first, config: { limit: '77' } }] });
    for (let next = export_!.next(); next.done !== true; next = export_!.next()) read.push(next.value);
    assert.deepEqual(read, exported);
    assert.deepEqual([...{ [Symbol.iterator]: () => rest! }], before.trim().split('\n').slice(1));
  });

  it('is refused without any change if it is newer, damaged or missing', async () => {
    const [client] = await start(1);
    const text = await snapshot(client);
    const before = await snapshot(client).then((all) => all.replace(/"now":\d+/, ''));
    const [head = ''] = text.split('\n');
    for (const [body, message] of [
      [text.replace('"version":1', '"version":2'), /version 2, newer than 1; update/],
      [text.replace('"seed":1', '"seed":-1'), /damaged at simulation\.seed/],
      [text.replace(/"now":[\d.]+/, '"now":1e300'), /damaged at clock\.now/],
      [`${head}\n{"kind":"override"}`, /line 1: /],
      ['{"kind":"user"}', /not a snapshot/],
      ['nonsense', /does not begin with a line of JSON/],
      [' ', /JSON/],
    ] as const)
      refused(await client.admin('POST', 'snapshot', body), 400, 'InvalidArgument', message);
    assert.equal((await snapshot(client)).replace(/"now":\d+/, ''), before);
  });
});
