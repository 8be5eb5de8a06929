import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { seeded } from '../../test/fault/truth.ts';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { documentId } from './documentId.ts';
import { Engine, EngineReader, type EngineDocument } from './engine.ts';
import { BlockFile, describeSegment } from './index/blockFile.ts';
import { describeDamage, type Damage } from './index/damage.ts';
import { BLOCK_BYTES } from './index/format.ts';
import type { Hit } from './query/search.ts';

function document(path: string, text: string): EngineDocument {
  const content = Buffer.from(text);
  return { id: documentId(path, content), path, content };
}

/** Flips one bit; `at` counts from the end if it is negative. */
function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at < 0 ? bytes.length + at : at]! ^= 1;
  writeFileSync(file, bytes);
}

/** The blocks of a segment file as they are. */
function layoutOf(file: string): BlockFile['layout'] {
  const opened = new BlockFile(file);
  opened.close();
  return opened.layout;
}

/** Flips a bit in each of these blocks. */
function hurt(file: string, ...blocks: readonly number[]): void {
  const layout = layoutOf(file);
  for (const block of blocks) {
    const [at, length] = layout.rangeOf(block);
    flip(file, at + (length >>> 1));
  }
}

/** What cannot be restored: a block, and the parity of its group. */
function ruin(file: string, block: number): void {
  const layout = layoutOf(file);
  hurt(file, block, layout.othersOf(block).at(-1)!);
}

async function paths(index: Pick<Engine, 'search'>, query: string): Promise<string[]> {
  return (await index.search(query, { limit: 1000 })).map((hit) => hit.path).sort();
}

/** Words, names, a prefix of one, a filter that reads names, a phrase and an exclusion. */
const QUERIES = ['amber birch', 'cedar1', 'grove7', 'gro', 'sym:gro* amber', '"amber birch" -cedar2 lang:ts'];

