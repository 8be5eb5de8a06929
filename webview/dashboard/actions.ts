import type { DashboardExport, List, NextStep } from '../../src/protocol/dashboardChoices.ts';
import type { DeskMethods } from '../../src/protocol/budgetsView.ts';
import type { Choices, DashboardState, ListedRow } from '../../src/protocol/dashboardView.ts';

/** A request about limits; what goes wrong with it is said on the page, and answered with nothing. */
export type DeskCall = <K extends keyof DeskMethods>(
  name: K,
  request: Parameters<DeskMethods[K]>[0],
) => Promise<ReturnType<DeskMethods[K]> | undefined>;

/** What a person can do on the page. */
export interface Actions {
  choose(change: Partial<Choices>): void;
  refresh(): void;
  rows(list: List, from: number, count: number): Promise<readonly ListedRow[]>;
  sort(list: List, column: string, direction: 'ascending' | 'descending'): void;
  openPerson(id: string | null): void;
  export(what: DashboardExport, chart?: string, figure?: HTMLElement): void;
  go(to: NextStep): void;
  /** Where limits are changed. */
  readonly desk: DeskCall;
  /** Shows a chart as a table, or as a picture again. */
  toggleTable(chart: string): void;
}

export interface PageProps {
  readonly state: DashboardState;
  readonly actions: Actions;
  /** Charts that are shown as tables. */
  readonly tables: readonly string[];
  /** What went wrong with the last thing somebody did. */
  readonly problem: string;
}
