/*
 * Computes the expected answers from the records of a data file in the plainest way: no index, no shared code with the
 * server, the specification read literally. Slow is fine, clever is not.
 */

export interface DataRecord {
  readonly kind: string;
  readonly [field: string]: unknown;
}

/** One request: the parameters of a query or the fields of a body, without cursor and page_size. */
export type Request = Readonly<Record<string, unknown>>;

/** All rows of an answer in pages, under their name in the answer, and its metadata. */
export interface Expected {
  readonly rowsField: string;
  readonly rows: readonly unknown[];
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The metadata field that counts the rows of one page, if there is one. */
  readonly countField?: string;
  readonly isPaged: boolean;
}

export const METRICS = [
  'total_modified_lines_of_code',
  'total_messages',
  'total_tool_calls',
  'completions_count',
  'completions_accepted',
  'completions_lines_of_code',
  'completions_suggested_lines_of_code',
  'chat_messages',
  'remote_agent_messages',
  'remote_agent_lines_of_code',
  'ide_agent_messages',
  'ide_agent_lines_of_code',
  'cli_agent_interactive_messages',
  'cli_agent_interactive_lines_of_code',
  'cli_agent_non_interactive_messages',
  'cli_agent_non_interactive_lines_of_code',
];

const TOKENS = ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens'];

type Metrics = Record<string, number>;
type Fields = Readonly<Record<string, unknown>>;

export class Naive {
  readonly #records: readonly DataRecord[];
  /** ISO 8601 in UTC. */
  readonly #now: string;
  readonly #shown = new Map<string, readonly Fields[]>();

  constructor(records: readonly DataRecord[], now: string) {
    this.#records = records;
    this.#now = now;
  }

  get today(): string {
    return this.#now.slice(0, 10);
  }

