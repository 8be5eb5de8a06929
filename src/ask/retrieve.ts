import { splitIdentifier, stem } from '../engine/analyze/words.ts';
import { sidesOf } from '../engine/query/paths.ts';
import { overlap } from '../engine/query/sourceRange.ts';
import { parseQuery } from '../engine/query/query.ts';
import { parseQueryLanguage } from '../engine/query/queryLanguage.ts';
import type { Answer, Passage } from './answer.ts';
import { scorePassages, type PassageCandidate, type PassageWeights } from './passageRanker.ts';
import { SourceFile, type FoundLines, type QuotedLines } from './sourceFile.ts';

export type { FoundLines };

/** A search result: a file, the best place in it, and further ones. */
export interface FoundPlace extends FoundLines {
  readonly root: string;
  readonly path: string;
  readonly language: string;
  readonly more: readonly FoundLines[];
}

/** Access to the workspace for answers. */
export interface Sources {
  /** Finds places for words or a query in the query language, best first. */
  search(query: string, limit: number, signal: AbortSignal): Promise<readonly FoundPlace[]>;
  /** Reads the current text of a file, even if not saved; `undefined` if it was deleted or must not be shown. */
  read(root: string, path: string): Promise<string | undefined>;
}

type UnnumberedPassage = Omit<Passage, 'number'>;

/** Figures of retrieval for questions; docs/benchmarks.md tells what each is worth. */
export interface AskProfile {
  /** Number of files that are searched for. */
  readonly files: number;
  /** Number of files further down whose best place comes before a file's next place. */
  readonly filesPerPlace: number;
  /** Lines of the longest definition that is quoted whole; of a longer one, the best lines are. */
  readonly wholeLines: number;
  /** Number of the best files of which all definitions are compared. */
  readonly comparedFiles: number;
  /** Number of pages that are compared with them, and the rank that the first one has at the best. */
  readonly documents: number;
  readonly documentRank: number;
  /** Number of definitions that a model receives because the best passages call them, and the number of those passages. */
  readonly called: number;
  readonly calledFrom: number;
  readonly weights: PassageWeights;
  /** Passages that score so far below the best are left out. */
  readonly fall: number;
}

export const QUESTION_PROFILE: AskProfile = {
  files: 40,
  filesPerPlace: 2,
  wholeLines: 60,
  comparedFiles: 8,
  documents: 2,
  documentRank: 3,
  called: 3,
  calledFrom: 3,
  weights: { text: 1, name: 0.7, file: 0.15, place: 0.1, unfound: 0.3, test: 0.6, heading: 0.8, filler: 0.5 },
  fall: Infinity,
};

/** How much is retrieved: as many passages, or as many characters. */
export interface RetrievalLimit {
  readonly passages: number;
  readonly characters: number;
}

/** Number of passages that precede what they call. */
const CALLED_AFTER = 5;
/** Most definitions of a name that a call may mean. */
const RARE = 1;
/** Number of new places that precede the citations of an earlier answer. */
const BEFORE_EARLIER = 3;

/**
 * Passages of the workspace that may answer a question, best first, each line read from the file now. Definitions are
 * whole if they are not too long; none occurs twice. A follow-up is also searched together with the previous question,
 * as it may be no more than "and where is it called?". The citations of the last answer are included.
 */
export async function retrievePassages(
  question: string,
  history: readonly Answer[],
  limit: RetrievalLimit,
  sources: Sources,
  signal: AbortSignal,
  profile: AskProfile = QUESTION_PROFILE,
): Promise<Passage[]> {
  const found = await searchAll(question, history, profile, sources, signal);
  const { words } = parseQuery(parseQueryLanguage([question, history.at(-1)?.question ?? ''].join(' ')).words);
  const collector = new Collector(sources, words, limit, profile);
  const compared = await collector.compare(found.slice(0, profile.comparedFiles), asksForTests(question));
  const others = found
    .flatMap(({ file }, rank) =>
      [file, ...file.more].map((lines, i) => ({ file, lines, order: rank + i * profile.filesPerPlace })),
    )
    .sort((a, b) => a.order - b.order);
  for (const [i, { file, lines }] of [...compared, ...others].entries()) {
    if (i === BEFORE_EARLIER) for (const passage of history.at(-1)?.cited ?? []) await collector.addEarlier(passage);
    if (i === CALLED_AFTER) await collector.addCalled(limit.passages === Infinity ? profile.called : 1, signal);
    if (collector.isFull) break;
    await collector.addFound(file, lines);
  }
  return collector.passages.map((passage, i) => ({ number: i + 1, ...passage }));
}

