import assert from 'node:assert/strict';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { documentId } from '../documentId.ts';
import { Engine } from '../engine.ts';
import { familyOf } from './families.ts';
import { formOf } from './fileForms.ts';

describe('familyOf', () => {
  const family = (path: string, ...typed: string[]): string => familyOf(path, formOf(path), new Set(typed));

  it('is the same for translations and versions', () => {
    assert.equal(family('docs/fr/start.md'), family('docs/zh-CN/start.md'));
    assert.equal(family('README.md'), family('README.pt-BR.md'));
    assert.equal(family('README.md'), family('README_ja.md'));
    assert.equal(family('README.md'), family('README_CN.md'));
    assert.equal(family('src/locale/de.ts'), family('src/locale/fr.ts'));
    assert.equal(family('lang/de/messages.php'), family('lang/pt_BR/messages.php'));
    assert.equal(family('res/values/strings.xml'), family('res/values-zh-rTW/strings.xml'));
    assert.equal(family('manual/v1.6/manual.yml'), family('manual/v1.7/manual.yml'));
  });

  it('differs where code is about a language, or the query names one', () => {
    assert.notEqual(family('languages/cs.ts'), family('languages/pl.ts'));
    assert.notEqual(family('docs/fr/start.md', 'fr'), family('docs/de/start.md', 'fr'));
    assert.notEqual(family('README.pt_BR.md', 'pt_br'), family('README.fr.md', 'pt_br'));
    assert.notEqual(family('api/v1/a.go', 'v1'), family('api/v2/a.go', 'v1'));
  });

  it('differs for years, days and chapters, which are numbers alone', () => {
    assert.equal(family('docs/1.6/start.md'), family('docs/2.x/start.md'));
    assert.notEqual(family('posts/2023/05/index.md'), family('posts/2024/11/index.md'));
    assert.notEqual(family('days/1/solution.py'), family('days/2/solution.py'));
  });
});

describe('a question that translations, versions or copies answer', () => {
  const folder = temporaryFolder();
  const page = '# Lantern\n\nHow to light the lantern of the harbour with a match.\n';
  const code = '// Lights the lantern of the harbour.\nexport function lightLantern() {}\n';
  const files: Readonly<Record<string, string>> = {
    ...Object.fromEntries(['de', 'es', 'fr', 'ja'].map((locale) => [`docs/${locale}/lantern.md`, page + locale])),
    'pkg/a/lantern.ts': code,
    'pkg/b/lantern.ts': code,
    'harbour.ts': 'export const harbour = "the quay of the harbour";\n',
  };

  async function find(query: string): Promise<(readonly [path: string, alike: number | undefined])[]> {
    const engine = Engine.open(folder());
    const add = Object.entries(files).map(([path, text]) => {
      const content = Buffer.from(text);
      return { id: documentId(path, content), path, content };
    });
    await engine.apply({ add });
    const hits = await engine.search(query, { limit: 50 });
    await engine.close();
    return hits.map(({ path, alike }) => [path, alike]);
  }

  it('shows one of each first, with the number of those like it, and the others last', async () => {
    const found = await find('light a lantern of the harbour');
    const firsts = found.slice(0, 3);
    assert.deepEqual(new Map(firsts).get('pkg/a/lantern.ts'), 1);
    assert.deepEqual(firsts.find(([path]) => path.startsWith('docs/'))?.[1], 3);
    assert.ok(firsts.some(([path]) => path === 'harbour.ts'));
    assert.equal(found.length, 7);
    assert.ok(found.slice(3).every(([, alike]) => alike === undefined));
  });

  it('keeps the translation that the query names before the others', async () => {
    const found = await find('light a lantern of the harbour fr');
    assert.deepEqual(
      found
        .filter(([path]) => path.startsWith('docs/'))
        .map(([path, alike]) => [path, alike])
        .slice(0, 1),
      [['docs/fr/lantern.md', undefined]],
    );
  });

  it('shows the texts of a language first that the query names', async () => {
    const engine = Engine.open(folder());
    const texts = Object.fromEntries(
      ['de', 'fr', 'pt', 'pt_BR', 'ru'].map((locale, i) => [
        `app/Locale/${locale}/texts.php`,
        `<?php return ['Close' => '${`${locale} `.repeat(9 * i + 1)}'];`,
      ]),
    );
    const others = {
      'app/Translator.php': '<?php // Russian and German translations of texts.\nclass Translator {}\n',
    };
    const add = Object.entries({ ...texts, ...others }).map(([path, text]) => {
      const content = Buffer.from(text);
      return { id: documentId(path, content), path, content };
    });
    await engine.apply({ add });
    const first = async (query: string): Promise<unknown> => {
      const [hit] = await engine.search(query);
      return [hit?.path, hit?.alike];
    };
    assert.deepEqual(await first('Russian translations'), ['app/Locale/ru/texts.php', undefined]);
    assert.deepEqual(await first('text for Close in Brazilian Portuguese'), ['app/Locale/pt_BR/texts.php', undefined]);
    assert.deepEqual(await first('Portuguese texts'), ['app/Locale/pt/texts.php', undefined]);
    assert.deepEqual(await first('class for translations'), ['app/Translator.php', undefined]);
    await engine.close();
  });
});
