import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { groupBy } from '../../src/base/collections.ts';
import { toUtf8 } from '../../src/engine/analyze/text.ts';
import { documentId } from '../../src/engine/documentId.ts';
import type { EngineReader } from '../../src/engine/engine.ts';
import { parseQuery } from '../../src/engine/query/query.ts';
import { candidateRows } from '../../src/engine/query/search.ts';
import { covers } from './metric.ts';
import { documentsOf as hiddenDocuments, withIndex } from './places/examples.ts';
import type { QuestionedRepository } from './places/questions.ts';
import { folderOf, questionsOf, type Repository } from './questions.ts';
import { listFiles } from './listing.mjs';

/** Folder and files: code of the source root, code of the whole checkout, or all text of it. */
export const TRAINING_SCOPES = ['root', 'repo', 'all'] as const;
/** `free`: all text of a package with hidden comments, which ask for their files. */
export type TrainingScope = (typeof TRAINING_SCOPES)[number] | 'free';

/** A question with the features of its candidates, and the target of each candidate. */
export interface Example {
  readonly repository: string;
  readonly scope: TrainingScope;
  readonly category: string;
  readonly query: string;
  readonly isSymbol: boolean;
  readonly targets: number;
  readonly candidates: readonly ExampleCandidate[];
}

export interface ExampleCandidate {
  readonly path: string;
  readonly row: Float64Array;
  readonly ruled: number;
  readonly targets: readonly number[];
}

/** Indexes a repository and runs the benchmark's questions. */
export async function examplesOf(data: string, repository: Repository, scope: TrainingScope): Promise<Example[]> {
  const root = folderOf(data, repository, scope === 'root' ? 'root' : 'repo');
  return withIndex(documentsOf(root, scope === 'all' ? 'all' : 'code'), ({ segments }) =>
    questionsOf(data, repository.name).map(({ query, category, targets }) => ({
      ...{ repository: repository.name, scope, category, query, targets: targets.length },
      isSymbol: parseQuery(query).symbol !== undefined,
      candidates: candidatesOf(segments, query, (path) =>
        targets.flatMap((target, i) => (covers({ path: join(root, path) }, target) ? [i] : [])),
      ),
    })),
  );
}

/** Asks the free questions of a package, at most one about each file. Their comments are hidden. */
export async function freeExamplesOf(
  { name, files, questions }: QuestionedRepository,
  most: number,
): Promise<Example[]> {
  const perFile = [...groupBy(questions, ({ path }) => path).values()].map(([first]) => first!);
  return withIndex(hiddenDocuments(files), ({ segments }) =>
    perFile.slice(0, most).map(({ text: query, path: asked }) => ({
      ...{ repository: name, scope: 'free' as const, category: 'free', query, targets: 1 },
      isSymbol: parseQuery(query).symbol !== undefined,
      candidates: candidatesOf(segments, query, (path) => (path === asked ? [0] : [])),
    })),
  );
}

function candidatesOf(
  segments: EngineReader['segments'],
  query: string,
  targetsOf: (path: string) => number[],
): ExampleCandidate[] {
  return candidateRows(segments, query).map((one) => ({ ...one, targets: targetsOf(one.path) }));
}

function* documentsOf(root: string, listing: 'all' | 'code'): Generator<{ id: string; path: string; content: Buffer }> {
  for (const path of listFiles(root, listing)) {
    const content = readFileSync(join(root, path));
    if (listing === 'all' && !toUtf8(content)) continue;
    yield { id: documentId(path, content), path, content };
  }
}
