import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { Analyzer } from '../../src/engine/analyze/analyzer.ts';
import { toUtf8 } from '../../src/engine/analyze/text.ts';

/** A definition of an oracle: its name, first line of the name from 1, and its kind there. */
export interface Tag {
  readonly name: string;
  readonly line: number;
  readonly kind: string;
}

/** The definitions of a file, or nothing where it has none for its language. */
export type Oracle = (path: string, text: string) => readonly Tag[] | undefined;

interface OwnTag extends Tag {
  readonly from: number;
  readonly to: number;
}

/** How many definitions of one kind the oracle has, and how many of them are found. */
export interface KindFigures {
  readonly all: number;
  readonly found: number;
}

export interface LanguageFigures {
  readonly files: number;
  readonly kinds: ReadonlyMap<string, KindFigures>;
  /** Definitions of ours, and those of them that the oracle has by any kind. */
  readonly ours: number;
  readonly right: number;
  /** Some that are not found, and some that the oracle has not. */
  readonly missed: readonly string[];
  readonly wrong: readonly string[];
}

/** Kinds of Universal Ctags that are no definitions of a file: uses, locals, labels. */
const NO_DEFINITIONS = new Set(
  'local label parameter import unknown anonFunction externvar header packageName namespaceAlias reference script'.split(' '), // oxfmt-ignore
);
/** Kinds of names that may be after the body of a type. */
const TYPE_NAMES = new Set(['typedef', 'type']);
/** Files of Objective-C, where Ctags names the last line of a method's head, and of Haskell, where it names the equation. */
const NAMED_BELOW = /\.(?:hs|elm|mm?|h)$/;
const COMPILED = /\.(?:[cm]?[jt]s|[jt]sx)$/;
const C_FAMILY = /\.(?:[ch]|cc|[ch]pp|[ch]xx|mm?)$/;
const STYLES = /\.(?:css|scss|less)$/;
const MAX_BYTES = 1_000_000;

/** The definitions of a folder's files for the TypeScript compiler in its languages, for Universal Ctags in all others. */
export function compilerAndCtags(root: string): Oracle {
  const tags = ctagsIn(root);
  return (path, text) => (COMPILED.test(path) ? declarationsIn(path, text) : tags.get(path));
}

/**
 * Compares the definitions of a folder's files, by name and line, with an oracle. Figures by language; `examples` is the
 * most of each to show.
 */
export function compareDefinitions(root: string, oracleOf: Oracle, examples: number): Map<string, LanguageFigures> {
  const analyzer = new Analyzer();
  const languages = new Map<string, Counts>();
  for (const path of filesIn(root, '')) {
    const text = toUtf8(readFileSync(join(root, path)));
    if (!text) continue;
    const oracle = oracleOf(path, Buffer.from(text).toString());
    if (!oracle || oracle.length === 0) continue;
    const { language } = analyzer.analyze(path, Buffer.from(text));
    const definitions = analyzer.outline(path, Buffer.from(text));
    const counts = languages.get(language) ?? new Counts(examples);
    languages.set(language, counts);
    const ours = definitions.map(({ name, line, kind, start, end }) => ({ name, line: line + 1, kind, from: start + 1, to: end + 1 })); // oxfmt-ignore
    counts.add(path, oracle, ours);
  }
  return languages;
}

class Counts implements LanguageFigures {
  files = 0;
  ours = 0;
  right = 0;
  readonly kinds = new Map<string, { all: number; found: number }>();
  readonly missed: string[] = [];
  readonly wrong: string[] = [];
  readonly #examples: number;

  constructor(examples: number) {
    this.#examples = examples;
  }

