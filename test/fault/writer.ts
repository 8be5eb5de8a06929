// A process to kill: applies the workload of its input, and prints each started and finished step.
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Engine } from '../../src/engine/engine.ts';
import { seeded } from './truth.ts';
import { workload } from './workload.ts';

export interface Order {
  readonly folder: string;
  readonly seed: number;
  readonly versions: readonly (readonly [number, number])[];
}

// Written synchronously, or a kill would lose it.
const say = (word: string): void => void writeSync(1, word);

say('r');
for await (const line of createInterface(process.stdin)) {
  const { folder, seed, versions } = JSON.parse(line) as Order;
  const random = seeded(seed + 1);
  let engine = Engine.open(folder);
  say('o');
  for (const { add, remove } of workload(seed, new Map(versions))) {
    say('b');
    await engine.apply({ add, remove });
    say('e');
    const what = random();
    if (engine.stats().segments >= 8) {
      say('m');
      await engine.settle();
      say('s');
    } else if (what < 0.1) await engine.verify();
    else if (what < 0.2) {
      await engine.close();
      engine = Engine.open(folder);
    }
  }
}
