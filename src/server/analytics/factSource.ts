import {
  METRIC_FIELDS,
  type BudgetOverride,
  type ByokStatus,
  type GroupByValues,
  type Metrics,
  type Plan,
} from '../../analytics/contract.ts';
import type { DayRange } from '../../analytics/dateRules.ts';
import type { Identity } from '../../analytics/identity.ts';
import type { Day } from '../../base/day.ts';
import type { Decimal } from '../../base/decimal.ts';

/*
 * What the analytics service needs of a source of data. Rows come in the order of the answers and are requested after a
 * key, never by number: a page costs what it holds, and paging neither repeats nor drops a row while data changes.
 */

/** Where a row stands: texts, compared one after the other by code units. */
export type RowKey = readonly string[];

export interface OrganizationInfo {
  readonly plan: Plan;
  /** The API is for customers of the enterprise plan only. */
  readonly enterprise: boolean;
}

/** Metrics in the order of `METRIC_FIELDS`. */
export type Figures = readonly number[];

/** Those that are not 0, as data files have them. */
export function nonZero(figures: Figures): Partial<Metrics> {
  return Object.fromEntries(METRIC_FIELDS.flatMap((field, i) => (figures[i] === 0 ? [] : [[field, figures[i]!]])));
}

export interface AccountRow {
  readonly key: RowKey;
  readonly identity: Identity;
}

export interface ActivityFact extends AccountRow {
  /** Distinct days with activity. */
  readonly activeDays: number;
  readonly figures: Figures;
}

export interface EditorLanguageRow extends AccountRow {
  readonly language: string;
  readonly editor: string;
  readonly figures: Figures;
}

export interface CreditFact extends AccountRow {
  readonly credits: number;
  /** Present in rows by date. */
  readonly day?: Day;
  /** Present in rows by model. */
  readonly model?: string;
}

export interface CostGrouping {
  readonly byDay: boolean;
  readonly byProduct: boolean;
  readonly byResource: boolean;
  readonly byUser: boolean;
  readonly byByok: boolean;
  readonly byExpert: boolean;
}

/** What a row of costs must have; a list that is missing asks for nothing. */
export interface CostFilters {
  /** {@link identityKey}s. */
  readonly identities?: ReadonlySet<string>;
  readonly products?: ReadonlySet<string>;
  readonly resources?: ReadonlySet<string>;
  readonly experts?: ReadonlySet<string>;
}

/**
 * Sums of one group of costs. Surcharge and estimated cost (section 2.5) follow from these: see `costMetricsOf`.
 */
export interface CostSums {
  readonly billed: Decimal;
  readonly base: Decimal;
  /** The part of `base` whose usage was with the customer's own key. */
  readonly byokBase: Decimal;
  readonly credits: Decimal;
  /** In the order of `TOKEN_FIELDS`. */
  readonly tokens: readonly bigint[];
}

export interface CostFact {
  readonly key: RowKey;
  readonly day?: Day;
  readonly values: GroupByValues;
  readonly sums: CostSums;
}

export interface FactSource {
  readonly organization: OrganizationInfo;

  /** The identity as the organization spells it, where it is one of its members on `day`. */
  findMember(identity: Identity, day: Day): Identity | undefined;

  /** Where something has to be made before the first question can be answered: makes it, until the signal says stop. */
  prepare?(signal: AbortSignal): Promise<void>;

  /** How many accounts were active on each day. */
  activeCounts(range: DayRange): readonly number[];
  activeAccounts(day: Day, after?: RowKey): Iterable<AccountRow>;
  /** Of all accounts together on each day; `undefined` where none was active. */
  usage(range: DayRange): readonly (Figures | undefined)[];
  /** Of many rows at once, `limit` or some more. */
  activity(range: DayRange, after?: RowKey, limit?: number): Iterable<ActivityFact>;
  editorLanguages(day: Day, after?: RowKey): Iterable<EditorLanguageRow>;

  /**
   * Ordered by day, account and model, as far as requested. Of the day of `asOf`, in milliseconds since 1970, there
   * is what had happened then, where that is known.
   */
  credits(
    range: DayRange,
    by: { readonly date: boolean; readonly model: boolean },
    after?: RowKey,
    asOf?: number,
  ): Iterable<CreditFact>;

  /** Ordered by day, account, product, resource, BYOK status and expert, as far as requested. */
  cost(range: DayRange, by: CostGrouping, filters: CostFilters, after?: RowKey): Iterable<CostFact>;

  /** Overrides that came with the data. */
  overrides(): Iterable<BudgetOverride>;

  /** All that there is besides overrides, as lines of a data file (docs/local-server.md). */
  lines(): Iterable<string>;
}

export const BYOK: ByokStatus = 'COST_ANALYTICS_BYOK_STATUS_BYOK';

export function compareKeys(a: RowKey, b: RowKey): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    if (a[i] !== b[i]) return a[i]! < b[i]! ? -1 : 1;
  }
  return a.length - b.length;
}
