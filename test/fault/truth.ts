import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { documentId, type DocumentId } from '../../src/engine/documentId.ts';
import { Engine, EngineReader, type EngineDocument } from '../../src/engine/engine.ts';
import type { Damage } from '../../src/engine/index/damage.ts';

/** Random numbers from 0 to 1 that a seed repeats (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The seed that `SEXTANT_FAULT_SEED` names, or a new one. */
export function chooseSeed(): number {
  const named = process.env.SEXTANT_FAULT_SEED;
  return named === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(named);
}

export function document(path: string, text: string): EngineDocument {
  const content = Buffer.from(text);
  return { id: documentId(path, content), path, content };
}

/** A folder in memory if possible: thousands of indexes are created and synced. */
export function fastFolder(): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'sextant-fault-'));
}

/** The files of an index, without locks. */
export function filesOf(folder: string): Map<string, Buffer> {
  const names = readdirSync(folder).filter((name) => !name.endsWith('.lock'));
  return new Map(names.map((name) => [name, readFileSync(join(folder, name))]));
}

export function restore(folder: string, files: ReadonlyMap<string, Buffer>): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
}

type Answers = Map<string, Map<DocumentId, string>>;

/** The documents and answers of an undamaged index. */
export class Truth {
  readonly documents: ReadonlyMap<DocumentId, EngineDocument>;
  readonly #queries: readonly string[];
  #answers: Answers = new Map();

  private constructor(documents: readonly EngineDocument[], queries: readonly string[]) {
    this.documents = new Map(documents.map((one) => [one.id, one]));
    this.#queries = queries;
  }

  static async of(folder: string, documents: readonly EngineDocument[], queries: readonly string[]): Promise<Truth> {
    const truth = new Truth(documents, queries);
    truth.#answers = await truth.#ask(folder);
    for (const [query, hits] of truth.#answers) assert.ok(hits.size > 0, `"${query}" should find something`);
    return truth;
  }

  /**
   * Opens a damaged index as a reader and as the writer: neither may fail, return a wrong result, or
   * hide a loss; and once the lost documents are added again the index must equal the original. If nothing may be
   * lost, it must be equal at once.
   */
  async check(folder: string, isDamaged: boolean, mayLose = true): Promise<readonly Damage[]> {
    const assertRight = (answers: Answers): void => {
      if (mayLose) this.#assertSubset(answers);
      else assert.deepEqual(answers, this.#answers);
    };
    assertRight(await this.#ask(folder));

    const said: string[] = [];
    const ignore = (): void => undefined;
    const logger = { debug: ignore, info: ignore, error: ignore, warn: (text: string) => void said.push(text) };
    const engine = Engine.open(folder, { logger });
    try {
      assertRight(await this.#answersOf(engine));
      await engine.verify();
      const { damage } = engine.stats();
      assert.equal(damage.length > 0, isDamaged, 'damage is reported if and only if there is any');
      assert.equal(said.length, damage.length, said.join('\n'));
      for (const id of engine.ids()) assert.ok(this.documents.has(id), 'a removed document is back');
      const lost = [...this.documents.values()].filter(({ id }) => !engine.has(id));
      const reported = damage.map(({ documents }) => documents);
      if (!reported.includes(undefined)) assert.equal(lost.length, sum(reported), 'the reported number is lost');
      assertRight(await this.#answersOf(engine));
      assert.ok(mayLose || lost.length === 0, 'something is lost');

      await engine.apply({ add: lost });
      await engine.settle();
      assert.deepEqual(await engine.verify(), []);
      assert.deepEqual([...engine.ids()].sort(), [...this.documents.keys()].sort());
      assert.deepEqual(await this.#answersOf(engine), this.#answers);
      return damage;
    } finally {
      await engine.close();
    }
  }

  async #ask(folder: string): Promise<Answers> {
    const reader = new EngineReader(folder);
    try {
      return await this.#answersOf(reader);
    } finally {
      reader.close();
    }
  }

  async #answersOf(index: Pick<Engine, 'search'>): Promise<Answers> {
    const answers: Answers = new Map();
    for (const query of this.#queries) {
      const hits = await index.search(query, { limit: 10_000 });
      // Scores depend on how many other documents there are.
      answers.set(query, new Map(hits.map(({ score: _, ...hit }) => [hit.id, JSON.stringify(hit)] as const).sort()));
      assert.equal(answers.get(query)!.size, hits.length, 'a document is found twice');
    }
    return answers;
  }

  #assertSubset(answers: Answers): void {
    for (const [query, hits] of answers) {
      for (const [id, hit] of hits)
        assert.equal(hit, this.#answers.get(query)!.get(id), `a wrong answer to "${query}"`);
    }
  }
}

function sum(numbers: readonly (number | undefined)[]): number {
  return numbers.reduce<number>((total, number) => total + (number ?? 0), 0);
}

const WORDS = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'heron'];

/** An index of a few files – three segments, two of them with removed documents – and the truth about it. */
export async function smallIndex(folder: string): Promise<Truth> {
  const random = seeded(7);
  const words = (count: number): string => {
    return Array.from({ length: count }, () => WORDS[Math.floor(random() * WORDS.length)]!).join(' ');
  };
  const texts = Array.from({ length: 18 }, (_, i) => {
    return document(`src/part${i % 3}/file${i}.ts`, `export function lightLantern${i}() {\n  // ${words(12)}\n}\n`);
  });
  const engine = Engine.open(folder);
  await engine.apply({ add: texts.slice(0, 8) });
  await engine.apply({ add: texts.slice(8, 14), remove: [texts[1]!.id, texts[5]!.id] });
  await engine.apply({ add: texts.slice(14), remove: [texts[9]!.id] });
  await engine.settle();
  assert.equal(engine.stats().segments, 3);
  await engine.close();
  const left = texts.filter((_, i) => ![1, 5, 9].includes(i));
  const queries = [
    'lightLantern3',
    'file12',
    'part2',
    'light lantern',
    'sym:lightLantern1*',
    'amber -birch path:part1',
  ];
  return Truth.of(folder, left, [...WORDS, ...queries]);
}

export function keepForInspection(folder: string, name: string): string {
  const kept = join(import.meta.dirname, '../../out/fault', name);
  rmSync(kept, { recursive: true, force: true });
  cpSync(folder, kept, { recursive: true });
  return kept;
}
