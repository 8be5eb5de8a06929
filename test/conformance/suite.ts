import assert from 'node:assert/strict';
import fc from 'fast-check';
import { times } from '../support/runs.ts';
import { parseDecimal } from '../../src/base/decimal.ts';
import { parseResponse } from '../../src/analytics/validate.ts';
import type { EndpointName } from '../../src/analytics/contract.ts';
import { Client, PATHS, type Answer, type Target } from './client.ts';
import { dataset } from './dataset.ts';
import { Naive, plusDays, type DataRecord, type Request } from './naive.ts';

const NOW = '2026-11-21T09:41:07.250Z';
const KEYS = ['PRODUCT', 'RESOURCE', 'USER', 'BYOK_STATUS', 'EXPERT'].map((key) => `COST_ANALYTICS_GROUP_BY_${key}`);
const CREDITS = 'BUDGET_RESOURCE_CREDITS_CONSUMED';
const USD = 'BUDGET_RESOURCE_USD_COST';
const MONTHLY = 'BUDGET_PERIOD_MONTHLY';

/** Asserts an error's status, code and message. */
export function refused(answer: Answer, status: number, code: string, message?: string | RegExp): void {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  const { error } = answer.body as { error: { code: string; message: string } };
  assert.deepEqual(Object.keys(answer.body), ['error']);
  assert.deepEqual(Object.keys(error).sort(), ['code', 'message']);
  assert.equal(error.code, code);
  if (typeof message === 'string') assert.equal(error.message, message);
  else if (message) assert.match(error.message, message);
}

