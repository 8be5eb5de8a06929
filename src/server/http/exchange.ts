import type { IncomingHttpHeaders } from 'node:http';
import type { WrittenJson } from './jsonWriter.ts';

/** The sender of a request. */
export interface Caller {
  /** The name of the token, never the token. */
  readonly name: string;
}

/** An admitted request, as a service sees it. */
export interface HttpExchange {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
  /** The query without its question mark, as it was sent. */
  readonly query: string;
  /** What stands for the `{…}` of the path. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly caller: Caller | undefined;
  /** The whole body. Throws `PayloadTooLarge` and `RequestTimeout`. */
  body(): Promise<Buffer>;
  /** The body as it comes, of any size. */
  stream(): AsyncIterable<Uint8Array>;
  /** Aborts when the client goes, and when it has the answer: for one that is long in coming. */
  gone(): AbortSignal;
  /** A note in the request log. */
  warn(message: string): void;
}

/** An answer: JSON, or text of another type that may come in parts. */
export type Reply =
  | { readonly json: unknown; readonly status?: number }
  /** A whole answer, of any type. */
  | { readonly bytes: string; readonly status: number; readonly headers: Readonly<Record<string, string>> }
  /** Written already. */
  | WrittenJson
  | { readonly lines: Iterable<string> | AsyncIterable<string>; readonly contentType: string };

export interface Operation {
  /** The media types of the body, perhaps by the parameters; where this is missing, the body is not looked at. */
  readonly accepts?: readonly string[] | ((parameters: HttpExchange['parameters']) => readonly string[] | undefined);
  readonly maxBytes?: number;
  handle(exchange: HttpExchange): Reply | Promise<Reply>;
}

/** A request for a resource that was answered with an error. */
export interface Refused {
  readonly parameters: HttpExchange['parameters'];
  readonly status: number;
  readonly code: string;
  /** The message to the client, or more. */
  readonly reason: string;
}

/** A path and what can be done with it. */
export interface Resource {
  /** `/__admin/tokens/{name}`: a name in braces stands for one part of a path. */
  readonly path: string;
  /** Recognizes the caller, or throws the reason; called before the method and the body are checked. `address` is the client's. */
  readonly guard?: (
    headers: IncomingHttpHeaders,
    parameters: HttpExchange['parameters'],
    address: string | undefined,
  ) => Caller;
  /** Throws the reason to refuse a caller that `guard` recognized, such as a missing permission; the logs then name it. */
  admit?(caller: Caller): void;
  /** Called for each request that is answered with an error. */
  readonly onRefused?: (refused: Refused) => void;
  readonly methods: Readonly<Partial<Record<string, Operation>>>;
  /** The operation of all other methods, if the parameters allow them. */
  readonly otherwise?: (parameters: HttpExchange['parameters']) => Operation | undefined;
  /** Requests of the admin plane are not in the log that it shows. */
  readonly isLogged: boolean;
}
