import { AmountColumn, AmountSum, MONEY_UNIT, TOKEN_UNIT, type Amount } from './amount.ts';
import { TOKEN_FIELDS } from '../../../analytics/contract.ts';
import { DigitLimit } from './digitLimit.ts';
import type { Day } from '../../../base/day.ts';
import type { CostSums } from '../factSource.ts';
import { renumbered, sortedOrder, spans, type RowSpan } from './rows.ts';

/** What a cost is of, besides its day, as lists of names; in the order of answers. */
export const COST_LISTS = ['users', 'products', 'resources', 'resourceTypes', 'byokStatuses', 'experts'] as const;
export type CostList = (typeof COST_LISTS)[number];

/** Billed, base, base of usage with the customer's key, credits; then tokens. */
const FIRST_TOKENS = 4;
const AMOUNTS = FIRST_TOKENS + TOKEN_FIELDS.length;

/** Costs as they arrive. */
export class RawCosts {
  readonly #days: number[] = [];
  readonly #places: readonly number[][] = COST_LISTS.map(() => []);
  readonly #amounts: AmountColumn[] = Array.from({ length: AMOUNTS }, () => new AmountColumn());
  readonly #digits = new DigitLimit();

  constructor(base?: CostTable) {
    for (let row = 0; row < (base?.length ?? 0); row++) {
      const places = COST_LISTS.map((_, column) => base!.place(column, row));
      this.push(base!.day(row), places, base!.amounts(row));
    }
  }

  /**
   * `places` in the order of {@link COST_LISTS}; `amounts`: billed, base, base with own key, credits, tokens. Throws an `Error`
   * where a sum of what is pushed might have too many digits.
   */
  push(day: Day, places: readonly number[], amounts: readonly Amount[]): void {
    this.#digits.add(amounts);
    this.#days.push(day);
    for (let i = 0; i < places.length; i++) this.#places[i]!.push(places[i]!);
    for (let i = 0; i < amounts.length; i++) this.#amounts[i]!.push(amounts[i]!);
  }

  sorted(ranks: readonly (Int32Array | undefined)[]): CostTable {
    const days = Int32Array.from(this.#days);
    const order = sortedOrder([days], days.length);
    const places = this.#places.map((column, i) => permuted(renumbered(Int32Array.from(column), ranks[i]), order));
    const amounts = this.#amounts.map((column) => column.permuted(order));
    return new CostTable(permuted(days, order), places, amounts);
  }
}

function permuted(column: Int32Array, order: Uint32Array): Int32Array {
  const result = new Int32Array(order.length);
  for (let i = 0; i < order.length; i++) result[i] = column[order[i]!]!;
  return result;
}

/** Costs in the order of days. */
export class CostTable {
  readonly #column: Int32Array;
  readonly #days: ReadonlyMap<Day, RowSpan>;
  readonly #places: readonly Int32Array[];
  readonly #amounts: readonly AmountColumn[];

  constructor(days: Int32Array, places: readonly Int32Array[], amounts: readonly AmountColumn[]) {
    this.#column = days;
    this.#days = spans(days);
    this.#places = places;
    this.#amounts = amounts;
  }

  get length(): number {
    return this.#column.length;
  }

  day(row: number): Day {
    return this.#column[row]!;
  }

  place(column: number, row: number): number {
    return this.#places[column]![row]!;
  }

  amounts(row: number): Amount[] {
    return this.#amounts.map((column) => column.at(row));
  }

  rowsOn(day: Day): RowSpan | undefined {
    return this.#days.get(day);
  }

  addTo(sums: readonly AmountSum[], row: number): void {
    for (let i = 0; i < AMOUNTS; i++) sums[i]!.add(this.#amounts[i]!.at(row));
  }
}

export function newSums(): AmountSum[] {
  return Array.from({ length: AMOUNTS }, () => new AmountSum());
}

export function costSums(sums: readonly AmountSum[]): CostSums {
  const money = (index: number): bigint => sums[index]!.total(MONEY_UNIT);
  return {
    billed: money(0),
    base: money(1),
    byokBase: money(2),
    credits: money(3),
    tokens: sums.slice(FIRST_TOKENS).map((sum) => sum.total(TOKEN_UNIT)),
  };
}
