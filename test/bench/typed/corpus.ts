import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { listFiles } from '../listing.mjs';
import { definitionsOf, kindsOf, syntaxOf, type Definition, type LineKind, type Syntax } from './syntax.ts';

/** A source file as the rules read it. */
export interface SourceFile {
  readonly path: string;
  readonly lines: readonly string[];
  readonly kinds: readonly LineKind[];
  readonly syntax: Syntax;
  readonly definitions: readonly Definition[];
  readonly isTest: boolean;
}

const IS_TEST =
  /(?:^|\/)t\/|(?:^|[/._-])(?:tests?|specs?|testing|fixtures?|examples?|benchmarks?|testdata)(?:[/._-]|$)/i;
const WORD = /[A-Za-z_][A-Za-z0-9_]*/g;
/**
 * UUIDs, hexadecimal numbers, versions, dotted and exponential numbers, error codes. More than six digits before an
 * exponent are part of a checksum.
 */
const NUMBER =
  /(?<![\w.])(?:[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|0[xX][0-9a-fA-F]+|v?\d+(?:\.\d+)+(?:[eE][-+]?\d+)?|\d{1,6}[eE][-+]?\d{1,3}|\d+|[A-Z]{1,5}-?\d{3,5})(?!\w|\.\d)/g;

/** The texts of a repository, with indexes of words, numbers and definitions by file. */
export class Corpus {
  readonly name: string;
  /** By path, in the order of paths. */
  readonly texts: ReadonlyMap<string, string>;
  readonly sources: readonly SourceFile[];
  readonly #words: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #numbers: ReadonlyMap<string, ReadonlySet<string>>;
  /** Lower-case names with their files. */
  readonly #definers: ReadonlyMap<string, ReadonlySet<string>>;

  constructor(name: string, texts: ReadonlyMap<string, string>) {
    this.name = name;
    this.texts = texts;
    this.sources = [...texts].flatMap(([path, text]) => sourceFile(path, text) ?? []);
    this.#words = occurrences(texts, wordsOf);
    this.#numbers = occurrences(texts, numbersOf);
    const names = this.sources.map(({ path, definitions }) => [path, definitions] as const);
    this.#definers = occurrences(names, (definitions) => definitions.map((one) => one.name.toLowerCase()));
  }

  /** The paths whose text contains another, spelt the same. */
  filesWith(text: string): string[] {
    return [...this.texts].flatMap(([path, content]) => (content.includes(text) ? [path] : []));
  }

  /** The paths with a line that matches. */
  filesMatching(pattern: RegExp): string[] {
    return [...this.texts].flatMap(([path, content]) => (pattern.test(content) ? [path] : []));
  }

  /** The paths with an identifier or a word, in any case. */
  filesWithWord(word: string): ReadonlySet<string> {
    return this.#words.get(word.toLowerCase()) ?? new Set();
  }

  filesWithNumber(number: string): ReadonlySet<string> {
    return this.#numbers.get(number.toLowerCase()) ?? new Set();
  }

  /** The paths that define a name, of those names that satisfy a condition; names are in lower case. */
  definersOf(isWanted: (name: string) => boolean): ReadonlySet<string> {
    const paths = new Set<string>();
    for (const [name, definers] of this.#definers) if (isWanted(name)) for (const path of definers) paths.add(path);
    return paths;
  }

  pathsWith(fragment: string): string[] {
    const lower = fragment.toLowerCase();
    return [...this.texts.keys()].filter((path) => path.toLowerCase().includes(lower));
  }

  filesNamed(name: string): string[] {
    return [...this.texts.keys()].filter((path) => basename(path) === name);
  }
}

/** Reads all texts of a folder that the extension would index. */
export function readCorpus(name: string, folder: string): Corpus {
  const texts = new Map<string, string>();
  for (const path of listFiles(folder, 'all').sort()) {
    const content = readFileSync(join(folder, path));
    if (!content.includes(0)) texts.set(path, content.toString('utf8'));
  }
  return new Corpus(name, texts);
}

export function wordsOf(text: string): string[] {
  return text.match(WORD) ?? [];
}

export function numbersOf(text: string): string[] {
  return text.match(NUMBER) ?? [];
}

function sourceFile(path: string, text: string): SourceFile | undefined {
  const syntax = syntaxOf(path);
  if (!syntax) return undefined;
  const lines = text.split(/\r?\n/);
  const kinds = kindsOf(lines, syntax);
  return { path, lines, kinds, syntax, definitions: definitionsOf(lines, kinds, syntax), isTest: IS_TEST.test(path) };
}

/** The keys of each file, with the files that have them; keys are in lower case. */
function occurrences<T>(
  files: Iterable<readonly [string, T]>,
  keysOf: (content: T) => readonly string[],
): Map<string, Set<string>> {
  const result = new Map<string, Set<string>>();
  for (const [path, content] of files) {
    for (const one of new Set(keysOf(content))) {
      const key = one.toLowerCase();
      const paths = result.get(key);
      if (paths) paths.add(path);
      else result.set(key, new Set([path]));
    }
  }
  return result;
}
