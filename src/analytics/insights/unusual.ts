import { formatDay, isWeekend, type Day } from '../../base/day.ts';
import type { Decimal } from '../../base/decimal.ts';
import { median } from './anomalies.ts';
import type { DaySeries } from './series.ts';

/** Days of data before which nothing is unusual: two weeks know each weekday twice. */
export const WARM_UP_DAYS = 14;
/** Ordinary days with spending below which a subject has no baseline of its own. */
const FEWEST_DAYS = 5;
/** Values of one weekday from which it has a median of its own, in place of that of working days or week-ends. */
const FEWEST_OF_WEEKDAY = 4;
/** Days before a day that count as its past. */
const BASELINE_DAYS = 56;
/** Deviations from the median beyond which a day may be unusual. */
const THRESHOLD = 3.5;
/**
 * A day is unusual only if it also exceeds a multiple of a high ordinary day: spending has a long tail, in which a median
 * deviation alone finds an alarm for each account and month.
 */
const HIGH_DAY = { quantile: 0.9, times: 3 };
/** Smallest deviation, as a share of the median: equal days would make any change unusual. */
const LEAST_DEVIATION = 0.1;
/** Makes the median absolute deviation comparable with a standard deviation. */
const OF_MEDIAN = 1.4826;
/** Units of one amount in which medians are computed: exact integers up to nine billion. */
const MICROS = 10n ** 32n;
/** Days after which what was unusual joins the baseline: it is no news any more. */
const NEW_NORMAL_DAYS = 28;
const WEEK = 7;
/** Factor up to which the high days of a weekly job are alike. */
const ALIKE = 1.5;

/** Subjects of spending: all of a day, an account, a model or machine, a product. */
export const SPENDING_SUBJECTS = ['day', 'account', 'resource', 'product'] as const;
export type SpendingSubject = (typeof SPENDING_SUBJECTS)[number];

/** A run of days with unusually high spending of one subject. */
export interface UnusualSpending {
  readonly subject: SpendingSubject;
  readonly key: string;
  readonly name: string;
  /** First and last unusual day, `2026-11-16`. */
  readonly since: string;
  readonly until: string;
  /** Number of unusual days. */
  readonly days: number;
  /** Spending of these days, what is usual for them, and the difference. */
  readonly amount: Decimal;
  readonly usual: Decimal;
  readonly excess: Decimal;
}

/**
 * Daily spending of an organization and of its parts. Each series ends on the last day; those of one kind are equally
 * long.
 */
export interface SpendingHistory {
  /** The last day. */
  readonly last: Day;
  readonly whole: readonly Decimal[];
  /** All accounts, or those of {@link materialAccounts}. */
  readonly accounts: readonly DaySeries[];
  /** Number of accounts with spending in the last week; by default, that of `accounts`. */
  readonly accountCount?: number;
  readonly resources: readonly DaySeries[];
  readonly products: readonly DaySeries[];
}

export interface UnusualOptions {
  /** Only runs that end on this day or later. */
  readonly from: Day;
  /** Smallest excess of a run that is worth a report, whatever the size of the organization. */
  readonly least: Decimal;
}

/** Smallest excess of a run in percent of a usual working day of the organization. */
const LEAST_PERCENT = { account: 10n, day: 30n, resource: 30n, product: 30n } as const;
/** The same for the mean of its days: small models would add up to it in a month. */
const LEAST_DAY_PERCENT = { account: 0n, day: 30n, resource: 10n, product: 10n } as const;
/** The share of accounts' days below which a new account is ordinary, and by what factor it has to exceed them. */
const NEW_ACCOUNT = { quantile: 0.99, leastQuantile: 0.5, times: 3n };

/** A series with the verdict on each of its days. */
interface JudgedSeries extends DaySeries {
  readonly first: Day;
  readonly verdicts: readonly DayVerdict[];
}

/**
 * Unusual spending of the organization and its parts, the largest excess first. Growth of one model or product that
 * others make up for is none: a change of models costs nothing more.
 */
