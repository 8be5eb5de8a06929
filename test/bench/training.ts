import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { documentId } from '../../src/engine/documentId.ts';
import { Engine, EngineReader } from '../../src/engine/engine.ts';
import { parseQuery } from '../../src/engine/query/query.ts';
import { candidateRows } from '../../src/engine/query/search.ts';
import { covers } from './metric.ts';
import { folderOf, questionsOf, type Repository, type Scope } from './questions.ts';
import { listFiles } from './listing.mjs';

/** A question with the features of its candidates, and the target of each candidate. */
export interface Example {
  readonly repository: string;
  readonly scope: Scope;
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

/** Indexes a repository's code and runs the benchmark's questions. */
export async function examplesOf(data: string, repository: Repository, scope: Scope): Promise<Example[]> {
  const root = folderOf(data, repository, scope);
  const folder = mkdtempSync(join(tmpdir(), 'sextant-training-'));
  const engine = Engine.open(folder);
  await engine.apply({ add: documentsOf(root) });
  await engine.close();
  const reader = new EngineReader(folder);
  const examples = questionsOf(data, repository.name).map(({ query, category, targets }): Example => ({
    repository: repository.name,
    scope,
    category,
    query,
    isSymbol: parseQuery(query).symbol !== undefined,
    targets: targets.length,
    candidates: candidateRows(reader.segments, query).map(({ path, row, ruled }) => ({
      path,
      row,
      ruled,
      targets: targets.flatMap((target, i) => (covers({ path: join(root, path) }, target) ? [i] : [])),
    })),
  }));
  reader.close();
  rmSync(folder, { recursive: true });
  return examples;
}

function* documentsOf(root: string): Generator<{ id: string; path: string; content: Buffer }> {
  for (const path of listFiles(root)) {
    const content = readFileSync(join(root, path));
    yield { id: documentId(path, content), path, content };
  }
}
