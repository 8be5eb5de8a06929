import * as z from 'zod/mini';
import { deskRequests, type Desk, type DeskMethods } from './budgetsView.ts';
import {
  DIRECTIONS,
  EXPORTS,
  GROUPS,
  LISTS,
  MAX_FILTER,
  MAX_IMAGE,
  MAX_ROWS,
  NEXT_STEPS,
  PRESETS,
  TABS,
  type DashboardExport,
  type Group,
  type List,
  type NextStep,
  type Preset,
  type Tab,
} from './dashboardChoices.ts';
import type { ListedRow, RowList, Tone } from './rowList.ts';
import type { ViewContract } from './viewContract.ts';

export type { ListedRow, RowList, Tone };

/*
 * What the dashboard shows. Every figure comes as text that the extension wrote, exact and ready to read; the numbers beside
 * them only say how long a bar is.
 */

/** What a person chose to see; kept over restarts. */
export interface Choices {
  readonly tab: Tab;
  readonly preset: Preset;
  /** `YYYY-MM-DD`, of a custom range. */
  readonly first: string;
  readonly last: string;
  /** Beside as many days before. */
  readonly compare: boolean;
  readonly group: Group;
  /** Only what has this in its name, in lists and parts. */
  readonly filter: string;
  /** Pseudonyms in place of names. */
  readonly anonymise: boolean;
}

/** A figure with its name. */
export interface Tile {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  /** Below it: a change, a share, a date. */
  readonly note: string;
  readonly tone: Tone;
  /** What the figure is. */
  readonly about: string;
}

export interface ShownTable {
  readonly columns: readonly { readonly title: string; readonly isNumber: boolean }[];
  readonly rows: readonly (readonly string[])[];
}

/** What the numbers of an axis are of. */
export type AxisUnit = 'count' | 'usd' | 'credits' | 'share';

/** How a series is drawn: what is, what it tends to, what was before, what it may be at the most, what it will be. */
export type Role = 'value' | 'others' | 'trend' | 'before' | 'limit' | 'projection';

export interface Series {
  readonly name: string;
  readonly role: Role;
  /** Of each point of the axis; `null` where there is none. */
  readonly values: readonly (number | null)[];
  readonly texts: readonly string[];
}

interface ChartParts {
  readonly id: string;
  readonly title: string;
  /** What is counted, and how. */
  readonly about: string;
  /** What it shows, in a sentence. */
  readonly summary: string;
  readonly table: ShownTable;
}

/** By day. */
export interface TimeChart extends ChartParts {
  readonly kind: 'lines' | 'stack';
  readonly unit: AxisUnit;
  readonly days: readonly string[];
  readonly series: readonly Series[];
  /** Days that are out of the ordinary, as places in `days`. */
  readonly unusual: readonly number[];
}

/** One bar for each thing, of one part or several, or towards a limit. */
export interface BarChart extends ChartParts {
  readonly kind: 'bars';
  readonly unit: AxisUnit;
  readonly parts: readonly string[];
  readonly bars: readonly {
    readonly name: string;
    readonly text: string;
    readonly values: readonly number[];
    readonly texts: readonly string[];
    readonly tone: Tone;
    /** Leads to a person. */
    readonly person: string | null;
  }[];
  /** Where a line is drawn across all bars, such as 100 %. */
  readonly mark: { readonly value: number; readonly name: string } | null;
}

/** People by day. */
export interface HeatChart extends ChartParts {
  readonly kind: 'heat';
  readonly unit: AxisUnit;
  readonly days: readonly string[];
  readonly rows: readonly {
    readonly name: string;
    readonly person: string;
    /** What all days come to. */
    readonly text: string;
    readonly values: readonly number[];
    readonly texts: readonly string[];
  }[];
}

/** What something was and is. */
export interface MoverChart extends ChartParts {
  readonly kind: 'movers';
  readonly unit: AxisUnit;
  readonly rows: readonly {
    readonly name: string;
    readonly before: number;
    readonly now: number;
    readonly beforeText: string;
    readonly nowText: string;
    readonly change: string;
  }[];
}

export type Chart = TimeChart | BarChart | HeatChart | MoverChart;

/** Why something is not there, or not as it should be, and what can be done. */
export interface Trouble {
  readonly kind: 'offline' | 'partial' | 'rate-limited' | 'unauthenticated' | 'forbidden' | 'range' | 'failed';
  readonly title: string;
  readonly message: string;
  readonly next: readonly NextStep[];
}

