import { foldName, foldQualified } from '../../engine/analyze/symbolNames.ts';
import { termToken } from '../../engine/analyzedDocument.ts';
import { Field, termHash } from '../../engine/index/format.ts';
import { unescapeGlob, isGlob } from '../../engine/query/glob.ts';
import { languagesNamed } from '../../engine/query/languageNames.ts';
import { parseLocations } from '../../engine/query/pinned/pastedLocation.ts';
import { parseQuery } from '../../engine/query/query.ts';
import type { FilterField, ParsedQuery, QueryFilter } from '../../engine/query/queryLanguage.ts';
import { excludedTerms, keyOf, type Term } from '../../engine/query/terms.ts';
import { stemOf } from '../../engine/query/wordMatch.ts';
import { FIELD_NAMES } from './schema.ts';

/** A clause of the cluster's query language. */
export type Clause = Readonly<Record<string, unknown>>;

/** A query in the cluster's terms. */
export interface CandidateQuery {
  /** Scores documents. Empty if the query has only filters. */
  readonly should: readonly Clause[];
  /** What a document must have, and must not; a superset of what the query language means. */
  readonly filter: readonly Clause[];
  readonly mustNot: readonly Clause[];
  /** Terms whose documents are counted for the ranking. */
  readonly counted: readonly Term[];
}

/** Worth of a word in a name, as a share of its worth in the text; as in the engine's choice of candidates. */
const IN_DEFINITION = 0.3;
const IN_FILE_NAME = 0.8;
const IN_FOLDER = 0.2;
/** Worth of a name as a whole: of the only one, of one among words, and of one that may be none. */
const ONLY_NAME = 10;
const NAME = 4;
const POSSIBLE_NAME = 1;
/** Worth of a document that the query names by its path. */
const NAMED_PATH = 1_000;

/** The clause for documents with a term. */
export function termClause({ field, text }: Term, boost?: number): Clause {
  const value = termToken(termHash(field, text));
  const name = FIELD_NAMES.get(field)!;
  return { term: { [name]: boost === undefined ? value : { value, boost } } };
}

/** Translates a query into what the cluster can answer; `required` are groups of terms of which a document has one of each. */
export function candidateQuery(parsed: ParsedQuery, required: readonly (readonly Term[])[]): CandidateQuery {
  const query = parseQuery(parsed.words);
  const should: Clause[] = [];
  const counted = new Map<string, Term>();
  const add = (field: Field, text: string, boost: number): void => {
    const term = { field, text };
    counted.set(keyOf(term), term);
    should.push(termClause(term, boost));
  };
  for (const word of query.words) {
    add(Field.body, word, 1);
    add(Field.definition, word, IN_DEFINITION);
    add(Field.fileName, word, IN_FILE_NAME);
    add(Field.folder, word, IN_FOLDER);
  }
  const isOnly = query.symbol !== undefined;
  for (const name of query.names) {
    add(Field.symbol, name, isOnly ? ONLY_NAME : NAME);
    add(Field.identifier, name, isOnly ? NAME : POSSIBLE_NAME);
  }
  for (const name of [...query.possibleNames, ...query.pairs]) {
    add(Field.symbol, name, POSSIBLE_NAME);
    add(Field.identifier, name, POSSIBLE_NAME);
  }
  for (const single of query.singles) {
    const folded = foldName(single);
    for (const term of [
      { field: Field.symbol, text: folded },
      { field: Field.body, text: stemOf(folded) },
    ])
      counted.set(keyOf(term), term);
  }
  if (query.symbol !== undefined) should.push(...symbolClauses(query.symbol));
  for (const { segments } of parseLocations(parsed.text)) {
    const base = segments.at(-1)!;
    should.push(constant({ term: { base } }, NAMED_PATH));
  }
  const typed = parsed.words.trim();
  if (/^[^\s:]*[\\/][^\s:]*$/.test(typed)) {
    const part = typed.replaceAll('\\', '/').replace(/^(?:\.{0,2}\/)+/, '');
    if (part !== '') should.push(constant(wildcard('path', `*${escaped(part)}*`), NAMED_PATH));
  }
  const of = (field: FilterField, exclude: boolean): QueryFilter[] =>
    parsed.filters.filter((one) => one.field === field && one.exclude === exclude);
  const filter = required.map((terms) => anyOf(terms.map((term) => termClause(term))));
  for (const field of ['path', 'file', 'lang', 'sym'] as const) {
    const wanted = of(field, false);
    if (wanted.length > 0) filter.push(anyOf(wanted.flatMap(inEachForm).map(filterClause)));
  }
  return {
    should,
    filter,
    mustNot: [...excludedTerms(parsed).map((term) => termClause(term)), ...of('lang', true).map(filterClause)],
    counted: [...counted.values()],
  };
}

