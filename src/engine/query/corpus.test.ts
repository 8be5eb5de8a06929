import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { times } from '../../../test/support/runs.ts';
import { listSources, readSources } from '../../../test/bench/corpus.ts';
import { assertGolden } from '../../../test/support/golden.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { documentId } from '../documentId.ts';
import { Engine, EngineReader, type EngineDocument } from '../engine.ts';
import { parseQueryLanguage } from './queryLanguage.ts';
import { searchIndexes } from './searchIndexes.ts';
import { SearchMemory } from './searchMemory.ts';

const WORDS = ['lantern', 'harbour', 'index', 'light', 'quay', 'return'] as const;

interface Source {
  readonly folder: string;
  readonly name: string;
  readonly lines: readonly string[];
}

const line = fc.oneof(
  fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }).map((words) => `# ${words.join(' ')}`),
  fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(...WORDS)).map(([a, b]) => `def ${a}_${b}():\n    pass`),
);
const source: fc.Arbitrary<Source> = fc.record({
  folder: fc.constantFrom('a/src', 'a/test', 'b/src', 'b/v1', 'b/v2', 'c'),
  name: fc.tuple(fc.constantFrom(...WORDS), fc.nat(9)).map(([word, n]) => `${word}${n}.py`),
  lines: fc.array(line, { minLength: 1, maxLength: 6 }),
});
const sources = fc.uniqueArray(source, {
  minLength: 1,
  maxLength: 30,
  selector: ({ folder, name }) => `${folder}/${name}`,
});
const query = fc.oneof(
  fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }).map((words) => words.join(' ')),
  fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(...WORDS)).map(([a, b]) => `${a}_${b}`),
  fc.constantFrom('sym:light*', 'lan', 'path:src light', '-quay lantern', 'lang:python', 'ret'),
);

const queries = fc.array(query, { minLength: 3, maxLength: 6 });

function documentOf({ folder, name, lines }: Source): EngineDocument {
  const path = `${folder}/${name}`;
  const content = Buffer.from(lines.join('\n'));
  return { id: documentId(path, content), path, content };
}

