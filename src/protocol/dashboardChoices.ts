/* Choices of the dashboard. Separate from the contract, whose schemas no page needs. */

export const TABS = ['overview', 'people', 'teams', 'languages', 'credits', 'cost', 'budgets'] as const;
export type Tab = (typeof TABS)[number];

export const PRESETS = ['7d', '28d', '90d', 'month', 'lastMonth', 'custom'] as const;
export type Preset = (typeof PRESETS)[number];

/** `group`: the groups of the chosen column of the group file. */
export const GROUPS = ['resource', 'product', 'byok', 'user', 'expert', 'group'] as const;
export type CostGroup = (typeof GROUPS)[number];

/** Lists of the dashboard; `changes` are previewed or completed changes of limits. */
export const LISTS = ['people', 'teams', 'budgets', 'changes'] as const;
export type List = (typeof LISTS)[number];

export const DIRECTIONS = ['ascending', 'descending'] as const;

/** Formats of an export: the whole tab as rows, as data, in prose; a chart as rows or as a picture; a page about all; a link. */
export const EXPORTS = ['csv', 'json', 'markdown', 'chartCsv', 'svg', 'png', 'report', 'reportOnAll', 'link'] as const;
export type DashboardExport = (typeof EXPORTS)[number];

/** Remedies for missing figures. */
export const NEXT_STEPS = [
  'connect',
  'sample',
  'startServer',
  'retry',
  'resume',
  'stop',
  'week',
  'log',
  'chooseGroups',
  'createGroups',
] as const;
export type NextStep = (typeof NEXT_STEPS)[number];

export const MAX_FILTER = 200;
/** Characters of the name of a column of the group file. */
export const MAX_COLUMN = 100;
/** Begins the id of a grouping by a column of the group file. */
export const COLUMN = 'column:';
/** Characters of a product, expert or group. */
export const MAX_PART = 300;
/** Rows of one request. */
export const MAX_ROWS = 500;
/** Characters of a picture: an SVG, or a PNG as base64. */
export const MAX_IMAGE = 20_000_000;
