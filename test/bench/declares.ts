/** Words before the name in a definition of a type, a module or a function, of all languages. */
const DEFINING =
  'class|interface|struct|union|enum|trait|object|module|namespace|package|protocol|extension|type|typedef|newtype|data|' +
  'record|alias|using|def|defp|defmodule|defmacro|defmacrop|defprotocol|defstruct|fn|func|fun|function|sub|macro|' +
  String.raw`macro_rules!|#\s*define`;
/** Words before the name of a value; only the text after the name tells it from a type's. */
const BINDING = 'const|constexpr|let|var|val|local|static';
const COMMENT = /^\s*(?:\/\/|\/?\*|--|#(?!\s*define))/;
/** Text between such a word and the name: modifiers, type parameters, a receiver, the outer part of a qualified name. */
const BETWEEN = String.raw`(?:<[^>]*>\s*|\([^)]*\)\s*|[\w$]+(?:\([^)]*\))?(?:::|\.|\s*[*&]+\s*|\s+)){0,5}?`;

/**
 * Whether a line defines `name`, by its text alone: after a defining word, before `=` or `:`, or as a function's head. It
 * is independent of the engine under test, and serves targets of the benchmark with a file but no lines.
 */
export function declares(line: string, name: string): boolean {
  const exact = name.replaceAll(/[$.*+?^()[\]{}|\\]/g, String.raw`\$&`);
  if (COMMENT.test(line)) return false;
  const afterWord = new RegExp(String.raw`(?:^|[\s(])(?:${DEFINING})\s+${BETWEEN}${exact}(?![\w$.]|::)`);
  const bound = new RegExp(String.raw`(?:^|\s)(?:${BINDING})\s+${BETWEEN}${exact}\s*(?:[=:](?!:)|$)`);
  const assigned = new RegExp(String.raw`^\s*(?:[\w$]+(?:\.|\s+))*${exact}\s*(?::=|=(?![=>])|:(?!:)\s)`);
  const head = new RegExp(String.raw`^(?!\s*return\b)[\w\s*&:<>,~[\]]*(?<![\w$.])${exact}\s*\([^;]*[{,)]\s*$`);
  return afterWord.test(line) || bound.test(line) || assigned.test(line) || head.test(line);
}

/** The last part of a qualified name: `Outer::Inner`, `outer.inner`, `Outer#inner`. */
export function lastName(query: string): string {
  return (
    query
      .trim()
      .split(/::|[.#/]/)
      .at(-1) ?? ''
  );
}
