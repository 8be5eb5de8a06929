import type { Passage } from '../../ask/answer.ts';
import { codeSpan, escapeMarkdown } from '../../ask/markdown.ts';
import type { KeptPlace, ResultSymbol } from '../../workspace/resultPlace.ts';
import type { Turn } from './conversation.ts';

/* Answers and their passages, converted for other uses. */

/** A question and its answer as Markdown to paste elsewhere, with the cited places below. */
export function answerAsMarkdown({
  question,
  provider,
  markdown,
  passages,
  cited,
}: Pick<Turn, 'question' | 'provider' | 'markdown' | 'passages' | 'cited'>): string {
  const sources = passages
    .filter(({ number }) => cited.includes(number))
    .map(({ number, path, startLine, endLine, symbol }) => {
      const place = codeSpan(`${path}:${startLine === endLine ? startLine : `${startLine}-${endLine}`}`);
      return `- \\[${number}\\] ${place}${symbol ? ` ${codeSpan(symbol.name)}` : ''}\n`;
    });
  const list = sources.length === 0 ? '' : `\n${sources.join('')}`;
  return `## ${escapeMarkdown(question)}\n\n${markdown.trim()}\n${list}\n*${escapeMarkdown(provider.label)}*\n`;
}

/** A passage as a place that survives edits of its file: by the line with its name, else its longest line. */
export function placeOfPassage({ root, path, startLine, endLine, text, symbol }: Passage): KeptPlace {
  const lines = text.split('\n').map((line) => line.trim());
  const named = symbol ? lines.findIndex((line) => line.includes(symbol.name)) : -1;
  const longest = lines.reduce((best, line, i) => (line.length > lines[best]!.length ? i : best), 0);
  const at = named >= 0 ? named : longest;
  const line = startLine + at;
  return {
    root,
    path,
    startLine,
    endLine,
    line,
    text: lines[at]!,
    ranges: [],
    ...(symbol && { symbol: { name: symbol.name, kind: symbol.kind as ResultSymbol['kind'], line } }),
  };
}