/** A long load. */
export interface Progress {
  readonly state: 'running' | 'stopped' | 'done';
  readonly text: string;
  readonly done: number;
  /** 0 where nobody knows. */
  readonly of: number;
  readonly next: readonly NextStep[];
}

/** One tab, as far as it is there. */
export interface Page {
  readonly tab: Tab;
  readonly isLoading: boolean;
  /** Whether there is anything to show. */
  readonly isFilled: boolean;
  readonly trouble: Trouble | null;
  /** Where all is well and there is nothing: why, in a title and a sentence. */
  readonly empty: { readonly title: string; readonly message: string } | null;
  readonly progress: Progress | null;
  /** `2026-11-21 09:30 UTC`, and how long that is ago. */
  readonly asOf: string;
  readonly tiles: readonly Tile[];
  readonly charts: readonly Chart[];
  readonly list: RowList | null;
  /** One person in place of all. */
  readonly person: { readonly id: string; readonly name: string } | null;
}

/** Whose figures there are: `none`: nothing is connected; `stopped`: the sample server does not run; `gone`: the token is. */
export interface ShownAccount {
  readonly kind: 'none' | 'loading' | 'stopped' | 'gone' | 'ready';
  readonly name: string;
}

export interface DashboardState {
  readonly account: ShownAccount;
  readonly choices: Choices;
  readonly tabs: readonly { readonly id: Tab; readonly name: string }[];
  /** Which days are shown, and which may be. */
  readonly range: {
    readonly text: string;
    readonly first: string;
    readonly last: string;
    readonly oldest: string;
    readonly newest: string;
  };
  /** By what the tab can be grouped. */
  readonly groups: readonly { readonly id: Group; readonly name: string }[];
  readonly page: Page;
  /** Where limits are changed: beside them, and on a person's page. */
  readonly desk: Desk | null;
  /** Counts what is worth saying aloud, and says it. */
  readonly spoken: string;
}

export interface DashboardMethods extends DeskMethods {
  ready(nothing: undefined): DashboardState;
  /** Shows something else. */
  choose(choices: Choices): void;
  /** Asks the service, however fresh the figures are. */
  refresh(nothing: undefined): void;
  /** Some rows of a list, as they are sorted and filtered. */
  rows(request: { readonly list: List; readonly from: number; readonly count: number }): readonly ListedRow[];
  sort(request: {
    readonly list: List;
    readonly column: string;
    readonly direction: (typeof DIRECTIONS)[number];
  }): void;
  /** Shows one person, or with `null` all of them again. */
  openPerson(request: { readonly id: string | null }): void;
  /** Writes a file that a person chooses; `image` is what a page drew. */
  export(request: {
    readonly what: DashboardExport;
    readonly chart: string | null;
    readonly image: string | null;
  }): void;
  go(request: { readonly to: NextStep }): void;
}

export interface DashboardEvents {
  readonly state: DashboardState;
}

const nothing = z.undefined();
const day = z.string().check(z.regex(/^(\d{4}-\d{2}-\d{2})?$/));

export const choicesSchema = z.strictObject({
  tab: z.enum(TABS),
  preset: z.enum(PRESETS),
  first: day,
  last: day,
  compare: z.boolean(),
  group: z.enum(GROUPS),
  filter: z.string().check(z.maxLength(MAX_FILTER)),
  anonymise: z.boolean(),
});

/** "Sextant: Open Dashboard". */
export const dashboardView: ViewContract<DashboardMethods, DashboardEvents> = {
  name: 'dashboard',
  requests: {
    ready: nothing,
    choose: choicesSchema,
    refresh: nothing,
    rows: z.strictObject({
      list: z.enum(LISTS),
      from: z.int().check(z.gte(0)),
      count: z.int().check(z.gte(1), z.lte(MAX_ROWS)),
    }),
    sort: z.strictObject({ list: z.enum(LISTS), column: z.string(), direction: z.enum(DIRECTIONS) }),
    openPerson: z.strictObject({ id: z.nullable(z.string()) }),
    export: z.strictObject({
      what: z.enum(EXPORTS),
      chart: z.nullable(z.string()),
      image: z.nullable(z.string().check(z.maxLength(MAX_IMAGE))),
    }),
    go: z.strictObject({ to: z.enum(NEXT_STEPS) }),
    ...deskRequests,
  },
};
