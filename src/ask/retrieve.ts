import { stem } from '../engine/analyze/words.ts';
import { isHowTo } from '../engine/query/pinned/howTo.ts';
import { parseVersion } from '../engine/query/pinned/statedVersion.ts';
import { isDefined, keyFinder, parseKey } from '../engine/query/pinned/typedKeys.ts';
import { parseQuery } from '../engine/query/query.ts';
import { parseQueryLanguage } from '../engine/query/queryLanguage.ts';
import { splitRepositoryQuery } from '../wire/repositories.ts';
import type { Answer, Passage } from './answer.ts';
import { namesIn } from './followUps.ts';
import { pageKey } from './pageKey.ts';
import {
  isTestFile,
  PassageCollector,
  type ComparedLines,
  type FoundConstant,
  type RankedFile,
} from './passageCollector.ts';
import { featuresOf, FILLERS, type PassageFeatures, type ScoredQuestion } from './passageRanker.ts';
import weights from './passageWeights.json' with { type: 'json' };
import type { AskProfile, FoundLines, FoundPlace, RetrievalLimit, Sources } from './retrieval.ts';
import { asksForNumber, asksOnlyForNumber, quantityWords } from './quantities.ts';
import { withJoinedVerbs } from './phrasalVerbs.ts';
import { relatedWords } from './relatedWords.ts';
import { isProse } from './sourceFile.ts';

export type { AskProfile, FoundLines, FoundPlace, RetrievalLimit, Sources };

export const QUESTION_PROFILE: AskProfile = {
  files: 40,
  filesPerPlace: 2,
  wholeLines: 60,
  comparedFiles: 24,
  placedFiles: 40,
  relatedWords: 4,
  isMerged: true,
  bridged: 20,
  mergedLines: 80,
  considered: 24,
  documents: 2,
  documentRank: 3,
  called: 3,
  calledFrom: 3,
  constants: true,
  weights,
  fall: Infinity,
};

/** Number of passages that precede what they call. */
const CALLED_AFTER = 5;
/** What a constant needs to be shown, and to be shown first. */
const LEAST_WORTH = 2;
const FIRST_WORTH = 2.5;
/** Number of files that are searched for constants. */
const CONSTANT_FILES = 12;
/** Number of new places that precede the citations of an earlier answer. */
const BEFORE_EARLIER = 3;
/** Number of cited definitions whose tests are searched for. */
const TESTED = 3;
/** Number of names in a question whose definitions come first. */
const NAMED = 3;
/** Most related words of a search. */
const MAX_RELATED = 20;
/** A word that refers to the question before. */
const REFERENCE =
  /^\W*(?:and|but|or|so|then|(?:what|how) about)\b|\b(?:its?|they|them|theirs?|this|that|these|those|there|same)\b/i;
/** The beginning of a request, which says nothing about the code: "list all", "show me", "give me a list of". */
const REQUEST =
  /^\W*(?:please\s+)?(?:(?:list|show|find|give|tell|name)\s+(?:me\b|(?=(?:all|every|each)\b))|list\s+(?=the\b))(?:\s*(?:an?|the)\s+list\s+of\b)?(?:\s*(?:all|every|each)\b)?/i;
/** Rank that is worth half of the first one, where two searches are put together. */
const HALF_RANK = 5;

/**
 * Passages of the workspace that may answer a question, best first, each line read from the file now. Definitions are
 * whole if they are not too long; none occurs twice. A later question is also searched together with the previous one,
 * which comes first if the question cannot stand alone, as "and where is it called?". The citations of the last answer
 * are included.
 */
export async function retrievePassages(
  question: string,
  history: readonly Answer[],
  limit: RetrievalLimit,
  sources: Sources,
  signal: AbortSignal,
  profile: AskProfile = QUESTION_PROFILE,
): Promise<Passage[]> {
  const last = history.at(-1);
  const { scored, found, isName } = await prepare(question, last, sources, signal, profile);
  const collector = new PassageCollector(sources, scored, limit, profile);
  // Of a name alone the search finds the definition; other passages have it more often.
  const compared = isName ? [] : await collector.compare(found.slice(0, profile.placedFiles));
  const others = found
    .flatMap(({ file }, rank) =>
      [file, ...file.more].map((lines, i) => ({ file, lines, order: rank + i * profile.filesPerPlace })),
    )
    .sort((a, b) => a.order - b.order);
  for (const name of isName || scored.isAboutTests ? [] : codeNames(question)) {
    const best = compared.find((one) => one.name === name);
    if (best) await collector.addFound(best.file, best.lines);
    else await collector.addNamed(name, compared, signal);
  }
  const stated = await statedFirst(wordsOf(question), sources, signal);
  if (stated) await collector.addFound(stated, stated);
  const constant = await constantFor(question, found, compared, collector, profile, sources, signal);
  if (constant && constant.worth >= FIRST_WORTH && asksOnlyForNumber(question)) collector.addConstant(constant);
  for (const [i, { file, lines }] of [...compared, ...others].entries()) {
    if (i === BEFORE_EARLIER) for (const passage of last?.cited ?? []) await collector.addEarlier(passage);
    if (i === CALLED_AFTER && constant && constant.worth >= LEAST_WORTH) collector.addConstant(constant);
    if (i === CALLED_AFTER) await collector.addCalled(limit.passages === Infinity ? profile.called : 1, signal);
    if (collector.isFull && (limit.passages === Infinity || i >= profile.considered)) break;
    await collector.addFound(file, lines);
  }
  if (constant) collector.noteUse(constant);
  return collector.passages.map((passage, i) => ({ number: i + 1, ...passage }));
}

