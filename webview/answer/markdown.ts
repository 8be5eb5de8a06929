import type { Literal, Nodes, Parents, RootContent, Text } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTable } from 'micromark-extension-gfm-table';

/** `[3]`, where there is a passage of that number. */
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

/**
 * What of an answer's Markdown is shown, as a tree: CommonMark with tables and citations. HTML in it is text, and nothing in
 * it is ever run or fetched.
 */
export function parseAnswer(markdown: string, isPassage: (number: number) => boolean): readonly RootContent[] {
  const root = fromMarkdown(markdown, { extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()] });
  splitCitations(root, isPassage);
  return root.children;
}

/** Its words, as a screen reader is told them. */
export function plainText(nodes: readonly RootContent[]): string {
  return nodes.map(textOf).join('').trim();
}

/** Addresses that may be opened: those of the web, and only when somebody asks for it. */
export function isWebAddress(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

function splitCitations(parent: Parents, isPassage: (number: number) => boolean): void {
  const children: Nodes[] = parent.children;
  const split = children.flatMap((child): Nodes[] => (child.type === 'text' ? citationsIn(child, isPassage) : [child]));
  children.splice(0, children.length, ...split);
  for (const child of children) if ('children' in child) splitCitations(child, isPassage);
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
