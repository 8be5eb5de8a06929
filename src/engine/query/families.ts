import { increment } from '../../base/collections.ts';
import { F } from './features.ts';
import type { FileForm } from './fileForms.ts';
import type { Ranked } from './foundDocument.ts';
import { isTranslatable, namedLocale, withoutLocales } from './locales.ts';

/** More than the share of a place in a document's score: see `placeOrder.ts`. */
const BEHIND = 1;
/** A number alone is no version, but a year, a day or a chapter. */
export const VERSION = /^(?:v\d+(?:[._](?:\d+|x))*|\d+(?:[._](?:\d+|x))+)$/i;
const MAY_HAVE_VERSION = /(?:^|\/)v?\d/i;

/**
 * The path with its locales and versions replaced by `*`: the same for all translations and versions of a file. What the query
 * names stays.
 */
export function familyOf(
  path: string,
  form: FileForm | undefined,
  typed: ReadonlySet<string>,
  isNamed: (locale: string) => boolean = () => false,
): string {
  const hasLocales = isTranslatable(path, form);
  if (!hasLocales && !MAY_HAVE_VERSION.test(path)) return path;
  const isReplaced = (locale: string): boolean =>
    !typed.has(locale) && !typed.has(locale.slice(0, 2)) && !isNamed(locale);
  return path
    .split('/')
    .map((part) => {
      if (typed.has(part.toLowerCase())) return part;
      if (VERSION.test(part)) return '*';
      return hasLocales ? withoutLocales(part, isReplaced) : part;
    })
    .join('/');
}

/**
 * Moves all but the first of several translations, versions or copies behind the other documents. The first gets the number of
 * those that are like it.
 */
export function oneOfEachFamily(ranked: readonly Ranked[], query: string): readonly Ranked[] {
  const typed = new Set(query.toLowerCase().match(/[\p{L}\p{N}_.-]+/gu));
  const fitOf = namedLocale(query);
  const isNamed = (locale: string): boolean => (fitOf?.(locale) ?? 0) > 0;
  const firstOf = new Map<string, Ranked>();
  const ofName = new Map<string, Ranked[]>();
  const alike = new Map<Ranked, number>();
  const kept: Ranked[] = [];
  const later: Ranked[] = [];
  for (const one of ranked) {
    const { path, scores, form } = one;
    const family = `${scores.folder}:${familyOf(path, form, typed, isNamed)}`;
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
