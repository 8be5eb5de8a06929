import type { Fence } from '../../base/lease.ts';
import type { StateChange, KeptFile } from './records.ts';

/** Address and tokens of a server, stored so that a restart keeps them. */
export interface Address {
  readonly port: number;
  readonly token: string;
  readonly adminToken: string;
}

/** An incoming data file: its bytes pass through, and are kept if valid. */
export interface Incoming {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Makes it durable. The result is part of a {@link StateChange}. */
  keep(): Promise<KeptFile>;
  discard(): Promise<void>;
}

/** Storage of a server's state. */
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
  /** Reads a file. Throws `StateDamaged` if it is missing or changed. */
  read(file: KeptFile): AsyncIterable<Uint8Array>;
  /** The path of a file, for messages. */
  pathOf(file: KeptFile): string;
  close(): Promise<void>;
}
