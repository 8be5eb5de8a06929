import { isDeepStrictEqual } from 'node:util';
import type { Dispatcher } from 'undici';
import { ANSWERED_TOO_MUCH, answerText } from '../../base/answerText.ts';
import { systemClock } from '../../base/clock.ts';
import type { SextantError } from '../../base/errors.ts';
import { cancelled, isUnknownAuthority, systemCode, throwIfCancelled } from '../../base/errors.ts';
import { retryAfterMs } from '../../base/retryAfter.ts';
import { sleep as realSleep } from '../../base/sleep.ts';
import type { ProxySettings } from '../../base/undici.ts';
import {
  endpoints,
  errorBody,
  type Endpoint,
  type EndpointName,
  type RequestOf,
  type ResponseOf,
} from '../contract.ts';
import { invalidArgument } from '../errors.ts';
import { parseResponse } from '../validate.ts';
import type { Connection } from './account.ts';
import { clientErrors } from './errors.ts';
import type { BudgetDependencies, RequestBudget } from './requestBudget.ts';

export interface ClientDependencies extends BudgetDependencies {
  readonly dispatcher?: Dispatcher;
  /** Called before each request, since settings change. */
  readonly proxy?: () => ProxySettings;
  /** Random number from 0 to 1. */
  readonly random?: () => number;
  /** Time limit of a whole answer, in milliseconds. */
  readonly timeoutMs?: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether no user waits for the answer, evaluated before each request: such a request leaves a part of each burst to
   * the others.
   */
  readonly isBackground?: (() => boolean) | undefined;
  /**
   * Called at once when no request is sent before `until`, in milliseconds since 1970, because the service wants a
   * pause or fails. If that is soon, the client waits.
   */
  readonly onPause?: ((until: number, reason: SextantError) => void) | undefined;
}

/** The endpoints whose answers come in pages. */
export type PagedName = {
  [N in EndpointName]: ResponseOf<N> extends { readonly pagination: unknown } ? N : never;
}[EndpointName];

interface HttpAnswer {
  readonly status: number;
  /** `undefined` if it was too long. */
  readonly text: string | undefined;
  readonly retryAfter: string | string[] | undefined;
}

/** A failure, and whether to retry: after `afterMs`, or by the client's own backoff. */
interface Failure {
  readonly error: SextantError;
  readonly canRetry: boolean;
  readonly afterMs?: number | undefined;
  /** The service cannot have acted on the request. */
  readonly isUnheard: boolean;
}

const TIMEOUT_MS = 60_000;
const ATTEMPTS = 5;
/** Fewer attempts without a connection: the user should know soon. */
const CONNECTION_ATTEMPTS = 3;
const BACKOFF_BASE_MS = 500;
const BACKOFF_MOST_MS = 20_000;
/** Longest pause to wait for; a longer one is reported. */
const LONGEST_PAUSE_MS = 120_000;
/** Shortest pause after a failure that is reported: others pass before anyone reads of them. */
const LEAST_REPORTED_MS = 1_500;
const LONGEST_MESSAGE = 1000;
/** Longest message that may hold a list: the unknown among five thousand accounts (section 4.11). */
const LONGEST_LIST = 2_000_000;
/** Codes of connections never established, so that nothing was sent. */
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * Client of the analytics API. Every endpoint is typed by the contract, and every answer is checked against it.
 *
 * Transient failures – no connection, no answer in time, 429, 5xx – are retried, at most four times. The pause is
 * random and doubles, or comes from `Retry-After`. A write is repeated only if the service cannot have acted on it;
 * else it ends as `WriteUnknown`. A write in progress is not cancelled: the client waits for its answer.
 */
export class AnalyticsClient {
  readonly #connection: Connection;
  readonly #budget: RequestBudget;
  readonly #edges: ClientDependencies;
  readonly #host: string;
  /** Its idle connections close by themselves. */
  #agent: { readonly proxy: ProxySettings | undefined; readonly dispatcher: Dispatcher } | undefined;

