import { firstOfNextMonth, isWeekend, parseDay, startOfDay, type Day } from '../../src/base/day.ts';
import type { Decimal } from '../../src/base/decimal.ts';
import { wholeAmount } from '../../src/analytics/insights/amounts.ts';
import { forecastMonth } from '../../src/analytics/insights/forecast.ts';
import type { DaySeries } from '../../src/analytics/insights/series.ts';
import {
  materialAccounts,
  unusualSpending,
  usualWorkingDay,
  type SpendingHistory,
  type SpendingSubject,
  type UnusualSpending,
} from '../../src/analytics/insights/unusual.ts';
import type { CostFact } from '../../src/server/analytics/factSource.ts';
import { Dice } from '../../src/server/analytics/simulation/random.ts';
import { Simulation } from '../../src/server/analytics/simulation/simulation.ts';

/* Backtests of judgements on simulated organizations, with events planted in their figures. */

const NOW = Date.UTC(2026, 10, 21, 12);
const NOTHING = { byDay: true, byProduct: false, byResource: false, byUser: false, byByok: false, byExpert: false };
const WHOLE_DAYS = 84;
const ACCOUNT_DAYS = 42;

function simulate(seed: number, users: number): Simulation {
  return new Simulation({ seed, users, plan: 'credits' }, { now: () => NOW });
}

/** Daily credits by a key of the points. */
function daily(facts: Iterable<CostFact>, last: Day, count: number, keyOf: (fact: CostFact) => string): DaySeries[] {
  const rows = new Map<string, Decimal[]>();
  const first = last - count + 1;
  for (const fact of facts) {
    const key = keyOf(fact);
    const row = rows.get(key) ?? Array.from({ length: count }, () => 0n);
    rows.set(key, row);
    row[fact.day! - first] = row[fact.day! - first]! + fact.sums.credits;
  }
  return [...rows].map(([key, amounts]) => ({ key, name: key, amounts }));
}

interface Truth extends SpendingHistory {
  readonly last: Day;
}

function truthOf(source: Simulation, last: Day): Truth {
  const range = (count: number): { first: Day; last: Day } => ({ first: last - count + 1, last });
  const series = (by: object, count: number, keyOf: (fact: CostFact) => string): DaySeries[] =>
    daily(source.cost(range(count), { ...NOTHING, ...by }, {}), last, count, keyOf);
  return {
    last,
    whole: series({}, WHOLE_DAYS, () => '')[0]!.amounts,
    accounts: series({ byUser: true }, ACCOUNT_DAYS, ({ values }) => JSON.stringify(values.user_info)),
    resources: series({ byResource: true }, WHOLE_DAYS, ({ values }) => values.resource_display_name ?? ''),
    products: series({ byProduct: true }, WHOLE_DAYS, ({ values }) => values.product_display_name ?? ''),
  };
}

/** Smallest excess of a planted event, in percent of a usual working day: less is not worth a report. */
const MATERIAL_PERCENT = { account: 20n, day: 50n, resource: 50n, product: 50n } as const;

/** A planted event: more spending of one subject on some of the last days. */
interface Planted {
  readonly subject: SpendingSubject;
  /** Keys of the series that grow by it. */
  readonly affected: Readonly<Record<SpendingSubject, string>>;
  readonly from: Day;
  readonly to: Day;
  /** The amount added on each day of the event. */
  readonly added: ReadonlyMap<Day, Decimal>;
}

