/* What can be chosen where limits are changed. Apart from the contract, whose schemas no page needs. */

/** Whose rows are listed: all with a limit of their own, those who are over it, or everybody who used something, too. */
export const BUDGET_SCOPES = ['own', 'over', 'all'] as const;
export type BudgetScope = (typeof BUDGET_SCOPES)[number];

/** What can be done with what is being changed, or was. */
export const DESK_ACTIONS = [
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
] as const;
export type DeskAction = (typeof DESK_ACTIONS)[number];

/** Characters of an account's name. */
export const MAX_ACCOUNT = 320;
/** Characters of what is typed as a limit: more than one has, so that what is wrong with it can be said. */
export const MAX_LIMIT = 40;
/** Characters of what is pasted: 5,000 rows are some 400,000. */
export const MAX_CSV = 8_000_000;
/** Accounts that are proposed while somebody types. */
export const MAX_PROPOSED = 8;
