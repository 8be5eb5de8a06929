import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { describeError } from './errors.ts';
import { retryAfterMs } from './retryAfter.ts';

/** The result of sending a request once. */
export interface HttpOutcome {
  /** Whether the receiver answered with a status of 2xx. */
  readonly isDone: boolean;
  /** Whether another attempt may succeed: false if the receiver refused the request. */
  readonly canRetry: boolean;
  /** The delay that the receiver requests, up to {@link LONGEST_WAIT_MS}. */
  readonly afterMs?: number;
  /** The status of the response, if there is one, and the beginning of its text. */
  readonly status?: number;
  readonly answer?: string;
  readonly error?: string;
}

export interface HttpRequest {
  readonly method: Dispatcher.HttpMethod;
  /** Names and values in turns. */
  readonly headers: string[];
  readonly body?: string | Uint8Array;
  /** Time limit of the whole exchange. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly dispatcher?: Dispatcher | undefined;
}

/** The most characters kept of a response. */
const MAX_ANSWER = 2000;
/** Longest delay before another attempt. */
export const LONGEST_WAIT_MS = 600_000;

/** Sends a request once and follows no redirect, which is no success. Throws only for a cancelled `signal`. */
export async function attempt(
  url: string,
  { body: sent, timeoutMs, signal, dispatcher, ...options }: HttpRequest,
): Promise<HttpOutcome> {
  // Imported late: a large library, which most processes never need.
  const { request } = await import('./undici.ts');
  signal.throwIfAborted();
  // One controller and timer: `AbortSignal.any` and `timeout` take longer than the rest, and leave objects until the time is over.
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
  const onAbort = (): void => stop.abort();
  signal.addEventListener('abort', onAbort);
  try {
    const { statusCode, headers, body } = await request(url, {
      ...options,
      ...(sent !== undefined && { body: sent }),
      signal: stop.signal,
      ...(dispatcher && { dispatcher }),
    });
    const answer = await beginningOf(body);
    const isDone = statusCode >= 200 && statusCode < 300;
    const canRetry = !isDone && (statusCode >= 500 || [408, 425, 429].includes(statusCode));
    const afterMs = Math.min(retryAfterMs(headers['retry-after'], Date.now()) ?? 0, LONGEST_WAIT_MS);
    return { isDone, canRetry, afterMs, status: statusCode, answer };
  } catch (error) {
    signal.throwIfAborted();
    return { isDone: false, canRetry: true, error: describeError(error) };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/** The first {@link MAX_ANSWER} characters of a response. The rest of a longer one is not read. */
function beginningOf(body: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    body
      .setEncoding('utf8')
      .on('data', (chunk: string) => {
        text += chunk;
        if (text.length <= MAX_ANSWER) return;
        resolve(text.slice(0, MAX_ANSWER));
        body.destroy();
      })
      .on('end', () => resolve(text))
      .on('error', reject);
  });
}

/** Milliseconds to wait after `attempts` attempts: 1 s, doubled each time up to 10 min, plus up to a fifth at random. */
export function backoffMs(attempts: number, baseMs = 1000, random: () => number = Math.random): number {
  return Math.min(baseMs * 2 ** (attempts - 1), LONGEST_WAIT_MS) * (1 + random() / 5);
}
