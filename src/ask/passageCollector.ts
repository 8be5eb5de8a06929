import { escapeRegExp } from '../base/regExp.ts';
import { Analyzer } from '../engine/analyze/analyzer.ts';
import { splitIdentifier, stem, wordsIn } from '../engine/analyze/words.ts';
import { sidesOf } from '../engine/query/paths.ts';
import { overlap } from '../engine/query/sourceRange.ts';
import type { Passage } from './answer.ts';
import {
  FILLERS,
  scorePassages,
  type FileEvidence,
  type PassageCandidate,
  type ScoredQuestion,
} from './passageRanker.ts';
import { relatedWords } from './relatedWords.ts';
import type { AskProfile, FoundPlace, RetrievalLimit, Sources } from './retrieval.ts';
import { isProse, SourceFile, type Constant, type FoundLines, type LineRange, type QuotedLines } from './sourceFile.ts';
import { countTokens } from './tokens.ts';

type UnnumberedPassage = Omit<Passage, 'number'>;

/** Number of results among which a definition of exactly the name is looked for. */
const FEW_NAMED = 3;
/** Most definitions of a name that a call may mean. */
const RARE = 1;

/** Number of the best passages whose constants are looked up. */
const USING = 5;
/** What a related word in the name of a constant, and a word around it, count beside a word of the question in the name. */
const RELATED_WORTH = 0.5;
const AROUND_WORTH = 0.5;
/** Most words around a constant that count: a long comment has some of any question. */
const MAX_AROUND = 2;
const USED_WORTH = 1;
/** What a page is worth less: its settings are often examples. */
const PROSE_LOSS = 0.5;
const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/gu;

/** A found file, and how sure the searches are of it. */
export interface RankedFile extends FileEvidence {
  readonly file: FoundPlace;
}

/** Lines of a file that may answer, and the found ones that they are quoted for. */
export interface ComparedLines extends PassageCandidate, Pick<QuotedLines, 'startLine' | 'endLine'> {
  readonly file: FoundPlace;
  readonly lines: FoundLines;
}

/** A constant that may be the number which a question is about. */
export interface FoundConstant {
  readonly worth: number;
  readonly found: FoundPlace;
  readonly file: SourceFile;
  readonly constant: Constant;
}

/** Gathers passages, and reads each file once. */
export class PassageCollector {
  readonly passages: UnnumberedPassage[] = [];
  readonly #sources: Sources;
  readonly #question: ScoredQuestion;
  readonly #analyzer = new Analyzer();
  readonly #profile: AskProfile;
  readonly #limit: RetrievalLimit;
  readonly #files = new Map<string, Promise<SourceFile | undefined>>();
  #tokens = 0;

  constructor(sources: Sources, question: ScoredQuestion, limit: RetrievalLimit, profile: AskProfile) {
    this.#sources = sources;
    this.#question = question;
    this.#limit = limit;
    this.#profile = profile;
  }

  get isFull(): boolean {
    return this.passages.length >= this.#limit.passages || this.#tokens >= this.#limit.tokens;
  }

