import type { Passage } from '../ask/answer.ts';
import { QUESTION_PROFILE, retrievePassages, type AskProfile } from '../ask/retrieve.ts';
import { nameSegments } from '../engine/analyze/symbolNames.ts';
import type { ModelFolder } from '../workspace/givenPath.ts';
import type { IndexableFile } from '../workspace/readIndexable.ts';
import type {
  SearchRequest,
  SearchResponse,
  SearchResult,
  UsagesRequest,
  UsagesResponse,
} from '../workspace/searcher.ts';
import { isName } from '../workspace/usages.ts';
import { formatLines, type RetrievedLines } from '../wire/formatRetrieval.ts';

/** Scores so far below the first are of files that rather do not answer. */
const FALL = 3;
/** Fewest characters of a token in code, on average. */
const LEAST_PER_TOKEN = 3;
/** Least number of files for a question; a name may have a single one. */
const LEAST = 3;
/**
 * For a request in plain words: definitions are shorter than for a person, so that more of them fit, and short ones count as
 * much as long ones, since a change needs types and signatures, too. Names say most about definitions without a comment.
 */
const PROFILE: AskProfile = {
  ...QUESTION_PROFILE,
  wholeLines: 40,
  relatedWords: 0,
  documents: 0,
  comparedFiles: 12,
  placedFiles: 12,
  weights: {
    ...{ text: 1.3, name: 6.2, near: 0.8, path: 1.4, file: -2.7, place: -0.8, unfound: -1 },
    ...{ heading: 3, test: 3, unwantedTest: -1.3 },
  },
  fall: 4.2,
};
/** For a name: nothing but the places that search found. */
const NAME_PROFILE: AskProfile = { ...PROFILE, wholeLines: 60, comparedFiles: 0, placedFiles: 0, called: 0 };

/** Number of the best definitions whose uses are listed, and of the uses of each. */
const USES = [15, 8, 5];
/** A name with more uses is too common for a list to help. */
const COMMON = 40;
/** Largest share of the answer for uses. */
const USES_SHARE = 1 / 3;
const USE_LENGTH = 100;
/** Kinds of definitions that are used by their name. */
const USED: ReadonlySet<string> = new Set(['function', 'method', 'class', 'constant', 'variable', 'macro', 'struct']);
/** Number of passages whose lines are not repeated as uses: those that are surely shown. */
const SHOWN = 6;

export interface RetrievalParts {
  search(
    request: Pick<SearchRequest, 'query' | 'limit' | 'excerpts'>,
    signal: AbortSignal,
  ): Promise<Pick<SearchResponse, 'results' | 'leftOut' | 'problems'>>;
  usages(request: Pick<UsagesRequest, 'name'>, signal: AbortSignal): Promise<Pick<UsagesResponse, 'usages'>>;
  read(root: string, path: string): Promise<IndexableFile>;
  /** The folders, with what precedes their paths. */
  readonly shown: readonly ModelFolder[];
}

/**
 * The answer of folders to a query, as text of at most `maxLength` UTF-16 units, like that of the index, search and ask
 * service: passages, and the uses of the best definitions. Every line is read from its file now, by the rules of
 * {@link IndexableFile}. First lines name folders that are not searched, and count files that cannot be shown; those that rather
 * do not answer are not shown.
 */
export async function retrieveText(
  query: string,
  maxLength: number,
  parts: RetrievalParts,
  signal: AbortSignal,
): Promise<string> {
  const reader = new Reader(parts);
  const unsearched = new Set<string>();
  const sources = {
    search: async (text: string, limit: number): Promise<readonly SearchResult[]> => {
      const { results, leftOut, problems } = await parts.search({ query: text, limit, excerpts: true }, signal);
      if (text === query) reader.leftOut += leftOut;
      for (const { code, message } of problems) if (code === 'IndexFormat') unsearched.add(`${message}\n`);
      return answersTo(text, results);
    },
    read: (root: string, path: string) => reader.read(root, path),
  };
  const limit = { passages: Infinity, tokens: maxLength / LEAST_PER_TOKEN };
  const profile = isName(query.trim()) ? NAME_PROFILE : PROFILE;
  const passages = await retrievePassages(query, [], limit, sources, signal, profile);
  const uses = await usesOf(passages, maxLength * USES_SHARE, reader, parts, signal);
  const files = new Map<string, RetrievedLines['file']>();
  const wanted: RetrievedLines[] = [];
  for (const { root, path, startLine, endLine } of passages) {
    const shown = reader.shownPath(root, path);
    const file = files.get(shown) ?? { path: shown, text: (await reader.read(root, path)) ?? '' };
    files.set(shown, file);
    wanted.push({ file, forms: [{ spans: [[startLine, endLine]] }] });
  }
  const missing = [...unsearched, describeLeftOut(reader.leftOut)].join('');
  return `${missing}${formatLines(wanted, Math.max(0, maxLength - missing.length - uses.length))}${uses}`;
}

