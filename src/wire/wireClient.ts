import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import type * as z from 'zod/mini';
import { ANSWERED_TOO_MUCH, answerText } from '../base/answerText.ts';
import { cancelled } from '../base/errors.ts';
import { silentLogger, type Logger } from '../base/log.ts';
import { retryAfterMs } from '../base/retryAfter.ts';
import type { ProxySettings } from '../base/undici.ts';
import { slices, type UploadBlob } from './batches.ts';
import { PATHS, WIRE_LIMITS, responses, scopeToWire } from './contract.ts';
import { wireErrors, type APIError } from './errors.ts';
import { explained, type ServiceAdvice } from './explained.ts';
import { REPOSITORY_PATHS, repositoryResponses, type SearchAnswer, type WireRepository } from './repositories.ts';
import type { Missing, BlobScope } from './scope.ts';

export interface WireClientOptions {
  readonly url: string;
  /** Bearer token, shown nowhere. */
  readonly token: string;
  readonly userAgent: string;
  /** Limit for one call with all its retries; two minutes by default. */
  readonly timeoutMs?: number | undefined;
  /** Cancels every call, beside {@link WireClient.close}. */
  readonly signal?: AbortSignal | undefined;
  readonly logger?: Logger | undefined;
  readonly dispatcher?: Dispatcher | undefined;
  readonly proxy?: ProxySettings | undefined;
  /** Number of retries; 7 by default, and fewer where a person waits. */
  readonly retries?: number | undefined;
  /** The first wait before a retry; each is twice as long as the previous one. */
  readonly backoffBaseMs?: number | undefined;
  /** Explains failures to a user, with what helps in the program; without it, messages are those of the protocol. */
  readonly advice?: ServiceAdvice | undefined;
}

/** A pushed state of a repository; see `repositoryRequests.put`. */
export interface NewVersion {
  readonly name: string;
  readonly blobs: BlobScope;
  readonly ref?: string | undefined;
  readonly commit?: string | undefined;
  readonly url?: string | undefined;
  readonly keep?: number | undefined;
}

export interface RepositorySearchOptions {
  /** Patterns of names. */
  readonly repositories?: readonly string[] | undefined;
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RepositoryRetrievalOptions extends Omit<RepositorySearchOptions, 'limit'> {
  readonly maxOutputLength?: number | undefined;
}

const TIMEOUT_MS = 120_000;
const BACKOFF_BASE_MS = 100;
const BACKOFF_MAX_MS = 30_000;
/** With the waits between them they take some 13 seconds if the service does not answer at all. */
const RETRIES = 7;

type AttemptResult<T> =
  | { readonly value: T }
  | { readonly error: APIError; readonly canRetry: boolean; readonly afterMs?: number | undefined };

/**
 * Client of a service of the protocol. Connections are kept. Transient failures – 499, 429, 5xx, a connection that
 * breaks off – are retried with the same request id, for a bounded time. Every call may be repeated without harm.
 * Redirects are not followed: they would take the token elsewhere. All methods throw {@link APIError}.
 */
export class WireClient {
  readonly #url: string;
  readonly #options: WireClientOptions;
  readonly #session = randomUUID();
  readonly #logger: Logger;
  readonly #timeoutMs: number;
  readonly #closing = new AbortController();
  #agent: Promise<Dispatcher> | undefined;

