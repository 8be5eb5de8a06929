import type { DefinitionKind } from '../analyze/language.ts';
import { foldName, nameSegments } from '../analyze/symbolNames.ts';
import { DefinitionCursor } from '../index/documents.ts';
import { Field } from '../index/format.ts';
import type { SegmentScores } from './collect.ts';
import type { IsAside, Pinned } from './pinned.ts';

const FUNCTIONS: readonly DefinitionKind[] = ['function', 'method', 'macro'];
const TYPES: readonly DefinitionKind[] = ['class', 'struct', 'interface', 'enum', 'type', 'module'];
const VALUES: readonly DefinitionKind[] = ['constant', 'variable', 'function'];
/** Keywords of declarations that are no word of a question. */
const KEYWORDS: ReadonlyMap<string, readonly DefinitionKind[]> = new Map([
  ...['def', 'defp', 'fn', 'fun', 'func', 'proc', 'sub'].map((word) => [word, FUNCTIONS] as const),
  ...['struct', 'impl', 'typedef', 'newtype'].map((word) => [word, TYPES] as const),
  ...['const', 'let', 'val', 'var'].map((word) => [word, VALUES] as const),
  ['#define', ['macro', 'constant']],
]);
/** Keywords that questions have, too: there the name has a capital, `_` or a digit. */
const WORDS: ReadonlyMap<string, readonly DefinitionKind[]> = new Map([
  ...['function', 'procedure', 'method', 'macro'].map((word) => [word, FUNCTIONS] as const),
  ...[
    'class',
    'enum',
    'interface',
    'module',
    'namespace',
    'object',
    'protocol',
    'record',
    'trait',
    'type',
    'union',
  ].map((word) => [word, TYPES] as const),
]);
const MODIFIERS =
  '(?:(?:abstract|async|data|declare|default|export|final|inline|internal|open|override|partial|private|protected|public|' +
  'pub(?:\\(\\w+\\))?|readonly|sealed|static|unsafe|virtual)\\s+)*';
const DECLARATION = new RegExp(
  `^${MODIFIERS}(?<keyword>#?[a-z]+)\\s+(?:\\([^()]*\\)\\s*)?(?<name>[\\p{L}_$][\\p{L}\\p{N}_$]*[?!]?)` +
    '(?:\\s+(?:struct|interface|class|enum))?\\s*[({:=]?\\s*[)}]?[{:;]?$',
  'u',
);
const MAX_DEFINITIONS = 20;

/**
 * The documents that define what is typed as its declaration begins, such as `func NewUser`, `type User struct` or `class Order {`;
 * none if there are many.
 */
export function* findDeclared(
  typed: string,
  all: readonly SegmentScores[],
  isAside: IsAside,
): Generator<undefined, Pinned[], void> {
  const { keyword = '', name = '' } = DECLARATION.exec(typed)?.groups ?? {};
  const kinds = KEYWORDS.get(keyword) ?? (/[\p{Lu}_\d]/u.test(name) ? WORDS.get(keyword) : undefined);
  if (!kinds) return [];
  const pinned: Pinned[] = [];
  for (const scores of all) {
    for (const document of scores.documentsWithName(foldName(name), Field.symbol)) {
      yield;
      const cursor = new DefinitionCursor(scores.reader.detailsOf(document));
      while (cursor.next()) {
        if (!kinds.includes(cursor.kind) || nameSegments(cursor.name()).at(-1) !== name) continue;
        pinned.push({ scores, document, line: cursor.line, worth: 1, feature: 'verbatim' });
        break;
      }
    }
  }
  if (pinned.length > MAX_DEFINITIONS) return [];
  return pinned.map((one) => ({ ...one, worth: isAside(one) ? 0.9 : 1 }));
}
