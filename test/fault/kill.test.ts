import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Engine, EngineReader } from '../../src/engine/engine.ts';
import { readManifest, segmentFile } from '../../src/engine/index/manifest.ts';
import { killed } from '../support/processes.ts';
import { folderOfTest } from '../support/temporary.ts';
import { chooseSeed, keepForInspection, seeded } from './truth.ts';
import { WORDS, fileVersion, workload, type Versions } from './workload.ts';
import type { Order } from './writer.ts';

const KILLS = Number(process.env.SEXTANT_FAULT_KILLS ?? 15);
/** A process is killed during this number of steps or during its first merge, whatever the speed of the machine. */
const MOST_STEPS = 14;
const STEP_MS = 12;
/** The number of kills of one index, so that a kill meets the leftovers of the previous one. */
const KILLS_PER_INDEX = 25;

describe('An index whose writer is killed with SIGKILL', () => {
  const folder = folderOfTest();
  // A second attempt starts from nothing.

  it('holds the last acknowledged commit or the one under way, as a whole', async function () {
    this.timeout(KILLS * 30_000 + 600_000);
    const first = chooseSeed();
    console.log(`      ${KILLS} kills from seed ${first}`);
    let versions: Versions = new Map();
    const seen = {
      commits: 0,
      opening: 0,
      applying: 0,
      merging: 0,
      between: 0,
      kept: 0,
      unfinished: 0,
    };
    let next = start();
    for (let kill = 0; kill < KILLS; kill++) {
      const seed = first + kill;
      const random = seeded(seed + 2);
      const index = join(folder(), `index${Math.floor(kill / KILLS_PER_INDEX)}`);
      mkdirSync(index, { recursive: true });
      if (kill % KILLS_PER_INDEX === 0) versions = new Map();
      const writer = next;
      await writer.ready;
      // It starts while the other process works, so that its start takes no time.
      next = start();
      const order: Order = { folder: index, seed, versions: [...versions] };
      writer.child.stdin!.write(`${JSON.stringify(order)}\n`);
      if (random() < 0.4) await writer.begun('m', 1);
      else await writer.begun('b', Math.floor(random() * MOST_STEPS));
      await new Promise((resolve) => setTimeout(resolve, random() * STEP_MS));
      await killed(writer.child);

      const done = writer.said().split('e').length - 1;
      const isApplying = writer.said().endsWith('b');
      seen.commits += done;
      if (!writer.said().includes('o')) seen.opening++;
      else if (isApplying) seen.applying++;
      else if (writer.said().endsWith('m')) seen.merging++;
      else seen.between++;
      try {
        if (hasUnfinished(index)) seen.unfinished++;
        const states = statesAfter(seed, versions, done + (isApplying ? 1 : 0));
        const before = states.at(isApplying ? -2 : -1)!;
        const ids = await idsOf(index);
        const state = [states.at(-1)!, before].find((one) => String(idsOfVersions(one)) === String(ids));
        assert.ok(state, `neither commit ${done} nor the one under way (${isApplying})`);
        if (isApplying && state === states.at(-1)) seen.kept++;
        await assertWhole(index, state);
        versions = state;
      } catch (error) {
        await killed(next.child);
        const kept = keepForInspection(index, 'kill');
        throw new Error(`Kill ${kill} of SEXTANT_FAULT_SEED=${first}; the index is in ${kept}`, { cause: error });
      }
    }
    await killed(next.child);
    const { commits, opening, applying, kept, merging, between, unfinished } = seen;
    console.log(
      `      after ${commits} commits: opening ${opening}, applying ${applying} (${kept} committed), merging ${merging}, ` +
        `between ${between}; unfinished files were left ${unfinished} times`,
    );
    assert.ok(KILLS < 30 || seen.applying > 0);
  });
});

interface Writer {
  readonly child: ChildProcess;
  readonly ready: Promise<unknown>;
  /** The moment of the kill: after a number of started steps of a kind. */
  begun(kind: 'b' | 'm', steps: number): Promise<void>;
  said(): string;
}

function start(): Writer {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'writer.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let said = '';
  const ready = once(child.stdout, 'data');
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const begun: Writer['begun'] = async (kind, steps) => {
    while (said.split(kind).length - 1 < steps) await once(child.stdout, 'data');
  };
  return { child, ready, begun, said: () => said };
}

function statesAfter(seed: number, versions: Versions, steps: number): Versions[] {
  const states = [versions];
  const changes = workload(seed, versions);
  for (let i = 0; i < steps; i++) states.push(changes.next().value.versions);
  return states;
}

function hasUnfinished(index: string): boolean {
  const used = new Set(readManifest(index).manifest.segments.map(({ segment }) => segmentFile(segment)));
  return readdirSync(index).some((name) => name.endsWith('.sxs') && !used.has(name));
}

function idsOfVersions(versions: Versions): string[] {
  return [...versions].map(([number, version]) => fileVersion(number, version).id).sort();
}

/** The documents of the index, as a reader sees them before a cleanup. */
async function idsOf(index: string): Promise<string[]> {
  const reader = new EngineReader(index);
  assert.deepEqual(reader.damage, []);
  const ids = reader.segments.flatMap((segment) => {
    const all = Array.from({ length: segment.reader.documents }, (_, document) => document);
    const live = all.filter((document) => !segment.isDeleted(document));
    return live.map((document) => Buffer.from(segment.reader.idOf(document)).toString('hex'));
  });
  reader.close();
  return ids.sort();
}

async function assertWhole(index: string, state: Versions): Promise<void> {
  const engine = Engine.open(index);
  try {
    assert.deepEqual(await engine.verify(), []);
    assert.deepEqual(engine.stats().damage, []);
    assert.deepEqual([...engine.ids()].sort(), idsOfVersions(state));
    const documents = [...state].map(([number, version]) => fileVersion(number, version));
    for (const word of WORDS) {
      const expected = documents.filter(({ content }) => Buffer.from(content).includes(word));
      const found = await engine.search(word, { limit: 1000 });
      assert.deepEqual(found.map(({ id }) => id).sort(), expected.map(({ id }) => id).sort(), word);
    }
    assert.ok(!hasUnfinished(index), 'what the crash left is removed');
  } finally {
    await engine.close();
  }
}
