import { METRIC_FIELDS, type MetricField, type Metrics } from '../contract.ts';
import { identityKey, identityOf, type IdentifiedRow } from '../identity.ts';

/** The number of different people and service accounts, ignoring case in e-mail addresses. */
export function distinctPeople(rows: Iterable<IdentifiedRow>): number {
  const keys = new Set<string>();
  for (const row of rows) keys.add(identityKey(identityOf(row)));
  return keys.size;
}

export function sumMetrics(rows: Iterable<Metrics>): Metrics {
  const sum = Object.fromEntries(METRIC_FIELDS.map((field) => [field, 0])) as Metrics;
  for (const row of rows) for (const field of METRIC_FIELDS) sum[field] += row[field];
  return sum;
}

/** Two rates that are often confused, from 0 to 1; `undefined` without suggestions. */
export interface Acceptance {
  /** Accepted completions, of those shown. */
  readonly bySuggestions: number | undefined;
  /** Accepted lines, of those suggested. */
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

/** Kinds of messages, and completions. Remote Agents are obsolete, and shown only if there were any. */
export const MESSAGE_KINDS = {
  completions_accepted: 'Accepted completions',
  chat_messages: 'Chat messages',
  ide_agent_messages: 'IDE agent messages',
  cli_agent_interactive_messages: 'CLI agent messages',
  cli_agent_non_interactive_messages: 'CLI agent messages, automated',
  remote_agent_messages: 'Remote agent messages',
} as const satisfies Partial<Record<MetricField, string>>;
export type KindField = keyof typeof MESSAGE_KINDS;
export const KIND_FIELDS = Object.keys(MESSAGE_KINDS) as readonly KindField[];

/** The mean of active people over the days, including days without any; `undefined` for no days. */
export function meanActive(days: readonly { readonly user_count: number }[]): number | undefined {
  return meanOf(days.map(({ user_count }) => user_count));
}

/** Mean of values; `undefined` for no values. */
export function meanOf(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Usage of one language or editor. A person who uses two counts in both, so the numbers of people cannot be summed. */
export interface Usage {
  readonly name: string;
  readonly people: number;
  readonly metrics: Metrics;
}

export type LanguagePoint = IdentifiedRow & {
  readonly language: string;
  readonly editor: string;
  readonly metrics: Metrics;
};

/** Each language or editor, the one with most people first; of equal ones by name. */
export function usageBy(rows: readonly LanguagePoint[], dimension: 'language' | 'editor'): Usage[] {
  const tally = new UsageTally();
  tally.add(rows);
  return tally.by(dimension);
}

/** Sums rows by language and by editor as they arrive, possibly hundreds of thousands, and keeps none of them. */
export class UsageTally {
  readonly #sums = { language: new Map<string, Sum>(), editor: new Map<string, Sum>() };
  readonly #pairs = new Map<string, Sum & { readonly language: string; readonly editor: string }>();
  readonly #ofPerson = new Map<string, Map<string, number>>();

  add(rows: Iterable<LanguagePoint>): void {
    for (const row of rows) {
      const person = identityKey(identityOf(row));
      for (const dimension of ['language', 'editor'] as const) {
        const sums = this.#sums[dimension];
        const sum = sums.get(row[dimension]) ?? { people: new Set(), metrics: sumMetrics([]) };
        sums.set(row[dimension], sum);
        sum.people.add(person);
        for (const field of METRIC_FIELDS) sum.metrics[field] += row.metrics[field];
      }
      this.#addPair(row, person);
    }
  }

  #addPair({ language, editor, metrics }: LanguagePoint, person: string): void {
    const key = `${language}\0${editor}`;
    const pair = this.#pairs.get(key) ?? { language, editor, people: new Set(), metrics: sumMetrics([]) };
    this.#pairs.set(key, pair);
    pair.people.add(person);
    for (const field of METRIC_FIELDS) pair.metrics[field] += metrics[field];
    const own = this.#ofPerson.get(person) ?? new Map<string, number>();
    this.#ofPerson.set(person, own);
    own.set(language, (own.get(language) ?? 0) + metrics.total_messages);
  }

  /** Use of each language in each editor, the most messages first. */
  pairs(): PairUsage[] {
    const all = [...this.#pairs.values()].map((one) => ({
      ...one,
      metrics: { ...one.metrics },
      people: one.people.size,
    }));
    return all.sort(
      (a, b) => b.metrics.total_messages - a.metrics.total_messages || (a.language < b.language ? -1 : 1),
    );
  }

  /** Messages of an account in each language, the most first. */
  languagesOf(key: string): readonly { readonly language: string; readonly messages: number }[] {
    const all = [...(this.#ofPerson.get(key) ?? [])].map(([language, messages]) => ({ language, messages }));
    return all.sort((a, b) => b.messages - a.messages || (a.language < b.language ? -1 : 1));
  }

  /** Each language or editor, the one with most people first; equal ones by name. */
  by(dimension: 'language' | 'editor'): Usage[] {
    const all = [...this.#sums[dimension]].map(([name, { people, metrics }]) => ({
      name,
      people: people.size,
      metrics: { ...metrics },
    }));
    return all.sort((a, b) => b.people - a.people || (a.name < b.name ? -1 : 1));
  }
}

/** Use of a language in an editor. */
export interface PairUsage {
  readonly language: string;
  readonly editor: string;
  readonly people: number;
  readonly metrics: Metrics;
}

interface Sum {
  readonly people: Set<string>;
  readonly metrics: Metrics;
}