describe('A damaged index', () => {
  const folder = temporaryFolder();
  const lantern = document('a.ts', 'lantern');
  const harbour = document('b.ts', 'harbour');

  /** Two segments of one document each. */
  async function twoSegments(): Promise<string> {
    const state = folder();
    const engine = Engine.open(state);
    await engine.apply({ add: [lantern] });
    await engine.apply({ add: [harbour] });
    await engine.close();
    return state;
  }

  it('is searched without what is damaged, and tells it', async () => {
    const state = await twoSegments();
    const file = join(state, 'segment.1.1.sxs');
    truncateSync(file, readFileSync(file).length - 1);
    const reader = new EngineReader(state);
    assert.deepEqual([await paths(reader, 'lantern'), await paths(reader, 'harbour')], [[], ['b.ts']]);
    const { documents, damage } = reader.stats();
    assert.equal(documents, 1);
    assert.deepEqual(damage, [{ file: 'segment.1.1.sxs', what: 'too short', documents: 1 }]);
    reader.close();
  });

  it('is known as such where zeros stand instead: they are the checksum of nothing', async () => {
    const state = await twoSegments();
    const file = join(state, 'segment.1.1.sxs');
    const bytes = readFileSync(file);
    for (const end of [bytes.length, describeSegment(file).firstEnd]) bytes.fill(0, end - 20, end - 12);
    writeFileSync(file, bytes);
    const reader = new EngineReader(state);
    assert.deepEqual(reader.damage, [{ file: 'segment.1.1.sxs', what: 'footer', documents: 1 }]);
    reader.close();
  });

  it('is repaired when it is opened for writing: what is lost can be added again', async () => {
    const state = await twoSegments();
    rmSync(join(state, 'segment.1.1.sxs'));
    const engine = Engine.open(state);
    assert.deepEqual(engine.stats().damage, [{ file: 'segment.1.1.sxs', what: 'it is missing', documents: 1 }]);
    assert.deepEqual([engine.has(lantern.id), engine.has(harbour.id)], [false, true]);
    assert.equal((await engine.apply({ add: [lantern, harbour] })).added, 1);
    assert.deepEqual(await paths(engine, 'lantern'), ['a.ts']);
    await engine.close();
    const again = Engine.open(state);
    assert.deepEqual(again.stats().damage, []);
    await again.close();
  });

  it('loses a segment whose removed documents are not known: none of them comes back', async () => {
    const state = folder();
    const engine = Engine.open(state);
    const documents = ['one', 'two', 'three', 'four'].map((word) => document(`${word}.ts`, `lantern ${word}`));
    await engine.apply({ add: documents });
    await engine.apply({ remove: [documents[0]!.id] });
    await engine.close();
    flip(join(state, 'deletions.1.2.sxd'), 4);
    const repaired = Engine.open(state);
    assert.deepEqual(repaired.stats().damage, [{ file: 'deletions.1.2.sxd', what: 'checksum', documents: 3 }]);
    assert.deepEqual(await paths(repaired, 'lantern'), []);
    await repaired.close();
  });

  it('loses nothing with its manifest, of which there is a copy, and everything with both', async () => {
    const state = await twoSegments();
    flip(join(state, 'manifest.1.json'), 3);
    const engine = Engine.open(state);
    assert.deepEqual(engine.stats().damage, [
      { file: 'manifest.1.json', what: 'checksum; its copy is used', documents: 0 },
    ]);
    assert.deepEqual([...engine.ids()], [lantern.id, harbour.id]);
    await engine.close();

    const reader = new EngineReader(state);
    for (const name of ['manifest.2.json', 'manifest.2.copy.json']) flip(join(state, name), 3);
    assert.equal(reader.refresh(), false);
    assert.deepEqual(await paths(reader, 'lantern'), ['a.ts'], 'what is open is still good');
    assert.equal(reader.damage.length, 1);
    const anew = Engine.open(state);
    assert.deepEqual([...anew.ids()], []);
    assert.equal(anew.stats().damage[0]?.documents, undefined);
    await anew.apply({ add: [lantern] });
    assert.equal(reader.refresh(), true);
    assert.deepEqual([await paths(reader, 'lantern'), await paths(reader, 'harbour')], [['a.ts'], []]);
    reader.close();
    await anew.close();
  });

  it('is found out while it is open: by a search, by verifying, by merging', async () => {
    const state = folder();
    const told: Damage[] = [];
    const engine = Engine.open(state, { onDamage: (damage) => void told.push(damage) });
    await engine.apply({ add: [lantern] });
    ruin(join(state, 'segment.1.1.sxs'), 0);
    assert.deepEqual(await paths(engine, 'lantern'), []);
    assert.equal((await engine.apply({ add: [lantern] })).added, 1, 'the repair comes before the next change');
    assert.deepEqual(await paths(engine, 'lantern'), ['a.ts']);
    assert.deepEqual(told, [{ file: 'segment.1.1.sxs', what: 'block 0', documents: 1 }]);

    await engine.apply({ remove: [lantern.id] });
    await engine.apply({ add: [harbour, ...Array.from({ length: 5 }, (_, i) => document(`x${i}.ts`, 'grove'))] });
    await engine.apply({ remove: [harbour.id] });
    const deletions = readdirSync(state).find((name) => name.endsWith('.sxd'))!;
    flip(join(state, deletions), 0);
    flip(join(state, 'manifest.1.copy.json'), 0);
    assert.deepEqual(
      (await engine.verify()).map(({ file, documents }) => [file, documents]),
      [
        ['manifest.1.copy.json', 0],
        [deletions, 0],
      ],
    );
    assert.deepEqual(await engine.verify(), []);

    for (let i = 0; i < 5; i++) await engine.apply({ add: [document(`y${i}.ts`, 'fjord')] });
    await engine.settle();
    const merged = `segment.1.${Math.max(...segments(state))}.sxs`;
    ruin(join(state, merged), 0);
    await engine.apply({ add: [document('y6.ts', 'fjord')] });
    await engine.settle();
    assert.deepEqual(await engine.verify(), []);
    assert.equal(told.at(-1)?.file, merged, 'the merge met it');
    assert.equal((await paths(engine, 'fjord')).length, 5);
    await engine.close();
  });

  it('loses only the documents whose details stand in a damaged block', async () => {
    const state = folder();
    const engine = Engine.open(state);
    // Long names of definitions: about 2 kB of details each, so that blocks hold nothing else.
    const documents = Array.from({ length: 150 }, (_, i) => {
      const names = Array.from({ length: 30 }, (_, k) => `function lantern${i}x${k}${'z'.repeat(60)}() {}`);
      return document(`f${i}.ts`, names.join('\n\n'));
    });
    await engine.apply({ add: documents });
    ruin(join(state, 'segment.1.1.sxs'), 1);
    const reader = new EngineReader(state);
    const found = await paths(reader, 'function');
    const lost = reader.stats().damage[0]!.documents!;
    assert.ok(lost > 10 && lost < 60, `${lost} documents are lost`);
    assert.equal(found.length, 150 - lost);
    assert.equal(reader.stats().documents, 150 - lost);
    assert.deepEqual(await paths(reader, 'function'), found);
    const fresh = new EngineReader(state);
    await paths(fresh, 'function');
    for (const query of ['function', 'lantern7x1', 'function lang:ts']) {
      const options = { limit: 1000 };
      assert.deepEqual(await reader.search(query, options), await fresh.search(query, options), query);
    }
    fresh.close();

    assert.equal((await engine.verify())[0]?.documents, lost);
    const missing = documents.filter(({ id }) => !engine.has(id));
    assert.equal(missing.length, lost);
    await engine.apply({ add: documents });
    assert.equal((await paths(engine, 'function')).length, 150);
    reader.refresh();
    assert.deepEqual(reader.stats().damage, []);
    assert.equal((await paths(reader, 'function')).length, 150);
    reader.close();
    await engine.close();
  });

  it('does not give back what it lost, but takes it anew, also from a segment that was written anew meanwhile', async () => {
    const line = (i: number, k: number): string => `function keeper${i}number${k}() { return amber${k}; }`;
    const documents = Array.from({ length: 120 }, (_, i) =>
      document(`f${i}.ts`, Array.from({ length: 120 }, (_line, k) => line(i, k)).join('\n')),
    );
    for (const alsoFooter of [false, true]) {
      const state = folder();
      const first = Engine.open(state);
      await first.apply({ add: documents });
      await first.close();
      const segment = join(
        state,
        readdirSync(state).find((name) => name.endsWith('.sxs'))!,
      );
      ruin(segment, 1);
      if (alsoFooter) flip(segment, -1);
      const seen = Engine.open(state);
      await seen.verify();
      await seen.close();

      const engine = Engine.open(state);
      const missing = documents.filter(({ id }) => !engine.has(id));
      assert.ok(missing.length > 0 && missing.length < documents.length);
      await engine.apply({ add: missing });
      assert.equal((await paths(engine, 'amber3')).length, documents.length);
      await engine.settle();
      assert.ok(documents.every(({ id }) => engine.has(id)));
      await engine.close();
    }
  });

  it('is searched without a segment whose names are damaged, once they are asked for', async () => {
    const state = folder();
    const engine = Engine.open(state);
    // Names that cannot be deflated well, so that they fill blocks of their own.
    const name = (i: number): string => `n${documentId(String(i), Buffer.from('')).slice(0, 40)}`;
    const documents = Array.from({ length: 60 }, (_, i) => {
      const names = Array.from({ length: 100 }, (_, k) => `function ${name(i * 100 + k)}() {}`);
      return document(`f${i}.ts`, `// lantern\n${names.join('\n')}`);
    });
    await engine.apply({ add: documents });
    await engine.apply({ add: [document('b.ts', '// lantern\nfunction harbour() {}')] });
    const whole = new EngineReader(state);
    const { nameBlocks, dictionary } = whole.segments[0]!.reader.footer;
    whole.close();
    const block = Math.ceil(nameBlocks / BLOCK_BYTES);
    assert.ok((block + 1) * BLOCK_BYTES < dictionary, 'a block holds nothing but names');
    ruin(join(state, 'segment.1.1.sxs'), block);
    for (const query of ['sym:harbour', 'lantern sym:harb*', '-sym:n* lantern']) {
      const reader = new EngineReader(state);
      assert.equal((await paths(reader, 'lantern')).length, 61);
      assert.deepEqual(await paths(reader, query), ['b.ts'], query);
      assert.deepEqual(reader.damage, [{ file: 'segment.1.1.sxs', what: `block ${block}`, documents: 60 }], query);
      assert.deepEqual(await paths(reader, 'lantern'), ['b.ts']);
      reader.close();
    }
    await engine.close();
  });

  it('does not crash a reader under which it changes after it was checked', async () => {
    const state = folder();
    const engine = Engine.open(state);
    const words = Array.from({ length: 40 }, (_, i) =>
      document(`f${i}.ts`, `amber birch cedar${i % 3} function grove${i}() {}`),
    );
    await engine.apply({ add: words });
    await engine.close();
    const file = join(state, 'segment.1.1.sxs');
    const whole = readFileSync(file);
    for (let at = 0; at < whole.length; at += 29) {
      const reader = new EngineReader(state);
      for (const query of QUERIES) await reader.search(query);
      const changed = Buffer.from(whole);
      for (let i = at; i < Math.min(at + 8, whole.length); i++) changed[i] = (at * 31 + i * 7) & 255;
      writeFileSync(file, changed);
      for (const query of QUERIES) await reader.search(query);
      reader.close();
      writeFileSync(file, whole);
    }
  });

  function segments(state: string): number[] {
    return readdirSync(state)
      .flatMap((name) => /^segment\.1\.(\d+)/.exec(name)?.[1] ?? [])
      .map(Number);
  }
});

