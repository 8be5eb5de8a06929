import { join } from 'node:path';
import { parse } from 'jsonc-parser';
import { isObject } from '../base/json.ts';
import { ALL_LANGUAGES } from '../engine/analyze/languages.ts';
import { languagesNamed } from '../engine/query/languageNames.ts';
import { encodingRules, type EncodingRule } from './encodings.ts';
import { readTextIfThere } from './guardedFile.ts';

/**
 * The encodings of a folder's files by `files.encoding` and `files.autoGuessEncoding` in its `.vscode/settings.json`, for a process
 * without the editor. They are those that the editor gives, but the files of a language are the ones that Sextant knows.
 */
export function encodingsInSettings(root: string): EncodingRule[] {
  const text = readTextIfThere(join(root, '.vscode', 'settings.json'));
  const settings: unknown = text === undefined ? undefined : parse(text, [], { allowTrailingComma: true });
  if (!isObject(settings)) return [];
  const encodingIn = (section: Record<string, unknown>): string | undefined =>
    typeof section['files.encoding'] === 'string' ? section['files.encoding'] : undefined;
  const general = encodingIn(settings) ?? 'utf8';
  const own = new Map<string, string>();
  for (const [key, section] of Object.entries(settings)) {
    const encoding = isObject(section) ? encodingIn(section) : undefined;
    // A section may be of several languages: `[c][cpp]`.
    if (encoding !== undefined) for (const [, id] of key.matchAll(/\[([^\]]+)\]/g)) own.set(id!, encoding);
  }
  const rules: EncodingRule[] = [];
  const associations = settings['files.associations'];
  if (own.size > 0 && isObject(associations)) {
    for (const [glob, id] of Object.entries(associations))
      if (glob !== '') rules.push({ files: [glob], encoding: own.get(String(id)) ?? general });
  }
  for (const [id, encoding] of own) rules.push({ files: globsOf(id), encoding });
  rules.push({ files: ['*'], encoding: general });
  return encodingRules(rules, settings['files.autoGuessEncoding'] === true);
}

/** Globs of the names of a language's files. */
function globsOf(name: string): string[] {
  const ids = languagesNamed(name);
  return ALL_LANGUAGES.filter(({ id }) => id === name || ids.has(id)).flatMap(({ extensions, fileNames = [] }) => [
    ...extensions.map((extension) => `*.${extension}`),
    ...fileNames,
  ]);
}
