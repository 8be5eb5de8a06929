import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { documentId } from '../../src/engine/documentId.ts';
import type { ServerInfo } from '../../src/server/runningServer.ts';
import { PATHS as CONTEXT } from '../../src/wire/contract.ts';
import { Client, PATHS } from '../conformance/client.ts';
import { bodyOf, digest, storedEvents } from './deliveries.ts';

const OVERRIDE = { resource: 'BUDGET_RESOURCE_CREDITS_CONSUMED', period: 'BUDGET_PERIOD_MONTHLY' };
const DATE = '2026-11-20';
/** The moment for `--now`. */
export const NOW = '2026-11-21T09:00:00Z';
const SCOPES = ['analytics:read'];
const MOST_TRIGGERS = 3;

/** The result of a change: `unknown` means without an answer, or with one that leaves the result open. */
export type Outcome = 'done' | 'refused' | 'unknown';
export type Act = 'event' | 'budget' | 'token' | 'revoke' | 'trigger' | 'import' | 'upload' | 'checkpoint';
export const ACTS: readonly Act[] = ['event', 'budget', 'token', 'revoke', 'trigger', 'import', 'upload', 'checkpoint'];

/** A webhook for the events of any number of ledgers, and one for their triggers. */
export interface Hooks {
  readonly id: string;
  readonly secret: string;
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A value; the server must have the last acknowledged one, or one sent since without an answer. */
class Value {
  #possible = [0];

  sent(value: number, outcome: Outcome): void {
    if (outcome === 'done') this.#possible = [value];
    else if (outcome === 'unknown') this.#possible.push(value);
  }

  check(found: number, what: string): void {
    assert.ok(this.#possible.includes(found), `${what} is ${found}, not ${this.#possible.join(' or ')}`);
    this.#possible = [found];
  }
}

/** Initial facts of a server: the people whose budgets ledgers change. */
export function writeFacts(file: string, ledgers: number): string {
  const people = Array.from({ length: ledgers }, (_, i) =>
    JSON.stringify({ kind: 'user', user_email: emailOf(`${i}`) }),
  );
  writeFileSync(file, people.join('\n'));
  return file;
}

const emailOf = (name: string): string => `person-${name}@example.com`;

/** Creates the webhooks, or finds existing ones by name. */
export async function makeHooks(info: ServerInfo): Promise<Hooks> {
  const client = new Client(info);
  const made = await client.admin('POST', 'webhooks', { name: 'ledger' });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  assert.equal((await client.admin('POST', 'webhooks', { name: 'quiet' })).status, 201);
  const filter = { '>': [{ var: 'n' }, 0] };
  assert.equal((await client.admin('POST', 'triggers', { name: 'all', webhook: 'ledger', filter })).status, 201);
  return { id: made.body.webhook_id as string, secret: made.body.secret as string };
}

/**
 * Changes all persistent state of a server, one change after the other, and records the acknowledged changes. Each
 * ledger has its own people, tokens, triggers, files and events, so that several can work at once.
 */
export class Ledger {
  readonly #name: string;
  readonly #hooks: Hooks;
  readonly #random: () => number;
  #last = 0;
  readonly #budget = new Value();
  readonly #imports = new Value();
  #imported = 0;
  /** Event ids by the number of the event. */
  readonly #events = new Map<number, string>();
  readonly #refusedEvents = new Set<number>();
  readonly #tokens = new Map<string, { readonly token: string; state: 'valid' | 'revoked' | 'unknown' }>();
  readonly #refusedNames = new Set<string>();
  readonly #triggers = new Map<string, boolean | undefined>();
  readonly #blobs: string[] = [];
  readonly #checkpoints: string[] = [];
  readonly counts = { done: 0, refused: 0, unknown: 0 };

  readonly #isFenced: boolean;

  /**
   * `name` is the number of one of the people of {@link writeFacts}. `isFenced`: the server lost its lease long ago, so that
   * nothing of a change it refuses may be found later.
   */
  constructor(name: string, hooks: Hooks, random: () => number, isFenced = false) {
    this.#name = name;
    this.#hooks = hooks;
    this.#random = random;
    this.#isFenced = isFenced;
  }

