import { words, type Language } from '../language.ts';

export const julia: Language = {
  id: 'julia',
  extensions: ['jl'],
  interpreters: ['julia'],
  style: 'end',
  comments: ['#'],
  leaders: words('function macro struct mutable abstract primitive module baremodule const'),
  shapes: ['column0'],
  patterns: [
    [/^\s*function\s+(?:[\w.]+\.)?([\w!]+)/, 'function'],
    [/^\s*macro\s+([\w!]+)/, 'macro'],
    [/^\s*(?:mutable\s+)?struct\s+(\w+)/, 'struct'],
    [/^\s*(?:abstract|primitive)\s+type\s+(\w+)/, 'type'],
    [/^\s*(?:bare)?module\s+(\w+)/, 'module'],
    [/^\s*const\s+(\w+)\s*(?:::[^=]*)?=/, 'constant'],
    [/^(?:[\w.]+\.)?([\w!]+)(?:\{[^}]*\})?\([^=]*\)\s*(?:::[^=]+)?(?:where\b[^=]*)?=(?!=)/, 'function'],
  ],
};

export const elixir: Language = {
  id: 'elixir',
  extensions: ['ex', 'exs', 'heex'],
  interpreters: ['elixir'],
  style: 'end',
  comments: ['#'],
  leaders: words(
    'def defp defmodule defmacro defmacrop defprotocol defimpl defguard defguardp defdelegate type typep opaque ' +
      'callback macrocallback',
  ),
  shapes: [],
  patterns: [
    [/^\s*(?:def|defp|defmacro|defmacrop|defguard|defguardp|defdelegate)\s+([\w?!]+)/, 'function'],
    [/^\s*(?:defmodule|defprotocol)\s+([\w.]+)/, 'module'],
    [/^\s*defimpl\s+([\w.]+)/, 'extension'],
    [/^\s*@(?:type|typep|opaque|callback|macrocallback)\s+(\w+)/, 'type'],
  ],
};

export const haskell: Language = {
  id: 'haskell',
  extensions: ['hs', 'lhs', 'hsc'],
  style: 'indent',
  comments: ['--', '{-'],
  leaders: words('data newtype type class instance module'),
  shapes: ['column0'],
  repeatsName: true,
  patterns: [
    [/^(?:data|newtype)\s+(?:family\s+|instance\s+)?(?:[^=]*=>\s*)?(\w+)/, 'struct'],
    [/^type\s+(?:family\s+|instance\s+)?(\w+)/, 'type'],
    [/^class\s+(?:.*=>\s*)?(\w+)/, 'interface'],
    [/^instance\s+(?:.*=>\s*)?(\w+)/, 'extension'],
    [/^module\s+([\w.]+)/, 'module'],
    [/^([a-z_][\w']*)(?:\s*,\s*[a-z_][\w']*)*\s*::/, 'function'],
  ],
};

