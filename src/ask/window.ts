import { stem, wordsIn } from '../engine/analyze/words.ts';

/** Lines from 0, both ends inclusive. */
interface LineSpan {
  readonly start: number;
  readonly end: number;
}

/** Worth of a further line with a word beside the first one that has it. */
const REPEATED = 0.15;
/** Share of its worth by which a window shrinks that begins inside a block or leaves one open. */
const INCOMPLETE = 0.15;
/** Worth of each line, so that of equal windows the larger one is taken: it has more around what was found. */
const LINE = 0.01;
/** Beginnings of lines that continue the statement above, and ends of lines that the next one continues. */
const CONTINUES =
  /^(?:[)\]}.?:,+|&=<>]|\*(?!\w)|\/(?![/*])|-(?!-)|and\b|or\b|else\b|elif\b|catch\b|finally\b|rescue\b|ensure\b|then\b|end\b|do$)/;
const CONTINUED = /(?:[,([=+*/%|&?\\<:-]|&&|\|\||=>|\b(?:and|or|return|in|not))\s*$/;

/**
 * The part of a file, at most `most` lines of `within`, that has most of the words. It begins where a statement or paragraph does and
 * ends where one does, and is rather whole blocks than parts. `words` are stems.
 */
export function bestWindow(
  lines: readonly string[],
  within: LineSpan,
  words: readonly string[],
  most: number,
  isProse: boolean,
): LineSpan {
  if (within.end - within.start < most) return trimmed(lines, within);
  const starts = isProse ? paragraphs(lines, within) : statements(lines, within);
  const found = wordsOfLines(lines, within, words);
  const weights = words.map((_, word) => 1 / Math.log2(2 + found.filter((on) => on.has(word)).length));
  let best: LineSpan = { start: within.start, end: within.start + most - 1 };
  let bestWorth = -1;
  for (const [i, start] of starts.entries()) {
    const seen = new Map<number, number>();
    let line = start;
    for (let next = i + 1; next <= starts.length; next++) {
      const end = (starts[next] ?? within.end + 1) - 1;
      if (end - start + 1 > most) break;
      for (; line <= end; line++)
        for (const word of found[line - within.start]!) seen.set(word, (seen.get(word) ?? 0) + 1);
      let worth = LINE * (end - start);
      for (const [word, count] of seen) worth += weights[word]! * (1 + REPEATED * Math.log2(count));
      const after = starts[next];
      const closes = after === undefined || indentOf(lines[after]!) <= indentOf(lines[start]!);
      if (!closes || leaves(lines, start, end)) worth *= 1 - INCOMPLETE;
      if (worth > bestWorth) {
        best = trimmed(lines, { start, end });
        bestWorth = worth;
      }
    }
  }
  return best;
}

/** Whether lines stand further left than the first one. */
function leaves(lines: readonly string[], start: number, end: number): boolean {
  const indent = indentOf(lines[start]!);
  for (let i = start; i <= end; i++) if (lines[i]!.trim() !== '' && indentOf(lines[i]!) < indent) return true;
  return false;
}

/** Without blank lines at its ends. */
function trimmed(lines: readonly string[], { start, end }: LineSpan): LineSpan {
  let [first, last] = [start, end];
  while (first < last && lines[first]!.trim() === '') first++;
  while (last > first && lines[last]!.trim() === '') last--;
  return { start: first, end: last };
}

/** Lines at which a statement begins: not inside of brackets, and not in the middle of what an operator joins. */
function statements(lines: readonly string[], { start, end }: LineSpan): number[] {
  const starts: number[] = [];
  let depth = 0;
  let before = '';
  for (let i = start; i <= end; i++) {
    const line = lines[i]!.trim();
    if (line === '') continue;
    if (i === start || (depth === 0 && !CONTINUES.test(line) && !CONTINUED.test(before) && !isComment(before)))
      starts.push(i);
    // An unbalanced line is rather misread, as one with a bracket in a string, than followed by a statement of a page.
    depth = Math.max(0, Math.min(3, depth + bracketsOf(line)));
    before = line;
  }
  return starts;
}

/** What stands below a comment belongs to it. */
function isComment(line: string): boolean {
  return /^(?:\/\/|\/?\*|#(?!include|define|if|endif|else)|--|"""|;)/.test(line);
}

function bracketsOf(line: string): number {
  const code = line.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|\/\/.*$/g, '');
  return (code.match(/[([]/g)?.length ?? 0) - (code.match(/[)\]]/g)?.length ?? 0);
}

/** Lines after a blank one that are not inside of a fenced block. */
function paragraphs(lines: readonly string[], { start, end }: LineSpan): number[] {
  const starts: number[] = [];
  let isFenced = false;
  for (let i = start; i <= end; i++) {
    const isBreak = i === start || lines[i - 1]!.trim() === '';
    if (isBreak && !isFenced && lines[i]!.trim() !== '') starts.push(i);
    if (/^\s*(?:```|~~~)/.test(lines[i]!)) isFenced = !isFenced;
  }
  return starts;
}

function indentOf(line: string): number {
  return /^\s*/.exec(line)![0].replaceAll('\t', '    ').length;
}

/** For each line, the indices of the words that it has. */
function wordsOfLines(lines: readonly string[], { start, end }: LineSpan, words: readonly string[]): Set<number>[] {
  const index = new Map(words.map((word, i) => [word, i]));
  return lines.slice(start, end + 1).map((line) => {
    const on = new Set<number>();
    for (const one of wordsIn(line)) {
      const word = index.get(stem(one));
      if (word !== undefined) on.add(word);
    }
    return on;
  });
}
