import type { Answer, Passage } from './answer.ts';
import { SourceFile, type FoundLines } from './sourceFile.ts';

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

/** Number of files whose further places are passages too. */
const FILES_WITH_MORE = 3;
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
  limit: number,
  sources: Sources,
  signal: AbortSignal,
): Promise<Passage[]> {
  const found = await searchAll(question, history, limit, sources, signal);
  const collector = new Collector(sources);
  for (const place of found.slice(0, BEFORE_EARLIER)) await collector.addFound(place, place);
  for (const passage of history.at(-1)?.cited ?? []) await collector.addEarlier(passage);
  for (const place of found.slice(BEFORE_EARLIER)) await collector.addFound(place, place);
  for (const place of found.slice(0, FILES_WITH_MORE))
    for (const lines of place.more) await collector.addFound(place, lines);
  return collector.passages.slice(0, limit).map((passage, i) => ({ number: i + 1, ...passage }));
}

async function searchAll(
  question: string,
  history: readonly Answer[],
  limit: number,
  sources: Sources,
  signal: AbortSignal,
): Promise<readonly FoundPlace[]> {
  const last = history.at(-1)?.question;
  const alone = await sources.search(question, limit, signal);
  if (last === undefined) return alone;
  const together = await sources.search(`${question} ${last}`, limit, signal);
  return Array.from({ length: limit }, (_, i) => [together[i], alone[i]])
    .flat()
    .filter((place) => place !== undefined);
}

/** Gathers passages, and reads each file once. */
class Collector {
  readonly passages: UnnumberedPassage[] = [];
  readonly #sources: Sources;
  readonly #files = new Map<string, Promise<SourceFile | undefined>>();

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** Adds a found place, unless its lines have changed since the search. */
  async addFound({ root, path, language }: FoundPlace, found: FoundLines): Promise<void> {
    const file = await this.#file(root, path);
    if (!file?.holds(found)) return;
    const { symbol } = found;
    const { startLine, endLine } = file.whole(found);
    this.#add(file, { root, path, language }, startLine, endLine, symbol && { name: symbol.name, kind: symbol.kind });
  }

  /** Adds a passage of an earlier answer, at the present position of its lines. */
  async addEarlier({ root, path, language, startLine, endLine, text, symbol }: Passage): Promise<void> {
    const file = await this.#file(root, path);
    const at = file?.find(text, startLine);
    if (file && at !== undefined) this.#add(file, { root, path, language }, at, at + endLine - startLine, symbol);
  }

  #add(
    file: SourceFile,
    at: Pick<Passage, 'root' | 'path' | 'language'>,
    startLine: number,
    lastLine: number,
    symbol: Passage['symbol'],
  ): void {
    const { text, endLine } = file.text(startLine, lastLine);
    const isKnown = this.passages.some(
      (one) =>
        one.text === text ||
        (one.root === at.root && one.path === at.path && one.startLine <= endLine && startLine <= one.endLine),
    );
    if (isKnown || text.trim() === '') return;
    this.passages.push({ ...at, startLine, endLine, text, ...(symbol && { symbol }) });
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
