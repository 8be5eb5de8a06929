import assert from 'node:assert/strict';
import fc from 'fast-check';
import { runs } from '../../../test/support/runs.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { documentId } from '../documentId.ts';
import { Engine, type EngineDocument } from '../engine.ts';
import type { Hit, SearchOptions } from './hits.ts';

const WORDS = ['amber', 'birch', 'cedar', 'delta', 'fjord'] as const;
const NAMES = ['lantern', 'harbour', 'lanternlight'] as const;
const LANGUAGES = { py: 'python', rb: 'ruby' } as const;

interface Source {
  readonly path: string;
  readonly extension: keyof typeof LANGUAGES;
  readonly defines: readonly string[];
  readonly text: string;
}

const source = fc
  .record({
    folder: fc.constantFrom(...WORDS, 'top'),
    extension: fc.constantFrom('py' as const, 'rb' as const),
    defines: fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 }),
    words: fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }),
  })
  .map(({ folder, extension, defines, words }) => ({
    folder,
    extension,
    defines,
    text: [
      ...defines.map((name) => (extension === 'py' ? `def ${name}():\n    pass` : `def ${name}\nend`)),
      words.join(' '),
    ].join('\n\n'),
  }));
const sources = fc
  .array(source, { minLength: 1, maxLength: 25 })
  .map((list) =>
    list.map(({ folder, ...rest }, i): Source => ({ ...rest, path: `${folder}/f${i}.${rest.extension}` })),
  );

/** A condition as typed, and its meaning. */
interface Condition {
  readonly typed: string;
  readonly holds: (source: Source) => boolean;
}

const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc
    .constantFrom(...WORDS)
    .map((word): Condition => ({ typed: `path:${word}`, holds: ({ path }) => path.includes(word) })),
  fc.constantFrom('1', '2*', '?2').map((digits): Condition => ({
    typed: digits === '1' ? 'file:1' : `file:f${digits}.py`,
    holds: ({ path }) => naiveFile[digits]!.test(path),
  })),
  fc.constantFrom('py' as const, 'rb' as const).map((extension): Condition => ({
    typed: `lang:${LANGUAGES[extension]}`,
    holds: (one) => one.extension === extension,
  })),
  fc.constantFrom(...NAMES).map((name): Condition => ({
    typed: `sym:${name}`,
    holds: ({ defines }) => defines.some((defined) => defined.includes(name)),
  })),
  fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(...WORDS)).map(([first, second]): Condition => ({
    typed: `"${first} ${second}"`,
    holds: ({ text }) => text.includes(`${first} ${second}`),
  })),
);
const naiveFile: Readonly<Record<string, RegExp>> = { '1': /\/.*1/, '2*': /\/f2[^/]*\.py$/, '?2': /\/f.2\.py$/ };

const exclusion: fc.Arbitrary<Condition> = fc.oneof(
  condition.map(({ typed, holds }) => ({ typed: `-${typed}`, holds: (one: Source) => !holds(one) })),
  fc.constantFrom(...WORDS).map((word) => ({ typed: `-${word}`, holds: ({ text }: Source) => !text.includes(word) })),
);

