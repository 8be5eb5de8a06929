import { increment } from '../base/collections.ts';
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
  const starts = startsOf(lines, within, most, isProse);
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
      for (; line <= end; line++) for (const word of found[line - within.start]!) increment(seen, word);
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

/**
 * The last line, at most `end`, with which a statement or paragraph from `start` ends; `end` if the lines are in the midst of one. `end`
 * counts from 0.
 */
export function lastWholeLine(lines: readonly string[], start: number, end: number, isProse: boolean): number {
  const next = end + 1;
  if (next >= lines.length) return end;
  const starts = startsOf(lines, { start, end: next }, end - start + 1, isProse);
  const line = starts.findLast((one) => one > start && one <= next);
  return line === undefined ? end : trimmed(lines, { start, end: line - 1 }).end;
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

/** Lines at which a part begins: a paragraph, or a sentence of one with more than `most` lines; a statement, or a line of a long one. */
function startsOf(lines: readonly string[], within: LineSpan, most: number, isProse: boolean): number[] {
  const starts = isProse ? paragraphs(lines, within) : statements(lines, within);
  return starts.flatMap((start, i) => {
    const end = (starts[i + 1] ?? within.end + 1) - 1;
    if (end - start < most) return [start];
    return isProse ? sentences(lines, { start, end }) : innerLines(lines, { start, end });
  });
}

/** Lines that begin after the end of a sentence. */
function sentences(lines: readonly string[], { start, end }: LineSpan): number[] {
  const starts = [start];
  for (let i = start + 1; i <= end; i++) if (/[.!?:][)"'*_`]*\s*$/.test(lines[i - 1]!)) starts.push(i);
  return starts;
}

/** The parts of a statement of many lines, such as the entries of a table: lines with the least indentation inside of it. */
function innerLines(lines: readonly string[], { start, end }: LineSpan): number[] {
  const inner = lines.slice(start + 1, end + 1).filter((line) => line.trim() !== '' && !/^\s*[)\]}]/.test(line));
  const indent = Math.min(...inner.map(indentOf));
  const starts = [start];
  for (let i = start + 1; i <= end; i++)
    if (lines[i]!.trim() !== '' && indentOf(lines[i]!) === indent && !CONTINUES.test(lines[i]!.trim())) starts.push(i);
  return starts;
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