/** Rules without knowledge of the data: they hold for any server, at any time of day. */
export function describeRules(target: () => Target): void {
  let client: Client;
  /** The server's day; a run over midnight would have two. */
  let today: string;
  before(async () => {
    client = new Client(target());
    const { body } = await client.get(PATHS.dauCount);
    today = (body.metadata as { generated_at: string }).generated_at.slice(0, 10);
  });
  const day = (offset: number): string => plusDays(today, offset);
  const invalid = async (answer: Promise<Answer>, message: string | RegExp): Promise<void> =>
    refused(await answer, 400, 'InvalidArgument', message);

  describe('dates', () => {
    const RANGES = [PATHS.dauCount, PATHS.dailyUsage, PATHS.userActivity, PATHS.credits];

    it('have defaults, and are reported as used', async () => {
      for (const path of RANGES) {
        const range = async (query: Request): Promise<unknown[]> => {
          const { body } = await client.get(path, query);
          const { effective_start_date, effective_end_date } = body.metadata as Record<string, string>;
          return [effective_start_date, effective_end_date];
        };
        const newest = path === PATHS.credits ? today : day(-1);
        assert.deepEqual(await range({}), [day(-7), day(-1)], path);
        assert.deepEqual(await range({ start_date: day(-30) }), [day(-30), day(-24)]);
        assert.deepEqual(await range({ start_date: day(-3) }), [day(-3), newest]);
        assert.deepEqual(await range({ end_date: day(-10) }), [day(-16), day(-10)]);
        assert.deepEqual(await range({ start_date: day(-90), end_date: day(-1) }), [day(-90), day(-1)]);
        assert.deepEqual(await range({ start_date: day(-5), end_date: day(-5) }), [day(-5), day(-5)]);
      }
      for (const path of [PATHS.dau, PATHS.editorLanguage]) {
        for (const [query, used] of [[{}, day(-1)] as const, [{ date: day(-20) }, day(-20)] as const]) {
          const { body } = await client.get(path, query);
          assert.equal((body.metadata as Record<string, string>).effective_date, used);
        }
      }
    });

    it('are refused with the messages of the specification', async () => {
      for (const path of RANGES) {
        const [bound, late] = path === PATHS.credits ? ['today', day(1)] : ['yesterday', today];
        await invalid(client.get(path, { end_date: late }), `end_date cannot be later than ${bound} (UTC)`);
        await invalid(client.get(path, { start_date: late }), `start_date cannot be later than ${bound} (UTC)`);
        await invalid(
          client.get(path, { start_date: day(-91), end_date: day(-1) }),
          'date range cannot exceed 90 days',
        );
        await invalid(
          client.get(path, { start_date: day(-2), end_date: day(-3) }),
          'start_date cannot be later than end_date',
        );
        await invalid(client.get(path, { start_date: day(-740) }), 'start_date cannot be more than 2 years ago');
        await invalid(client.get(path, { end_date: day(-740) }), 'end_date cannot be more than 2 years ago');
        await invalid(
          client.get(path, { start_date: '2026-02-30' }),
          'start_date must be a valid date in YYYY-MM-DD format',
        );
        await invalid(client.get(path, 'end_date='), 'end_date must be a valid date in YYYY-MM-DD format');
        await invalid(client.get(path, `start_date=${day(-3)}&start_date=${day(-3)}`), /^start_date /);
      }
      for (const path of [PATHS.dau, PATHS.editorLanguage]) {
        await invalid(client.get(path, { date: today }), 'date cannot be later than yesterday (UTC)');
        await invalid(client.get(path, { date: day(-740) }), 'date cannot be more than 2 years ago');
        await invalid(client.get(path, { date: 'yesterday' }), 'date must be a valid date in YYYY-MM-DD format');
      }
      await invalid(
        client.post(PATHS.cost, { start_date: day(-3) }),
        'date_filters must include both start_date and end_date',
      );
      await invalid(
        client.post(PATHS.cost, { end_date: day(-3) }),
        'date_filters must include both start_date and end_date',
      );
      await invalid(
        client.post(PATHS.cost, { start_date: 1, end_date: 2 }),
        'start_date must be a string in YYYY-MM-DD format',
      );
      await invalid(
        client.post(PATHS.cost, { start_date: day(-3), end_date: today }),
        'end_date cannot be later than yesterday (UTC)',
      );
      await invalid(
        client.post(PATHS.cost, { start_date: day(-91), end_date: day(-1) }),
        'date range cannot exceed 90 days',
      );
      await invalid(
        client.post(PATHS.cost, { start_date: day(-740), end_date: day(-700) }),
        'start_date cannot be more than 2 years ago',
      );
      await invalid(
        client.post(PATHS.cost, { start_date: day(-2), end_date: day(-3) }),
        'start_date cannot be later than end_date',
      );
      await invalid(
        client.post(PATHS.cost, { start_date: '2026-02-30', end_date: day(-3) }),
        'start_date must be a valid date in YYYY-MM-DD format',
      );
    });

    it('of cost default to seven days, and reach back two years', async () => {
      const range = async (request: Request): Promise<unknown[]> => {
        const { status, body } = await client.post(PATHS.cost, request);
        assert.equal(status, 200, JSON.stringify(body));
        const { effective_start_date, effective_end_date } = body.metadata as Record<string, string>;
        return [effective_start_date, effective_end_date];
      };
      assert.deepEqual(await range({}), [day(-7), day(-1)]);
      assert.deepEqual(await range({ start_date: day(-90), end_date: day(-1) }), [day(-90), day(-1)]);
      const [year, rest] = [Number(today.slice(0, 4)) - 2, today.slice(4)];
      const oldest = rest === '-02-29' ? `${year}-02-28` : `${year}${rest}`;
      assert.deepEqual(await range({ start_date: oldest, end_date: oldest }), [oldest, oldest]);
      await invalid(
        client.post(PATHS.cost, { start_date: plusDays(oldest, -1), end_date: oldest }),
        'start_date cannot be more than 2 years ago',
      );
    });
  });

  describe('parameters', () => {
    it('are refused with a wrong type', async () => {
      for (const path of [PATHS.dau, PATHS.userActivity, PATHS.editorLanguage, PATHS.credits]) {
        for (const page_size of ['0', '-1', '1.5', 'ten', '', ' 5', '1e2'])
          await invalid(client.get(path, { page_size }), /^page_size /);
        await invalid(client.get(path, { cursor: 'nonsense' }), 'cursor is invalid for this request');
        assert.equal((await client.get(path, 'cursor=&page_size=1')).status, 200);
        assert.equal((await client.get(path, { page_size: '99999999999999999999' })).status, 200);
      }
      for (const name of ['by_date', 'by_model'])
        for (const value of ['', '1', 'True', 'yes'])
          await invalid(client.get(PATHS.credits, { [name]: value }), new RegExp(`^${name} `));
      for (const page_size of [0, -1, 1.5, '5', true, [5]])
        await invalid(client.post(PATHS.cost, { page_size }), /^page_size /);
      await invalid(
        client.post(PATHS.cost, { group_by_keys: ['NONSENSE'] }),
        /^group_by_keys .*COST_ANALYTICS_GROUP_BY_PRODUCT/,
      );
      await invalid(
        client.post(PATHS.cost, { granularity: 'NONSENSE' }),
        /^granularity .*COST_ANALYTICS_TIME_GRANULARITY_DAY/,
      );
      await invalid(client.post(PATHS.cost, { team: 'x' }), 'invalid query parameters: team');
      await invalid(client.post(PATHS.cost, { filters: { users: [] } }), 'invalid query parameters: filters.users');
      await invalid(client.post(PATHS.cost, { cursor: 'nonsense' }), 'cursor is invalid for this request');
      await invalid(client.post(PATHS.getOverrides, { user_email: 'x' }), 'invalid query parameters: user_email');
      await invalid(client.post(PATHS.getOverrides, { user_emails: 'x' }), /^user_emails /);
      await invalid(
        client.post(PATHS.getOverrides, { period: 'BUDGET_PERIOD_WEEKLY' }),
        /^period .*BUDGET_PERIOD_MONTHLY/,
      );
    });

    it('are checked in the order of the table when several are wrong', async () => {
      const size = { page_size: 'ten' };
      const cursor = { cursor: 'nonsense' };
      for (const path of [PATHS.dau, PATHS.userActivity, PATHS.editorLanguage, PATHS.credits]) {
        const date = path === PATHS.dau || path === PATHS.editorLanguage ? 'date' : 'start_date';
        await invalid(client.get(path, { ...size, ...cursor, [date]: 'x' }), new RegExp(`^${date} `));
        await invalid(client.get(path, { ...size, ...cursor }), 'cursor is invalid for this request');
        await invalid(client.get(path, { ...size, cursor: '' }), /^page_size /);
      }
      await invalid(client.get(PATHS.credits, { ...size, ...cursor, by_model: 'x' }), /^by_model /);
      await invalid(client.post(PATHS.cost, { ...size, ...cursor, granularity: 'x' }), /^granularity /);
      await invalid(client.post(PATHS.cost, { ...size, ...cursor }), 'cursor is invalid for this request');
      await invalid(client.post(PATHS.cost, { ...size, cursor: 5 }), /^cursor /);
      await invalid(client.post(PATHS.cost, { ...size, cursor: null }), /^page_size /);
    });

    it('are ignored when they are null, empty or unknown', async () => {
      for (const body of [
        '',
        '{}',
        '{"start_date":null,"filters":null,"group_by_keys":[],"cursor":"","page_size":null}',
      ])
        assert.equal((await client.post(PATHS.cost, body)).status, 200, body);
      assert.equal((await client.get(PATHS.dauCount, { nonsense: 1 })).status, 200);
      assert.equal((await client.post(PATHS.getOverrides, { user_emails: [], resource: null })).status, 200);
    });

    it('of a body are JSON', async () => {
      for (const path of [PATHS.cost, PATHS.getOverrides, PATHS.setOverrides]) {
        for (const body of ['{', '[]', 'null', '1', '"x"', '{"a":1,}', '{}{}'])
          await invalid(client.post(path, body), /^request body /);
        const init = {
          method: 'POST',
          body: new Uint8Array([0x7b, 0xff, 0x7d]),
          headers: { 'content-type': 'application/json' },
        };
        await invalid(client.send(path, init, client.target.token), /^request body /);
        const plain = { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } };
        refused(await client.send(path, plain, client.target.token), 415, 'UnsupportedMediaType');
        const bytes = { method: 'POST', body: new TextEncoder().encode('{}') };
        refused(await client.send(path, bytes, client.target.token), 415, 'UnsupportedMediaType');
      }
    });
  });

  describe('points of cost', () => {
    type Amounts = Readonly<Record<string, string>>;
    const BYOK_KEY = 'COST_ANALYTICS_GROUP_BY_BYOK_STATUS';
    const points = async (request: Request): Promise<{ amounts: Amounts; values: Request; range: unknown[] }[]> => {
      const { status, body } = await client.post(PATHS.cost, { ...request, page_size: 1000 });
      assert.equal(status, 200, JSON.stringify(body));
      return (body.data_points as Request[]).map(({ cost_metrics, group_by_values, start_date, end_date }) => ({
        amounts: cost_metrics as Amounts,
        values: group_by_values as Request,
        range: [start_date, end_date],
      }));
    };
    const exact = (amounts: Amounts, field: string): bigint => parseDecimal(amounts[field]!)!;

    it('satisfy the formulas of own keys and of other keys, each and in sum', async () => {
      for (const others of [[], ['COST_ANALYTICS_GROUP_BY_PRODUCT'], ['COST_ANALYTICS_GROUP_BY_EXPERT']]) {
        const sums = new Map<string, bigint>();
        for (const { amounts, values } of await points({ group_by_keys: [...others, BYOK_KEY] })) {
          const of = (field: string): bigint => exact(amounts, field);
          const isByok = values.byok_status === 'COST_ANALYTICS_BYOK_STATUS_BYOK';
          const told = JSON.stringify(amounts);
          const [billed, base] = [of('billed_amount_usd'), of('base_cost_usd')];
          assert.equal(of('surcharge_usd'), isByok ? billed : billed - base, told);
          assert.equal(of('estimated_customer_cost_usd'), isByok ? base + billed : billed, told);
          const { byok_status: _, ...rest } = values;
          for (const field of Object.keys(amounts).filter((name) => !name.endsWith('_tokens'))) {
            const key = `${JSON.stringify(rest)} ${field}`;
            sums.set(key, (sums.get(key) ?? 0n) + of(field));
          }
        }
        for (const { amounts, values } of await points({ group_by_keys: others }))
          for (const field of Object.keys(amounts).filter((name) => !name.endsWith('_tokens')))
            assert.equal(exact(amounts, field), sums.get(`${JSON.stringify(values)} ${field}`) ?? 0n, field);
      }
    });

    it('cover the whole range or one day of it, and have no needless digits', async () => {
      const dates = { start_date: day(-9), end_date: day(-2) };
      for (const { range, amounts } of await points(dates)) {
        assert.deepEqual(range, [day(-9), day(-2)]);
        for (const [field, amount] of Object.entries(amounts))
          if (!field.endsWith('_tokens')) assert.match(amount, /^-?(0|[1-9]\d*)(\.\d*[1-9])?$/, field);
      }
      const daily = await points({ ...dates, granularity: 'COST_ANALYTICS_TIME_GRANULARITY_DAY' });
      const days = daily.map(({ range: [first, last] }) => {
        assert.equal(first, last);
        return first as string;
      });
      assert.deepEqual(days, [...new Set(days)].sort());
      assert.ok(days.every((one) => one >= day(-9) && one <= day(-2)));
    });
  });

  describe('batches of overrides', () => {
    const entry = { user_email: 'nobody@example.invalid', resource: CREDITS, period: MONTHLY, config: { limit: '5' } };

    it('are refused as a whole if they are malformed', async () => {
      const refuse = (body: unknown, message: RegExp): Promise<void> =>
        invalid(client.post(PATHS.setOverrides, body), message);
      await refuse({}, /^overrides /);
      await refuse({ overrides: [] }, /^overrides /);
      await refuse({ overrides: {} }, /^overrides /);
      await refuse({ overrides: [5] }, /^overrides\[0\] /);
      await refuse({ overrides: [{ ...entry, user_email: undefined }] }, /exactly one/);
      await refuse({ overrides: [{ ...entry, service_account_name: 'x' }] }, /exactly one/);
      await refuse(
        { overrides: [entry, { ...entry, user_email: entry.user_email.toUpperCase() }] },
        /^overrides\[1\] .*overrides\[0\]/,
      );
      await refuse({ overrides: [{ ...entry, limit: '5' }] }, /^invalid query parameters: overrides\[0\]\.limit$/);
      await refuse({ overrides: [{ ...entry, config: { limit: '5', unit: 'x' } }] }, /overrides\[0\]\.config\.unit$/);
      await refuse({ overrides: [entry], dry_run: true }, /^invalid query parameters: dry_run$/);
      const many = Array.from({ length: 5001 }, (_, i) => ({ ...entry, user_email: `nobody${i}@example.invalid` }));
      await refuse({ overrides: many }, /5000|5,000/);
      const { status, body } = await client.post(PATHS.setOverrides, { overrides: many.slice(1) });
      assert.equal(status, 200);
      assert.equal((body.failures as unknown[]).length, 5000);
    });

    it('list unknown accounts in the order of the request', async () => {
      const message =
        'user_email(s) not found on this organization: z@example.invalid, A@example.invalid; ' +
        'service_account_name(s) not found on this organization: nobody-2, nobody-1';
      const body = {
        service_account_names: ['nobody-2', 'nobody-1'],
        user_emails: ['z@example.invalid', 'A@example.invalid'],
      };
      await invalid(client.post(PATHS.getOverrides, body), message);
      const blank = { user_emails: ['', 'z@example.invalid', ' '] };
      const named = 'user_email(s) not found on this organization: "", z@example.invalid, " "';
      await invalid(client.post(PATHS.getOverrides, blank), named);
    });
  });

  describe('the edge', () => {
    it('checks the token before everything but the path', async () => {
      for (const path of Object.values(PATHS)) {
        for (const token of ['wrong', `${client.target.token}x`, undefined])
          refused(await client.send(path, { method: 'GET' }, token), 401, 'Unauthenticated');
        const basic = { method: 'GET', headers: { authorization: `Basic ${client.target.token}` } };
        refused(await client.send(path, basic, undefined), 401, 'Unauthenticated');
      }
      refused(await client.send('/analytics/v0/nonsense', { method: 'GET' }, undefined), 404, 'NotFound');
      refused(await client.get('/analytics/v1/dau'), 404, 'NotFound');
      refused(await client.get(`${PATHS.dau}/`), 404, 'NotFound');
    });

    it('lists the methods of a path', async () => {
      for (const path of Object.values(PATHS)) {
        const right = [PATHS.cost, PATHS.getOverrides, PATHS.setOverrides].includes(path as never) ? 'POST' : 'GET';
        for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter((one) => one !== right)) {
          const answer = await client.send(path, { method }, client.target.token);
          refused(answer, 405, 'MethodNotAllowed');
          assert.equal(answer.headers.get('allow'), right);
        }
      }
    });
  });
}

