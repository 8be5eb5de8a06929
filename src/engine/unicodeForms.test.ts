import assert from 'node:assert/strict';
import fc from 'fast-check';
import { runs } from '../../test/support/runs.ts';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { hasIndexable } from './analyze/words.ts';
import { documentId } from './documentId.ts';
import { Engine, EngineReader } from './engine.ts';
import { Highlighter } from './query/highlight.ts';
import { parseQuery } from './query/query.ts';

/** Letters that Unicode writes in one character (NFC) or in several (NFD), in scripts with and without spaces. */
const letter = fc.constantFrom(...'éàüßøñçÅÅ豈Łệươǧйёάΐᾳ한국어각ガぴヴক়क़'.split(''), 'a', 'b', 'n', 'E', 'É');
const word = fc
  .array(letter, { minLength: 3, maxLength: 8 })
  .map((letters) => letters.join(''))
  .filter(hasIndexable);
/** As it is, a letter may have the form that stands for another one: the sign of Ångström. */
const form = fc.constantFrom(
  (text: string) => text.normalize(),
  (text: string) => text.normalize('NFD'),
  (text: string) => text,
);

describe('A text in one form of Unicode', () => {
  const folder = temporaryFolder();

  async function withFiles<T>(
    texts: ReadonlyMap<string, string>,
    work: (engine: Engine, state: string) => Promise<T>,
  ): Promise<T> {
    const state = folder();
    const engine = Engine.open(state);
    try {
      await engine.apply({
        add: [...texts].map(([path, text]) => {
          const content = Buffer.from(text);
          return { id: documentId(path, content), path, content };
        }),
      });
      return await work(engine, state);
    } finally {
      await engine.close();
    }
  }

  it('is found by its words and as a phrase, typed in the other form, with its columns', async () => {
    await fc.assert(
      fc.asyncProperty(word, word, form, form, async (one, two, written, typed) => {
        const found = written(`${one} ${two}`);
        const line = `  // ${found} behind`;
        const texts = new Map([
          ['a.ts', `const lantern = 1;\n${line}\n`],
          ['b.ts', 'const other = 2;\n'],
        ]);
        await withFiles(texts, async (engine) => {
          for (const query of [one, two, `${one} ${two}`, `"${one} ${two}"`]) {
            const hits = await engine.search(typed(query), { readText: (path) => texts.get(path) });
            assert.deepEqual([hits[0]?.path, hits.length], ['a.ts', 1], query);
          }
          const ranges = new Highlighter(parseQuery(typed(`${one} ${two}`))).ranges(line);
          const shown = ranges.map(({ start, end }) => line.slice(start, end)).join(' ');
          assert.equal(shown, found);
        });
      }),
      { numRuns: runs(60) },
    );
  });

  const WRITTEN = [
    ['a.php', '// Salva a configuração do usuário\nfunction salvarMatricula() {}\n'],
    ['b.java', '/** Berechnet die Größe der Straße. */\nclass Rechner {}\n'],
    ['c.ts', '// ＡＰＩキーを検証する ﾘﾄﾗｲ\nexport const checked = 1;\n'],
    ['d.py', '# Настройка подключения: проверяет учётные данные\nclass Server: pass\n'],
    ['e.js', '// ΔΙΑΧΕΙΡΙΣΗ ΧΡΗΣΤΩΝ, İSTANBUL şehri\nfunction manage() {}\n'],
    ['f.js', '// تَسْجِيل الدُّخُول\nfunction enter() {}\n'],
    ['g.py', '# 分布式锁的实现\nclass Lock: pass\n'],
    ['h.kt', '// 설정값을 읽는다\nclass Config\n'],
  ] as const;

  it('is found without accents and with others, in capitals, half as wide and with other endings', async () => {
    const typed = {
      'a.php': ['configuracao', 'configuração', 'usuario', 'matrícula', 'CONFIGURAÇÃO'],
      'b.java': ['große', 'GRÖSSE', 'strasse', 'STRASSE'],
      'c.ts': ['api', 'APIキー', 'リトライ', 'ﾘﾄﾗｲ'],
      'd.py': ['настройки', 'настройками', 'подключение', 'учетные', 'учётная'],
      'e.js': ['διαχείριση', 'istanbul', 'İstanbul', 'sehri'],
      'f.js': ['تسجيل', 'الدخول'],
      'g.py': ['锁', '"锁"', '分布式锁在哪里实现？'],
      'h.kt': ['값', '설정값'],
    };
    const texts = new Map<string, string>(WRITTEN);
    await withFiles(texts, async (engine) => {
      for (const [path, queries] of Object.entries(typed)) {
        for (const query of queries) {
          const hits = await engine.search(query, { readText: (one) => texts.get(one) });
          assert.deepEqual([hits[0]?.path, hits.length], [path, 1], query);
        }
      }
    });
  });

  it('is found as a name and in a path, typed in the other form', async () => {
    await fc.assert(
      fc.asyncProperty(word, word, form, form, async (name, file, written, typed) => {
        const path = `src/${written(file)}.ts`;
        const texts = new Map([
          [path, `export function ${written(name)}(): void {}\n`],
          ['b.ts', 'const other = 2;\n'],
        ]);
        await withFiles(texts, async (engine, state) => {
          for (const query of [name, file, `sym:${name}`, `sym:${name}*`, `file:${file}.ts`]) {
            const hits = await engine.search(typed(query));
            assert.deepEqual(
              hits.map((hit) => hit.path),
              [path],
              query,
            );
          }
          const [hit] = await engine.search(typed(name));
          assert.equal(hit?.symbol?.name, name.normalize());
          const reader = new EngineReader(state);
          assert.deepEqual(reader.names(typed(name), 5), [name.normalize()]);
          reader.close();
        });
      }),
      { numRuns: runs(60) },
    );
  });
});
