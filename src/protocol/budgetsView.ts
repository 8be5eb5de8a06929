import * as z from 'zod/mini';
import { BUDGET_SCOPES, DESK_ACTIONS, MAX_ACCOUNT, MAX_CSV, MAX_LIMIT, type BudgetScope, type DeskAction } from './budgetChoices.ts'; // prettier-ignore
import type { RowList, Tone } from './rowList.ts';

/*
 * Where limits are changed: one thing at a time, from what is wanted to the report. The page sends what was typed; what it would
 * change, and what became of it, the extension says.
 */

export interface NamedAction {
  readonly id: DeskAction;
  readonly name: string;
}

/** Rows that have something in common. */
export interface ChangePart {
  readonly id: string;
  readonly name: string;
  /** How many. */
  readonly count: string;
  readonly tone: Tone;
  readonly isShown: boolean;
}

/** What is on the desk. */
export interface DeskStep {
  /** Another one for each step. */
  readonly serial: number;
  /**
   * `looking`: what would change is being found out. `preview`: it waits for a yes. `running`: it is being done. `report`: what
   * became of it. `refused`: nothing was done.
   */
  readonly kind: 'none' | 'looking' | 'preview' | 'running' | 'report' | 'refused';
  readonly title: string;
  readonly summary: string;
  /** When it was read or done, and what is amiss. */
  readonly note: string;
  readonly tone: Tone;
  readonly progress: { readonly done: number; readonly of: number } | null;
  readonly parts: readonly ChangePart[];
  readonly list: RowList | null;
  /** The first is what one most likely wants. */
  readonly actions: readonly NamedAction[];
}

/** Somebody whose limit is changed on their own page. */
export interface DeskPerson {
  readonly id: string;
  readonly name: string;
  /** What limit there is. */
  readonly text: string;
  readonly hasLimit: boolean;
  /** To what the month comes, in words; empty where the limit is enough, or nobody can say. */
  readonly raise: string;
}

export interface Desk {
  /** In words: `credits a month`. */
  readonly unit: string;
  readonly scope: BudgetScope;
  readonly scopes: readonly { readonly id: BudgetScope; readonly name: string }[];
  /** What holds while names are hidden; empty while they are not. */
  readonly notice: string;
  readonly step: DeskStep;
  /** A batch that was interrupted: how far it is, and what can be done. */
  readonly interrupted: { readonly text: string; readonly actions: readonly NamedAction[] } | null;
  /** The last batch that came to its end. */
  readonly last: { readonly text: string; readonly actions: readonly NamedAction[] } | null;
  readonly person: DeskPerson | null;
}

/** An account that somebody may mean. */
export interface ProposedAccount {
  readonly id: string;
  readonly name: string;
  /** What limit it has. */
  readonly note: string;
}

/** What is wrong with what was typed; empty where nothing is. */
export interface TypedProblem {
  readonly field: 'account' | 'limit';
  readonly problem: string;
}

export interface DeskMethods {
  /** Lists other rows. */
  showScope(request: { readonly scope: BudgetScope }): void;
  showPart(request: { readonly part: string }): void;
  /** The limit that somebody has, in digits; empty where it is none. */
  limitOf(request: { readonly id: string }): string;
  /** What is wrong with a limit as it is typed; empty where nothing is. */
  checkLimit(request: { readonly limit: string }): string;
  /** Shows what a new limit would change; `was` is the one that it is to replace. */
  setLimit(request: { readonly id: string; readonly limit: string; readonly was: string }): TypedProblem | null;
  /** The same for an account that is typed, or with `id` for one that was proposed. */
  addLimit(request: {
    readonly account: string;
    readonly id: string | null;
    readonly limit: string;
  }): TypedProblem | null;
  clearLimit(request: { readonly id: string }): void;
  raiseLimit(request: { readonly id: string }): void;
  /** Accounts that have this in their name. */
  accounts(request: { readonly text: string }): readonly ProposedAccount[];
  /** Shows what pasted rows would change. */
  importLimits(request: { readonly csv: string }): void;
  act(request: { readonly act: DeskAction }): void;
}

const id = z.string().check(z.maxLength(MAX_ACCOUNT));
const account = z.string().check(z.trim(), z.maxLength(MAX_ACCOUNT));
const limit = z.string().check(z.trim(), z.maxLength(MAX_LIMIT));

export const deskRequests = {
  showScope: z.strictObject({ scope: z.enum(BUDGET_SCOPES) }),
  showPart: z.strictObject({ part: id }),
  limitOf: z.strictObject({ id }),
  checkLimit: z.strictObject({ limit }),
  setLimit: z.strictObject({ id, limit, was: limit }),
  addLimit: z.strictObject({ account, id: z.nullable(id), limit }),
  clearLimit: z.strictObject({ id }),
  raiseLimit: z.strictObject({ id }),
  accounts: z.strictObject({ text: account }),
  importLimits: z.strictObject({ csv: z.string().check(z.maxLength(MAX_CSV)) }),
  act: z.strictObject({ act: z.enum(DESK_ACTIONS) }),
};