export const purescript: Language = {
  ...haskell,
  id: 'purescript',
  extensions: ['purs'],
  leaders: [...haskell.leaders, ...words('derive else foreign')],
  patterns: [
    [/^(?:else\s+|derive\s+(?:newtype\s+)?)*instance\s+(\w+)\s*::/, 'constant'],
    [/^(?:else\s+|derive\s+(?:newtype\s+)?)+instance\s+(?:.*=>\s*)?(\w+)/, 'extension'],
    [/^foreign\s+import\s+data\s+(\w+)/, 'type'],
    [/^foreign\s+import\s+([a-z_][\w']*)/, 'function'],
    ...haskell.patterns,
  ],
};

export const erlang: Language = {
  id: 'erlang',
  extensions: ['erl', 'hrl'],
  style: 'line',
  comments: ['%'],
  head: /^-(?:spec|doc)\b/,
  leaders: [],
  shapes: ['column0', 'sign'],
  patterns: [
    [/^([a-z][\w@]*)\s*\((?:.*->|(?!.*\.\s*$))/, 'function'],
    [/^-\s*module\s*\(\s*([\w@]+)/, 'module'],
    [/^-\s*define\s*\(\s*(\w+)/, 'macro'],
    [/^-\s*record\s*\(\s*(\w+)/, 'struct'],
    [/^-\s*(?:type|opaque)\s+(\w+)\s*\(/, 'type'],
  ],
};

export const clojure: Language = {
  id: 'clojure',
  extensions: ['clj', 'cljs', 'cljc', 'edn'],
  style: 'indent',
  comments: [';'],
  leaders: words('def defn defmacro defprotocol defrecord ns deftest'),
  shapes: [],
  patterns: [[/^\(def\w*-?\s+(?:\^\S+\s+)*([^\s()[\]]+)/, 'function']],
};

export const ocaml: Language = {
  id: 'ocaml',
  extensions: ['ml', 'mli'],
  style: 'indent',
  comments: ['(*'],
  leaders: words('let and type module val external exception class method'),
  shapes: [],
  patterns: [
    [/^(?:let|and)\s+(?:rec\s+|inline\s+)?([\w']+|\(\W+\))/, 'function'],
    [/^\s*(?:val|external)\s+(?:mutable\s+)?([\w']+|\(\W+\))\s*:/, 'function'],
    [/^\s*type\s+(?:nonrec\s+)?(?:[^=\s]+\s+)?(\w+)\s*(?:=|$)/, 'type'],
    [/^\s*module\s+(?:type\s+|rec\s+)?(\w+)(?!.*\bin\s*$)/, 'module'],
    [/^class\s+(?:type\s+)?(?:virtual\s+)?(?:\[[^\]]*\]\s*)?(\w+)/, 'class'],
    [/^\s+method!?\s+(?:(?:private|virtual)\s+)*(\w+)/, 'method'],
  ],
};

export const fsharp: Language = {
  id: 'fsharp',
  extensions: ['fs', 'fsx', 'fsi'],
  style: 'indent',
  comments: ['//', '(*'],
  attributes: '[',
  leaders: words(
    'let and type module namespace member static abstract override default exception inline rec private internal val',
  ),
  shapes: [],
  patterns: [
    [/^\s*let\s+(?:(?:rec|inline|private|internal|mutable)\s+)*(\(\|[^)]*\|\)|\w+'*)\s*(?::[^=]*)?=/, 'variable'],
    [
      /^\s*(?:let|and)\s+(?:(?:rec|inline|private|internal)\s+)*(\(\|[^)]*\|\)|``[^`]+``|\w+'*|\(\W+\))(?![\w'])\s*[^\s=:,]/,
      'function',
    ],
    [/^\s*(?:type|and)\s+(?:\[<.*?>\]\s*)?(?:(?:private|internal|public)\s+)?(\w+)/, 'type'],
    [/^\s*exception\s+(\w+)/, 'type'],
    [/^\s*(?:module|namespace)\s+(?:(?:rec|private|internal|public)\s+)*([\w.]+)/, 'module'],
    [
      /^\s*(?:static\s+)?(?:member|abstract|override|default)\s+(?:(?:inline|private|internal|val|member)\s+)*(?:\w+\.)?(\w+)/,
      'method',
    ],
  ],
};

export const elm: Language = {
  id: 'elm',
  extensions: ['elm'],
  style: 'indent',
  comments: ['--', '{-'],
  leaders: words('type module port'),
  shapes: ['column0'],
  repeatsName: true,
  patterns: [
    [/^type\s+alias\s+(\w+)/, 'struct'],
    [/^type\s+(\w+)/, 'type'],
    [/^(?:port\s+|effect\s+)?module\s+([\w.]+)/, 'module'],
    [/^(?:port\s+)?([a-z]\w*)\s*:(?!:)/, 'function'],
  ],
};

export const gleam: Language = {
  id: 'gleam',
  extensions: ['gleam'],
  style: 'brace',
  comments: ['//'],
  attributes: '@',
  leaders: words('pub fn type const opaque'),
  shapes: [],
  patterns: [
    [/^(?:pub\s+)?fn\s+(\w+)/, 'function'],
    [/^(?:pub\s+)?(?:opaque\s+)?type\s+(\w+)/, 'type'],
    [/^(?:pub\s+)?const\s+(\w+)/, 'constant'],
  ],
};

export const rescript: Language = {
  id: 'rescript',
  extensions: ['res', 'resi'],
  style: 'brace',
  comments: ['//', '/*'],
  attributes: '@',
  leaders: words('let type module external exception'),
  shapes: [],
  patterns: [
    [/^\s*module\s+(?:type\s+|rec\s+)?(\w+)/, 'module'],
    [/^\s*type\s+(?:rec\s+)?(\w+)/, 'type'],
    [/^\s*exception\s+(\w+)/, 'type'],
    [/^\s*external\s+(\w+)/, 'function'],
    [/^(?:\s{2})?let\s+(?:rec\s+)?(\w+)\s*(?::[^=]*=>[^=]*)?=?.*=>/, 'function'],
    [/^let\s+(?:rec\s+)?(\w+)/, 'variable'],
  ],
};
