import type { Table } from '../../analytics/reports/table.ts';
import type { Choices, Page, Tile } from '../../protocol/dashboardView.ts';
import type { Figure } from './figures.ts';
import type { Names } from './names.ts';

/** What a tab shows of its reports. */
export interface Content {
  readonly tiles: readonly Tile[];
  readonly figures: readonly Figure[];
  /** The rows that are the tab's, for its export; a tab with a list has that. */
  readonly table: () => Table | undefined;
  readonly empty: Page['empty'];
}

/** How somebody wants to see it. */
export interface ViewOptions {
  readonly choices: Choices;
  readonly names: Names;
}

export function none(): undefined {
  return undefined;
}
