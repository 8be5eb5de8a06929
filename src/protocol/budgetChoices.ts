/* Choices of the budget editor. Separate from the contract, whose schemas no page needs. */

/** Scopes of the list: all with an override, those over it, or also all others with consumption. */
export const BUDGET_SCOPES = ['own', 'over', 'all'] as const;
export type BudgetScope = (typeof BUDGET_SCOPES)[number];

/** Actions on a change, before or after it is made. */
export const BUDGET_EDITOR_ACTIONS = [
  'apply',
  'overwrite',
  'cancel',
  'close',
  'undo',
  'retry',
  'resume',
  'verify',
  'report',
  'saveFailures',
  'saveLimits',
  'chooseFile',
  'groupLimit',
  'spreadLimit',
] as const;
export type BudgetEditorAction = (typeof BUDGET_EDITOR_ACTIONS)[number];

/** Characters of an account's name. */
export const MAX_ACCOUNT = 320;
/** Characters of a typed limit: longer than any valid one, so that the mistake can be explained. */
export const MAX_LIMIT = 40;
/** Characters of pasted rows: 5,000 rows have some 400,000. */
export const MAX_CSV = 8_000_000;
/** Number of accounts suggested during typing. */
export const MAX_PROPOSED = 8;
