import type { Literal, Nodes, Parents, RootContent, Text } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';

/** `[3]`, if there is a passage with that number. */
export interface Citation extends Literal {
  readonly type: 'citation';
  readonly number: number;
}

declare module 'mdast' {
  interface PhrasingContentMap {
    citation: Citation;
  }
  interface RootContentMap {
    citation: Citation;
  }
}

/** Nested blocks and emphasis that are shown as such; each takes a call on the stack, here and when it is drawn. */
const MAX_DEPTH = 50;
/** What a model writes that repeats itself, and takes many seconds to parse: marks of quotes, lists or emphasis in a row. */
const REPEATED_MARKS = /(?:>[ \t]?|(?:[*+-]|\d{1,9}[.)])[ \t]+){100}|[*_]{1000}/;
/** Marks of emphasis in one paragraph; the time to match them grows with their square. */
const MAX_EMPHASES = 2000;

/**
 * Parses the shown part of an answer's Markdown: CommonMark with tables and citations. HTML in it is text, and nothing
 * in it is ever run or fetched.
 */
export function parseAnswer(markdown: string, isPassage: (number: number) => boolean): readonly RootContent[] {
  if (REPEATED_MARKS.test(markdown) || markdown.split(/\n\s*\n/).some(isAllEmphasis))
    return [{ type: 'code', value: markdown }];
  const root = fromMarkdown(markdown, { extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()] });
  splitCitations(root, markdown, isPassage, 0);
  return root.children;
}

function isAllEmphasis(paragraph: string): boolean {
  return (paragraph.match(/[*_]+/g)?.length ?? 0) > MAX_EMPHASES;
}

/** The words of an answer, for a screen reader. */
export function plainText(nodes: readonly RootContent[]): string {
  return nodes.map(textOf).join('').trim();
}

/** Whether an address may be opened: only one of the web, and only on a click. */
export function isWebAddress(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

function splitCitations(
  parent: Parents,
  markdown: string,
  isPassage: (number: number) => boolean,
  depth: number,
): void {
  const children: Nodes[] = parent.children;
  const split = children.flatMap((child): Nodes[] => {
    if (child.type === 'text') return citationsIn(child, isPassage);
    // A table consists of rows and cells alone.
    const isShown = depth < MAX_DEPTH || child.type === 'tableRow' || child.type === 'tableCell';
    return [isShown ? child : { type: 'text', value: sourceOf(child, markdown) }];
  });
  children.splice(0, children.length, ...split);
  for (const child of children) if ('children' in child) splitCitations(child, markdown, isPassage, depth + 1);
}

function sourceOf({ position }: Nodes, markdown: string): string {
  return markdown.slice(position?.start.offset, position?.end.offset);
}

function citationsIn({ value }: Text, isPassage: (number: number) => boolean): (Text | Citation)[] {
  return value.split(/(\[\d+\])/).flatMap((part): (Text | Citation)[] => {
    const digits = /^\[(\d+)\]$/.exec(part)?.[1];
    const number = Number(digits);
    if (digits !== undefined && isPassage(number)) return [{ type: 'citation', value: part, number }];
    return part === '' ? [] : [{ type: 'text', value: part }];
  });
}

const LINES: ReadonlySet<string> = new Set(['paragraph', 'heading', 'listItem', 'tableRow', 'code', 'blockquote']);

function textOf(node: Nodes): string {
  if (node.type === 'citation') return '';
  const parts = 'children' in node ? node.children.map(textOf) : [];
  const text = 'value' in node ? node.value : parts.join(node.type === 'tableRow' ? ', ' : '');
  return LINES.has(node.type) ? `${text}\n` : text;
}
