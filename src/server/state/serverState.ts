import type { Fence } from '../../base/lease.ts';
import type { StateChange, KeptFile } from './records.ts';

/** What a server is reached by; kept, so that it is the same after a restart. */
export interface Address {
  readonly port: number;
  readonly token: string;
  readonly adminToken: string;
}

/** A data file on its way in: its bytes pass through, and are kept if it proves good. */
export interface Incoming {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Makes it durable. The result is part of a {@link StateChange}. */
  keep(): Promise<KeptFile>;
  discard(): Promise<void>;
}

/** Where a server keeps what outlives it. */
export interface ServerState {
  /** Guards all files of the folder; absent where nothing outlives the server. */
  readonly fence: Fence | undefined;
  /** Absent where nothing outlives the server. */
  readonly folder: string | undefined;
  readonly address: Address | undefined;
  readonly cursorKey: Buffer;
  /** What was changed before this start. */
  readonly changes: readonly StateChange[];
  /** Records where the server is, for others to find it; as soon as there is room for it. Throws `LeaseLost`. */
  publish(url: string, address: Address): void;
  /** Resolves when the change will outlive the process. */
  append(change: StateChange): Promise<void>;
  /** Replaces all changes by these, which need no more than `files` of the imports. */
  replace(changes: readonly StateChange[]): Promise<void>;
  receive(bytes: AsyncIterable<Uint8Array>): Incoming;
  /** Throws `StateDamaged` where the file is missing or not as it was written. */
  read(file: KeptFile): AsyncIterable<Uint8Array>;
  /** The path of a file, for messages. */
  pathOf(file: KeptFile): string;
  close(): Promise<void>;
}