/** Plants one event: an account that explodes, a new account, a dearer model, a product in a loop, a surge of all. */
function plant(truth: Truth, dice: Dice): { readonly history: Truth; readonly planted: Planted } {
  const { last, whole, accounts, resources } = truth;
  const subject = (['account', 'account', 'account', 'account', 'resource', 'product', 'day'] as const)[dice.below(7)]!;
  const usual = usualWorkingDay(whole, last);
  const to = last - dice.below(4);
  const from = to - dice.below(subject === 'day' ? 1 : 6);
  const named = { account: accounts, resource: resources, product: truth.products, day: [] }[subject];
  const large = named.filter(({ amounts }) => sumOf(amounts.slice(-28)) * 100n > sumOf(whole.slice(-28)) * 20n);
  const isNew = subject === 'account' && dice.percent(20);
  const target = subject === 'account' ? named[dice.below(named.length)]! : large[dice.below(large.length)];
  const key = subject === 'day' ? '' : isNew ? 'new' : target!.key;
  const added = new Map<Day, Decimal>();
  for (let day = from; day <= to; day++) {
    // People rest at week-ends; a loop, a price and a surge do not.
    if (subject === 'account' && isWeekend(day) && dice.percent(50)) continue;
    const at = (row: readonly Decimal[]): Decimal => row[row.length - 1 - (last - day)]!;
    const percent = {
      account: BigInt(dice.between(25, 300)),
      resource: BigInt(dice.between(80, 200)),
      product: BigInt(dice.between(100, 300)),
      day: BigInt(dice.between(100, 250)),
    }[subject];
    const base = subject === 'account' ? usual : subject === 'day' ? at(whole) : at(target!.amounts);
    if (base > 0n) added.set(day, (base * percent) / 100n);
  }
  const plus = (row: readonly Decimal[]): Decimal[] =>
    row.map((amount, i) => amount + (added.get(last - row.length + 1 + i) ?? 0n));
  // Each amount has a model and a product, so these sums grow as well.
  const largest = (rows: readonly DaySeries[]): string =>
    rows.reduce((a, b) => (sumOf(a.amounts.slice(-28)) > sumOf(b.amounts.slice(-28)) ? a : b)).key;
  const affected = {
    day: '',
    account: subject === 'account' ? key : largest(accounts),
    resource: subject === 'resource' ? key : largest(resources),
    product: subject === 'product' ? key : largest(truth.products),
  };
  const change = (of: SpendingSubject, rows: readonly DaySeries[]): DaySeries[] =>
    rows.map((one) => (one.key === affected[of] ? { ...one, amounts: plus(one.amounts) } : one));
  const newcomer = { key, name: key, amounts: plus(Array.from({ length: ACCOUNT_DAYS }, () => 0n)) };
  return {
    planted: { subject, affected, from, to, added },
    history: {
      last,
      whole: plus(whole),
      accounts: isNew ? [...accounts, newcomer] : subject === 'account' ? change('account', accounts) : accounts,
      resources: change('resource', resources),
      products: change('product', truth.products),
    },
  };
}

function sumOf(amounts: readonly Decimal[]): Decimal {
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}

/** Whether an alarm is about a planted event: a series that it made grow, on the same days. */
function isAbout({ subject, key, since, until }: UnusualSpending, planted: Planted): boolean {
  const overlaps = parseDay(since)! <= planted.to && parseDay(until)! >= planted.from;
  return overlaps && key === planted.affected[subject];
}

const LEAST = wholeAmount(500);

/** The part of the accounts whose days the report requests. */
function asReported(truth: Truth): SpendingHistory {
  const week = truth.accounts
    .map((one) => ({ ...one, amount: sumOf(one.amounts.slice(-7)) }))
    .filter(({ amount }) => amount > 0n)
    .sort((a, b) => (a.amount > b.amount ? -1 : 1));
  const material = materialAccounts(week, usualWorkingDay(truth.whole, truth.last), LEAST);
  return {
    ...truth,
    accounts: material.length * 2 < week.length ? material : truth.accounts,
    accountCount: week.length,
  };
}

export interface UnusualFigures {
  readonly planted: number;
  readonly recalled: number;
  readonly alarms: number;
  readonly right: number;
  readonly calmWeeks: number;
  readonly calmAlarms: number;
}

/** Days of the year at which organizations are looked at: also holidays, summer and changes of models. */
const ENDS = [
  '2026-11-20',
  '2026-10-06',
  '2026-08-31',
  '2026-07-15',
  '2026-05-20',
  '2026-04-13',
  '2026-02-06',
  '2025-12-18',
];

