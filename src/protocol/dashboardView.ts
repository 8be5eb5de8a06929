import * as z from 'zod/mini';
import { budgetEditorRequests, type BudgetEditorState, type BudgetEditorMethods } from './budgetsView.ts';
import {
  DIRECTIONS,
  EXPORTS,
  GROUPS,
  LISTS,
  MAX_COLUMN,
  MAX_FILTER,
  MAX_IMAGE,
  MAX_PART,
  MAX_ROWS,
  NEXT_STEPS,
  PRESETS,
  TABS,
  type DashboardExport,
  type CostGroup,
  type List,
  type NextStep,
  type Preset,
  type Tab,
} from './dashboardChoices.ts';
import type { ListedRow, RowList, Tone } from './rowList.ts';
import type { ViewContract } from './viewContract.ts';

export type { ListedRow, RowList, Tone };

/* Content of the dashboard. Every figure arrives as text from the extension, exact and ready to read; the numbers
   beside them only give the length of a bar. */

/** The user's choices; kept over restarts. */
export interface Choices {
  readonly tab: Tab;
  readonly preset: Preset;
  /** First day of a custom range, `YYYY-MM-DD`. */
  readonly first: string;
  readonly last: string;
  /** First day of the period to compare a custom range with; the one just before if it is missing or empty. */
  readonly before?: string | undefined;
  /** Whether to show the previous period. */
  readonly compare: boolean;
  readonly group: CostGroup;
  /** Column of the group file; the first one if it is missing or unknown. */
  readonly column?: string | undefined;
  /** Product or expert that the pages of spending are limited to, such as `product:Chat`; all if missing or empty. */
  readonly part?: string | undefined;
  /** Group that the figures are limited to, such as `team=Search`; all if missing or empty. */
  readonly only?: string | undefined;
  /** Shows only names that contain this text, in lists and parts. */
  readonly filter: string;
  /** Whether pseudonyms replace names. */
  readonly anonymise: boolean;
}

/** A figure with its name. */
export interface Tile {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  /** Text below the figure: a change, a share, a date. */
  readonly note: string;
  readonly tone: Tone;
  /** Explanation of the figure. */
  readonly about: string;
}

export interface ShownTable {
  readonly columns: readonly { readonly title: string; readonly isNumber: boolean }[];
  readonly rows: readonly (readonly string[])[];
}

/** Unit of an axis. */
export type AxisUnit = 'count' | 'usd' | 'credits' | 'share';

/** Roles of a series in the drawing: the value, the rest, the trend, the previous period, the limit, the projection. */
export type Role = 'value' | 'others' | 'trend' | 'before' | 'limit' | 'projection';

export interface Series {
  readonly name: string;
  readonly role: Role;
  /** Values at the points of the axis; `null` for a gap. */
  readonly values: readonly (number | null)[];
  readonly texts: readonly string[];
}

interface ChartParts {
  readonly id: string;
  readonly title: string;
  /** Explanation of the figures. */
  readonly about: string;
  /** Content of the chart in a sentence. */
  readonly summary: string;
  readonly table: ShownTable;
}

/** A chart by day. */
export interface TimeChart extends ChartParts {
  readonly kind: 'lines' | 'stack';
  readonly unit: AxisUnit;
  readonly days: readonly string[];
  readonly series: readonly Series[];
  /** Unusual days, as indices of `days`. */
  readonly unusual: readonly number[];
}

/** A chart with one bar for each subject, of one part or several, or towards a limit. */
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
    /** Id of the person that the bar opens. */
    readonly person: string | null;
  }[];
  /** A line across all bars, such as 100 %. */
  readonly mark: { readonly value: number; readonly name: string } | null;
}

/** A chart of people by day. */
export interface HeatChart extends ChartParts {
  readonly kind: 'heat';
  readonly unit: AxisUnit;
  readonly days: readonly string[];
  readonly rows: readonly {
    readonly name: string;
    readonly person: string;
    /** The sum of all days. */
    readonly text: string;
    readonly values: readonly number[];
    readonly texts: readonly string[];
  }[];
}

