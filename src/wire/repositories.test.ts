import assert from 'node:assert/strict';
import fc from 'fast-check';
import { times } from '../../test/support/runs.ts';
import {
  forgeUrl,
  isRepositoryName,
  isRepositoryPattern,
  isUrlTemplate,
  matchesRepository,
  repositoryRequests,
  repositoryResponses,
  splitRepositoryQuery,
} from './repositories.ts';

const letters = fc.string({ unit: fc.constantFrom('a', 'b', '-', '.', '/', '*'), maxLength: 12 });

describe('names of repositories', () => {
  it('allow parts between slashes, and nothing that leaves a folder or a line', () => {
    for (const name of ['payments', 'acme/payments', 'acme/pay.ments-2_x', 'payments@2.x', 'c++'])
      assert.ok(isRepositoryName(name), name);
    const wrong = [
      '',
      '/',
      'a/',
      '/a',
      'a//b',
      '..',
      'a/../b',
      '.git',
      'a b',
      'a\nb',
      'a*',
      'a\\b',
      'é',
      'x'.repeat(201),
    ];
    for (const name of wrong) assert.ok(!isRepositoryName(name), JSON.stringify(name));
  });

  it('match patterns as a regular expression does in which * is .*', () => {
    fc.assert(
      fc.property(letters, letters, (name, pattern) => {
        const source = pattern.replaceAll('.', String.raw`\.`).replaceAll(/\*+/g, '.*');
        assert.equal(matchesRepository(name, [pattern]), new RegExp(`^${source}$`).test(name));
      }),
      { numRuns: times(2_000) },
    );
  });

  it('match a pattern of a thousand stars at once', () => {
    assert.ok(!matchesRepository('a'.repeat(200), [`${'*a'.repeat(1_000)}b`]));
    assert.ok(!isRepositoryPattern('*'.repeat(201)));
  });
});

describe('addresses on a forge', () => {
  const template = 'https://git.example.com/pay/blob/{ref}/{path}#L{line}';

  it('escape what stands in them', () => {
    const url = forgeUrl(template, { ref: 'release/2 x', path: 'src/a b#?.ts', line: 7 });
    assert.equal(url, 'https://git.example.com/pay/blob/release/2%20x/src/a%20b%23%3F.ts#L7');
    assert.equal(forgeUrl('https://x/{path}', { ref: '', path: '{line}/$&', line: 1 }), 'https://x/%7Bline%7D/%24%26');
  });

  it('are https or http without a user, and have a path', () => {
    assert.ok(isUrlTemplate(template));
    for (const wrong of [
      'https://x/',
      'javascript:alert({path})',
      'file:///{path}',
      'https://u:p@x/{path}',
      'https://x/{path}/{other}',
      '{path}',
      'https://x/ {path}',
    ])
      assert.ok(!isUrlTemplate(wrong), wrong);
  });
});

describe('a request for a file of a repository', () => {
  it('is refused with the name of its field', () => {
    const [issue] = repositoryRequests.file.safeParse({ blob_name: 'x' }).error?.issues ?? [];
    assert.equal(issue?.message, 'repository must be a string');
  });
});

describe('an answer with results of repositories', () => {
  const place = { start_line: 3, end_line: 4, symbol: null, text: 'retry()' };
  const result = {
    ...{
      repositories: ['acme/pay'],
      repository_count: 1,
      blob_name: 'a'.repeat(64),
      path: 'src/pay.ts',
      language: 'typescript',
    },
    ...{ score: 1, places: [place], alike: 0, url: 'https://git.example.com/pay/blob/main/src/pay.ts#L3' },
  };
  const isRead = (changes: object): boolean =>
    repositoryResponses.search.safeParse({ results: [{ ...result, ...changes }], searched: 1, problems: [] }).success;

  it('is read only with a repository, a place, lines of a file, and links to the web', () => {
    for (const right of [{}, { url: null }, { url: 'HTTP://git/x' }]) assert.ok(isRead(right), JSON.stringify(right));
    const line = { name: 'retry', kind: 'function', line: 0, start_line: 3, end_line: 4 };
    for (const wrong of [
      { repositories: [] },
      { places: [] },
      { places: [{ ...place, start_line: -3 }] },
      { places: [{ ...place, end_line: 4.5 }] },
      { places: [{ ...place, symbol: line }] },
      { blob_name: '../../x?y' },
      { url: 'command:workbench.action.quit' },
      { url: 'file:///etc/passwd' },
    ])
      assert.ok(!isRead(wrong), JSON.stringify(wrong));
  });
});

describe('filters of repositories in a query', () => {
  it('are taken out of it, but not out of quotes and names', () => {
    assert.deepEqual(splitRepositoryQuery('retry repo:acme/* -repo:acme/old lang:ts'), {
      query: 'retry   lang:ts',
      only: ['acme/*'],
      without: ['acme/old'],
    });
    for (const query of ['"repo:a b"', 'myrepo:a', 'repo: a', '"open repo:x'])
      assert.deepEqual(splitRepositoryQuery(query), { query, only: [], without: [] });
  });
});
