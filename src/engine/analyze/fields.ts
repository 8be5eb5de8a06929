import { afterAttributes } from './attributes.ts';
import type { Definition } from './definitions.ts';
import { lastCodeByte } from './ends.ts';
import { allLetters, type DefinitionKind, type FieldRules, type Language } from './language.ts';
import type { SourceScan } from './scanner.ts';
import { isLevel } from './tabs.ts';

/** A field or property of a type. It is no definition of the index: there are more of them than of all others. */
export interface Field {
  readonly name: string;
  readonly container: string;
  /** Counts from 0. */
  readonly line: number;
}

const WITH_FIELDS: ReadonlySet<DefinitionKind> = new Set(['class', 'enum', 'extension', 'interface', 'struct', 'type']);
/** Largest distance from the name of a type to the line that opens its body. */
const MAX_HEAD_LINES = 24;
const NEXT_FIELD = allLetters(/^[\s*&$]*(\w+)/);
const OPEN_BRACE = '{'.charCodeAt(0);
const DIRECTIVE =
  /^\s*#\s*(?:if|ifdef|ifndef|elif|else|endif|define|undef|include|pragma|region|endregion)\b(?!\s*[=;:])/;
const HASH = '#'.charCodeAt(0);
const COLON = ':'.charCodeAt(0);

/** The fields of a file's types, in their order. */
export function findFields(
  scan: SourceScan,
  language: Language,
  quiet: Uint8Array,
  definitions: readonly Definition[],
): Field[] {
  const { fields } = language;
  if (!fields) return [];
  const ends = new Map(definitions.map(({ line, end }) => [line, end]));
  const found: Field[] = [];
  for (const type of definitions) {
    const isVariable = type.kind === 'variable' && fields.inner?.test(scan.line(type.line, 300)) === true;
    if (!WITH_FIELDS.has(type.kind) && !isVariable && !(type.kind === 'module' && fields.ofModules)) continue;
    /** Lines with the indentations of the members, and of those of a type without a name among them. */
    const levels: number[] = [];
    for (let line = bodyOf(scan, language, type) + 1; line <= type.end; line++) {
      if (scan.indent[line]! < 0 || quiet[line] !== 0 || isDirective(scan, line)) continue;
      const isMember = (): boolean => levels.length > 0 && isLevel(scan, line, levels.at(-1)!);
      while (levels.length > 0 && scan.indent[line]! < scan.indent[levels.at(-1)!]! && !isMember()) levels.pop();
      if (levels.length === 0 && scan.indent[line]! > scan.indent[type.line]! && !isLabel(scan, line))
        levels.push(line);
      const inner = ends.get(line);
      // The name of `struct a { … } b;` is on its last line.
      if (inner !== undefined) line = Math.max(line, inner - 1);
      if (inner !== undefined || !isMember()) continue;
      const text = afterAttributes(scan.line(line, 300), language);
      for (const name of namesIn(text, fields)) found.push({ name, container: type.name, line });
      if (fields.inner?.test(text)) levels.push(visibleBelow(scan, line));
    }
  }
  return found.toSorted((one, other) => one.line - other.line);
}

/** The names of the fields that a line declares: `int a, *b;` has two. */
function namesIn(text: string, { pattern }: FieldRules): string[] {
  const { name, also, more = '' } = pattern.exec(text)?.groups ?? {};
  const first = name ?? also;
  if (first === undefined) return [];
  const others = more.split(',').flatMap((part) => NEXT_FIELD.exec(part)?.[1] ?? []);
  return [first, ...others];
}

/** The line that opens the body of a type, or its last line; its first where no sign opens blocks. */
function bodyOf(scan: SourceScan, { style }: Language, { line, end }: Definition): number {
  if (style === 'end' || style === 'label') return line;
  const opener = style === 'indent' ? COLON : OPEN_BRACE;
  const limit = Math.min(end, line + MAX_HEAD_LINES);
  for (let at = line; at < limit; at++) if (lastCodeByte(scan, at) === opener) return at;
  return end;
}

/** Whether a line is one of the preprocessor, which is indented by its own rules. */
function isDirective(scan: SourceScan, line: number): boolean {
  return scan.firstByte[line] === HASH && DIRECTIVE.test(scan.line(line, 100));
}

/** Whether a line is a label such as `public:`, which is left of the members. */
function isLabel(scan: SourceScan, line: number): boolean {
  return scan.lastByte[line] === COLON && /^\s*[\w\s]+:$/.test(scan.line(line, 100).trimEnd());
}

/** The next line that is not empty. */
function visibleBelow(scan: SourceScan, line: number): number {
  let at = line + 1;
  while (at + 1 < scan.lineCount && scan.indent[at]! < 0) at++;
  return Math.min(at, scan.lineCount - 1);
}
