import { formatSeconds } from '../../base/clock.ts';

/** One answered request, as the admin plane shows it. */
export interface LoggedRequest {
  readonly id: number;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly caller: string | null;
  readonly status: number;
  /** The error's code and message where it is one. */
  readonly code: string | null;
  readonly message: string | null;
  readonly duration_ms: number;
  readonly warnings: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

/** As it is kept; what is shown is made of it only when somebody asks. */
export interface RequestEntry {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly rawHeaders: readonly string[];
  readonly durationMs: number;
  readonly caller: string | undefined;
  readonly status: number;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  readonly warnings: readonly string[];
}

const KEPT = 1000;
const SECRET = /authorization|cookie|token|secret|password|api[-_]?key|signature/i;
const REDACTED = '[redacted]';

/** The last requests. No secret leaves it: headers and parameters that have one by their name are shown without. */
export class RequestLog {
  /** The n-th request is at n modulo their number. */
  readonly #entries: RequestEntry[] = [];
  #count = 0;
  /** How many there were when it was cleared. */
  #from = 0;

  add(entry: RequestEntry): void {
    this.#entries[this.#count++ % KEPT] = entry;
  }

  clear(): void {
    this.#entries.length = 0;
    // Numbers go on, and so do the places.
    this.#from = this.#count;
  }

  /** The newest first. */
  latest(limit: number): LoggedRequest[] {
    const shown = Math.min(limit, KEPT, this.#count - this.#from);
    return Array.from({ length: shown }, (_, i) => {
      const number = this.#count - i;
      return logged(number, this.#entries[(number - 1) % KEPT]!);
    });
  }
}

function logged(id: number, entry: RequestEntry): LoggedRequest {
  const { at, method, path, query, caller, status, error, durationMs, warnings, rawHeaders } = entry;
  return {
    id,
    at: formatSeconds(at),
    method,
    path,
    query: redactQuery(query),
    caller: caller ?? null,
    status,
    code: error?.code ?? null,
    message: error?.message ?? null,
    duration_ms: Math.round(durationMs * 1000) / 1000,
    warnings,
    headers: redactHeaders(rawHeaders),
  };
}

function redactHeaders(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase();
    headers[name] = SECRET.test(name) ? REDACTED : raw[i + 1]!;
  }
  return headers;
}

function redactQuery(query: string): string {
  return query
    .split('&')
    .map((part) => {
      const [name = ''] = part.split('=', 1);
      return SECRET.test(name) ? `${name}=${REDACTED}` : part;
    })
    .join('&');
}
