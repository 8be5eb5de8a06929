import assert from 'node:assert/strict';
import fc from 'fast-check';
import { times } from '../../../test/support/runs.ts';
import { nameKey } from '../index/names.ts';
import { compileFilters } from './filters.ts';
import { parseQueryLanguage, type QueryFilter } from './queryLanguage.ts';

describe('compileFilters', () => {
  const files: readonly (readonly [string, string])[] = [
    ['src/net/socket.ts', 'typescript'],
    ['src/net/socket.test.ts', 'typescript'],
    ['src/index.ts', 'typescript'],
    ['lib/src/net/tcp.c', 'c'],
    ['lib/Network.h', 'c'],
    ['app/[id]/page.tsx', 'typescript'],
    ['my docs/README.md', 'markdown'],
    ['setup.py', 'python'],
  ];
  const found = (query: string): string[] => {
    const { filters, problems } = parseQueryLanguage(query);
    assert.deepEqual(problems, []);
    const { matchesDocument, hasDocumentFilter } = compileFilters(filters);
    const paths = files.filter(([path, language]) => matchesDocument(path, language)).map(([path]) => path);
    assert.ok(hasDocumentFilter || paths.length === files.length);
    return paths;
  };
  const all = files.map(([path]) => path);
  const [socket, test, index, tcp, network, page, readme, setup] = all as [string, ...string[]] as Tuple8;

  const cases: Record<string, readonly string[]> = {
    '': all,
    'path:src/net': [socket, test, tcp],
    'path:SRC/NET': [socket, test, tcp],
    'path:/src/net': [socket, test],
    'path:./src/net': [socket, test],
    'path:src\\net': [socket, test, tcp],
    'path:net': [socket, test, tcp, network],
    'path:*.c': [tcp],
    'path:src/*': [index],
    'path:src/*.ts': [index],
    'path:/src/*/*': [socket, test],
    'path:src/**': [socket, test, index, tcp],
    'path:**/net/**/*.c': [tcp],
    'path:**/net': [socket, test, tcp],
    'path:s?c/net': [socket, test, tcp],
    'path:l*b/': [tcp, network],
    'path:"my docs/*.md"': [readme],
    'path:my\\ docs path:nothing': [],
    'path:app/\\[id\\]': [page],
    'path:app/[hij]*': [],
    'file:socket': [socket, test],
    'file:net': [network],
    'file:*.test.*': [test],
    'file:*.{c,h}': [tcp, network],
    'file:[r-t]*': [socket, test, tcp, readme, setup],
    'lang:ts -file:*.test.ts': [socket, index, page],
    'lang:c lang:py': [tcp, network, setup],
    'lang:c path:src': [tcp],
    '-lang:ts -lang:c': [readme, setup],
    '-path:/src': [tcp, network, page, readme, setup],
    'path:src path:app -path:net': [index, page],
  };
  for (const [query, expected] of Object.entries(cases)) {
    it(`accepts by ${query || 'no filter'}`, () => assert.deepEqual(found(query), expected));
  }

  it('accepts paths and names in both forms of Unicode, composed and decomposed', () => {
    for (const form of ['NFC', 'NFD'])
      for (const other of ['NFC', 'NFD']) {
        const path = 'menü/Café/größe.ts'.normalize(form);
        const accepts = (query: string): boolean =>
          compileFilters(parseQueryLanguage(query.normalize(other)).filters).matchesDocument(path, 'typescript');
        for (const query of ['file:größe', 'file:gr?ße.*', 'path:/menü/', 'path:menü/*/größe.ts', 'path:CAFÉ'])
          assert.deepEqual([accepts(query), accepts(`-${query}`)], [true, false], `${form} ${other} ${query}`);
      }
  });

  it('compares names of symbols with case only if the pattern has a capital', () => {
    const names = ['parseQuery', 'ParseError', 'reparse', 'parse', 'I/O parse'];
    const symbols = (query: string): string[] => {
      const { matchesSymbol, hasSymbolFilter } = compileFilters(parseQueryLanguage(query).filters);
      assert.ok(hasSymbolFilter);
      return names.filter(matchesSymbol);
    };
    assert.deepEqual(symbols('sym:parse'), names);
    assert.deepEqual(symbols('sym:parse*'), ['parseQuery', 'ParseError', 'parse']);
    assert.deepEqual(symbols('sym:Parse'), ['ParseError']);
    assert.deepEqual(symbols('sym:parseq sym:reparse'), ['parseQuery', 'reparse']);
    assert.deepEqual(symbols('-sym:parse?*'), ['reparse', 'parse', 'I/O parse']);
    assert.deepEqual(symbols('sym:i*parse'), ['I/O parse']);
  });

  it('gives beginnings and parts of all names that sym: accepts', () => {
    const prefixes = (query: string): readonly (readonly string[])[] => {
      const { wantedNames, excludedNames } = compileFilters(parseQueryLanguage(query).filters);
      return [wantedNames, excludedNames].map((bounds) => bounds.map(({ prefix }) => prefix));
    };
    assert.deepEqual(prefixes('sym:parse* -sym:Drop?'), [['parse'], ['Drop']]);
    assert.deepEqual(prefixes('sym:parse* sym:read_x{,y}'), [['parse', 'read'], []]);
    assert.deepEqual(prefixes('sym:parse* sym:read'), [[''], []]);
    assert.deepEqual(prefixes('-sym:*parse*'), [[], ['']]);
    const part = (query: string): unknown => compileFilters(parseQueryLanguage(query).filters).wantedNames[0]?.part;
    assert.deepEqual(['sym:read', 'sym:*_read?x', 'sym:[a]b*', 'sym:a sym:b'].map(part), ['read', '_read', '', '']);
  });

  it('gives the beginning of each name that sym: accepts, and a part, whatever its letters fold to', () => {
    // The long s and the sign of Kelvin fold to letters of ASCII; the dotted and the dotless i do not.
    const letter = fc.constantFrom(...Array.from('sSkKiIx_.ſ\u212aıİß'));
    const text = fc.array(letter, { minLength: 1, maxLength: 6 }).map((letters) => letters.join(''));
    const pattern = fc
      .tuple(
        fc.array(fc.constantFrom(...Array.from('sSkKiIx_')), { maxLength: 4 }),
        fc.constantFrom('x', '*', '?*', '[sx]*', '{s,x}*', '*s_x*', '\\*'),
      )
      .map(([letters, rest]) => letters.join('') + rest);
    fc.assert(
      fc.property(fc.array(pattern, { minLength: 1, maxLength: 2 }), fc.array(text), (patterns, names) => {
        const query = patterns.map((one) => `sym:${one}`).join(' ');
        const { matchesSymbol, wantedNames } = compileFilters(parseQueryLanguage(query).filters);
        for (const name of names.filter(matchesSymbol)) {
          const key = nameKey(name);
          const isRead = wantedNames.some(
            ({ prefix, part }) =>
              key.startsWith(nameKey(prefix)) && (/[^\0-\x7f]/.test(name) || key.includes(nameKey(part))),
          );
          assert.ok(isRead, `${query} reads ${name}`);
        }
      }),
      { numRuns: times(3000) },
    );
  });

  it('restricts documents to a path beside filters of paths', () => {
    const parsed = parseQueryLanguage('path:a path:b').filters;
    const { matchesDocument, hasDocumentFilter } = compileFilters(parsed, new Map(), 'src/in');
    assert.ok(hasDocumentFilter && compileFilters([], new Map(), 'src').hasDocumentFilter);
    const paths = ['src/in/a.ts', 'src/in/c.ts', 'src/inner/a.ts', 'b.ts', 'x/src/in/b.ts'];
    assert.deepEqual(
      paths.filter((path) => matchesDocument(path, 'ts')),
      ['src/in/a.ts'],
    );
    assert.ok(compileFilters([], new Map(), 'src/in/c.ts').matchesDocument('src/in/c.ts', 'ts'));
  });

  it('reports which kinds of filters are set', () => {
    const has = (query: string): boolean[] => {
      const { hasDocumentFilter, hasSymbolFilter } = compileFilters(parseQueryLanguage(query).filters);
      return [hasDocumentFilter, hasSymbolFilter];
    };
    assert.deepEqual(has('words'), [false, false]);
    assert.deepEqual(has('sym:x'), [false, true]);
    assert.deepEqual(has('-lang:c'), [true, false]);
  });

  it('decides like a naive model', () => {
    const segment = fc.constantFrom('a', 'b', 'ab', 'A.c', 'b.h', 'c');
    const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));
    const globSegment = fc.constantFrom('a', 'b', '*', '?', 'a*', '*.c', '*.?', '**', '*b*');
    const globPath = fc
      .tuple(fc.boolean(), fc.array(globSegment, { minLength: 1, maxLength: 4 }), fc.boolean())
      .map(([top, segments, folder]) => `${top ? '/' : ''}${segments.join('/')}${folder ? '/' : ''}`);
    const filter = fc
      .record<Pick<QueryFilter, 'field' | 'pattern' | 'exclude'>>({
        field: fc.constantFrom('path', 'file', 'lang', 'sym', 'changed'),
        pattern: fc.constant(''),
        exclude: fc.boolean(),
      })
      .chain((drawn) => {
        const pattern = {
          path: globPath,
          file: globSegment,
          lang: fc.constantFrom('c', 'cpp', 'go', 'c*'),
          sym: globSegment,
          changed: fc.constantFrom('', 'main', 'unknown'),
        };
        return pattern[drawn.field].map((text): QueryFilter => ({ ...drawn, pattern: text, start: 0, end: 1 }));
      });
    const language = fc.constantFrom('c', 'cpp', 'go');
    fc.assert(
      fc.property(fc.array(filter, { maxLength: 5 }), fc.array(fc.tuple(path, language)), (filters, documents) => {
        const changedPaths = new Map([
          ['', new Set(['a', 'a/b'])],
          ['main', new Set(['a', 'b', 'c'])],
        ]);
        const { matchesDocument, matchesSymbol } = compileFilters(filters, changedPaths);
        for (const [name, id] of documents) {
          const base = name.split('/').at(-1)!;
          const verdicts = filters.map(({ field, pattern, exclude }) => {
            const matches =
              field === 'changed'
                ? changedPaths.get(pattern)?.has(name)
                : field === 'path'
                  ? naivePath(pattern.toLowerCase(), name.toLowerCase())
                  : naiveName(pattern.toLowerCase(), (field === 'lang' ? id : base).toLowerCase(), field === 'lang');
            return { field, exclude, matches };
          });
          const passes = (fields: readonly string[]): boolean =>
            fields.every((field) => {
              const own = verdicts.filter((verdict) => verdict.field === field && verdict.matches !== undefined);
              const wanted = own.filter(({ exclude }) => !exclude);
              const isWanted = wanted.length === 0 || wanted.some(({ matches }) => matches);
              return isWanted && !own.some(({ exclude, matches }) => exclude && matches);
            });
          const said = `${JSON.stringify(filters)} on ${name} (${id})`;
          assert.equal(matchesDocument(name, id), passes(['path', 'file', 'lang', 'changed']), said);
          assert.equal(matchesSymbol(base.toLowerCase()), passes(['sym']), said);
        }
      }),
      { numRuns: times(3000) },
    );
  });
});

