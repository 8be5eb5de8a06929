import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Searcher } from '../../../src/workspace/searcher.ts';
import { documentsOf, openIndex } from '../../workspace/support.ts';
import { runRipgrep } from './ripgrep.ts';
import type { ClassifiedQuery } from './rules.ts';

/** A file and the lines that are shown of it. */
export interface Found {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
}

/** The answer of Sextant or of ripgrep to a query. */
export interface Answer {
  /** The first results, best first. */
  readonly found: readonly Found[];
  /** The position of the first right result, from 1; missing if it is not among the first ten. */
  readonly rank?: number;
  readonly ms: number;
}

export interface Measured extends ClassifiedQuery {
  /** Whether the index has an expected file. */
  readonly isIndexed: boolean;
  readonly sextant: Answer;
  readonly ripgrep?: Answer;
}

const LIMIT = 10;

/** Indexes a folder as the extension does, with default settings, and searches it with each query in this process. */
export async function measure(
  folder: string,
  queries: readonly ClassifiedQuery[],
  ripgrep: string | undefined,
): Promise<Measured[]> {
  const stateFolder = mkdtempSync(join(tmpdir(), 'sextant-typed-'));
  const searcher = new Searcher();
  try {
    const index = openIndex(folder, stateFolder);
    await index.reconcile();
    await index.close();
    const indexed = documentsOf(stateFolder);
    const search = async ({ text }: ClassifiedQuery): Promise<Found[]> => {
      const { results } = await searcher.search({
        folders: [{ root: folder, stateFolder }],
        query: text,
        limit: LIMIT,
      });
      return results.map(({ path, startLine, endLine }) => ({ path, startLine, endLine }));
    };
    // The index is read on first use, which is not counted.
    for (const query of queries) await search(query);
    const measured: Measured[] = [];
    for (const query of queries) {
      const sextant = await answer(query, () => search(query));
      const other = ripgrep && (await answer(query, () => runRipgrep(ripgrep, folder, query.text)));
      const isIndexed = query.paths.some((path) => indexed.has(path));
      measured.push({ ...query, isIndexed, sextant, ...(other && { ripgrep: other }) });
    }
    return measured;
  } finally {
    searcher.close();
    rmSync(stateFolder, { recursive: true, force: true });
  }
}

async function answer(query: ClassifiedQuery, search: () => Found[] | Promise<Found[]>): Promise<Answer> {
  const began = performance.now();
  const found = (await search()).slice(0, LIMIT);
  const ms = performance.now() - began;
  const rank = found.findIndex((one) => isRight(one, query)) + 1;
  return { found, ms, ...(rank > 0 && { rank }) };
}

/** A result is right if it is an expected file and, where a line is expected, covers the line. */
export function isRight(
  { path, startLine, endLine }: Found,
  { paths, line }: Pick<ClassifiedQuery, 'paths' | 'line'>,
): boolean {
  return paths.includes(path) && (line === undefined || (startLine <= line && line <= endLine));
}