/** The passages that are compared for a question, with the properties that their weights are fitted to. */
export async function passageRows(
  question: string,
  sources: Sources,
  signal: AbortSignal,
): Promise<{ readonly passage: ComparedLines; readonly features: PassageFeatures }[]> {
  const profile = QUESTION_PROFILE;
  const { scored, found } = await prepare(question, undefined, sources, signal, profile);
  const collector = new PassageCollector(sources, scored, { passages: Infinity, tokens: Infinity }, profile);
  const passages = await collector.candidates(found.slice(0, profile.placedFiles));
  return featuresOf(passages, scored).flatMap((features, i) => (features ? [{ passage: passages[i]!, features }] : []));
}

/** A question as passages are scored for it, and the files to compare. */
async function prepare(
  asked: string,
  last: Answer | undefined,
  sources: Sources,
  signal: AbortSignal,
  profile: AskProfile,
): Promise<{ readonly scored: ScoredQuestion; readonly found: readonly RankedFile[]; readonly isName: boolean }> {
  const rest = asked.replace(REQUEST, '');
  const question = contentWords(rest).length > 0 ? rest : asked;
  const both = last === undefined ? question : `${question} ${last.question}`;
  const subject = isFollowUp(question) ? both : question;
  const isName = parseQuery(wordsOf(subject)).symbol !== undefined;
  const isAboutTests = !isName && profile.comparedFiles > 0 && asksForTests(question);
  const tested = isAboutTests ? testedNames(last) : undefined;
  const found = await searchAll({ question, both, subject, isName, tested }, profile, sources, signal);
  const wordsAbout = (text: string): readonly string[] =>
    parseQuery(withJoinedVerbs(wordsOf([text, ...(tested ?? [])].join(' ')))).words;
  const words = wordsAbout(subject);
  const own = new Set(wordsAbout(question));
  const earlier = new Set(words.filter((word) => !own.has(word)));
  const scored = { words, earlier, withRelated: profile.relatedWords > 0, isAboutTests };
  return { scored, found, isName };
}

/**
 * What search puts first because it states what the question asks for: a section about what to do, a setting where it gets its value,
 * a version that is needed.
 */
async function statedFirst(question: string, sources: Sources, signal: AbortSignal): Promise<FoundPlace | undefined> {
  const isAboutDoing = isHowTo(question);
  const key = parseKey(question, false);
  const version = parseVersion(question);
  if (!isAboutDoing && !key && !version) return undefined;
  const [first] = await sources.search(question, 1, signal);
  if (!first || (isAboutDoing && isProse(first.language))) return first;
  const lines = (await sources.read(first.root, first.path))?.split('\n') ?? [];
  const text = lines.slice(first.startLine - 1, first.endLine).join('\n');
  return (key && isDefined(keyFinder(key)(text))) || version?.test(text) === true ? first : undefined;
}

/** The constant that answers a question for a number. */
async function constantFor(
  question: string,
  found: readonly RankedFile[],
  compared: readonly ComparedLines[],
  collector: PassageCollector,
  { constants, comparedFiles }: AskProfile,
  sources: Sources,
  signal: AbortSignal,
): Promise<FoundConstant | undefined> {
  if (!constants || !asksForNumber(question)) return undefined;
  const words = quantityWords(question);
  const more = await sources.search([wordsOf(question), ...words].join(' '), CONSTANT_FILES, signal);
  const all = [...found.slice(0, comparedFiles).map(({ file }) => file), ...more];
  const files = [...new Map(all.map((file) => [keyOf(file), file])).values()];
  return collector.findConstant(files, new Set(words.map(stem)), compared);
}

/** Names that a question writes as code: `get_or_create`, `nextDelay`, and what stands in backticks or before parentheses. */
function codeNames(question: string): string[] {
  const found = wordsOf(question).matchAll(
    /`([\w$]+)(?:\(\))?`|\b([A-Za-z]\w*(?=\(\))|[A-Za-z]\w*_\w+|[a-z]+[A-Z]\w*)/g,
  );
  return [...new Set([...found].map(([, quoted, plain]) => (quoted ?? plain)!))].slice(0, NAMED);
}

function asksForTests(question: string): boolean {
  return /\b(?:tests?|tested|testing|specs?)\b/i.test(question);
}

/** Whether a question is understood only with the one before it: it refers to that, or says too little. */
function isFollowUp(question: string): boolean {
  return REFERENCE.test(question) || contentWords(question).length < 2;
}

