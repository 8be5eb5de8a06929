import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runs } from '../../test/support/runs.ts';
import { DocumentAnalyzer, outerFolder, termToken } from './analyzedDocument.ts';
import { documentId } from './documentId.ts';
import { Field, termHash } from './index/format.ts';
import { MemorySegment, type MemoryDocument } from './index/memorySegment.ts';
import type { Hit } from './query/hits.ts';
import { parseQueryLanguage } from './query/queryLanguage.ts';
import { keyOf, type Term } from './query/terms.ts';
import { CandidateSegments } from './candidateSegments.ts';
import { rankCandidates } from './rankCandidates.ts';

const FOLDER = join(import.meta.dirname, 'query');
const documents: readonly MemoryDocument[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => {
    const text = readFileSync(join(FOLDER, name));
    const path = `src/query/${name}`;
    return { id: documentId(path, text), path, text };
  });
const QUERIES = [
  'how are candidates ranked by features',
  'parseQueryLanguage',
  'glob brace expansion',
  'lang:typescript file:regex literals',
  '"export class"',
  'where is a phrase compiled',
  'spel',
  'FeatureExtractor.rows',
];

describe('ranking of candidates from another index', () => {
  const whole = new MemorySegment(documents);
  const kept = new CandidateSegments(1 << 20);
  after(() => {
    whole.reader.close();
    kept.close();
  });
  const { reader } = whole;
  const statistics = {
    documents: documents.length,
    tokens: reader.footer.tokens,
    chunks: reader.footer.chunks,
    languages: reader.languages,
    folders: reader.folders,
  };
  const counted = (terms: readonly Term[]): readonly number[] =>
    terms.map(({ field, text }) => reader.documentsWith(termHash(field, text)));

  /** Ranks documents, and returns the terms that were counted after the first ranking. */
  async function rank(
    candidates: readonly MemoryDocument[],
    query: string,
    segments = kept,
  ): Promise<[readonly Hit[], Set<string>]> {
    const late = new Set<string>();
    const count = (terms: readonly Term[]): Promise<readonly number[]> => {
      for (const term of terms) late.add(keyOf(term));
      return Promise.resolve(counted(terms));
    };
    const options = { statistics, counts: new Map<string, number>(), count, kept: segments, limit: 20, explain: true };
    return [await rankCandidates(candidates, parseQueryLanguage(query), options), late];
  }

  it('gives some documents the scores that they have among all', async () => {
    let hits = 0;
    for (const query of QUERIES) {
      const [all, late] = await rank(documents, query);
      assert.ok(all.length > 0, query);
      assert.ok(late.size > 0, 'terms are counted');
      const best = new Set(all.slice(0, 10).map(({ id }) => id));
      const [few] = await rank(
        documents.filter(({ id }) => best.has(id)),
        query,
      );
      assert.deepEqual(few.map(({ path }) => path).sort(), [...best].map((id) => pathOf(id)).sort(), query);
      for (const { path, explanation } of few) {
        const before = all.find((one) => one.path === path)!;
        const shared = (one: Hit['explanation']): unknown => one?.filter(({ feature }) => isOwn(feature));
        assert.deepEqual(shared(explanation), shared(before.explanation), `${query}: ${path}`);
        hits++;
      }
    }
    assert.ok(hits > 40, String(hits));
  });

  it('is the same whichever candidates were analysed before, for searches at a time and little memory', async () => {
    const subset = fc.subarray([...documents], { minLength: 1 });
    const search = fc.tuple(subset, fc.constantFrom(...QUERIES));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(search, { minLength: 1, maxLength: 3 }), { maxLength: 4 }), async (rounds) => {
        const few = new CandidateSegments(100_000);
        for (const round of rounds) {
          const answers = await Promise.all(round.map(([some, query]) => rank(some, query, few)));
          for (const [i, [some, query]] of round.entries()) {
            const [expected] = await rank(some, query, new CandidateSegments(0));
            assert.deepEqual(answers[i]![0], expected);
          }
        }
        few.close();
      }),
      { numRuns: runs(8) },
    );
  });

  it('finds nothing among no documents', async () => {
    assert.deepEqual(await rank([], 'word'), [[], new Set()]);
  });
});

describe('the terms of a document', () => {
  it('are those that a segment of it has, with its language, folder and names', () => {
    const analyzer = new DocumentAnalyzer();
    for (const document of documents) {
      const { terms, tokens, chunks, language, folder, names } = analyzer.analyze(document);
      const segment = new MemorySegment([document]);
      const { reader } = segment;
      try {
        assert.equal([...terms.values()].flat().length, reader.footer.terms);
        assert.deepEqual([tokens, chunks], [reader.footer.tokens, reader.footer.chunks]);
        assert.deepEqual([language, folder], [reader.languageOf(0), reader.outerFolderOf(0)]);
        const cursor = reader.names('');
        const expected: string[] = [];
        while (cursor.next()) expected.push(cursor.text());
        assert.deepEqual([...names].sort(), expected.sort());
        for (const list of terms.values()) for (const term of list) assert.ok(reader.has(term), document.path);
      } finally {
        reader.close();
      }
    }
  });

  it('are texts of eight characters, equal for equal terms', () => {
    const { terms } = new DocumentAnalyzer().analyze({
      id: documentId('a/b/c/parseQuery.ts', Buffer.from('x')),
      path: 'a/b/c/parseQuery.ts',
      text: Buffer.from('// parse parse\nexport function handleFault() {}\n'),
    });
    const token = (field: Field, text: string): string => termToken(termHash(field, text));
    const of = (field: Field): Map<string, number> =>
      new Map(terms.get(field)!.map((term) => [termToken(term), term.count]));
    assert.equal(of(Field.body).get(token(Field.body, 'pars')), 2);
    assert.deepEqual([...of(Field.symbol).keys()], [token(Field.symbol, 'handlefault')]);
    assert.equal(of(Field.fileName).get(token(Field.fileName, 'pars')), 1);
    assert.match([...of(Field.body).keys()].join(' '), /^([\w-]{8} ?)+$/);
  });

  it('have the outermost two folders as bytes', () => {
    for (const [path, folder] of [
      ['a.ts', ''],
      ['a/b.ts', 'a'],
      ['a/b/c/d.ts', 'a/b'],
      ['ä/b.ts', 'Ã¤'],
    ] as const)
      assert.equal(outerFolder(path), folder);
  });
});

function pathOf(id: string): string {
  return documents.find((one) => one.id === id)!.path;
}

/** Whether a feature is about the document and counts alone, not about the other candidates. */
function isOwn(feature: string): boolean {
  return !feature.endsWith('/max') && !['alike', 'place', 'neighbours', 'neighbourhood'].includes(feature);
}
