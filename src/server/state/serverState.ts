import type { Fence } from '../../base/lease.ts';
import type { Change, KeptFile } from './records.ts';

/** Address and tokens of a server, stored so that a restart keeps them. */
export interface Address {
  readonly port: number;
  readonly token: string;
  readonly adminToken: string;
}

/** An incoming data file: its bytes pass through, and are kept if valid. */
export interface Incoming {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Makes the file durable. The result is part of a {@link Change}. */
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
  /** Changes before this start. */
  readonly changes: readonly Change[];
  /** Publishes the server's address, as soon as there is room. Throws `LeaseLost`. */
  publish(url: string, address: Address): void;
  /** Records a change. Resolves when it is durable. */
  append(change: Change): Promise<void>;
  /** Replaces all changes by these, and removes imports that they do not name. */
  replace(changes: readonly Change[]): Promise<void>;
  receive(bytes: AsyncIterable<Uint8Array>): Incoming;
  /** Reads a file. Throws `StateDamaged` if it is missing or changed. */
  read(file: KeptFile): AsyncIterable<Uint8Array>;
  /** The path of a file, for messages. */
  pathOf(file: KeptFile): string;
  close(): Promise<void>;
}