  /** The newest day with metrics and costs. */
  get newest(): string {
    return plusDays(this.today, this.#now.slice(11, 13) >= '02' ? -1 : -2);
  }

  get generatedAt(): string {
    return `${this.#now.slice(0, 19)}Z`;
  }

  dauCount(request: Request): Expected {
    const { first, last } = this.#range(request, -1);
    const counts = days(first, last).map((date) => ({ date, user_count: this.#activeOn(date).length }));
    return {
      rowsField: 'daily_active_user_counts',
      rows: counts,
      isPaged: false,
      metadata: { ...this.#effective(first, last), total_days: counts.length },
    };
  }

  dau({ date = plusDays(this.today, -1) }: { readonly date?: string }): Expected {
    return {
      rowsField: 'users',
      rows: this.#activeOn(date).map((row) => identity(row)),
      isPaged: true,
      countField: 'returned_user_count',
      metadata: { effective_date: date, generated_at: this.generatedAt },
    };
  }

  dailyUsage(request: Request): Expected {
    const { first, last } = this.#range(request, -1);
    const rows = days(first, last).flatMap((date) => {
      const activity = this.#activity(date, date);
      return activity.length === 0 ? [] : [{ date, metrics: sumMetrics(activity) }];
    });
    return {
      rowsField: 'daily_usage',
      rows,
      isPaged: false,
      metadata: { ...this.#effective(first, last), total_days: rows.length },
    };
  }

  userActivity(request: Request): Expected {
    const { first, last } = this.#range(request, -1);
    const rows = groups(this.#activity(first, last), accountKey).map((records) => ({
      ...identity(records[0]!),
      active_days: new Set(records.map(({ date }) => date)).size,
      metrics: sumMetrics(records),
    }));
    return {
      rowsField: 'users',
      rows,
      isPaged: true,
      countField: 'returned_user_count',
      metadata: { ...this.#effective(first, last), total_days: days(first, last).length },
    };
  }

  editorLanguage({ date = plusDays(this.today, -1) }: { readonly date?: string }): Expected {
    const key = (row: Fields): string[] => [...accountKey(row), row.language as string, row.editor as string];
    const rows = groups(this.#activity(date, date), key).map((records) => ({
      ...identity(records[0]!),
      language: records[0]!.language,
      editor: records[0]!.editor,
      metrics: sumMetrics(records),
    }));
    return {
      rowsField: 'records',
      rows,
      isPaged: true,
      countField: 'returned_record_count',
      metadata: { effective_date: date, generated_at: this.generatedAt },
    };
  }

  credits(request: Request): Expected {
    const { first, last } = this.#range(request, 0);
    const { by_date, by_model } = request;
    const key = (row: Fields): string[] => [
      ...(by_date === true ? [row.date as string] : []),
      ...accountKey(row),
      ...(by_model === true ? [row.model_name as string] : []),
    ];
    const facts = this.#facts('credits').filter(({ date }) => isWithin(date as string, first, last));
    const rows = groups(facts, key).map((records) => ({
      ...identity(records[0]!),
      credits_consumed: records.reduce((total, { credits_consumed }) => total + (credits_consumed as number), 0),
      ...(by_date === true && { date: records[0]!.date }),
      ...(by_model === true && { model_name: records[0]!.model_name }),
    }));
    const slot = 90 * 60_000;
    const refreshed = new Date(Math.floor(Date.parse(this.#now) / slot) * slot).toISOString();
    return {
      rowsField: 'records',
      rows,
      isPaged: true,
      countField: 'returned_record_count',
      metadata: { ...this.#effective(first, last), generated_at: `${refreshed.slice(0, 19)}Z` },
    };
  }

  cost(request: Request): Expected {
    const { first, last } = this.#range(request, -1);
    const keys = (request.group_by_keys ?? []) as string[];
    const has = (name: string): boolean => keys.includes(`COST_ANALYTICS_GROUP_BY_${name}`);
    const byDay = request.granularity === 'COST_ANALYTICS_TIME_GRANULARITY_DAY';
    const facts = this.#facts('cost').filter(
      (row) =>
        isWithin(row.date as string, first, min(last, this.newest)) && passes(row, (request.filters ?? {}) as Fields),
    );
    const key = (row: Fields): string[] => {
      const user = row.user_info as Fields;
      const name = (user.user_email ?? user.service_account_name ?? user.bot_name ?? '') as string;
      return [
        ...(byDay ? [row.date as string] : []),
        ...(has('USER') ? [name.toLowerCase(), kindRank(user), name, (user.user_type ?? '') as string] : []),
        ...(has('PRODUCT') ? [row.product_display_name as string] : []),
        ...(has('RESOURCE') ? [row.resource_display_name as string, row.resource_type as string] : []),
        ...(has('BYOK_STATUS') ? [row.byok_status as string] : []),
        ...(has('EXPERT') ? [(row.expert_id ?? '') as string] : []),
      ];
    };
    const found = groups(facts, key);
    if (found.length === 0 && keys.length === 0 && !byDay) found.push([]);
    const rows = found.map((records) => {
      const [one] = records;
      return {
        start_date: byDay ? one!.date : first,
        end_date: byDay ? one!.date : last,
        cost_metrics: this.#costMetrics(records),
        group_by_values: {
          ...(has('PRODUCT') && { product_display_name: one!.product_display_name }),
          ...(has('RESOURCE') && {
            resource_display_name: one!.resource_display_name,
            resource_type: one!.resource_type,
          }),
          ...(has('USER') && { user_info: one!.user_info }),
          ...(has('BYOK_STATUS') && { byok_status: one!.byok_status }),
          ...(has('EXPERT') &&
            one!.expert_id !== undefined && {
              expert_info: { expert_id: one!.expert_id, name: this.#expertName(one!.expert_id as string) },
            }),
        },
      };
    });
    return {
      rowsField: 'data_points',
      rows,
      isPaged: true,
      countField: 'returned_data_point_count',
      metadata: this.#effective(first, last),
    };
  }

  overrides({ user_emails, service_account_names, resource }: Request): unknown[] {
    const wanted = [
      ...((user_emails ?? []) as string[]).map((name) => `u${name.toLowerCase()}`),
      ...((service_account_names ?? []) as string[]).map((name) => `s${name}`),
    ];
    const planned = this.#plan === 'usd' ? 'BUDGET_RESOURCE_USD_COST' : 'BUDGET_RESOURCE_CREDITS_CONSUMED';
    return sorted(
      this.#facts('override').filter((row) => {
        const { user_email, service_account_name } = row;
        const key =
          user_email === undefined ? `s${service_account_name as string}` : `u${(user_email as string).toLowerCase()}`;
        return (
          this.isMember(row) &&
          row.resource === planned &&
          (resource === undefined || resource === row.resource) &&
          (wanted.length === 0 || wanted.includes(key))
        );
      }),
      accountKey,
    ).map(({ kind: _, ...override }) => override);
  }

  isMember(row: Fields): boolean {
    const declared = this.#declaration(row);
    return declared !== undefined && (declared.left === undefined || (declared.left as string) > this.today);
  }

  get #plan(): unknown {
    return this.#records.findLast(({ kind }) => kind === 'org')?.plan ?? 'credits';
  }

  /** The facts of a kind, their identities in the declared case, or the case of the first fact. */
  #facts(kind: string): readonly Fields[] {
    const known = this.#shown.get(kind) ?? this.#show(kind);
    this.#shown.set(kind, known);
    return known;
  }

  #show(kind: string): Fields[] {
    const facts = this.#records.filter((record) => record.kind === kind);
    return facts.map((record) => {
      if (kind === 'cost') return { ...record, user_info: this.#shownUser((record.user_info ?? {}) as Fields) };
      return { ...record, ...this.#spelled(record) };
    });
  }

  #declaration(row: Fields): Fields | undefined {
    const { user_email, service_account_name } = row;
    return this.#records.findLast(
      ({ kind, ...declared }) =>
        (kind === 'user' &&
          user_email !== undefined &&
          (declared.user_email as string).toLowerCase() === (user_email as string).toLowerCase()) ||
        (kind === 'service_account' &&
          service_account_name !== undefined &&
          declared.service_account_name === service_account_name),
    );
  }

  #spelled(row: Fields): Fields {
    const declared = this.#declaration(row);
    if (declared) return identity(declared);
    const { user_email } = row;
    if (user_email === undefined) return identity(row);
    const first = this.#records.find(
      ({ kind, user_email: other }) =>
        ['activity', 'credits'].includes(kind) &&
        (other as string | undefined)?.toLowerCase() === (user_email as string).toLowerCase(),
    );
    return identity(first ?? row);
  }

