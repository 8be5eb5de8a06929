import type { List } from './dashboardChoices.ts';

/** Emphasis of a figure or row. */
export type Tone = 'plain' | 'good' | 'warning' | 'bad';

/** A list of any length, whose rows are requested in parts. */
export interface RowList {
  readonly list: List;
  /** Changes whenever the rows change. */
  readonly version: number;
  /** Number of rows that match the filter. */
  readonly count: number;
  readonly all: number;
  readonly columns: readonly {
    readonly id: string;
    readonly title: string;
    readonly about: string;
    readonly isNumber: boolean;
  }[];
  readonly sort: string;
  readonly descending: boolean;
  /** Content of the list, for a screen reader. */
  readonly caption: string;
}

export interface ListedRow {
  readonly id: string;
  readonly cells: readonly string[];
  readonly tone: Tone;
  /** Length of the bar behind the share of a limit, from 0 to 1. */
  readonly used: number | null;
}
