import assert from 'node:assert/strict';
import { createHmac, hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ServerInfo } from '../../src/server/runningServer.ts';
import { Client } from '../conformance/client.ts';
import { until } from '../support/until.ts';
import { seeded } from './truth.ts';

/** An event in the search of the admin plane. */
export interface ShownEvent {
  readonly event_id: string;
  readonly idempotency_key?: string;
  readonly body: string;
  readonly headers: readonly (readonly [string, string])[];
}

/** The body of a numbered event: always the same, in a form that no JSON library would write. */
export function bodyOf(number: number): Buffer {
  const random = seeded(number);
  const length = Math.floor(random() < 0.05 ? random() * 30_000 : random() * 800);
  const text = Array.from({ length: length / 6 }, () => Math.floor(random() * 1e6).toString(36)).join('é\\u00e9 ');
  return Buffer.from(` {"n" : ${number}, "n": ${number}.0,\t"text":"${text}" }\n`);
}

export function digest(body: Buffer | string): string {
  return hash('sha256', body);
}

/** Posts numbered events, and repeats one without an answer with the same `webhook-id`, as senders of webhooks do. */
export class Sender {
  /** The event id in the answer to each number. */
  readonly answered = new Map<number, string>();
  /** The number of events refused by a full disk. */
  refused = 0;
  /** The number of repeated events that were stored already. */
  repeated = 0;
  readonly #random: () => number;
  readonly #unanswered: number[] = [];
  #last = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  get sent(): number {
    return this.#last;
  }

  /** Sends over several connections, one event after the other on each, until `isOver` or the server has stopped. */
  async run(url: string, secret: string, isOver: () => boolean, connections = 6): Promise<void> {
    const one = async (): Promise<void> => {
      while (!isOver()) if (!(await this.#sendOne(url, secret))) return;
    };
    await Promise.all(Array.from({ length: connections }, one));
  }

  /** Repeats unanswered events until each has an answer. */
  async finish(url: string, secret: string): Promise<void> {
    while (this.#unanswered.length > 0) await this.#sendOne(url, secret);
  }

  /** Marks lost events, to send them once more. */
  forget(numbers: readonly number[]): void {
    for (const number of numbers) if (this.answered.delete(number)) this.#unanswered.push(number);
  }

  async #sendOne(url: string, secret: string): Promise<boolean> {
    const again = this.answered.size > 0 && this.#random() < 0.05 ? this.#anyAnswered() : undefined;
    const number = again ?? this.#unanswered.shift() ?? ++this.#last;
    const body = bodyOf(number);
    const headers = {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      'webhook-id': `n${number}`,
    };
    try {
      const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) });
      const said = await response.text();
      if (response.status === 507) {
        this.refused++;
        if (again === undefined) this.#unanswered.push(number);
        return true;
      }
      assert.equal(response.status, 202, said);
      const { event_id: id } = JSON.parse(said) as { event_id: string };
      assert.equal(id, this.answered.get(number) ?? id, `${number} is another event than it was`);
      if (again !== undefined) this.repeated++;
      this.answered.set(number, id);
      return true;
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      if (again === undefined) this.#unanswered.push(number);
      return false;
    }
  }

  #anyAnswered(): number | undefined {
    const number = 1 + Math.floor(this.#random() * this.#last);
    return this.answered.has(number) ? number : undefined;
  }
}

/** The webhook of the numbered events. */
export const HOOK = 'numbers';
/** What each forward has besides its event. */
const KEY = 'the-key-of-the-receiver';
const OWN = { 'X-Receiver': 'Bearer of-the-receiver' };

/** Receives the events that an expert forwards, and sometimes refuses one for the moment. */
export class Receiver {
  /** Ids of the events that came without the expert's own header or with another signature than that of the body. */
  readonly unsigned: string[] = [];
  /** The digest of the received body of each event. */
  readonly got = new Map<string, string>();
  readonly #server: Server;