export function unusualSpending(history: SpendingHistory, { from, least }: UnusualOptions): UnusualSpending[] {
  const { last, whole, accounts, accountCount = accounts.length, resources, products } = history;
  const usualDay = usualWorkingDay(whole, last);
  const dataFirst = firstSpending(whole, last);
  const ofNew = highDayOf(accounts, accountCount) * NEW_ACCOUNT.times;
  const checked = (subject: SpendingSubject, one: DaySeries): JudgedSeries => {
    const first = last - one.amounts.length + 1;
    const isAccount = subject === 'account';
    // A new model is compared with nothing: it replaces another one.
    const start = isAccount ? dataFirst : Math.max(dataFirst, firstSpending(one.amounts, last));
    const options = { first, alarmsFrom: start + WARM_UP_DAYS, byWeekday: !isAccount, ...(isAccount && { ofNew }) };
    return { ...one, first, verdicts: classifyDays(one.amounts, options) };
  };
  const find = (subject: SpendingSubject, series: readonly DaySeries[]): UnusualSpending[] => {
    const all = series.map((one) => checked(subject, one));
    return all.flatMap((one) =>
      runsOf(one).flatMap((run) => {
        const found = describeRun(subject, one, run);
        const { excess, days } = found;
        const isOld = one.first + run.at(-1)! < from;
        const isSmall =
          excess < least ||
          excess * 100n < usualDay * LEAST_PERCENT[subject] ||
          excess * 100n < usualDay * LEAST_DAY_PERCENT[subject] * BigInt(days);
        const isReplacing = subject === 'resource' || subject === 'product' ? declineOf(all, run) * 2n > excess : false;
        return isOld || isSmall || isReplacing ? [] : [found];
      }),
    );
  };
  const found = [
    ...find('day', [{ key: '', name: '', amounts: whole }]),
    ...find('account', accounts),
    ...find('resource', resources),
    ...find('product', products),
  ];
  return found.sort((a, b) => (a.excess === b.excess ? (a.key < b.key ? -1 : 1) : a.excess > b.excess ? -1 : 1));
}

/** Largest number of accounts that are compared day by day; the requests for more would take minutes. */
const MOST_ACCOUNTS = 500;

/**
 * The accounts that spent at least the smallest excess in the last week: others have no unusual spending in it. At most
 * some fifty can have spent a tenth of a usual day, however many accounts there are, so their days take few requests.
 */
export function materialAccounts<Account extends { readonly amount: Decimal }>(
  week: readonly Account[],
  usualDay: Decimal,
  least: Decimal,
): Account[] {
  const material = week.filter(({ amount }) => amount >= least && amount * 100n >= usualDay * LEAST_PERCENT.account);
  return material.slice(0, MOST_ACCOUNTS);
}

function firstSpending(amounts: readonly Decimal[], last: Day): Day {
  const lead = amounts.findIndex((amount) => amount > 0n);
  return last - amounts.length + 1 + Math.max(0, lead);
}

function describeRun(subject: SpendingSubject, series: JudgedSeries, run: readonly number[]): UnusualSpending {
  const { key, name, amounts, verdicts, first } = series;
  const amount = run.reduce((total, i) => total + amounts[i]!, 0n);
  const usual = run.reduce((total, i) => total + verdicts[i]!.usual, 0n);
  const [since, until] = [formatDay(first + run[0]!), formatDay(first + run.at(-1)!)];
  return { subject, key, name, since, until, days: run.length, amount, usual, excess: amount - usual };
}

/** What series of the same days lack of their usual spending on some of them. */
function declineOf(series: readonly JudgedSeries[], run: readonly number[]): Decimal {
  let sum = 0n;
  for (const { amounts, verdicts } of series) {
    const lack = run.reduce((total, i) => total + verdicts[i]!.usual - amounts[i]!, 0n);
    if (lack > 0n) sum += lack;
  }
  return sum;
}

/** The median of working days with spending. */
export function usualWorkingDay(whole: readonly Decimal[], last: Day): Decimal {
  const days = whole.filter((amount, i) => amount > 0n && !isWeekend(last - whole.length + 1 + i));
  return BigInt(Math.round(median(days.length === 0 ? [0] : days.map(inMicros)))) * MICROS;
}

/**
 * A high day of an account, among all days with spending before the last two weeks, which are those of new accounts. The
 * high days of all are taken to be those of `accounts`, the largest.
 */
function highDayOf(accounts: readonly DaySeries[], accountCount: number): Decimal {
  const part = (1 - NEW_ACCOUNT.quantile) * (accountCount / Math.max(1, accounts.length));
  const days = accounts
    .flatMap(({ amounts }) => amounts.slice(0, -WARM_UP_DAYS).filter((amount) => amount > 0n))
    .map(inMicros);
  return BigInt(quantileOf(days, Math.max(NEW_ACCOUNT.leastQuantile, 1 - part)) ?? 0) * MICROS;
}

