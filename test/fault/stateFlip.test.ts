import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { bothLoggers, silentLogger, type Logger } from '../../src/base/log.ts';
import { documentId } from '../../src/engine/documentId.ts';
import { loadData, startOrAttach } from '../../src/server/launch.ts';
import type { ServerInfo } from '../../src/server/runningServer.ts';
import type { SextantServer } from '../../src/server/server.ts';
import { PATHS as CONTEXT } from '../../src/wire/contract.ts';
import { Client, PATHS } from '../conformance/client.ts';
import { until } from '../support/until.ts';
import { NOW, writeFacts } from './ledger.ts';
import { chooseSeed, fastFolder, keepForInspection, seeded } from './truth.ts';

/** The number of bytes to flip, one at a time and spread over all files; `npm run soak` flips each byte. */
const FLIPS = 50;
const EVERY = process.env.SEXTANT_FAULT_EVERY === undefined ? undefined : Number(process.env.SEXTANT_FAULT_EVERY);
/** The minimum in each file. */
const LEAST_IN_FILE = 3;
/** The index of contexts has its own tests (`flip.test.ts`), and is rebuilt from the packs. */
const INDEX_SHARE = 20;
const DATE = '2026-11-20';
const PERSON = 'person-0@example.com';
const OVERRIDE = { resource: 'BUDGET_RESOURCE_CREDITS_CONSUMED', period: 'BUDGET_PERIOD_MONTHLY' };
const CONTENT = 'export const lantern = 1;\n';
const BLOB = { blob_name: documentId('a.ts', Buffer.from(CONTENT)), path: 'a.ts', content: CONTENT };

/** The answers to clients, for later comparison. */
interface Acknowledged {
  readonly bearer: Hook;
  readonly signed: Hook;
  readonly valid: string;
  readonly revoked: string;
  readonly checkpoint: string;
  readonly events: readonly string[];
}
interface Hook {
  readonly path: string;
  readonly secret: string;
}

/** The visible state of a server: a text for each acknowledged item. */
type View = Readonly<Record<string, string>>;

