import { setTimeout as sleep } from 'node:timers/promises';
import { AwsSigv4Signer } from '@opensearch-project/opensearch/aws-v3';
import { Client, errors, type ApiResponse, type ClientOptions } from '@opensearch-project/opensearch';
import { abortable } from '../../base/abortable.ts';
import { cancelled, throwIfCancelled, type SextantError } from '../../base/errors.ts';
import { openSearchErrors } from './errors.ts';

/** How to reach a cluster. */
export interface ClusterOptions {
  /** Addresses of its nodes. */
  readonly urls: readonly string[];
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** A token, sent as `Authorization: Bearer`. */
  readonly bearer?: string | undefined;
  /** Signs each request for AWS, instead of a password or token. */
  readonly aws?: AwsAccess | undefined;
  /** Certificates of authorities in PEM that are trusted instead of the system's. */
  readonly ca?: string | undefined;
  readonly requestTimeoutMs?: number | undefined;
}

export interface AwsAccess {
  readonly region: string;
  /** Is called again before the credentials expire. */
  readonly credentials: () => AwsCredentials;
}

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials. */
  readonly sessionToken?: string | undefined;
  readonly expiration?: Date | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** One write of a bulk request. */
export interface BulkItem {
  readonly action: 'create' | 'index' | 'update' | 'delete';
  readonly index: string;
  readonly id: string;
  /** Only if the document was not changed since. */
  readonly at?: Revision | undefined;
  /** Only if `index` is an alias: no index of that name is created. */
  readonly isAlias?: boolean | undefined;
  readonly body?: Json | undefined;
}

export interface Revision {
  readonly seqNo: number;
  readonly term: number;
}

/** A stored document, with its revision. */
export interface Stored<T> extends Revision {
  readonly id: string;
  readonly source: T;
}

export interface SearchAnswer {
  readonly hits: { readonly hits: readonly SearchHit[] };
  readonly aggregations?: Readonly<Record<string, unknown>>;
}

export interface SearchHit {
  readonly _id: string;
  readonly _score: number | null;
  readonly _source?: Json;
  readonly _seq_no?: number;
  readonly _primary_term?: number;
  readonly fields?: Readonly<Record<string, readonly unknown[]>>;
  readonly sort?: readonly unknown[];
}

interface GetOptions {
  /** The parts of the documents to read; all by default. */
  readonly fields?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

interface BulkResult {
  readonly status: number;
  readonly error?: { readonly type: string; readonly reason: string };
}

/** Requests that the cluster rejects since it is busy are sent again after these milliseconds. */
const PAUSES = [100, 300, 1_000, 3_000, 10_000];
/** Names in one request. */
const MAX_GET = 1_000;

/** The few requests that the store needs. Throws `StoreUnavailable`, `DiskFull`, `StoreOverloaded` and `StoreRefused`. */
export class Cluster {
  readonly #client: Client;
  readonly #pauses: readonly number[];

  constructor(options: ClusterOptions, pauses: readonly number[] = PAUSES) {
    const { urls, username, password, bearer, aws, ca, requestTimeoutMs = 30_000 } = options;
    const settings: ClientOptions = {
      nodes: [...urls],
      requestTimeout: requestTimeoutMs,
      maxRetries: urls.length,
      ...(username !== undefined && { auth: { username, password: password ?? '' } }),
      ...(aws && signerOf(aws)),
      ...(bearer !== undefined && { headers: { authorization: `Bearer ${bearer}` } }),
      ...(ca !== undefined && { ssl: { ca } }),
    };
    this.#client = new Client(settings);
    this.#pauses = pauses;
  }

  /** The version, as numbers. */
  async version(): Promise<readonly number[]> {
    const { version } = await this.#request<{ version: { number: string } }>('GET', '/');
    return version.number.split('.').map(Number);
  }

  /** Creates an index unless it exists. */
  async createIndex(index: string, body: object): Promise<void> {
    const found = await this.#request('HEAD', `/${index}`, undefined, { expected: [404] });
    if (found !== undefined) return;
    // Another server may create it meanwhile.
    await this.#request('PUT', `/${index}`, body, { expected: [400] });
  }

  async refresh(index: string): Promise<void> {
    await this.#request('POST', `/${index}/_refresh`);
  }