/** Whether each day is unusual, and its usual spending. */
export interface DayVerdict {
  readonly isUnusual: boolean;
  readonly usual: Decimal;
}

/**
 * Classifies each day by the ordinary days before it. Their middle is the median of the weekday, or of all comparable
 * days where the weekday has few values; their spread is the median absolute deviation. Days without spending are no
 * baseline, such as holidays. An unusual day joins the baseline four weeks later, so that an explosion stays unusual until then. After B.
 * Iglewicz and D. Hoaglin, "How to Detect and Handle Outliers" (1993), with medians by weekday and a second condition.
 */
export function classifyDays(amounts: readonly Decimal[], options: DayOptions): DayVerdict[] {
  const { first, alarmsFrom, byWeekday, ofNew } = options;
  const values = amounts.map(inMicros);
  const limitOfNew = ofNew === undefined ? undefined : inMicros(ofNew);
  const isUnusual = values.map(() => false);
  return values.map((value, i) => {
    const baseline = baselineOf(values, isUnusual, i, byWeekday ? first : undefined);
    const limit = baseline ? baseline.limit : limitOfNew;
    const isHigh = first + i >= alarmsFrom && limit !== undefined && value > limit;
    isUnusual[i] = isHigh && !isWeekly(values, isUnusual, i);
    return { isUnusual: isUnusual[i], usual: BigInt(Math.round(baseline?.middle ?? 0)) * MICROS };
  });
}

export interface DayOptions {
  /** The day of the first amount. */
  readonly first: Day;
  /** The first day that may be unusual. */
  readonly alarmsFrom: Day;
  /** Whether weekdays are compared with each other: those of an organization differ, those of a person need not. */
  readonly byWeekday: boolean;
  /** Spending of a day above which a subject without a past is unusual; by default, it never is. */
  readonly ofNew?: Decimal | undefined;
}

/** Whether a high day comes each week, alone, such as that of a weekly job: twice before, and nearly as high. */
function isWeekly(values: readonly number[], isUnusual: readonly boolean[], i: number): boolean {
  const before = [i - WEEK, i - 2 * WEEK].map((j) => values[j] ?? 0);
  const isAlone = !isUnusual.slice(Math.max(0, i - WEEK + 1), i).includes(true);
  return isAlone && before.every((value) => values[i]! <= value * ALIKE);
}

/** The usual value of a day and the highest ordinary one; undefined if the past says too little. */
function baselineOf(
  values: readonly number[],
  isUnusual: readonly boolean[],
  i: number,
  first: Day | undefined,
): { readonly middle: number; readonly limit: number } | undefined {
  const all: number[] = [];
  const ofWeekday: number[] = [];
  for (let j = Math.max(0, i - BASELINE_DAYS); j < i; j++) {
    if (values[j] === 0 || (isUnusual[j] && i - j < NEW_NORMAL_DAYS)) continue;
    if (first !== undefined && isWeekend(first + j) !== isWeekend(first + i)) continue;
    all.push(values[j]!);
    if (first !== undefined && (i - j) % WEEK === 0) ofWeekday.push(values[j]!);
  }
  if (all.length < FEWEST_DAYS) return undefined;
  const center = median(all);
  const middle = ofWeekday.length < FEWEST_OF_WEEKDAY ? center : median(ofWeekday);
  const deviation = OF_MEDIAN * median(all.map((value) => Math.abs(value - center)));
  const spread = Math.max(deviation, LEAST_DEVIATION * middle);
  const high = first === undefined ? quantileOf(all, HIGH_DAY.quantile)! * HIGH_DAY.times : 0;
  return { middle, limit: Math.max(middle + THRESHOLD * spread, high) };
}

/** Runs of unusual days, as indices. A week-end or a day off does not end a run; an ordinary working day does. */
function runsOf({ amounts, verdicts, first }: JudgedSeries): number[][] {
  const runs: number[][] = [];
  let isOpen = false;
  verdicts.forEach(({ isUnusual }, i) => {
    if (isUnusual && isOpen) runs.at(-1)!.push(i);
    else if (isUnusual) runs.push([i]);
    if (isUnusual) isOpen = true;
    else if (amounts[i] !== 0n && !isWeekend(first + i)) isOpen = false;
  });
  return runs;
}

function inMicros(amount: Decimal): number {
  return Number(amount / MICROS);
}

/** The smallest value that a share of all values does not exceed; undefined for no values. */
export function quantileOf(values: readonly number[], share: number): number | undefined {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}
