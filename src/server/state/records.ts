import type { OverrideEntry, Plan, TokenScope } from '../../analytics/contract.ts';
import type { Day } from '../../base/day.ts';

/** What clients changed, in the order of a log: together with the data file it is the whole state. */
export type StateChange =
  | { readonly type: 'overrides'; readonly entries: readonly OverrideEntry[] }
  | ({ readonly type: 'token' } & TokenRecord)
  | { readonly type: 'revoke'; readonly name: string }
  /** An imported data file; `replaces` names an earlier, damaged one with the same bytes. */
  | ({ readonly type: 'import'; readonly replaces?: string } & KeptFile)
  /** Replaces all facts, by a snapshot: with a data file, or a simulated organization. */
  | ({ readonly type: 'facts' } & KeptFile)
  | ({ readonly type: 'simulation' } & SimulationOptions);

/** A stored data file. */
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
  /** Patterns of the repositories that it may use; all by default. */
  readonly repositories?: readonly string[] | undefined;
  /** Requests for repositories a minute; no limit by default. */
  readonly perMinute?: number | undefined;
}

/** A simulated organization. */
export interface SimulationOptions {
  /** An integer of up to 2^53 - 1. Equal seeds have equal organizations. */
  readonly seed: number;
  /** Number of people at a time, from 1 to 100,000. */
  readonly users: number;
  readonly plan: Plan;
  /** The day on which a crowd of contractors came, if any. */
  readonly flood?: Day | undefined;
}
