import { parseQuery } from '../../../src/engine/query/query.ts';

export interface ShownSpan {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
}

/** Lines around a match that are shown. */
const AROUND = 8;

/**
 * Retrieval as with `grep -i -C`: lines that contain most words of the question, as typed, each with the lines around it. A word
 * counts less the more lines contain it.
 */
export class Grep {
  readonly #files: ReadonlyMap<string, readonly string[]>;

  constructor(files: ReadonlyMap<string, string>) {
    this.#files = new Map([...files].map(([path, text]) => [path, text.toLowerCase().split(/\r\n|\r|\n/)]));
  }

  find(question: string): ShownSpan[] {
    const isContent = new Set(parseQuery(question).words);
    const words = [...new Set(question.toLowerCase().match(/\p{L}{3,}/gu))].filter(
      (word) => parseQuery(word).words.some((one) => isContent.has(one)) && !STOP.has(word),
    );
    const counts = words.map((word) => this.#count((line) => line.includes(word)));
    const found: (ShownSpan & { readonly score: number })[] = [];
    for (const [path, lines] of this.#files)
      for (const [i, line] of lines.entries()) {
        let score = 0;
        for (const [w, word] of words.entries()) if (line.includes(word)) score += 1 / Math.log2(2 + counts[w]!);
        if (score > 0) found.push({ path, startLine: Math.max(1, i + 1 - AROUND), endLine: i + 1 + AROUND, score });
      }
    found.sort((a, b) => b.score - a.score);
    const kept: ShownSpan[] = [];
    for (const one of found) {
      if (kept.length === 200) break;
      if (!kept.some((k) => k.path === one.path && k.startLine <= one.endLine && one.startLine <= k.endLine))
        kept.push(one);
    }
    return kept;
  }

  #count(matches: (line: string) => boolean): number {
    let count = 0;
    for (const lines of this.#files.values()) for (const line of lines) if (matches(line)) count++;
    return count;
  }
}

const STOP = new Set(
  'how what when where which does the and are for from with that this into its was who why'.split(' '),
);