type Tuple8 = [string, string, string, string, string, string, string, string];

/** Matches by the text of docs/query-language.md, rule by rule, in the slowest way there is. */
function naivePath(pattern: string, path: string): boolean {
  const isTop = pattern.startsWith('/');
  const local = isTop ? pattern.slice(1) : pattern;
  if (!/[*?]/.test(local)) return isTop ? path.startsWith(local) : path.includes(local);
  const globs = local.endsWith('/') ? [`${local}**`] : [local];
  if (!/[*?]/.test(globs[0]!.split('/').at(-1)!)) globs.push(`${local}/**`);
  const tails = path.split('/').map((_, i, segments) => segments.slice(i));
  return globs.some((glob) => (isTop ? tails.slice(0, 1) : tails).some((tail) => naiveSegments(glob.split('/'), tail)));
}

function naiveSegments([glob, ...globs]: string[], segments: string[]): boolean {
  if (glob === undefined) return segments.length === 0;
  if (glob === '**') {
    // At the end it matches the content of a folder: at least one name.
    if (globs.length === 0) return segments.length > 0;
    return (
      naiveSegments(globs, segments) || (segments.length > 0 && naiveSegments([glob, ...globs], segments.slice(1)))
    );
  }
  return segments.length > 0 && naiveCharacters(glob, segments[0]!) && naiveSegments(globs, segments.slice(1));
}

function naiveCharacters(glob: string, text: string): boolean {
  if (glob === '') return text === '';
  if (glob.startsWith('*')) {
    return naiveCharacters(glob.slice(1), text) || (text !== '' && naiveCharacters(glob, text.slice(1)));
  }
  return (
    text !== '' &&
    (glob.startsWith('?') || text.startsWith(glob.charAt(0))) &&
    naiveCharacters(glob.slice(1), text.slice(1))
  );
}

function naiveName(pattern: string, name: string, isWhole: boolean): boolean {
  return isWhole || /[*?]/.test(pattern) ? naiveCharacters(pattern, name) : name.includes(pattern);
}