  #shownUser(info: Fields): Fields {
    if (info.user_email === undefined && info.service_account_name === undefined) return info;
    return { ...info, ...this.#spelled(info) };
  }

  #expertName(id: string): unknown {
    return this.#records.findLast(({ kind, expert_id }) => kind === 'expert' && expert_id === id)?.name;
  }

  /** Records of activity up to the newest day with metrics. */
  #activity(first: string, last: string): Fields[] {
    return this.#facts('activity').filter(
      ({ date, metrics }) =>
        isWithin(date as string, first, min(last, this.newest)) &&
        Object.values(metrics as Metrics).some((value) => value > 0),
    );
  }

  #activeOn(date: string): Fields[] {
    return groups(this.#activity(date, date), accountKey).map(([first]) => first!);
  }

  #range(request: Request, newestOffset: number): { first: string; last: string } {
    const { start_date, end_date } = request as { start_date?: string; end_date?: string };
    const newest = plusDays(this.today, newestOffset);
    if (start_date === undefined && end_date === undefined)
      return { first: plusDays(this.today, -7), last: plusDays(this.today, -1) };
    if (start_date === undefined) return { first: plusDays(end_date!, -6), last: end_date! };
    return { first: start_date, last: end_date ?? min(plusDays(start_date, 6), newest) };
  }

  #effective(first: string, last: string): Fields {
    return { effective_start_date: first, effective_end_date: last, generated_at: this.generatedAt };
  }

  /** Each record's amounts by the formulas of section 2.5, then summed. */
  #costMetrics(records: readonly Fields[]): Fields {
    const all = records.map((row) => {
      const cost = row.cost_metrics as Readonly<Record<string, string | undefined>>;
      const billed = decimal(cost.billed_amount_usd ?? '0');
      const base = decimal(cost.base_cost_usd ?? '0');
      const isByok = row.byok_status === 'COST_ANALYTICS_BYOK_STATUS_BYOK';
      const surcharge = isByok ? billed : billed - base;
      return {
        billed,
        base,
        surcharge,
        estimated: base + surcharge,
        credits: decimal(cost.credits_consumed ?? '0'),
        cost,
      };
    });
    const sum = (pick: (one: (typeof all)[number]) => bigint): string =>
      plain(all.reduce((total, one) => total + pick(one), 0n));
    const tokens = TOKENS.map((field) => {
      const total = all.reduce((sum, { cost }) => sum + BigInt(cost[field] ?? 0), 0n);
      return [field, total > 2n ** 53n - 1n ? String(total) : Number(total)] as const;
    });
    return {
      billed_amount_usd: sum(({ billed }) => billed),
      estimated_customer_cost_usd: sum(({ estimated }) => estimated),
      base_cost_usd: sum(({ base }) => base),
      surcharge_usd: sum(({ surcharge }) => surcharge),
      ...Object.fromEntries(tokens),
      credits_consumed: sum(({ credits }) => credits),
    };
  }
}