  /** Changes until a change has no answer, or `isOver`. */
  async run(info: ServerInfo, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const act = ACTS[Math.floor(this.#random() * ACTS.length)]!;
      if ((await this.act(info, act)) === 'unknown') return;
    }
  }

  /** Makes one change. An answer that no fault explains fails the test. */
  async act(info: ServerInfo, act: Act): Promise<Outcome> {
    const { outcome } = await this.try(info, act);
    return outcome;
  }

  /** Like {@link act}, with the answer. */
  async try(info: ServerInfo, act: Act): Promise<{ readonly outcome: Outcome; readonly answer: Answer | undefined }> {
    const client = new Client(info);
    const n = ++this.#last;
    let answer: Answer | undefined;
    const ask = async (work: Promise<Answer>): Promise<Outcome> => {
      try {
        answer = await work;
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        return 'unknown';
      }
      return outcomeOf(answer, this.#isFenced);
    };
    const outcome = await this.#acts[act](client, n, ask, () => answer!.body);
    this.counts[outcome]++;
    return { outcome, answer };
  }

  readonly #acts: Record<
    Act,
    (
      client: Client,
      n: number,
      ask: (work: Promise<Answer>) => Promise<Outcome>,
      said: () => Answer['body'],
    ) => Promise<Outcome>
  > = {
    event: async (client, n, ask, said) => {
      const headers = { 'content-type': 'application/json', 'webhook-id': `${this.#name}-${n}` };
      const body = new Uint8Array(bodyOf(n));
      const { id, secret } = this.#hooks;
      const outcome = await ask(client.send(`/webhooks/${id}`, { method: 'POST', headers, body }, secret));
      if (outcome === 'done') this.#events.set(n, said().event_id as string);
      else if (outcome === 'refused') this.#refusedEvents.add(n);
      return outcome;
    },
    budget: async (client, n, ask) => {
      const entry = { user_email: emailOf(this.#name), ...OVERRIDE, config: { limit: String(n) } };
      const outcome = await ask(client.post(PATHS.setOverrides, { overrides: [entry] }));
      this.#budget.sent(n, outcome);
      return outcome;
    },
    token: async (client, n, ask, said) => {
      const name = `token-of-${this.#name}-${n}`;
      const outcome = await ask(client.admin('POST', 'tokens', { name, scopes: SCOPES }));
      if (outcome === 'done') this.#tokens.set(name, { token: said().token as string, state: 'valid' });
      else if (outcome === 'refused') this.#refusedNames.add(name);
      return outcome;
    },
    revoke: async (client, n, ask, said) => {
      const found = [...this.#tokens].find(([, { state }]) => state === 'valid');
      if (!found) return this.#acts.token(client, n, ask, said);
      const [name, token] = found;
      const outcome = await ask(client.admin('DELETE', `tokens/${name}`));
      if (outcome === 'done') token.state = 'revoked';
      else if (outcome === 'unknown') token.state = 'unknown';
      return outcome;
    },
    trigger: async (client, n, ask) => {
      const there = [...this.#triggers].filter(([, isThere]) => isThere);
      if (there.length >= MOST_TRIGGERS) {
        const [name] = there[0]!;
        const outcome = await ask(client.admin('DELETE', `triggers/${name}`));
        if (outcome !== 'refused') this.#triggers.set(name, outcome === 'done' ? false : undefined);
        return outcome;
      }
      const name = `t-${this.#name}-${n}`;
      const outcome = await ask(client.admin('POST', 'triggers', { name, webhook: 'quiet', filter: { '==': [1, n] } }));
      this.#triggers.set(name, outcome === 'unknown' ? undefined : outcome === 'done');
      return outcome;
    },
    import: async (client, _n, ask) => {
      const fact = { kind: 'credits', date: DATE, service_account_name: `account-${this.#name}`, model_name: 'm' };
      const outcome = await ask(
        client.admin('POST', 'import', `${JSON.stringify({ ...fact, credits_consumed: 1 })}\n`),
      );
      if (outcome !== 'refused') this.#imports.sent(this.#imported + 1, outcome);
      if (outcome === 'done') this.#imported++;
      return outcome;
    },
    upload: async (client, n, ask, said) => {
      const blob = this.#blob(n);
      const outcome = await ask(client.post(CONTEXT.batchUpload, { blobs: [blob] }));
      if (outcome === 'done') {
        assert.deepEqual(said().blob_names, [blob.blob_name]);
        this.#blobs.push(blob.blob_name);
      }
      return outcome;
    },
    checkpoint: async (client, n, ask, said) => {
      const added = this.#blobs.slice(-5);
      if (added.length === 0) return this.#acts.upload(client, n, ask, said);
      const blobs = { checkpoint_id: null, added_blobs: added, deleted_blobs: [] };
      const outcome = await ask(client.post(CONTEXT.checkpointBlobs, { blobs }));
      if (outcome === 'done') this.#checkpoints.push(said().new_checkpoint_id as string);
      return outcome;
    },
  };

  #blob(n: number): { readonly blob_name: string; readonly path: string; readonly content: string } {
    const path = `of${this.#name}/f${n}.txt`;
    const content = `needle${this.#name} ${n}\n`;
    return { blob_name: documentId(path, Buffer.from(content)), path, content };
  }

  /** Compares all state with the acknowledged changes; `events` are those of {@link eventsOf}. */
  async check(info: ServerInfo, events: Events): Promise<void> {
    const client = new Client(info);
    for (const [n, id] of this.#events)
      assert.equal(events.get(`${this.#name}-${n}`)?.id, id, `event ${n} of ${this.#name}`);
    for (const n of this.#refusedEvents)
      assert.ok(!events.has(`${this.#name}-${n}`), `event ${n} of ${this.#name} is there though it was refused`);
    for (const [key, { hash }] of events) {
      const [name, n] = key.split('-');
      if (name === this.#name) assert.equal(hash, digest(bodyOf(Number(n))), `${key} is not as it was sent`);
    }
    await this.#checkAnalytics(client);
    await this.#checkTokens(client);
    const { body } = await client.admin('GET', 'triggers');
    const names = new Set((body.triggers as { name: string }[]).map(({ name }) => name));
    for (const [name, isThere] of this.#triggers)
      if (isThere !== undefined) assert.equal(names.has(name), isThere, `trigger ${name}`);
    if (this.#blobs.length > 0) {
      const missing = await client.post(CONTEXT.findMissing, { mem_object_names: this.#blobs.slice(-1000) });
      assert.deepEqual(missing.body, { unknown_memory_names: [], nonindexed_blob_names: [] });
    }
    for (const checkpoint_id of new Set(this.#checkpoints)) {
      const blobs = { checkpoint_id, added_blobs: [], deleted_blobs: [] };
      const found = await client.post(CONTEXT.codebaseRetrieval, { information_request: `needle${this.#name}`, blobs });
      assert.equal(found.status, 200, JSON.stringify(found.body));
      assert.match(found.body.formatted_retrieval as string, /^Path: /m);
    }
  }

  async #checkAnalytics(client: Client): Promise<void> {
    const { body } = await client.post(PATHS.getOverrides, { user_emails: [emailOf(this.#name)] });
    const limits = (body.overrides as { config: { limit: string } }[]).map(({ config }) => Number(config.limit));
    this.#budget.check(limits[0] ?? 0, `the budget of ${this.#name}`);
    const credits = await client.get(PATHS.credits, { start_date: DATE, end_date: DATE, page_size: 1000 });
    const rows = credits.body.records as { service_account_name: string; credits_consumed: number }[];
    const own = rows.find((row) => row.service_account_name === `account-${this.#name}`)?.credits_consumed ?? 0;
    this.#imports.check(own, `the number of imports of ${this.#name}`);
    this.#imported = own;
  }

  async #checkTokens(client: Client): Promise<void> {
    for (const [name, { token, state }] of this.#tokens) {
      if (state === 'unknown') continue;
      const { status } = await client.get(PATHS.dauCount, {}, token);
      assert.equal(status, state === 'valid' ? 200 : 401, `${name} is ${state}`);
    }
    for (const name of this.#refusedNames)
      assert.equal((await client.admin('DELETE', `tokens/${name}`)).status, 404, `${name} was refused`);
    this.#refusedNames.clear();
  }
}

/** The id and digest of each stored event by its key. */
export type Events = ReadonlyMap<string, { readonly id: string; readonly hash: string }>;

/** Reads all events. Fails on a duplicate key or id. */
export async function eventsOf(info: ServerInfo): Promise<Events> {
  const events = new Map<string, { id: string; hash: string }>();
  const ids = new Set<string>();
  for await (const { event_id: id, idempotency_key: key = '', body } of storedEvents(info)) {
    assert.ok(!events.has(key), `${key} is there twice`);
    assert.ok(!ids.has(id), `${id} is there twice`);
    ids.add(id);
    events.set(key, { id, hash: digest(body) });
  }
  return events;
}

/** Compares a server with all answers to its clients. */
export async function checkAll(info: ServerInfo, ledgers: readonly Ledger[]): Promise<void> {
  const events = await eventsOf(info);
  for (const ledger of ledgers) await ledger.check(info, events);
}

/**
 * A full or read-only disk is a refusal, of which nothing may be left. A lost lease may be noticed after the write: whether the
 * heir has read that is open.
 */
function outcomeOf({ status, body }: Answer, isFenced: boolean): Outcome {
  if (status >= 200 && status < 300) return 'done';
  const shown = `${status} ${JSON.stringify(body)}`;
  const { message = '' } = (body.error ?? {}) as { readonly message?: string };
  assert.match(message, status === 507 ? /no space left|cannot be written to/ : /took over/, shown);
  assert.ok(status === 507 || status === 503, shown);
  if (status === 507) return 'refused';
  return isFenced ? 'refused' : 'unknown';
}