describe('A damaged block of an index', () => {
  const folder = temporaryFolder();
  const random = seeded(11);
  const word = (): string => Math.floor(random() * 2 ** 48).toString(36);
  /** So many documents that a segment has blocks of every kind, and `large` ones so many that it has two groups. */
  const small = make(60, 100);
  const large = make(120, 700);

  function make(count: number, names: number): EngineDocument[] {
    return Array.from({ length: count }, (_, i) => {
      const lines = Array.from({ length: names }, () => `function n${word()}${word()}() { ${word()} }`);
      return document(`f${i}.ts`, `// lantern harbour${i % 7}\n${lines.join('\n')}`);
    });
  }

  async function indexOf(
    documents: readonly EngineDocument[],
  ): Promise<{ state: string; file: string; whole: Buffer }> {
    const state = folder();
    const engine = Engine.open(state);
    await engine.apply({ add: documents });
    await engine.settle();
    await engine.close();
    const name = readdirSync(state).find((one) => one.endsWith('.sxs'))!;
    const file = join(state, name);
    return { state, file, whole: readFileSync(file) };
  }

  let made: Awaited<ReturnType<typeof indexOf>> | undefined;

  async function largeIndex(): ReturnType<typeof indexOf> {
    made ??= await indexOf(large);
    const state = folder();
    cpSync(made.state, state, { recursive: true });
    return { state, file: join(state, basename(made.file)), whole: made.whole };
  }

  async function answers(index: Pick<Engine, 'search'>): Promise<string> {
    const queries = ['lantern', 'harbour3 lantern', 'sym:n1* lantern', 'path:f5', '"lantern harbour2"'];
    const hits = await Promise.all(queries.map((query) => index.search(query, { limit: 1000 })));
    return JSON.stringify(hits);
  }

  /** All is found at once and after the repair, which has nothing to add again; what is told of it. */
  async function assertNothingLost(state: string, whole: Buffer, expected: string): Promise<string[]> {
    const reader = new EngineReader(state);
    assert.equal(await answers(reader), expected);
    assert.equal(reader.damage.filter(({ documents }) => documents !== 0).length, 0);
    const engine = Engine.open(state);
    assert.equal(await answers(engine), expected);
    await engine.verify();
    const told = engine.stats().damage;
    assert.deepEqual(await engine.verify(), []);
    assert.equal(await answers(engine), expected);
    reader.refresh();
    assert.deepEqual([reader.damage, await answers(reader)], [[], expected]);
    reader.close();
    await engine.close();
    const [name, ...others] = readdirSync(state).filter((one) => one.endsWith('.sxs'));
    assert.deepEqual(others, []);
    assert.ok(readFileSync(join(state, name!)).equals(whole), 'it is written anew as it was');
    return told.map(describeDamage);
  }

  async function truthOf(state: string): Promise<string> {
    const reader = new EngineReader(state);
    const truth = await answers(reader);
    reader.close();
    return truth;
  }

  it('is restored, whatever stands there and whatever it held, and says so', async () => {
    const { state, file, whole } = await indexOf(small);
    const expected = await truthOf(state);
    const layout = layoutOf(file);
    assert.ok(layout.cold > 8 && layout.count === layout.data + 1);
    let current = file;
    for (let block = 0; block < layout.count; block++) {
      const [at, length] = layout.rangeOf(block);
      const bytes = Buffer.from(whole);
      const isNoise = block % 2 === 0;
      for (let i = at; i < at + length; i++) bytes[i] = isNoise ? random() * 256 : 0;
      writeFileSync(current, bytes);
      const name = current.slice(state.length + 1);
      const told = await assertNothingLost(state, whole, expected);
      assert.deepEqual(
        told,
        [`The index was damaged: ${name}, 1 block was restored. Nothing is lost.`],
        `block ${block}`,
      );
      current = join(
        state,
        readdirSync(state).find((one) => one.endsWith('.sxs'))!,
      );
      assert.ok(!existsSync(join(state, name)), 'the damaged file is removed');
    }
  });

  it('is restored beside a neighbour that is damaged as well, where there is more than one group', async () => {
    const { state, file, whole } = await largeIndex();
    const expected = await truthOf(state);
    const layout = layoutOf(file);
    assert.ok(layout.count > layout.data + 1, 'several groups');
    hurt(file, 70, 71);
    const told = await assertNothingLost(state, whole, expected);
    assert.match(told.join(), /2 blocks were restored\. Nothing is lost\.$/);
  }).timeout(120_000);

  it('is restored where it changes after it was checked', async () => {
    const { state, file, whole } = await largeIndex();
    const expected = await truthOf(state);
    const { dictionary, nameBlocks } = footerOf(state);
    const reader = new EngineReader(state);
    assert.equal(await answers(reader), expected);
    const bytes = Buffer.from(whole);
    // All names, and a block of the dictionary of which nothing is remembered.
    const block = Math.floor(dictionary / BLOCK_BYTES) - 1;
    assert.ok(block * BLOCK_BYTES > nameBlocks);
    bytes.fill(0xff, block * BLOCK_BYTES, (block + 1) * BLOCK_BYTES);
    writeFileSync(file, bytes);
    const sought = (one: EngineReader): Promise<Hit[]> => one.search('-sym:*zzzz lantern', { limit: 1000 });
    const found = await sought(reader);
    assert.equal(found.length, large.length);
    assert.equal(await answers(reader), expected);
    assert.deepEqual(
      reader.damage.map(({ what, documents }) => [what, documents]),
      [['1 block was restored', 0]],
    );
    reader.close();
  }).timeout(120_000);

  it('costs what it cost without parity where another one of its group is damaged', async () => {
    const { state, file } = await indexOf(small);
    hurt(file, 4, 5);
    const engine = Engine.open(state);
    await engine.verify();
    const [damage, ...others] = engine.stats().damage;
    assert.ok(others.length === 0 && damage!.documents! > 0, JSON.stringify(damage));
    assert.equal(small.filter(({ id }) => !engine.has(id)).length, damage!.documents);
    await engine.apply({ add: small });
    assert.equal((await paths(engine, 'lantern')).length, small.length);
    await engine.close();
  });

  it('may be that of a footer, which is there twice', async () => {
    const { state, file, whole } = await indexOf(small);
    const expected = await truthOf(state);
    let current = file;
    for (const end of [whole.length, describeSegment(file).firstEnd]) {
      for (const at of [end - 1, end - 9, end - 17, end - 30]) {
        flip(current, at);
        assert.match((await assertNothingLost(state, whole, expected)).join(), /, 1 block was restored\. Nothing/);
        current = join(
          state,
          readdirSync(state).find((one) => one.endsWith('.sxs'))!,
        );
      }
    }
    for (const end of [whole.length, describeSegment(current).firstEnd]) flip(current, end - 30);
    const reader = new EngineReader(state);
    assert.deepEqual(
      reader.damage.map(({ what, documents }) => [what, documents]),
      [['footer', small.length]],
    );
    reader.close();
  });

  it('is no part of the segment that a merge makes', async () => {
    const state = folder();
    const engine = Engine.open(state);
    for (let i = 0; i < 7; i++) await engine.apply({ add: [document(`f${i}.ts`, `lantern ${i}`)] });
    hurt(join(state, 'segment.1.3.sxs'), 0);
    hurt(join(state, 'segment.1.4.sxs'), 1);
    await engine.apply({ add: [document('f7.ts', 'lantern 7')] });
    await engine.settle();
    assert.equal(engine.stats().segments, 1);
    assert.deepEqual(await engine.verify(), []);
    assert.equal((await paths(engine, 'lantern')).length, 8);
    assert.deepEqual(
      engine.stats().damage.map(({ file, documents }) => [file, documents]),
      [['segment.1.3.sxs', 0]],
    );
    await engine.close();
  });

  it('is left as it is, and readable, while nothing can be written', async () => {
    const { state, file } = await indexOf(small);
    const engine = Engine.open(state);
    const expected = await answers(engine);
    hurt(file, 3);
    // In the way of the file that is to be written.
    writeFileSync(join(state, 'segment.2.1.sxs'), '');
    const told = await engine.verify();
    assert.deepEqual(told.map(describeDamage), [
      `The index was damaged: ${file.slice(state.length + 1)}, 1 block was restored. Nothing is lost.`,
    ]);
    assert.equal(await answers(engine), expected);
    assert.equal((await engine.apply({ add: [document('b.ts', 'birch')] })).added, 1);
    await engine.close();
    const again = Engine.open(state);
    await again.verify();
    assert.deepEqual([again.stats().damage.length, await again.verify()], [1, []]);
    assert.equal(again.stats().documents, small.length + 1);
    await again.close();
  });

  function footerOf(state: string): BlockFile['footer'] {
    const reader = new EngineReader(state);
    const { footer } = reader.segments[0]!.reader;
    reader.close();
    return footer;
  }
});
