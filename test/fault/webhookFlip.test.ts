import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '../conformance/client.ts';
import { serve, stop, type ServeProcess } from '../support/servers.ts';
import {
  bodyOf,
  checkRuns,
  checkStored,
  digest,
  HOOK,
  makeHook,
  Receiver,
  Sender,
  storedEvents,
  type Hook,
} from './deliveries.ts';
import { chooseSeed, keepForInspection, seeded } from './truth.ts';
import { openWindow, TypedEvents, writeCommands } from './typedEvents.ts';

const ROUNDS = Math.max(5, Number(process.env.SEXTANT_FAULT_KILLS ?? 5));
const EVENTS = 900;
/** The largest number of bytes that are flipped at once. */
const MOST_FLIPS = 4;
const REFUSALS = 30;

describe('A journal of webhooks with flipped bytes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sextant-webhook-flip-'));
  const whole = join(folder, 'whole');
  const state = join(folder, 'state');
  const limits = ['--keep-megabytes', '60', '--commands', writeCommands(folder)];
  const seed = chooseSeed();
  const random = seeded(seed);
  const receiver = new Receiver(random);
  const answered = new Map<number, string>();
  const typed = new TypedEvents();
  const window = new AbortController();
  let server: ServeProcess | undefined;
  let hook: Hook;
  let refused: string[];
  /** Bytes at the end of the journal, which are of events of other types. */
  let typedBytes: number;

  before(async function () {
    this.timeout(600_000);
    server = await serve(['--state', whole, ...limits]);
    hook = await makeHook(server.info, await receiver.start());
    const sender = new Sender(random);
    await sender.run(`${server.info.url}${hook.path}`, hook.secret, () => sender.sent >= EVENTS);
    await checkRuns(server.info, sender, receiver);
    const before = await journalBytes();
    await typed.send(server.info);
    void openWindow(server.info, window.signal);
    await checkRuns(server.info, sender, receiver);
    await typed.remember(server.info);
    typedBytes = (await journalBytes()) - before;
    for (const [number, id] of sender.answered) answered.set(number, id);
    for (let i = 0; i < REFUSALS; i++) await fetch(`${server.info.url}${hook.path}`, { method: 'POST', body: '{}' });
    refused = await refusals();
    assert.ok(refused.length >= REFUSALS);
    await stop(server, 'SIGKILL');
  });
  after(async () => {
    window.abort();
    if (server?.child.exitCode === null) await stop(server, 'SIGKILL');
    receiver.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function journalBytes(): Promise<number> {
    return (await new Client(server!.info).admin('GET', 'journal')).body.bytes as number;
  }

  async function refusals(): Promise<string[]> {
    const { status, body } = await new Client(server!.info).admin('GET', 'refusals?limit=1000');
    assert.equal(status, 200);
    return (body as { refusals: unknown[] }).refusals.map((one) => JSON.stringify(one));
  }

  /** Flips random bits in the files of a folder, in large files more often. */
  function flip(name: string): string[] {
    const place = join(state, 'webhooks', name);
    const files = readdirSync(place).map((name) => ({ name, bytes: readFileSync(join(place, name)) }));
    const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
    const flips = 1 + Math.floor(random() * MOST_FLIPS);
    return Array.from({ length: flips }, () => {
      const isTyped = name === 'events' && random() < 0.5;
      let at = isTyped ? total - 1 - Math.floor(random() * typedBytes) : Math.floor(random() * total);
      const file = files.find(({ bytes }) => at < bytes.length || ((at -= bytes.length), false))!;
      file.bytes[at]! ^= 1 << Math.floor(random() * 8);
      writeFileSync(join(place, file.name), file.bytes);
      return `${file.name} at ${at}`;
    });
  }

  it('loses only the damaged events, alters none, reports the loss, and accepts the lost events again', async function () {
    this.timeout(ROUNDS * 120_000 + 600_000);
    console.log(`      ${ROUNDS} rounds from seed ${seed}`);
    const seen = { lost: 0, typed: 0, damage: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      rmSync(state, { recursive: true, force: true });
      cpSync(whole, state, { recursive: true });
      const isRunning = random() < 0.5;
      const isRefusalHit = random() < 0.5;
      let flips: string[] = [];
      let hits: string[] = [];
      const hit = (): void => {
        flips = flip('events');
        if (isRefusalHit) hits = flip('refusals');
      };
      try {
        if (!isRunning) hit();
        server = await serve(['--state', state, ...limits]);
        void openWindow(server.info, window.signal);
        if (isRunning) hit();
        const shown = await refusals();
        assert.ok(shown.every((one) => refused.includes(one)) && shown.length >= refused.length - hits.length);
        const there = new Map<number, string>();
        for await (const { event_id: id, idempotency_key: key = '', body } of storedEvents(server.info, '', HOOK)) {
          const number = Number(key.slice(1));
          assert.ok(!there.has(number), `${key} is there twice`);
          assert.equal(digest(body), digest(bodyOf(number)), `${id} is not as it was sent`);
          assert.equal(id, answered.get(number));
          there.set(number, id);
        }
        const lost = [...answered.keys()].filter((number) => !there.has(number));
        assert.ok(lost.length <= flips.length, `${lost.length} events are lost`);
        const client = new Client(server.info);
        const { damage } = (await client.admin('GET', 'journal')).body as { damage: string[] };
        assert.ok(damage.length >= lost.length, `${lost.length} are lost, and reported is: ${damage.join('\n')}`);
        if (damage.length > 0) assert.match(server.stderr(), /The journal is damaged/);
        else if (!isRefusalHit) assert.doesNotMatch(server.stderr(), /damaged/);
        const { body } = await client.admin('POST', 'journal/verify');
        assert.ok((body.damage as string[]).length <= flips.length);
        seen.lost += lost.length;
        seen.damage += damage.length;

        const sender = new Sender(random);
        for (const [number, id] of answered) sender.answered.set(number, id);
        sender.forget(lost);
        await sender.finish(`${server.info.url}${hook.path}`, hook.secret);
        await checkStored(server.info, sender.answered);
        await checkRuns(server.info, sender, receiver);
        const lostTyped = await typed.check(server.info);
        assert.ok(lost.length + lostTyped <= flips.length, `${lost.length} and ${lostTyped} events are lost`);
        seen.typed += lostTyped;
        await stop(server, 'SIGKILL');
      } catch (error) {
        const kept = keepForInspection(state, 'webhookFlip');
        throw new Error(`SEXTANT_FAULT_SEED=${seed}, ${[...flips, ...hits].join(', ')}; the state is in ${kept}`, {
          cause: error,
        });
      }
    }
    console.log(
      `      ${seen.lost} of ${ROUNDS * answered.size} events and ${seen.typed} of other types lost, reported as ${seen.damage} places`,
    );
    assert.ok(seen.damage > 0);
  });
});
