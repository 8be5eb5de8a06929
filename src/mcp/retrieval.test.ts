import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { indexedFolder } from '../../test/support/indexedFolder.ts';
import { temporaryFolder, writeFiles } from '../../test/support/temporary.ts';
import { retrieveText } from './retrieval.ts';

describe('Retrieval for agents', () => {
  const folder = temporaryFolder();
  const index = indexedFolder();

  async function indexed(
    files: Readonly<Record<string, string>>,
  ): Promise<{ root: string; retrieve: (query: string) => ReturnType<typeof retrieveText> }> {
    const root = folder();
    writeFiles(root, files);
    const { options, searcher } = await index(root);
    const { signal } = new AbortController();
    const parts = {
      search: (request: Parameters<Parameters<typeof retrieveText>[2]['search']>[0]) =>
        searcher.search({ ...request, folders: [options] }, signal),
      usages: (request: { readonly name: string }) => searcher.usages({ ...request, folders: [options] }, signal),
      read: (_root: string, path: string) => Promise.resolve(searcher.read(options, path)),
      shown: [{ root, prefix: '' }],
    };
    return { root, retrieve: (query) => retrieveText(query, 20_000, parts, signal) };
  }

  it('finds a name in tests, also one that is a word for tests', async () => {
    const { retrieve } = await indexed({
      'test/support.ts': 'export function spec(title: string): string {\n  return title;\n}\n',
    });
    assert.match((await retrieve('spec')).text, /Path: test\/support\.ts/);
  });

  it('counts a file that cannot be shown once, also if the request is about tests', async () => {
    const { root, retrieve } = await indexed({
      'src/order.ts': 'export function cancelOrder(): void {\n  refund();\n}\n',
      'test/order.test.ts': "it('cancels an order', () => {\n  cancelOrder();\n});\n",
    });
    rmSync(join(root, 'test/order.test.ts'));
    assert.equal((await retrieve('cancel an order')).leftOut, 1);
    assert.equal((await retrieve('how is it tested that an order can be cancelled?')).leftOut, 1);
  });
});
