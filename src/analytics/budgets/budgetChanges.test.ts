import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { organizationOf, person, quickClient, serviceAccount } from '../../../test/support/budgets.ts';
import { until } from '../../../test/support/until.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { readData } from '../../server/analytics/data/readData.ts';
import { SextantServer } from '../../server/server.ts';
import type { AnalyticsClient } from '../client/analyticsClient.ts';
import { endpoints, RESOURCE_OF_PLAN, type EndpointName } from '../contract.ts';
import { identityFields, type Identity } from '../identity.ts';
import { countStates, type Batch, type RowState } from './batch.ts';
import { BudgetChanges } from './budgetChanges.ts';
import { readLimits, type BudgetService } from './budgetService.ts';
import type { Preview, RequestedLimit } from './preview.ts';
import { failureRows } from './texts.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const SET = endpoints.setUserBudgetOverrides.path;
const GET = endpoints.getUserBudgetOverrides.path;

const ADA = person('ada@x.io');
const BOB = person('bob@x.io');
const EVE = person('Eve, "the" =x@x.io');
const NIGHTLY = serviceAccount('nightly');
/** A person who leaves on the day after the tests. */
const LEAVER = person('leaver@x.io');
const MEMBERS: readonly (readonly [Identity, string])[] = [
  [ADA, '100'],
  [BOB, ''],
  [EVE, '300'],
  [NIGHTLY, '400'],
  [person('f@x.io'), ''],
  [LEAVER, '500'],
];

function toLines(records: Iterable<object>): Buffer {
  return Buffer.from([...records].map((record) => `${JSON.stringify(record)}\n`).join(''));
}

