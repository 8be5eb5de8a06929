import type { Passage } from './answer.ts';
import { CitationScanner, type MarkdownToken } from './citationScanner.ts';

/**
 * Restricts the citations of an answer to existing passages, while the answer streams in pieces of any size. A citation
 * of no passage is removed, with the spaces before it, and counted; one of several passages becomes one for each.
 *
 * Other ways out of the answer are removed. An image becomes a link, as merely showing one sends a request to an
 * address that a file may have given the model. A citation cannot be the text of a link.
 */
export class CitationFilter {
  readonly #passages: ReadonlyMap<number, Passage>;
  readonly #scanner = new CitationScanner();
  readonly #cited = new Map<number, Passage>();
  #removed = 0;
  #last: MarkdownToken | undefined;
  /** The first of the citations removed at this position. */
  #gap: (MarkdownToken & { readonly kind: 'citation' }) | undefined;

  constructor(passages: readonly Passage[]) {
    this.#passages = new Map(passages.map((passage) => [passage.number, passage]));
  }

  /** In the order of their first citation. */
  get cited(): readonly Passage[] {
    return [...this.#cited.values()];
  }

  get removedCitations(): number {
    return this.#removed;
  }

  push(text: string): string {
    return this.#filter(this.#scanner.push(text));
  }

  end(): string {
    return this.#filter(this.#scanner.end());
  }

  #filter(tokens: readonly MarkdownToken[]): string {
    return tokens.map((token) => this.#filtered(token)).join('');
  }

  #filtered(token: MarkdownToken): string {
    const isCitation = token.kind === 'citation';
    const kept = isCitation ? token.numbers.filter((number) => this.#passages.has(number)) : [];
    if (isCitation) this.#removed += token.numbers.length - kept.length;
    if (isCitation && kept.length === 0) {
      this.#gap ??= token;
      return '';
    }
    const last = this.#last;
    const filler = this.#filler(token);
    this.#last = token;
    const hadGap = this.#gap !== undefined;
    this.#gap = undefined;
    if (isCitation) {
      for (const number of kept) this.#cited.set(number, this.#passages.get(number)!);
      return `${filler}${token.space}${kept.map((number) => `[${number}]`).join('')}`;
    }
    if (token.kind === 'image') return String.raw`${filler}\!`;
    const isLink =
      last?.kind === 'citation' && (/^[([]/.test(token.text) || (last.startsLine && token.text.startsWith(':')));
    // The comma between a removed citation and the next one.
    const text = hadGap && last?.kind === 'text' && last.text.endsWith(',') ? token.text.replace(/^,/, '') : token.text;
    return `${filler}${isLink ? '\\' : ''}${text}`;
  }

  /** Filler for a removed citation: the text around it must not combine to code, a link, an image or a citation. */
  #filler({ text }: MarkdownToken): string {
    if (!this.#gap) return '';
    return this.#gap.mayJoin || /^[`[(]/.test(text) ? ZERO_WIDTH_SPACE : '';
  }
}

const ZERO_WIDTH_SPACE = '\u200b';

/** The Markdown without any citation. */
export function withoutCitations(markdown: string): string {
  const filter = new CitationFilter([]);
  return filter.push(markdown) + filter.end();
}
