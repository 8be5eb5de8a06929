import assert from 'node:assert/strict';
import { compileFilters } from '../engine/query/filters.ts';
import { parseQueryLanguage } from '../engine/query/queryLanguage.ts';
import { partsOf, setKind, toggleChanged, toggleFolder, toggleLanguage, toggleSymbol } from './queryEditing.ts';

describe('Changes of a query by buttons', () => {
  const PATHS = [
    'src/net/send.ts',
    'src/net/send.test.ts',
    'src/latest.ts',
    'test/support.ts',
    'worker/queue_test.go',
    'app/src/test/java/OrderTest.java',
    'docs/send.md',
    'README.md',
  ];
  const matching = (query: string): string[] => {
    const { problems, filters } = parseQueryLanguage(query);
    assert.deepEqual(problems, []);
    const { matchesDocument } = compileFilters(filters);
    return PATHS.filter((path) => matchesDocument(path, ''));
  };

  it('finds source, tests and documents', () => {
    assert.deepEqual(matching(setKind('send', 'tests')), [PATHS[1], PATHS[3], PATHS[4], PATHS[5]]);
    assert.deepEqual(matching(setKind('send', 'docs')), [PATHS[6], PATHS[7]]);
    assert.deepEqual(matching(setKind('send', 'source')), [PATHS[0], PATHS[2]]);
  });

  it('combines a kind with folders, in any order', () => {
    const query = setKind(toggleFolder('send', '/src/'), 'tests');
    assert.equal(toggleFolder(setKind('send', 'tests'), '/src/'), query);
    assert.deepEqual(matching(query), [PATHS[1]]);
    assert.deepEqual(matching(toggleFolder(query, '/test/')), [PATHS[1], PATHS[3]]);
    assert.deepEqual(partsOf(query), {
      languages: [],
      folders: ['/src/'],
      kind: 'tests',
      isChanged: false,
      isSymbol: false,
    });
    assert.equal(setKind(query, null), 'send path:/src/');
  });

  it('undoes each change, and keeps what was typed', () => {
    const typed = 'send "a phrase" -path:vendor lang:go';
    const changes = [
      (query: string) => toggleLanguage(query, 'c'),
      (query: string) => toggleFolder(query, '/my docs/'),
      toggleChanged,
    ];
    for (const change of changes) {
      assert.notEqual(change(typed), typed);
      assert.equal(change(change(typed)), typed);
    }
    for (const kind of ['source', 'tests', 'docs'] as const) {
      assert.equal(partsOf(setKind(typed, kind)).kind, kind);
      assert.equal(setKind(setKind(typed, kind), null), typed);
    }
    assert.deepEqual(partsOf(toggleFolder(typed, '/my docs/')).folders, ['/my docs/']);
    assert.deepEqual(partsOf(toggleLanguage(typed, 'c')).languages, ['go', 'c']);
  });

  it('turns words into a name and back', () => {
    assert.equal(toggleSymbol('sendFile lang:ts'), 'sym:sendFile lang:ts');
    assert.equal(toggleSymbol('retry delay -test'), 'sym:*retry*delay* -test');
    assert.equal(toggleSymbol('sym:*retry*delay* lang:ts'), 'retry delay lang:ts');
    assert.equal(toggleSymbol('lang:ts'), 'lang:ts sym:');
  });
});