describe('changes of budgets', () => {
  const newFolder = temporaryFolder();
  let server: SextantServer;
  let client: AnalyticsClient;
  let changes: BudgetChanges;
  let folder: string;

  before(async () => {
    const records = organizationOf(MEMBERS).map((record) =>
      record.kind === 'user' && record.user_email === LEAVER.name ? { ...record, left: '2026-11-22' } : record,
    );
    server = await SextantServer.start({ now: NOON, rateLimit: false, data: () => readData([toLines(records)]) });
  });
  after(() => server.close());
  beforeEach(async () => {
    await server.reset();
    client = quickClient(server, newFolder());
    folder = newFolder();
    changes = open(client);
  });

  const open = (service: BudgetService, batchSize = 3, of = folder): BudgetChanges =>
    new BudgetChanges(service, of, { clock: server.clock, batchSize });

  /** Limits in the service, by name. */
  async function limits(): Promise<Record<string, string>> {
    const { overrides } = await readLimits(quickClient(server, newFolder()));
    return Object.fromEntries([...overrides.values()].map(({ identity, limit }) => [identity.name, limit]));
  }

  /** Changes a limit as another client. */
  async function setDirectly(identity: Identity, limit: string): Promise<void> {
    const { failures } = await quickClient(server, newFolder()).call('setUserBudgetOverrides', {
      overrides: [
        {
          ...identityFields(identity),
          resource: RESOURCE_OF_PLAN.credits,
          period: 'BUDGET_PERIOD_MONTHLY',
          config: { limit },
        },
      ],
    });
    assert.deepEqual(failures, []);
  }

  const preview = (...wanted: readonly (readonly [Identity, string])[]): Promise<Preview> =>
    changes.preview(
      { kind: 'set' },
      wanted.map(([identity, limit]): RequestedLimit => ({ identity, limit })),
    );
  const states = ({ rows }: Batch): RowState[] => rows.map(({ state }) => state);

  it('are previewed: new, changed, cleared, unchanged, and invalid', async () => {
    const before = await limits();
    const made = await changes.previewCsv(
      [
        'email,service_account,limit',
        'ADA@x.io,,150',
        'bob@x.io,,1',
        ',nightly,',
        '"Eve, ""the"" =x@x.io",,300',
        'nobody@x.io,,5',
        'f@x.io,,1',
        'F@x.io,,2',
        'leaver@x.io,,7',
        'leaver@x.io,,7',
        ',Nightly,9',
      ].join('\n'),
      'limits.csv',
    );
    assert.deepEqual(
      made.rows.map(({ kind, identity, before, after, line }) => [kind, identity.name, before, after, line]),
      [
        ['changed', 'ADA@x.io', '100', '150', 2],
        ['new', 'bob@x.io', '', '1', 3],
        ['cleared', 'nightly', '400', '', 4],
        ['unchanged', 'Eve, "the" =x@x.io', '300', '300', 5],
        ['changed', 'leaver@x.io', '500', '7', 9],
      ],
    );
    assert.deepEqual(
      made.problems.map(({ line, code }) => [line, code]),
      [
        [6, 'UnknownIdentity'],
        [7, 'Contradiction'],
        [8, 'Contradiction'],
        [10, 'Duplicate'],
        [11, 'UnknownIdentity'],
      ],
    );
    assert.deepEqual([made.unit, made.source.name], ['credits', 'limits.csv']);
    assert.match(made.readAt, /^2026-11-21T12:0\d:\d\dZ$/);
    assert.deepEqual(JSON.parse(JSON.stringify(made)), made, 'plain data');
    assert.deepEqual(await limits(), before, 'nothing was changed');
    assert.equal(changes.last, undefined);
  });

  it('are made in batches, read back, and reported', async () => {
    const reported: unknown[] = [];
    const batch = await changes.apply(
      await preview([ADA, '999999999999999999'], [BOB, '1'], [NIGHTLY, ''], [EVE, '301'], [LEAVER, '7']),
      { onProgress: (progress) => reported.push(progress) },
    );
    assert.deepEqual(states(batch), Array(5).fill('confirmed'));
    assert.deepEqual(await limits(), {
      [ADA.name]: '999999999999999999',
      [BOB.name]: '1',
      [EVE.name]: '301',
      [LEAVER.name]: '7',
    });
    assert.deepEqual(reported, [
      { phase: 'reading', settled: 0, total: 5 },
      { phase: 'sending', settled: 0, total: 5 },
      { phase: 'reading', settled: 0, total: 5 },
      { phase: 'sending', settled: 3, total: 5 },
      { phase: 'reading', settled: 3, total: 5 },
    ]);
    assert.deepEqual(changes.last, batch, 'the journal has all of it');
    assert.equal(batch.endedAt, '2026-11-21T12:00:00Z');
    assert.deepEqual(JSON.parse(JSON.stringify(batch)), batch, 'plain data');
    await assert.rejects(async () => changes.apply(await preview([ADA, '999999999999999999'])), {
      code: 'NothingToChange',
    });
  });

  it('are readable by their owner only, and hold no token', async () => {
    await changes.apply(await preview([ADA, '5']));
    for (const name of readdirSync(folder).filter((one) => one.startsWith('batch'))) {
      assert.equal(statSync(join(folder, name)).mode & 0o077, 0);
      assert.equal(readFileSync(join(folder, name)).includes(server.token), false);
    }
    assert.equal(statSync(folder).mode & 0o077, 0);
  });

  it('keep limits that other clients changed since, until confirmed', async () => {
    const made = await preview([ADA, '150'], [BOB, '1'], [EVE, '301']);
    await setDirectly(ADA, '120');
    await setDirectly(BOB, '1');
    const batch = await changes.apply(made);
    assert.deepEqual(states(batch), ['conflict', 'already', 'confirmed']);
    assert.equal(batch.rows[0]!.found, '120');
    assert.equal((await limits())[ADA.name], '120');
    const again = await changes.previewRetry();
    assert.deepEqual(
      again.rows.map(({ kind, expected, before }) => [kind, expected, before]),
      [['conflict', '100', '120']],
    );
    await assert.rejects(changes.apply(again), { code: 'NothingToChange' });
    const meant = await changes.previewRetry({ overwrite: true });
    assert.deepEqual(states(await changes.apply(meant)), ['confirmed']);
    assert.equal((await limits())[ADA.name], '150');
  });

  it('report rows that the service refuses with its reason, and retry them', async () => {
    const made = await preview([ADA, '150'], [LEAVER, '7']);
    const wrong = await changes.preview({ kind: 'set' }, [{ identity: BOB, limit: '7' }], { unit: 'usd' });
    const refused = await changes.apply(wrong);
    assert.deepEqual(states(refused), ['failed']);
    assert.match(refused.rows[0]!.message ?? '', /needs BUDGET_RESOURCE_CREDITS_CONSUMED/);

    const late = open(
      spying(client, (name) => {
        // Between the read and the write.
        if (name === 'setUserBudgetOverrides') server.clock.set(NOON + 86_400_000);
      }),
    );
    const batch = await late.apply(made);
    assert.deepEqual(states(batch), ['confirmed', 'failed']);
    assert.match(batch.rows[1]!.message ?? '', /not found on this organization: leaver@x\.io/);
    const again = await late.previewRetry();
    assert.deepEqual([again.rows.length, again.problems[0]?.code], [0, 'UnknownIdentity']);
  });

  it('remember rejected rows: in the file of failures of another process, and as problems of a retry', async () => {
    const csv = 'account,limit\nada@x.io,150\nbob@x.io,5e3\nnobody@x.io,7\nf@x.io,1\nf@x.io,1\nleaver@x.io,8\n';
    const made = await changes.previewCsv(csv, 'limits.csv');
    const late = open(
      spying(client, (name) => {
        if (name === 'setUserBudgetOverrides') server.clock.set(NOON + 86_400_000);
      }),
    );
    await late.apply(made);
    const found = open(client).last!;
    assert.deepEqual(
      failureRows(found).map(({ identity, limit, error }) => [identity.name, limit, error?.slice(0, 18)]),
      [
        ['leaver@x.io', '8', 'user_email(s) not '],
        ['bob@x.io', '5e3', 'Line 3: A spreadsh'],
        ['nobody@x.io', '7', 'Line 4: The organi'],
      ],
    );
    const { rows, problems } = await open(client).previewRetry();
    assert.deepEqual(
      [rows.length, problems.map(({ code }) => code).sort()],
      [0, ['BadLimit', 'Duplicate', 'UnknownIdentity', 'UnknownIdentity']],
    );
  });

  it('are undone with a preview, a report, and later changes of others', async () => {
    const before = await limits();
    await changes.apply(await preview([ADA, '150'], [BOB, '1'], [NIGHTLY, ''], [EVE, '301']));
    await setDirectly(EVE, '999');
    const undo = await changes.previewUndo();
    assert.deepEqual(
      undo.rows.map(({ kind, identity, before, after }) => [kind, identity.name, before, after]),
      [
        ['changed', ADA.name, '150', '100'],
        ['cleared', BOB.name, '1', ''],
        ['new', NIGHTLY.name, '', '400'],
        ['conflict', EVE.name, '999', '300'],
      ],
    );
    assert.deepEqual(states(await changes.apply(undo)), ['confirmed', 'confirmed', 'confirmed']);
    assert.deepEqual(await limits(), { ...before, [EVE.name]: '999' });
    // Undo the undo.
    await changes.apply(await changes.previewUndo());
    assert.deepEqual(await limits(), { [ADA.name]: '150', [BOB.name]: '1', [EVE.name]: '999', [LEAVER.name]: '500' });
    await assert.rejects(open(client, 3, newFolder()).previewUndo(), { code: 'NoBatch' });
  });

  it('report the missing permission', async () => {
    const { token } = await server.createToken('reader', ['analytics:read']);
    const { token: other } = await server.createToken('other', ['context:use']);
    const reader = open(quickClient({ url: server.url, token }, newFolder()));
    const made = await reader.preview({ kind: 'set' }, [{ identity: ADA, limit: '5' }]);
    const batch = await reader.apply(made);
    assert.deepEqual([states(batch), batch.error?.code], [['waiting'], 'PermissionDenied']);
    assert.match(batch.error?.message ?? '', /Changing budgets needs the permission budgets:write/);
    assert.ok(batch.endedAt, 'nothing is open: nothing was sent that counts');
    const stranger = open(quickClient({ url: server.url, token: other }, newFolder()), 3, newFolder());
    await assert.rejects(stranger.preview({ kind: 'set' }, []), {
      code: 'PermissionDenied',
      message: /analytics:read/,
    });
  });

  it('find the unit without an override', async () => {
    for (const plan of ['credits', 'usd'] as const) {
      const simulation = { seed: 4, users: 5, plan };
      const other = await SextantServer.start({ now: NOON, rateLimit: false, simulation });
      const service = quickClient(other, newFolder());
      for (const { identity } of (await readLimits(service)).overrides.values())
        await service.call('setUserBudgetOverrides', {
          overrides: [
            {
              ...identityFields(identity),
              resource: RESOURCE_OF_PLAN[plan],
              period: 'BUDGET_PERIOD_MONTHLY',
              config: { limit: '' },
            },
          ],
        });
      assert.equal((await open(service, 3, newFolder()).preview({ kind: 'set' }, [])).unit, plan);
      await other.close();
    }
  });

  describe('that are interrupted', () => {
    it('by a lost answer are read back, and continue without a second request', async () => {
      server.faults.add({ path: SET, times: 1, truncate: true });
      const batch = await changes.apply(await preview([ADA, '150'], [BOB, '1'], [EVE, '301'], [NIGHTLY, '']));
      assert.deepEqual(states(batch), Array(4).fill('confirmed'));
      assert.equal(requestsTo(SET), 2);
    });

    it('by a lost request are read back, and sent again', async () => {
      server.faults.add({ path: SET, times: 2, reset: true });
      const batch = await changes.apply(await preview([ADA, '150']));
      assert.deepEqual([states(batch), requestsTo(SET)], [['confirmed'], 3]);
    });

    it('report which rows are applied, unknown or not applied, and continue from there', async () => {
      const made = await preview([ADA, '150'], [BOB, '1'], [EVE, '301'], [NIGHTLY, '']);
      server.faults.add({ path: SET, every: 2, status: 500 });
      server.faults.add({ path: GET, every: 3, status: 503, retryAfter: 3600 });
      const batch = await changes.apply(made);
      assert.deepEqual(states(batch), ['confirmed', 'confirmed', 'confirmed', 'unknown']);
      assert.equal(batch.error?.code, 'ServiceFailed');
      assert.deepEqual(changes.interrupted, batch);
      await assert.rejects(async () => changes.apply(await preview([BOB, '2'])), { code: 'BatchInterrupted' });
      await assert.rejects(changes.previewUndo(), { code: 'BatchInterrupted' });
      server.faults.clear();
      assert.deepEqual(states(await changes.resume({ onlyVerify: true })), [
        ...Array<RowState>(3).fill('confirmed'),
        'waiting',
      ]);
      await assert.rejects(changes.resume(), { code: 'NotInterrupted' });
      const again = await changes.apply(await changes.previewRetry());
      assert.deepEqual(states(again), ['confirmed']);
    });

    it('by a cancellation end after the current request', async () => {
      const cancel = new AbortController();
      const service = spying(client, (name) => {
        if (name === 'setUserBudgetOverrides') cancel.abort();
      });
      const batch = await open(service).apply(await preview([ADA, '150'], [BOB, '1'], [EVE, '301'], [NIGHTLY, '']), {
        signal: cancel.signal,
      });
      assert.deepEqual([countStates(batch).waiting, batch.error?.code], [4, 'Cancelled'], 'before it was sent');
      const fault = server.faults.add({ path: SET, latency: { ms: 200 } });
      const isReceived = (): boolean => server.faults.list().some(({ id, hits }) => id === fault.id && hits > 0);
      const other = new AbortController();
      const late = await open(client).resume({
        signal: other.signal,
        onProgress: ({ phase }) => {
          if (phase === 'sending') void until('it is received', isReceived).then(() => other.abort());
        },
      });
      assert.deepEqual([countStates(late).applied, countStates(late).waiting], [3, 1]);
      assert.deepEqual(states(await changes.resume()), Array(4).fill('confirmed'));
    });

    it('keep out a second window meanwhile, which may still read', async () => {
      const made = await preview([ADA, '150']);
      const second = open(client);
      const refusals: Promise<void>[] = [];
      const batch = await changes.apply(made, {
        onProgress: () => {
          assert.equal(second.interrupted, undefined, 'somebody is at it');
          refusals.push(assert.rejects(second.apply(made), { code: 'BatchBusy' }));
        },
      });
      assert.deepEqual([states(batch), refusals.length], [['confirmed'], 3]);
      await Promise.all(refusals);
    });

    it('by a damaged journal read the state from the service', async () => {
      await changes.apply(await preview([ADA, '150'], [BOB, '1']));
      const files = readdirSync(folder).filter((name) => /^batch-000001\..*log$/.test(name));
      const damage = (from: string, to: string): void => {
        for (const name of files) {
          const file = join(folder, name);
          writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
        }
      };
      writeFileSync(join(folder, files[0]!), 'of one file alone costs nothing');
      assert.equal(changes.last?.endedAt !== undefined, true);
      for (const name of files) writeFileSync(join(folder, name), readFileSync(join(folder, files[1]!)));
      damage('confirmed', 'cOnfirmed');
      assert.deepEqual(countStates(changes.interrupted!).unknown, 2);
      assert.deepEqual(states(await changes.resume()), ['confirmed', 'confirmed']);
      files.splice(0, 2, ...readdirSync(folder).filter((name) => /^batch-000001\..*log$/.test(name)));
      damage('begun', 'bEgun');
      assert.throws(() => changes.last, { code: 'JournalDamaged' });
      for (const name of files) truncateSync(join(folder, name), 20);
      assert.equal(changes.last, undefined, 'killed before it began');
    });
  });

  function requestsTo(path: string): number {
    return server.requestLog.latest(1000).filter((one) => one.path === path).length;
  }
});

/** Calls `onCall` before each request. */
function spying(service: BudgetService, onCall: (name: EndpointName) => void): BudgetService {
  return {
    call: (name, request, options) => {
      onCall(name);
      return service.call(name, request, options);
    },
  };
}