describe('A state folder with a flipped byte', () => {
  const folder = fastFolder();
  const whole = join(folder, 'whole');
  const state = join(folder, 'state');
  const data = writeFacts(join(folder, 'facts.ndjson'), 1);
  let server: SextantServer | undefined;
  let said: string[] = [];
  let known: Acknowledged;
  let truth: View;

  before(async () => {
    const info = await start(whole);
    known = await fill(info);
    await stop();
    truth = await view(await start(whole));
    await stop();
  });
  after(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(at: string): Promise<ServerInfo> {
    said = [];
    const keep = (message: string): void => void said.push(message);
    const logger: Logger = { ...silentLogger, warn: keep, error: keep };
    const launched = await startOrAttach(
      { state: at, port: 0, rateLimit: false, now: Date.parse(NOW), data: () => loadData(data) },
      { logger: bothLoggers(logger, silentLogger) },
    );
    server = launched.server;
    assert.ok(server, 'it has the state for itself');
    return launched.info;
  }

  async function stop(): Promise<void> {
    await server?.close();
    server = undefined;
  }

  async function fill(info: ServerInfo): Promise<Acknowledged> {
    const client = new Client(info);
    const sure = async (work: ReturnType<Client['admin']>): Promise<Readonly<Record<string, unknown>>> => {
      const { status, body } = await work;
      assert.ok(status < 300, JSON.stringify(body));
      return body;
    };
    const token = async (name: string): Promise<string> =>
      (await sure(client.admin('POST', 'tokens', { name, scopes: ['analytics:read'] }))).token as string;
    const [valid, revoked] = [await token('valid'), await token('revoked')];
    const entry = { user_email: PERSON, ...OVERRIDE, config: { limit: '4711' } };
    await sure(client.post(PATHS.setOverrides, { overrides: [entry] }));
    const fact = { kind: 'credits', date: DATE, service_account_name: 'bot', model_name: 'm', credits_consumed: 12345 };
    await sure(client.admin('POST', 'import', `${JSON.stringify(fact)}\n`));
    const hook = async (name: string, type: string): Promise<Hook> => {
      const made = await sure(client.admin('POST', 'webhooks', { name, type, description: `of ${name}` }));
      return { path: `/webhooks/${made.webhook_id as string}`, secret: made.secret as string };
    };
    const [bearer, signed] = [await hook('bearer', 'bearer_token'), await hook('signed', 'standard_webhooks')];
    for (const webhook of ['bearer', 'signed']) {
      const trigger = { name: `on-${webhook}`, webhook, filter: { '>': [{ var: 'n' }, 1] } };
      await sure(client.admin('POST', 'triggers', trigger));
    }
    const ids: string[] = [];
    for (const n of [1, 2]) ids.push(await deliver(info, bearer, false, n), await deliver(info, signed, true, n));
    const refused = await fetch(`${info.url}${bearer.path}`, { method: 'POST', body: '{}' });
    assert.equal(refused.status, 401);
    await refused.text();
    await sure(client.post(CONTEXT.batchUpload, { blobs: [BLOB] }));
    const blobs = { checkpoint_id: null, added_blobs: [BLOB.blob_name], deleted_blobs: [] };
    const { new_checkpoint_id } = await sure(client.post(CONTEXT.checkpointBlobs, { blobs }));
    // The last record of its log.
    await sure(client.admin('DELETE', 'tokens/revoked'));
    await until('the triggers ran', async () => {
      const { body } = await client.admin('GET', 'events');
      return (body.events as { status: string }[]).every(({ status }) => status !== 'received' && status !== 'pending');
    });
    return { bearer, signed, valid, revoked, checkpoint: new_checkpoint_id as string, events: ids };
  }

  /** The answer's event id, or its status. */
  async function deliver(info: ServerInfo, hook: Hook, isSigned: boolean, n: number): Promise<string> {
    const body = ` {"n" : ${n}, "text":"é\\u00e9"}\n`;
    const key = `key-${isSigned}-${n}`;
    const at = Math.floor(Date.now() / 1000);
    const bytes = Buffer.from(hook.secret.replace(/^whsec_/, ''), 'base64');
    const signature = createHmac('sha256', bytes).update(`${key}.${at}.${body}`).digest('base64');
    const headers = {
      'content-type': 'application/json',
      'webhook-id': key,
      ...(isSigned
        ? { 'webhook-timestamp': String(at), 'webhook-signature': `v1,${signature}` }
        : { authorization: `Bearer ${hook.secret}` }),
    };
    const response = await fetch(`${info.url}${hook.path}`, { method: 'POST', headers, body });
    const { event_id: id } = (await response.json()) as { event_id?: string };
    return id ?? String(response.status);
  }

  async function view(info: ServerInfo): Promise<View> {
    const client = new Client(info);
    const seen: Record<string, string> = {};
    const shown = async (name: string, work: ReturnType<Client['admin']>, pick = (body: object): unknown => body) => {
      const { status, body } = await work;
      // A damaged event is reported when it is read.
      const isReported = known.events.includes(name) && JSON.stringify(body).includes('.log is damaged');
      assert.ok(status < 500 || isReported, `${name}: ${status} ${JSON.stringify(body)}`);
      seen[name] = status === 200 ? JSON.stringify(pick(body)) : String(status);
    };
    const range = { start_date: DATE, end_date: DATE };
    seen.tokens = JSON.stringify([info.token, info.adminToken]);
    await shown('budgets', client.post(PATHS.getOverrides, {}));
    await shown('credits', client.get(PATHS.credits, range), (body) => (body as { records: unknown }).records);
    await shown('valid token', client.get(PATHS.dauCount, range, known.valid), () => 'it is let in');
    await shown('revoked token', client.get(PATHS.dauCount, range, known.revoked), () => 'it is let in');
    // Addresses contain the port of this start.
    const withoutUrl = (body: object): unknown => JSON.parse(JSON.stringify(body).replaceAll(info.url, ''));
    for (const name of ['webhooks', 'triggers', 'experts']) await shown(name, client.admin('GET', name), withoutUrl);
    for (const id of known.events) await shown(id, client.admin('GET', `events/${id}`));
    await shown('events', client.admin('GET', 'events'));
    await shown('refusals', client.admin('GET', 'refusals'));
    for (const n of [1, 2]) {
      seen[`bearer ${n} again`] = await deliver(info, known.bearer, false, n);
      seen[`signed ${n} again`] = await deliver(info, known.signed, true, n);
    }
    await shown('blobs', client.post(CONTEXT.findMissing, { mem_object_names: [BLOB.blob_name] }));
    const blobs = { checkpoint_id: known.checkpoint, added_blobs: [], deleted_blobs: [] };
    await shown('checkpoint', client.post(CONTEXT.codebaseRetrieval, { information_request: 'lantern', blobs }));
    return seen;
  }

  it('starts, and reports each loss with the name of the file', async function () {
    this.timeout(7_200_000);
    const seed = chooseSeed();
    const random = seeded(seed);
    const files = readdirSync(whole, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(whole, name)).isFile() && !name.endsWith('.lock') && name !== 'server.log')
      .map((name) => ({ name, bytes: readFileSync(join(whole, name)) }))
      .filter(({ bytes }) => bytes.length > 0);
    const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
    const seen = { flips: 0, lost: 0 };
    const failures: string[] = [];
    for (const { name, bytes } of files) {
      const isIndex = name.startsWith(join('context', 'index'));
      const step = EVERY ?? Math.min(bytes.length / LEAST_IN_FILE, total / FLIPS) * (isIndex ? INDEX_SHARE : 1);
      for (let at = random() * step; at < bytes.length; at += step) {
        const flipped = Buffer.from(bytes);
        const bit = Math.floor(random() * 8);
        flipped[Math.floor(at)]! ^= 1 << bit;
        rmSync(state, { recursive: true, force: true });
        cpSync(whole, state, { recursive: true });
        rmSync(join(state, 'server.log'), { force: true });
        writeFileSync(join(state, name), flipped);
        seen.flips++;
        try {
          const first = await view(await start(state));
          const log = readFileSync(join(state, 'server.log'), 'utf8');
          assert.notEqual(first['revoked token'], '"it is let in"', 'a revoked token is let in');
          const lost = Object.keys(truth).filter((key) => first[key] !== truth[key]);
          if (lost.length > 0) {
            seen.lost++;
            const reported = [...said, log].some((text) => text.includes(basename(name)));
            assert.ok(reported, `${lost.join(', ')} lost without a word: ${said.join('\n')}`);
          }
          for (const id of known.events) assertNotAltered(first[id]!, truth[id]!);
          await stop();
          // Repairs last.
          if (random() > 0.2) continue;
          const second = await view(await start(state));
          for (const key of Object.keys(truth))
            // A lost event has been accepted again as a new one.
            if (first[key] === truth[key] && !(key === 'events' && lost.length > 0))
              assert.equal(second[key], truth[key], `${key} is lost after a second start`);
          await stop();
        } catch (error) {
          await stop();
          const kept = keepForInspection(state, 'stateFlip');
          const where = `${name}, byte ${Math.floor(at)} of ${bytes.length}, bit ${bit}; the state is in ${kept}`;
          failures.push(`${where}: ${(error as Error).message.slice(0, 400)}`);
          if (EVERY !== undefined && failures.length > 20) break;
        }
      }
    }
    console.log(
      `      ${seen.flips} of ${total} bytes in ${files.length} files, from seed ${seed}; ${seen.lost} lost something`,
    );
    assert.equal(failures.length, 0, `SEXTANT_FAULT_SEED=${seed}\n${failures.slice(0, 10).join('\n')}`);
  });
});

/** An event is unchanged, missing or marked as damaged, but never altered. */
function assertNotAltered(found: string, expected: string): void {
  if (/^\d{3}$/.test(found)) return;
  const [now, before] = [found, expected].map((text) => JSON.parse(text) as { headers: unknown; body: string });
  assert.deepEqual([now!.headers, now!.body], [before!.headers, before!.body]);
}
