import type { SegmentScores } from './collect.ts';
import { formOf } from './fileForms.ts';
import { asksForTexts, codesNamed, isTranslatable, localeOf, namedLocale } from './locales.ts';
import { PATHS_PER_STEP, type Candidate, type IsAside, type Pinned } from './pinned.ts';

/** Number of files in a language that precede all others. */
const MAX_FILES = 4;

/** The best documents with texts in a language that the query names, if it asks for such. */
export function* findTranslations(
  text: string,
  all: readonly SegmentScores[],
  isAside: IsAside,
): Generator<undefined, Pinned[], void> {
  const fitOf = asksForTexts(text) ? namedLocale(text) : undefined;
  if (!fitOf) return [];
  const codes = codesNamed(text);
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
