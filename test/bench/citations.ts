import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Passage } from '../../src/ask/answer.ts';
import { Asker } from '../../src/ask/asker.ts';
import { extractiveProvider } from '../../src/ask/extractive.ts';
import { documentId } from '../../src/engine/documentId.ts';
import { Engine } from '../../src/engine/engine.ts';
import { listFiles } from './listing.mjs';
import { covers } from './metric.ts';
import { folderOf, questionsOf, type Repository, type Scope } from './questions.ts';

export interface AskedQuestion {
  readonly repository: string;
  readonly query: string;
  /** Whether the first result of the search matches the question. */
  readonly searchIsRight: boolean;
  /** Whether the first citation of the extractive answer matches the question. */
  readonly citationIsRight: boolean;
  readonly cited: number;
  /** Citations whose lines differ from the file. */
  readonly broken: number;
  readonly removed: number;
  readonly ms: number;
}

/** Indexes one repository and answers all its questions without a model. */
export async function askRepository(
  data: string,
  repository: Repository,
  scope: Scope,
  files: string,
): Promise<AskedQuestion[]> {
  const root = folderOf(data, repository, scope);
  const state = mkdtempSync(join(tmpdir(), 'sextant-bench-ask-'));
  const engine = Engine.open(state);
  try {
    await engine.apply({ add: documents(root, files) });
    const asker = new Asker({
      search: async (query, limit) => (await engine.search(query, { limit })).map((hit) => ({ root, ...hit })),
      read: (_root, path) => Promise.resolve(readFileSync(join(root, path), 'utf8')),
    });
    const asked: AskedQuestion[] = [];
    for (const { query, targets } of questionsOf(data, repository.name)) {
      const [first] = await engine.search(query, { limit: 10 });
      const isRight = (place: Pick<Passage, 'path' | 'startLine' | 'endLine'> | undefined): boolean =>
        place !== undefined &&
        targets.some((target) =>
          covers({ path: join(root, place.path), start_line: place.startLine, end_line: place.endLine }, target),
        );
      const began = performance.now();
      for await (const event of asker.ask({ question: query, provider: extractiveProvider })) {
        if (event.kind !== 'done') continue;
        const { cited, removedCitations } = event.answer;
        asked.push({
          repository: repository.name,
          query,
          searchIsRight: isRight(first),
          citationIsRight: isRight(cited[0]),
          cited: cited.length,
          broken: cited.filter((passage) => !isThere(root, passage)).length,
          removed: removedCitations,
          ms: performance.now() - began,
        });
      }
    }
    return asked;
  } finally {
    await engine.close();
    rmSync(state, { recursive: true, force: true });
  }
}

/** Whether the file has exactly these lines there; of a long line, only the beginning is compared. */
function isThere(root: string, { path, startLine, endLine, text }: Passage): boolean {
  const lines = readFileSync(join(root, path), 'utf8').split(/\r\n|\r|\n/);
  const there = lines.slice(startLine - 1, endLine).join('\n');
  return text !== '' && (there === text || (startLine === endLine && there.startsWith(text)));
}

function* documents(
  root: string,
  files: string,
): Generator<{ id: ReturnType<typeof documentId>; path: string; content: Buffer }> {
  for (const path of listFiles(root, files)) {
    const content = readFileSync(join(root, path));
    yield { id: documentId(path, content), path, content };
  }
}