function passes(row: Fields, filters: Fields): boolean {
  const list = (name: string): string[] => (filters[name] ?? []) as string[];
  const user = row.user_info as Readonly<Record<string, string | undefined>>;
  const emails = list('user_emails').map((email) => email.toLowerCase());
  const names = list('service_account_names');
  if (emails.length + names.length > 0) {
    const isUser = user.user_email !== undefined && emails.includes(user.user_email.toLowerCase());
    if (!isUser && !(user.service_account_name !== undefined && names.includes(user.service_account_name)))
      return false;
  }
  const includes = (name: string, value: unknown): boolean =>
    list(name).length === 0 || list(name).includes(value as string);
  return (
    includes('product_names', row.product_display_name) &&
    includes('resource_names', row.resource_display_name) &&
    includes('expert_ids', row.expert_id)
  );
}

function identity(row: Fields): Fields {
  return row.user_email === undefined
    ? { service_account_name: row.service_account_name }
    : { user_email: row.user_email };
}

/** By name without case; users before service accounts; then by the very name. */
function accountKey(row: Fields): string[] {
  const name = (row.user_email ?? row.service_account_name) as string;
  return [name.toLowerCase(), row.user_email === undefined ? '1' : '0', row.user_email === undefined ? name : ''];
}

function kindRank(user: Fields): string {
  if (user.user_email !== undefined) return '0';
  if (user.service_account_name !== undefined) return '1';
  return user.bot_name === undefined ? '3' : '2';
}

function sumMetrics(records: readonly Fields[]): Metrics {
  const total: Metrics = Object.fromEntries(METRICS.map((metric) => [metric, 0]));
  for (const { metrics } of records)
    for (const [metric, value] of Object.entries(metrics as Metrics)) total[metric]! += value;
  return total;
}

function sorted<T>(rows: readonly T[], key: (row: T) => string[]): T[] {
  return [...rows].sort((a, b) => {
    const [left, right] = [key(a), key(b)];
    for (let i = 0; i < left.length; i++) if (left[i] !== right[i]) return left[i]! < right[i]! ? -1 : 1;
    return 0;
  });
}

/** Groups rows by key, in the order of keys. */
function groups<T>(rows: readonly T[], key: (row: T) => string[]): T[][] {
  const found = new Map<string, T[]>();
  for (const row of sorted(rows, key)) {
    const name = JSON.stringify(key(row));
    found.set(name, [...(found.get(name) ?? []), row]);
  }
  return [...found.values()];
}

export function plusDays(date: string, count: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + count * 86_400_000).toISOString().slice(0, 10);
}

function days(first: string, last: string): string[] {
  const all: string[] = [];
  for (let date = first; date <= last; date = plusDays(date, 1)) all.push(date);
  return all;
}

function isWithin(date: string, first: string, last: string): boolean {
  return date >= first && date <= last;
}

function min(a: string, b: string): string {
  return a < b ? a : b;
}

/** In units of 10^-40. */
function decimal(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const units = BigInt(whole) * 10n ** 40n + BigInt(fraction.padEnd(40, '0'));
  return text.startsWith('-') ? -units : units;
}

function plain(units: bigint): string {
  const positive = units < 0n ? -units : units;
  const fraction = (positive % 10n ** 40n).toString().padStart(40, '0').replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${positive / 10n ** 40n}${fraction && `.${fraction}`}`;
}
