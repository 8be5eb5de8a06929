import * as z from 'zod/mini';
import {
  BUDGET_SCOPES,
  BUDGET_EDITOR_ACTIONS,
  MAX_ACCOUNT,
  MAX_CSV,
  MAX_LIMIT,
  type BudgetScope,
  type BudgetEditorAction,
} from './budgetChoices.ts';
import type { RowList, Tone } from './rowList.ts';

/* The budget editor: one change at a time, from the request to the report. The page sends typed input; the extension
   computes the effect and the result. */

export interface NamedAction {
  readonly id: BudgetEditorAction;
  readonly name: string;
}

/** Rows with something in common. */
export interface ChangePart {
  readonly id: string;
  readonly name: string;
  /** Number of rows. */
  readonly count: string;
  readonly tone: Tone;
  readonly isShown: boolean;
}

/** The current step of the editor. */
export interface BudgetEditorStep {
  /** Differs for each step. */
  readonly serial: number;
  /**
   * `looking`: the preview is being computed. `preview`: it waits for confirmation. `running`: the change is being
   * made. `report`: its result. `refused`: nothing was done.
   */
  readonly kind: 'none' | 'looking' | 'preview' | 'running' | 'report' | 'refused';
  readonly title: string;
  readonly summary: string;
  /** Time of the read or the change, and any warning. */
  readonly note: string;
  readonly tone: Tone;
  readonly progress: { readonly done: number; readonly of: number } | null;
  readonly parts: readonly ChangePart[];
  readonly list: RowList | null;
  /** Actions, the most likely first. */
  readonly actions: readonly NamedAction[];
}

/** A person whose limit is changed on their own page. */
export interface BudgetEditorPerson {
  readonly id: string;
  readonly name: string;
  /** The current limit. */
  readonly text: string;
  readonly hasLimit: boolean;
  /** The projection of the month, in words; empty if the limit suffices or no projection is possible. */
  readonly raise: string;
}

export interface BudgetEditorState {
  /** Unit in words: `credits a month`. */
  readonly unit: string;
  readonly scope: BudgetScope;
  readonly scopes: readonly { readonly id: BudgetScope; readonly name: string }[];
  /** Restrictions while names are hidden; empty while they are not. */
  readonly notice: string;
  readonly step: BudgetEditorStep;
  /** An interrupted batch: its progress, and the possible actions. */
  readonly interrupted: { readonly text: string; readonly actions: readonly NamedAction[] } | null;
  /** The last completed batch. */
  readonly last: { readonly text: string; readonly actions: readonly NamedAction[] } | null;
  readonly person: BudgetEditorPerson | null;
}

/** A suggested account. */
export interface ProposedAccount {
  readonly id: string;
  readonly name: string;
  /** Its limit. */
  readonly note: string;
}

/** A mistake in typed input, with its field. */
export interface TypedProblem {
  readonly field: 'account' | 'limit';
  readonly problem: string;
}

export interface BudgetEditorMethods {
  /** Lists other rows. */
  showScope(request: { readonly scope: BudgetScope }): void;
  showPart(request: { readonly part: string }): void;
  /** Returns a person's override in digits; empty if there is none. */
  limitOf(request: { readonly id: string }): string;
  /** Checks a limit during typing; empty if it is valid. */
  checkLimit(request: { readonly limit: string }): string;
  /** Previews a new limit; `was` is the one to replace. */
  setLimit(request: { readonly id: string; readonly limit: string; readonly was: string }): TypedProblem | null;
  /** Previews a limit for a typed account, or with `id` for a suggested one. */
  addLimit(request: {
    readonly account: string;
    readonly id: string | null;
    readonly limit: string;
  }): TypedProblem | null;
  clearLimit(request: { readonly id: string }): void;
  raiseLimit(request: { readonly id: string }): void;
  /** Returns accounts with this text in their name. */
  accounts(request: { readonly text: string }): readonly ProposedAccount[];
  /** Previews pasted rows. */
  importLimits(request: { readonly csv: string }): void;
  act(request: { readonly act: BudgetEditorAction }): void;
}

const id = z.string().check(z.maxLength(MAX_ACCOUNT));
const account = z.string().check(z.trim(), z.maxLength(MAX_ACCOUNT));
const limit = z.string().check(z.trim(), z.maxLength(MAX_LIMIT));

export const budgetEditorRequests = {
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
  act: z.strictObject({ act: z.enum(BUDGET_EDITOR_ACTIONS) }),
};
