import assert from 'node:assert/strict';
import { cpSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seeded } from '../../test/fault/truth.ts';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { silentLogger } from '../base/log.ts';
import { documentId } from './documentId.ts';
import { Engine, EngineReader, type EngineDocument } from './engine.ts';
import { BlockFile } from './index/blockFile.ts';
import { describeIndexDamage, type Damage } from './index/damage.ts';
import { BLOCK_BYTES } from './index/format.ts';
import { readManifest, writeManifest } from './index/manifest.ts';
import { describeSegment, encodeEnd } from './index/segmentEnd.ts';
import type { Hit } from './query/hits.ts';

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

function footerOf(file: string): BlockFile['footer'] {
  const opened = new BlockFile(file);
  opened.close();
  return opened.footer;
}

/** Flips a bit in a block of the cold part. */
function ruin(file: string, block: number): void {
  const from = block * BLOCK_BYTES;
  flip(file, (from + Math.min(from + BLOCK_BYTES, footerOf(file).cold)) >>> 1);
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

  it('is searched without its damaged segments, and reports them', async () => {
    const state = await twoSegments();
    const file = join(state, 'segment.1.1.sxs');
    truncateSync(file, readFileSync(file).length - 1);
    const reader = new EngineReader(state);
    assert.deepEqual([await paths(reader, 'lantern'), await paths(reader, 'harbour')], [[], ['b.ts']]);
    const { documents, damage } = reader.stats();
    assert.equal(documents, 1);
    assert.deepEqual(damage, [{ file: 'segment.1.1.sxs', what: 'not a whole segment', documents: 1 }]);
    reader.close();
  });

  it('is recognized where counts are wrong under valid checksums, as an archive from elsewhere may have them', async () => {
    const state = await twoSegments();
    const file = join(state, 'segment.1.1.sxs');
    const whole = readFileSync(file);
    const { manifest } = readManifest(state);
    const footer = footerOf(file);
    const { firstChunk, lines } = footer.sections as Record<'firstChunk' | 'lines', readonly [number, number]>;
    for (const changed of [
      { documents: 2 ** 32 - 1 },
      { documents: -1 },
      { chunks: 0 },
      { sections: { ...footer.sections, firstChunk: [firstChunk[0], 0] as const } },
      { sections: { ...footer.sections, lines: [lines[0], 0] as const } },
    ]) {
      const parts = whole.subarray(0, footer.cold + footer.resident);
      writeFileSync(file, Buffer.concat([parts, ...encodeEnd({ ...footer, ...changed })]));
      const [first, ...others] = manifest.segments;
      const { sum } = describeSegment(file);
      writeManifest(state, 1, { ...manifest, segments: [{ ...first!, sum }, ...others] });
      const reader = new EngineReader(state);
      assert.deepEqual([await paths(reader, 'lantern'), await paths(reader, 'harbour')], [[], ['b.ts']]);
      assert.deepEqual(
        reader.stats().damage.map(({ file, what }) => [file, what]),
        [['segment.1.1.sxs', 'counts']],
      );
      reader.close();
    }
  });

  it('is recognized where zeros replace the lengths: they are the checksum of nothing', async () => {
    const state = await twoSegments();
    const file = join(state, 'segment.1.1.sxs');
    const bytes = readFileSync(file);
    bytes.fill(0, bytes.length - 20, bytes.length - 12);
    writeFileSync(file, bytes);
    const reader = new EngineReader(state);
    assert.deepEqual(reader.damage, [{ file: 'segment.1.1.sxs', what: 'footer', documents: 1 }]);
    reader.close();
  });

  it('is repaired when it is opened for writing: lost documents can be added again', async () => {
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

  it('is detected while it is open: by a search, by verifying, by merging', async () => {
    const state = folder();
    const reported: Damage[] = [];
    const engine = Engine.open(state, { onDamage: (damage) => void reported.push(damage) });
    await engine.apply({ add: [lantern] });
    ruin(join(state, 'segment.1.1.sxs'), 0);
    assert.deepEqual(await paths(engine, 'lantern'), []);
    assert.equal((await engine.apply({ add: [lantern] })).added, 1, 'the repair comes before the next change');
    assert.deepEqual(await paths(engine, 'lantern'), ['a.ts']);
    assert.deepEqual(reported, [{ file: 'segment.1.1.sxs', what: 'block 0', documents: 1 }]);

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
    assert.equal(reported.at(-1)?.file, merged, 'the merge met it');
    assert.equal((await paths(engine, 'fjord')).length, 5);
    await engine.close();
  });

  it('loses only the documents with details in a damaged block', async () => {
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
    assert.ok(lost > 4 && lost < 20, `${lost} documents are lost`);
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

  it('analyses the lost documents again, and does not bring back their damaged details', async () => {
    const line = (i: number, k: number): string => `function keeper${i}number${k}() { return amber${k}; }`;
    const documents = Array.from({ length: 120 }, (_, i) =>
      document(`f${i}.ts`, Array.from({ length: 120 }, (_line, k) => line(i, k)).join('\n')),
    );
    const state = folder();
    const first = Engine.open(state);
    await first.apply({ add: documents });
    await first.close();
    ruin(
      join(
        state,
        readdirSync(state).find((name) => name.endsWith('.sxs'))!,
      ),
      1,
    );
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
  });

  it('is searched without a segment whose names are damaged, once a search reads them', async () => {
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
    const { nameBlocks, wordParts } = whole.segments[0]!.reader.footer;
    whole.close();
    // The last such block: the word of a search is looked for at the beginning of the names.
    const block = Math.floor(wordParts / BLOCK_BYTES) - 1;
    assert.ok(block * BLOCK_BYTES > nameBlocks, 'a block holds nothing but names');
    ruin(join(state, 'segment.1.1.sxs'), block);
    for (const query of ['sym:harbour', 'lantern sym:*harb*', '-sym:n* lantern']) {
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

describe('A damaged part of a segment', () => {
  const folder = temporaryFolder();
  const random = seeded(11);
  const word = (): string => Math.floor(random() * 2 ** 48).toString(36);
  const documents = Array.from({ length: 24 }, (_, i) => {
    const lines = Array.from({ length: 100 }, () => `function n${word()}${word()}() { ${word()} }`);
    return document(`f${i}.ts`, `// lantern harbour${i % 7}\n${lines.join('\n')}`);
  });

  async function answers(index: Pick<Engine, 'search'>): Promise<Hit[][]> {
    const queries = ['lantern', 'harbour3 lantern', 'sym:n1* lantern', 'path:f5', '"lantern harbour2"'];
    return Promise.all(queries.map((query) => index.search(query, { limit: 1000 })));
  }

  it('is reported once and costs at most the segment, which is as before when its documents are added again', async () => {
    const state = folder();
    const engine = Engine.open(state);
    await engine.apply({ add: documents });
    const expected = await answers(engine);
    await engine.close();
    const name = readdirSync(state).find((one) => one.endsWith('.sxs'))!;
    const whole = readFileSync(join(state, name));
    const { cold, resident } = footerOf(join(state, name));
    assert.ok(cold > 8 * BLOCK_BYTES);
    const parts: [from: number, to: number][] = [
      [cold, cold + resident],
      [cold + resident, whole.length - 20],
      [whole.length - 20, whole.length],
    ];
    for (let at = 0; at < cold; at += BLOCK_BYTES) parts.push([at, Math.min(at + BLOCK_BYTES, cold)]);
    for (const [i, [from, to]] of parts.entries()) {
      const damaged = folder();
      cpSync(state, damaged, { recursive: true });
      const bytes = Buffer.from(whole);
      for (let at = from; at < to; at++) bytes[at] = i % 2 === 0 ? random() * 256 : 0;
      writeFileSync(join(damaged, name), bytes);

      const reader = new EngineReader(damaged);
      for (const [query, hits] of (await answers(reader)).entries()) {
        const known = new Set(expected[query]!.map(({ id }) => id));
        assert.ok(hits.every(({ id }) => known.has(id)));
      }
      reader.close();

      const said: string[] = [];
      const logger = { ...silentLogger, warn: (message: string) => void said.push(message) };
      const repaired = Engine.open(damaged, { logger });
      await repaired.verify();
      const [damage, ...others] = repaired.stats().damage;
      assert.ok(others.length === 0 && damage!.documents! > 0, `${from}: ${JSON.stringify(damage)}`);
      const missing = documents.filter(({ id }) => !repaired.has(id));
      assert.equal(missing.length, damage!.documents);
      assert.deepEqual(await repaired.verify(), []);
      await repaired.apply({ add: missing });
      await repaired.settle();
      assert.deepEqual([said, await repaired.verify()], [[describeIndexDamage(damage!)], []]);
      for (const [query, hits] of (await answers(repaired)).entries()) {
        const found = new Set(hits.map(({ id }) => id));
        assert.deepEqual(found, new Set(expected[query]!.map(({ id }) => id)));
      }
      await repaired.close();
    }
  }).timeout(60_000);
});