  constructor(connection: Connection, budget: RequestBudget, edges: ClientDependencies = {}) {
    this.#connection = connection;
    this.#budget = budget;
    this.#edges = edges;
    this.#host = new URL(connection.url).host;
  }

  /** One request and its answer. Throws the errors of {@link clientErrors}, and `Cancelled`. */
  async call<N extends EndpointName>(
    name: N,
    request: RequestOf<N>,
    { signal, isBackground, onPause }: CallOptions = {},
  ): Promise<ResponseOf<N>> {
    const endpoint: Endpoint = endpoints[name];
    const isWrite = endpoint.scope === 'budgets:write';
    for (let attempt = 1; ; attempt++) {
      const now = (): number => (this.#edges.clock ?? systemClock).now();
      await this.#budget.take(endpoint.rateGroup, isBackground?.(), signal, (until) =>
        onPause?.(until, clientErrors.rateLimited(until - now())),
      );
      throwIfCancelled(signal);
      const outcome = await this.#send(endpoint, request, isWrite ? undefined : signal);
      if ('text' in outcome) return readAnswer(name, outcome.text);
      const { error, canRetry, afterMs, isUnheard } = outcome;
      if (error.code === 'RateLimited') {
        this.#budget.block(endpoint.rateGroup, afterMs ?? 0);
        onPause?.(now() + (afterMs ?? 0), error);
      }
      if (isWrite && canRetry && !isUnheard) throw clientErrors.writeUnknown(error);
      const most = error.code === 'Unreachable' && isUnheard ? CONNECTION_ATTEMPTS : ATTEMPTS;
      if (!canRetry || attempt >= most || (afterMs ?? 0) > LONGEST_PAUSE_MS) throw error;
      this.#edges.logger?.debug(`${endpoint.path}: ${error.message} Attempt ${attempt} of ${ATTEMPTS}.`);
      const pauseMs = afterMs ?? backoffMs(attempt, this.#edges.random);
      if (error.code !== 'RateLimited' && pauseMs >= LEAST_REPORTED_MS) onPause?.(now() + pauseMs, error);
      await (this.#edges.sleep ?? realSleep)(pauseMs, signal);
    }
  }

  /**
   * The pages of an answer in order, each requested after the previous one was consumed; `from` is a cursor, or the
   * first page.
   */
  async *pages<N extends PagedName>(
    name: N,
    request: RequestOf<N>,
    options: CallOptions = {},
    from?: string,
  ): AsyncGenerator<ResponseOf<N>, void> {
    // The largest page: the limit counts requests.
    const page_size = (endpoints[name] as Endpoint).pageSize?.maximum;
    let cursor = from;
    const seen = new Set([cursor]);
    do {
      const page = await this.call(name, { page_size, ...request, ...(cursor !== undefined && { cursor }) }, options);
      yield page;
      const { has_more: hasMore, next_cursor: next } = page.pagination;
      if (hasMore && (next === undefined || next === '' || seen.has(next)))
        throw clientErrors.unexpected('that there is more, and not where');
      cursor = hasMore ? next : undefined;
      seen.add(cursor);
    } while (cursor !== undefined);
  }

  async #send(endpoint: Endpoint, request: object, signal: AbortSignal | undefined): Promise<HttpAnswer | Failure> {
    const { timeoutMs = TIMEOUT_MS } = this.#edges;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const answer = await this.#exchange(endpoint, request, signal ? AbortSignal.any([signal, timeout]) : timeout);
      return answer.status >= 200 && answer.status < 300 ? answer : this.#refusal(answer);
    } catch (error) {
      if (signal?.aborted) throw cancelled();
      if (timeout.aborted) return transient(clientErrors.timedOut(this.#host, timeoutMs));
      // An error of neither the system nor undici is a bug of the client.
      if (systemCode(error) === undefined) throw error;
      if (isUnknownAuthority(error))
        return { error: clientErrors.unknownAuthority(this.#host), canRetry: false, isUnheard: true };
      return {
        ...transient(clientErrors.unreachable(this.#host, error)),
        isUnheard: NOT_CONNECTED.has(systemCode(error) ?? ''),
      };
    }
  }

  async #exchange({ method, path }: Endpoint, request: object, signal: AbortSignal): Promise<HttpAnswer> {
    // Imported late: a large library, which most windows never need.
    const undici = await import('../../base/undici.ts');
    const { url, token } = this.#connection;
    const proxy = this.#edges.proxy?.();
    if (!this.#agent || !isDeepStrictEqual(this.#agent.proxy, proxy)) {
      this.#agent = { proxy, dispatcher: this.#edges.dispatcher ?? undici.agentFor(new URL(url).hostname, proxy) };
    }
    const { dispatcher } = this.#agent;
    const { statusCode, headers, body } = await undici.request(
      `${url}${path}${method === 'GET' ? queryOf(request) : ''}`,
      {
        method,
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${token}`,
          ...(method === 'POST' && { 'content-type': 'application/json' }),
        },
        ...(method === 'POST' && { body: JSON.stringify(request) }),
        signal,
        dispatcher,
      },
    );
    return {
      status: statusCode,
      text: await answerText(body),
      retryAfter: headers['retry-after'],
    };
  }

  #refusal({ status, text, retryAfter }: HttpAnswer): Failure {
    const afterMs = retryAfterMs(retryAfter, (this.#edges.clock ?? systemClock).now());
    const message = messageOf(text ?? '', status === 400 ? LONGEST_LIST : LONGEST_MESSAGE);
    const final = (error: SextantError): Failure => ({ error, canRetry: false, isUnheard: true });
    switch (status) {
      case 401:
        return final(clientErrors.unauthenticated(this.#host));
      case 403:
        return final(clientErrors.permissionDenied(message));
      case 404:
        return final(clientErrors.notFound(this.#host));
      case 429: {
        const waitMs = afterMs ?? BACKOFF_MOST_MS / 2;
        return { error: clientErrors.rateLimited(waitMs), canRetry: true, afterMs: waitMs, isUnheard: true };
      }
    }
    if (status >= 500 || status === 408) return { ...transient(clientErrors.serviceFailed(status, message)), afterMs };
    if (status >= 400) return final(invalidArgument(message));
    if (status >= 300) return final(clientErrors.redirected(this.#host));
    return final(clientErrors.unexpected(`with the status ${status}`));
  }
}

function transient(error: SextantError): Failure {
  return { error, canRetry: true, isUnheard: false };
}

/**
 * Milliseconds to wait after `attempt` attempts: random, up to 0.5 s, 1 s, 2 s …, so that many clients do not return at
 * once.
 */
function backoffMs(attempt: number, random: () => number = Math.random): number {
  return Math.round(random() * Math.min(BACKOFF_BASE_MS * 2 ** (attempt - 1), BACKOFF_MOST_MS));
}

function queryOf(request: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request) as [string, unknown][])
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      query.set(name, String(value));
  return query.size === 0 ? '' : `?${query.toString()}`;
}

function readAnswer<N extends EndpointName>(name: N, text: string | undefined): ResponseOf<N> {
  try {
    if (text === undefined) throw clientErrors.unexpected(ANSWERED_TOO_MUCH);
    return parseResponse(name, JSON.parse(text));
  } catch (error) {
    const problem = error instanceof SyntaxError ? clientErrors.unexpected('no JSON') : error;
    throw endpoints[name].scope === 'budgets:write' ? clientErrors.writeUnknown(problem) : problem;
  }
}

/** The error message of a service; of another text, only the beginning, and nothing of a web page, as a proxy sends. */
function messageOf(text: string, longest: number): string {
  try {
    const parsed = errorBody.safeParse(JSON.parse(text));
    if (parsed.success) return parsed.data.error.message.slice(0, longest);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const reason = text.trim();
  return reason === '' ? 'no reason given' : reason.startsWith('<') ? 'the answer is a web page' : reason.slice(0, 100);
}
