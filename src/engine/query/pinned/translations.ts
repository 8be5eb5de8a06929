import { formOf } from '../fileForms.ts';
import { asksForTexts, codesNamed, isTranslatable, localeOf, namedLocale } from '../locales.ts';
import { PATHS_PER_STEP, type Candidate, type Pinned, type PinRequest } from './pinned.ts';

/** Number of files in a language that precede all others. */
const MAX_FILES = 4;

/** The best documents with texts in a language that the query names, if it asks for such. */
export function* findTranslations({ typed, all, isAside }: PinRequest): Generator<undefined, readonly Pinned[], void> {
  const fitOf = asksForTexts(typed) ? namedLocale(typed) : undefined;
  if (!fitOf) return [];
  const codes = codesNamed(typed);
  const found: { readonly one: Candidate; readonly fit: number; readonly score: number }[] = [];
  for (const scores of all) {
    for (let document = 0; document < scores.reader.documents; document++) {
      if (document % PATHS_PER_STEP === 0) yield;
      const path = scores.reader.pathOf(document);
      if (!codes.test(path)) continue;
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
