import { formOf } from '../fileForms.ts';
import { asksForTexts, isTranslatable, localeOf, MAY_HAVE_LOCALE, namedLocale } from '../locales.ts';
import type { Candidate, Pinned, PinRequest } from './pinned.ts';

/** Number of files in a language that precede all others. */
const MAX_FILES = 4;

/** The best documents with texts in a language that the query names, if it asks for such. */
export function* findTranslations({ typed, all, isAside }: PinRequest): Generator<undefined, readonly Pinned[], void> {
  const fitOf = asksForTexts(typed) ? namedLocale(typed) : undefined;
  if (!fitOf) return [];
  const found: { readonly one: Candidate; readonly fit: number; readonly score: number }[] = [];
  for (const scores of all) {
    yield;
    for (const document of scores.reader.documentsLike(MAY_HAVE_LOCALE)) {
      const path = scores.reader.pathOf(document);
      const fit = fitOf(localeOf(path) ?? '');
      if (fit === 0 || !isTranslatable(path, formOf(path)) || !scores.mayBeResult(document)) continue;
      const one = { scores, document };
      if (!isAside(one)) found.push({ one, fit, score: scores.scoreOf(document) });
    }
  }
  return found
    .sort((a, b) => b.fit - a.fit || b.score - a.score)
    .slice(0, MAX_FILES)
    .map(({ one }, i) => ({ ...one, worth: 1 / (i + 1), feature: 'locale' }));
}