/** A line on files that are not in an answer. */
function describeLeftOut(files: number): string {
  if (files === 0) return '';
  const are = files === 1 ? '1 file that matches is' : `${files} files that match are`;
  return `${are} left out: changed or deleted since the index was updated, or not to be shown.\n`;
}

/** Reads files once, and counts those that cannot be shown. */
class Reader {
  leftOut = 0;
  readonly #parts: RetrievalParts;
  readonly #texts = new Map<string, Promise<string | undefined>>();

  constructor(parts: RetrievalParts) {
    this.#parts = parts;
  }

  read(root: string, path: string): Promise<string | undefined> {
    const key = `${root}\n${path}`;
    const known = this.#texts.get(key) ?? this.#read(root, path);
    this.#texts.set(key, known);
    return known;
  }

  shownPath(root: string, path: string): string {
    return `${this.#parts.shown.find((one) => one.root === root)?.prefix ?? ''}${path}`;
  }

  async #read(root: string, path: string): Promise<string | undefined> {
    const file = await this.#parts.read(root, path);
    if ('text' in file) return file.text;
    this.leftOut++;
    return undefined;
  }
}

/** Lines that use the best definitions, as grep prints them; empty without any. */
async function usesOf(
  passages: readonly Passage[],
  maxLength: number,
  reader: Reader,
  parts: RetrievalParts,
  signal: AbortSignal,
): Promise<string> {
  const names = new Set(
    passages.flatMap(({ symbol }) => (symbol && USED.has(symbol.kind) ? (nameSegments(symbol.name).at(-1) ?? []) : [])),
  );
  let text = '';
  const add = (line: string): boolean => {
    if (text.length + line.length + 1 > maxLength) return false;
    text += `\n${line}`;
    return true;
  };
  for (const [i, name] of [...names].filter(isName).slice(0, USES.length).entries()) {
    const { usages } = await parts.usages({ name }, signal);
    // Pages that name it come last.
    const ordered = [false, true].flatMap((isPage) => usages.filter(({ kind }) => (kind === 'prose') === isPage));
    const elsewhere = ordered.filter(
      ({ root, path, line }, at) =>
        !isOnLine(ordered[at - 1], root, path, line) &&
        !passages.slice(0, SHOWN).some((one) => {
          return one.root === root && one.path === path && one.startLine <= line && line <= one.endLine;
        }),
    );
    if (elsewhere.length === 0 || elsewhere.length > COMMON) continue;
    const most = USES[i]!;
    const more = elsewhere.length > most ? ` (${most} of ${elsewhere.length}; find_usages has all)` : '';
    if (!add(`Uses of ${name}${more}:`)) break;
    for (const { root, path, line, text: used } of elsewhere.slice(0, most)) {
      // A file may have become a secret since it was indexed.
      if ((await reader.read(root, path)) === undefined) continue;
      if (!add(`${reader.shownPath(root, path)}:${line}: ${used.slice(0, USE_LENGTH)}`)) break;
    }
  }
  return text;
}

function isOnLine(
  usage: UsagesResponse['usages'][number] | undefined,
  root: string,
  path: string,
  line: number,
): boolean {
  return usage?.root === root && usage.path === path && usage.line === line;
}

/** The results up to where the scores fall away. */
function answersTo(query: string, results: readonly SearchResult[]): readonly SearchResult[] {
  const least = isName(query.trim()) ? 1 : LEAST;
  const first = results[0]?.score ?? 0;
  const end = results.findIndex(({ score }, i) => i >= least && score < first - FALL);
  return end < 0 ? results : results.slice(0, end);
}