  /** Adds a found place, unless its lines have changed since the search. */
  async addFound({ root, path, language }: FoundPlace, found: FoundLines, calledBy?: number): Promise<void> {
    const file = await this.#file(root, path);
    if (!file?.holds(found)) return;
    const { startLine, endLine, definition } = file.quote(
      found,
      this.#question.words,
      this.#profile.wholeLines,
      language,
    );
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
  async compare(files: readonly RankedFile[]): Promise<readonly ComparedLines[]> {
    const candidates = await this.candidates(files);
    const scores = scorePassages(candidates, this.#question, this.#profile.weights);
    const least = Math.max(...scores.map((score) => score ?? -Infinity)) - this.#profile.fall;
    return candidates
      .flatMap((one, i) => {
        const score = scores[i];
        return score === undefined || score < least ? [] : [{ ...one, score }];
      })
      .sort((a, b) => b.score - a.score);
  }

  /** The places of files, and all definitions of the best ones. */
  async candidates(files: readonly RankedFile[]): Promise<readonly ComparedLines[]> {
    const candidates: ComparedLines[] = [];
    const read = await Promise.all(files.map(({ file: { root, path } }) => this.#file(root, path)));
    for (const [i, { file: found, rank, below, relatedBelow }] of files.entries()) {
      const file = read[i];
      if (!file) continue;
      const quoted: QuotedLines[] = [];
      const add = (lines: FoundLines, placeRank: number | undefined): void => {
        if (!file.holds(lines)) return;
        const one = file.quote(lines, this.#question.words, this.#profile.wholeLines, found.language);
        if (quoted.some((other) => overlap(one, other))) return;
        quoted.push(one);
        const { text } = file.text(one.startLine, one.endLine, isProse(found.language));
        const { definition } = one;
        candidates.push({
          rank,
          below,
          relatedBelow,
          placeRank,
          path: found.path,
          startLine: one.startLine,
          endLine: one.endLine,
          text,
          context: file.contextOf(one),
          name: definition?.name,
          kind: definition?.kind,
          isProse: isProse(found.language) && found.language !== 'html',
          isTest: isTestFile(found.path) || isTestCode(text, definition?.name),
          file: found,
          lines,
        });
      };
      for (const [placeRank, lines] of [found, ...found.more].entries()) add(lines, placeRank);
      if (i < this.#profile.comparedFiles) for (const lines of file.pieces()) add(lines, undefined);
    }
    return candidates;
  }

  /** Adds the definition of a name, the best one of several; of a name that nothing defines, the best use. */
  async addNamed(name: string, compared: readonly ComparedLines[], signal: AbortSignal): Promise<void> {
    const has = new RegExp(String.raw`(?<![\w$])${escapeRegExp(name)}(?![\w$])`);
    const found = await this.#sources.search(name, FEW_NAMED, signal);
    const defining = found.find(({ symbol }) => symbol?.name === name);
    if (defining) return this.addFound(defining, defining);
    const best = compared.find(({ text }) => has.test(text));
    if (best) return this.addFound(best.file, best.lines);
    for (const one of found) {
      const file = await this.#file(one.root, one.path);
      if (!file?.holds(one) || !has.test(file.text(one.startLine, one.endLine, false).text)) continue;
      return this.addFound(one, one);
    }
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
      splitIdentifier(name).filter((part) => this.#question.words.includes(stem(part))).length;
    const distinct = [...new Map(names.toReversed().map((one) => [one.name, one])).values()].toReversed();
    for (const { name, by } of distinct.sort((a, b) => shared(b) - shared(a)).slice(0, most)) {
      const found = await this.#sources.search(`sym:${name}`, RARE + 1, signal);
      const defining = found.filter(({ symbol }) => symbol?.name === name);
      if (defining.length === 0 || defining.length > RARE) continue;
      for (const file of defining) await this.addFound(file, file, by);
    }
  }

  /**
   * Finds the number that the question is most likely about: a constant of the files whose name has words of the question, or the word
   * for what it counts, and its comment and what it is in others.
   */
  async findConstant(
    files: readonly FoundPlace[],
    quantity: ReadonlySet<string>,
    compared: readonly ComparedLines[],
  ): Promise<FoundConstant | undefined> {
    const using = compared.slice(0, USING).map((one) => ({ ...one, names: new Set(one.text.match(NAME)) }));
    const isUsed = (path: string, { name, line }: Constant): boolean =>
      using.some(
        ({ names, file, startLine, endLine }) =>
          names.has(name) && !(file.path === path && startLine <= line && line <= endLine),
      );
    const words = this.#question.words
      .filter((word) => !FILLERS.has(word))
      .map((word) => ({ word, related: new Set(relatedWords(word).map(stem)) }));
    let best: FoundConstant | undefined;
    for (const found of files) {
      const file = isTestFile(found.path) ? undefined : await this.#file(found.root, found.path);
      for (const constant of file?.constants() ?? []) {
        const parts = splitIdentifier(constant.name).map(stem);
        let inName = 0;
        const others: typeof words = [];
        const matched = new Set<string>();
        for (const one of words) {
          const own = parts.includes(one.word);
          const related = own ? one.word : parts.find((part) => one.related.has(part) && !quantity.has(part));
          if (related !== undefined) matched.add(related);
          inName += own ? 1 : related === undefined ? 0 : RELATED_WORTH;
          if (!own) others.push(one);
        }
        const counts = parts.some((part) => quantity.has(part) && !matched.has(part));
        const isSingle = parts.length < 2;
        if (!counts && (inName === 0 || isSingle)) continue;
        if (constant.isKey && (inName === 0 || isSingle)) continue;
        const about = new Set([...wordsIn(file!.aboutConstant(constant))].map(stem));
        const around = Math.min(MAX_AROUND, others.filter(({ word }) => about.has(word)).length);
        const used = !isSingle && isUsed(found.path, constant) ? USED_WORTH : 0;
        const rest = (counts ? 1 : 0) + used - (isProse(found.language) ? PROSE_LOSS : 0);
        const worth = inName + AROUND_WORTH * around + rest;
        if (worth > (best?.worth ?? 0)) best = { worth, found, file: file!, constant };
      }
    }
    return best;
  }

  /** Adds a constant, with those next to it. */
  addConstant({ found, file, constant }: FoundConstant): void {
    const { root, path, language } = found;
    const isShown = (lines: LineRange): boolean =>
      this.passages.some((one) => one.root === root && one.path === path && overlap(one, lines));
    const group = file.constantsBeside(constant);
    const { startLine, endLine } = isShown(group) ? constant : group;
    const head = file.headOf({ startLine, endLine });
    const symbol = { name: constant.name, kind: constant.kind };
    const at = { root, path, language, symbol, ...(head && { head }) };
    this.#add(file, at, startLine, endLine);
  }

  /** Notes which of the best passages uses a constant that was added. */
  noteUse({ found: { root, path }, constant: { name, line } }: FoundConstant): void {
    const isOfConstant = (one: UnnumberedPassage): boolean =>
      one.root === root && one.path === path && one.startLine <= line && line <= one.endLine;
    const at = this.passages.findIndex((one) => isOfConstant(one) && one.symbol?.name === name);
    const by = this.passages.slice(0, USING).findIndex((one, i) => i !== at && one.text.match(NAME)?.includes(name));
    if (at !== -1 && by !== -1) this.passages[at] = { ...this.passages[at]!, calledBy: by + 1 };
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
    const { text, endLine } = file.text(startLine, lastLine, isProse(at.language));
    const isKnown = this.passages.some(
      (one) =>
        one.text === text || (one.root === at.root && one.path === at.path && overlap(one, { startLine, endLine })),
    );
    if (isKnown || text.trim() === '') return;
    const added = { ...at, startLine, endLine, text };
    const isMerged = this.#profile.isMerged && this.#merge(file, added);
    if (!isMerged && this.isFull) return;
    this.#tokens += countTokens(text);
    if (!isMerged) this.passages.push(added);
  }

  /**
   * Makes the lines one passage with one that is next to them in the file, if both are short: for a person also with a few lines
   * between them. The best passage stays as it is: what stands beside it would hide the answer.
   */
  #merge(file: SourceFile, added: UnnumberedPassage): boolean {
    if (added.calledBy !== undefined) return false;
    const { bridged, mergedLines, wholeLines } = this.#profile;
    const isForPerson = this.#limit.passages !== Infinity;
    const at = this.passages.findIndex((one, i) => {
      const [above, below] = one.startLine < added.startLine ? [one, added] : [added, one];
      const isNear = isForPerson && below.startLine - above.endLine - 1 <= bridged;
      return (
        i > 0 &&
        one.root === added.root &&
        one.path === added.path &&
        one.calledBy === undefined &&
        (isForPerson || (!one.whole && !added.whole)) &&
        (isNear || file.isBlank(above.endLine + 1, below.startLine - 1)) &&
        below.endLine - above.startLine < (isForPerson ? mergedLines : wholeLines) &&
        !this.passages.some(
          (other) =>
            other !== one &&
            other.root === one.root &&
            other.path === one.path &&
            overlap(other, { startLine: above.startLine, endLine: below.endLine }),
        )
      );
    });
    const one = this.passages[at];
    if (!one) return false;
    const startLine = Math.min(one.startLine, added.startLine);
    const { text, endLine } = file.text(startLine, Math.max(one.endLine, added.endLine), isProse(one.language));
    const { head: _head, whole, ...rest } = one;
    const head = file.headOf({ startLine, endLine });
    const ofOne =
      whole?.startLine === added.whole?.startLine && whole?.endLine === added.whole?.endLine ? whole : undefined;
    const both = ofOne ? [one] : startLine === one.startLine ? [one, added] : [added, one];
    const symbols = both.flatMap((each) => [...(each.symbol ? [each.symbol] : []), ...(each.further ?? [])]);
    // Several parts of a long definition have its name.
    const [symbol, ...further] = new Map(symbols.map((each) => [`${each.kind} ${each.name}`, each])).values();
    this.passages[at] = {
      ...rest,
      ...(symbol && { symbol }),
      ...(head && { head }),
      ...(ofOne && { whole: ofOne }),
      ...(further.length > 0 && { further }),
      startLine,
      endLine,
      text,
    };
    return true;
  }

  #file(root: string, path: string): Promise<SourceFile | undefined> {
    const key = `${root}\n${path}`;
    const known =
      this.#files.get(key) ??
      this.#sources
        .read(root, path)
        .then((text) => (text === undefined ? undefined : new SourceFile(path, text, this.#analyzer)));
    this.#files.set(key, known);
    return known;
  }
}

/** Whether the file is a test by its path. */
export function isTestFile(path: string): boolean {
  return sidesOf(path).some(([side]) => side === 'test');
}

/** Whether the lines are a test, in a file of any kind. */
function isTestCode(text: string, name = ''): boolean {
  return /^test/i.test(name) || /^\s*(?:#\[(?:\w+::)?test\b|@Test\b|(?:it|describe|test)\(['"`])/m.test(text);
}
