import { rmSync } from 'node:fs';
import {
  chooseSeed,
  fastFolder,
  filesOf,
  keepForInspection,
  restore,
  seeded,
  smallIndex,
  type Truth,
} from './truth.ts';

const SECONDS = Number(process.env.SEXTANT_FUZZ_SECONDS ?? 4);

type Files = Map<string, Buffer>;

/** One kind of damage that disks, crashes, backups and people cause. */
type Mishap = (files: Files, name: string, random: () => number) => void;

const MISHAPS: Readonly<Record<string, Mishap>> = {
  'is cut': (files, name, random) => {
    const whole = files.get(name)!;
    files.set(name, whole.subarray(0, Math.floor(random() * whole.length)));
  },
  'is missing': (files, name) => void files.delete(name),
  'goes on': (files, name, random) => {
    files.set(name, Buffer.concat([files.get(name)!, garbage(1 + random() * 200, random)]));
  },
  'is garbage': (files, name, random) => void files.set(name, garbage(random() * 4000, random)),
  'has a hole of zeros': (files, name, random) => {
    const [bytes, from, to] = stretch(files.get(name)!, random);
    files.set(name, bytes.fill(0, from, to));
  },
  'has garbage inside': (files, name, random) => {
    const [bytes, from, to] = stretch(files.get(name)!, random);
    bytes.set(garbage(to - from, random), from);
    files.set(name, bytes);
  },
  'lacks a stretch': (files, name, random) => {
    const [bytes, from, to] = stretch(files.get(name)!, random);
    files.set(name, Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]));
  },
  'is another file': (files, name, random) => {
    files.set(name, [...files.values()][Math.floor(random() * files.size)]!);
  },
};

function garbage(length: number, random: () => number): Buffer {
  return Buffer.from(Array.from({ length: Math.floor(length) }, () => random() * 256));
}

function stretch(whole: Buffer, random: () => number): [bytes: Buffer, from: number, to: number] {
  const from = Math.floor(random() * whole.length);
  return [Buffer.from(whole), from, Math.min(whole.length, from + 1 + Math.floor(random() * 600))];
}

describe('An index after random operations and faults', () => {
  const folder = fastFolder();
  let truth: Truth;
  let whole: Files;

  before(async () => {
    truth = await smallIndex(folder);
    whole = filesOf(folder);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('gives no wrong answer, and is complete when lost documents are added again', async function () {
    this.timeout(SECONDS * 1000 + 600_000);
    const seed = chooseSeed();
    const end = performance.now() + SECONDS * 1000;
    let rounds = 0;
    for (; performance.now() < end; rounds++) {
      const random = seeded(seed + rounds);
      const files = new Map(whole);
      const done: string[] = [];
      do {
        const names = [...files.keys()];
        const name = names[Math.floor(random() * names.length)];
        const kinds = Object.keys(MISHAPS);
        const kind = kinds[Math.floor(random() * kinds.length)]!;
        if (name === undefined) break;
        MISHAPS[kind]!(files, name, random);
        done.push(`${name} ${kind}`);
      } while (random() < 0.4);
      restore(folder, files);
      try {
        await truth.check(folder, isDamaged(files, whole));
      } catch (error) {
        restore(folder, files);
        const kept = keepForInspection(folder, 'fuzz');
        const repeat = `SEXTANT_FAULT_SEED=${seed + rounds}`;
        throw new Error(`${repeat}: ${done.join(', ')}; the index is in ${kept}`, { cause: error });
      }
    }
    console.log(`      ${rounds} mishaps from seed ${seed}`);
  });
});

/** Whether a file is altered or missing, so that the index is damaged; a manifest may be missing if its copy is intact. */
function isDamaged(files: Files, whole: Files): boolean {
  const manifests = ['manifest.1.json', 'manifest.1.copy.json'];
  if (!manifests.some((name) => files.has(name))) return true;
  return [...whole].some(([name, bytes]) => !(files.get(name)?.equals(bytes) ?? manifests.includes(name)));
}
