import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { Engine, EngineReader } from '../../src/engine/engine.ts';
import { folderOfTest } from '../support/temporary.ts';
import { chooseSeed, keepForInspection, seeded } from './truth.ts';
import { WORDS, fileVersion, workload, type Versions } from './workload.ts';
import type { Order } from './writer.ts';

const PAUSES = Number(process.env.SEXTANT_FAULT_KILLS ?? 4);
const MOST_STEPS = 8;
const STEP_MS = 12;
const HEIR_STEPS = 4;

describe('An index whose writer is paused, loses its lease and resumes', () => {
  const folder = folderOfTest();
  // A second attempt starts from nothing.

  it('holds what the next owner makes of the last acknowledged commit or the one under way', async function () {
    if (process.platform === 'win32') {
      console.log('      skipped: Windows cannot pause a process');
      this.skip();
    }
    this.timeout(PAUSES * 600_000 + 600_000);
    const first = chooseSeed();
    console.log(`      ${PAUSES} pauses from seed ${first}`);
    const index = join(folder(), 'index');
    mkdirSync(index);
    let versions: Versions = new Map();
    for (let pause = 0; pause < PAUSES; pause++) {
      const seed = first + pause;
      try {
        versions = await pauseOnce(index, seed, versions);
      } catch (error) {
        const kept = keepForInspection(index, 'pause');
        throw new Error(`Pause ${pause} of SEXTANT_FAULT_SEED=${first}; the index is in ${kept}`, { cause: error });
      }
    }
  });
});

async function pauseOnce(index: string, seed: number, versions: Versions): Promise<Versions> {
  const random = seeded(seed + 2);
  const child = spawn(process.execPath, [join(import.meta.dirname, 'sleeper.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const count = (word: string): number => said.split(word).length - 1;
  try {
    await once(child.stdout, 'data');
    child.stdin.end(`${JSON.stringify({ folder: index, seed, versions: [...versions] } satisfies Order)}\n`);
    const steps = 1 + Math.floor(random() * MOST_STEPS);
    while (count('b') < steps) await once(child.stdout, 'data');
    await new Promise((resolve) => setTimeout(resolve, random() * STEP_MS));
    child.kill('SIGSTOP');
    silence(index);

    const heir = Engine.open(index);
    const inherited = [...heir.ids()].sort();
    // The pipe may hold output from before the pause.
    await new Promise((resolve) => setImmediate(resolve));
    const acknowledged = count('e');
    const states = statesAfter(seed, versions, acknowledged + 2);
    const at = states.findLastIndex((state) => String(idsOf(state)) === String(inherited));
    assert.ok(at >= acknowledged, `${acknowledged} commits were acknowledged, and the heir read commit ${at}`);

    let state = states[at]!;
    const changes = workload(seed + 3, state);
    for (let step = 0; step < HEIR_STEPS; step++) {
      const { add, remove, versions: next } = changes.next().value;
      if (step === 1) child.kill('SIGCONT');
      await heir.apply({ add, remove });
      state = next;
    }
    const [code] = (await exit) as [number | null];
    assert.deepEqual([code, said.at(-1)], [0, 'x'], 'it stops when it has lost the index');
    assert.ok(count('e') <= at, `it acknowledged ${count('e')} commits, and the heir has read ${at}`);

    assert.deepEqual(await heir.verify(), []);
    await heir.settle();
    await assertIs(heir, state);
    const reader = new EngineReader(index);
    assert.deepEqual(reader.damage, []);
    assert.deepEqual([...reader.documents()].map(([, id]) => id).sort(), idsOf(state));
    reader.close();
    await heir.close();
    const again = Engine.open(index);
    assert.deepEqual(again.damage, []);
    await assertIs(again, state);
    await again.close();
    return state;
  } finally {
    child.kill('SIGKILL');
    await exit;
  }
}

/** Makes the owner's heartbeat look an hour old. */
function silence(index: string): void {
  const longAgo = new Date(Date.now() - 3_600_000);
  for (const name of readdirSync(index)) if (name.endsWith('.lock')) utimesSync(join(index, name), longAgo, longAgo);
}

function statesAfter(seed: number, versions: Versions, steps: number): Versions[] {
  const states = [versions];
  const changes = workload(seed, versions);
  for (let i = 0; i < steps; i++) states.push(changes.next().value.versions);
  return states;
}

function idsOf(versions: Versions): string[] {
  return [...versions].map(([number, version]) => fileVersion(number, version).id).sort();
}

/** Whether it answers like an index of these documents only. */
async function assertIs(engine: Engine, versions: Versions): Promise<void> {
  assert.deepEqual([...engine.ids()].sort(), idsOf(versions));
  const documents = [...versions].map(([number, version]) => fileVersion(number, version));
  for (const word of WORDS) {
    const expected = documents.filter(({ content }) => Buffer.from(content).includes(word));
    const found = await engine.search(word, { limit: 1000 });
    assert.deepEqual(found.map(({ id }) => id).sort(), expected.map(({ id }) => id).sort(), word);
  }
}