/** A found file, and its rank among code and pages together. */
interface RankedFile {
  readonly file: FoundPlace;
  readonly rank: number;
}

function asksForTests(question: string): boolean {
  return /\b(?:tests?|tested|testing|specs?)\b/i.test(question);
}

/** Files for the question: those of search, pages, and for a follow-up those of both questions together. */
async function searchAll(
  question: string,
  history: readonly Answer[],
  { files, documents, documentRank }: AskProfile,
  sources: Sources,
  signal: AbortSignal,
): Promise<readonly RankedFile[]> {
  const last = history.at(-1);
  const isAboutTests = asksForTests(question);
  const queries = last === undefined ? [question] : [`${question} ${last.question}`, question];
  const [symbol] = last?.cited.flatMap((one) => one.symbol ?? []) ?? [];
  // The words of a follow-up find what it is about, rather than the tests of that.
  if (isAboutTests && symbol) queries.unshift(`${symbol.name} test`);
  const lists: RankedFile[][] = [];
  for (const query of queries)
    lists.push((await sources.search(query, files, signal)).map((file, rank) => ({ file, rank })));
  if (documents > 0 && !isAboutTests && !/\blang:/.test(question)) {
    const pages = await sources.search(`${queries[0]!} lang:markdown`, documents, signal);
    lists.push(pages.map((file, i) => ({ file, rank: documentRank + i })));
  }
  const best = new Map<string, RankedFile>();
  for (const one of lists.flat()) {
    const key = `${one.file.root}\n${one.file.path}`;
    const known = best.get(key);
    if (!known || one.rank < known.rank) best.set(key, one);
  }
  return [...best.values()].sort((a, b) => a.rank - b.rank);
}

/** Gathers passages, and reads each file once. */
class Collector {
  readonly passages: UnnumberedPassage[] = [];
  readonly #sources: Sources;
  readonly #words: readonly string[];
  readonly #profile: AskProfile;
  readonly #limit: RetrievalLimit;
  readonly #files = new Map<string, Promise<SourceFile | undefined>>();
  #characters = 0;

  constructor(sources: Sources, words: readonly string[], limit: RetrievalLimit, profile: AskProfile) {
    this.#sources = sources;
    this.#words = words;
    this.#limit = limit;
    this.#profile = profile;
  }

  get isFull(): boolean {
    return this.passages.length >= this.#limit.passages || this.#characters >= this.#limit.characters;
  }

  /** Adds a found place, unless its lines have changed since the search. */
  async addFound({ root, path, language }: FoundPlace, found: FoundLines, calledBy?: number): Promise<void> {
    const file = await this.#file(root, path);
    if (!file?.holds(found)) return;
    const { startLine, endLine, definition } = file.quote(found, this.#words, this.#profile.wholeLines, language);
    const symbol = definition && { name: definition.name, kind: definition.kind };
    const head = file.headOf({ startLine, endLine });
    const isPart = definition && (definition.startLine < startLine || definition.endLine > endLine);
    const whole = isPart ? { startLine: definition.startLine, endLine: definition.endLine } : undefined;
    this.#add(
      file,
      {
        root,
        path,
        language,
        ...(symbol && { symbol }),
        ...(head && { head }),
        ...(whole && { whole }),
        ...(calledBy !== undefined && { calledBy }),
      },
      startLine,
      endLine,
    );
  }

