import { VERSION } from '../engine/query/families.ts';
import { LOCALES } from '../engine/query/locales.ts';

const REGION = /^(?:[a-z]{2}|[a-z]{4}|419)$/;

/** A page's path without the parts that name its language or version, so that translations and versions have one key. */
export function pageKey(path: string): string {
  const folders = path.toLowerCase().split('/');
  const name = folders.pop()!;
  const kept = folders.filter((part) => !isLanguage(part) && !VERSION.test(part) && !part.startsWith('version-'));
  const parts = name.split(/[._-]/);
  const suffix = parts.pop();
  // The first part is the name, even if it looks like a language, as in no.md.
  const isCode = (part: string, i: number): boolean =>
    i > 0 && (isLanguage(part) || (isLanguage(parts[i - 1]!) && i > 1 && REGION.test(part)));
  const named = parts.filter((part, i) => !isCode(part, i));
  return [...kept, `${named.join('.')}.${suffix}`].join('/');
}

function isLanguage(part: string): boolean {
  const [language, region] = part.split(/[_-]/) as [string, string?];
  return LOCALES.has(language) && (region === undefined || REGION.test(region));
}
