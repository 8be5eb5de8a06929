import type { SourceFile } from './corpus.ts';
import type { Definition } from './syntax.ts';

const ANNOTATION = /^\s*(?:@\w|#!?\[|\[[A-Z])/;
/** Signs at both ends of a comment's lines, and markup. */
const MARKS = /^\s*(?:\/\*[*!]?|\*+\/?|\/\/[/!]?|#+|[rbu]*"""|[rbu]*''')|(?:\*\/|"""|''')\s*$|<[^>]*>|\{@\w+|\}/g;
const LEGAL = /copyright|licen[sc]e/i;
/** Lines on parameters and the like end the sentence. */
const TAG = /^\s*(?:[@:\\]\w|[-=*~]{3})/;

/** The first sentence of the comment that documents a definition: above it or, in Python, beneath. */
export function docSentence(file: SourceFile, definition: Definition): string | undefined {
  const lines = file.syntax.language === 'Python' ? docstring(file, definition) : commentAbove(file, definition);
  const kept: string[] = [];
  for (const line of lines) {
    const text = line.replace(MARKS, '').trim();
    if (text === '' ? kept.length > 0 : TAG.test(text)) break;
    if (text !== '') kept.push(text);
  }
  const text = kept.join(' ');
  if (text === '' || LEGAL.test(text)) return undefined;
  return /^.*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
}

function commentAbove({ lines, kinds }: SourceFile, { line }: Definition): readonly string[] {
  let end = line - 1;
  while (end > 0 && kinds[end - 1] === 'code' && ANNOTATION.test(lines[end - 1]!)) end--;
  let start = end;
  while (start > 0 && kinds[start - 1] === 'comment') start--;
  return lines.slice(start, end);
}

function docstring({ lines, kinds }: SourceFile, { line }: Definition): readonly string[] {
  let start = line - 1;
  while (start < lines.length && start < line + 12 && !/:\s*(?:#.*)?$/.test(lines[start]!)) start++;
  start++;
  let end = start;
  while (kinds[end] === 'comment') end++;
  return lines.slice(start, end);
}