  /** The places and definitions of files, best first. */
  async compare(
    files: readonly RankedFile[],
    isAboutTests: boolean,
  ): Promise<{ readonly file: FoundPlace; readonly lines: FoundLines }[]> {
    const candidates: (PassageCandidate & { file: FoundPlace; lines: FoundLines })[] = [];
    for (const { file: found, rank: fileRank } of files) {
      const file = await this.#file(found.root, found.path);
      if (!file) continue;
      const quoted: QuotedLines[] = [];
      const add = (lines: FoundLines, placeRank: number | undefined): void => {
        if (!file.holds(lines)) return;
        const one = file.quote(lines, this.#words, this.#profile.wholeLines, found.language);
        if (quoted.some((other) => overlap(one, other))) return;
        quoted.push(one);
        const { text } = file.text(one.startLine, one.endLine);
        const { definition } = one;
        candidates.push({
          fileRank,
          placeRank,
          text,
          name: definition?.name,
          isHeading: definition?.kind === 'heading',
          isWantedTest: isAboutTests && isTest(found.path),
          file: found,
          lines,
        });
      };
      for (const [placeRank, lines] of [found, ...found.more].entries()) add(lines, placeRank);
      for (const lines of file.pieces()) add(lines, undefined);
    }
    const scores = scorePassages(candidates, this.#words, this.#profile.weights);
    const least = Math.max(...scores.map((score) => score ?? -Infinity)) - this.#profile.fall;
    return candidates
      .flatMap((one, i) => {
        const score = scores[i];
        return score === undefined || score < least ? [] : [{ ...one, score }];
      })
      .sort((a, b) => b.score - a.score);
  }

  /** Adds definitions that the passages call, if the index knows a single one of the name. */
  async addCalled(most: number, signal: AbortSignal): Promise<void> {
    const calling = this.passages.slice(0, this.#profile.calledFrom);
    const names = calling.flatMap(({ text, symbol }, i) =>
      [...text.matchAll(/([\p{L}_$][\p{L}\p{N}_$]{4,})\s*\(/gu)]
        .map(([, name]) => ({ name: name!, by: i + 1 }))
        .filter(({ name }) => name !== symbol?.name && splitIdentifier(name).length > 1),
    );
    const shared = ({ name }: { readonly name: string }): number =>
      splitIdentifier(name).filter((part) => this.#words.includes(stem(part))).length;
    const distinct = [...new Map(names.toReversed().map((one) => [one.name, one])).values()].toReversed();
    for (const { name, by } of distinct.sort((a, b) => shared(b) - shared(a)).slice(0, most)) {
      const found = await this.#sources.search(`sym:${name}`, RARE + 1, signal);
      const defining = found.filter(({ symbol }) => symbol?.name === name);
      if (defining.length === 0 || defining.length > RARE) continue;
      for (const file of defining) await this.addFound(file, file, by);
    }
  }

  /** Adds a passage of an earlier answer, at the present position of its lines. */
  async addEarlier({ root, path, language, startLine, endLine, text, symbol }: Passage): Promise<void> {
    const file = await this.#file(root, path);
    const at = file?.find(text, startLine);
    if (file && at !== undefined)
      this.#add(file, { root, path, language, ...(symbol && { symbol }) }, at, at + endLine - startLine);
  }

  #add(
    file: SourceFile,
    at: Omit<UnnumberedPassage, 'startLine' | 'endLine' | 'text'>,
    startLine: number,
    lastLine: number,
  ): void {
    const { text, endLine } = file.text(startLine, lastLine);
    const isKnown = this.passages.some(
      (one) =>
        one.text === text || (one.root === at.root && one.path === at.path && overlap(one, { startLine, endLine })),
    );
    if (isKnown || text.trim() === '') return;
    this.passages.push({ ...at, startLine, endLine, text });
    this.#characters += text.length;
  }

  #file(root: string, path: string): Promise<SourceFile | undefined> {
    const key = `${root}\n${path}`;
    const known =
      this.#files.get(key) ??
      this.#sources.read(root, path).then((text) => (text === undefined ? undefined : new SourceFile(path, text)));
    this.#files.set(key, known);
    return known;
  }
}

function isTest(path: string): boolean {
  return sidesOf(path).some(([side]) => side === 'test');
}