/** A chart of earlier and present values. */
export interface MoverChart extends ChartParts {
  readonly kind: 'movers';
  /** Meaning of the ring and the dot. */
  readonly legend: string;
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

/** The reason for missing or degraded figures, and the remedies. */
export interface ViewError {
  readonly kind: 'offline' | 'partial' | 'rate-limited' | 'unauthenticated' | 'forbidden' | 'range' | 'failed';
  readonly title: string;
  readonly message: string;
  readonly next: readonly NextStep[];
}

/** Progress of a long load. */
export interface LoadProgress {
  readonly state: 'running' | 'stopped' | 'done';
  readonly text: string;
  readonly done: number;
  /** 0 if unknown. */
  readonly of: number;
  readonly next: readonly NextStep[];
}

/** What needs attention: sentences in their order, each with its place. */
export interface AttentionList {
  readonly rows: readonly {
    readonly text: string;
    readonly tone: Tone;
    /** The place where there is more: a tab, or a person's page. */
    readonly tab: Tab;
    readonly person: string | null;
  }[];
  /** What was looked at, and that all is well if it is. */
  readonly note: string;
  readonly isLoading: boolean;
}

/** One tab, with the content so far. */
export interface Page {
  readonly tab: Tab;
  readonly isLoading: boolean;
  /** Whether there is anything to show. */
  readonly isFilled: boolean;
  readonly error: ViewError | null;
  /** Explains a page without content and without an error, in a title and a sentence. */
  readonly empty: { readonly title: string; readonly message: string; readonly next?: readonly NextStep[] } | null;
  readonly progress: LoadProgress | null;
  /** Time of the figures, `2026-11-21 09:30 UTC`, and their age. */
  readonly asOf: string;
  /** On the first tab. */
  readonly attention: AttentionList | null;
  readonly tiles: readonly Tile[];
  readonly charts: readonly Chart[];
  readonly list: RowList | null;
  /** The person shown in place of all. */
  readonly person: { readonly id: string; readonly name: string } | null;
}

/**
 * The account of the figures. `none`: nothing is connected; `stopped`: the sample server does not run; `gone`: the
 * token is missing.
 */
export interface ShownAccount {
  readonly kind: 'none' | 'loading' | 'stopped' | 'gone' | 'ready';
  readonly name: string;
  /** Number of connected organizations. */
  readonly organizations: number;
}

export interface DashboardState {
  readonly account: ShownAccount;
  readonly choices: Choices;
  readonly tabs: readonly { readonly id: Tab; readonly name: string }[];
  /** The days shown, and the allowed ones. */
  readonly range: {
    readonly text: string;
    readonly first: string;
    readonly last: string;
    /** The period to compare with; empty where nothing is compared. */
    readonly before: string;
    readonly oldest: string;
    readonly newest: string;
  };
  /** Controls that have an effect on the tab. */
  readonly controls: { readonly days: boolean; readonly compare: boolean; readonly filter: boolean };
  /** Possible groupings of the tab, and the chosen one. */
  readonly groups: readonly { readonly id: string; readonly name: string }[];
  readonly group: string;
  /** Products and experts that the tab can be limited to, and the chosen one; empty for all. */
  readonly parts: readonly { readonly id: string; readonly name: string }[];
  readonly part: string;
  /** Groups that the tab can be limited to, by column, and the chosen one; empty for all. */
  readonly onlyGroups: readonly { readonly id: string; readonly name: string; readonly column: string }[];
  readonly only: string;
  readonly page: Page;
  /** The budget editor: beside the limits, and on a person's page. */
  readonly editor: BudgetEditorState | null;
  /** Text for screen readers; a counter distinguishes repetitions. */
  readonly spoken: string;
}

export interface DashboardMethods extends BudgetEditorMethods {
  ready(nothing: undefined): DashboardState;
  /** Applies other choices. */
  choose(choices: Choices): void;
  /** Fetches from the service, however fresh the figures are. */
  refresh(nothing: undefined): void;
  /** Returns some rows of a list, sorted and filtered as shown. */
  rows(request: { readonly list: List; readonly from: number; readonly count: number }): readonly ListedRow[];
  sort(request: {
    readonly list: List;
    readonly column: string;
    readonly direction: (typeof DIRECTIONS)[number];
  }): void;
  /** Shows one person, or with `null` all of them again. */
  openPerson(request: { readonly id: string | null }): void;
  /** Writes a file that the user chooses; `image` is the page's picture. */
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
  before: z.optional(day),
  compare: z.boolean(),
  group: z.enum(GROUPS),
  column: z.optional(z.string().check(z.maxLength(MAX_COLUMN))),
  part: z.optional(z.string().check(z.maxLength(MAX_PART))),
  only: z.optional(z.string().check(z.maxLength(MAX_PART))),
  filter: z.string().check(z.maxLength(MAX_FILTER)),
  anonymise: z.boolean(),
});

/** "Sextant Usage: Open Dashboard". */
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
    ...budgetEditorRequests,
  },
};
