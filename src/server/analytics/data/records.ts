import { isObject } from '../../../base/json.ts';
import {
  BUDGET_PERIODS,
  BUDGET_RESOURCES,
  BYOK_STATUSES,
  IDENTITY_FIELDS,
  METRIC_FIELDS,
  RESOURCE_TYPES,
  TOKEN_FIELDS,
  USER_TYPES,
  messages,
  type BudgetOverride,
  type IdentityField,
  type MetricField,
  type Plan,
  type UserInfo,
  type UserType,
} from '../../../analytics/contract.ts';
import type { Identity } from '../../../analytics/identity.ts';
import { parseDay, type Day } from '../../../base/day.ts';
import { exact, MONEY_UNIT, parseMoney, parseTokens, type Amount } from './amount.ts';

/*
 * The records of a data file, checked by hand: a million lines have to load in seconds, and a schema library takes longer
 * for a line than JSON.parse. The format is described in docs/local-server.md.
 */

export interface ActivityRecord {
  readonly kind: 'activity';
  readonly day: Day;
  readonly identity: Identity;
  readonly language: string;
  readonly editor: string;
  /** In the order of `METRIC_FIELDS`. */
  readonly metrics: readonly number[];
}

export interface CreditsRecord {
  readonly kind: 'credits';
  readonly day: Day;
  readonly identity: Identity;
  readonly model: string;
  readonly credits: number;
}

export interface CostRecord {
  readonly kind: 'cost';
  readonly day: Day;
  readonly product: string;
  readonly resource: string;
  /** Index in `RESOURCE_TYPES`. */
  readonly resourceType: number;
  /** Without an identity where the account cannot be resolved. */
  readonly user: UserInfo;
  readonly isByok: boolean;
  readonly expert: string | undefined;
  readonly billed: Amount;
  readonly base: Amount;
  readonly credits: Amount;
  /** In the order of `TOKEN_FIELDS`. */
  readonly tokens: readonly Amount[];
  /** Which plan the estimated cost is right for, where it is not right for both. */
  readonly onlyFor?: 'enterprise' | 'self-serve';
}

export type DataRecord =
  | { readonly kind: 'org'; readonly plan: Plan; readonly enterprise: boolean }
  | { readonly kind: 'member'; readonly identity: Identity; readonly left: Day | undefined }
  | { readonly kind: 'bot'; readonly name: string }
  | { readonly kind: 'expert'; readonly id: string; readonly name: string }
  | ActivityRecord
  | CreditsRecord
  | CostRecord
  | { readonly kind: 'override'; readonly override: BudgetOverride };

type Fields = Readonly<Record<string, unknown>>;

/** Checks one parsed line. Throws an `Error` whose message is the reason shown to a person. */
export function readRecord(value: unknown): DataRecord {
  if (!isObject(value)) throw new Error('it is not a JSON object');
  const reader = typeof value.kind === 'string' && Object.hasOwn(READERS, value.kind) ? READERS[value.kind] : undefined;
  if (!reader) throw new Error(messages.oneOf('kind', Object.keys(READERS)));
  for (const field in value)
    if (field !== 'kind' && !reader.fields.has(field)) throw new Error(`there is no field "${field}" here`);
  return reader.read(value);
}

interface Reader {
  readonly fields: ReadonlySet<string>;
  readonly read: (record: Fields) => DataRecord;
}

const READERS: Readonly<Record<string, Reader>> = {
  org: reader(['plan', 'enterprise'], ({ plan, enterprise = true }) => {
    if (typeof enterprise !== 'boolean') throw new Error('enterprise must be true or false');
    return { kind: 'org', plan: oneOf('plan', plan, ['credits', 'usd'] as const), enterprise };
  }),
  user: member('user_email'),
  service_account: member('service_account_name'),
  bot: reader(['bot_name'], ({ bot_name }) => ({ kind: 'bot', name: name('bot_name', bot_name) })),
  expert: reader(['expert_id', 'name'], (record) => ({
    kind: 'expert',
    id: name('expert_id', record.expert_id),
    name: name('name', record.name),
  })),
  activity: reader(['date', ...IDENTITY_FIELDS, 'language', 'editor', 'metrics'], (record) => ({
    kind: 'activity',
    day: readDay('date', record.date),
    identity: readIdentity(record),
    language: name('language', record.language ?? 'Unknown'),
    editor: name('editor', record.editor ?? 'Unknown'),
    metrics: readMetrics(record.metrics),
  })),
  credits: reader(['date', ...IDENTITY_FIELDS, 'model_name', 'credits_consumed'], (record) => ({
    kind: 'credits',
    day: readDay('date', record.date),
    identity: readIdentity(record),
    model: name('model_name', record.model_name),
    credits: count('credits_consumed', record.credits_consumed),
  })),
  cost: reader(
    [
      ...['date', 'product_display_name', 'resource_display_name', 'resource_type', 'user_info', 'byok_status'],
      ...['expert_id', 'cost_metrics'],
    ],
    readCost,
  ),
  override: reader([...IDENTITY_FIELDS, 'resource', 'period', 'config'], (record) => ({
    kind: 'override',
    override: readOverride(record),
  })),
};

