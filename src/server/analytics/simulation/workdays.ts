import { METRIC_FIELDS, type MetricField } from '../../../analytics/contract.ts';
import { Dice, hash } from './random.ts';
import { EXPERTS, MODEL_FAMILIES, type Product } from './vocabulary.ts';

/*
 * Kinds of days of an account: the work, the rows in which it shows, and its cost. There are some thousands, created once
 * from the seed; each day of an account is one of them. So a day costs one hash and an addition of known figures, and each
 * request is the same sum taken in another order.
 */

/** Money is counted in 10^-7 US dollars. */
export const MONEY_DIGITS = 7;
/** A credit is a cent. */
const UNITS_PER_CREDIT = 100_000;

/** Levels of how much is done on a day, from hardly anything to a hundred times as much. */
export const LEVELS = 256;
/** Number of kinds over which the days of an account vary. */
export const SPREAD = 64;
const LEAST = 0.06;
const GROWTH = 1.018;

/** Ways of working: how many completions and messages of each sort there are on a usual day. */
const WAYS = [
  { completions: 60, chat: 8, ide: 6, remote: 0, cli: 1, batch: 0 },
  { completions: 140, chat: 3, ide: 0, remote: 0, cli: 0, batch: 0 },
  { completions: 15, chat: 25, ide: 2, remote: 0, cli: 0, batch: 0 },
  { completions: 20, chat: 4, ide: 20, remote: 0, cli: 2, batch: 0 },
  { completions: 5, chat: 2, ide: 0, remote: 0, cli: 25, batch: 5 },
  // As the fourth, while there was a Remote Agent.
  { completions: 20, chat: 4, ide: 5, remote: 14, cli: 0, batch: 0 },
  { completions: 0, chat: 0, ide: 0, remote: 0, cli: 0, batch: 60 },
] as const;
type Amounts = Record<keyof (typeof WAYS)[number], number>;

export const WAYS_OF_PEOPLE = 5;
export const AGENT_WAY = 3;
export const REMOTE_WAY = 5;
export const SERVICE_WAY = 6;

export const METRIC_COUNT = METRIC_FIELDS.length;

/** Where a row of a day shows: in the first or second language of the account, unknown, or on the command line. */
export type LanguageSlot = 'first' | 'second' | 'unknown' | 'cli';

export interface MetricsRow {
  readonly place: LanguageSlot;
  /** In the order of `METRIC_FIELDS`. */
  readonly metrics: Int32Array;
}

/** One kind of cost on a day. Amounts of money in 10^-7 US dollars. */
export interface CostLine {
  /** Which of `Workdays.sorts` it is of: equal product, slot and expert. */
  readonly sort: number;
  readonly product: Product;
  /** What is used: see `resourceName`. */
  readonly slot: number;
  /** Index in `EXPERTS`, or -1. */
  readonly expert: number;
  /** The hour of the day, in UTC. */
  readonly hour: number;
  readonly base: number;
  /** What is billed, and the credits of it, with the service's key and with the customer's own. */
  readonly billed: readonly [number, number];
  readonly credits: readonly [number, number];
  /** In the order of `TOKEN_FIELDS`. */
  readonly tokens: readonly [number, number, number, number];
}

export interface Workday {
  readonly rows: readonly MetricsRow[];
  readonly lines: readonly CostLine[];
}

/** Billed, base, base with own key, credits, and the four kinds of tokens: integers far below 2^53, so sums are exact. */
export const SUMS = 8;

/** No account brings keys for compute. */
export function ownKeyOf({ slot }: CostLine, byok: 0 | 1): 0 | 1 {
  return slot < MODEL_FAMILIES.length ? byok : 0;
}

export function addAmounts(sums: Float64Array, line: CostLine, byok: 0 | 1): void {
  const key = ownKeyOf(line, byok);
  sums[0]! += line.billed[key];
  sums[1]! += line.base;
  if (key === 1) sums[2]! += line.base;
  sums[3]! += line.credits[key];
  line.tokens.forEach((count, i) => (sums[4 + i]! += count));
}

