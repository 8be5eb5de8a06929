import { words, type Language } from '../language.ts';

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

export const erlang: Language = {
  id: 'erlang',
  extensions: ['erl', 'hrl'],
  style: 'line',
  comments: ['%'],
  head: /^-(?:spec|doc)\b/,
  leaders: [],
  shapes: ['column0'],
  patterns: [[/^([a-z]\w*)\s*\(.*->/, 'function']],
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
  leaders: words('let and type module val external exception'),
  shapes: [],
  patterns: [
    [/^(?:let|and|val|external)\s+(?:rec\s+|inline\s+)?(\w+)/, 'function'],
    [/^type\s+(?:[^=\s]+\s+)?(\w+)\s*(?:=|$)/, 'type'],
    [/^module\s+(?:type\s+)?(\w+)/, 'module'],
  ],
};
