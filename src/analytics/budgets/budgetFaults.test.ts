import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import fc from 'fast-check';
import { organizationOf, person, quickClient, serviceAccount } from '../../../test/support/budgets.ts';
import { runs } from '../../../test/support/runs.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { readData } from '../../server/analytics/data/readData.ts';
import type { FaultRule } from '../../server/faults/faultRules.ts';
import { SextantServer } from '../../server/server.ts';
import { endpoints, type EndpointName, type RequestOf, type ResponseOf } from '../contract.ts';
import { identityFields, identityKey, type Identity } from '../identity.ts';
import type { Batch } from './batch.ts';
import { BudgetChanges } from './budgetChanges.ts';
import { limitIn, readLimits, type BudgetService, type Limits } from './budgetService.ts';
import { budgetCsv } from './csv.ts';
import { changesOf, type Preview } from './preview.ts';

const NOON = Date.UTC(2026, 10, 21, 12);

/** Members of the organization, the last of whom leaves on the next day; and strangers with hard names. */
const MEMBERS: readonly (readonly [Identity, string])[] = [
  [person('ada@x.io'), '100'],
  [person('bob@x.io'), ''],
  [person('Eve, ada@x.io'), '300'],
  [serviceAccount('ada@x.io'), '400'],
  [serviceAccount('nightly'), ''],
  [person('=f@x.io'), '600'],
  [person('leaver@x.io'), '700'],
];
const LEAVER = identityKey(MEMBERS.at(-1)![0]);
const STRANGERS = [person('Eve'), person('Eve, bob@x.io'), serviceAccount('Nightly'), person("'=f@x.io")];

/**
 * Fate of a request. The service fails before or after it acts, or refuses for now. The process is killed before it
 * sends, or before it records the answer. Another client sets a limit first. Or a day passes, and one account has left.
 */
type Fate = 'fine' | 'fails' | 'reset' | 'cut off' | 'busy' | 'killed before' | 'killed after' | 'other' | 'tomorrow';

const FAULTS: Partial<Record<Fate, FaultRule>> = {
  fails: { status: 500, times: 1 },
  reset: { reset: true, times: 1 },
  'cut off': { truncate: true, times: 1 },
  busy: { status: 429, times: 1 },
};

describe('a batch under any fault', () => {
  const newFolder = temporaryFolder();
  let server: SextantServer;
  before(async () => {
    const records = organizationOf(MEMBERS).map((record) =>
      record.user_email === 'leaver@x.io' && record.kind === 'user' ? { ...record, left: '2026-11-22' } : record,
    );
    const lines = Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    server = await SextantServer.start({ now: NOON, rateLimit: false, data: () => readData([lines]) });
  });
  after(() => server.close());

  const limitArbitrary = fc.oneof(fc.constantFrom('', '100', '05', '1e3'), fc.bigInt(1n, 10n ** 18n).map(String));
  const rowArbitrary = fc.record({
    identity: fc.constantFrom(...MEMBERS.map(([identity]) => identity), ...STRANGERS),
    limit: limitArbitrary,
  });
  const fateArbitrary = fc.oneof(
    { arbitrary: fc.constant<Fate>('fine'), weight: 4 },
    {
      arbitrary: fc.constantFrom<Fate>(
        'fails',
        'reset',
        'cut off',
        'busy',
        'killed before',
        'killed after',
        'other',
        'tomorrow',
      ),
      weight: 3,
    },
  );

  it('reports for each row the state of the service', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(rowArbitrary, { minLength: 1, maxLength: 12 }),
        fc.array(fateArbitrary, { maxLength: 14 }),
        fc.integer({ min: 1, max: 4 }),
        async (rows, fates, batchSize) => {
          await server.reset();
          const world = new World(server, fates, newFolder);
          const initial = await world.limits();
          const changes = new BudgetChanges(world, world.folder, { clock: server.clock, batchSize });
          const csv = await budgetCsv(rows, 'BUDGET_RESOURCE_CREDITS_CONSUMED');
          const made = await world.spared(() => changes.previewCsv(csv, 'any.csv'));
          assert.equal(made.rows.length + made.problems.length, rows.length, 'each row is a change or a problem');
          if (changesOf(made).length === 0) return;
          let batch = await changes.apply(made);
          for (let starts = 0; batch.endedAt === undefined; starts++) {
            assert.ok(starts < fates.length + 3, 'it comes to an end');
            // Another process reads the batch.
            const next = new BudgetChanges(world, world.folder, { clock: server.clock, batchSize });
            const found = next.last;
            assert.ok(found);
            await agree(found, initial, world);
            batch = await next.resume();
          }
          await agree(batch, initial, world);
          for (const { state, identity } of batch.rows)
            if (!world.touched.has(identityKey(identity)))
              assert.equal(state, 'confirmed', 'where nobody interferes, all of it is done');
          await unconcerned(made, initial, world);
        },
      ),
      { numRuns: runs(150) },
    );
  });
});