export class Workdays {
  readonly #days: Workday[] = [];
  /** The sums of the rows of each. */
  readonly totals: Float64Array;
  /** All sorts of lines: any line of each. */
  readonly sorts: CostLine[] = [];
  /** The lines of all workdays one after the other: where those of each begin, their sorts, and {@link SUMS} for each key. */
  readonly lineFrom: Int32Array;
  readonly lineSort: Int32Array;
  readonly lineAmounts: Float64Array;

  constructor(key: number) {
    this.totals = new Float64Array(WAYS.length * LEVELS * METRIC_COUNT);
    WAYS.forEach((way, w) => {
      let scale = LEAST;
      for (let level = 0; level < LEVELS; level++, scale *= GROWTH) {
        const at = w * LEVELS + level;
        const day = this.#sorted(workday(way, scale, new Dice(hash(key, at))));
        this.#days.push(day);
        for (const { metrics } of day.rows)
          for (let i = 0; i < METRIC_COUNT; i++) this.totals[at * METRIC_COUNT + i]! += metrics[i]!;
      }
    });
    const lines = this.#days.flatMap((day) => day.lines);
    this.lineFrom = new Int32Array(this.#days.length + 1);
    this.#days.forEach((day, at) => (this.lineFrom[at + 1] = this.lineFrom[at]! + day.lines.length));
    this.lineSort = Int32Array.from(lines, ({ sort }) => sort);
    this.lineAmounts = new Float64Array(lines.length * 2 * SUMS);
    lines.forEach((line, at) => {
      for (const byok of [0, 1] as const)
        addAmounts(this.lineAmounts.subarray((at * 2 + byok) * SUMS, (at * 2 + byok + 1) * SUMS), line, byok);
    });
  }

  get length(): number {
    return this.#days.length;
  }

  #sorted({ rows, lines }: Workday): Workday {
    const numbered = lines.map((line) => {
      const isSame = (other: CostLine): boolean =>
        other.product === line.product && other.slot === line.slot && other.expert === line.expert;
      const known = this.sorts.findIndex(isSame);
      const one = { ...line, sort: known < 0 ? this.sorts.length : known };
      if (known < 0) this.sorts.push(one);
      return one;
    });
    return { rows, lines: numbered };
  }

  at(index: number): Workday {
    return this.#days[index]!;
  }
}

function workday(way: Amounts, scale: number, dice: Dice): Workday {
  const some = (usual: number): number =>
    usual === 0 || dice.percent(15) ? 0 : Math.floor((usual * scale * dice.between(50, 150)) / 100);
  const done: Amounts = { completions: 0, chat: 0, ide: 0, remote: 0, cli: 0, batch: 0 };
  for (const sort in done) done[sort as keyof Amounts] = some(way[sort as keyof Amounts]);
  // Who was active did something.
  if (Object.values(done).every((amount) => amount === 0)) done[way.batch > way.chat ? 'batch' : 'chat'] = 1;

  const nothing = { completions: 0, chat: 0, ide: 0, remote: 0, cli: 0, batch: 0 };
  const { completions, chat, ide, remote, cli, batch } = done;
  const second = dice.percent(35) ? 3 : 0;
  const part = (amount: number): number => Math.floor((amount * second) / 10);
  const unknown = dice.percent(10) ? Math.min(1, chat) : 0;
  const inSecond = { ...nothing, completions: part(completions), chat: part(chat - unknown), ide: part(ide) };
  const inFirst = {
    ...nothing,
    completions: completions - inSecond.completions,
    chat: chat - unknown - inSecond.chat,
    ide: ide - inSecond.ide,
    remote,
  };
  const places: [LanguageSlot, Amounts][] = [
    ['first', inFirst],
    ['second', inSecond],
    ['unknown', { ...nothing, chat: unknown }],
    ['cli', { ...nothing, cli, batch }],
  ];
  const rows = places.flatMap(([place, amounts]) =>
    Object.values(amounts).some((amount) => amount > 0) ? [{ place, metrics: metrics(amounts, dice) }] : [],
  );
  return { rows, lines: lines(done, dice) };
}

