import { foldName, foldQualified, nameSegments } from '../analyze/symbolNames.ts';
import { splitIdentifier } from '../analyze/words.ts';
import { Field, hashTerm, type TermHash } from '../index/format.ts';
import type { SegmentReader } from '../index/segmentReader.ts';

/** A term to look up for a typed symbol. */
export interface SymbolTerm {
  /** `symbol`, `qualified` or `acronym`. */
  readonly field: Field;
  /** The term in that field. */
  readonly text: string;
  /**
   * `exact`: spelt as typed; `case`: the same words in another spelling; `qualified`: as `Foo.bar`; `member`: only the
   * last part of the typed name; `acronym`: its initials; `prefix`: begins with it.
   */
  readonly how: 'exact' | 'case' | 'qualified' | 'member' | 'acronym' | 'prefix';
  /** The most similar spelling in the index; for an acronym, as typed. */
  readonly name: string;
  /** 1 for the typed name, down to 0 for one with little in common. */
  readonly similarity: number;
}

/** Worth of a symbol by the form in which it was typed. */
const WORTH: Readonly<Record<SymbolTerm['how'], number>> = {
  exact: 1,
  case: 1,
  qualified: 1,
  acronym: 0.7,
  member: 0.6,
  prefix: 0.5,
};

/** What a term counts beside the typed name itself: 1, or less. */
export function worthOf({ how, similarity }: SymbolTerm): number {
  return how === 'prefix' ? WORTH.prefix * similarity : WORTH[how];
}

type NameLookup = Pick<SegmentReader, 'has' | 'names'>;

const MAX_PREFIXES = 20;
/**
 * Number of names scanned per segment: a prefix of one letter may have a hundred thousand, and no better one is
 * searched past this.
 */
const MAX_SCANNED = 4000;
const SIMILARITY = { case: 0.9, member: 0.6, acronym: 0.7 };
/** Factor for a prefix that ends within a word: a weaker sign than one that ends with it. */
const WITHIN_WORD = 0.6;

/**
 * The terms that one typed word may mean, best first. They are the name in any spelling, its qualified name, names with
 * these initials, and the at most `limit` most similar names that begin with it. `Foo.bar`, `foo::bar`, `Foo#bar` and
 * `foo->bar` are qualified names; `Foo.` finds the members of `Foo`.
 */
export function expandSymbol(typed: string, readers: readonly NameLookup[], limit = MAX_PREFIXES): SymbolTerm[] {
  const name = withoutArguments(typed.normalize());
  const segments = nameSegments(name);
  const isOpen = /(?:::|->|[.#])$/.test(name) && segments.length > 0;
  if (foldName(name) === '') return [];
  if (segments.length + (isOpen ? 1 : 0) < 2) return expandPlain(segments[0] ?? name, readers, limit);

  const terms: SymbolTerm[] = [];
  const last = segments.at(-1)!;
  const [outer, own] = isOpen ? [last, ''] : [segments.at(-2)!, last];
  const qualified = `${foldName(outer)}.${foldName(own)}`;
  if (isDefined(Field.qualified, qualified, readers)) {
    terms.push({ field: Field.qualified, text: qualified, how: 'qualified', name: `${outer}.${own}`, similarity: 1 });
  }
  if (!isOpen && isDefined(Field.symbol, foldName(last), readers)) {
    terms.push({ field: Field.symbol, text: foldName(last), how: 'member', name: last, similarity: SIMILARITY.member });
  }
  const longer = new Candidates(Field.qualified, `${outer}.${own}`);
  scan(readers, `${outer}${own}`, (candidate) => {
    if (!candidate.includes('.')) return;
    const text = foldQualified(candidate);
    if (text !== qualified && text.startsWith(qualified)) longer.add(text, candidate, splitIdentifier(candidate));
  });
  return [...terms, ...longer.best(limit)];
}

function expandPlain(name: string, readers: readonly NameLookup[], limit: number): SymbolTerm[] {
  const terms: SymbolTerm[] = [];
  const text = foldName(name);
  const spellings = new Set<string>();
  const longer = new Candidates(Field.symbol, name);
  scan(readers, name, (candidate) => {
    if (candidate.includes('.')) return;
    const parts = splitIdentifier(candidate);
    const folded = parts.join('');
    if (folded === text) spellings.add(candidate);
    else if (folded.startsWith(text)) longer.add(folded, candidate, parts);
  });
  if (spellings.has(name)) terms.push({ field: Field.symbol, text, how: 'exact', name, similarity: 1 });
  else if (isDefined(Field.symbol, text, readers)) {
    const [spelling = name] = [...spellings].sort((a, b) => a.length - b.length);
    terms.push({ field: Field.symbol, text, how: 'case', name: spelling, similarity: SIMILARITY.case });
  }
  const acronym = name.toLowerCase();
  if (isDefined(Field.acronym, acronym, readers)) {
    terms.push({ field: Field.acronym, text: acronym, how: 'acronym', name, similarity: SIMILARITY.acronym });
  }
  return [...terms, ...longer.best(limit)];
}

/** `map(f)` and Elixir's `map/2` mean `map`; `Vec<T>::push` means `Vec::push`. */
function withoutArguments(typed: string): string {
  return typed
    .trim()
    .replace(/\(.*$/s, '')
    .replace(/<[^<>]*>/g, '')
    .replace(/\/\d+$/, '');
}

function scan(readers: readonly NameLookup[], prefix: string, visit: (name: string) => void): void {
  for (const reader of readers) {
    const cursor = reader.names(prefix);
    for (let left = MAX_SCANNED; left > 0 && cursor.next(); left--) visit(cursor.text());
  }
}

function isDefined(field: Field, text: string, readers: readonly NameLookup[]): boolean {
  const term: TermHash = { bucket: 0, key: 0 };
  hashTerm(field, text, term);
  return readers.some((reader) => reader.has(term));
}

/** Names that begin with the typed text, by their terms. */
class Candidates {
  readonly #field: Field;
  readonly #typed: string;
  readonly #length: number;
  readonly #terms = new Map<string, SymbolTerm>();

  constructor(field: Field, typed: string) {
    this.#field = field;
    this.#typed = typed;
    this.#length = foldName(typed).length;
  }

  /** Adds a spelling of a term, with its words; the more similar of two is kept. */
  add(text: string, name: string, words: readonly string[]): void {
    const known = this.#terms.get(text);
    // Most names are in several segments.
    if (known?.name === name) return;
    const similarity = this.#similarity(name, words);
    if (known && known.similarity >= similarity) return;
    this.#terms.set(text, { field: this.#field, text, how: 'prefix', name, similarity });
  }

  best(limit: number): SymbolTerm[] {
    const terms = [...this.#terms.values()];
    terms.sort((a, b) => b.similarity - a.similarity || a.name.length - b.name.length || (a.name < b.name ? -1 : 1));
    return terms.slice(0, limit);
  }

  /** The share of the name that was typed; less if it ends within a word, or has another spelling. */
  #similarity(name: string, words: readonly string[]): number {
    let length = 0;
    let endsWord = false;
    for (const word of words) {
      length += word.length;
      endsWord ||= length === this.#length;
    }
    return (
      (this.#length / length) * (endsWord ? 1 : WITHIN_WORD) * (name.startsWith(this.#typed) ? 1 : SIMILARITY.case)
    );
  }
}