  constructor(random: () => number) {
    this.#server = createServer((request, response) => {
      const chunks: Uint8Array[] = [];
      request.on('data', (chunk: Uint8Array) => chunks.push(chunk));
      request.on('end', () => {
        const isTaken = random() > 0.02;
        const body = Buffer.concat(chunks);
        const id = String(request.headers['x-sextant-event-id']);
        const signature = `sha256=${createHmac('sha256', KEY).update(body).digest('hex')}`;
        const { 'x-receiver': own, 'x-hub-signature-256': signed } = request.headers;
        if (own !== OWN['X-Receiver'] || signed !== signature) this.unsigned.push(id);
        if (isTaken) this.got.set(id, digest(body));
        response.writeHead(isTaken ? 200 : 503).end();
      });
      // From a server that was killed meanwhile.
      request.on('error', () => undefined);
    });
  }

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

export interface Hook {
  /** The path of the webhook; the server's address may change. */
  readonly path: string;
  readonly secret: string;
}

/** A webhook whose trigger forwards every event with an `n`, signed and with a header. */
export async function makeHook(info: ServerInfo, receiverUrl: string): Promise<Hook> {
  const client = new Client(info);
  const made = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    const answer = await client.admin('POST', path, body);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body;
  };
  const { webhook_id: id, secret } = await made('webhooks', { name: HOOK });
  const signing = { headers: OWN, sign: 'github', secret: KEY };
  await made('experts', { name: 'receiver', type: 'forward', url: receiverUrl, max_attempts: 50, ...signing });
  await made('triggers', { name: 'all', webhook: HOOK, filter: { '>': [{ var: 'n' }, 0] }, expert: 'receiver' });
  return { path: `/webhooks/${String(id)}`, secret: String(secret) };
}

/** All events, or those of one webhook, newest first, down to the one after `from`. */
export async function* storedEvents(info: ServerInfo, from = '', webhook?: string): AsyncGenerator<ShownEvent> {
  const only = webhook === undefined ? '' : `&webhook=${webhook}`;
  const response = await fetch(`${info.url}/__admin/events/search?source=Webhook${only}`, {
    headers: { authorization: `Bearer ${info.adminToken}` },
  });
  assert.equal(response.status, 200);
  const stream = Readable.fromWeb(response.body!);
  // The answer is not read to its end.
  stream.on('error', () => undefined);
  try {
    for await (const line of createInterface(stream)) {
      const { event, done } = JSON.parse(line) as { event?: ShownEvent; done?: true };
      if (done || (event && event.event_id <= from)) return;
      if (event) yield event;
    }
  } finally {
    stream.destroy();
  }
  throw new Error('The list broke off.');
}

/** Compares the events after `from` with the answers: each once, byte for byte. Returns the newest id. */
export async function checkStored(info: ServerInfo, answered: ReadonlyMap<number, string>, from = ''): Promise<string> {
  const ids = new Map<string, string>();
  let newest = from;
  for await (const { event_id: id, idempotency_key: key = '', body } of storedEvents(info, from, HOOK)) {
    if (id > newest) newest = id;
    assert.ok(!ids.has(key), `${key} is there twice: ${id} and ${ids.get(key)}`);
    ids.set(key, id);
    assert.equal(digest(body), digest(bodyOf(Number(key.slice(1)))), `${id} is not as it was sent`);
  }
  for (const [number, id] of answered)
    if (id > from) assert.equal(ids.get(`n${number}`), id, `${number} was answered with ${id}`);
  return newest;
}

/** Waits until no run is left; then each acknowledged event must have reached the receiver. */
export async function checkRuns(info: ServerInfo, sender: Sender, receiver: Receiver): Promise<void> {
  const client = new Client(info);
  for (const status of ['received', 'pending'])
    await until(
      `no event is ${status}`,
      async () => {
        const { body } = await client.admin('GET', `events?status=${status}&limit=1`);
        return (body.events as unknown[]).length === 0;
      },
      120_000,
    );
  for (const [number, id] of sender.answered)
    assert.equal(receiver.got.get(id), digest(bodyOf(number)), `the run of ${id}`);
  assert.deepEqual(receiver.unsigned, []);
}
