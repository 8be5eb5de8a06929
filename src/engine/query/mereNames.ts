import type { DefinitionKind } from '../analyze/language.ts';
import { splitIdentifier } from '../analyze/words.ts';
import type { SymbolSpan } from '../index/documents.ts';
import { stemOf } from './wordMatch.ts';

const KINDS: ReadonlySet<DefinitionKind> = new Set(['constant', 'macro', 'variable']);
/** Words that an include guard adds to the name of its file. */
const GUARD_WORDS: ReadonlySet<string> = new Set(['guard', 'h', 'hh', 'hpp', 'inc', 'include', 'included'].map(stemOf));

/** Tells the definitions of one line that only repeat a file's or library's name, such as include guards, from others. */
export class MereNames {
  readonly #path: ReadonlySet<string>;
  readonly #query: ReadonlySet<string>;

  /** `words` are those of the query, stemmed. */
  constructor(path: string, words: readonly string[]) {
    this.#path = new Set(splitIdentifier(path).map(stemOf));
    this.#query = new Set(words);
  }

  has({ name, kind, line, endLine }: SymbolSpan): boolean {
    if (!KINDS.has(kind) || line !== endLine) return false;
    let isMere = false;
    for (const word of splitIdentifier(name)) {
      const stem = stemOf(word);
      if (GUARD_WORDS.has(stem)) continue;
      if (!this.#path.has(stem)) return false;
      isMere = true;
    }
    return isMere;
  }

  /** Whether all definitions with a word of the query are such, and there are any. */
  areAll(spans: readonly SymbolSpan[]): boolean {
    const wanted = spans.filter(({ name }) => splitIdentifier(name).some((word) => this.#query.has(stemOf(word))));
    return wanted.length > 0 && wanted.every((span) => this.has(span));
  }
}
