import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DefinitionKind } from '../../../src/engine/analyze/language.ts';
import { documentId } from '../../../src/engine/documentId.ts';
import { Engine, EngineReader, type EngineDocument } from '../../../src/engine/engine.ts';
import { PLACE_COLUMNS } from '../../../src/engine/query/placeFeatures.ts';
import type { PlaceRows } from '../../../src/engine/query/foundDocument.ts';
import { parseQuery } from '../../../src/engine/query/query.ts';
import { placeRows } from '../../../src/engine/query/search.ts';
import { overlap, type SourceRange } from '../../../src/engine/query/sourceRange.ts';
import { askQuestions } from '../ask/questions.ts';
import { listFiles } from '../listing.mjs';
import type { QuestionedRepository } from './questions.ts';

/** Features of places that are no answer to a free question, as no comment is on them, but may be one to others. */
const UNASKED: readonly string[] = ['heading'];
/**
 * Columns beside the product's features. A document's score and rank would stand for other features; and each answer to a free
 * question has a comment, whatever other places have. They are fitted, so that no feature stands for them, and get no weight.
 */
const NUISANCES = ['fileScore', 'fileRank', 'documented', 'commentLines'] as const;
/** Columns that get no weight. */
export const UNWEIGHED: ReadonlySet<string> = new Set([...NUISANCES, ...UNASKED]);
export const EXAMPLE_COLUMNS: readonly string[] = [...PLACE_COLUMNS, ...NUISANCES];

/** Number of documents whose places are compared. */
export const FILES = 10;

/** Free questions, and those of bench:ask, which have lines that answer. */
export type PlaceSet = 'free' | 'ask';

/** A question with the places of the first documents. */
export interface PlaceExample {
  readonly set: PlaceSet;
  readonly repository: string;
  /** The kind of the definition that the question is about, if it is about one. */
  readonly kind?: DefinitionKind;
  readonly count: number;
  /** Rows of features, concatenated. */
  readonly rows: Float32Array;
  /** Scores of the documents, in their order. */
  readonly scores: Float64Array;
  /** By place: the rank of its document, from 0, and its lines. */
  readonly documents: Uint8Array;
  readonly lines: Uint32Array;
  /** The places that answer. */
  readonly right: readonly number[];
  /** The rank of the answer's document, from 0; -1 if it is none of the first. */
  readonly rightDocument: number;
}

/** The files and places that answer a question. */
interface Asked {
  readonly isFile: (path: string) => boolean;
  readonly isRight: (path: string, range: SourceRange) => boolean;
}

/** Indexes a repository whose sentences are hidden, and asks its questions. */
export async function placeExamples({ name, files, questions }: QuestionedRepository): Promise<PlaceExample[]> {
  return withIndex(documentsOf(files), ({ segments }) =>
    questions.map(({ text, path: asked, line, kind }) => ({
      ...{ set: 'free' as const, repository: name, kind },
      ...exampleOf(placeRows(segments, text, FILES), {
        isFile: (path) => path === asked,
        isRight: (path, { symbol, startLine, endLine }) =>
          path === asked && symbol?.line === line && startLine <= line && line <= endLine,
      }),
    })),
  );
}

/** The questions of bench:ask about a repository that are no follow-ups, nor names; a place with one of the lines that answer is right. */
export function askedPlaceExamples(repository: string, root: string): Promise<PlaceExample[]> {
  const documents = documentsOf(
    listFiles(root, 'all').map((path) => ({ path, content: readFileSync(join(root, path)) })),
  );
  const asked = askQuestions(repository, root).filter(
    ({ before, text }) => before === undefined && parseQuery(text).symbol === undefined,
  );
  return withIndex(documents, ({ segments }) =>
    asked.map(({ text, answers }) => ({
      ...{ set: 'ask' as const, repository },
      ...exampleOf(placeRows(segments, text, FILES), {
        isFile: (path) => answers.some((one) => one.path === path),
        isRight: (path, range) => answers.some((one) => one.path === path && overlap(one, range)),
      }),
    })),
  );
}

export function documentsOf(files: readonly Pick<EngineDocument, 'path' | 'content'>[]): EngineDocument[] {
  return files.map(({ path, content }) => ({ id: documentId(path, content), path, content }));
}

/** Calls `use` with a temporary index of the documents. */
export async function withIndex<T>(
  documents: Iterable<EngineDocument>,
  use: (reader: EngineReader) => T | Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'sextant-places-'));
  const engine = Engine.open(folder);
  await engine.apply({ add: documents });
  await engine.close();
  const reader = new EngineReader(folder);
  try {
    return await use(reader);
  } finally {
    reader.close();
    rmSync(folder, { recursive: true });
  }
}

function exampleOf(
  found: readonly PlaceRows[],
  { isFile, isRight }: Asked,
): Omit<PlaceExample, 'set' | 'repository' | 'kind'> {
  const places = found.flatMap(({ path, places }, document) => places.map((place) => ({ path, document, ...place })));
  const columns = EXAMPLE_COLUMNS.length;
  const rows = new Float32Array(places.length * columns);
  for (const [i, { row, document, range }] of places.entries()) {
    const { startLine, line } = range.symbol ?? { startLine: 0, line: 0 };
    const score = found[document]!.score - found[0]!.score;
    rows.set(
      [...row, score, Math.log1p(document), Number(startLine < line), Math.log1p(line - startLine)],
      i * columns,
    );
  }
  return {
    count: places.length,
    rows,
    scores: Float64Array.from(found, ({ score }) => score),
    documents: Uint8Array.from(places, ({ document }) => document),
    lines: Uint32Array.from(places.flatMap(({ range: { startLine, endLine } }) => [startLine, endLine])),
    right: places.flatMap(({ path, range }, i) => (isRight(path, range) ? [i] : [])),
    rightDocument: found.findIndex(({ path }) => isFile(path)),
  };
}
