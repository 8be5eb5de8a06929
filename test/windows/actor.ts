// A process of the tests: actor.ts ROLE FOLDER …, until it is killed, or FOLDER.stop exists.
import { closeSync, constants, existsSync, openSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';
import { systemCode } from '../../src/base/errors.ts';
import { isHeld, Lease } from '../../src/base/lease.ts';
import { silentLogger } from '../../src/base/log.ts';
import { Engine, EngineReader } from '../../src/engine/engine.ts';
import { EventJournal } from '../../src/webhooks/journal/eventJournal.ts';
import { seeded } from '../fault/truth.ts';
import { workload } from '../fault/workload.ts';
import { bodyOf, stateOf } from './states.ts';

const [role = '', folder = '', seedText = '0', more = '[]'] = process.argv.slice(2);
const seed = Number(seedText);
const random = seeded(seed);
const { O_RDWR } = constants;
/** libuv's flag, on Windows, to open a file without sharing it, as virus scanners do. */
const O_EXLOCK = 0x10000000;

// Written synchronously, or a kill would lose it.
const say = (word: string): void => void writeSync(1, `${word}\n`);
const isStopped = (): boolean => existsSync(`${folder}.stop`);

/** Writes the workload, and prints each begun and acknowledged commit. */
async function write(): Promise<void> {
  const engine = Engine.open(folder);
  say('open');
  for (const { add, remove } of workload(seed, new Map(JSON.parse(more) as [number, number][]))) {
    say('begin');
    await engine.apply({ add, remove });
    say('end');
    if (engine.stats().segments >= 4) {
      say('merge');
      await engine.settle();
    }
  }
}

/** Opens the index again and again, moves with its writer for a while, and prints each commit that it sees. */
async function read(): Promise<void> {
  let seen = '';
  while (!isStopped()) {
    const reader = new EngineReader(folder);
    for (let moves = Math.floor(random() * 8); moves >= 0; moves--) {
      const ids = [...reader.documents()].map(([, id]) => id);
      const found = await reader.search('amber', { limit: 1000 });
      if (found.some(({ id }) => !ids.includes(id))) say('wrong: a search found what is not there');
      for (const { file, what } of reader.damage) say(`wrong: ${file}: ${what}`);
      const state = stateOf(ids);
      if (state !== seen) say(`state ${state}`);
      seen = state;
      await sleep(random() * 60);
      reader.refresh();
    }
    reader.close();
  }
}

/** Opens files of the folder without sharing them, for up to a fifth of a second each. */
async function hold(): Promise<void> {
  while (!isStopped()) {
    const names = readdirSync(folder);
    const name = names[Math.floor(random() * names.length)];
    const fd = name === undefined ? undefined : openUnshared(join(folder, name));
    await sleep(random() * (fd === undefined ? 20 : 200));
    if (fd === undefined) continue;
    closeSync(fd);
    say('held');
  }
}

/** `undefined` where another process has the file, or has removed it. */
function openUnshared(file: string): number | undefined {
  try {
    return openSync(file, O_RDWR | O_EXLOCK);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Accepts events from a number on, and prints the numbers of those that are acknowledged. */
async function accept(): Promise<void> {
  const fence = Lease.acquire(folder);
  if (!isHeld(fence)) {
    say('wrong: the folder has an owner');
    return;
  }
  const journal = new EventJournal({
    ...{ folder, fence, clock: systemClock, logger: silentLogger },
    maxSegmentBytes: 20_000,
  });
  say('open');
  for (let number = seed; !isStopped(); number += 4) {
    const sent = [0, 1, 2, 3].map((i) => number + i);
    await Promise.all(
      sent.map((one) => journal.accept({ webhook: 'w', headers: [], body: bodyOf(one), key: `${one}` })),
    );
    for (const one of sent) say(`accepted ${one}`);
  }
  await journal.close();
  fence.release();
}

const ROLES: Readonly<Record<string, () => Promise<void>>> = { write, read, hold, accept };
await ROLES[role]!();
