import { cancelled, SextantError } from '../../base/errors.ts';

/** Parameters of a query; those that are missing are left out. */
export type QueryParameters = Readonly<Record<string, string | number | boolean | undefined>>;

/** Client of the admin plane of a running server. */
export class AdminClient {
  readonly #url: string;
  readonly #token: string;

  constructor({ url, adminToken }: { readonly url: string; readonly adminToken: string }) {
    this.#url = url;
    this.#token = adminToken;
  }

  /** The address of the server. */
  get url(): string {
    return this.#url;
  }

  /** The path of a resource below `/__admin`, its parts escaped, with a query. */
  static path(parts: readonly string[], query: QueryParameters = {}): string {
    const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    );
    const search = new URLSearchParams(given).toString();
    return `${parts.map((part) => encodeURIComponent(part)).join('/')}${search && `?${search}`}`;
  }

  /** Sends a request, and returns the JSON response. Throws the server's error, `NoAnswer` without one, and `Cancelled`. */
  async ask<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    const response = await this.#fetch(method, path, body, signal);
    return (await response.json()) as T;
  }

  /** Yields the JSON lines of a response; stopping early closes the connection. Throws as {@link ask} does. */
  async *lines<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): AsyncGenerator<T> {
    const response = await this.#fetch(method, path, body, signal);
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for await (const chunk of response.body!) {
        const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n');
        rest = lines.pop()!;
        for (const line of lines) yield JSON.parse(line) as T;
      }
    } catch (error) {
      throw this.#explain(error, signal);
    }
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
    const { error } = (await response.json()) as {
      readonly error: { readonly code: string; readonly message: string };
    };
    throw new SextantError(error.code, sentence(error.message));
  }

  /** A signal that aborted means `Cancelled`, unless its time limit ran out. */
  #explain(error: unknown, signal: AbortSignal | undefined): SextantError {
    const isTimeout = signal?.reason instanceof DOMException && signal.reason.name === 'TimeoutError';
    if (signal?.aborted && !isTimeout) return cancelled();
    return new SextantError('NoAnswer', `The server at ${this.#url} does not answer. Check whether it is running.`, {
      cause: error,
    });
  }
}

/** Capitalizes a message of the API. */
function sentence(text: string): string {
  const begun = text.replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase());
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
