import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { documentId } from '../documentId.ts';
import { Engine, EngineReader, type EngineDocument } from '../engine.ts';
import { Field, hashTerm, type TermHash } from './format.ts';
import { Postings } from './postings.ts';
import { SegmentThreads } from './segmentThreads.ts';

describe('SegmentThreads', () => {
  const folder = temporaryFolder();
  const made: SegmentThreads[] = [];
  afterEach(async () => {
    for (const threads of made.splice(0)) await threads.close();
  });

  /** Threads that start at once. */
  function eager(count = 2): SegmentThreads {
    const threads = new SegmentThreads({ count, bytesBeforeStart: 0 });
    made.push(threads);
    return threads;
  }

  function document(path: string, text: string | Uint8Array): EngineDocument {
    const content = Buffer.from(text);
    return { id: documentId(path, content), path, content };
  }

  const WORDS = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'heath', 'inlet', 'jetty'];

  /** About 6 MB in `count` documents, so that several batches are under way at once. */
  function* code(count = 1500): Generator<EngineDocument> {
    for (let i = 0; i < count; i++) {
      const lines = Array.from({ length: 60 }, (_, line) => {
        const [one, other] = [WORDS[(i + line) % 10]!, WORDS[(i * 7 + line * 3) % 10]!];
        return `  const ${one}${i % 97}_${other} = find${line % 13}Node('${other}', ${line * i}); // größe ${one}`;
      });
      yield document(
        `src/${WORDS[i % 10]!}/file${i}.ts`,
        `export function make${i}Thing() {\n${lines.join('\n')}\n}\n`,
      );
      if (i % 100 === 0) yield document(`bin/${i}.bin`, Buffer.from([1, 0, i & 255]));
    }
  }

  async function withEngine<T>(
    state: string,
    threads: SegmentThreads | undefined,
    work: (engine: Engine) => Promise<T>,
  ): Promise<T> {
    const engine = Engine.open(state, threads && { threads });
    try {
      return await work(engine);
    } finally {
      await engine.close();
    }
  }

  /** What an index holds, whichever segments it is in: ranking looks at the best of each segment and so may depend on that. */
  function content(state: string): unknown {
    const reader = new EngineReader(state);
    const { documents, chunks, contentBytes, languages } = reader.stats();
    const postings: string[] = [];
    const definitions: string[] = [];
    const names = new Set<string>();
    const list = new Postings();
    const term: TermHash = { bucket: 0, key: 0 };
    for (const { reader: segment } of reader.segments) {
      for (const field of Object.values(Field)) {
        for (const word of [...WORDS, 'größe', 'make17thing', 'file93', 'find', 'amber35birch', 'fresh', 'src', 'ts']) {
          hashTerm(field, word, term);
          list.clear();
          segment.read(term, list);
          for (let i = 0; i < list.length; i++) {
            const document = segment.documentOf(list.chunks[i]!);
            const place = list.chunks[i]! - segment.firstChunk[document]!;
            postings.push(`${field} ${word} ${segment.pathOf(document)} ${place} ${list.frequencies[i]}`);
          }
        }
      }
      for (let document = 0; document < segment.documents; document++) {
        const id = Buffer.from(segment.idOf(document)).toString('hex');
        const found = JSON.stringify(segment.definitionsOf(document));
        definitions.push([id, segment.pathOf(document), segment.linesOf(document), found].join(' '));
      }
      for (const name of segment.namesMatching(() => true, Infinity)) names.add(name);
    }
    reader.close();
    return {
      documents,
      chunks,
      contentBytes,
      languages,
      postings: postings.sort(),
      definitions: definitions.sort(),
      names,
    };
  }

  it('build the same index as without them', async () => {
    const [alone, together] = await Promise.all(
      [undefined, eager()].map(async (threads) => {
        const state = folder();
        return withEngine(state, threads, async (engine) => {
          const applied = await engine.apply({ add: code() });
          // One that is there already, one that is given twice, one that is large, and one that is empty.
          const large = document('large.ts', 'const amber = birch;\n'.repeat(80_000));
          const more = [document('a.ts', 'fresh'), document('a.ts', 'fresh'), large, document('empty.ts', '')];
          const again = await engine.apply({ add: [...more, ...code(3)] });
          assert.deepEqual(
            (await engine.search('fresh')).map(({ path }) => path),
            ['a.ts'],
          );
          return { applied, again, ids: [...engine.ids()].sort(), content: content(state) };
        });
      }),
    );
    assert.equal(together!.ids.length, 1503);
    assert.deepEqual(together, alone);
  });

  it('are started by a large apply only, and end when they are idle', async () => {
    const threads = new SegmentThreads({ count: 1 });
    made.push(threads);
    await withEngine(folder(), threads, (engine) => engine.apply({ add: code(500) }));
    assert.equal(threads.areRunning, false);
    const ready = eager(1);
    await withEngine(folder(), ready, (engine) => engine.apply({ add: code(10) }));
    assert.equal(ready.areRunning, true);
    const isRunning = (): boolean => ready.areRunning;
    while (isRunning()) await setTimeout(50);
  });

  it('leave everything as it was when an apply is cancelled or its documents end in an error', async () => {
    const state = folder();
    const threads = eager();
    await withEngine(state, threads, async (engine) => {
      await engine.apply({ add: [document('a.ts', 'lantern')] });
      const before = readdirSync(state).sort();
      const controller = new AbortController();
      function* cancelled(): Generator<EngineDocument> {
        yield* code(1000);
        controller.abort();
        yield document('b.ts', 'harbour');
      }
      function* failing(): Generator<EngineDocument> {
        yield* code(1000);
        throw new Error('the disk is gone');
      }
      await assert.rejects(engine.apply({ add: cancelled() }, controller.signal), { code: 'Cancelled' });
      await assert.rejects(engine.apply({ add: failing() }), /the disk is gone/);
      assert.deepEqual(readdirSync(state).sort(), before);
      // Nothing of what was given up is left in the threads.
      await engine.apply({ add: [document('c.ts', 'harbour')] });
      assert.deepEqual(
        (await engine.search('harbour')).map(({ path }) => path),
        ['c.ts'],
      );
      assert.equal(engine.stats().documents, 2);
    });
  });

  it('that die fail the apply, which leaves the index as it was; the next one has others', async () => {
    const state = folder();
    const threads = eager();
    await withEngine(state, threads, async (engine) => {
      await engine.apply({ add: [document('a.ts', 'lantern')] });
      const before = readdirSync(state).sort();
      async function* dying(): AsyncGenerator<EngineDocument> {
        yield* code(1000);
        await threads.close();
        yield* code(1100);
      }
      await assert.rejects(engine.apply({ add: dying() }), { code: 'ThreadDied' });
      assert.deepEqual(readdirSync(state).sort(), before);
      assert.equal((await engine.apply({ add: code(1000) })).added, 1000);
      assert.equal(engine.stats().documents, 1001);
    });
  });

  it('leave segments that are merged once no further large apply comes', async () => {
    await withEngine(folder(), eager(), async (engine) => {
      for (let round = 0; round < 8; round++) {
        const documents = [...code(1000)].map(({ path, content }) => document(`${round}/${path}`, content));
        await engine.apply({ add: documents });
      }
      await engine.settle();
      const { documents, segments } = engine.stats();
      assert.ok(segments < 8, `${segments} segments`);
      assert.equal(documents, 8000);
    });
  });

  it('report their errors with the system’s code', async () => {
    const state = folder();
    const [thread] = eager(1).acquire();
    const text = new SharedArrayBuffer(8);
    const id = documentId('a', new Uint8Array(8));
    await thread!.add({ text, documents: [{ id, path: 'a', start: 0, end: 8 }], file: `${state}/none/s.sxs` });
    await assert.rejects(thread!.write(`${state}/none/s.sxs`), { code: 'ENOENT' });
  });

  it('serve one apply at a time; another does its work alone', async () => {
    const threads = eager();
    const counts = await Promise.all(
      [1, 2, 3].map(() =>
        withEngine(folder(), threads, async (engine) => {
          await engine.apply({ add: code(600) });
          return engine.stats().documents;
        }),
      ),
    );
    assert.deepEqual(counts, [600, 600, 600]);
  });
});