  constructor(options: WireClientOptions) {
    this.#options = options;
    this.#url = options.url.replace(/\/$/, '');
    this.#logger = options.logger ?? silentLogger;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  }

  /** The service's address. */
  get url(): string {
    return this.#url;
  }

  async findMissing(names: readonly string[]): Promise<Missing> {
    const unknown: string[] = [];
    const nonindexed: string[] = [];
    for (const some of slices(names, WIRE_LIMITS.maxNamesPerCall)) {
      const found = await this.#json(PATHS.findMissing, { mem_object_names: some }, responses.findMissing);
      unknown.push(...found.unknown_memory_names);
      nonindexed.push(...found.nonindexed_blob_names);
    }
    return { unknown, nonindexed };
  }

  /** Uploads the blobs of one request. Returns the names from the service, in the order of the blobs. */
  async upload(blobs: readonly UploadBlob[]): Promise<readonly string[]> {
    const body = { blobs: blobs.map(({ name, path, content }) => ({ blob_name: name, path, content })) };
    return (await this.#json(PATHS.batchUpload, body, responses.batchUpload)).blob_names;
  }

  async checkpoint(scope: BlobScope): Promise<string> {
    const body = { blobs: scopeToWire(scope) };
    return (await this.#json(PATHS.checkpointBlobs, body, responses.checkpointBlobs)).new_checkpoint_id;
  }

  async retrieve(query: string, scope: BlobScope, maxOutputLength?: number): Promise<string> {
    const body = {
      information_request: query,
      blobs: scopeToWire(scope),
      dialog: [],
      ...(maxOutputLength !== undefined && { max_output_length: maxOutputLength }),
    };
    return (await this.#json(PATHS.codebaseRetrieval, body, responses.codebaseRetrieval)).formatted_retrieval;
  }

  /** Moves the name of a repository to a set of files. */
  async putRepository({ name, blobs, ...version }: NewVersion): Promise<WireRepository> {
    const body = { name, blobs: scopeToWire(blobs), ...version };
    return (await this.#json(REPOSITORY_PATHS.put, body, repositoryResponses.put)).repository;
  }

  async listRepositories(): Promise<WireRepository[]> {
    return (await this.#json(REPOSITORY_PATHS.list, {}, repositoryResponses.list)).repositories;
  }

  /** Resolves to whether there was one. */
  async removeRepository(name: string): Promise<boolean> {
    return (await this.#json(REPOSITORY_PATHS.remove, { name }, repositoryResponses.remove)).removed;
  }

  /** Searches the repositories that the token may read and whose names match; all of them without patterns. */
  async searchRepositories(query: string, options: RepositorySearchOptions = {}): Promise<SearchAnswer> {
    const { repositories, limit, signal } = options;
    const body = { query, repositories, limit };
    const answer = await this.#json(REPOSITORY_PATHS.search, body, repositoryResponses.search, signal);
    // A service of another version may ignore the limit.
    return { ...answer, results: answer.results.slice(0, limit) };
  }

  async retrieveFromRepositories(
    query: string,
    { repositories, maxOutputLength, signal }: RepositoryRetrievalOptions = {},
  ): Promise<string> {
    const body = { information_request: query, repositories, max_output_length: maxOutputLength };
    const answer = await this.#json(REPOSITORY_PATHS.retrieve, body, repositoryResponses.retrieve, signal);
    return answer.formatted_retrieval;
  }

  /** Path and text of a file that a search found. */
  readRepositoryFile(repository: string, blobName: string): Promise<{ path: string; content: string }> {
    return this.#json(REPOSITORY_PATHS.file, { repository, blob_name: blobName }, repositoryResponses.file);
  }

  /** Sends a prompt to the model. An incomplete answer throws: half of one may mean the opposite of the whole. */
  async ask(prompt: string): Promise<string> {
    const body = {
      nodes: [{ id: 0, type: 0, text_node: { content: prompt } }],
      chat_history: [],
      conversation_id: this.#session,
    };
    const headers = { 'conversation-id': this.#session, 'X-Mode': 'sdk' };
    return this.#call(PATHS.chatStream, body, headers, (text) => ({ value: chatText(text) }));
  }

  /** Aborts running requests. */
  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#agent) await (await this.#agent).destroy();
  }

  #json<S extends z.ZodMiniType>(path: string, body: unknown, schema: S, cancel?: AbortSignal): Promise<z.output<S>> {
    const read = (text: string, status: number): AttemptResult<z.output<S>> => {
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch (error) {
        // A login in front of the service, or another service: it will not pass.
        if (/^\s*</.test(text)) return { error: wireErrors.webPage(path, this.#host, status), canRetry: false };
        // The only sign of truncation for an answer without a length.
        return { error: wireErrors.network(path, this.#host, error), canRetry: true };
      }
      const parsed = schema.safeParse(value);
      if (parsed.success) return { value: parsed.data };
      const [issue] = parsed.error.issues;
      const at = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
      const what = `${at}${issue?.message ?? ''}`;
      return { error: wireErrors.unexpected(path, this.#host, status, what), canRetry: false };
    };
    return this.#call(path, body, {}, read, cancel);
  }

  async #call<T>(
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>>,
    read: (text: string, status: number) => AttemptResult<T>,
    cancel?: AbortSignal,
  ): Promise<T> {
    const began = Date.now();
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    const stops = [this.#closing.signal, this.#options.signal, cancel].filter((one) => one !== undefined);
    const signal = AbortSignal.any([timeout, ...stops]);
    const bytes = JSON.stringify(body);
    const allHeaders = { ...this.#headers(), ...headers };
    for (let retries = 0; ; retries++) {
      const attempt = await this.#attempt(path, bytes, allHeaders, signal, read);
      if (stops.some(({ aborted }) => aborted)) throw cancelled();
      if ('value' in attempt) return attempt.value;
      if (timeout.aborted) throw this.#explained(wireErrors.late(path, this.#host, this.#timeoutMs, attempt.error));
      const base = this.#options.backoffBaseMs ?? BACKOFF_BASE_MS;
      const waitMs = attempt.afterMs ?? Math.min(base * 2 ** retries, BACKOFF_MAX_MS);
      const isTooLong = Date.now() - began + waitMs >= this.#timeoutMs;
      if (!attempt.canRetry || retries === (this.#options.retries ?? RETRIES) || isTooLong)
        throw this.#explained(attempt.error);
      this.#logger.debug(`${path} is tried again in ${waitMs} ms: ${attempt.error.message}`);
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #attempt<T>(
    path: string,
    body: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    read: (text: string, status: number) => AttemptResult<T>,
  ): Promise<AttemptResult<T>> {
    // Loaded here: a large library, which an embedded context never needs.
    const { agentFor, request } = await import('../base/undici.ts');
    let answer: Dispatcher.ResponseData | undefined;
    let text: string | undefined;
    try {
      this.#agent ??= Promise.resolve(
        this.#options.dispatcher ?? agentFor(new URL(this.#url).hostname, this.#options.proxy),
      );
      const dispatcher = await this.#agent;
      answer = await request(`${this.#url}${path}`, { method: 'POST', headers, body, signal, dispatcher });
      text = await answerText(answer.body);
    } catch (error) {
      // Never restart a model that has begun to answer.
      const canRetry = !answer || path !== PATHS.chatStream;
      return { error: wireErrors.network(path, this.#host, error), canRetry };
    }
    const { statusCode: status, statusText } = answer;
    if (text === undefined)
      return { error: wireErrors.unexpected(path, this.#host, status, ANSWERED_TOO_MUCH), canRetry: false };
    if (status >= 200 && status < 300) return read(text, status);
    const canRetry = status === 499 || status === 429 || status >= 500;
    const afterMs =
      status === 429 || status === 503 ? retryAfterMs(answer.headers['retry-after'], Date.now()) : undefined;
    return { error: wireErrors.refused(status, statusText, text), canRetry, afterMs };
  }

  #explained(error: APIError): APIError {
    const { advice } = this.#options;
    return advice ? explained(error, this.#url, advice) : error;
  }

  /** For messages. */
  get #host(): string {
    return URL.canParse(this.#url) ? new URL(this.#url).host : this.#url;
  }

  #headers(): Readonly<Record<string, string>> {
    return {
      Authorization: `Bearer ${this.#options.token}`,
      'Content-Type': 'application/json',
      'X-Request-Session-Id': this.#session,
      'X-Request-Id': randomUUID(),
      'User-Agent': this.#options.userAgent,
    };
  }
}

/** The text of an answer in JSON lines; other lines are skipped (section 4.5). */
function chatText(lines: string): string {
  let text = '';
  for (const line of lines.split('\n')) {
    try {
      text += responses.chatLine.parse(JSON.parse(line)).text ?? '';
    } catch {
      // Skip other lines.
      continue;
    }
  }
  return text;
}
