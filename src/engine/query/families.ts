import { increment } from '../../base/collections.ts';
import { F } from './features.ts';
import type { FileForm } from './fileForms.ts';
import type { Ranked } from './foundDocument.ts';

/** Codes of the languages that people write documentation and messages in, and of countries that they write instead. */
export const LOCALES: ReadonlySet<string> = new Set(
  (
    'ar bg bn ca cn cs da de el en es et fa fi fr gl he hi hr hu hy id it ja jp ko kr lt lv ms nb nl nn no pl pt ro ru sk sl sr sv sw ta ' +
    'th tr tw uk ur uz vi zh'
  ).split(' '),
);
const LOCALE = /^([a-z]{2})(?:[-_](?:[a-z]{2}|han[st]))?$/i;
const LOCALE_FOLDER = /(?:^|\/)(?:i18n|l10n|intl|locales?|translations?)\//i;
/** More than the share of a place in a document's score: see `placeOrder.ts`. */
const BEHIND = 1;
/** A number alone is no version, but a year, a day or a chapter. */
export const VERSION = /^(?:v\d+(?:[._](?:\d+|x))*|\d+(?:[._](?:\d+|x))+)$/i;
const MAY_HAVE_VERSION = /(?:^|\/)v?\d/i;

/**
 * The path with its language and versions replaced by `*`: the same for all translations and versions of a file. What the query
 * names stays. Only in prose, data and folders of translations does a part of the path mean a language: `cs.ts` may be about C#.
 */
export function familyOf(path: string, form: FileForm | undefined, typed: ReadonlySet<string>): string {
  const isTranslatable = form === 'prose' || form === 'data' || form === 'history' || LOCALE_FOLDER.test(path);
  if (!isTranslatable && !MAY_HAVE_VERSION.test(path)) return path;
  return path
    .split('/')
    .map((part) => {
      if (typed.has(part.toLowerCase())) return part;
      if (VERSION.test(part)) return '*';
      return isTranslatable ? withoutLocale(part, typed) : part;
    })
    .join('/');
}

/** `README.fr.md`, `README_fr.md`, and `README.md` are the same file; so are the folders `fr` and `de`. */
function withoutLocale(part: string, typed: ReadonlySet<string>): string {
  if (isLocale(part, typed)) return '*';
  const name = part.replace(/[._-]([a-z]{2}(?:[-_][a-z]{2,4})?)(?=\.[^.]*$)/i, (all, locale: string) =>
    isLocale(locale, typed) ? '' : all,
  );
  const [base = '', ...rest] = name.split('.');
  return rest.length > 0 && isLocale(base, typed) ? ['*', ...rest].join('.') : name;
}

function isLocale(part: string, typed: ReadonlySet<string>): boolean {
  const language = LOCALE.exec(part)?.[1]?.toLowerCase();
  return language !== undefined && LOCALES.has(language) && !typed.has(part.toLowerCase()) && !typed.has(language);
}

/**
 * Moves all but the first of several translations, versions or copies behind the other documents. The first gets the number of
 * those that are like it.
 */
export function oneOfEachFamily(ranked: readonly Ranked[], query: string): readonly Ranked[] {
  const typed = new Set(query.toLowerCase().match(/[\p{L}\p{N}_.-]+/gu));
  const firstOf = new Map<string, Ranked>();
  const ofName = new Map<string, Ranked[]>();
  const alike = new Map<Ranked, number>();
  const kept: Ranked[] = [];
  const later: Ranked[] = [];
  for (const one of ranked) {
    const { path, scores, form } = one;
    const family = `${scores.folder}:${familyOf(path, form, typed)}`;
    const name = path.slice(path.lastIndexOf('/') + 1);
    const known = firstOf.get(family);
    // Of one path there is one file in a folder, so these are of two repositories of a team.
    const isOther = known?.path === path;
    const first = (isOther ? undefined : known) ?? ofName.get(name)?.find((other) => isCopy(one, other));
    if (first) {
      increment(alike, first);
      later.push(one);
      continue;
    }
    firstOf.set(family, one);
    ofName.set(name, [...(ofName.get(name) ?? []), one]);
    kept.push(one);
  }
  if (later.length === 0) return ranked;
  const lowest = kept.at(-1)!.score;
  return [
    ...kept.map((one) => ({ ...one, ...(alike.has(one) && { alike: alike.get(one)! }) })),
    ...later.map((one) => ({ ...one, score: Math.min(one.score, lowest) - BEHIND })),
  ];
}

const SAME_IN_COPIES = [F.length, F.definitionTotal, F.body, F.density, F.coverage];

/** Whether documents of the same name have the same length and the same words. */
function isCopy(a: Ranked, b: Ranked): boolean {
  return SAME_IN_COPIES.every((column) => a.row![column] === b.row![column]);
}