function reader(fields: readonly string[], read: Reader['read']): Reader {
  return { fields: new Set(fields), read };
}

function member(kind: IdentityField): Reader {
  return reader([kind, 'left'], (record) => ({
    kind: 'member',
    identity: { kind, name: name(kind, record[kind]) },
    left: record.left === undefined || record.left === null ? undefined : readDay('left', record.left),
  }));
}

function oneOf<V extends string>(field: string, value: unknown, values: readonly V[]): V {
  if (!values.includes(value as V)) throw new Error(messages.oneOf(field, values));
  return value as V;
}

/** A cursor has up to three names and goes into the head of a request, for which there are 16 KiB. */
const MAX_NAME = 1_000;
const MAX_NAME_BYTES = 3_000;

/** NUL separates the parts of keys. */
function name(field: string, value: unknown): string {
  if (typeof value !== 'string' || value === '' || value.includes('\0'))
    throw new Error(`${field} must be a text that is not empty`);
  if (value.length > MAX_NAME / 2 && isLong(value))
    throw new Error(`${field} must be at most ${MAX_NAME} characters, and ${MAX_NAME_BYTES} bytes as JSON`);
  return value;
}

function isLong(text: string): boolean {
  return text.length > MAX_NAME || Buffer.byteLength(JSON.stringify(text)) > MAX_NAME_BYTES + 2;
}

function count(field: string, value: unknown): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw new Error(`${field} must be an integer from 0 to 2^53 - 1`);
  return value as number;
}

/** A file has few days and names each of them again and again. */
const days = new Map<string, Day>();

function readDay(field: string, value: unknown): Day {
  const known = days.get(value as string);
  if (known !== undefined) return known;
  const day = typeof value === 'string' ? parseDay(value) : undefined;
  if (day === undefined) throw new Error(messages.notADate(field));
  if (days.size > 10_000) days.clear();
  days.set(value as string, day);
  return day;
}

function readIdentity(record: Fields): Identity {
  const { user_email, service_account_name } = record;
  if ((user_email === undefined) === (service_account_name === undefined))
    throw new Error('it must have exactly one of user_email and service_account_name');
  return user_email === undefined
    ? { kind: 'service_account_name', name: name('service_account_name', service_account_name) }
    : { kind: 'user_email', name: name('user_email', user_email) };
}

const METRIC_INDEX = new Map<string, number>(METRIC_FIELDS.map((field: MetricField, index) => [field, index]));

function readMetrics(value: unknown): number[] {
  if (!isObject(value)) throw new Error('metrics must be an object');
  const metrics = new Array<number>(METRIC_FIELDS.length).fill(0);
  for (const field in value) {
    const index = METRIC_INDEX.get(field);
    if (index === undefined) throw new Error(`there is no metric "${field}"`);
    metrics[index] = count(field, value[field]);
  }
  return metrics;
}

const COST_FIELDS: ReadonlySet<string> = new Set([
  ...['billed_amount_usd', 'estimated_customer_cost_usd', 'base_cost_usd', 'surcharge_usd', 'credits_consumed'],
  ...TOKEN_FIELDS,
]);

function readCost(record: Fields): CostRecord {
  const cost = record.cost_metrics;
  if (!isObject(cost)) throw new Error('cost_metrics must be an object');
  for (const field in cost) if (!COST_FIELDS.has(field)) throw new Error(`there is no cost metric "${field}"`);
  const isByok = oneOf('byok_status', record.byok_status, BYOK_STATUSES) === BYOK_STATUSES[0];
  const billed = money(cost, 'billed_amount_usd') ?? 0;
  const base = money(cost, 'base_cost_usd') ?? 0;
  const onlyFor = checkFormulas(cost, isByok, billed, base);
  const resourceType = oneOf('resource_type', record.resource_type, RESOURCE_TYPES);
  return {
    kind: 'cost',
    day: readDay('date', record.date),
    product: name('product_display_name', record.product_display_name),
    resource: name('resource_display_name', record.resource_display_name),
    resourceType: RESOURCE_TYPES.indexOf(resourceType),
    user: readUser(record.user_info),
    isByok,
    expert:
      record.expert_id === undefined || record.expert_id === null ? undefined : name('expert_id', record.expert_id),
    billed,
    base,
    credits: money(cost, 'credits_consumed') ?? 0,
    tokens: TOKEN_FIELDS.map((field) => {
      const tokens = parseTokens(cost[field] ?? 0);
      if (tokens === undefined) throw new Error(`${field} must be a count, as a number or above 2^53 - 1 as digits`);
      return tokens;
    }),
    ...(onlyFor && { onlyFor }),
  };
}