describe('a search over several indexes', () => {
  const folder = temporaryFolder();
  /** Number of hits that properties compared. */
  let compared = 0;

  /** Calls `work` with the folder of an index of these documents, after `prepare`. */
  async function indexOf(documents: readonly EngineDocument[], prepare?: (engine: Engine) => Promise<unknown>) {
    const state = folder();
    const engine = Engine.open(state);
    await prepare?.(engine);
    await engine.apply({ add: documents });
    const ids = new Set(documents.map(({ id }) => id));
    await engine.apply({ remove: [...engine.ids()].filter((id) => !ids.has(id)) });
    await engine.close();
    return state;
  }

  async function find(states: readonly string[], queries: readonly string[]): Promise<unknown> {
    const readers = states.map((state) => new EngineReader(state));
    const memory = new SearchMemory();
    const found: unknown[] = [];
    for (const text of queries) {
      const searched = readers.map((index) => ({ index }));
      const options = { limit: 40, explain: true };
      const { hits } = await searchIndexes(searched, parseQueryLanguage(text), options, memory);
      compared += hits.length;
      found.push(hits.map(({ hit }) => hit));
    }
    for (const reader of readers) reader.close();
    return found;
  }

  it('ranks as if all their files were in one', async () => {
    compared = 0;
    await fc.assert(
      fc.asyncProperty(sources, queries, async (list, typed) => {
        const documents = list.map(documentOf);
        const parts = await Promise.all(
          ['a/', 'b/', 'c'].map((outer) => indexOf(documents.filter(({ path }) => path.startsWith(outer)))),
        );
        assert.deepEqual(await find(parts, typed), await find([await indexOf(documents)], typed));
      }),
      { numRuns: times(40) },
    );
    assert.ok(compared > 500, `${compared} hits`);
  });

  it('ranks the same, whatever an index held before', async () => {
    compared = 0;
    await fc.assert(
      fc.asyncProperty(sources, sources, queries, async (list, old, typed) => {
        const documents = list.map(documentOf);
        const aged = await indexOf(documents, async (engine) => {
          for (const one of old) await engine.apply({ add: [documentOf(one)] });
          for (const one of documents.toReversed().slice(0, 5)) await engine.apply({ add: [one] });
        });
        assert.deepEqual(await find([aged], typed), await find([await indexOf(documents)], typed));
      }),
      { numRuns: times(12) },
    );
    assert.ok(compared > 200, `${compared} hits`);
  });

  it('finds a path by a name that only a removed file had', async () => {
    const [document, removed] = ['return_harbour', 'lantern_lantern'].map((name) => {
      return documentOf({ folder: 'a/src', name: 'lantern0.py', lines: [`def ${name}():\n    pass`] });
    });
    const aged = await indexOf([document!], (engine) => engine.apply({ add: [removed!] }));
    assert.deepEqual(await find([aged], ['lantern']), await find([await indexOf([document!])], ['lantern']));
  });

  it('scores the files of the sample as the golden says', async () => {
    const root = join(import.meta.dirname, '../../../test/fixtures/sample');
    const documents = [...readSources(root, listSources(root))].map(({ path, content }): EngineDocument => ({
      id: documentId(path, content),
      path,
      content,
    }));
    const reader = new EngineReader(await indexOf(documents));
    const lines: string[] = [];
    for (const text of [
      'retry a failed payment',
      'where are passwords hashed',
      'nextRetryDelay',
      'next attempt',
      'order',
    ]) {
      lines.push(text);
      for (const { path, score } of await reader.search(text, { limit: 5 }))
        lines.push(`  ${score.toFixed(9)} ${path}`);
    }
    reader.close();
    assertGolden('scores.txt', `${lines.join('\n')}\n`);
  });

  it('gives way to other work, and ends when cancelled', async () => {
    const documents = Array.from({ length: 3_000 }, (_, i) =>
      documentOf({ folder: 'a/src', name: `f${i}.py`, lines: ['def light_quay():', `    return harbour${i}`] }),
    );
    const reader = new EngineReader(await indexOf(documents));
    const cancel = new AbortController();
    let read = 0;
    const running = reader.search('"return harbour"', {
      limit: Infinity,
      signal: cancel.signal,
      readText: () => {
        read++;
        for (const until = performance.now() + 2; performance.now() < until;);
        return 'return harbour';
      },
    });
    while (read === 0) await setImmediate();
    cancel.abort();
    await assert.rejects(running, { code: 'Cancelled' });
    assert.ok(read < 20, `${read} files were read`);
    assert.equal((await reader.search('light quay', { limit: 5 })).length, 5);
    reader.close();
  });

  it('costs nothing where the next search replaces it a turn of the loop later', async () => {
    const documents = Array.from({ length: 20 }, (_, i) =>
      documentOf({ folder: 'a/src', name: `f${i}.py`, lines: ['def light_quay():', `    return harbour${i}`] }),
    );
    const reader = new EngineReader(await indexOf(documents));
    let reads = 0;
    for (const { reader: segment } of reader.segments) {
      const read = segment.read.bind(segment);
      segment.read = (...args) => {
        reads++;
        return read(...args);
      };
    }
    await reader.search('light a harbour of the quay');
    const once = reads;
    assert.ok(once > 0);
    let ended = 0;
    for (let typed = 1; typed < 40; typed++) {
      const cancel = new AbortController();
      const running = reader.search('light a harbour of the quay', { signal: cancel.signal });
      await setImmediate();
      cancel.abort();
      await running.then(
        () => ended++,
        () => undefined,
      );
    }
    assert.deepEqual([reads, ended], [once, 0]);
    const { length } = await reader.search('light a harbour of the quay', { signal: new AbortController().signal });
    assert.deepEqual([length, reads], [10, 2 * once]);
    reader.close();
  });

  it('reads no more text than it may, and reports that it stopped', async () => {
    const list = Array.from({ length: 50 }, (_, i): Source => ({ folder: 'c', name: `f${i}.py`, lines: ['# quay'] }));
    const index = new EngineReader(await indexOf(list.map(documentOf)));
    const readText = (): string => '# quay'.padEnd(100);
    const find = async (maxText?: number): Promise<[number, boolean]> => {
      const options = { limit: 99, ...(maxText !== undefined && { maxText }) };
      const searched = [{ index, readText }];
      const found = await searchIndexes(searched, parseQueryLanguage('"# quay"'), options, new SearchMemory());
      return [found.hits.length, found.isPartial];
    };
    assert.deepEqual(
      [await find(1_000), await find(5_000), await find()],
      [
        [10, true],
        [50, false],
        [50, false],
      ],
    );
    index.close();
  });
});
