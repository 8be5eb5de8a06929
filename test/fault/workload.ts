import type { DocumentId } from '../../src/engine/documentId.ts';
import type { EngineDocument } from '../../src/engine/engine.ts';
import { document, seeded } from './truth.ts';

export const WORDS = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'heron'];
const NAMES = 120;

/** The state of a folder: the version of each existing file, by the file's number. */
export type Versions = ReadonlyMap<number, number>;

export interface Step {
  readonly add: readonly EngineDocument[];
  readonly remove: readonly DocumentId[];
  /** The state after it. */
  readonly versions: Versions;
}

/** The document of a file's version, which is the same in every process. */
export function fileVersion(number: number, version: number): EngineDocument {
  const random = seeded(number * 7919 + version);
  const count = 3 + Math.floor(random() * 60);
  const words = Array.from({ length: count }, () => WORDS[Math.floor(random() * WORDS.length)]!);
  return document(`src/file${number}.ts`, `function file${number}v${version}() {\n  // ${words.join(' ')}\n}\n`);
}

/** Endless random changes, repeatable by seed: few or many files appear, change and disappear at once. */
export function* workload(seed: number, start: Versions): Generator<Step, never, void> {
  const random = seeded(seed);
  let versions = start;
  for (;;) {
    const next = new Map(versions);
    const size = random() < 0.1 ? 80 : 8;
    for (let i = Math.floor(random() * size); i > 0; i--) {
      const number = Math.floor(random() * NAMES);
      if (random() < 0.3) next.delete(number);
      else next.set(number, Math.floor(random() * 1_000_000));
    }
    const add = [...next].filter(([number, version]) => versions.get(number) !== version);
    const gone = [...versions].filter(([number, version]) => next.get(number) !== version);
    versions = next;
    yield {
      add: add.map(([number, version]) => fileVersion(number, version)),
      remove: gone.map(([number, version]) => fileVersion(number, version).id),
      versions,
    };
  }
}
