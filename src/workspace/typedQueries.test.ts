import assert from 'node:assert/strict';
import { temporaryFolder, writeFiles } from '../../test/support/temporary.ts';
import { silentLogger } from '../base/log.ts';
import { FolderIndex } from './folderIndex.ts';
import { MAX_FILE_BYTES } from './folderOptions.ts';
import { Searcher, type SearchFolder, type SearchResponse } from './searcher.ts';

const filler = Array.from({ length: 40 }, (_, i) => `const filler${i} = ${i};`).join('\n');

describe('Searcher with typed and pasted text', () => {
  const folder = temporaryFolder();
  let place: SearchFolder;

  before(async () => {
    place = { root: folder(), stateFolder: folder() };
    writeFiles(place.root, {
      'src/server/relay.ts': `${filler}\nfunction receiveMessage(text: string) {\n  return relayed.get(text);\n}\n`,
      'src/client/relay.ts': `${filler}\nfunction sendMessage() {}\n`,
      'lib/lantern.py':
        'import os\n\n\ndef light(lantern):\n    """Lights the lantern."""\n    return os.kindle(lantern)\n',
      'harbour.md': '# Harbour\n\nThe lantern says "kindle" at night.\n',
    });
    const edges = { logger: silentLogger, now: () => Date.now() + 60_000, onStatus: () => undefined };
    const index = FolderIndex.open({ ...place, exclude: [], maxFileBytes: MAX_FILE_BYTES }, edges);
    await index.reconcile();
    await index.close();
  });

  async function search(query: string): Promise<SearchResponse> {
    const searcher = new Searcher();
    try {
      return await searcher.search({ folders: [place], query, limit: 10 });
    } finally {
      searcher.close();
    }
  }

  async function first(query: string): Promise<string | undefined> {
    const [result] = (await search(query)).results;
    return result && `${result.path}:${result.line}`;
  }

  it('goes to the file and line of a pasted frame', async () => {
    assert.equal(await first('at receiveMessage (/app/src/server/relay.ts:42:10)'), 'src/server/relay.ts:42');
    assert.equal(await first('File "/srv/lib/lantern.py", line 6, in light'), 'lib/lantern.py:6');
    assert.equal(await first('client/relay.ts:7'), 'src/client/relay.ts:7');
    assert.equal(await first('relay.ts:41'), 'src/client/relay.ts:41');
    assert.equal(
      await first('client/relay.ts:999'),
      'src/client/relay.ts:41',
      'the last line of a file that is shorter',
    );
  });

  it('takes an unknown word for the nearest indexed one, and reports it', async () => {
    const { results, problems } = await search('recieve mesage');
    assert.equal(results[0]?.path, 'src/server/relay.ts');
    assert.deepEqual(
      problems.map(({ code, start, end, message }) => [code, start, end, message]),
      [
        ['CorrectedWord', 0, 7, 'No file has “recieve”. Showing results for “receive”.'],
        ['CorrectedWord', 8, 14, 'No file has “mesage”. Showing results for “message”.'],
      ],
    );
    assert.deepEqual((await search('receive message')).problems, []);
    assert.deepEqual((await search('receiveMess')).problems, [], 'half a name is no mistake');
    const { results: matching, problems: none } = await search('/(recieve|receive)Message/');
    assert.deepEqual([matching[0]?.path, none], ['src/server/relay.ts', []], 'an expression is as it is meant');
    const path = await search('server rela');
    assert.deepEqual([path.results[0]?.path, path.problems], ['src/server/relay.ts', []], 'nor is a part of a path');
  });

  it('shows the results for the words of a phrase that nothing contains', async () => {
    const { results, problems } = await search('"kindle the lantern"');
    assert.deepEqual(results.map(({ path }) => path).sort(), ['harbour.md', 'lib/lantern.py']);
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['PhraseNotFound'],
    );
    const found = await search('"return relayed.get"');
    assert.deepEqual([found.results.length, found.problems], [1, []]);
  });

  it('finds the matches of an expression, in the middle of words as well', async () => {
    assert.equal(await first('/eive\\w+\\(text/'), 'src/server/relay.ts:41');
    assert.deepEqual((await search('/filler3\\d/')).results.map(({ path, line }) => `${path}:${line}`).sort(), [
      'src/client/relay.ts:31',
      'src/server/relay.ts:31',
    ]);
    assert.deepEqual((await search('/no+thing/')).results, []);
    assert.equal(await first('lantern -/kin[d]le at/'), 'lib/lantern.py:4');
    const [result] = (await search('/relayed\\.\\w+/')).results;
    assert.deepEqual(
      result?.ranges.map(({ start, end }) => result.text.slice(start, end)),
      ['relayed.get'],
    );
  });
});
