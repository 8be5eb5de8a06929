import { Analyzer } from '../engine/analyze/analyzer.ts';
import { COMMENT } from '../engine/analyze/lexer.ts';
import { Highlighter } from '../engine/query/highlight.ts';
import { parseQuery } from '../engine/query/query.ts';
import { parseQueryLanguage } from '../engine/query/queryLanguage.ts';
import type { Passage } from './answer.ts';
import { codeBlock, codeSpan, escapeMarkdown } from './markdown.ts';
import type { AnswerProvider } from './provider.ts';

const HEADING = 'No AI model used. Most relevant code:';
const MAX_LINES = 5;
const MAX_SENTENCES = 2;
/** Width at which a line or sentence is cut. */
const MAX_WIDTH = 240;
const PROSE = new Set(['markdown', 'plaintext', 'restructuredtext', 'asciidoc', 'html', 'tex']);
/** Marks of a comment, a heading, a list item or a tag, which are not part of a sentence. */
const MARKERS = /^[\s/*#>;%"'-]+|<!--|-->|\*\/\s*$|"""|'''/g;

/**
 * Answers with passages alone, in the order of the search. Each has the definition, the sentences of its comments and
 * the lines that have most of the question. Needs nothing, sends nothing, and never writes text of its own.
 */
export const extractiveProvider: AnswerProvider = {
  info: { id: 'extractive', label: 'Passages, no model', isLocal: true },
  async *answer({ question, passages }) {
    const extractor = new Extractor(question);
    yield HEADING;
    for (const passage of passages) yield `\n\n${extractor.extract(passage)}`;
    await Promise.resolve();
  },
};

class Extractor {
  readonly #highlighter: Highlighter;

  constructor(question: string) {
    this.#highlighter = new Highlighter(parseQuery(parseQueryLanguage(question).words));
  }

  extract(passage: Passage): string {
    const { number, path, startLine, endLine, language, symbol } = passage;
    const name = symbol ? `${codeSpan(symbol.name)} ${symbol.kind}, ` : '';
    const place = startLine === endLine ? `${startLine}` : `${startLine}-${endLine}`;
    const parts = [`**${name}${codeSpan(`${path}:${place}`)}** [${number}]`];
    const lines = passage.text.split('\n');
    const isProse = PROSE.has(language);
    const quiet = isProse ? undefined : new Analyzer().analyze(path, Buffer.from(passage.text)).quiet;
    const isComment = (line: number): boolean => ((quiet?.[line] ?? 0) & COMMENT) !== 0;
    const sentences = this.#sentences(lines.filter((_, i) => isProse || isComment(i)));
    if (sentences.length > 0) parts.push(`> ${sentences.map(escapeMarkdown).join(' … ')}`);
    if (!isProse || sentences.length === 0) {
      const code = this.#codeLines(lines, isComment, symbol?.name);
      if (code !== '') parts.push(codeBlock(code, language));
    }
    return parts.join('\n\n');
  }

  /** The sentences with words of the question, in their order. */
  #sentences(lines: readonly string[]): string[] {
    const text = lines.map((line) => line.replace(MARKERS, '').trim()).join('\n');
    const paragraphs = text.split(/\n{2,}/).map((paragraph) => paragraph.replaceAll('\n', ' '));
    const sentences = paragraphs.flatMap((one) => Array.from(segmenter.segment(one), ({ segment }) => segment.trim()));
    return this.#best(sentences, MAX_SENTENCES).map((i) => sentences[i]!.slice(0, MAX_WIDTH));
  }

  /** The line that names the definition, and the lines with most of the question, in their order. */
  #codeLines(lines: readonly string[], isQuiet: (line: number) => boolean, name: string | undefined): string {
    const wanted = new Set(
      this.#best(
        lines.map((line, i) => (isQuiet(i) ? '' : line)),
        MAX_LINES - 1,
      ),
    );
    const naming = name === undefined ? -1 : lines.findIndex((line, i) => !isQuiet(i) && line.includes(lastName(name)));
    if (naming >= 0) wanted.add(naming);
    if (wanted.size === 0)
      wanted.add(
        Math.max(
          0,
          lines.findIndex((line, i) => !isQuiet(i) && line.trim() !== ''),
        ),
      );
    const shown: string[] = [];
    let last: number | undefined;
    for (const i of [...wanted].sort((a, b) => a - b)) {
      const line = lines[i]!;
      if (last !== undefined && i > last + 1) shown.push(`${/^\s*/.exec(line)![0]}…`);
      shown.push(line.slice(0, MAX_WIDTH));
      last = i;
    }
    return dedent(shown);
  }

  /** Indices of the best texts, at most `count` with any match, in their order. */
  #best(texts: readonly string[], count: number): number[] {
    return texts
      .map((text, i) => ({ i, score: this.#highlighter.score(text) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, count)
      .map(({ i }) => i)
      .sort((a, b) => a - b);
  }
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

function lastName(name: string): string {
  return name.split(/[.:#]/).at(-1)!;
}

/** Removes the indentation that all lines share. */
function dedent(lines: readonly string[]): string {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^\s*/.exec(line)![0]);
  const [first = '', ...others] = indents;
  let common = first;
  for (const indent of others) while (!indent.startsWith(common)) common = common.slice(0, -1);
  return lines.map((line) => line.slice(common.length)).join('\n');
}
