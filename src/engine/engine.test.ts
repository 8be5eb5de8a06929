import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { runs } from '../../test/support/runs.ts';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { documentId } from './documentId.ts';
import { Engine, EngineReader, type EngineDocument } from './engine.ts';

function document(path: string, text: string): EngineDocument {
  const content = Buffer.from(text);
  return { id: documentId(path, content), path, content };
}

async function paths(engine: Pick<Engine, 'search'>, query: string, limit = 1000): Promise<string[]> {
  return (await engine.search(query, { limit })).map((hit) => hit.path).sort();
}

describe('Engine', () => {
  const folder = temporaryFolder();

  async function withEngine<T>(state: string, work: (engine: Engine) => Promise<T>): Promise<T> {
    const engine = Engine.open(state);
    try {
      return await work(engine);
    } finally {
      await engine.close();
    }
  }

  it('finds added documents by word, by stem, by name and by path', async () => {
    await withEngine(folder(), async (engine) => {
      await engine.apply({
        add: [
          document('src/pool.ts', 'export class ConnectionPool {\n  acquire() {}\n}\n'),
          document('src/other.ts', 'const unrelated = 1;\n'),
        ],
      });
      for (const query of ['connection', 'connections', 'ConnectionPool', 'connection_pool', 'pool', 'acquiring']) {
        assert.deepEqual(await paths(engine, query), ['src/pool.ts'], query);
      }
      const [hit] = await engine.search('ConnectionPool');
      assert.deepEqual([hit?.startLine, hit?.endLine, hit?.symbol?.kind], [1, 3, 'class']);
    });
  });

  it('refuses a limit that is no count of hits, and to search once it is closed', async () => {
    const engine = Engine.open(folder());
    await engine.apply({ add: ['one', 'two', 'three'].map((name) => document(`${name}.txt`, 'lantern\n')) });
    for (const limit of [NaN, -1, 1.5, -Infinity]) {
      await assert.rejects(engine.search('lantern', { limit }), { code: 'InvalidLimit' }, `${limit}`);
    }
    const counts: number[] = [];
    for (const limit of [0, 2, 5, Infinity]) counts.push((await engine.search('lantern', { limit })).length);
    assert.deepEqual(counts, [0, 2, 3, 3]);
    await engine.close();
    await assert.rejects(engine.search('lantern'), { code: 'IndexClosed' });
  });

  it('makes the changes that were begun before it is closed', async () => {
    const state = folder();
    const engine = Engine.open(state);
    const applied = ['one', 'two'].map((name) => engine.apply({ add: [document(`${name}.txt`, 'lantern\n')] }));
    const [results] = await Promise.all([Promise.all(applied), engine.close()]);
    assert.deepEqual(
      results.map(({ added }) => added),
      [1, 1],
    );
    await withEngine(state, async (again) => assert.equal(again.stats().documents, 2));
  });

  it('refuses an id that is no hash, and leaves the index as it was', async () => {
    await withEngine(folder(), async (engine) => {
      const [first, last] = [document('one.txt', 'lantern\n'), document('two.txt', 'lantern\n')];
      const ids = ['my-document', 'abc', '', first.id.toUpperCase(), `${first.id}00`];
      for (const id of ids)
        await assert.rejects(engine.apply({ add: [first, { ...last, id }, last] }), { code: 'InvalidId' }, id);
      assert.deepEqual([...engine.ids()], []);
      const reader = new EngineReader(folder());
      for (const id of ids) assert.throws(() => reader.setOverlay([{ ...last, id }]), { code: 'InvalidId' }, id);
      reader.close();
    });
  });

  it('returns the document of a path in the newest commit', async () => {
    const state = folder();
    const [old, now] = [document('src/pool.ts', 'one\n'), document('src/pool.ts', 'two\n')];
    await withEngine(state, async (engine) => {
      await engine.apply({ add: [old, document('src/pool.tsx', 'three\n')] });
      const reader = new EngineReader(state);
      assert.deepEqual([reader.find('src/pool.ts'), reader.find('pool.ts')], [old.id, undefined]);
      await engine.apply({ add: [now], remove: [old.id] });
      reader.refresh();
      assert.equal(reader.find('src/pool.ts'), now.id);
      await engine.apply({ remove: [now.id] });
      reader.refresh();
      assert.equal(reader.find('src/pool.ts'), undefined);
      reader.close();
    });
  });

  it('keeps its documents across closing, and reads none again', async () => {
    const state = folder();
    await withEngine(state, async (engine) => {
      await engine.apply({ add: [document('a.ts', 'lantern'), document('b.ts', 'harbour')] });
    });
    await withEngine(state, async (engine) => {
      assert.deepEqual(await paths(engine, 'lantern'), ['a.ts']);
      const again = await engine.apply({ add: [document('a.ts', 'lantern')] });
      assert.deepEqual(again, { added: 0, reused: 0, removed: 0, binary: [] });
      assert.equal(engine.stats().generation, 2);
    });
  });

  it('does not analyse recently removed documents again, also after merges and a restart', async () => {
    const state = folder();
    const branch = (name: string): EngineDocument[] =>
      Array.from({ length: 40 }, (_, i) => document(`${i}.ts`, `lantern ${name} ${i}`));
    const main = branch('main');
    const other = branch('other');
    const ids = (documents: readonly EngineDocument[]): string[] => documents.map(({ id }) => id);
    await withEngine(state, async (engine) => {
      await engine.apply({ add: main });
      await engine.apply({ add: other, remove: ids(main) });
      for (let i = 0; i < 20; i++) await engine.apply({ add: [document(`new${i}.ts`, 'harbour')] });
      await engine.settle();
      assert.ok(engine.stats().segments < 10);
      const { added, reused, removed } = await engine.apply({ add: main, remove: ids(other) });
      assert.deepEqual([added, reused, removed], [40, 40, 40]);
      assert.equal((await paths(engine, 'main')).length, 40);
      assert.deepEqual(await paths(engine, 'other'), []);
    });
    await withEngine(state, async (engine) => {
      const { reused } = await engine.apply({ add: other, remove: ids(main) });
      assert.equal(reused, 40);
      assert.deepEqual(await paths(engine, 'main'), []);
      assert.equal((await paths(engine, 'other')).length, 40);
    });
  });

  it('does not keep removed documents for ever', async () => {
    const state = folder();
    await withEngine(state, async (engine) => {
      for (let version = 0; version < 40; version++) {
        const add = Array.from({ length: 100 }, (_, i) => document(`${i}.ts`, `lantern${version} of ${i}`));
        await engine.apply({ add, remove: [...engine.ids()] });
      }
      await engine.settle();
      const bytes = readdirSync(state).reduce((sum, name) => sum + statSync(join(state, name)).size, 0);
      // 100 documents, and 1,000 removed ones: 4,000 were made.
      assert.equal(engine.stats().documents, 100);
      assert.ok(
        bytes < 2 * (await sizeOf(Array.from({ length: 1100 }, (_, i) => document(`${i}.ts`, `lantern${i} of`)))),
      );
    });
  });

  async function sizeOf(add: readonly EngineDocument[]): Promise<number> {
    const state = folder();
    await withEngine(state, async (engine) => {
      await engine.apply({ add });
    });
    return readdirSync(state).reduce((sum, name) => sum + statSync(join(state, name)).size, 0);
  }

  it('agrees with a naive model through any sequence of changes, merges and reopenings', async () => {
    const words = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord'];
    const text = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 5 }).map((list) => list.join(' '));
    const change = fc.record({
      add: fc.array(fc.tuple(fc.nat({ max: 30 }), text), { maxLength: 4 }),
      remove: fc.array(fc.nat({ max: 30 }), { maxLength: 3 }),
      reopen: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 24 }), async (changes) => {
        const state = folder();
        const model = new Map<string, EngineDocument>();
        let engine = Engine.open(state);
        try {
          for (const { add, remove, reopen } of changes) {
            const gone: string[] = [];
            const added: EngineDocument[] = [];
            for (const number of remove) {
              const old = model.get(`${number}.txt`);
              if (old) gone.push(old.id);
              model.delete(`${number}.txt`);
            }
            for (const [number, content] of add) {
              const next = document(`${number}.txt`, content);
              const old = model.get(next.path);
              if (old) gone.push(old.id);
              added.push(next);
              model.set(next.path, next);
            }
            // The same path twice in one change: only the last is left.
            const last = added.filter((one) => model.get(one.path)?.id === one.id);
            await engine.apply({ add: last, remove: gone });
            if (reopen) {
              await engine.close();
              engine = Engine.open(state);
            }
          }
          await engine.settle();
          assert.deepEqual([...engine.ids()].sort(), [...model.values()].map(({ id }) => id).sort());
          for (const word of words) {
            const expected = [...model.values()].filter(({ content }) => Buffer.from(content).includes(word));
            assert.deepEqual(await paths(engine, word), expected.map(({ path }) => path).sort());
            const within = new Set(expected.slice(0, 2).map(({ id }) => id));
            const found = await engine.search(word, { within, limit: 1000 });
            assert.deepEqual(found.map(({ id }) => id).sort(), [...within].sort());
          }
        } finally {
          await engine.close();
        }
      }),
      { numRuns: runs(60) },
    );
  });

  it('merges small segments, so that a thousand edits do not leave a thousand files', async () => {
    const state = folder();
    await withEngine(state, async (engine) => {
      for (let i = 0; i < 100; i++)
        await engine.apply({ add: [document(`f${i}.ts`, `export const value${i} = shared;`)] });
      await engine.settle();
      assert.ok(engine.stats().segments < 16, `${engine.stats().segments} segments`);
      assert.equal((await paths(engine, 'shared')).length, 100);
    });
    assert.ok(readdirSync(state).length < 20);
  });

  it('leaves everything as it was when a change is cancelled or fails midway', async () => {
    const state = folder();
    await withEngine(state, async (engine) => {
      await engine.apply({ add: [document('a.ts', 'lantern')] });
      const before = readdirSync(state).sort();
      const controller = new AbortController();
      function* endless(): Generator<EngineDocument> {
        for (let i = 0; ; i++) {
          if (i === 50) controller.abort();
          yield document(`x${i}.ts`, `harbour ${i}`);
        }
      }
      const remove = [document('a.ts', 'lantern').id];
      await assert.rejects(engine.apply({ add: endless(), remove }, controller.signal), { code: 'Cancelled' });
      function* failing(): Generator<EngineDocument> {
        yield document('y.ts', 'harbour');
        throw new Error('the disk is gone');
      }
      await assert.rejects(engine.apply({ add: failing(), remove }), /the disk is gone/);
      assert.deepEqual(await paths(engine, 'lantern'), ['a.ts']);
      assert.deepEqual(await paths(engine, 'harbour'), []);
      assert.deepEqual(readdirSync(state).sort(), before);
    });
  });

  it('reports binary documents, and leaves them out', async () => {
    await withEngine(folder(), async (engine) => {
      const binary = { id: documentId('b.bin', Buffer.from('a\0b')), path: 'b.bin', content: Buffer.from('a\0b') };
      assert.deepEqual(await engine.apply({ add: [binary] }), { added: 0, reused: 0, removed: 0, binary: [binary.id] });
    });
  });

  it('has one writer, which readers follow', async () => {
    const state = folder();
    const reader = new EngineReader(state);
    await withEngine(state, async (engine) => {
      assert.throws(() => Engine.open(state), { code: 'IndexBusy' });
      await engine.apply({ add: [document('a.ts', 'lantern')] });
      assert.deepEqual(await paths(reader, 'lantern'), []);
      assert.equal(reader.refresh(), true);
      assert.equal(reader.refresh(), false);
      assert.deepEqual(await paths(reader, 'lantern'), ['a.ts']);
      for (let i = 0; i < 20; i++) await engine.apply({ add: [document(`${i}.ts`, `harbour ${i}`)] });
      await engine.settle();
      // The files that this reader has open were merged away; it still answers from them.
      assert.deepEqual(await paths(reader, 'lantern'), ['a.ts']);
      reader.refresh();
      assert.equal((await paths(reader, 'harbour')).length, 20);
    });
    reader.close();
  });

  it('is not taken by a reader for the index that was in the folder before', async () => {
    const state = folder();
    await withEngine(state, async (engine) => {
      await engine.apply({ add: [document('a.ts', 'lantern')] });
    });
    const reader = new EngineReader(state);
    Engine.erase(state);
    // The same numbers of commits and files as before.
    await withEngine(state, async (engine) => {
      await engine.apply({ add: [document('b.ts', 'harbour')] });
    });
    assert.equal(reader.refresh(), true);
    assert.deepEqual([await paths(reader, 'lantern'), await paths(reader, 'harbour')], [[], ['b.ts']]);
    reader.close();
  });

  it('leaves the files of the process alone that took over while this one slept', async () => {
    const state = folder();
    const sleeper = Engine.open(state);
    await sleeper.apply({ add: [document('a.ts', 'lantern')] });
    silence(state);
    await withEngine(state, async (heir) => {
      await heir.apply({ add: [document('b.ts', 'lantern too')] });
      await assert.rejects(sleeper.apply({ add: [document('c.ts', 'harbour')] }), { code: 'LeaseLost' });
      await assert.rejects(sleeper.apply({ remove: [document('a.ts', 'lantern').id] }), { code: 'LeaseLost' });
      assert.deepEqual(await heir.verify(), []);
      assert.deepEqual(await paths(heir, 'lantern'), ['a.ts', 'b.ts']);
    });
    await sleeper.close();
  });

  function filesIn(state: string): Map<string, Buffer> {
    return new Map(readdirSync(state).map((name) => [name, readFileSync(join(state, name))]));
  }

  /** As if the owner had been silent for an hour. */
  function silence(state: string): void {
    const longAgo = new Date(Date.now() - 3_600_000);
    for (const name of readdirSync(state)) if (name.endsWith('.lock')) utimesSync(join(state, name), longAgo, longAgo);
  }

  it('shows and keeps nothing that a writer commits between its check and its write, while an heir takes over', async () => {
    const state = folder();
    const sleeper = Engine.open(state);
    await sleeper.apply({ add: [document('a.ts', 'lantern')] });
    const before = filesIn(state);
    await sleeper.apply({ add: [document('late.ts', 'lantern late')] });
    const late = filesIn(state);
    // Back to the commit before: what comes after it the sleeper writes only when it wakes up.
    for (const name of late.keys()) if (!before.has(name)) rmSync(join(state, name));
    for (const [name, bytes] of before) writeFileSync(join(state, name), bytes);
    silence(state);
    const reader = new EngineReader(state);
    await withEngine(state, async (heir) => {
      assert.equal(reader.refresh(), false, 'an heir that changed nothing has the same commit');
      await heir.apply({ add: [document('b.ts', 'harbour')] });
      for (const [name, bytes] of late) if (!name.endsWith('.lock')) writeFileSync(join(state, name), bytes);
      assert.deepEqual(await heir.verify(), []);
      reader.refresh();
      for (const one of [heir, reader]) {
        assert.deepEqual([await paths(one, 'lantern'), await paths(one, 'harbour')], [['a.ts'], ['b.ts']]);
      }
      await assert.rejects(sleeper.apply({ add: [document('a.ts', 'lantern')] }), { code: 'LeaseLost' });
      assert.equal((sleeper.lost.reason as { code: string }).code, 'LeaseLost');
    });
    reader.close();
    await sleeper.close();
    await withEngine(state, async (engine) => {
      assert.deepEqual([await paths(engine, 'lantern'), await paths(engine, 'harbour')], [['a.ts'], ['b.ts']]);
      assert.deepEqual(engine.damage, []);
    });
    assert.equal(existsSync(join(state, 'manifest.1.json')), false, 'what came late is removed');
  });

  it('stays empty when it was erased, whatever its former writer writes late', async () => {
    const state = folder();
    const sleeper = Engine.open(state);
    await sleeper.apply({ add: [document('a.ts', 'lantern')] });
    const late = filesIn(state);
    silence(state);
    Engine.erase(state);
    for (const [name, bytes] of late) if (!name.endsWith('.lock')) writeFileSync(join(state, name), bytes);
    const reader = new EngineReader(state);
    assert.deepEqual([await paths(reader, 'lantern'), reader.stats().generation, reader.damage], [[], 0, []]);
    reader.close();
    await sleeper.close();
  });

  it('is copied under names of its own, which no later writer gives', async () => {
    const from = folder();
    const to = folder();
    for (const name of ['a', 'b', 'c']) {
      await withEngine(from, (engine) => engine.apply({ add: [document(`${name}.ts`, 'lantern')] }));
    }
    assert.equal(Engine.copy(from, to), true);
    assert.deepEqual(
      readdirSync(to).filter((name) => name.endsWith('.sxs')),
      ['segment.1.1.sxs', 'segment.1.2.sxs', 'segment.1.3.sxs'],
    );
    await withEngine(to, async (engine) => {
      await engine.apply({ add: [document('d.ts', 'lantern')] });
      assert.deepEqual(await engine.verify(), []);
      assert.deepEqual(await paths(engine, 'lantern'), ['a.ts', 'b.ts', 'c.ts', 'd.ts']);
    });
  });

  it('is not replaced by a manifest that a writer of an earlier version writes late', async () => {
    const state = folder();
    const old = join(import.meta.dirname, '../../test/fixtures/formats/format-4-analysis-5/index');
    cpSync(old, state, { recursive: true });
    assert.throws(() => new EngineReader(state), { code: 'IndexFormat' });
    Engine.erase(state);
    await withEngine(state, (engine) => engine.apply({ add: [document('new.ts', 'lanternNew')] }));
    assert.equal(existsSync(join(state, 'manifest.json')), false);
    for (const name of ['manifest.json', 'manifest.copy.json']) cpSync(join(old, name), join(state, name));
    const reader = new EngineReader(state);
    assert.equal(reader.stats().documents, 1);
    reader.close();
  });
});
