import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { takeOver } from '../../test/support/lease.ts';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { until } from '../../test/support/until.ts';
import { systemClock } from '../base/clock.ts';
import { silentLogger } from '../base/log.ts';
import { Definitions } from './definitions.ts';
import { EditorWindows } from './editorWindows.ts';
import { isUnfinished, type EventState } from './event.ts';
import { EventJournal } from './journal/eventJournal.ts';
import { RunQueue } from './runQueue.ts';

describe('the queue of runs', () => {
  const folder = temporaryFolder();
  let journal: EventJournal;
  let definitions: Definitions;
  let queue: RunQueue;
  let windows: EditorWindows;
  let webhook: string;
  let slow: Server;
  /** Requests without a response yet. */
  let held: ServerResponse[];
  let url: string;
  let place: string;

  beforeEach(async () => {
    held = [];
    slow = createServer((request, response) => {
      request.resume();
      held.push(response);
    }).listen(0, '127.0.0.1');
    await once(slow, 'listening');
    url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/`;
    place = folder();
    start();
    webhook = definitions.createWebhook({ name: 'w' }).webhook.id;
  });
  afterEach(async () => {
    await queue.close();
    await journal.close();
    slow.closeAllConnections();
    slow.close();
  });

  function start(): void {
    const edges = { fence: takeOver(place), clock: systemClock, logger: silentLogger };
    definitions = new Definitions({ ...edges, folder: place });
    journal = new EventJournal({ ...edges, folder: join(place, 'events') });
    windows = new EditorWindows(50);
    queue = new RunQueue({ ...edges, journal, definitions, windows, backoffBaseMs: 1 });
  }

  async function accept(): Promise<number> {
    const delivery = { webhook, headers: [], body: Buffer.from('{"n":1}') };
    const { id, number } = await journal.accept(delivery);
    queue.add(number, { id, ...delivery });
    return number;
  }

  function finished(number: number): Promise<EventState> {
    return until('the event is finished', async () => {
      const state = await journal.state(number);
      return !isUnfinished(state.status) && state;
    });
  }

  it("limits concurrent runs by the expert's setting, and delays no other expert", async () => {
    definitions.saveExpert({ name: 'slow', type: 'forward', url, concurrency: 2 });
    definitions.saveTrigger({ name: 'slowly', webhook: 'w', expert: 'slow' });
    const waiting = await Promise.all(Array.from({ length: 6 }, accept));
    await until('two are under way', () => held.length === 2);

    // Intake and another expert do not wait for the slow one.
    definitions.deleteTrigger('slowly');
    definitions.saveTrigger({ name: 'all', webhook: 'w' });
    assert.equal((await finished(await accept())).status, 'succeeded');
    for (let answered = 0; answered < 6; answered++) {
      await until('one is under way', () => held.length > answered);
      assert.ok(held.length <= answered + 2, 'no more than two at once');
      held[answered]!.end();
      await until('it is recorded', async () => {
        const states = await Promise.all(waiting.map((number) => journal.state(number)));
        return states.filter(({ status }) => status === 'succeeded').length === answered + 1;
      });
    }
    assert.equal(held.length, 6, 'each ran once');
  });

  it('gives up active runs once its lease is lost, and begins no others', async () => {
    definitions.saveExpert({ name: 'slow', type: 'forward', url, concurrency: 1 });
    definitions.saveTrigger({ name: 't', webhook: 'w', expert: 'slow' });
    const numbers = await Promise.all([accept(), accept(), accept()]);
    await until('one is under way', () => held.length === 1);
    const sleeper = queue;
    const sleepers = journal;
    const given = once(held[0]!, 'close');
    start();
    await assert.rejects(sleepers.accept({ webhook, headers: [], body: Buffer.from('{}') }), { code: 'LeaseLost' });
    await given;
    await sleeper.close();
    await sleepers.close();
    assert.equal(held.length, 1);
    // The heir runs all three.
    queue.resume();
    for (let run = 1; run <= 3; run++) {
      await until('one is under way', () => held.length > run);
      held[run]!.end();
    }
    for (const number of numbers) assert.equal((await finished(number)).status, 'succeeded');
  });

  it('gives up an attempt that takes too long, and the run after a number of attempts', async () => {
    definitions.saveExpert({ name: 'deaf', type: 'forward', url, timeout_ms: 20, max_attempts: 3 });
    definitions.saveTrigger({ name: 't', webhook: 'w', expert: 'deaf' });
    const { status, runs } = await finished(await accept());
    assert.deepEqual([status, runs.length, runs[0]!.state], ['failed', 1, 'failed']);
    assert.deepEqual(
      runs[0]!.attempts.map(({ error }) => error),
      Array.from({ length: 3 }, () => 'no answer within 0.02 s'),
    );
  });

  it('repeats a run that the end of the process interrupted, with the bytes from the disk', async () => {
    definitions.saveExpert({ name: 'slow', type: 'forward', url });
    definitions.saveTrigger({ name: 't', webhook: 'w', expert: 'slow' });
    const number = await accept();
    await until('it is under way', () => held.length === 1);
    await queue.close();
    await journal.close();
    start();
    assert.equal(journal.summary(number)?.status, 'pending');
    queue.resume();
    await until('it is under way again', () => held.length === 2);
    held[1]!.end('thanks');
    assert.equal((await finished(number)).runs[0]!.attempts.at(-1)?.answer, 'thanks');
  });

  it('gives up an event with damaged bytes, which then delays no other event', async () => {
    definitions.saveExpert({ name: 'slow', type: 'forward', url });
    definitions.saveTrigger({ name: 't', webhook: 'w', expert: 'slow' });
    const pending = await accept();
    await until('it is under way', () => held.length === 1);
    await queue.close();
    const { number: received } = await journal.accept({ webhook, headers: [], body: Buffer.from('{"n":2}') });
    await journal.close();
    const [name] = readdirSync(join(place, 'events')).filter((one) => one.endsWith('.log'));
    const file = join(place, 'events', name!);
    const bytes = readFileSync(file);
    start();
    for (const body of ['{"n":1}', '{"n":2}']) bytes[bytes.indexOf(body)]! ^= 1;
    writeFileSync(file, bytes);
    queue.resume();
    const [one, other] = [await finished(pending), await finished(received)];
    assert.deepEqual([one.status, one.runs.map(({ state }) => state)], ['failed', ['failed']]);
    assert.match(one.runs[0]!.attempts.at(-1)!.error!, /is damaged/);
    assert.deepEqual([other.status, other.runs], ['failed', []]);
    assert.deepEqual(journal.unfinished(), []);
  });

  it('posts no event again because its result cannot be written yet', async () => {
    definitions.saveExpert({ name: 'slow', type: 'forward', url, concurrency: 1 });
    definitions.saveTrigger({ name: 't', webhook: 'w', expert: 'slow' });
    const [number, next] = [await accept(), await accept()];
    await until('it is under way', () => held.length === 1);
    const write = journal.setState.bind(journal);
    let refused = 0;
    journal.setState = () => Promise.reject(new Error(`the disk is full, ${++refused}`));
    held[0]!.end('thanks');
    await until('the disk refuses it', () => refused >= 4);
    assert.equal(held.length, 1, 'no event is posted while the disk is full');
    journal.setState = write;
    const { status, runs } = await finished(number);
    assert.deepEqual([status, runs[0]!.attempts.length], ['succeeded', 1]);
    await until('the next one is under way', () => held.length === 2);
    held[1]!.end();
    assert.equal((await finished(next)).status, 'succeeded');
  });

  it("counts the waiting runs of an expert, and fails them at the expert's deletion", async () => {
    definitions.saveExpert({ name: 'slow', type: 'forward', url, concurrency: 1 });
    definitions.saveTrigger({ name: 't', webhook: 'w', expert: 'slow' });
    const began = Date.now();
    const numbers = [await accept(), await accept(), await accept()];
    await until('all wait', () => held.length === 1 && queue.waitingFor('slow') === 3);
    definitions.deleteExpert('slow', true);
    held[0]!.writeHead(503).end();
    for (const number of numbers) {
      const { status, runs } = await finished(number);
      const { at, error } = runs[0]!.attempts.at(-1)!;
      assert.deepEqual([status, error], ['failed', 'there is no such expert']);
      assert.ok(at >= began && at <= Date.now());
    }
    assert.equal(queue.waitingFor('slow'), 0);
  });

  it('records the result of a run even if the record before it is damaged', async () => {
    definitions.saveExpert({ name: 'slow', type: 'forward', url });
    definitions.saveTrigger({ name: 't', webhook: 'w', expert: 'slow' });
    const number = await accept();
    await until('it is under way', () => held.length === 1);
    held[0]!.writeHead(503).end();
    await until('it is tried again', () => held.length === 2);
    const [name] = readdirSync(join(place, 'events')).filter((one) => one.endsWith('.log'));
    const bytes = readFileSync(join(place, 'events', name!));
    bytes[bytes.lastIndexOf('"evaluations"')]! ^= 1;
    writeFileSync(join(place, 'events', name!), bytes);
    assert.deepEqual(await journal.state(number), { status: 'pending', evaluations: [], runs: [], isDamaged: true });
    held[1]!.end('thanks');
    const { status, runs, isDamaged } = await finished(number);
    assert.deepEqual([status, runs[0]!.trigger, runs[0]!.expert, isDamaged], ['succeeded', 't', 'slow', true]);
  });
});