/** Finds a typed name by its qualified form, its initials and its beginning. */
function symbolClauses(symbol: string): Clause[] {
  const clauses: Clause[] = [];
  const qualified = foldQualified(symbol);
  if (qualified.includes('.')) clauses.push(termClause({ field: Field.qualified, text: qualified }, ONLY_NAME));
  const last = symbol.split(/::|->|[.#:/\\]/).at(-1) ?? '';
  if (foldName(last) !== '' && last !== symbol)
    clauses.push(termClause({ field: Field.symbol, text: foldName(last) }, NAME));
  clauses.push(termClause({ field: Field.acronym, text: symbol.toLowerCase() }, NAME));
  const begin = symbol.replace(/::|->|[#/\\]/g, '.');
  clauses.push(constant({ prefix: { defined: { value: begin, case_insensitive: true } } }, NAME));
  return clauses;
}

/** A filter of paths in the composed and the decomposed form of its letters, since paths may have either. */
function inEachForm(filter: QueryFilter): QueryFilter[] {
  const { field, pattern } = filter;
  if (field !== 'path' && field !== 'file') return [filter];
  return [...new Set([pattern, pattern.normalize('NFD')])].map((form) => ({ ...filter, pattern: form }));
}

/** A clause that all documents that match a filter meet, and perhaps others. */
function filterClause({ field, pattern }: QueryFilter): Clause {
  switch (field) {
    case 'lang':
      return { terms: { language: [...languagesNamed(pattern)] } };
    case 'path': {
      const typed = pattern.replace(/\\+(?![*?[\]{},])/g, '/').replace(/^\.\//, '/');
      const isFloating = !typed.startsWith('/');
      return wildcard('path', `${isFloating ? '*' : ''}${looseGlob(isFloating ? typed : typed.slice(1))}*`);
    }
    case 'file':
      return wildcard('base', isGlob(pattern) ? `${looseGlob(pattern)}*` : `*${looseGlob(pattern)}*`);
    default:
      // A qualified name is found by its last part.
      return wildcard('defined', `*${looseGlob(pattern.slice(pattern.lastIndexOf('.') + 1))}*`);
  }
}

/** The beginning of a glob up to its first wildcard, which all that it matches contain; all of a text without wildcards. */
function looseGlob(pattern: string): string {
  if (!isGlob(pattern)) return escaped(unescapeGlob(pattern));
  const begin = /^[^*?[\]{}\\]*/.exec(pattern)![0];
  // `**/` may stand for nothing, and takes the slash with it.
  return begin === '' ? '' : escaped(begin);
}

function wildcard(field: string, value: string): Clause {
  return { wildcard: { [field]: { value, case_insensitive: true } } };
}

function constant(filter: Clause, boost: number): Clause {
  return { constant_score: { filter, boost } };
}

function anyOf(clauses: readonly Clause[]): Clause {
  return clauses.length === 1 ? clauses[0]! : { bool: { should: clauses, minimum_should_match: 1 } };
}

function escaped(text: string): string {
  return text.replaceAll(/[*?\\]/g, String.raw`\$&`);
}
