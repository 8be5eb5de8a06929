import { hasIndexable, stem, wordsIn } from '../engine/analyze/words.ts';
import { isKnown, type ChangedPaths } from '../engine/query/filters.ts';
import { parseQuery } from '../engine/query/query.ts';
import { unindexedWords } from '../engine/query/fallbacks.ts';
import { FILTER_FIELDS, parseQueryLanguage, type QueryProblem } from '../engine/query/queryLanguage.ts';
import type { Contribution } from '../engine/query/features.ts';
import type { FolderHit, Hit, SearchOptions } from '../engine/query/hits.ts';
import { searchIndexes } from '../engine/query/searchIndexes.ts';
import { SearchMemory } from '../engine/query/searchMemory.ts';
import { ChangedFiles } from './changedFiles.ts';
import { featureGroup } from './featureGroups.ts';
import { FolderReaders } from './folderReaders.ts';
import { textsOf } from './fileTexts.ts';
import type { SearchFolder } from './searcher.ts';

/** A file and a query to explain. */
export interface RankRequest {
  /** The folders that are searched together; `root` is one of them. */
  readonly folders: readonly SearchFolder[];
  readonly root: string;
  /** Relative to `root`, with `/`. */
  readonly path: string;
  /** In the query language. */
  readonly query: string;
  /** Whether Git may run in the folders, as `changed:` needs. */
  readonly isTrusted?: boolean;
}

export interface RankedFile {
  readonly root: string;
  readonly path: string;
  readonly line: number;
  readonly score: number;
  /** Contributions to the score; missing for a query of filters alone, which do not rank. */
  readonly explanation?: readonly Contribution[];
}

/** A part of the query that keeps a file from being a result. */
export interface Mismatch {
  readonly kind: 'words' | 'phrase' | 'filter' | 'excluded';
  /** The part as typed. */
  readonly text: string;
}

export type RankAnswer = {
  readonly problems: readonly QueryProblem[];
  /** Words of the query, as typed, that neither the file nor its path has. */
  readonly missingWords: readonly string[];
} & (
  | {
      readonly kind: 'ranked';
      /** From 1; `undefined` behind the first {@link MAX_RANK}. */
      readonly rank: number | undefined;
      readonly file: RankedFile;
      readonly first: RankedFile;
      /**
       * Whether all features decided its rank. For a file that was not a candidate, the features are computed as if it
       * replaced the last candidate.
       */
      readonly isCandidate: boolean;
    }
  | { readonly kind: 'unmatched'; readonly mismatches: readonly Mismatch[] }
  /** The index does not have the file. */
  | { readonly kind: 'unknown' }
);

/** Ranks are counted up to this one. */
export const MAX_RANK = 1_000;
/** Number of candidates, with the file itself, whose features are all computed. */
const CANDIDATES = 48;

/**
 * Rank of a file among the results of a query, or the parts of the query that it does not match. Reads the index as it is;
 * phrases are searched in the files. Rejects with `Cancelled`.
 */
export async function explainRank(request: RankRequest, signal?: AbortSignal): Promise<RankAnswer> {
  const { folders, root, path, query } = request;
  const parsed = parseQueryLanguage(query);
  const { problems: malformed, filters } = parsed;
  const folderAt = (at: string): SearchFolder | undefined => folders.find((folder) => folder.root === at);
  const missingWords = wordsMissingIn(query, path, textOf(folderAt(root), path) ?? '');
  const readers = new FolderReaders();
  try {
    // Throws where the index of this folder cannot be read.
    readers.open(folders.filter((folder) => folder.root === root));
    const { opened, problems: unread } = readers.open(folders);
    const { byRoot, problems: unresolved } = await new ChangedFiles().resolve(
      opened,
      filters,
      request.isTrusted ?? false,
    );
    const problems = [...malformed, ...unread, ...unresolved];
    const optionsIn = (folder: string): SearchOptions => ({
      ...folderAt(folder),
      changed: byRoot.get(folder) ?? new Map(),
      readText: (file) => textOf(folderAt(folder), file),
      withinWords: true,
    });
    const reader = opened.find((one) => one.root === root)?.reader;
    const id = reader?.find(path);
    if (!reader || id === undefined) return { kind: 'unknown', problems, missingWords };
    const find = (text: string, only?: ReadonlySet<string>): Promise<Hit[]> =>
      reader.search(text, {
        ...optionsIn(root),
        limit: MAX_RANK,
        explain: true,
        ...(signal && { signal }),
        ...(only && { within: only }),
      });

    const [alone] = await find(query, new Set([id]));
    if (!alone) {
      const matches = async (text: string): Promise<boolean> => (await find(text, new Set([id]))).length > 0;
      return {
        kind: 'unmatched',
        mismatches: await mismatchesOf(query, matches, byRoot.get(root)),
        problems: [...problems, ...unindexedWords(parsed)],
        missingWords,
      };
    }
    const searchAll = async (within?: ReadonlySet<string>): Promise<readonly FolderHit[]> => {
      const indexes = opened.map((one) => ({ ...optionsIn(one.root), index: one.reader, ...(within && { within }) }));
      const options = { limit: MAX_RANK, explain: true };
      return (await searchIndexes(indexes, parsed, options, new SearchMemory(), signal)).hits;
    };
    const isFile = ({ folder, hit }: FolderHit): boolean => opened[folder]!.root === root && hit.id === id;
    const hits = await searchAll();
    const at = hits.findIndex(isFile);
    const first = hits[0]!;
    const found = hits[at]?.hit;
    let shown = found ?? alone;
    const isCandidate = found !== undefined && (found.explanation !== undefined || first.hit.explanation === undefined);
    if (!isCandidate) {
      const others = hits.slice(0, CANDIDATES - 1);
      const beside = await searchAll(new Set([...others.map(({ hit }) => hit.id), id]));
      shown = beside.find(isFile)?.hit ?? shown;
    }
    return {
      kind: 'ranked',
      rank: at < 0 ? undefined : at + 1,
      file: toRanked(root, shown),
      first: toRanked(opened[first.folder]!.root, first.hit),
      isCandidate,
      problems,
      missingWords,
    };
  } finally {
    readers.close();
  }
}