/** A service that applies a fate to each request, with its environment. */
class World implements BudgetService {
  folder: string;
  /** Accounts that another client has changed. */
  readonly touched = new Set<string>();
  readonly #server: SextantServer;
  readonly #fates: Fate[];
  readonly #newFolder: () => string;
  readonly #client: BudgetService;
  #isSpared = false;
  #others = 0;

  constructor(server: SextantServer, fates: readonly Fate[], newFolder: () => string) {
    this.#server = server;
    this.#fates = [...fates];
    this.#newFolder = newFolder;
    this.folder = newFolder();
    this.#client = quickClient(server, newFolder());
  }

  async spared<T>(work: () => Promise<T>): Promise<T> {
    this.#isSpared = true;
    try {
      return await work();
    } finally {
      this.#isSpared = false;
    }
  }

  limits(): Promise<Limits> {
    return readLimits(this.#client);
  }

  async call<N extends EndpointName>(
    name: N,
    request: RequestOf<N>,
    options?: Parameters<BudgetService['call']>[2],
  ): Promise<ResponseOf<N>> {
    const fate = this.#isSpared ? 'fine' : (this.#fates.shift() ?? 'fine');
    this.#server.faults.clear();
    const rule = FAULTS[fate];
    if (rule) this.#server.faults.add({ ...rule, path: endpoints[name].path });
    if (fate === 'other') await this.#interfere();
    if (fate === 'tomorrow') {
      this.#server.clock.set(NOON + 86_400_000);
      this.touched.add(LEAVER);
    }
    if (fate === 'killed before') this.#kill();
    const answer = await this.#client.call(name, request, options);
    if (fate === 'killed after') this.#kill();
    return answer;
  }

  /** Keeps only the present content of the disk; the dying process continues to write into another folder. */
  #kill(): never {
    const left = this.#newFolder();
    cpSync(this.folder, left, { recursive: true, filter: (file) => !file.endsWith('.lock') });
    this.folder = left;
    throw new Error('killed');
  }

  async #interfere(): Promise<void> {
    const [identity] = MEMBERS[this.#others++ % (MEMBERS.length - 1)]!;
    this.touched.add(identityKey(identity));
    await this.#client.call('setUserBudgetOverrides', {
      overrides: [
        {
          ...identityFields(identity),
          resource: 'BUDGET_RESOURCE_CREDITS_CONSUMED',
          period: 'BUDGET_PERIOD_MONTHLY',
          config: { limit: String(7_000 + this.#others) },
        },
      ],
    });
  }
}

/** Checks that the batch reports for each row the state of the service. */
async function agree(batch: Batch, initial: Limits, world: World): Promise<void> {
  const now = await world.limits();
  for (const { identity, before, after, state, found } of batch.rows) {
    if (world.touched.has(identityKey(identity))) {
      assert.ok((found !== undefined) === (state === 'conflict' || state === 'differs'), state);
      continue;
    }
    const limit = limitIn(now, identity);
    assert.equal(before, limitIn(initial, identity));
    switch (state) {
      case 'confirmed':
      case 'applied':
        assert.equal(limit, after, state);
        break;
      case 'waiting':
        assert.equal(limit, before, state);
        break;
      case 'unknown':
        assert.ok(limit === before || limit === after, `${state}: ${limit}`);
        break;
      case 'failed':
      case 'conflict':
      case 'differs':
      case 'already':
        assert.fail(`${state} where nobody interfered`);
    }
  }
}

/** Checks that accounts outside the batch are unchanged. */
async function unconcerned(made: Preview, initial: Limits, world: World): Promise<void> {
  const about = new Set(changesOf(made).map(({ identity }) => identityKey(identity)));
  const now = await world.limits();
  for (const [identity] of MEMBERS) {
    const key = identityKey(identity);
    if (!about.has(key) && !world.touched.has(key)) assert.equal(limitIn(now, identity), limitIn(initial, identity));
  }
}
