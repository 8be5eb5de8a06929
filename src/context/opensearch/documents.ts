import { toUtf8 } from '../../engine/analyze/text.ts';
import { DocumentAnalyzer, termToken, type AnalyzedDocument } from '../../engine/analyzedDocument.ts';
import type { Clause } from './candidateQuery.ts';
import { FIELD_NAMES } from './schema.ts';

/** A blob with the number that sets know it by. */
export interface NumberedBlob {
  readonly name: string;
  readonly path: string;
  readonly content: Buffer;
  readonly number: number;
}

/** Makes the cluster's documents of blobs, by one version of the analysis. */
export class DocumentMaker {
  readonly #analyzer = new DocumentAnalyzer();
  readonly #analysis: number;

  constructor(analysis: number) {
    this.#analysis = analysis;
  }

  documentOf({ name, path, content, number }: NumberedBlob): Clause {
    const text = toUtf8(content);
    const base = path.slice(path.lastIndexOf('/') + 1);
    const common = { number, path, base, analysis: this.#analysis, text: content.toString() };
    if (!text) return common;
    const { terms, language, folder, tokens, chunks, names } = this.#analyzer.analyze({ id: name, path, text });
    return { ...common, language, folder, tokens, chunks, defined: names, ...fieldsOf(terms) };
  }
}

/** The terms of each field, each as often as it occurs. */
function fieldsOf(terms: AnalyzedDocument['terms']): Clause {
  return Object.fromEntries(
    Array.from(terms, ([field, list]) => [
      FIELD_NAMES.get(field)!,
      list.map((term) => `${termToken(term)} `.repeat(term.count).trimEnd()).join(' '),
    ]),
  );
}
