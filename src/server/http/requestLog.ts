import { formatTime } from '../../base/clock.ts';
import { prefixOf } from '../../base/format.ts';

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

/** What few requests have. */
type Notes = Pick<RequestEntry, 'error' | 'warnings'>;

const KEPT = 1000;
/** Room for the text of a usual request; a longer one gets more. */
const USUAL_BYTES = 512;
/** Of a longer part of a request only the beginning is kept. */
const MAX_PART = 2_000;
const MAX_WARNINGS = 20;
/** In no part of a request can there be a line break, or a character beyond Latin-1. */
const SEPARATOR = '\n';
const [AT, DURATION, STATUS, NUMBERS] = [0, 1, 2, 3];
const NO_NOTES: Notes = { warnings: [] };
/** Names of headers and parameters whose values are secrets, or prove something. */
export const SECRET_NAME = /auth|cookie|token|secret|passw|api[-_]?key|signature|session|access|credential|bearer/i;
const REDACTED = '[redacted]';

/**
 * The last requests. No secret leaves it: headers and parameters that have one by their name are shown without.
 *
 * They are kept as bytes and numbers in places that are used again and again. As objects each would live just long enough to
 * be moved to the old generation, which costs more than all else that is done for a quick request, and fills the memory
 * between two collections.
 */
export class RequestLog {
  /** The n-th request is at n modulo their number: method, path, query, caller, and names and values of headers. */
  readonly #texts: Buffer[] = [];
  readonly #lengths = new Uint32Array(KEPT);
  readonly #numbers = new Float64Array(KEPT * NUMBERS);
  readonly #notes: Notes[] = [];
  #count = 0;
  /** How many there were when it was cleared. */
  #from = 0;

  add({ at, method, path, query, rawHeaders, durationMs, caller = '', status, error, warnings }: RequestEntry): void {
    const place = this.#count++ % KEPT;
    const parts = [method, path, query, caller, ...rawHeaders];
    const whole = parts.join(SEPARATOR);
    const text = whole.length > MAX_PART ? parts.map(shortened).join(SEPARATOR) : whole;
    let bytes = this.#texts[place];
    if (!bytes || bytes.length < text.length)
      this.#texts[place] = bytes = Buffer.allocUnsafeSlow(Math.max(USUAL_BYTES, text.length));
    this.#lengths[place] = bytes.write(text, 'latin1');
    this.#numbers[place * NUMBERS + AT] = at;
    this.#numbers[place * NUMBERS + DURATION] = durationMs;
    this.#numbers[place * NUMBERS + STATUS] = status;
    this.#notes[place] = error || warnings.length > 0 ? notesOf(error, warnings) : NO_NOTES;
  }

  clear(): void {
    // Numbers go on, and so do the places.
    this.#from = this.#count;
  }

  /** The newest first. */
  latest(limit: number): LoggedRequest[] {
    const shown = Math.min(limit, KEPT, this.#count - this.#from);
    return Array.from({ length: shown }, (_, i) => this.#logged(this.#count - i));
  }

  #logged(id: number): LoggedRequest {
    const place = (id - 1) % KEPT;
    const text = this.#texts[place]!.toString('latin1', 0, this.#lengths[place]);
    const [method = '', path = '', query = '', caller = '', ...rawHeaders] = text.split(SEPARATOR);
    const { error, warnings } = this.#notes[place]!;
    return {
      id,
      at: formatTime(this.#numbers[place * NUMBERS + AT]!),
      method,
      path: redacted(path),
      query: redacted(query),
      caller: caller === '' ? null : caller,
      status: this.#numbers[place * NUMBERS + STATUS]!,
      code: error?.code ?? null,
      message: error ? redacted(error.message) : null,
      duration_ms: Math.round(this.#numbers[place * NUMBERS + DURATION]! * 1000) / 1000,
      warnings,
      headers: redactHeaders(rawHeaders),
    };
  }
}

function notesOf(error: RequestEntry['error'], warnings: readonly string[]): Notes {
  const more = warnings.length - MAX_WARNINGS;
  return {
    error: error && { code: error.code, message: copied(shortened(error.message)) },
    warnings: more > 0 ? [...warnings.slice(0, MAX_WARNINGS), `${more} more`] : warnings,
  };
}

function shortened(text: string): string {
  return text.length > MAX_PART ? `${prefixOf(text, MAX_PART)}...` : text;
}

/** A part of a text keeps all of it in memory. */
function copied(text: string): string {
  return Buffer.from(text).toString();
}

function redactHeaders(raw: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase();
    headers[name] = SECRET_NAME.test(name) ? REDACTED : redacted(raw[i + 1]!);
  }
  return headers;
}

/** A query, and whatever may have one in it: an address, a message. */
function redacted(text: string): string {
  // Most have nothing of the kind.
  if (!/[=%\s]/.test(text)) return text;
  return text
    .replace(/\b(bearer|basic) +[^\s,;]+/gi, `$1 ${REDACTED}`)
    .split(/([&?#\s;,"']+)/)
    .map((part) => {
      // A value may be a query in its turn.
      const decoded = part.replace(/%[0-9a-f]{2}/gi, (hex) => String.fromCharCode(Number.parseInt(hex.slice(1), 16)));
      const names = decoded.slice(0, Math.max(0, decoded.lastIndexOf('=')));
      if (!SECRET_NAME.test(names)) return part;
      const [name = ''] = part.split('=', 1);
      return name === part ? REDACTED : `${name}=${REDACTED}`;
    })
    .join('');
}
