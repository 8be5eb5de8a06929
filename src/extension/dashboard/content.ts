import type { Table } from '../../analytics/reports/table.ts';
import type { Choices, Page, Tile } from '../../protocol/dashboardView.ts';
import type { Figure } from './figures.ts';
import type { AccountNames } from '../analytics/accountNames.ts';

/** The content of a tab. */
export interface Content {
  readonly tiles: readonly Tile[];
  readonly figures: readonly Figure[];
  /** The rows of the export, unless the tab has a list. */
  readonly table: () => Table | undefined;
  readonly empty: Page['empty'];
}

/** The user's choices for the view. */
export interface ViewOptions {
  readonly choices: Choices;
  readonly names: AccountNames;
}

export function none(): undefined {
  return undefined;
}
