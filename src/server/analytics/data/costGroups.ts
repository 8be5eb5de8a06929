import type { ByokStatus, GroupByValues, ResourceType, UserInfo } from '../../../analytics/contract.ts';
import type { Day } from '../../../base/day.ts';
import { compareKeys, type CostFilters, type CostGrouping, type CostFact, type RowKey } from '../factSource.ts';
import type { AmountSum } from './amount.ts';
import { COST_LISTS, costSums, newSums, type CostList } from './costTable.ts';
import type { DataParts } from './dataParts.ts';

interface Group {
  /** Any of its rows. */
  readonly row: number;
  readonly sums: readonly AmountSum[];
}

/** Adds up costs by some of what they are of. */
export class CostGroups {
  readonly #parts: DataParts;
  readonly #users: readonly UserInfo[];
  readonly #grouped: readonly number[];
  readonly #filters: readonly { readonly column: number; readonly wanted: Uint8Array }[];
  #groups: Group[] = [];
  /** For each grouped column: which group of it a group of the columns before it and a place make. */
  #levels: readonly Map<number, number>[] = [];

  /** `users` are shown in the places of the list of that name. */
  constructor(parts: DataParts, users: readonly UserInfo[], by: CostGrouping, filters: CostFilters) {
    this.#parts = parts;
    this.#users = users;
    const isGrouped: Readonly<Record<CostList, boolean>> = {
      users: by.byUser,
      products: by.byProduct,
      resources: by.byResource,
      resourceTypes: by.byResource,
      byokStatuses: by.byByok,
      experts: by.byExpert,
    };
    this.#grouped = COST_LISTS.flatMap((list, column) => (isGrouped[list] ? [column] : []));
    const wanted: Partial<Record<CostList, ReadonlySet<string> | undefined>> = {
      users: filters.identities,
      products: filters.products,
      resources: filters.resources,
      experts: filters.experts,
    };
    this.#filters = COST_LISTS.flatMap((list, column) => {
      const names = wanted[list];
      return names ? [{ column, wanted: Uint8Array.from(parts.names[list], (name) => Number(names.has(name))) }] : [];
    });
    this.clear();
  }

  clear(): void {
    this.#groups = [];
    this.#levels = this.#grouped.map(() => new Map());
  }

  add(day: Day): void {
    const table = this.#parts.costTable;
    const span = table.rowsOn(day);
    if (!span) return;
    for (let row = span.from; row < span.to; row++) {
      if (this.#filters.some(({ column, wanted }) => wanted[table.place(column, row)] === 0)) continue;
      table.addTo(this.#groupOf(row).sums, row);
    }
  }

  /** In the order of the columns. */
  *rows(after?: RowKey): Generator<Pick<CostFact, 'key' | 'values' | 'sums'>> {
    const table = this.#parts.costTable;
    const ordered = [...this.#groups].sort((a, b) => {
      for (const column of this.#grouped) {
        const difference = table.place(column, a.row) - table.place(column, b.row);
        if (difference !== 0) return difference;
      }
      return 0;
    });
    for (const { row, sums } of ordered) {
      const key = this.#grouped.map((column) => this.#name(column, row));
      if (after && compareKeys(key, after) <= 0) continue;
      yield { key, values: this.#values(row), sums: costSums(sums) };
    }
  }

  #groupOf(row: number): Group {
    let id = 0;
    this.#grouped.forEach((column, level) => {
      const place = this.#parts.costTable.place(column, row);
      const known = this.#levels[level]!;
      const key = id * this.#parts.names[COST_LISTS[column]!].length + place;
      id = known.get(key) ?? known.size;
      known.set(key, id);
    });
    return (this.#groups[id] ??= { row, sums: newSums() });
  }

  #name(column: number, row: number): string {
    return this.#parts.names[COST_LISTS[column]!][this.#parts.costTable.place(column, row)]!;
  }

  #values(row: number): GroupByValues {
    let values: GroupByValues = {};
    for (const column of this.#grouped) values = { ...values, ...this.#value(column, row) };
    return values;
  }

  #value(column: number, row: number): GroupByValues {
    const name = this.#name(column, row);
    switch (COST_LISTS[column]!) {
      case 'users':
        return { user_info: this.#users[this.#parts.costTable.place(column, row)]! };
      case 'products':
        return { product_display_name: name };
      case 'resources':
        return { resource_display_name: name };
      case 'resourceTypes':
        return { resource_type: name as ResourceType };
      case 'byokStatuses':
        return { byok_status: name as ByokStatus };
      case 'experts':
        return name === '' ? {} : { expert_info: { expert_id: name, name: this.#parts.experts.get(name)! } };
    }
  }
}
