import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataRecord, Expected, Request } from './naive.ts';

/** A server under test, known only by its address and tokens. */
export interface Target {
  readonly url: string;
  readonly token: string;
  /** Without a token of the admin plane, tests that need it are skipped. */
  readonly adminToken?: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

export const PATHS = {
  dauCount: '/analytics/v0/dau-count',
  dau: '/analytics/v0/dau',
  dailyUsage: '/analytics/v0/daily-usage',
  userActivity: '/analytics/v0/user-activity',
  editorLanguage: '/analytics/v0/daily-user-activity-by-editor-language',
  credits: '/analytics/v0/credit-usage-by-user',
  cost: '/analytics/v0/cost-analytics',
  getOverrides: '/analytics/v0/get-user-budget-overrides',
  setOverrides: '/analytics/v0/set-user-budget-overrides',
} as const;

export class Client {
  readonly target: Target;

  constructor(target: Target) {
    this.target = target;
  }

  get(path: string, query: Request | string = {}, token = this.target.token): Promise<Answer> {
    const search =
      typeof query === 'string'
        ? query
        : new URLSearchParams(
            Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
          ).toString();
    return this.send(`${path}${search && `?${search}`}`, { method: 'GET' }, token);
  }

  post(path: string, body: unknown, token = this.target.token): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return this.send(path, { method: 'POST', body: text, headers: { 'content-type': 'application/json' } }, token);
  }

  /** Waits after a 429, as every client should. */
  async send(path: string, init: RequestInit, token: string | undefined): Promise<Answer> {
    const headers = new Headers(init.headers);
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    for (;;) {
      const response = await fetch(`${this.target.url}${path}`, { ...init, headers });
      const text = await response.text();
      if (response.status === 429) {
        await sleep(Number(response.headers.get('retry-after') ?? 10) * 1000);
        continue;
      }
      assert.match(
        response.headers.get('content-type') ?? '',
        /^application\/json\b/,
        `${path}: ${text.slice(0, 200)}`,
      );
      return { status: response.status, headers: response.headers, body: JSON.parse(text) as Answer['body'] };
    }
  }

  /** Reads all pages and compares them with the expected rows, page by page and as a whole. */
  async assertRows(
    path: string,
    request: Request,
    expected: Expected,
    pageSize: number | undefined,
    shown: number,
  ): Promise<void> {
    const isPost = path === PATHS.cost;
    const rows: unknown[] = [];
    let cursor: string | undefined;
    do {
      const asked = {
        ...request,
        ...(pageSize !== undefined && { page_size: pageSize }),
        ...(cursor !== undefined && { cursor }),
      };
      const { status, body } = await (isPost ? this.post(path, asked) : this.get(path, asked));
      assert.equal(status, 200, `${path} ${JSON.stringify(asked)}: ${JSON.stringify(body)}`);
      const page = body[expected.rowsField] as unknown[];
      rows.push(...page);
      const metadata = {
        ...expected.metadata,
        ...(expected.countField !== undefined && { [expected.countField]: page.length }),
      };
      assert.deepEqual(body.metadata, metadata, `${path} ${JSON.stringify(asked)}`);
      if (!expected.isPaged) {
        assert.deepEqual(Object.keys(body).sort(), [expected.rowsField, 'metadata'].sort());
        break;
      }
      assert.deepEqual(Object.keys(body).sort(), [expected.rowsField, 'metadata', 'pagination'].sort());
      const { next_cursor, has_more, ...rest } = body.pagination as { next_cursor?: string; has_more: boolean };
      assert.deepEqual(rest, {});
      assert.equal(has_more, rows.length < expected.rows.length);
      if (has_more) assert.equal(page.length, shown, 'a page that is not the last is full');
      else assert.ok((next_cursor ?? '') === '');
      cursor = has_more ? next_cursor : undefined;
    } while (cursor !== undefined);
    assert.deepEqual(rows, expected.rows, `${path} ${JSON.stringify(request)}`);
  }

  // The admin plane

  async admin(method: string, path: string, body?: unknown): Promise<Answer> {
    const isText = typeof body === 'string';
    return this.send(
      `/__admin/${path}`,
      {
        method,
        ...(body !== undefined && {
          body: isText ? body : JSON.stringify(body),
          headers: { 'content-type': isText ? 'application/x-ndjson' : 'application/json' },
        }),
      },
      this.target.adminToken,
    );
  }

  /** Resets the server, stops its clock at `now`, and loads these records. */
  async begin(records: readonly DataRecord[], now: string): Promise<void> {
    for (const answer of [
      await this.admin('POST', 'reset'),
      await this.admin('POST', 'clock', { now, frozen: true }),
      await this.admin('POST', 'import', records.map((record) => JSON.stringify(record)).join('\n')),
    ])
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
  }
}
