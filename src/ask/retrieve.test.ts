import assert from 'node:assert/strict';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { documentId } from '../engine/documentId.ts';
import { Engine } from '../engine/engine.ts';
import { retrievePassages } from './retrieve.ts';

describe('Retrieval for questions', () => {
  const folder = temporaryFolder();
  const { signal } = new AbortController();

  it('gives a model the tests in all files, if the question asks for tests', async () => {
    const tests = Array.from({ length: 9 }, (_, i) => `test/order${i}.test.ts`);
    const texts = new Map(
      [...tests, 'src/order.ts'].map((path, i) => [
        path,
        `it('cancels an order ${i}', () => {\n  const order = place(${i});\n  order.cancel();\n  assert(order.isCancelled);\n});\n`,
      ]),
    );
    const engine = Engine.open(folder());
    try {
      await engine.apply({
        add: [...texts].map(([path, text]) => ({
          id: documentId(path, Buffer.from(text)),
          path,
          content: Buffer.from(text),
        })),
      });
      const sources = {
        search: async (query: string, limit: number) =>
          (await engine.search(query, { limit })).map((hit) => ({ root: '/shop', ...hit })),
        read: (_root: string, path: string) => Promise.resolve(texts.get(path)),
      };
      const limit = { passages: Infinity, tokens: 10_000 };
      const passages = await retrievePassages(
        'How is it tested that orders are cancelled?',
        [],
        limit,
        sources,
        signal,
      );
      const found = new Set(passages.map(({ path }) => path));
      assert.deepEqual(
        tests.filter((path) => !found.has(path)),
        [],
      );
    } finally {
      await engine.close();
    }
  });
});
