import type { List } from './dashboardChoices.ts';

/** How a figure or row is to be taken. */
export type Tone = 'plain' | 'good' | 'warning' | 'bad';

/** A list of any length, whose rows are asked for. */
export interface RowList {
  readonly list: List;
  /** Changes whenever rows are others than before. */
  readonly version: number;
  /** Of those that the filter leaves. */
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
  /** What it lists, for a screen reader. */
  readonly caption: string;
}

export interface ListedRow {
  readonly id: string;
  readonly cells: readonly string[];
  readonly tone: Tone;
  /** From 0 to 1, of a bar behind the share of a limit. */
  readonly used: number | null;
}