function money(cost: Fields, field: string): Amount | undefined {
  const value = cost[field];
  if (value === undefined) return undefined;
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  const amount = typeof text === 'string' ? parseMoney(text) : undefined;
  if (amount === undefined)
    throw new Error(`${field} must be a decimal of at most 38 digits as a string, such as "0.25"`);
  return amount;
}

/** Section 2.5. Surcharge and estimated cost follow from the billed amount and the base cost; where given, they must agree. */
function checkFormulas(cost: Fields, isByok: boolean, billed: Amount, base: Amount): CostRecord['onlyFor'] {
  const [given, estimated] = [money(cost, 'surcharge_usd'), money(cost, 'estimated_customer_cost_usd')];
  const surcharge = isByok ? billed : add(billed, base, -1);
  if (given !== undefined && !equal(given, surcharge))
    throw new Error(
      isByok
        ? 'surcharge_usd must be billed_amount_usd, as for all usage with a customer key'
        : 'surcharge_usd must be billed_amount_usd minus base_cost_usd',
    );
  if (estimated === undefined) return undefined;
  const forEnterprise = equal(estimated, isByok ? add(base, surcharge, 1) : billed);
  const forSelfServe = equal(estimated, billed);
  if (!forEnterprise && !forSelfServe) {
    throw new Error(
      'estimated_customer_cost_usd must be base_cost_usd plus surcharge_usd, or billed_amount_usd where self-serve',
    );
  }
  return forEnterprise === forSelfServe ? undefined : forEnterprise ? 'enterprise' : 'self-serve';
}

function add(a: Amount, b: Amount, sign: 1 | -1): Amount {
  return typeof a === 'number' && typeof b === 'number'
    ? a + sign * b
    : exact(a, MONEY_UNIT) + BigInt(sign) * exact(b, MONEY_UNIT);
}

function equal(a: Amount, b: Amount): boolean {
  return typeof a === typeof b ? a === b : exact(a, MONEY_UNIT) === exact(b, MONEY_UNIT);
}

const USER_FIELDS = ['user_email', 'service_account_name', 'bot_name'] as const;

/** The type of account that has this identity. */
export const TYPE_OF_FIELD: Readonly<Record<(typeof USER_FIELDS)[number], UserType>> = {
  user_email: 'COST_ANALYTICS_USER_TYPE_USER',
  service_account_name: 'COST_ANALYTICS_USER_TYPE_SERVICE_ACCOUNT',
  bot_name: 'COST_ANALYTICS_USER_TYPE_BOT',
};

function readUser(value: unknown): UserInfo {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw new Error('user_info must be an object or null');
  let info: UserInfo = {};
  for (const field in value) {
    if (field === 'user_type') continue;
    if (!USER_FIELDS.includes(field as 'bot_name')) throw new Error(`there is no field "user_info.${field}"`);
    if ('user_type' in info)
      throw new Error('user_info must have at most one of user_email, service_account_name and bot_name');
    const known = field as (typeof USER_FIELDS)[number];
    info = { user_type: TYPE_OF_FIELD[known], [known]: name(`user_info.${field}`, value[field]) };
  }
  if (value.user_type === undefined) return info;
  const type = oneOf('user_info.user_type', value.user_type, USER_TYPES);
  if ('user_type' in info && info.user_type !== type)
    throw new Error('user_info.user_type must be that of its identity');
  return 'user_type' in info ? info : { user_type: type };
}

function readOverride(record: Fields): BudgetOverride {
  const identity = readIdentity(record);
  const config = isObject(record.config) ? record.config : {};
  for (const field in config) if (field !== 'limit') throw new Error(`there is no field "config.${field}" here`);
  const { limit } = config;
  // Empty: the limit has been cleared (analytics-api.md 2.7).
  if (typeof limit !== 'string' || !/^$|^[1-9][0-9]{0,17}$/.test(limit))
    throw new Error(
      'config.limit must be a positive integer of at most 18 digits without leading zeros, as a string, or empty',
    );
  return {
    ...(identity.kind === 'user_email' ? { user_email: identity.name } : { service_account_name: identity.name }),
    resource: oneOf('resource', record.resource, BUDGET_RESOURCES),
    period: oneOf('period', record.period, BUDGET_PERIODS),
    config: { limit },
  };
}
