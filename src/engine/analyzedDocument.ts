import { isHome, symbolNames } from './analyze/symbolNames.ts';
import type { Definition } from './analyze/definitions.ts';
import type { DocumentId } from './documentId.ts';
import type { Field } from './index/format.ts';
import { SegmentBuilder, type TermCount } from './index/segmentBuilder.ts';
import type { MemoryDocument } from './index/memorySegment.ts';

/** A document as its terms, for an index that is not of this engine. */
export interface AnalyzedDocument {
  readonly id: DocumentId;
  readonly path: string;
  readonly language: string;
  /** See {@link outerFolder}. */
  readonly folder: string;
  readonly tokens: number;
  readonly chunks: number;
  /** Defined names, as written: `bar` and `Foo.bar`. */
  readonly names: readonly string[];
  /** The terms of each field that has any. */
  readonly terms: ReadonlyMap<Field, readonly TermCount[]>;
}

/** Analyses documents one after the other. Its memory is used again. */
export class DocumentAnalyzer {
  readonly #builder = new SegmentBuilder();

  analyze({ id, path, text }: MemoryDocument): AnalyzedDocument {
    if (this.#builder.isFull) this.#builder.clear();
    const { language, tokens, chunks, definitions } = this.#builder.add({ id: Buffer.from(id, 'hex'), path, text });
    const terms = new Map<Field, TermCount[]>();
    for (const term of this.#builder.termsOfLast()) {
      const ofField = terms.get(term.field);
      if (ofField) ofField.push(term);
      else terms.set(term.field, [term]);
    }
    return { id, path, language, folder: outerFolder(path), tokens, chunks, names: namesOf(definitions), terms };
  }
}

/** The outermost two folders of a path, or fewer, as the engine's statistics have them: bytes as Latin-1. */
export function outerFolder(path: string): string {
  const bytes = Buffer.from(path).toString('latin1');
  return bytes.split('/').slice(0, -1).slice(0, 2).join('/');
}

/** A term's hash as text: eight characters without spaces. */
export function termToken({ bucket, key }: Pick<TermCount, 'bucket' | 'key'>): string {
  const bytes = Buffer.allocUnsafe(6);
  bytes.writeUInt16LE(bucket, 0);
  bytes.writeUInt32LE(key, 2);
  return bytes.toString('base64url');
}

function namesOf(definitions: readonly Definition[]): string[] {
  const names = new Set<string>();
  for (const definition of definitions) {
    const found = symbolNames(definition);
    if (found && isHome(definition)) names.add(found.own);
    if (found?.qualified !== undefined) names.add(found.qualified);
  }
  return [...names];
}
