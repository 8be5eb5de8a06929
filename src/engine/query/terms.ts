import { foldName, foldQualified } from '../analyze/symbolNames.ts';
import { splitToken } from '../analyze/words.ts';
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

/** A bit per document that has any of the terms. Clears `postings`. */
export function documentsWith(reader: SegmentReader, terms: readonly Term[], postings: Postings): Uint8Array {
  const documents = new Uint8Array((reader.documents + 7) >>> 3);
  for (const { field, text } of terms) {
    postings.clear();
    const list = reader.read(termHash(field, text), postings);
    for (let i = list?.from ?? 0, document = 0; i < (list?.to ?? 0); i++) {
      document = reader.documentOf(postings.chunks[i]!, document);
      setBit(documents, document);
    }
  }
  return documents;
}