/** All metrics of what was done, so that totals are the sums of their parts. */
function metrics({ completions, chat, ide, remote, cli, batch }: Amounts, dice: Dice): Int32Array {
  const accepted = Math.floor((completions * dice.between(15, 45)) / 100);
  const completed = accepted * dice.between(1, 3);
  const [ideLines, remoteLines] = [ide * dice.between(2, 40), remote * dice.between(5, 60)];
  const [cliLines, batchLines] = [cli * dice.between(2, 30), batch * dice.between(0, 25)];
  const values: Record<MetricField, number> = {
    total_modified_lines_of_code: completed + ideLines + remoteLines + cliLines + batchLines,
    total_messages: chat + ide + remote + cli + batch,
    total_tool_calls: (ide + remote + cli + batch) * dice.between(1, 7),
    completions_count: completions,
    completions_accepted: accepted,
    completions_lines_of_code: completed,
    completions_suggested_lines_of_code: completed + (completions - accepted) * dice.between(1, 4),
    chat_messages: chat,
    remote_agent_messages: remote,
    remote_agent_lines_of_code: remoteLines,
    ide_agent_messages: ide,
    ide_agent_lines_of_code: ideLines,
    cli_agent_interactive_messages: cli,
    cli_agent_interactive_lines_of_code: cliLines,
    cli_agent_non_interactive_messages: batch,
    cli_agent_non_interactive_lines_of_code: batchLines,
  };
  return Int32Array.from(METRIC_FIELDS, (field) => values[field]);
}

/** Prices of a token – in, out, read from a cache, written to one – by model family, in 10^-7 US dollars. */
const PRICES = [
  [30, 150, 3, 38],
  [10, 50, 1, 12],
  [3, 15, 1, 4],
] as const;
const HOUR_PRICES = [1_250_000, 4_700_000];

/** What is done with which family of models, in tokens per message. */
const USES = [
  { sort: 'completions', product: 0, slot: 2, input: 900, output: 40 },
  { sort: 'chat', product: 1, slot: 1, input: 3_500, output: 600 },
  { sort: 'ide', product: 2, slot: 0, input: 9_000, output: 1_300 },
  { sort: 'cli', product: 3, slot: 0, input: 7_500, output: 1_100 },
  { sort: 'batch', product: 3, slot: 1, input: 8_000, output: 900 },
  { sort: 'remote', product: 5, slot: 0, input: 9_500, output: 1_500 },
] as const;

function lines(done: Amounts, dice: Dice): CostLine[] {
  const result: CostLine[] = [];
  for (const { sort, product, slot, input, output } of USES) {
    const messages = done[sort];
    if (messages === 0) continue;
    result.push(modelLine(product, slot, -1, messages * input, messages * output, dice));
  }
  const agents = done.ide + done.cli + done.batch + done.remote;
  if (agents > 2 && dice.percent(30))
    result.push(modelLine(4, 1, dice.below(EXPERTS.length), agents * 4_000, agents * 500, dice));
  if (done.remote > 0 || (done.batch > 0 && dice.percent(40))) {
    const kind = dice.below(HOUR_PRICES.length);
    const base = Math.floor((HOUR_PRICES[kind]! * (done.remote + done.batch) * dice.between(3, 20)) / 100);
    result.push(line(done.remote > 0 ? 5 : 3, MODEL_FAMILIES.length + kind, -1, base, [0, 0, 0, 0], dice));
  }
  return result;
}

function modelLine(
  product: Product,
  slot: number,
  expert: number,
  input: number,
  output: number,
  dice: Dice,
): CostLine {
  const vary = (tokens: number): number => Math.floor((tokens * dice.between(40, 160)) / 100);
  const tokens = [vary(input), vary(output), vary(input * 3), vary(input >> 2)] as const;
  const prices = PRICES[slot]!;
  const base = tokens.reduce((sum, count, i) => sum + count * prices[i]!, 0);
  return line(product, slot, expert, base, tokens, dice);
}

/** With the customer's own key only a surcharge is billed; compute takes no credits. */
function line(
  product: Product,
  slot: number,
  expert: number,
  base: number,
  tokens: CostLine['tokens'],
  dice: Dice,
): CostLine {
  const billed = [base + Math.floor(base / 4), Math.floor(base / 10)] as const;
  const credits = (amount: number): number => (slot < MODEL_FAMILIES.length ? Math.ceil(amount / UNITS_PER_CREDIT) : 0);
  const hour = dice.between(6, 19);
  return {
    sort: -1,
    product,
    slot,
    expert,
    hour,
    base,
    billed,
    credits: [credits(billed[0]), credits(billed[1])],
    tokens,
  };
}
