import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isMacroCall, type Oracle, type Tag } from './definitions.ts';

/** What is used of web-tree-sitter, which is no dependency. */
interface Node {
  readonly type: string;
  readonly text: string;
  readonly parent: Node | null;
  childForFieldName(name: string): Node | null;
  readonly startPosition: { readonly row: number };
}
interface Language {
  readonly name: string | null;
}
interface Query {
  matches(node: Node): { readonly captures: readonly { readonly name: string; readonly node: Node }[] }[];
}
interface TreeSitter {
  readonly Parser: {
    init(): Promise<void>;
    new (): { setLanguage(language: Language): void; parse(text: string): { rootNode: Node; delete(): void } | null };
  };
  readonly Language: { load(path: string): Promise<Language> };
  readonly Query: new (language: Language, source: string) => Query;
}

interface Grammar {
  /** The package `tree-sitter-…`, and its file if that has another name. */
  readonly from: string;
  readonly file?: string;
  /** Packages whose tag queries hold, too. */
  readonly also?: readonly string[];
}

/** Packages with a grammar and tag queries, in a version each: those of `npm install`. */
export const PACKAGES = [
  'web-tree-sitter@0.27.2',
  'tree-sitter-c@0.24.1',
  'tree-sitter-cpp@0.23.4',
  'tree-sitter-c-sharp@0.23.5',
  'tree-sitter-elixir@0.3.5',
  'tree-sitter-go@0.25.0',
  'tree-sitter-java@0.23.5',
  'tree-sitter-javascript@0.25.0',
  'tree-sitter-php@0.24.2',
  'tree-sitter-python@0.25.0',
  'tree-sitter-ruby@0.23.1',
  'tree-sitter-rust@0.24.0',
  'tree-sitter-scala@0.24.0',
  'tree-sitter-typescript@0.23.2',
] as const;

/** Grammars by extension; a header may be C or C++. */
const GRAMMARS: Readonly<Record<string, Grammar>> = {
  c: { from: 'c' },
  cc: { from: 'cpp' },
  cpp: { from: 'cpp' },
  cs: { from: 'c-sharp', file: 'c_sharp' },
  ex: { from: 'elixir' },
  exs: { from: 'elixir' },
  go: { from: 'go' },
  hpp: { from: 'cpp' },
  java: { from: 'java' },
  js: { from: 'javascript' },
  mjs: { from: 'javascript' },
  php: { from: 'php' },
  py: { from: 'python' },
  rb: { from: 'ruby' },
  rs: { from: 'rust' },
  scala: { from: 'scala' },
  ts: { from: 'typescript', also: ['javascript'] },
  tsx: { from: 'typescript', file: 'tsx', also: ['javascript'] },
};
const TYPES = new Set(['enum_specifier', 'struct_specifier', 'union_specifier']);
/** Nodes that tell whether a declarator of C is that of a function with a body. */
const DECLARES = new Set(['function_definition', 'declaration', 'field_declaration', 'parameter_declaration', 'type_definition']); // oxfmt-ignore

/** The tag queries of tree-sitter as an oracle, from the packages in `folder`. */
export async function treeSitterOracle(folder: string): Promise<Oracle> {
  const modules = join(folder, 'node_modules');
  const main = pathToFileURL(join(modules, 'web-tree-sitter/web-tree-sitter.js')).href;
  const sitter = (await import(main)) as TreeSitter;
  await sitter.Parser.init();
  const parser = new sitter.Parser();
  const loaded = new Map<Grammar, readonly [Language, Query]>();
  for (const grammar of Object.values(GRAMMARS)) {
    const place = join(modules, `tree-sitter-${grammar.from}`);
    const language = await sitter.Language.load(join(place, `tree-sitter-${grammar.file ?? grammar.from}.wasm`));
    const queries = [grammar.from, ...(grammar.also ?? [])].map((name) =>
      readFileSync(join(modules, `tree-sitter-${name}`, 'queries/tags.scm'), 'utf8'),
    );
    loaded.set(grammar, [language, new sitter.Query(language, queries.join('\n'))]);
  }
  return (path, text) => {
    const grammar = GRAMMARS[path.slice(path.lastIndexOf('.') + 1)];
    if (!grammar) return undefined;
    const [language, query] = loaded.get(grammar)!;
    parser.setLanguage(language);
    const tree = parser.parse(text);
    if (!tree) return undefined;
    const tags = query.matches(tree.rootNode).flatMap(({ captures }): Tag[] => {
      const kind = captures.find(({ name }) => name.startsWith('definition.'));
      const name = captures.find((one) => one.name === 'name')?.node;
      if (!kind || !name || isDeclared(name)) return [];
      if (/^c(?:pp)?$/.test(grammar.from) && isMacroCall(name.text)) return [];
      return [{ name: name.text, line: name.startPosition.row + 1, kind: kind.name.slice('definition.'.length) }];
    });
    tree.delete();
    return tags;
  };
}

/** Whether a name of C is declared or used, and defined elsewhere. */
function isDeclared(name: Node): boolean {
  let node = name.parent;
  if (node && TYPES.has(node.type)) return !node.childForFieldName('body');
  if (node?.type !== 'function_declarator' && node?.parent?.type !== 'function_declarator') return false;
  while (node && !DECLARES.has(node.type)) node = node.parent;
  return node !== null && node.type !== 'function_definition';
}
