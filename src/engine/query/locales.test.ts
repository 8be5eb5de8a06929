import assert from 'node:assert/strict';
import { localeOf, namedLocale } from './locales.ts';

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
});
