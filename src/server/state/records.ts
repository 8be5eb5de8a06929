import type { OverrideEntry, Plan, TokenScope } from '../../analytics/contract.ts';
import type { Day } from '../../base/day.ts';

/** What clients changed, in the order of a log: together with the data file it is the whole state. */
export type StateChange =
  | { readonly type: 'overrides'; readonly entries: readonly OverrideEntry[] }
  | ({ readonly type: 'token' } & TokenRecord)
  | { readonly type: 'revoke'; readonly name: string }
  /** A data file that was imported; `replaces` names an earlier one with the same bytes that was damaged. */
  | ({ readonly type: 'import'; readonly replaces?: string } & KeptFile)
  /** What a snapshot put in place of all facts: a data file, or a simulated organization. */
  | ({ readonly type: 'facts' } & KeptFile)
  | ({ readonly type: 'simulation' } & SimulationOptions);

/** A data file that is kept. */
export interface KeptFile {
  /** Its name in `imports`. */
  readonly file: string;
  /** Length and SHA-256 in hexadecimal; earlier versions recorded neither. */
  readonly bytes?: number;
  readonly sha256?: string;
}

/** A token that a client created. */
export interface TokenRecord {
  readonly name: string;
  /** SHA-256 of the token in hexadecimal. */
  readonly hash: string;
  readonly scopes: readonly TokenScope[];
}

/** A simulated organization. */
export interface SimulationOptions {
  /** An integer of up to 2^53 - 1. Equal seeds have equal organizations. */
  readonly seed: number;
  /** How many people there are at a time, from 1 to 100,000. */
  readonly users: number;
  readonly plan: Plan;
  /** The day on which a crowd of contractors came, where one did. */
  readonly flood?: Day | undefined;
}
