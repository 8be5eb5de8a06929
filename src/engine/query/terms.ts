import { foldName, foldQualified } from '../analyze/symbolNames.ts';
import { isIndexable, splitToken } from '../analyze/words.ts';
import { Field, termHash } from '../index/format.ts';
import type { Postings } from '../index/postings.ts';
import type { SegmentReader } from '../index/segmentReader.ts';
import { setBit } from '../index/snapshot.ts';
import type { ParsedQuery } from './queryLanguage.ts';
import { stemOf } from './wordMatch.ts';

/** A text in a field. */
export interface Term {
  readonly field: Field;
  readonly text: string;
}

/** Identifies a term. */
export function keyOf({ field, text }: Term): string {
  return `${field} ${text}`;
}

/** The term of a defined name. */
export function symbolTerm(name: string): Term {
  return name.includes('.')
    ? { field: Field.qualified, text: foldQualified(name) }
    : { field: Field.symbol, text: foldName(name) };
}

/** The terms of excluded words. */
export function excludedTerms({ excludedWords }: ParsedQuery): Term[] {
  return excludedWords.map(({ text }) => {
    const parts = splitToken(text);
    return parts.length === 1
      ? { field: Field.body, text: stemOf(parts[0]!) }
      : { field: Field.identifier, text: parts.join('') };
  });
}

/** Number of terms that are read before other work may run. */
const TERMS_PER_STEP = 256;

/** Sets the bit of each document that has any of the terms. Clears `postings`. */
export function* markDocuments(
  reader: SegmentReader,
  terms: Iterable<Term>,
  postings: Postings,
  documents: Uint8Array,
): Generator<void, void, void> {
  let read = 0;
  let last: Term | undefined;
  for (const term of terms) {
    // Spellings of one name, which are one term, come in a row.
    if (term.text === last?.text && term.field === last.field) continue;
    last = term;
    postings.clear();
    const list = reader.read(termHash(term.field, term.text), postings);
    for (let i = list?.from ?? 0, document = 0; i < (list?.to ?? 0); i++) {
      document = reader.documentOf(postings.chunks[i]!, document);
      setBit(documents, document);
    }
    if (++read % TERMS_PER_STEP === 0) yield;
  }
}

/** Length of the longest word that is certain to be a term. */
const MAX_CERTAIN = 40;

/**
 * For each word inside a phrase the terms of which a document with the phrase has at least one: case may divide the word
 * or not. A word at an end of the phrase may be a part of a longer one there, so it is left out.
 */
export function termsWithin(phrase: string): readonly (readonly Term[])[] {
  const groups: Term[][] = [];
  for (const { 0: name } of phrase.matchAll(INNER_NAME)) {
    const folded = foldName(name);
    if (folded.length > MAX_CERTAIN || !isIndexable(folded)) continue;
    groups.push([
      { field: Field.identifier, text: folded },
      { field: Field.body, text: stemOf(folded) },
    ]);
  }
  return groups;
}

/** A name of ASCII between other characters of ASCII: others may be letters to the analyzer. */
const INNER_NAME = /(?<=[^\w\u0080-\uffff])[A-Za-z_]\w*(?=[^\w\u0080-\uffff])/g;
