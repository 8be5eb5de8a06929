import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';
import { isHeld, Lease } from '../../src/base/lease.ts';
import { silentLogger } from '../../src/base/log.ts';
import { Engine } from '../../src/engine/engine.ts';
import { isDataFile } from '../../src/engine/index/manifest.ts';
import { EventJournal } from '../../src/webhooks/journal/eventJournal.ts';
import { chooseSeed, seeded } from '../fault/truth.ts';
import { WORDS, fileVersion, workload, type Versions } from '../fault/workload.ts';
import { killed } from '../support/processes.ts';
import { folderOfTest } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { bodyOf, stateOf } from './states.ts';

const KILLS = Number(process.env.SEXTANT_FAULT_KILLS ?? 2);
const MOST_STEPS = 12;
const KILL_MS = 300;

/** A process of the test. Its output is a file: Node on Wine has no pipes. */
interface Actor {
  readonly child: ChildProcess;
  lines(): string[];
}

describe('While one process opens files without sharing them, and others are killed', () => {
  const folder = folderOfTest();
  const actors: Actor[] = [];
  // Elsewhere an open file can be replaced; test/fault kills there.
  before(function () {
    if (process.platform !== 'win32') this.skip();
  });
  afterEach(() => {
    for (const { child } of actors.splice(0)) child.kill('SIGKILL');
  });

  function start(role: string, place: string, seed: number, more = ''): Actor {
    const output = join(folder(), `${role}-${actors.length}.txt`);
    const fd = openSync(output, 'w');
    const script = join(import.meta.dirname, 'actor.ts');
    const child = spawn(process.execPath, [...process.execArgv, script, role, place, String(seed), more], {
      stdio: ['ignore', fd, fd],
    });
    closeSync(fd);
    const actor: Actor = { child, lines: () => readFileSync(output, 'utf8').split('\n').slice(0, -1) };
    actors.push(actor);
    return actor;
  }

  /** Waits for a number of lines of a kind; an actor that ends by itself fails. */
  async function began(actor: Actor, kind: string, count: number): Promise<void> {
    await until(
      `${count} times ${kind}`,
      () => {
        assert.equal(actor.child.exitCode, null, actor.lines().join('\n'));
        return countOf(actor, kind) >= count;
      },
      60_000,
    );
  }

  it('an index has the last acknowledged commit or the one under way, and its readers see whole commits', async function () {
    this.timeout(KILLS * 60_000);
    const first = chooseSeed();
    console.log(`      ${KILLS} kills from seed ${first}`);
    const index = join(folder(), 'index');
    mkdirSync(index);
    const readers = [start('read', index, first), start('read', index, first + 1)];
    const holder = start('hold', index, first + 2);
    let versions: Versions = new Map();
    const valid = new Set([stateOf([])]);
    for (let kill = 0; kill < KILLS; kill++) {
      const seed = first + kill;
      const random = seeded(seed);
      const writer = start('write', index, seed, JSON.stringify([...versions]));
      await began(writer, 'begin', 1 + Math.floor(random() * MOST_STEPS));
      await sleep(random() * KILL_MS);
      await killed(writer.child);
      const acknowledged = countOf(writer, 'end');
      const states = statesAfter(seed, versions, countOf(writer, 'begin'));
      for (const one of states) valid.add(stateOf(idsOf(one)));
      const engine = Engine.open(index);
      const ids = [...engine.ids()];
      assert.deepEqual([await engine.verify(), engine.damage], [[], []]);
      await engine.close();
      const state = states.slice(acknowledged).find((one) => stateOf(idsOf(one)) === stateOf(ids));
      assert.ok(state, `kill ${kill} of seed ${first}: neither commit ${acknowledged} nor the next one`);
      versions = state;
    }
    writeFileSync(`${index}.stop`, '');
    for (const { child } of [...readers, holder]) await until('the others end', () => child.exitCode !== null);
    const seen = readers.flatMap((one) => one.lines());
    assert.deepEqual(seen.filter((line) => !valid.has(line.slice('state '.length))), []); // oxfmt-ignore
    assert.deepEqual(readers.map(({ child }) => child.exitCode), [0, 0]); // oxfmt-ignore

    const engine = Engine.open(index);
    await engine.settle();
    const documents = [...versions].map(([number, version]) => fileVersion(number, version));
    for (const word of WORDS) {
      const expected = documents.filter(({ content }) => Buffer.from(content).includes(word));
      const found = await engine.search(word, { limit: 1000 });
      assert.deepEqual(found.map(({ id }) => id).sort(), expected.map(({ id }) => id).sort(), word);
    }
    const { segments } = engine.stats();
    await engine.close();
    const files = readdirSync(index).filter((name) => isDataFile(name) && name.endsWith('.sxs'));
    assert.equal(files.length, segments, 'segments that were open elsewhere are removed later');
    console.log(`      ${seen.length} commits were seen, files were held ${countOf(holder, 'held')} times`);
    assert.ok(seen.length > KILLS && countOf(holder, 'held') > KILLS);
  });

  it('a journal has each acknowledged event once, byte for byte', async function () {
    this.timeout(KILLS * 60_000);
    const first = chooseSeed();
    console.log(`      ${KILLS} kills from seed ${first}`);
    const random = seeded(first);
    const place = join(folder(), 'events');
    mkdirSync(place);
    const holder = start('hold', place, first);
    const accepted = new Set<number>();
    let next = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const writer = start('accept', place, next);
      await began(writer, 'accepted', 1 + Math.floor(random() * 60));
      await sleep(random() * KILL_MS);
      await killed(writer.child);
      for (const line of writer.lines()) {
        if (line.startsWith('accepted ')) accepted.add(Number(line.slice('accepted '.length)));
        else assert.equal(line, 'open');
      }
      // The next one repeats those that were under way.
      next = Math.max(...accepted) - 7;
    }
    writeFileSync(`${place}.stop`, '');
    await until('the holder ends', () => holder.child.exitCode !== null);
    const fence = Lease.acquire(place);
    assert.ok(isHeld(fence));
    const journal = new EventJournal({ folder: place, fence, clock: systemClock, logger: silentLogger });
    assert.deepEqual(await journal.verify(), []);
    const stored: number[] = [];
    for await (const step of journal.search({})) {
      if (!('event' in step)) continue;
      const number = Number(step.event.key);
      assert.deepEqual(step.event.body, bodyOf(number));
      stored.push(number);
    }
    await journal.close();
    fence.release();
    assert.equal(new Set(stored).size, stored.length, 'no event is there twice');
    assert.deepEqual([...accepted].filter((one) => !stored.includes(one)), []); // oxfmt-ignore
    console.log(`      ${accepted.size} events, files were held ${countOf(holder, 'held')} times`);
    assert.ok(accepted.size > KILLS && countOf(holder, 'held') > KILLS);
  });
});

function countOf(actor: Actor, kind: string): number {
  return actor.lines().filter((line) => line.split(' ')[0] === kind).length;
}

function statesAfter(seed: number, versions: Versions, steps: number): Versions[] {
  const states = [versions];
  const changes = workload(seed, versions);
  for (let i = 0; i < steps; i++) states.push(changes.next().value.versions);
  return states;
}

function idsOf(versions: Versions): string[] {
  return [...versions].map(([number, version]) => fileVersion(number, version).id);
}
