import * as z from 'zod/mini';
import { formatDay, type Day } from '../../base/day.ts';
import { isObject } from '../../base/json.ts';
import type { AnalyticsData, Loaded, LoadOptions } from '../client/analyticsData.ts';
import { endpoints, GROUP_BY_KEYS } from '../contract.ts';

/** A column of a dataset: `count` is a whole number, `text` includes amounts, which stay exact. */
export interface FactColumn {
  readonly name: string;
  readonly kind: 'text' | 'count';
}

/** Rows of one kind, with every field that the service answers. */
export interface Dataset {
  /** Its folder. */
  readonly name: string;
  readonly columns: readonly FactColumn[];
  /** Loads the rows of one finished day. */
  readonly load: (data: AnalyticsData, day: Day, options: LoadOptions) => Promise<Loaded<object>>;
}

const oneDay = (day: Day): { readonly first: Day; readonly last: Day } => ({ first: day, last: day });

/** All datasets of the analytics API by day. */
export const DATASETS: readonly Dataset[] = [
  {
    name: 'active_accounts',
    columns: columnsOf(endpoints.dau.response, 'users'),
    load: (data, day, options) => data.activeAccounts(oneDay(day), options),
  },
  {
    name: 'organization',
    columns: columnsOf(endpoints.dailyUsage.response, 'daily_usage'),
    load: (data, day, options) => data.dailyUsage(oneDay(day), options),
  },
  {
    name: 'activity',
    columns: columnsOf(endpoints.userActivity.response, 'users'),
    load: (data, day, options) => data.activity(oneDay(day), options),
  },
  {
    name: 'languages',
    columns: columnsOf(endpoints.dailyUserActivityByEditorLanguage.response, 'records'),
    load: (data, day, options) => data.languages(oneDay(day), options),
  },
  {
    name: 'credits',
    columns: columnsOf(endpoints.creditUsageByUser.response, 'records'),
    load: (data, day, options) => data.credits(oneDay(day), { date: true, model: true }, options),
  },
  {
    name: 'cost',
    columns: columnsOf(endpoints.costAnalytics.response, 'data_points'),
    load: (data, day, options) => data.cost(oneDay(day), GROUP_BY_KEYS, { ...options, daily: true }),
  },
];

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** The date, and the fields of the rows of a response; those of an object within a row are joined by `_`. */
function columnsOf(response: z.ZodMiniType, list: string): FactColumn[] {
  const whole = z.toJSONSchema(response, { unrepresentable: 'any', io: 'input' }) as Schema;
  const fields = fieldsOf(whole.properties?.[list]?.items ?? {}, '');
  const names = [...new Map(fields.map((one) => [one.name, one])).values()].filter(({ name }) => name !== 'date');
  return [{ name: 'date', kind: 'text' }, ...names];
}

function fieldsOf({ properties, anyOf = [], oneOf = [], allOf = [], type }: Schema, name: string): FactColumn[] {
  const variants = [...anyOf, ...oneOf, ...allOf];
  if (variants.some(hasFields)) return variants.flatMap((one) => fieldsOf(one, name));
  if (properties)
    return Object.entries(properties).flatMap(([key, one]) => fieldsOf(one, name === '' ? key : `${name}_${key}`));
  if (name === '') return [];
  const isCount = type === 'integer' || name.endsWith('_tokens');
  return [{ name, kind: isCount ? 'count' : 'text' }];
}

function hasFields({ properties, anyOf = [], oneOf = [], allOf = [] }: Schema): boolean {
  return properties !== undefined || [...anyOf, ...oneOf, ...allOf].some(hasFields);
}

/** A value of a row: text, a whole number of any size, or none. */
export type FactCell = string | bigint | undefined;

/** The cells of a row of a day, in the order of the columns. */
export function cellsOf(columns: readonly FactColumn[], row: object, day: Day): FactCell[] {
  const fields = new Map(flattened(row, ''));
  fields.set('date', formatDay(day));
  return columns.map(({ name, kind }) => {
    const value = fields.get(name);
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
    return kind === 'count' ? BigInt(value) : String(value);
  });
}

function flattened(value: object, prefix: string): [string, unknown][] {
  return Object.entries(value).flatMap(([key, one]: [string, unknown]): [string, unknown][] => {
    const name = prefix === '' ? key : `${prefix}_${key}`;
    return isObject(one) ? flattened(one, name) : [[name, one]];
  });
}
