import { groupBy } from '../../base/collections.ts';
import { METRIC_FIELDS, type MetricField, type Metrics } from '../contract.ts';
import { identityKey, type Identity } from '../identity.ts';

/** A row that names an account (section 2.1). */
export interface Named {
  readonly user_email?: string | undefined;
  readonly service_account_name?: string | undefined;
}

export function identityOf({ user_email, service_account_name }: Named): Identity {
  return user_email === undefined
    ? { kind: 'service_account_name', name: service_account_name ?? '' }
    : { kind: 'user_email', name: user_email };
}

/** How many different people and service accounts there are: e-mail addresses without regard to case. */
export function distinctPeople(rows: Iterable<Named>): number {
  const keys = new Set<string>();
  for (const row of rows) keys.add(identityKey(identityOf(row)));
  return keys.size;
}

export function sumMetrics(rows: Iterable<Metrics>): Metrics {
  const sum = Object.fromEntries(METRIC_FIELDS.map((field) => [field, 0])) as Metrics;
  for (const row of rows) for (const field of METRIC_FIELDS) sum[field] += row[field];
  return sum;
}

/** Two rates that are often taken for each other, from 0 to 1; `undefined` where nothing was suggested. */
export interface Acceptance {
  /** Of the completions that were shown, those accepted. */
  readonly bySuggestions: number | undefined;
  /** Of the lines that were suggested, those taken. */
  readonly byLines: number | undefined;
}

export function acceptance(metrics: Metrics): Acceptance {
  return {
    bySuggestions: rate(metrics.completions_accepted, metrics.completions_count),
    byLines: rate(metrics.completions_lines_of_code, metrics.completions_suggested_lines_of_code),
  };
}

function rate(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : part / whole;
}

/** The kinds of use that messages are of, and completions. Remote Agents are of the past, and shown where there were any. */
export const KINDS = {
  completions_accepted: 'Accepted completions',
  chat_messages: 'Chat messages',
  ide_agent_messages: 'IDE agent messages',
  cli_agent_interactive_messages: 'CLI agent messages',
  cli_agent_non_interactive_messages: 'CLI agent messages without a person',
  remote_agent_messages: 'Remote agent messages',
} as const satisfies Partial<Record<MetricField, string>>;
export type KindField = keyof typeof KINDS;
export const KIND_FIELDS = Object.keys(KINDS) as readonly KindField[];

/** The mean of active people over the days, those without anybody included; `undefined` for no days. */
export function meanActive(days: readonly { readonly user_count: number }[]): number | undefined {
  return days.length === 0 ? undefined : days.reduce((sum, { user_count }) => sum + user_count, 0) / days.length;
}

/** What is done in one language or editor. Somebody who uses two counts in both, so that the people of all do not add up. */
export interface Usage {
  readonly name: string;
  readonly people: number;
  readonly metrics: Metrics;
}

export type LanguagePoint = Named & { readonly language: string; readonly editor: string; readonly metrics: Metrics };

/** Each language or editor, the one with most people first; of equal ones by name. */
export function usageBy(rows: readonly LanguagePoint[], dimension: 'language' | 'editor'): Usage[] {
  const all = [...groupBy(rows, (row) => row[dimension])].map(([name, own]) => ({
    name,
    people: distinctPeople(own),
    metrics: sumMetrics(own.map(({ metrics }) => metrics)),
  }));
  return all.sort((a, b) => b.people - a.people || (a.name < b.name ? -1 : 1));
}
