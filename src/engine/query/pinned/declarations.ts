import { TYPE_KINDS, type DefinitionKind } from '../../analyze/language.ts';
import { foldName, nameSegments } from '../../analyze/symbolNames.ts';
import { DefinitionCursor } from '../../index/documents.ts';
import { Field } from '../../index/format.ts';
import { unlessAll, type Pinned, type PinRequest } from './pinned.ts';

const FUNCTIONS: ReadonlySet<DefinitionKind> = new Set(['function', 'method', 'macro']);
const VALUES: ReadonlySet<DefinitionKind> = new Set(['constant', 'variable', 'function']);
/** Keywords of declarations, and the kinds that they declare. */
const KEYWORDS: ReadonlyMap<string, ReadonlySet<DefinitionKind>> = new Map([
  ...tableOf('def defp fn fun func proc sub function procedure method macro', FUNCTIONS),
  ...tableOf('struct impl typedef newtype class enum interface module namespace', TYPE_KINDS),
  ...tableOf('object protocol record trait type union', TYPE_KINDS),
  ...tableOf('const let val var', VALUES),
  ['#define', new Set<DefinitionKind>(['macro', 'constant'])],
]);
/** Those that questions have, too: there the name has a capital, `_` or a digit, or a bracket or the like follows. */
const WORDS: ReadonlySet<string> = new Set(
  'class enum fun function impl interface let macro method module namespace object proc procedure protocol record sub trait type union val'.split(
    ' ',
  ),
);
const MODIFIERS =
  '(?:(?:abstract|async|data|declare|default|export|final|inline|internal|open|override|partial|private|protected|public|' +
  'pub(?:\\(\\w+\\))?|readonly|sealed|static|unsafe|virtual)\\s+)*';
const DECLARATION = new RegExp(
  `^${MODIFIERS}(?<keyword>#?[a-z]+)\\s+(?:\\([^()]*\\)\\s*)?(?<name>[\\p{L}_$][\\p{L}\\p{N}_$]*[?!]?)` +
    '(?:\\s+(?:struct|interface|class|enum))?[\\s(){}:=;]*$',
  'u',
);
const MAX_DEFINITIONS = 20;

function tableOf(
  words: string,
  kinds: ReadonlySet<DefinitionKind>,
): (readonly [string, ReadonlySet<DefinitionKind>])[] {
  return words.split(' ').map((word) => [word, kinds]);
}

/**
 * The documents that define what is typed as its declaration begins, such as `func NewUser`, `type User struct` or `class Order {`;
 * none if there are many.
 */
export function* findDeclared({ typed, all, isAside }: PinRequest): Generator<undefined, readonly Pinned[], void> {
  const { keyword = '', name = '' } = DECLARATION.exec(typed)?.groups ?? {};
  const kinds = KEYWORDS.get(keyword);
  if (!kinds || (WORDS.has(keyword) && !/[\p{Lu}_\d]/u.test(name) && !/[(){}:=;]$/.test(typed))) return [];
  const pinned: Pinned[] = [];
  for (const scores of all) {
    for (const document of scores.documentsWithName(foldName(name), Field.symbol)) {
      yield;
      const cursor = new DefinitionCursor(scores.reader.detailsOf(document));
      while (cursor.next()) {
        if (!kinds.has(cursor.kind) || nameSegments(cursor.name()).at(-1) !== name) continue;
        pinned.push({ scores, document, line: cursor.line, worth: 1, feature: 'verbatim' });
        break;
      }
    }
  }
  const found = unlessAll(pinned, isAside);
  return found.length > MAX_DEFINITIONS ? [] : found;
}