  /** The indexes that have an alias, or match a pattern. */
  async indexesOf(expression: string): Promise<string[]> {
    const found = await this.#request<object | undefined>('GET', `/${expression}/_alias`, undefined, {
      expected: [404],
    });
    return Object.keys(found ?? {});
  }

  /** Moves an alias in one step. */
  async moveAlias(alias: string, from: readonly string[], to: string): Promise<void> {
    const actions = [...from.map((index) => ({ remove: { index, alias } })), { add: { index: to, alias } }];
    await this.#request('POST', '/_aliases', { actions });
  }

  async deleteIndexes(pattern: string): Promise<void> {
    await this.#request('DELETE', `/${pattern}`, undefined, { expected: [404] });
  }

  /** The newest versions of documents, searchable or not; `undefined` for those that do not exist. */
  async get<T>(
    index: string,
    ids: readonly string[],
    { fields, signal }: GetOptions = {},
  ): Promise<(Stored<T> | undefined)[]> {
    const found: (Stored<T> | undefined)[] = [];
    const only = fields ? `?_source=${fields.join(',')}` : '';
    for (let i = 0; i < ids.length; i += MAX_GET) {
      const { docs } = await this.#request<{ docs: readonly GotDocument<T>[] }>(
        'POST',
        `/${index}/_mget${only}`,
        { ids: ids.slice(i, i + MAX_GET) },
        { signal },
      );
      for (const { _id, found: isFound, _source, _seq_no, _primary_term } of docs)
        found.push(isFound ? { id: _id, source: _source!, seqNo: _seq_no!, term: _primary_term! } : undefined);
    }
    return found;
  }

  /** The cluster stops the search when `signal` aborts. Rejects with `Cancelled` then. */
  search(index: string, body: Json, parameters = '', signal?: AbortSignal): Promise<SearchAnswer> {
    return this.#request<SearchAnswer>('POST', `/${index}/_search${parameters}`, body, { signal });
  }

  /**
   * Writes documents, and returns for each whether it was written: not, if it exists already, is missing, or changed since.
   * Writes that the cluster has no room for at the moment are repeated. With `isWaiting`, they can be searched afterwards.
   */
  async bulk(items: readonly BulkItem[], isWaiting = false): Promise<boolean[]> {
    const written = new Array<boolean>(items.length).fill(false);
    let left = [...items.keys()];
    for (let attempt = 0; left.length > 0; attempt++) {
      const lines = left.flatMap((i) => linesOf(items[i]!));
      const answer = await this.#request<{ items: readonly Record<string, BulkResult>[] }>(
        'POST',
        `/_bulk${isWaiting ? '?refresh=wait_for' : ''}`,
        lines,
      );
      const again: number[] = [];
      for (const [j, item] of answer.items.entries()) {
        const [{ status, error }] = Object.values(item) as [BulkResult];
        if (!error && status < 300) written[left[j]!] = true;
        else if (error?.type === 'cluster_block_exception') throw openSearchErrors.full(error.reason);
        else if (status === 429 || status === 503) again.push(left[j]!);
        else if (status !== 409 && status !== 404) throw openSearchErrors.refused(error?.reason ?? String(status));
      }
      if (again.length > 0) await this.#pause(attempt);
      left = again;
    }
    return written;
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  async #pause(attempt: number, signal?: AbortSignal): Promise<void> {
    const ms = this.#pauses[attempt];
    if (ms === undefined) throw openSearchErrors.busy();
    await abortable(sleep(ms), signal);
  }

  /** Returns `undefined` for one of the `expected` statuses. */
  async #request<T>(
    method: string,
    path: string,
    body?: object,
    { expected = [], signal }: RequestOptions = {},
  ): Promise<T> {
    const [route, querystring = ''] = path.split('?') as [string, string?];
    for (let attempt = 0; ; attempt++) {
      throwIfCancelled(signal);
      const request = this.#client.transport.request({
        ...{ method, path: route, querystring },
        ...(Array.isArray(body) ? { bulkBody: body } : body && { body }),
      });
      // Closes the connection, at which the cluster cancels the search.
      const abort = (): void => {
        request.abort();
      };
      signal?.addEventListener('abort', abort, { once: true });
      try {
        const answer = await request;
        if (expected.includes(answer.statusCode ?? 0)) return undefined as T;
        return answer.body as T;
      } catch (error) {
        if (signal?.aborted) throw this.#cancelled(error);
        const status = error instanceof errors.ResponseError ? error.statusCode : undefined;
        if (status !== undefined && expected.includes(status)) return undefined as T;
        const explained = explain(error);
        if (status !== 429 || explained.code !== 'StoreOverloaded') throw explained;
        await this.#pause(attempt, signal);
      } finally {
        signal?.removeEventListener('abort', abort);
      }
    }
  }

  /** An answer that is aborted while it comes counts as a failure of its node in the client; the node is well. */
  #cancelled(error: unknown): SextantError {
    const connection = (error as { meta?: ApiResponse }).meta?.meta.connection;
    if (connection) this.#client.connectionPool.markAlive(connection);
    return cancelled();
  }
}

function signerOf({ region, credentials }: AwsAccess): Pick<ClientOptions, 'Connection' | 'Transport'> {
  return AwsSigv4Signer({
    region,
    getCredentials: () =>
      // A throw of the function becomes the rejection of the request.
      new Promise((resolve) => {
        const { accessKeyId, secretAccessKey, sessionToken = '', expiration } = credentials();
        resolve({ accessKeyId, secretAccessKey, sessionToken, ...(expiration && { expiration }) });
      }),
  });
}

interface RequestOptions {
  readonly expected?: readonly number[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface GotDocument<T> {
  readonly _id: string;
  readonly found?: boolean;
  readonly _source?: T;
  readonly _seq_no?: number;
  readonly _primary_term?: number;
}

function linesOf({ action, index, id, at, isAlias, body }: BulkItem): object[] {
  const only = at && { if_seq_no: at.seqNo, if_primary_term: at.term };
  const again = action === 'update' && !at ? { retry_on_conflict: 3 } : {};
  const alias = isAlias && { require_alias: true };
  const head = { [action]: { _index: index, _id: id, ...only, ...again, ...alias } };
  if (action === 'delete') return [head];
  return [head, action === 'update' ? { doc: body } : body!];
}

function explain(error: unknown): SextantError {
  if (error instanceof errors.ResponseError) {
    const { statusCode: status } = error;
    const reason = reasonOf(error.body) ?? error.message;
    if (/cluster_block_exception|index_create_block|flood.?stage|read-only/i.test(`${error.message} ${reason}`))
      return openSearchErrors.full(reason, error);
    if (status === 401 || status === 403) return openSearchErrors.denied(error);
    if (status === 429) return openSearchErrors.busy(error);
    if (status >= 500) return openSearchErrors.unavailable(reason, error);
    return openSearchErrors.refused(reason, error);
  }
  return openSearchErrors.unavailable(error instanceof Error ? error.message : String(error), error);
}

function reasonOf(body: unknown): string | undefined {
  const { error } = (body ?? {}) as { error?: { reason?: string; root_cause?: readonly { reason?: string }[] } };
  return error?.root_cause?.[0]?.reason ?? error?.reason;
}
