import { basename, dirname, extname } from 'node:path';
import type { Corpus, SourceFile } from './corpus.ts';
import { firstAccepted, type Rule } from './rule.ts';

const LEAST_NAME = 8;
const SHARE = 0.6;

/** The first 60 % of a name, or every third time the name without its first part. One file defines a name with it. */
export const halfName: Rule = {
  name: 'half a symbol',
  propose: (file, corpus, choices, turn) =>
    firstAccepted(file.definitions, choices, ({ name }) => {
      if (name.length < LEAST_NAME) return undefined;
      const isEnd = turn % 3 === 2;
      const text = isEnd ? withoutFirstPart(name) : name.slice(0, Math.ceil(name.length * SHARE));
      if (text === undefined) return undefined;
      const lower = text.toLowerCase();
      const definers = corpus.definersOf((other) => (isEnd ? other.includes(lower) : other.startsWith(lower)));
      return definers.size === 1 ? { text, paths: [file.path] } : undefined;
    }),
};

/** `QueryLanguage` of `parseQueryLanguage`; at least two parts must be left. */
function withoutFirstPart(name: string): string | undefined {
  const rest = /^_*(?:[A-Z]?[a-z0-9]+|[A-Z0-9]+)_*(?=[A-Z]|(?<=_)[a-z])(.*)$/.exec(name)?.[1];
  return rest !== undefined && /[a-z0-9](?:[A-Z]|_[a-z])/.test(rest) ? rest : undefined;
}

/** The last folder and 60 % of the file's name, of which there is one; every second time with a space between. */
export const pathFragment: Rule = {
  name: 'path fragment',
  propose: ({ path }, corpus, _choices, turn) => {
    const folder = basename(dirname(path));
    const name = basename(path, extname(path));
    if (folder === '.' || name.length < 4) return undefined;
    const fragment = `${folder}/${name.slice(0, Math.ceil(name.length * SHARE))}`;
    if (corpus.pathsWith(fragment).length > 1) return undefined;
    return { text: turn % 2 === 0 ? fragment : fragment.replace('/', ' '), paths: [path] };
  },
};

/** How parsers of command lines define a long option; it is none if it is passed to another program. */
const OPTIONS = [
  /\b(?:add_argument|opts?\.on|option|add_?option|InputOption|Option)\s*\(?.*?["'](?:-\w[,|]\s*)?--([a-z][a-z0-9-]+)/i,
  /\b(?:InputOption|addOption|option)(?:\(|:)\s*["']([a-z][a-z0-9-]+)["']/,
  /\{\s*"([a-z][a-z0-9-]+)",\s*(?:no|required|optional)_argument/,
];
const LEAST_OPTION = 5;

/**
 * A long option that one source file defines and no other holds as a string; every second time, if its name has several
 * words, the words and "option".
 */
export const option: Rule = {
  name: 'option',
  isDense: true,
  propose: (file, corpus, choices, turn) => {
    if (file.isTest) return undefined;
    const names = codeOf(file).flatMap((line) => OPTIONS.flatMap((pattern) => pattern.exec(line)?.[1] ?? []));
    return firstAccepted([...new Set(names)], choices, (name) => {
      if (name.length < LEAST_OPTION) return undefined;
      if (sourcesMatching(corpus, new RegExp(`["'](?:--)?${name}(?![\\w-])`)).length !== 1) return undefined;
      const parts = partsOf(name);
      const isInWords = turn % 2 === 1 && parts.length > 1;
      return { text: isInWords ? `${parts.join(' ')} option` : `--${name}`, paths: [file.path] };
    });
  },
};

const KEY = '[A-Za-z][A-Za-z0-9]*(?:[._-][A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+';
/** A key as an argument, as an index, or before its value; enumerated and compared strings are values of a setting. */
const SETTING_KEY = new RegExp(`\\w[([]\\s*(["'])(${KEY})\\1|(["'])(${KEY})\\3\\s*(?::|=>)`, 'g');
const SETTING_LINE = /config|option|setting|getenv|env\b|get(?:Property|Boolean|Int|Long)\b/i;
const MOST_READERS = 2;

/**
 * "where is X configured", of a key beside a word for settings. At most two source files have the key, in any spelling, and
 * both are right: one may define the setting, and one read it.
 */
export const configured: Rule = {
  name: 'where is it configured',
  propose: (file, corpus, choices) => {
    if (file.isTest) return undefined;
    const keys = codeOf(file)
      .filter((line) => SETTING_LINE.test(line.replace(file.syntax.strings, '')))
      .flatMap((line) => [...line.matchAll(SETTING_KEY)].map((match) => match[2] ?? match[4]!))
      .filter((key) => partsOf(key).length > 1 && !/\.\w{1,4}$/.test(key));
    return firstAccepted([...new Set(keys)], choices, (key) => {
      const parts = partsOf(key);
      const paths = sourcesMatching(corpus, new RegExp(`(?<![a-z0-9])${parts.join('[._-]?')}(?![a-z0-9])`, 'i'));
      // The file itself is missing if the key is part of a longer name.
      if (paths.length > MOST_READERS || !paths.includes(file.path)) return undefined;
      return { text: `where is ${parts.join(' ')} configured`, paths };
    });
  },
};

/** The source files, without tests, with a line that matches. */
function sourcesMatching(corpus: Corpus, pattern: RegExp): string[] {
  const sources = corpus.sources.filter(({ isTest, path }) => !isTest && pattern.test(corpus.texts.get(path)!));
  return sources.map(({ path }) => path);
}

function codeOf({ lines, kinds }: SourceFile): string[] {
  return lines.filter((line, i) => kinds[i] === 'code' && line.length <= 300);
}

/** The lower-case words of a name, an option or a key. */
export function partsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((part) => part !== '')
    .map((part) => part.toLowerCase());
}