/** Contributions of one group of features to both scores. */
export interface ComparedContribution {
  /** Name in docs/ranking.md. */
  readonly group: string;
  readonly file: number;
  readonly first: number;
}

/** Contributions to two scores by group of features, the largest difference first. */
export function compareContributions(file: RankedFile, first: RankedFile): ComparedContribution[] {
  const groups = new Map<string, { file: number; first: number }>();
  for (const side of ['file', 'first'] as const) {
    for (const { feature, share } of (side === 'file' ? file : first).explanation ?? []) {
      const group = featureGroup(feature);
      const both = groups.get(group) ?? { file: 0, first: 0 };
      both[side] += share;
      groups.set(group, both);
    }
  }
  return [...groups]
    .map(([group, both]) => ({ group, ...both }))
    .sort((a, b) => Math.abs(b.first - b.file) - Math.abs(a.first - a.file));
}

/** Describes a mismatch in words. */
export function describeMismatch({ kind, text }: Mismatch): string {
  switch (kind) {
    case 'words':
      return `It has none of these words, and no name like them: ${text}`;
    case 'phrase':
      return `It does not have the phrase ${text}`;
    case 'filter':
      return `It does not match the filter ${text}`;
    case 'excluded':
      return `It is excluded by ${text}`;
  }
}

function toRanked(root: string, { path, score, startLine, symbol, explanation }: Hit): RankedFile {
  return { root, path, line: symbol?.line ?? startLine, score, ...(explanation && { explanation }) };
}

/** Searches for each part of the query alone. Filters of one field are alternatives, so they are searched together. */
async function mismatchesOf(
  query: string,
  matches: (text: string) => Promise<boolean>,
  changed: ChangedPaths | undefined,
): Promise<Mismatch[]> {
  const { words, phrases, filters: all, excludedWords } = parseQueryLanguage(query);
  const filters = all.filter((filter) => isKnown(filter, changed));
  const typed = ({ start, end }: { readonly start: number; readonly end: number }): string => query.slice(start, end);
  const mismatches: Mismatch[] = [];
  for (const field of FILTER_FIELDS) {
    const wanted = filters.filter((filter) => filter.field === field && !filter.exclude);
    const text = wanted.map(typed).join(' ');
    if (text !== '' && !(await matches(text))) mismatches.push({ kind: 'filter', text });
  }
  for (const phrase of phrases.filter(({ exclude }) => !exclude)) {
    if (!(await matches(typed(phrase)))) mismatches.push({ kind: 'phrase', text: typed(phrase) });
  }
  for (const part of [...filters, ...phrases, ...excludedWords]) {
    const isExcluding = !('exclude' in part) || part.exclude;
    if (isExcluding && (await matches(typed(part).slice(1)))) mismatches.push({ kind: 'excluded', text: typed(part) });
  }
  // Of other words the index tells nothing.
  if (hasIndexable(words) && !(await matches(words))) mismatches.push({ kind: 'words', text: words.trim() });
  return mismatches;
}

/** The words of a query by their stems, as typed. */
export function typedWords(query: string): Map<string, string> {
  const { words } = parseQueryLanguage(query);
  const wanted = new Set(parseQuery(words).words);
  const typed = new Map<string, string>();
  for (const word of wordsIn(words)) if (wanted.has(stem(word))) typed.set(stem(word), word);
  return typed;
}

/** Words of a query, as typed, whose stems are in neither a text nor a path. */
function wordsMissingIn(query: string, path: string, text: string): string[] {
  const missing = typedWords(query);
  for (const word of wordsIn(`${path} ${text}`)) {
    if (missing.size === 0) break;
    missing.delete(stem(word));
  }
  return [...missing.values()];
}

function textOf(folder: SearchFolder | undefined, path: string): string | undefined {
  return folder && textsOf(folder)(path)?.text.toString('utf8');
}
