import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { times } from './runs.ts';
import { SextantError } from '../../src/base/errors.ts';
import type { BlobStore } from '../../src/context/backend.ts';
import { documentId } from '../../src/engine/documentId.ts';
import type { BlobScope } from '../../src/wire/scope.ts';
import { temporaryFolder } from './temporary.ts';

const scope = (added: readonly string[], checkpointId?: string, deleted: readonly string[] = []): BlobScope => ({
  checkpointId,
  added,
  deleted,
});
const nameOf = (path: string, content: string): string => documentId(path, Buffer.from(content));
const pathsIn = (text: string): string[] => [...text.matchAll(/^Path: (.*)$/gm)].map(([, path]) => path!);
const found = (text: string): string[] => pathsIn(text).sort();
const ENGINE = join(import.meta.dirname, '../../src/engine/query');

/** What holds for every store of contexts. `open` gets a folder that is the store's alone. Call it inside `describe`. */
export function describeBlobStore(open: (folder: string) => Promise<BlobStore>): void {
  const folder = temporaryFolder();
  let store: BlobStore;
  beforeEach(async () => {
    store = await open(folder());
  });
  afterEach(() => store.close());

  it('knows, finds and formats uploaded files, and only those of the scope', async () => {
    const content = 'export function parseQuery(text: string): void {\n  return;\n}\n';
    const blobs = ['a.ts', 'b.ts', 'c.ts'].map((path) => ({ path, content }));
    const unknown = nameOf('d.ts', content);
    const names = blobs.map(({ path }) => nameOf(path, content));
    assert.deepEqual(await store.findMissing([...names, unknown]), { unknown: [...names, unknown], nonindexed: [] });
    assert.deepEqual(await store.upload(blobs), names);
    assert.deepEqual(await store.findMissing([...names, unknown]), { unknown: [unknown], nonindexed: [] });
    const [a, b, c] = names as [string, string, string];
    const paths = async (one: BlobScope): Promise<string[]> => found(await store.retrieve('parse query', one));
    assert.deepEqual(await paths(scope([a, b])), ['a.ts', 'b.ts']);
    assert.deepEqual(await paths(scope([])), []);
    const first = await store.checkpoint(scope([a, b]));
    const second = await store.checkpoint(scope([c], first, [a]));
    assert.deepEqual(await paths(scope([], first)), ['a.ts', 'b.ts']);
    assert.deepEqual(await paths(scope([], second)), ['b.ts', 'c.ts']);
    assert.deepEqual(await paths(scope([a], second, [b])), ['a.ts', 'c.ts']);
    assert.equal(await store.checkpoint(scope([b, a])), first, 'equal sets are one');
    assert.match(await store.retrieve('"function parseQuery"', scope([a])), /Path: a\.ts\n {5}1\texport function/);
    await assert.rejects(
      store.retrieve('x', scope([], 'f'.repeat(64))),
      (error) => error instanceof SextantError && error.code === 'CheckpointNotFound',
    );
    await assert.rejects(store.retrieve('x', scope([], '../../x')), /no checkpoint/);
  });

  it('counts empty and binary files as indexed, and distinguishes blobs with equal names', async () => {
    const [empty, binary, one, other, surrogate] = await store.upload([
      { path: 'empty', content: '' },
      { path: 'binary', content: 'a\0b' },
      { path: 'a', content: 'bc word' },
      { path: 'ab', content: 'c word' },
      { path: 's', content: '\ud800 word' },
    ]);
    assert.deepEqual(await store.findMissing([empty!, binary!]), { unknown: [], nonindexed: [] });
    assert.equal(one, nameOf('a', 'bc word'));
    assert.notEqual(other, one);
    assert.equal(surrogate, nameOf('s', '\ufffd word'));
    assert.deepEqual(found(await store.retrieve('word', scope([one]))), ['a']);
    assert.deepEqual(found(await store.retrieve('word', scope([other!]))), ['ab']);
    assert.deepEqual(await store.upload([{ path: 'ab', content: 'c word' }]), [other], 'the name stays');
  });

  it('names files in a checkpoint before they are uploaded', async () => {
    const content = 'a word that comes late\n';
    const checkpoint = await store.checkpoint(scope([nameOf('late.txt', content)]));
    assert.deepEqual(found(await store.retrieve('word', scope([], checkpoint))), []);
    await store.upload([{ path: 'late.txt', content }]);
    assert.deepEqual(found(await store.retrieve('late', scope([], checkpoint))), ['late.txt']);
  });

  it('uploads the same files twice at a time', async () => {
    const blobs = Array.from({ length: 30 }, (_, i) => ({ path: `f${i}.txt`, content: `number ${i} of many\n` }));
    const [names, again] = await Promise.all([store.upload(blobs), store.upload(blobs)]);
    assert.deepEqual(names, again);
    assert.deepEqual(await store.findMissing(names), { unknown: [], nonindexed: [] });
    assert.equal(found(await store.retrieve('many', scope(names))).length, 30);
  });

  it('understands the whole query language', async () => {
    const files = readdirSync(ENGINE).filter((name) => name.endsWith('.ts'));
    const blobs = files.map((name) => ({
      path: `src/query/${name}`,
      content: readFileSync(join(ENGINE, name), 'utf8'),
    }));
    blobs.push({ path: 'docs/ranking.md', content: '# Ranking\n\nHow candidates are ranked by features.\n' });
    const all = await store.checkpoint(scope(await store.upload(blobs)));
    const first = async (query: string): Promise<string | undefined> =>
      pathsIn(await store.retrieve(query, scope([], all)))[0];
    assert.equal(await first('FeatureExtractor'), 'src/query/featureExtractor.ts');
    assert.equal(await first('how are globs with braces compiled'), 'src/query/glob.ts');
    assert.equal(await first('expandSym'), 'src/query/symbols.ts');
    assert.equal(await first('sym:oneOfEachFamily'), 'src/query/families.ts');
    assert.equal(await first('src/query/topK'), 'src/query/topK.ts');
    assert.equal(await first('at compileGlob (src/query/glob.ts:60:3)'), 'src/query/glob.ts');
    assert.equal(await first('candidates ranked lang:markdown'), 'docs/ranking.md');
    const paths = async (query: string): Promise<string[]> => found(await store.retrieve(query, scope([], all)));
    assert.deepEqual(await paths('file:glob*'), ['src/query/glob.test.ts', 'src/query/glob.ts']);
    assert.deepEqual(await paths('path:src/**/topK.ts'), ['src/query/topK.ts']);
    assert.deepEqual(await paths('lang:md'), ['docs/ranking.md']);
    assert.deepEqual(await paths('/oneOfEach[A-Z]amily\\(ranked:/'), ['src/query/families.ts']);
    assert.deepEqual(await paths('"candidates are ranked by features"'), ['docs/ranking.md']);
    const without = await paths('candidates ranked -lang:typescript');
    assert.deepEqual(without, ['docs/ranking.md']);
    assert.ok(!(await paths('ranking -features')).includes('docs/ranking.md'));
  });

  it('finds in any scope the files that it has, and no others', async () => {
    const blobs = Array.from({ length: 12 }, (_, i) => ({ path: `${i}.txt`, content: `needle ${i}\n` }));
    const names = await store.upload(blobs);
    const some = fc.uniqueArray(fc.nat(names.length - 1));
    await fc.assert(
      fc.asyncProperty(some, some, some, async (base, added, deleted) => {
        const of = (numbers: readonly number[]): string[] => numbers.map((i) => names[i]!);
        const checkpoint = await store.checkpoint(scope(of(base)));
        const expected = new Set([...base, ...added]);
        for (const i of deleted) expected.delete(i);
        const text = await store.retrieve('needle', scope(of(added), checkpoint, of(deleted)));
        assert.deepEqual(found(text), Array.from(expected, (i) => `${i}.txt`).sort());
      }),
      { numRuns: times(20) },
    );
  });
}