/** The keys of rows, which are unique in one answer. */
function labels(rows: unknown): string[] {
  return (rows as Request[]).map((row) => {
    const { user_info: user } = (row.group_by_values ?? {}) as { readonly user_info?: Request };
    const { user_email, service_account_name, bot_name, user_type } = { ...row, ...user } as Request;
    const { start_date, date = start_date, language, editor } = row;
    return JSON.stringify({ user_email, service_account_name, bot_name, user_type, date, language, editor });
  });
}

/** Figures, compared with a naive computation over the same records. Needs the admin plane. */
export function describeFigures(target: () => Target): void {
  let client: Client;
  let naive: Naive;
  let records: DataRecord[];
  const seed = Number(process.env.SEXTANT_CONFORMANCE_SEED ?? 7);

  async function begin(now: string, plan: 'credits' | 'usd' = 'credits'): Promise<void> {
    client = new Client(target());
    records = dataset(seed, NOW.slice(0, 10), plan);
    await client.begin(records, now);
    naive = new Naive(records, now);
  }

  const offset = fc.integer({ min: -118, max: -1 });
  const size = fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined });
  const range = fc.oneof(
    fc.constant({}),
    fc.tuple(offset, fc.integer({ min: 0, max: 89 })).map(([last, length]) => ({
      start_date: plusDays(NOW.slice(0, 10), last - length),
      end_date: plusDays(NOW.slice(0, 10), last),
    })),
    offset.map((first) => ({ start_date: plusDays(NOW.slice(0, 10), first) })),
    offset.map((last) => ({ end_date: plusDays(NOW.slice(0, 10), last) })),
  );
  const one = fc.option(
    offset.map((at) => plusDays(NOW.slice(0, 10), at)),
    { nil: undefined },
  );
  const cases = { numRuns: times(60) };

  describe('figures', () => {
    before(() => begin(NOW));

    it('of active users, usage and activity equal those of the records', async () => {
      await fc.assert(
        fc.asyncProperty(range, size, async (request, pages) => {
          await client.assertRows(PATHS.dauCount, request, naive.dauCount(request), undefined, 0);
          await client.assertRows(PATHS.dailyUsage, request, naive.dailyUsage(request), undefined, 0);
          await client.assertRows(PATHS.userActivity, request, naive.userActivity(request), pages, pages ?? 50);
        }),
        cases,
      );
      await fc.assert(
        fc.asyncProperty(one, size, async (date, pages) => {
          const request = date === undefined ? {} : { date };
          await client.assertRows(PATHS.dau, request, naive.dau(request), pages, pages ?? 100);
          await client.assertRows(PATHS.editorLanguage, request, naive.editorLanguage(request), pages, pages ?? 50);
        }),
        cases,
      );
    });

    it('of credits equal those of the records, by date, by model and by both', async () => {
      const today = NOW.slice(0, 10);
      const flags = fc.record({ by_date: fc.boolean(), by_model: fc.boolean() }, { requiredKeys: [] });
      const ranges = fc.oneof(
        range,
        fc.constant({ start_date: plusDays(today, -3), end_date: today }),
        fc.constant({ start_date: today }),
      );
      await fc.assert(
        fc.asyncProperty(ranges, flags, size, async (dates, by, pages) => {
          const request = { ...dates, ...by };
          await client.assertRows(PATHS.credits, request, naive.credits(request), pages, pages ?? 100);
        }),
        cases,
      );
    });

    it('of cost equal those of the records, to the last digit, for every grouping, granularity and filter', async function () {
      this.timeout(600_000);
      const dates = { start_date: plusDays(NOW.slice(0, 10), -90), end_date: plusDays(NOW.slice(0, 10), -1) };
      const filters: Request[] = [
        {},
        { user_emails: ['ADA@example.com', 'undeclared@EXAMPLE.com'] },
        { service_account_names: ['nightly-build'] },
        { user_emails: ['bob@example.com'], service_account_names: ['release', 'NIGHTLY-BUILD'] },
        { product_names: ['Chat'] },
        { resource_names: ['sonnet', 'runner'] },
        { expert_ids: ['e1', 'E3', 'nobody'] },
        { expert_ids: [''] },
        { resource_names: [''] },
        { user_emails: [], product_names: ['Agent'], resource_names: ['haiku'], expert_ids: ['e2'] },
        { user_emails: ['nobody@example.com'] },
      ];
      for (let subset = 0; subset < 2 ** KEYS.length; subset++) {
        const group_by_keys = KEYS.filter((_, i) => (subset >> i) % 2 === 1);
        for (const granularity of ['TOTAL', 'DAY'].map((name) => `COST_ANALYTICS_TIME_GRANULARITY_${name}`))
          for (const filter of filters) {
            const request = { ...dates, group_by_keys, granularity, filters: filter };
            await client.assertRows(PATHS.cost, request, naive.cost(request), 1000, 1000);
          }
      }
    });

    it('of cost are the same in pages of any size', async () => {
      const dates = fc.oneof(
        fc.constant({}),
        offset.map((at) => ({
          start_date: plusDays(NOW.slice(0, 10), at - 9),
          end_date: plusDays(NOW.slice(0, 10), at),
        })),
      );
      const granularity = fc.constantFrom(undefined, 'COST_ANALYTICS_TIME_GRANULARITY_DAY');
      await fc.assert(
        fc.asyncProperty(
          dates,
          fc.subarray(KEYS),
          granularity,
          size,
          async (dates, group_by_keys, granularity, pages) => {
            const request = { ...dates, group_by_keys, ...(granularity && { granularity }) };
            await client.assertRows(PATHS.cost, request, naive.cost(request), pages, pages ?? 100);
          },
        ),
        cases,
      );
    });

    it('have the types and ranges of the contract', async () => {
      const names: Readonly<Record<keyof typeof PATHS, EndpointName>> = {
        dauCount: 'dauCount',
        dau: 'dau',
        dailyUsage: 'dailyUsage',
        userActivity: 'userActivity',
        editorLanguage: 'dailyUserActivityByEditorLanguage',
        credits: 'creditUsageByUser',
        cost: 'costAnalytics',
        getOverrides: 'getUserBudgetOverrides',
        setOverrides: 'setUserBudgetOverrides',
      };
      for (const [key, path] of Object.entries(PATHS) as [keyof typeof PATHS, string][]) {
        if (key === 'setOverrides') continue;
        const { body } = await (key === 'cost' || key === 'getOverrides'
          ? client.post(path, key === 'cost' ? { group_by_keys: KEYS } : {})
          : client.get(path));
        assert.deepEqual(parseResponse(names[key], body), body, key);
      }
    });

    it('before 02:00 UTC lack yesterday, also in a range that ends with it', async () => {
      const today = NOW.slice(0, 10);
      for (const time of ['00:00:00', '01:59:59', '02:00:00']) {
        await begin(`${today}T${time}.000Z`);
        for (const request of [{}, { start_date: plusDays(today, -2), end_date: plusDays(today, -1) }]) {
          await client.assertRows(PATHS.dauCount, request, naive.dauCount(request), undefined, 0);
          await client.assertRows(PATHS.dailyUsage, request, naive.dailyUsage(request), undefined, 0);
          await client.assertRows(PATHS.userActivity, request, naive.userActivity(request), 100, 100);
          await client.assertRows(PATHS.credits, request, naive.credits(request), 500, 500);
          await client.assertRows(PATHS.cost, request, naive.cost(request), 1000, 1000);
        }
        await client.assertRows(PATHS.dau, {}, naive.dau({}), 250, 250);
        await client.assertRows(PATHS.editorLanguage, {}, naive.editorLanguage({}), 100, 100);
      }
    });
  });

  describe('pages', () => {
    before(() => begin(NOW));

    it('have the default and the maximum size of their endpoint', async () => {
      const email = (i: number): string => `person-${String(i).padStart(4, '0')}@example.com`;
      const many = Array.from({ length: 1001 }, (_, i) => i);
      const date = plusDays(NOW.slice(0, 10), -1);
      const cost = {
        kind: 'cost',
        date,
        product_display_name: 'P',
        resource_display_name: 'R',
        resource_type: 'COST_ANALYTICS_RESOURCE_TYPE_MODEL',
        byok_status: 'COST_ANALYTICS_BYOK_STATUS_BYOK',
        cost_metrics: { billed_amount_usd: '1' },
      };
      await client.begin(
        many.flatMap((i) => [
          { kind: 'activity', date, user_email: email(i), metrics: { chat_messages: 1 } },
          { kind: 'credits', date, user_email: email(i), model_name: 'm', credits_consumed: 1 },
          { ...cost, user_info: { user_email: email(i) } },
        ]),
        NOW,
      );
      const sizes = [
        [PATHS.dau, 'users', 100, 250],
        [PATHS.userActivity, 'users', 50, 100],
        [PATHS.editorLanguage, 'records', 50, 100],
        [PATHS.credits, 'records', 100, 500],
        [PATHS.cost, 'data_points', 100, 1000],
      ] as const;
      for (const [path, field, standard, maximum] of sizes) {
        const count = async (page_size?: number): Promise<number> => {
          const asked = page_size === undefined ? {} : { page_size };
          const { body } = await (path === PATHS.cost
            ? client.post(path, { ...asked, group_by_keys: ['COST_ANALYTICS_GROUP_BY_USER'] })
            : client.get(path, asked));
          return (body[field] as unknown[]).length;
        };
        assert.deepEqual(
          [await count(), await count(maximum), await count(maximum + 1), await count(7)],
          [standard, maximum, maximum, 7],
          path,
        );
      }
      const { body } = await client.admin('GET', 'requests?limit=2');
      const warnings = (body.requests as { warnings: string[] }[]).map(({ warnings }) => warnings);
      assert.deepEqual(warnings, [[], ['page_size 1001 is taken for the maximum of 1000']]);
    });

    it('continue with another size and another order of keys, but not with another query', async () => {
      await begin(NOW);
      const dates = { start_date: plusDays(NOW.slice(0, 10), -20), end_date: plusDays(NOW.slice(0, 10), -1) };
      const cursorOf = ({ body }: Answer): string => (body.pagination as { next_cursor: string }).next_cursor;
      const [product, resource, user] = KEYS;
      const cost = { ...dates, group_by_keys: [product, resource, user, user], page_size: 3 };
      const cursor = cursorOf(await client.post(PATHS.cost, cost));
      const next = await client.post(PATHS.cost, {
        ...cost,
        cursor,
        group_by_keys: [user, product, resource],
        page_size: 2,
      });
      assert.equal(next.status, 200);
      assert.deepEqual(next.body.data_points, naive.cost(cost).rows.slice(3, 5));
      for (const other of [
        { group_by_keys: [product] },
        { end_date: plusDays(dates.end_date, -1) },
        { granularity: 'COST_ANALYTICS_TIME_GRANULARITY_DAY' },
        { filters: { product_names: ['Chat'] } },
        { cursor: `${cursor}x` },
        { cursor: cursor.slice(0, -4) },
        { cursor: `${cursor.startsWith('A') ? 'B' : 'A'}${cursor.slice(1)}` },
      ])
        refused(
          await client.post(PATHS.cost, { ...cost, cursor, ...other }),
          400,
          'InvalidArgument',
          'cursor is invalid for this request',
        );
      const activity = cursorOf(await client.get(PATHS.userActivity, { ...dates, page_size: 3 }));
      assert.match(activity, /^[\w-]+$/);
      refused(
        await client.get(PATHS.userActivity, { cursor: activity }),
        400,
        'InvalidArgument',
        'cursor is invalid for this request',
      );
      refused(
        await client.get(PATHS.credits, { ...dates, cursor: activity }),
        400,
        'InvalidArgument',
        'cursor is invalid for this request',
      );
      assert.ok(
        !Buffer.from(activity, 'base64url').toString('latin1').includes('example.com'),
        'nobody is named in a cursor',
      );
    });

    it('continue with the dates of a default written out or left out, and with no other dates', async () => {
      await begin(NOW);
      const day = (i: number): string => plusDays(NOW.slice(0, 10), i);
      const range = { start_date: day(-7), end_date: day(-1) };
      for (const [path, dates, others] of [
        [PATHS.userActivity, range, { start_date: day(-8) }],
        [PATHS.credits, range, { end_date: day(-2) }],
        [PATHS.dau, { date: day(-1) }, { date: day(-2) }],
        [PATHS.editorLanguage, { date: day(-1) }, { date: day(-2) }],
        [PATHS.cost, range, { ...range, end_date: day(-2) }],
      ] as const) {
        const send = (more: Request): Promise<Answer> => {
          const request = { ...(path === PATHS.cost && { group_by_keys: [KEYS[2]] }), page_size: 1, ...more };
          return path === PATHS.cost ? client.post(path, request) : client.get(path, request);
        };
        const { next_cursor: cursor } = (await send({})).body.pagination as { next_cursor: string };
        const { next_cursor: other } = (await send(dates)).body.pagination as { next_cursor: string };
        const second = await send({ cursor });
        assert.equal(second.status, 200);
        assert.deepEqual((await send({ cursor, ...dates })).body, second.body, path);
        assert.deepEqual((await send({ cursor: other })).body, second.body, path);
        refused(await send({ cursor, ...others }), 400, 'InvalidArgument', 'cursor is invalid for this request');
      }
    });

    it('neither repeat nor drop a row while data and budgets change and midnight passes', async () => {
      await begin(`${NOW.slice(0, 10)}T23:59:00.000Z`);
      const perUser = { group_by_keys: [KEYS[2]] };
      const perDay = { ...perUser, granularity: 'COST_ANALYTICS_TIME_GRANULARITY_DAY' };
      for (const [path, request, before] of [
        [PATHS.userActivity, {}, naive.userActivity({})],
        [PATHS.credits, {}, naive.credits({})],
        [PATHS.credits, { by_date: true }, naive.credits({ by_date: true })],
        [PATHS.dau, {}, naive.dau({})],
        [PATHS.editorLanguage, {}, naive.editorLanguage({})],
        [PATHS.cost, perUser, naive.cost(perUser)],
        [PATHS.cost, perDay, naive.cost(perDay)],
      ] as const) {
        const seen: string[] = [];
        let cursor = '';
        for (let page = 0; ; page++) {
          const asked = { ...request, page_size: 2, cursor };
          const { body } = await (path === PATHS.cost ? client.post(path, asked) : client.get(path, asked));
          assert.equal(
            (body.metadata as Record<string, unknown>).effective_end_date ?? before.metadata.effective_date,
            before.metadata.effective_end_date ?? before.metadata.effective_date,
          );
          seen.push(...labels(body[before.rowsField]));
          const { next_cursor, has_more } = body.pagination as { next_cursor: string; has_more: boolean };
          if (!has_more) break;
          cursor = next_cursor;
          const date = plusDays(NOW.slice(0, 10), -1 - (page % 3));
          const name = `newcomer-${page}`;
          const facts = [
            { kind: 'activity', date, service_account_name: name, metrics: { chat_messages: 1 } },
            { kind: 'credits', date, service_account_name: name, model_name: 'm', credits_consumed: 1 },
            {
              ...{ kind: 'cost', date, product_display_name: 'Chat', resource_display_name: 'sonnet' },
              ...{ resource_type: 'COST_ANALYTICS_RESOURCE_TYPE_MODEL', cost_metrics: { billed_amount_usd: '1' } },
              ...{ user_info: { service_account_name: name }, byok_status: 'COST_ANALYTICS_BYOK_STATUS_BYOK' },
            },
          ];
          await client.admin('POST', 'import', facts.map((fact) => JSON.stringify(fact)).join('\n'));
          const { status } = await client.post(PATHS.setOverrides, {
            overrides: [
              {
                user_email: 'ada@example.com',
                resource: CREDITS,
                period: MONTHLY,
                config: { limit: String(page + 1) },
              },
            ],
          });
          assert.equal(status, 200);
          if (page === 1) await client.admin('POST', 'clock', { advanceMs: 3 * 3_600_000 });
        }
        const old = seen.filter((name) => !name.includes('newcomer'));
        assert.equal(new Set(seen).size, seen.length, `${path} repeats no row`);
        assert.deepEqual(old, labels(before.rows), path);
        await begin(`${NOW.slice(0, 10)}T23:59:00.000Z`);
      }
    });
  });

  for (const plan of ['credits', 'usd'] as const) {
    describe(`budgets of an organization that pays by ${plan}`, () => {
      before(() => begin(NOW, plan));
      const planned = plan === 'usd' ? USD : CREDITS;

      async function listed(request: Request = {}): Promise<unknown> {
        const { status, body } = await client.post(PATHS.getOverrides, request);
        assert.equal(status, 200, JSON.stringify(body));
        assert.deepEqual(Object.keys(body), ['overrides']);
        return body.overrides;
      }

      it('are those of the data: of the plan, of members, and of the requested accounts', async () => {
        for (const request of [
          {},
          { user_emails: ['ADA@EXAMPLE.COM', 'çelik@example.com'] },
          { service_account_names: ['Nightly-Build'] },
          { user_emails: ['bob@example.com'], service_account_names: ['release'] },
          { resource: CREDITS },
          { resource: USD, period: MONTHLY },
          { user_emails: [], resource: planned },
        ])
          assert.deepEqual(await listed(request), naive.overrides(request), JSON.stringify(request));
        assert.ok(naive.overrides({}).length > 5);
      });

      it('list all accounts that are not members, including people who left', async () => {
        const answer = await client.post(PATHS.getOverrides, {
          user_emails: [
            'ada@example.com',
            'left-long-ago@example.com',
            'Undeclared@example.com',
            'leaving-later@example.com',
          ],
          service_account_names: ['release', 'RELEASE'],
        });
        refused(
          answer,
          400,
          'InvalidArgument',
          'user_email(s) not found on this organization: left-long-ago@example.com, Undeclared@example.com; ' +
            'service_account_name(s) not found on this organization: RELEASE',
        );
      });

      it('are set, changed and cleared one by one, whatever the errors of others', async () => {
        const set = async (overrides: unknown[]): Promise<{ error_message: string }[]> => {
          const { status, body } = await client.post(PATHS.setOverrides, { overrides });
          assert.equal(status, 200, JSON.stringify(body));
          assert.deepEqual(Object.keys(body), ['failures']);
          return body.failures as { error_message: string }[];
        };
        const good = { resource: planned, period: MONTHLY, config: { limit: '999999999999999999' } };
        const wrong: Request[] = [
          { ...good, user_email: 'nobody@example.com' },
          { ...good, user_email: 'left-long-ago@example.com' },
          { ...good, service_account_name: 'RELEASE' },
          { ...good, user_email: 'Zoe@example.com', resource: plan === 'usd' ? CREDITS : USD },
          { ...good, user_email: 'dora@example.com', resource: 'BUDGET_RESOURCE_HOURS' },
          { ...good, user_email: 'eve@example.com', period: 'BUDGET_PERIOD_DAILY' },
          { user_email: 'frank@example.com', period: MONTHLY, config: { limit: '5' } },
          { user_email: 'frank@example.com', resource: planned, config: { limit: '5' } },
          { user_email: 'frank@example.com', resource: planned, period: MONTHLY },
          ...['0', '01', '-5', '1.5', ' 5', '1e3', '1000000000000000000', '٣', 5, null].map((limit, i) => ({
            ...good,
            ...(i % 2 === 0 ? { user_email: 'adam@example.com' } : { service_account_name: 'release' }),
            period: i < 2 ? MONTHLY : `X${i}`,
            config: { limit },
          })),
        ];
        const before = (await listed()) as unknown[];
        const failures = await set([
          ...wrong,
          { ...good, user_email: 'BOB@example.com' },
          { ...good, service_account_name: 'ada@example.com' },
        ]);
        assert.equal(failures.length, wrong.length);
        failures.forEach(({ error_message, ...identity }, i) => {
          const { user_email, service_account_name } = wrong[i]!;
          assert.deepEqual(
            identity,
            user_email === undefined ? { service_account_name } : { user_email },
            'in order, as given',
          );
          assert.ok(error_message.length > 10);
        });
        const worse = { ...good, user_email: 'dora@example.com', period: 'X', config: { limit: '0' } };
        const firsts = await set([
          { ...worse, user_email: 'nobody@example.com', resource: 'X' },
          { ...worse, resource: 'X' },
          { ...worse, resource: plan === 'usd' ? CREDITS : USD },
          { ...worse, user_email: 'eve@example.com' },
        ]);
        const reasons = [/not found on this organization/, /^resource must be/, /billing plan/, /^period must be/];
        firsts.forEach(({ error_message }, i) => assert.match(error_message, reasons[i]!));
        const bob = { user_email: 'Bob@example.com', ...good };
        const account = { service_account_name: 'ada@example.com', ...good };
        assert.deepEqual(await listed({ user_emails: ['bob@example.com'] }), [bob]);
        assert.deepEqual(await listed({ service_account_names: ['ada@example.com'] }), [account]);
        assert.deepEqual(
          await set([
            { ...bob, config: { limit: '' } },
            { ...account, config: { limit: '1' } },
          ]),
          [],
        );
        assert.deepEqual(await listed({ user_emails: ['bob@example.com'] }), []);
        assert.deepEqual(await listed({ service_account_names: ['ada@example.com'] }), [
          { ...account, config: { limit: '1' } },
        ]);
        assert.deepEqual(await set([{ ...bob, config: { limit: '' } }]), [], 'clearing what is clear is no failure');
        const others = (rows: unknown[]): unknown[] =>
          rows.filter(
            (row) =>
              !/Bob@|ada@example.com"/.test(JSON.stringify(row)) || JSON.stringify(row).includes('"user_email":"ada@'),
          );
        assert.deepEqual(others((await listed()) as unknown[]), others(before), 'nothing else changed');
      });

      it('are accepted 5,000 at once', async () => {
        const people = Array.from({ length: 5000 }, (_, i) => `many-${String(i).padStart(4, '0')}@example.com`);
        const lines = people.map((user_email) => JSON.stringify({ kind: 'user', user_email }));
        assert.equal((await client.admin('POST', 'import', lines.join('\n'))).status, 200);
        const overrides = people.map((user_email, i) => ({
          ...{ user_email, resource: planned, period: MONTHLY },
          config: { limit: String(i + 1) },
        }));
        assert.deepEqual((await client.post(PATHS.setOverrides, { overrides })).body, { failures: [] });
        assert.deepEqual(await listed({ user_emails: people }), overrides);
        await begin(NOW, plan);
      });

      it('of concurrent batches equal those of one order of the batches', async () => {
        const people = ['ada', 'bob', 'dora', 'eve'].map((name) => `${name}@example.com`);
        const batch = (limit: string): Promise<Answer> =>
          client.post(PATHS.setOverrides, {
            overrides: people.map((user_email) => ({
              user_email,
              resource: planned,
              period: MONTHLY,
              config: { limit },
            })),
          });
        for (let round = 0; round < 5; round++) {
          const limits = Array.from({ length: 8 }, (_, i) => String(1 + round * 8 + i));
          await Promise.all(limits.map(batch));
          const rows = (await listed({ user_emails: people })) as { config: { limit: string } }[];
          assert.equal(rows.length, people.length);
          assert.equal(new Set(rows.map(({ config }) => config.limit)).size, 1, 'no batch is mixed with another');
          assert.ok(limits.includes(rows[0]!.config.limit));
        }
      });
    });
  }
}
