import assert from 'node:assert/strict';
import { asksForTexts, localeOf, namedLocale } from './locales.ts';

describe('the locale of a path', () => {
  it('is a folder, the beginning or end of a name, or of Android', () => {
    const cases: readonly (readonly [string, string | undefined])[] = [
      ['app/Locale/ru_RU/translations.php', 'ru-ru'],
      ['config/locales/de.yml', 'de'],
      ['conf/locale/locale_pt-BR.ini', 'pt-br'],
      ['public/datepicker-en-GB.js', 'en-gb'],
      ['ios/ja.lproj/Localizable.strings', 'ja'],
      ['res/values-zh-rTW/strings.xml', 'zh-rtw'],
      ['locale/fr/LC_MESSAGES/django.po', 'fr'],
      ['src/messages_ko.properties', 'ko'],
      ['src/search/index.ts', undefined],
      ['src/go/main.go', undefined],
    ];
    for (const [path, locale] of cases) assert.equal(localeOf(path), locale, path);
  });

  it('is named by its language, and better with its region', () => {
    const fits = (query: string, ...locales: string[]): (number | undefined)[] =>
      locales.map((one) => namedLocale(query)?.(one));
    assert.deepEqual(fits('German labels', 'de', 'de-at', 'en'), [2, 2, 0]);
    assert.deepEqual(fits('Brazilian Portuguese messages', 'pt-br', 'pt-rbr', 'pt', 'pt-pt', 'br'), [2, 2, 1, 0, 0]);
    assert.deepEqual(fits('traditional Chinese', 'zh-hant', 'zh-tw', 'tw', 'zh-cn', 'zh'), [2, 2, 2, 0, 1]);
    assert.deepEqual(fits('Czech and Danish', 'cs', 'da', 'sk'), [2, 2, 0]);
    assert.deepEqual(fits('polish the page', 'pl'), [2]);
    assert.deepEqual(fits('labels of the page', 'de'), [undefined]);
  });

  it('is wanted where texts in a language are, not where code is', () => {
    const cases: Readonly<Record<string, boolean>> = {
      'Russian translations': true,
      'Fix French translation of label_auto_watch': true,
      'Add missing strings to German localization': true,
      'Russian and Spanish locale': true,
      'traditional Chinese messages': true,
      'English text of the welcome message': true,
      'label of the button save in Brazilian Portuguese': true,
      'how do I change my language to French': false,
      'why is the English message shown for a French user?': false,
      'missing German translation falls back to English': false,
      'default language English': false,
      'Chinese text truncation': false,
      'tokenize Japanese text': false,
      'Polish the text of a label': false,
      'translate a text into the language of the user': false,
      ['a German translation '.repeat(1e4)]: false,
    };
    for (const [query, expected] of Object.entries(cases)) assert.equal(asksForTexts(query), expected, query);
  });
});
