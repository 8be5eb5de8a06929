import type { FileForm } from './fileForms.ts';

/** Languages that people write documentation and messages in, with their codes, and those of countries that people write instead. */
const LANGUAGES: ReadonlyMap<string, readonly string[]> = tableOf(
  'arabic ar, armenian hy, bengali bn, bulgarian bg, catalan ca, chinese zh cn tw, croatian hr, czech cs, danish da, dutch nl, english en, ' +
    'estonian et, finnish fi, french fr, galician gl, german de, greek el, hebrew he, hindi hi, hungarian hu, indonesian id, italian it, ' +
    'japanese ja jp, korean ko kr, latvian lv, lithuanian lt, malay ms, norwegian nb nn no, persian fa, polish pl, portuguese pt, ' +
    'romanian ro, russian ru, serbian sr, slovak sk, slovenian sl, spanish es, swahili sw, swedish sv, tamil ta, thai th, turkish tr, ' +
    'ukrainian uk ua, urdu ur, uzbek uz, vietnamese vi',
);
/** Words before a language, and the codes of the regions or scripts that they mean. */
const REGIONS = tableOf(
  'american us, austrian at, brazilian br, british gb, canadian ca, mexican mx, simplified cn hans, swiss ch, traditional tw hk hant',
);
const NAMES = `(?:(?:(?:${[...REGIONS.keys()].join('|')}) )?(?:${[...LANGUAGES.keys()].join('|')})(?: and | or )?)+`;
const TRANSLATION = '(?:translations?|translated|locales?|locali[sz](?:ations?|ed)|l10n|i18n)';
const TEXT = '(?:languages?|messages?|strings?|labels?|texts?)';
/** Queries for texts in a language. Other questions with such words are about code: "why is the German text cut?". */
const ASKING = new RegExp(
  String.raw`^(?!(?:how|why|when) )(?:.*\b${NAMES} ${TRANSLATION}\b(?!.* ${NAMES}\b)|${NAMES} ${TEXT}(?: (?:of|for|in|on) |$)|` +
    String.raw`(?:.* )?(?:${TRANSLATION}|${TEXT}) (?:.* )?(?:in|into|for) ${NAMES}$)`,
);
const MAX_WORDS = 20;
/** Codes of languages, and of countries that people write instead. */
export const LOCALES: ReadonlySet<string> = new Set([...LANGUAGES.values()].flat());
/** Pattern of paths that may have a locale, as {@link localeOf} takes long for all paths. */
export const MAY_HAVE_LOCALE = new RegExp(String.raw`(?:^|[/._-])(?:${[...LOCALES].join('|')})(?=[/._-]|$)`, 'i');

const LOCALE = /^([a-z]{2})(?:[-_](?:r?[a-z]{2}|han[st]))?$/i;
const BEFORE_EXTENSION = /[._-]([a-z]{2}(?:[-_][a-z]{2,4})?)(?=\.[^.]*$)/gi;
/** Folders of Android. */
const OF_VALUES = /(?<=^values)-([a-z]{2}(?:-r[a-z]{2})?)$/i;
const FOLDER = /(?:^|\/)(?:i18n|l10n|intl|langs?|locales?|translations?)\//i;

function tableOf(rows: string): ReadonlyMap<string, readonly string[]> {
  return new Map(
    rows.split(', ').map((row) => {
      const [name = '', ...codes] = row.split(' ');
      return [name, codes];
    }),
  );
}

/** Whether parts of the path may mean a language: in prose, data and folders of translations. `cs.ts` may be about C#. */
export function isTranslatable(path: string, form: FileForm | undefined): boolean {
  return form === 'prose' || form === 'data' || form === 'history' || FOLDER.test(path);
}

/**
 * Replaces the locales that a folder's or file's name has: all of `fr`, the beginning of `fr.yml`, the end of `README_fr.md` with its
 * separator, and that of `values-fr`.
 */
export function withoutLocales(part: string, isReplaced: (locale: string) => boolean): string {
  const replaces = (locale = ''): boolean => {
    const code = LOCALE.exec(locale)?.[1]?.toLowerCase();
    return code !== undefined && LOCALES.has(code) && isReplaced(locale.toLowerCase());
  };
  if (replaces(part)) return '*';
  const name = [BEFORE_EXTENSION, OF_VALUES].reduce(
    (text, pattern) => text.replace(pattern, (all, locale: string) => (replaces(locale) ? '' : all)),
    part,
  );
  const [base, ...rest] = name.split('.');
  return rest.length > 0 && replaces(base) ? ['*', ...rest].join('.') : name;
}

/** The locale of a path, the innermost if there are several. */
export function localeOf(path: string): string | undefined {
  let found: string | undefined;
  for (const part of path.split('/')) {
    withoutLocales(part, (locale) => {
      found = locale.replace('_', '-');
      return false;
    });
  }
  return found;
}

/**
 * How well a locale is what a query names by the name of a language: 2 with the region if that is named, 1 without any region,
 * 0 if it is another. `undefined` if the query names none.
 */
export function namedLocale(query: string): ((locale: string) => number) | undefined {
  const words = wordsOf(query);
  const named = words.flatMap((word, i) => {
    const codes = LANGUAGES.get(word);
    return codes ? [{ codes, regions: REGIONS.get(words[i - 1] ?? '') }] : [];
  });
  if (named.length === 0) return undefined;
  const fitOf = (locale: string, { codes, regions }: (typeof named)[number]): number => {
    const parts = locale.split(/[-_]/).map((part) => part.replace(/^r(?=[a-z]{2}$)/, ''));
    if (!codes.includes(parts[0]!)) return 0;
    if (!regions || regions.some((region) => parts.includes(region))) return 2;
    return parts.length > 1 || parts[0] !== codes[0] ? 0 : 1;
  };
  return (locale) => Math.max(...named.map((one) => fitOf(locale, one)));
}

/** Whether a query asks for texts in a language: "Russian translations", "label of the button in French". */
export function asksForTexts(query: string): boolean {
  const words = wordsOf(query);
  return words.length <= MAX_WORDS && ASKING.test(words.join(' '));
}

function wordsOf(query: string): readonly string[] {
  return query.toLowerCase().match(/[a-z\d]+/g) ?? [];
}
