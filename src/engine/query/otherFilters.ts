import { languagesNamed } from './languageNames.ts';

/** Filters of other code searches – GitHub's, Sourcegraph's, OpenGrok's – that mean one of ours. */
const OURS: Readonly<Record<string, string>> = {
  path: 'dir directory filepath folder glob',
  file: 'filename',
  lang: 'ext extension language',
  sym: 'class def definition defs enum func function interface method struct symbol',
  changed: 'diff since',
};

const KIND = 'sym: finds definitions of any kind by their names.';
const TEXT = 'Write the words alone, or in quotes for exact text.';
const HISTORY = 'Only files as they are now are searched; changed:REV finds those that changed since a revision.';
const REPOSITORY = 'Name the folder to search, or use path:. A search of a team’s code has repo:.';

/** Those without an equal: what to do instead, and the values to which this applies. */
const ADVICE: ReadonlyMap<string, readonly [advice: string, values?: RegExp]> = new Map([
  ['kind', [KIND]],
  ['type', [KIND]],
  ['refs', ['sextant find-usages, in the editor Find Usages of Name, lists the uses of a name.']],
  ['content', [TEXT]],
  ['full', [TEXT]],
  ['author', [HISTORY]],
  ['commit', [HISTORY]],
  ['hist', [HISTORY]],
  ['rev', [HISTORY]],
  ['org', [REPOSITORY]],
  ['repo', [REPOSITORY]],
  ['case', ['Words and phrases ignore case; a /regular expression/ distinguishes it.', /^(?:yes|no|auto)$/]],
  ['count', ['The command has --limit.', /^(?:\d+|all)$/]],
  ['patterntype', ['A regular expression stands between slashes: /parse\\w+/.']],
  ['select', ['', /^(?:content|commit|file|repo|symbol)/]],
]);

/** Advice for a filter that others have, in lower case, with its value; `undefined` for any other name. */
export function adviceFor(typed: string, value: string): string | undefined {
  const meant = Object.entries(OURS).find(([, others]) => others.split(' ').includes(typed))?.[0];
  if (meant !== undefined) return didYouMean(meant);
  if (typed === 'type' && languagesNamed(value).size > 0) return didYouMean('lang');
  const [advice, values] = ADVICE.get(typed) ?? [];
  return values?.test(value) === false ? undefined : advice;
}

export function didYouMean(field: string): string {
  return `Did you mean ${field}:?`;
}