describe('search', () => {
  const folder = temporaryFolder();

  /** The sources in an index of several segments. */
  async function withSources(list: readonly Source[], work: (search: Search) => Promise<void>): Promise<void> {
    const engine = Engine.open(folder());
    try {
      for (let i = 0; i < list.length; i += 10) await engine.apply({ add: list.slice(i, i + 10).map(documentOf) });
      const texts = new Map(list.map(({ path, text }) => [path, text]));
      const readText = (path: string): string | undefined => texts.get(path);
      await work((query, options) => engine.search(query, { limit: 1000, readText, ...options }));
    } finally {
      await engine.close();
    }
  }

  it('finds what a naive model finds, with any filters and exclusions, within any documents', async () => {
    const query = fc.record({
      words: fc.uniqueArray(fc.constantFrom(...WORDS), { maxLength: 2 }),
      // Conditions on one field would be alternatives.
      condition: fc.option(condition, { nil: undefined }),
      exclusions: fc.array(exclusion, { maxLength: 2 }),
      within: fc.option(fc.array(fc.nat({ max: 24 })), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(sources, fc.array(query, { minLength: 1, maxLength: 6 }), async (list, queries) => {
        await withSources(list, async (search) => {
          for (const { words, condition: asked, exclusions, within } of queries) {
            const conditions = [...(asked ? [asked] : []), ...exclusions];
            const typed = [...words, ...conditions.map((one) => one.typed)].join(' ');
            const chosen = within && list.filter((_, i) => within.includes(i));
            const expected = (chosen ?? list).filter(
              (one) =>
                conditions.every(({ holds }) => holds(one)) &&
                (words.length === 0 ||
                  asked?.typed.startsWith('"') === true ||
                  words.some((word) => one.text.includes(word) || one.path.includes(word))),
            );
            // Skip a query without words and filters.
            if (words.length === 0 && !conditions.some(({ typed: text }) => text.includes(':'))) continue;
            const ids = chosen && new Set(chosen.map((one) => documentOf(one).id));
            const hits = await search(typed, ids ? { within: ids } : {});
            assert.deepEqual(pathsOf(hits).sort(), expected.map(({ path }) => path).sort(), typed);
          }
        });
      }),
      { numRuns: runs(100) },
    );
  });

  const pathsFound = (hits: readonly Hit[]): string[] => hits.map(({ path }) => path).sort();
  const code = (path: string, text: string): Source => ({ path, text, extension: 'py', defines: [] });

  it('treats a qualified name in sym: as the member of that class alone', async () => {
    const list = [
      code('pool.py', 'class Pool:\n    def drain(self):\n        pass\n'),
      code('tank.py', 'class Tank:\n    def drain(self):\n        pass\n'),
    ];
    await withSources(list, async (search) => {
      assert.deepEqual(pathsFound(await search('sym:drain')), ['pool.py', 'tank.py']);
      const [hit, ...others] = await search('sym:Pool.drain');
      assert.deepEqual([hit?.path, hit?.symbol?.name, others.length], ['pool.py', 'drain', 0]);
      assert.deepEqual(pathsFound(await search('drain -sym:Pool.*')), ['tank.py']);
      for (const typed of ['Pool::drain', 'db.Pool.drain', 'Pool#drain', 'Pool::'])
        assert.deepEqual(pathsFound(await search(`sym:${typed}`)), ['pool.py'], typed);
    });
  });

  it('lists files that define the exact name of sym: first, and none with another spelling only', async () => {
    const list = [
      code('a.py', 'def parse_json():\n    pass\n'),
      code('b.py', 'def json_of():\n    pass\n'),
      code('test/c.py', 'def json():\n    pass\n'),
      code('d.py', 'JSON = 1\n\n\ndef other():\n    pass\n'),
      code('e.py', 'def to_JSON():\n    pass\n'),
    ];
    await withSources(list, async (search) => {
      assert.deepEqual(pathsOf(await search('sym:json')), ['d.py', 'test/c.py', 'b.py', 'a.py', 'e.py']);
      assert.deepEqual(pathsOf(await search('sym:JSON')), ['d.py', 'e.py']);
      assert.deepEqual(pathsOf(await search('sym:*JSON*')), ['d.py', 'e.py']);
    });
  });

  it('finds names for sym: in any case in languages that ignore it', async () => {
    const list = [
      code('a.c', 'void seam(void) {\n}\n'),
      code('b.c', 'void SEAM(void) {\n}\n'),
      code('c.f90', 'subroutine seam_of()\nend subroutine\n'),
      code('d.f90', 'subroutine seam()\nend subroutine\n'),
    ];
    for (const texts of [list, list.filter(({ path }) => path !== 'b.c')])
      await withSources(texts, async (search) => {
        const ofC = texts === list ? ['b.c'] : [];
        assert.deepEqual(pathsOf(await search('sym:SEAM')), [...ofC, 'd.f90', 'c.f90']);
        assert.deepEqual(pathsOf(await search('sym:SEAM*')), [...ofC, 'd.f90', 'c.f90']);
        assert.deepEqual(pathsFound(await search('seam sym:SEAM')), [...ofC, 'c.f90', 'd.f90']);
      });
  });

  it('finds names with a long s by a beginning with an s', async () => {
    const list = [code('a.py', 'def ſeam():\n    pass\n'), code('b.py', 'def seam():\n    pass\n')];
    await withSources(list, async (search) => {
      for (const query of ['sym:se*', 'sym:*se*']) assert.deepEqual(pathsFound(await search(query)), ['a.py', 'b.py']);
    });
  });

  it('does not treat a word as a compound name with the same stem', async () => {
    const engine = Engine.open(folder());
    const text = (path: string, content: string): EngineDocument => {
      const bytes = Buffer.from(content);
      return { id: documentId(path, bytes), path, content: bytes };
    };
    const others = Array.from({ length: 200 }, (_, i) =>
      text(`src/inline${i}.h`, 'static inline int inline_it(void)\n'),
    );
    await engine.apply({ add: [...others, text('notes/fsync.c', 'spurious gotos and excessive __inline__s.\n')] });
    const [first] = await engine.search('__inline__s', { limit: 1 });
    assert.equal(first?.path, 'notes/fsync.c');
    await engine.close();
  });

  it('counts many similar names no more than the best of them', async () => {
    const like = Array.from({ length: 12 }, (_, i) => `class Foldable${i}Ops:\n    pass\n`).join('\n');
    const list = [
      code('lib/foldables.py', `${like}\nclass Foldable:\n    pass\n`),
      code('lib/foldable.py', 'class Foldable:\n    pass\n'),
    ];
    await withSources(list, async (search) => assert.equal((await search('Foldable'))[0]?.path, 'lib/foldable.py'));
  });

  it('finds the module with the wanted name, the least qualified first', async () => {
    const module = (path: string, name: string): Source =>
      code(path, `defmodule ${name} do\n  # Schema\n  def one do\n  end\nend\n`);
    const list = [
      module('lib/harbour/repo/schema.ex', 'Harbour.Repo.Schema'),
      module('lib/harbour/schema.ex', 'Harbour.Schema'),
    ];
    await withSources(list, async (search) => {
      const hits = await search('Schema');
      assert.deepEqual(
        hits.map(({ path, symbol }) => [path, symbol?.name]),
        [
          ['lib/harbour/schema.ex', 'Harbour.Schema'],
          ['lib/harbour/repo/schema.ex', 'Harbour.Repo.Schema'],
        ],
      );
    });
  });

  it('prefers the typed spelling, where it matters, to a module or an extension of that name', async () => {
    const list = [
      code('macros/src/load_harbour/mod.rs', 'impl<S> LoadHarbour<S> for Quay {\n    fn run() {}\n}\n// LoadHarbour\n'),
      code('macros/src/lib.rs', 'mod load_harbour;\n'),
      code('core/src/mod.rs', 'pub struct Other;\n\npub trait LoadHarbour {\n    fn load_harbour();\n}\n'),
    ];
    await withSources(list, async (search) => {
      assert.equal((await search('LoadHarbour'))[0]?.path, 'core/src/mod.rs');
      assert.equal((await search('load_harbour'))[0]?.symbol?.name, 'load_harbour');
    });
  });

  it('prefers the newest of several versions', async () => {
    const list = ['v2', 'v3'].map((version) => code(`api/${version}/harbour.py`, 'class Harbour:\n    pass\n'));
    await withSources(list, async (search) => assert.equal((await search('Harbour'))[0]?.path, 'api/v3/harbour.py'));
  });

  it('prefers the package with most of the workspace, for two files that answer alike', async () => {
    const answer = '# Cedar forests burn.\ndef burn():\n    pass\n';
    const list = [
      code('packages/amber/forest.py', answer),
      code('packages/birch/forest.py', answer),
      ...Array.from({ length: 12 }, (_, i) => code(`packages/birch/f${i}.py`, 'def other():\n    pass\n')),
    ];
    await withSources(list, async (search) =>
      assert.equal((await search('how cedar forests burn'))[0]?.path, 'packages/birch/forest.py'),
    );
  });

  it('weights a word of folders correctly after most documents with it are removed', async () => {
    const engine = Engine.open(folder());
    const old = Array.from({ length: 53 }, (_, i) =>
      documentOf(code(`zoo/amber/f${i}.py`, 'def other():\n    pass\n')),
    );
    const left = ['zoo/amber/junk.py', 'birch/f0.py', 'birch/f1.py'].map((path) => documentOf(code(path, 'pass\n')));
    const right = documentOf(code('birch/harbour.py', '# Amber harbour.\ndef amber_harbour():\n    pass\n'));
    await engine.apply({ add: [...old, ...left, right] });
    await engine.apply({ remove: old.map(({ id }) => id) });
    assert.equal((await engine.search('harbour amber'))[0]?.path, 'birch/harbour.py');
    await engine.close();
  });

  it('leaves out all matches of -sym:, however many names match', async () => {
    const functions = Array.from({ length: 2500 }, (_, i) => `def amber${i}():\n    pass\n`);
    const list = [
      code('many.py', functions.join('\n')),
      code('last.py', 'def amberz():\n    pass\n'),
      code('birch.py', 'def birch():\n    pass\n'),
    ];
    await withSources(list, async (search) => {
      assert.deepEqual(pathsFound(await search('def pass -sym:amber*')), ['birch.py']);
      assert.deepEqual(pathsFound(await search('-sym:amber*')), ['birch.py']);
    });
  });

  it('returns the first hits of a larger limit', async () => {
    const many = fc.array(source, { minLength: 40, maxLength: 80 });
    const numbered = many.map((list) =>
      list.map(({ folder: name, ...rest }, i): Source => ({ ...rest, path: `${name}/f${i}.${rest.extension}` })),
    );
    const query = fc.constantFrom('amber', 'amber birch', 'lantern', 'cedar -delta', 'lang:python', '"amber birch"');
    const limits = fc.tuple(fc.integer({ min: 1, max: 150 }), fc.integer({ min: 1, max: 150 }));
    await fc.assert(
      fc.asyncProperty(numbered, query, limits, async (list, typed, [a, b]) => {
        await withSources(list, async (search) => {
          const smaller = pathsOf(await search(typed, { limit: Math.min(a, b) }));
          const larger = pathsOf(await search(typed, { limit: Math.max(a, b) }));
          assert.deepEqual(
            smaller,
            larger.slice(0, smaller.length),
            `${typed}, ${Math.min(a, b)} of ${Math.max(a, b)}`,
          );
        });
      }),
      { numRuns: runs(25) },
    );
  });
});

type Search = (query: string, options?: SearchOptions) => Promise<Hit[]>;

function documentOf({ path, text }: Source): EngineDocument {
  const content = Buffer.from(text);
  return { id: documentId(path, content), path, content };
}

function pathsOf(hits: readonly Hit[]): string[] {
  return hits.map(({ path }) => path);
}