/** Plants an event in each organization at each of some dates; also counts the alarms without any. */
export function backtestUnusual(users: number, organizations: number): UnusualFigures {
  const figures = { planted: 0, recalled: 0, alarms: 0, right: 0, calmWeeks: 0, calmAlarms: 0 };
  for (let seed = 1; seed <= organizations; seed++) {
    const source = simulate(seed, users);
    const dice = new Dice(seed * 1000 + users);
    for (const end of ENDS) {
      const truth = truthOf(source, parseDay(end)!);
      const options = { from: truth.last - 6, least: LEAST };
      figures.calmWeeks++;
      figures.calmAlarms += unusualSpending(asReported(truth), options).length;
      const { history, planted } = plant(truth, dice);
      const sum = sumOf([...planted.added.values()]);
      if (sum * 100n < usualWorkingDay(truth.whole, truth.last) * MATERIAL_PERCENT[planted.subject]) continue;
      const found = unusualSpending(asReported(history), options);
      const right = found.filter((one) => isAbout(one, planted));
      figures.planted++;
      figures.recalled += Number(right.some(({ subject }) => subject === planted.subject));
      figures.alarms += found.length;
      figures.right += right.length;
    }
  }
  return figures;
}

export interface ForecastFigures {
  readonly day: number;
  /** Mean and median error, and the share of errors within 6 %. */
  readonly mean: number;
  readonly median: number;
  readonly within: number;
  /** The mean error of a straight line. */
  readonly line: number;
  /** How often the band holds the truth, and half its width. */
  readonly held: number;
  readonly width: number;
}

/** As {@link finishedDays} loads them: the last months, and the month of a year ago with eight weeks before it. */
const HISTORY_DAYS = 160;
const YEAR_DAYS = 364;
const OLDEST_DAYS = 31 + YEAR_DAYS + 56;

/** Forecasts each month of a year on four days. */
export function backtestForecast(users: number, organizations: number): ForecastFigures[] {
  const [from, to] = [parseDay('2025-11-01')!, parseDay('2026-11-01')!];
  const first = from - OLDEST_DAYS;
  const organizationsDays = Array.from({ length: organizations }, (_, i) => {
    const facts = simulate(i + 1, users).cost({ first, last: to }, NOTHING, {});
    return daily(facts, to, to - first + 1, () => '')[0]!.amounts;
  });
  return [3, 5, 10, 20].map((day) => {
    const errors: number[] = [];
    const lines: number[] = [];
    const widths: number[] = [];
    let held = 0;
    for (const amounts of organizationsDays)
      for (let month = from; month < to; month = firstOfNextMonth(month)) {
        const between = (a: Day, b: Day): Decimal[] => amounts.slice(a - first, b - first);
        const [now, end] = [month + day, firstOfNextMonth(month)];
        const spent = sumOf(between(month, now));
        const truth = Number(sumOf(between(month, end)));
        const [then, thenEnd] = [month - YEAR_DAYS - 56, end - YEAR_DAYS];
        const history = {
          ...{ first: now - HISTORY_DAYS, amounts: between(now - HISTORY_DAYS, now) },
          lastYear: { first: then, amounts: between(then, thenEnd) },
        };
        const { projected, band } = forecastMonth(spent, startOfDay(now), history);
        errors.push(Math.abs(Number(projected) / truth - 1));
        lines.push(Math.abs((Number(spent) * (end - month)) / day / truth - 1));
        const { low, high } = band!;
        held += Number(Number(low) <= truth && truth <= Number(high));
        widths.push(Number(high - low) / truth / 2);
      }
    const sorted = [...errors].sort((a, b) => a - b);
    const mean = (list: readonly number[]): number => list.reduce((sum, one) => sum + one, 0) / list.length;
    const within = errors.filter((error) => error <= 0.06).length / errors.length;
    const median = sorted[sorted.length >> 1]!;
    return {
      day,
      mean: mean(errors),
      median,
      within,
      line: mean(lines),
      held: held / errors.length,
      width: mean(widths),
    };
  });
}
