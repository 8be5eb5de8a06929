// A process to pause: applies the workload of its input until it loses the index, and prints each started and finished step.
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { SextantError } from '../../src/base/errors.ts';
import { Engine } from '../../src/engine/engine.ts';
import { workload } from './workload.ts';
import type { Order } from './writer.ts';

const say = (word: string): void => void writeSync(1, word);

say('r');
for await (const line of createInterface(process.stdin)) {
  const { folder, seed, versions } = JSON.parse(line) as Order;
  const engine = Engine.open(folder);
  say('o');
  try {
    for (const { add, remove } of workload(seed, new Map(versions))) {
      say('b');
      await engine.apply({ add, remove });
      say('e');
    }
  } catch (error) {
    if (!(error instanceof SextantError) || error.code !== 'LeaseLost') throw error;
  }
  await engine.close();
  say('x');
  break;
}
