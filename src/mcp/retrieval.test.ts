import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceByEarlierVersion } from '../../test/support/indexFiles.ts';
import { indexedFolder } from '../../test/support/indexedFolder.ts';
import { temporaryFolder, writeFiles } from '../../test/support/temporary.ts';
import { indexFolderOf, type FolderOptions } from '../workspace/folderOptions.ts';
import { retrieveText } from './retrieval.ts';

const LEFT_OUT = /^1 file that matches is left out: /;

describe('Retrieval for agents', () => {
  const folder = temporaryFolder();
  const index = indexedFolder();

  async function indexed(files: Readonly<Record<string, string>>): Promise<{
    root: string;
    others: FolderOptions[];
    retrieve: (query: string, maxLength?: number) => Promise<string>;
  }> {
    const root = folder();
    writeFiles(root, files);
    const { options, searcher } = await index(root);
    const others: FolderOptions[] = [];
    const { signal } = new AbortController();
    const parts = {
      search: (request: Parameters<Parameters<typeof retrieveText>[2]['search']>[0]) =>
        searcher.search({ ...request, folders: [options, ...others] }, signal),
      usages: (request: { readonly name: string }) =>
        searcher.usages({ ...request, folders: [options, ...others] }, signal),
      read: (_root: string, path: string) => Promise.resolve(searcher.read(options, path)),
      shown: [{ root, prefix: '' }],
    };
    return { root, others, retrieve: (query, maxLength = 20_000) => retrieveText(query, maxLength, parts, signal) };
  }

  it('finds a name in tests, also one that is a word for tests', async () => {
    const { retrieve } = await indexed({
      'test/support.ts': 'export function spec(title: string): string {\n  return title;\n}\n',
    });
    assert.match(await retrieve('spec'), /Path: test\/support\.ts/);
  });

  it('counts a file that cannot be shown once, also if the request is about tests', async () => {
    const { root, retrieve } = await indexed({
      'src/order.ts': 'export function cancelOrder(): void {\n  refund();\n}\n',
      'test/order.test.ts': "it('cancels an order', () => {\n  cancelOrder();\n});\n",
    });
    rmSync(join(root, 'test/order.test.ts'));
    assert.match(await retrieve('cancel an order'), LEFT_OUT);
    assert.match(await retrieve('how is it tested that an order can be cancelled?'), LEFT_OUT);
  });

  it('names a folder that is not searched, once', async () => {
    const { retrieve, others } = await indexed({ 'order.ts': 'export function cancelOrder(): void {}\n' });
    const { options } = await index(folder());
    replaceByEarlierVersion(indexFolderOf(options.stateFolder));
    others.push(options);
    const [first, ...rest] = (await retrieve('how is an order cancelled')).split('\n');
    assert.ok(
      first!.startsWith(`${options.root} is not searched: another version of Sextant wrote its index. `),
      first,
    );
    assert.match(rest.join('\n'), /cancelOrder/);
    assert.doesNotMatch(rest.join('\n'), /not searched/);
  });

  it('keeps within the requested length, with the line on files that cannot be shown', async () => {
    const body = '  refund();\n'.repeat(30);
    const { root, retrieve } = await indexed({
      'src/order.ts': `export function cancelOrder(): void {\n${body}}\n`,
      'test/order.test.ts': "it('cancels an order', () => {\n  cancelOrder();\n});\n",
    });
    rmSync(join(root, 'test/order.test.ts'));
    const text = await retrieve('cancel an order', 300);
    assert.match(text, LEFT_OUT);
    assert.match(text, /export function cancelOrder/);
    assert.ok(text.length <= 300, text);
  });
});
