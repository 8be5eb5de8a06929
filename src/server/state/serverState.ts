import type { OverrideEntry } from '../../analytics/contract.ts';
import type { TokenRecord } from '../auth/tokens.ts';

/** What clients changed, in the order of a log: together with the data file it is the whole state. */
export type Change =
  | { readonly type: 'overrides'; readonly entries: readonly OverrideEntry[] }
  | ({ readonly type: 'token' } & TokenRecord)
  | { readonly type: 'revoke'; readonly name: string }
  /** A data file that was imported, by its name among those that are kept. */
  | { readonly type: 'import'; readonly file: string };

/** What a server is reached by; kept, so that it is the same after a restart. */
export interface Address {
  readonly port: number;
  readonly token: string;
  readonly adminToken: string;
}

/** A data file on its way in: its bytes pass through, and are kept if it proves good. */
export interface Incoming {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Its name, for a {@link Change}. */
  keep(): Promise<string>;
  discard(): Promise<void>;
}

/** Where a server keeps what outlives it. */
export interface ServerState {
  /** Absent where nothing outlives the server. */
  readonly folder: string | undefined;
  readonly address: Address | undefined;
  readonly cursorKey: Buffer;
  /** What was changed before this start. */
  readonly changes: readonly Change[];
  /** Says where the server is, for others to find it. */
  publish(url: string, address: Address): void;
  /** Resolves when the change will outlive the process. */
  append(change: Change): Promise<void>;
  /** Replaces all changes by these, which need no more than `files` of the imports. */
  replace(changes: readonly Change[]): Promise<void>;
  receive(bytes: AsyncIterable<Uint8Array>): Incoming;
  read(file: string): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}
