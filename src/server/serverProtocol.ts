import type { LogLevel } from '../base/log.ts';
import type { ServerInfo } from './runningServer.ts';

/** What a server in a thread is started with. */
export interface ThreadedServerOptions {
  /** The folder of state. */
  readonly state: string;
  /** The one of the last start, or a free one, where it is missing. */
  readonly port?: number | undefined;
  /** A data file; without one the organization is simulated. */
  readonly data?: string | undefined;
  readonly version?: string | undefined;
  /** Of a delivery to a webhook; 1 MiB where it is missing. */
  readonly maxBodyBytes?: number | undefined;
  /** The file of the machine's own commands. */
  readonly commands?: string | undefined;
}

export interface StartedServer {
  readonly info: ServerInfo;
  /** Whether it is of this thread; else another process has the state folder, and its server is used. */
  readonly isOwn: boolean;
  readonly isEmpty: boolean;
}

/** The calls to the thread of the server. */
export interface ServerMethods {
  start(options: ThreadedServerOptions): StartedServer;
  /** The server that another process runs on a state folder. */
  find(options: { readonly state: string }): ServerInfo | undefined;
  /** Finishes what is in flight. */
  stop(options: object): void;
}

export interface ServerEvents {
  /** Of reading the data file. */
  readonly progress: { readonly lines: number };
  /** Another process took over the state: this server answers 503 until it is stopped. */
  readonly lost: { readonly code: string; readonly message: string };
  readonly log: { readonly level: LogLevel; readonly message: string };
}
