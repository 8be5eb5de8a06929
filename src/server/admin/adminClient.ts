import { cancelled, SextantError } from '../../base/errors.ts';
import { missingOfAnswer, missingOfLine, missingOfRefusal } from './answerShape.ts';

/** Parameters of a query; those that are missing are left out. */
export type QueryParameters = Readonly<Record<string, string | number | boolean | undefined>>;

interface Refusal {
  readonly error: { readonly code: string; readonly message: string };
}

/** Client of the admin plane of a running server. */
export class AdminClient {
  readonly #url: string;
  readonly #token: string;
  readonly #signal: AbortSignal | undefined;

  /** `signal` cancels every request, beside the signal of the request itself. */
  constructor({ url, adminToken }: { readonly url: string; readonly adminToken: string }, signal?: AbortSignal) {
    this.#url = url;
    this.#token = adminToken;
    this.#signal = signal;
  }

  /** The address of the server. */
  get url(): string {
    return this.#url;
  }

  /** The path of a resource below `/__admin`, its parts escaped, with a query. Throws `NotFound` for names that a URL would drop. */
  static path(parts: readonly string[], query: QueryParameters = {}): string {
    const dropped = parts.find((part) => ['', '.', '..'].includes(part));
    if (dropped !== undefined) throw new SextantError('NotFound', `Nothing has the name "${dropped}".`);
    const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    );
    const search = new URLSearchParams(given).toString();
    return `${parts.map((part) => encodeURIComponent(part)).join('/')}${search && `?${search}`}`;
  }

  /**
   * Sends a request, and returns the JSON response. Throws the server's error, `NoAnswer` without a whole response,
   * `UnexpectedResponse` for one of another program, and `Cancelled`.
   */
  async ask<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    const stop = this.#stopOf(signal);
    const response = await this.#fetch(method, path, body, stop);
    return this.#json<T>(response, stop, (answer) => missingOfAnswer(method, path, answer));
  }

  /** Yields the JSON lines of a response; stopping early closes the connection. Throws as {@link ask} does. */
  async *lines<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): AsyncGenerator<T> {
    const stop = this.#stopOf(signal);
    const response = await this.#fetch(method, path, body, stop);
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for await (const chunk of response.body!) {
        const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n');
        rest = lines.pop()!;
        for (const line of lines) yield this.#line(line, path, response) as T;
      }
      if (rest !== '') yield this.#line(rest, path, response) as T;
    } catch (error) {
      throw this.#explain(error, stop, response);
    }
  }

  /** Yields the bytes of a response to `GET`; stopping early closes the connection. Throws as {@link ask} does. */
  async *bytes(path: string): AsyncGenerator<Uint8Array> {
    const response = await this.#fetch('GET', path, undefined, this.#signal);
    try {
      yield* response.body as AsyncIterable<Uint8Array>;
    } catch (error) {
      throw this.#explain(error, this.#signal, response);
    }
  }

  #stopOf(signal: AbortSignal | undefined): AbortSignal | undefined {
    return signal && this.#signal ? AbortSignal.any([signal, this.#signal]) : (signal ?? this.#signal);
  }

  async #fetch(method: string, path: string, body: unknown, signal: AbortSignal | undefined): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(`${this.#url}/__admin/${path}`, {
        method,
        headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      });
    } catch (error) {
      throw this.#explain(error, signal);
    }
    if (response.ok) return response;
    const { error } = await this.#json<Refusal>(response, signal, missingOfRefusal);
    throw new SextantError(error.code, sentence(error.message));
  }

  async #json<T>(
    response: Response,
    signal: AbortSignal | undefined,
    missingIn: (answer: unknown) => string | undefined,
  ): Promise<T> {
    let answer: unknown;
    try {
      answer = await response.json();
    } catch (error) {
      throw this.#explain(error, signal, response);
    }
    this.#check(missingIn(answer), response);
    return answer as T;
  }

  #line(text: string, path: string, response: Response): unknown {
    const line: unknown = JSON.parse(text);
    this.#check(missingOfLine(path, line), response);
    return line;
  }

  #check(missing: string | undefined, response: Response): void {
    if (missing !== undefined) throw this.#unexpected(response, missing);
  }

  #unexpected({ status }: Response, missing: string): SextantError {
    return new SextantError(
      'UnexpectedResponse',
      `The server at ${this.#url} answered ${status} without ${missing}. Check whether another program listens there.`,
    );
  }

  /** A signal that aborted means `Cancelled`, unless its time limit ran out. `response` is what has begun to arrive. */
  #explain(error: unknown, signal: AbortSignal | undefined, response?: Response): SextantError {
    const isTimeout = signal?.reason instanceof DOMException && signal.reason.name === 'TimeoutError';
    if (signal?.aborted && !isTimeout) return cancelled();
    if (error instanceof SextantError) return error;
    if (response && error instanceof SyntaxError) return this.#unexpected(response, 'JSON');
    const problem = response ? 'broke off its answer' : 'does not answer';
    return new SextantError('NoAnswer', `The server at ${this.#url} ${problem}. Check whether it is running.`, {
      cause: error,
    });
  }
}

/** Capitalizes a message of the API. */
function sentence(text: string): string {
  const begun = text.replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase());
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