function contentWords(question: string): string[] {
  return parseQuery(wordsOf(question)).words.filter((word) => !FILLERS.has(word));
}

/** A question without its filters. */
function wordsOf(question: string): string {
  return parseQueryLanguage(splitRepositoryQuery(question).query).words;
}

/** Names of the first definitions that an answer cites. */
function testedNames(last: Answer | undefined): string[] {
  return namesIn(last?.cited ?? []).slice(0, TESTED);
}

interface AskedQuestion {
  readonly question: string;
  /** It and the previous one. */
  readonly both: string;
  /** The one of both texts that is searched first. */
  readonly subject: string;
  /** Whether that is one name. */
  readonly isName: boolean;
  /** Names of the previous answer, if the question asks for tests. */
  readonly tested: readonly string[] | undefined;
}

/** Files for the question: those of search, pages, and for a later question those of it and the previous one together. */
async function searchAll(
  { question, both, subject, isName, tested }: AskedQuestion,
  profile: AskProfile,
  sources: Sources,
  signal: AbortSignal,
): Promise<readonly RankedFile[]> {
  const { files, documents, documentRank } = profile;
  const search = (query: string): Promise<readonly FoundPlace[]> => sources.search(query, files, signal);
  const isFiltered = /\blang:/.test(question);
  if (tested) {
    const queries = new Set([...tested.map((name) => `${name} test`), both, question]);
    const found: (readonly FoundPlace[])[] = [];
    for (const one of queries) found.push(await search(one));
    const fused = fuse(found);
    const tests = fused.filter(({ path }) => isTestFile(path));
    // A language may have its tests beside the code, as Rust has.
    const others = fused.filter(({ path }) => !isTestFile(path));
    const half = profile.comparedFiles / 2;
    const files = [...tests.slice(0, half), ...others.slice(0, half), ...tests.slice(half), ...others.slice(half)];
    // Scores of several searches cannot be compared.
    return rank(files).map((one) => ({
      ...one,
      below: Math.log2(1 + one.rank),
      relatedBelow: Math.log2(1 + one.rank),
    }));
  }
  const related = isName ? subject : withRelated(withJoinedVerbs(subject), profile.relatedWords);
  const first = await search(subject);
  const second = related === subject ? first : await search(related);
  const lists = [rank(second === first ? first : fuse([first, second]))];
  if (subject !== both) lists.push(rank(await search(both), documentRank));
  else if (both !== question) lists.push(rank(await search(question)));
  if (documents > 0 && !isFiltered) {
    const pages = await sources.search(`${subject} lang:markdown`, 2 * documents, signal);
    lists.push(rank(pages.filter(onceEach()).slice(0, documents), documentRank));
  }
  const [below, relatedBelow] = [belowBest(first), belowBest(second)];
  const best = new Map<string, Ranked>();
  for (const one of lists.flat()) {
    const known = best.get(keyOf(one.file));
    if (!known || one.rank < known.rank) best.set(keyOf(one.file), one);
  }
  const isNew = onceEach();
  return [...best.values()]
    .sort((a, b) => a.rank - b.rank)
    .filter(({ file }) => isNew(file))
    .map((one) => ({ ...one, below: below(one.file), relatedBelow: relatedBelow(one.file) }));
}

type Ranked = Pick<RankedFile, 'file' | 'rank'>;

function rank(files: readonly FoundPlace[], first = 0): Ranked[] {
  return files.map((file, i) => ({ file, rank: first + i }));
}

/** How far a file's score is below the best one of a search; infinitely far if it did not find the file. */
function belowBest(found: readonly FoundPlace[]): (file: FoundPlace) => number {
  const best = found[0]?.score ?? 0;
  const scores = new Map(found.map((file) => [keyOf(file), file.score]));
  return (file) => best - (scores.get(keyOf(file)) ?? -Infinity);
}

/** The files of several searches, those first that are near the top of most. */
function fuse(lists: readonly (readonly FoundPlace[])[]): FoundPlace[] {
  const found = new Map<string, { readonly file: FoundPlace; worth: number }>();
  for (const list of lists)
    for (const [i, file] of list.entries()) {
      const known = found.get(keyOf(file)) ?? { file, worth: 0 };
      known.worth += 1 / (HALF_RANK + i);
      found.set(keyOf(file), known);
    }
  return [...found.values()].sort((a, b) => b.worth - a.worth).map(({ file }) => file);
}

/** The query with words that mean nearly the same as its own. */
function withRelated(query: string, most: number): string {
  const related = contentWords(query).flatMap((word) => relatedWords(word).slice(0, most));
  return [query, ...new Set(related.slice(0, MAX_RELATED))].join(' ');
}

/** A filter that drops pages which are a translation or another version of an earlier one. */
function onceEach(): (file: FoundPlace) => boolean {
  const seen = new Set<string>();
  return ({ root, path, language }) => {
    if (!isProse(language)) return true;
    const key = `${root}\n${pageKey(path)}`;
    return !seen.has(key) && Boolean(seen.add(key));
  };
}

function keyOf({ root, path }: FoundPlace): string {
  return `${root}\n${path}`;
}
