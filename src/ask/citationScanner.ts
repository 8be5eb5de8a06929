/** A part of an answer's Markdown. The concatenated `text`s are the original Markdown. */
export type MarkdownToken =
  | { readonly kind: 'text'; readonly text: string }
  /** `[2]`, and variants that models write: `[1, 3]`, `[1-3]`, `[^2]`. `text` includes the spaces before it. */
  | {
      readonly kind: 'citation';
      readonly text: string;
      readonly space: string;
      readonly numbers: readonly number[];
      readonly startsLine: boolean;
      /** Whether the text before it can be the beginning of a code block, or of another citation. */
      readonly mayJoin: boolean;
    }
  /** The `!` before the brackets of an image. */
  | { readonly kind: 'image'; readonly text: string };

/** Blanks, quotes and list items that may precede the fence of a code block. */
const LINE_START = /(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))*(?<fence>`{3,}|~{3,})?/y;
const MAYBE_LINE_START = /^[ \t>*+\-\d.)]*[`~]*$/;
/** Text that leaves open whether a line starts a code block, or brackets are a citation. */
const MAYBE_FENCE = /^[ \t>*+\-\d.)~]*$/;
const MAYBE_GROUP = /^[ ^\d,;&–\-and]*$/;
const FENCE_END = /^[ \t>]*(?<fence>`{3,}|~{3,})[ \t\r]*\n?$/;
const CITATION = /\[ ?\^?\d{1,3}(?: *(?:[,;&–-]|and) *\^?\d{1,3})* ?\]/y;
/** Beginning of a possible citation that more text may complete. */
const MAYBE_CITATION = /\[[ ^\d,;&–\-and]*$/y;
const MAX_CITATION = 60;
const SPACES = /[ \t]+/y;
const BACKTICKS = /`+/y;
const PLAIN = /[^ \t\n\\`[!]+/y;

/**
 * Finds citations in Markdown that arrives in pieces of any size. Text in a fenced block, in an inline code span on one
 * line, or after a backslash is no citation: code is full of `items[0]`. Tokens do not depend on how the text was cut.
 */
export class CitationScanner {
  #text = '';
  #at = 0;
  #isLineStart = true;
  #isWithinLine = false;
  #mayBeFence = false;
  #mayBeGroup = false;
  #fence: string | undefined;

  push(text: string): MarkdownToken[] {
    this.#text += text;
    return this.#take(false);
  }

  /** Returns the text held back for more input. */
  end(): MarkdownToken[] {
    return this.#take(true);
  }

  #take(isEnd: boolean): MarkdownToken[] {
    const tokens: MarkdownToken[] = [];
    let plain = '';
    while (this.#at < this.#text.length) {
      const token = this.#next(isEnd);
      if (!token) break;
      this.#at += token.text.length;
      if (token.kind === 'text') {
        plain += token.text;
        continue;
      }
      if (plain !== '') tokens.push({ kind: 'text', text: plain });
      plain = '';
      tokens.push(token);
    }
    if (plain !== '') tokens.push({ kind: 'text', text: plain });
    this.#text = this.#text.slice(this.#at);
    this.#at = 0;
    return tokens;
  }

  /** The next token, or `undefined` if it depends on further input. */
  #next(isEnd: boolean): MarkdownToken | undefined {
    if (this.#fence !== undefined) return this.#fencedLine(this.#fence, isEnd);
    if (this.#isLineStart) return this.#lineStart(isEnd);
    const token = this.#inLine(isEnd);
    if (!token) return undefined;
    this.#isWithinLine = true;
    this.#mayBeFence &&= MAYBE_FENCE.test(token.text);
    this.#mayBeGroup = token.text.endsWith('[')
      ? !token.text.endsWith('\\[')
      : this.#mayBeGroup && MAYBE_GROUP.test(token.text);
    return token;
  }

  #inLine(isEnd: boolean): MarkdownToken | undefined {
    const character = this.#text[this.#at]!;
    const after = this.#text[this.#at + 1];
    switch (character) {
      case '\n':
        this.#isLineStart = true;
        return text(character);
      case '\\':
        if (after === undefined && !isEnd) return undefined;
        return text(after === undefined || after === '\n' ? character : character + after);
      case '`':
        return this.#inlineCode(isEnd);
      case '!':
        return this.#exclamation(isEnd);
      case ' ':
      case '\t':
      case '[':
        return this.#citation(isEnd);
      default:
        return text(this.#match(PLAIN)![0]);
    }
  }

  #fencedLine(fence: string, isEnd: boolean): MarkdownToken | undefined {
    const line = this.#line(isEnd);
    if (line === undefined) return undefined;
    const found = FENCE_END.exec(line)?.groups!.fence;
    if (found?.startsWith(fence)) {
      this.#fence = undefined;
      this.#isLineStart = true;
    }
    return text(line);
  }

  #lineStart(isEnd: boolean): MarkdownToken | undefined {
    if (!isEnd && MAYBE_LINE_START.test(this.#text.slice(this.#at))) return undefined;
    const { 0: start, groups } = this.#match(LINE_START)!;
    const fence = groups!.fence;
    if (fence !== undefined) {
      const line = this.#line(isEnd);
      if (line === undefined) return undefined;
      // Further backticks on the line make it inline code.
      if (fence.startsWith('~') || !line.slice(start.length).includes('`')) {
        this.#fence = fence;
        return text(line);
      }
    }
    this.#isLineStart = false;
    this.#isWithinLine = false;
    this.#mayBeFence = true;
    return text(fence === undefined ? start : start.slice(0, -fence.length));
  }

  #inlineCode(isEnd: boolean): MarkdownToken | undefined {
    const [ticks] = this.#match(BACKTICKS)!;
    const from = this.#at + ticks.length;
    if (from === this.#text.length && !isEnd) return undefined;
    const newline = this.#text.indexOf('\n', from);
    const end = newline < 0 ? this.#text.length : newline;
    for (let at = this.#text.indexOf(ticks, from); at >= 0 && at < end;) {
      let to = at;
      while (this.#text[to] === '`') to++;
      if (to === this.#text.length && !isEnd) return undefined;
      if (to - at === ticks.length) return text(this.#text.slice(this.#at, to));
      at = this.#text.indexOf(ticks, to);
    }
    return newline < 0 && !isEnd ? undefined : text(ticks);
  }

  #exclamation(isEnd: boolean): MarkdownToken | undefined {
    const from = this.#at + 1;
    if (this.#text.length === from && !isEnd) return undefined;
    if (this.#text[from] !== '[') return text('!');
    const isCitation = this.#isCitation(from, isEnd);
    if (isCitation === undefined) return undefined;
    return isCitation ? text('!') : { kind: 'image', text: '!' };
  }

  /** A citation with the spaces before it, which are removed with it. */
  #citation(isEnd: boolean): MarkdownToken | undefined {
    const space = this.#match(SPACES)?.[0] ?? '';
    const from = this.#at + space.length;
    if (from === this.#text.length) return isEnd ? text(space) : undefined;
    if (this.#text[from] !== '[') return text(space);
    const isCitation = this.#isCitation(from, isEnd);
    if (isCitation === undefined) return undefined;
    const startsLine = !this.#isWithinLine;
    if (!isCitation) return text(`${space}[`);
    const [group] = matchAt(CITATION, this.#text, from)!;
    const mayJoin = this.#mayBeFence || this.#mayBeGroup;
    return { kind: 'citation', text: space + group, space, numbers: numbersIn(group), startsLine, mayJoin };
  }

  #isCitation(from: number, isEnd: boolean): boolean | undefined {
    const group = matchAt(CITATION, this.#text, from)?.[0];
    if (group !== undefined) return group.length <= MAX_CITATION;
    const isOpen = matchAt(MAYBE_CITATION, this.#text, from) && this.#text.length - from < MAX_CITATION;
    return isOpen && !isEnd ? undefined : false;
  }

  /** The rest of the line, with its end. */
  #line(isEnd: boolean): string | undefined {
    const newline = this.#text.indexOf('\n', this.#at);
    if (newline >= 0) return this.#text.slice(this.#at, newline + 1);
    return isEnd ? this.#text.slice(this.#at) : undefined;
  }

  #match(expression: RegExp): RegExpExecArray | undefined {
    return matchAt(expression, this.#text, this.#at);
  }
}

function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | undefined {
  expression.lastIndex = at;
  return expression.exec(text) ?? undefined;
}

function text(value: string): MarkdownToken {
  return { kind: 'text', text: value };
}

/** Largest plausible range of passages. */
const MAX_RANGE = 50;

/** Numbers of a group: `[1, 3-5]` is 1, 3, 4, 5. */
function numbersIn(group: string): number[] {
  const numbers: number[] = [];
  for (const { groups } of group.matchAll(/(?<from>\d+)(?: *[–-] *\^?(?<to>\d+))?/g)) {
    const from = Number(groups!.from);
    const to = groups!.to === undefined ? from : Number(groups!.to);
    if (from < to && to - from <= MAX_RANGE) for (let number = from; number < to; number++) numbers.push(number);
    else if (from !== to) numbers.push(from);
    numbers.push(to);
  }
  return numbers;
}
