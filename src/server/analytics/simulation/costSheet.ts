import type { GroupByValues, UserInfo } from '../../../analytics/contract.ts';
import type { DayRange } from '../../../analytics/dateRules.ts';
import type { Day } from '../../../base/day.ts';
import { MAX_DECIMAL_DIGITS } from '../../../base/decimal.ts';
import { compareKeys, type CostFilters, type CostGrouping, type CostFact, type RowKey } from '../factSource.ts';
import { generationOn } from './calendar.ts';
import { EXPERTS, MODEL_FAMILIES, PRODUCTS, resourceName, resourceType, SLOTS } from './vocabulary.ts';
import type { CommonCosts } from './commonCosts.ts';
import { MAX_DELAY } from './directory.ts';
import { addAmounts, ownKeyOf, MONEY_DIGITS, SUMS, type CostLine, type Workdays } from './workdays.ts';

const MONEY_UNIT = 10n ** BigInt(MAX_DECIMAL_DIGITS - MONEY_DIGITS);
const CREDIT_UNIT = 10n ** BigInt(MAX_DECIMAL_DIGITS);
const BYOK = ['COST_ANALYTICS_BYOK_STATUS_NON_BYOK', 'COST_ANALYTICS_BYOK_STATUS_BYOK'] as const;

/** A group's number: resource, then product, expert and whose key, each 0 where it is not requested. */
const PER_EXPERT = 2;
const PER_PRODUCT = PER_EXPERT * (EXPERTS.length + 1);
const PER_RESOURCE = PER_PRODUCT * (PRODUCTS.length + 1);

/** Adds up lines of costs by what a query groups them by besides day and user. */
export class CostSheet {
  readonly #by: CostGrouping;
  readonly #workdays: Workdays;
  readonly #hasCredits: boolean;
  readonly #groups = new Map<number, Float64Array>();
  /** By sort of line, and then by generation from the first on: whether the filters want it. */
  readonly #wanted: readonly Uint8Array[];
  readonly #firstGeneration: number;
  /** 1 for workdays with a line that may be wanted: few are where a filter names what is rare. */
  readonly #isWanted: Uint8Array;

  /** For days of a range. */
  constructor(workdays: Workdays, by: CostGrouping, filters: CostFilters, range: DayRange, hasCredits: boolean) {
    this.#by = by;
    this.#workdays = workdays;
    this.#hasCredits = hasCredits;
    this.#firstGeneration = generationOn(range.first, MAX_DELAY);
    const generations = generationOn(range.last, 0) - this.#firstGeneration + 1;
    this.#wanted = workdays.sorts.map((line) =>
      Uint8Array.from({ length: generations }, (_, i) => Number(isWanted(line, this.#firstGeneration + i, filters))),
    );
    this.#isWanted = Uint8Array.from({ length: workdays.length }, (_, at) =>
      Number(workdays.at(at).lines.some(({ sort }) => this.#wanted[sort]!.includes(1))),
    );
  }

  /** Whether the filters match nothing, whichever accounts worked. */
  get wantsNothing(): boolean {
    return !this.#isWanted.includes(1);
  }

  get isEmpty(): boolean {
    return this.#groups.size === 0;
  }

  clear(): void {
    this.#groups.clear();
  }

  /** Adds what an account with this workday used; `delay` and `byok` are those of the account. */
  add(workday: number, day: Day, delay: number, byok: 0 | 1): void {
    if (this.#isWanted[workday] === 0) return;
    const generation = generationOn(day, delay);
    for (const line of this.#workdays.at(workday).lines) {
      const sums = this.#sumsOf(line, ownKeyOf(line, byok), generation);
      if (sums) addAmounts(sums, line, byok);
    }
  }

  /** Adds what all have used on a day, or in a range that begins with it. */
  addAll(costs: CommonCosts, day: Day): void {
    costs.forEach(day, (line, key, generation, cells, at) => {
      const sums = this.#sumsOf(line, ownKeyOf(line, key), generation);
      if (sums) for (let i = 0; i < SUMS; i++) sums[i]! += cells[at + i]!;
    });
  }

  /** The sums of the group that a line belongs to, where it is wanted. */
  #sumsOf({ sort, product, expert, slot }: CostLine, key: 0 | 1, generation: number): Float64Array | undefined {
    if (this.#wanted[sort]![generation - this.#firstGeneration] === 0) return undefined;
    const { byResource, byProduct, byExpert, byByok } = this.#by;
    const ofModel = slot < MODEL_FAMILIES.length ? generation : 0;
    const group =
      (byResource ? (slot + ofModel * SLOTS) * PER_RESOURCE : 0) +
      (byProduct ? product * PER_PRODUCT : 0) +
      (byExpert ? (expert + 1) * PER_EXPERT : 0) +
      (byByok ? key : 0);
    let sums = this.#groups.get(group);
    if (!sums) this.#groups.set(group, (sums = new Float64Array(SUMS)));
    return sums;
  }

  /** In the order of answers. `lead` is what the keys begin with, `user` the account, where that is requested. */
  rows(lead: RowKey, day: Day | undefined, user: UserInfo | undefined, after: RowKey | undefined): CostFact[] {
    const rows: CostFact[] = [];
    for (const [group, sums] of this.#groups) {
      const { key, values } = this.#describe(group);
      const whole = [...lead, ...key];
      if (after && compareKeys(whole, after) <= 0) continue;
      const [billed, base, byokBase, credits, ...tokens] = [...sums].map(BigInt) as [bigint, bigint, bigint, bigint];
      rows.push({
        key: whole,
        ...(day !== undefined && { day }),
        values: user ? { ...values, user_info: user } : values,
        sums: {
          billed: billed * MONEY_UNIT,
          base: base * MONEY_UNIT,
          byokBase: byokBase * MONEY_UNIT,
          credits: this.#hasCredits ? credits * CREDIT_UNIT : 0n,
          tokens,
        },
      });
    }
    return rows.sort((a, b) => compareKeys(a.key, b.key));
  }

  #describe(group: number): { readonly key: string[]; readonly values: GroupByValues } {
    const { byResource, byProduct, byExpert, byByok } = this.#by;
    const resource = Math.floor(group / PER_RESOURCE);
    const product = PRODUCTS[Math.floor((group % PER_RESOURCE) / PER_PRODUCT)]!;
    const expert = EXPERTS[Math.floor((group % PER_PRODUCT) / PER_EXPERT) - 1];
    const status = BYOK[group % PER_EXPERT]!;
    const [slot, generation] = [resource % SLOTS, Math.floor(resource / SLOTS)];
    const [name, type] = [resourceName(slot, generation), resourceType(slot)];
    return {
      key: [
        ...(byProduct ? [product] : []),
        ...(byResource ? [name, type] : []),
        ...(byByok ? [status] : []),
        ...(byExpert ? [expert?.id ?? ''] : []),
      ],
      values: {
        ...(byProduct && { product_display_name: product }),
        ...(byResource && { resource_display_name: name, resource_type: type }),
        ...(byByok && { byok_status: status }),
        ...(byExpert && expert && { expert_info: { expert_id: expert.id, name: expert.name } }),
      },
    };
  }
}

function isWanted({ product, expert, slot }: CostLine, generation: number, filters: CostFilters): boolean {
  const { products, experts, resources } = filters;
  return (
    (products?.has(PRODUCTS[product]!) ?? true) &&
    // No expert has this id, which stands for none.
    (experts?.has(EXPERTS[expert]?.id ?? '') ?? true) &&
    (resources?.has(resourceName(slot, generation)) ?? true)
  );
}
