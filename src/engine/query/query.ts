import { isIndexable, isStopword, splitIdentifier, stem } from '../analyze/words.ts';

/** One thing a query asks for. */
export interface QueryTerm {
  /**
   * `word`: a stemmed word. `name`: a name as a whole, folded, wherever it stands; `symbol`: where it is defined.
   * `maybeSymbol`: a word among others that may be the whole name of something. `phrase`: neighbours that may be one name.
   */
  readonly kind: 'word' | 'name' | 'symbol' | 'maybeSymbol' | 'phrase';
  readonly text: string;
}

export interface Query {
  readonly text: string;
  readonly terms: readonly QueryTerm[];
}

/** More words than this say nothing more; a pasted page must not take seconds. */
const MAX_WORDS = 40;

/**
 * What a person typed, as terms. `page fault handler` asks for three words, and for names made of neighbours, such as
 * `page_fault`; `handleMmFault` asks for the name and for its words.
 */
export function parseQuery(text: string): Query {
  const terms = new Map<string, QueryTerm>();
  const add = (kind: QueryTerm['kind'], term: string): void => {
    if (!terms.has(`${kind}:${term}`)) terms.set(`${kind}:${term}`, { kind, text: term });
  };
  const names = [...text.matchAll(/[\p{L}\p{N}_\p{M}]+/gu)].slice(0, MAX_WORDS).map(([name]) => splitIdentifier(name));
  const all = names.flat();
  // A question made of nothing but common words still deserves the best answer there is.
  const content = all.some((word) => isIndexable(word)) ? isIndexable : (word: string) => word.length > 0;
  for (const parts of names) {
    for (const part of parts) if (content(part)) add('word', stem(part));
    const name = parts.join('');
    if (parts.length > 1) add('name', name);
    if (parts.length > 1 || names.length === 1) add('symbol', name);
    else if (!isStopword(name)) add('maybeSymbol', name);
  }
  for (let i = 0; i + 1 < names.length; i++) {
    add('phrase', [...names[i]!, ...names[i + 1]!].join(''));
    if (i + 2 < names.length) add('phrase', [...names[i]!, ...names[i + 1]!, ...names[i + 2]!].join(''));
  }
  return { text, terms: [...terms.values()].filter((term) => term.text !== '') };
}