  add(path: string, oracle: readonly Tag[], found: readonly OwnTag[]): void {
    this.files++;
    const known = new Set(oracle.map(keyOf));
    // Ctags names `Acme.Repo` of Elixir by its last part.
    const ours = found.map((one) =>
      known.has(keyOf(one)) ? one : { ...one, name: one.name.slice(one.name.lastIndexOf('.') + 1) },
    );
    const has = new Set(ours.map(keyOf));
    // The name of `typedef struct { … } name_t;` is on its last line; ours is on the line that opens it.
    for (const tag of oracle) {
      if (has.has(keyOf(tag)) || !(TYPE_NAMES.has(tag.kind) || NAMED_BELOW.test(path))) continue;
      const own = ours.find(({ name, from, to }) => name === tag.name && from <= tag.line && tag.line <= to);
      if (!own) continue;
      has.add(keyOf(tag));
      known.add(keyOf(own));
    }
    for (const tag of new Map(oracle.map((one) => [keyOf(one), one])).values()) {
      const of = this.kinds.get(tag.kind) ?? { all: 0, found: 0 };
      this.kinds.set(tag.kind, of);
      of.all++;
      if (has.has(keyOf(tag))) of.found++;
      else if (this.missed.length < this.#examples) this.missed.push(`${tag.kind} ${tag.name} ${path}:${tag.line}`);
    }
    for (const one of ours) {
      this.ours++;
      if (known.has(keyOf(one))) this.right++;
      else if (this.wrong.length < this.#examples) this.wrong.push(`${one.kind} ${one.name} ${path}:${one.line}`);
    }
  }
}

function keyOf({ name, line }: Tag): string {
  return `${line} ${name}`;
}

function* filesIn(root: string, folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* filesIn(root, path);
    else if (entry.isFile() && statSync(join(root, path)).size <= MAX_BYTES) yield path;
  }
}

/** What a rule is for: the last class or id of its selector, which Ctags gives whole. */
function styledBy(selector: string): string {
  return /.*[.#]([\w-]+)/.exec(selector)?.[1] ?? selector;
}

/** Whether the name of a function of C is an attribute or another macro, `__attribute_pure__()`, `LOCKS(mutex)`, or a keyword. */
export function isMacroCall(name: string): boolean {
  return /^(?:__attribute\w*|[A-Z]+_[A-Z_]+|TEST\w*|if|while|for|switch|throw)$/.test(name);
}

/** A row of Universal Ctags. */
interface CtagsTag extends Tag {
  readonly path?: string;
  /** A function's parameters. */
  readonly signature?: string;
  /** The text of the line. */
  readonly pattern?: string;
  readonly scopeKind?: string;
}

/** A tag of Universal Ctags with the name that the language gives it, or nothing for a call that only looks like a definition. */
function tagOf({ name, line, kind, signature = '', pattern = '', scopeKind }: CtagsTag, file: string): Tag | undefined {
  if (STYLES.test(file)) return { name: styledBy(name), line, kind };
  if (kind === 'function' && C_FAMILY.test(file)) {
    // The name of GoogleTest's `TEST_F(Suite, Name)` is its second argument.
    const test = name.startsWith('TEST') ? /,\s*(\w+)\s*\)$/.exec(signature)?.[1] : undefined;
    if (test !== undefined) return { name: test, line, kind };
    if (isMacroCall(name)) return undefined;
    return { name: name.replace(/^operator\s+(?=\W)/, 'operator'), line, kind };
  }
  // A function without a name; what Ctags takes for one in Kotlin, a parameter of it; and variables of functions.
  const isKotlin = file.endsWith('.kt');
  if (name === '<lambda>' || (isKotlin && kind === 'method' && !pattern.includes('fun '))) return undefined;
  if (isKotlin && kind !== 'method' && scopeKind === 'method') return undefined;
  // Ctags takes `t[k] = function` and `x ~= "function"` of Lua for names, and garbles names with spaces of Kotlin.
  if (/\.(?:kt|lua)$/.test(file) && !/^[\w.:]+$/.test(name)) return undefined;
  // C# names a member of an interface that it implements explicitly `IList.Add`, Lua a method `List:add`, Pascal `TList.Add`.
  if (/\.(?:cs|lua|pas|dpr|ad[bs])$/.test(file)) return { name: name.replace(/^.*[.:](?=\w)/, ''), line, kind };
  if (file.endsWith('.tcl') && kind !== 'namespace') return { name: name.replace(/^.*::/, ''), line, kind };
  // Vim marks the scope of a function by `s:`.
  if (file.endsWith('.vim')) return { name: name.replace(/^(?:[sgl]:|<SID>)/, ''), line, kind };
  // The name of a method of Objective-C is all of `add:to:`; ours is its first part.
  return { name: /\.(?:mm?|h)$/.test(file) ? name.replace(/:.*/, '') : name, line, kind };
}

/** Definitions of Universal Ctags by path. Throws where it is not installed. */
function ctagsIn(root: string): Map<string, Tag[]> {
  const args = ['-R', '-f', '-', '--output-format=json', '--fields=+nKzS', '--extras=-{anonymous}', '.'];
  const text = execFileSync('ctags', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'ignore'] }); // oxfmt-ignore
  const tags = new Map<string, Tag[]>();
  for (const row of text.split('\n')) {
    if (row === '') continue;
    const found = JSON.parse(row) as CtagsTag;
    if (found.path === undefined || NO_DEFINITIONS.has(found.kind)) continue;
    const file = found.path.replace(/^\.\//, '');
    const tag = tagOf(found, file);
    if (!tag) continue;
    const of = tags.get(file);
    if (of) of.push(tag);
    else tags.set(file, [tag]);
  }
  return tags;
}

/** Declarations of a file that can be used elsewhere: those of the file, of its namespaces, and members of its types. */
function declarationsIn(path: string, text: string): Tag[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const tags: Tag[] = [];
  const visit = (node: ts.Node): void => {
    const kind = DECLARATIONS.get(node.kind);
    const name = (node as ts.NamedDeclaration).name;
    if (kind !== undefined && name && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)))
      tags.push({ name: name.text, line: source.getLineAndCharacterOfPosition(name.getStart()).line + 1, kind });
    // Names within a function are its own.
    if (!ts.isFunctionLike(node)) ts.forEachChild(node, visit);
  };
  visit(source);
  return tags;
}

const { SyntaxKind } = ts;
const DECLARATIONS: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [SyntaxKind.ClassDeclaration, 'class'],
  [SyntaxKind.InterfaceDeclaration, 'interface'],
  [SyntaxKind.EnumDeclaration, 'enum'],
  [SyntaxKind.EnumMember, 'enumerator'],
  [SyntaxKind.TypeAliasDeclaration, 'type'],
  [SyntaxKind.ModuleDeclaration, 'namespace'],
  [SyntaxKind.FunctionDeclaration, 'function'],
  [SyntaxKind.MethodDeclaration, 'method'],
  [SyntaxKind.MethodSignature, 'interface method'],
  [SyntaxKind.GetAccessor, 'accessor'],
  [SyntaxKind.SetAccessor, 'accessor'],
  [SyntaxKind.PropertyDeclaration, 'property'],
  [SyntaxKind.PropertySignature, 'interface property'],
  [SyntaxKind.VariableDeclaration, 'variable'],
]);
