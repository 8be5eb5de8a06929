import assert from 'node:assert/strict';
import { join } from 'node:path';
import fc from 'fast-check';
import { runs } from '../../../test/support/runs.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { documentId } from '../documentId.ts';
import { Field, hashTerm, type TermHash } from './format.ts';
import { mergeSegments } from './merge.ts';
import { SegmentBuilder } from './segmentBuilder.ts';
import { describeSegment } from './segmentEnd.ts';
import { SegmentReader } from './segmentReader.ts';
import { SegmentWriter } from './segmentWriter.ts';
import { Segment, setBit } from './snapshot.ts';

interface Source {
  readonly names: readonly string[];
  readonly gone: boolean;
}

describe('mergeSegments', () => {
  const folder = temporaryFolder();

  function write(file: string, fill: (writer: SegmentWriter) => void): SegmentReader {
    const writer = new SegmentWriter(file);
    fill(writer);
    writer.finish();
    return new SegmentReader(file);
  }

  it('keeps each name of the remaining documents once, and no other', () => {
    const method = fc.constantFrom('run', 'stop', 'runAll', 'run_all', 'größe', 'Run', 'indexHtmlMiddleware');
    const source = fc.record({ names: fc.array(method, { minLength: 1, maxLength: 4 }), gone: fc.boolean() });
    fc.assert(
      fc.property(
        fc.array(fc.array(source, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
        (parts) => {
          const state = folder();
          const segments = parts.map((part, i) => segmentOf(join(state, `${i}.sxs`), i, part));
          const merged = write(join(state, 'merged.sxs'), (writer) => {
            for (const _ of mergeSegments(segments, writer));
          });
          const expected = new Set<string>();
          for (const [i, part] of parts.entries()) {
            for (const [j, { names, gone }] of part.entries()) {
              if (gone) continue;
              expected.add(`C${i}x${j}`);
              for (const name of names) expected.add(name).add(`C${i}x${j}.${name}`);
            }
          }
          const found = merged.namesMatching(() => true, 1000);
          assert.equal(new Set(found).size, found.length);
          assert.equal(merged.footer.names, found.length);
          for (const name of expected) assert.ok(found.includes(name), name);
          // Another spelling of a name that is left may stay: it leads to the same postings.
          const left = new Set([...expected].map(folded));
          for (const name of found) assert.ok(left.has(folded(name)) && hasTerm(merged, name), name);
          for (const { reader } of segments) reader.close();
          merged.close();
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it('counts the remaining documents below each outer folder', () => {
    const state = folder();
    const one = { names: ['run'], gone: false };
    const parts = [[one, { ...one, gone: true }, one], [one]];
    const segments = parts.map((part, i) => segmentOf(join(state, `${i}.sxs`), i, part));
    const merged = write(join(state, 'merged.sxs'), (writer) => {
      for (const _ of mergeSegments(segments, writer));
    });
    assert.deepEqual(Object.fromEntries(merged.folders), { 0: 2, 1: 1 });
    for (const { reader } of segments) reader.close();
    merged.close();
  });

  function segmentOf(file: string, number: number, sources: readonly Source[]): Segment {
    const builder = new SegmentBuilder();
    for (const [i, { names }] of sources.entries()) {
      const path = `${number}/${i}.py`;
      const methods = [...new Set(names)].map((name) => `    def ${name}(self):\n        pass\n`);
      const text = Buffer.from(`class C${number}x${i}:\n${methods.join('\n')}`);
      builder.add({ id: Buffer.from(documentId(path, text), 'hex'), path, text });
    }
    const reader = write(file, (writer) => builder.write(writer));
    const deleted = new Uint8Array(1);
    for (const [i, { gone }] of sources.entries()) if (gone) setBit(deleted, i);
    return new Segment({ segment: number, ...describeSegment(file) }, reader, deleted);
  }

  const folded = (name: string): string =>
    name.replaceAll('_', '').replaceAll('ö', 'o').replaceAll('ß', 'ss').toLowerCase();

  function hasTerm(reader: SegmentReader, name: string): boolean {
    const term: TermHash = { bucket: 0, key: 0 };
    hashTerm(name.includes('.') ? Field.qualified : Field.symbol, folded(name), term);
    return reader.has(term);
  }
});
