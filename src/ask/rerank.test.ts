import assert from 'node:assert/strict';
import fc from 'fast-check';
import { runs } from '../../test/support/runs.ts';
import { SextantError } from '../base/errors.ts';
import { CompletionServer, answering } from '../../test/support/completionServer.ts';
import type { Passage } from './answer.ts';
import { openAiProvider } from './openai.ts';
import type { AnswerProvider } from './provider.ts';
import { inOrder, rerank, RERANKED } from './rerank.ts';

const passages = (count: number): Passage[] =>
  Array.from({ length: count }, (_, i) => ({
    number: i + 1,
    root: '/shop',
    path: `src/${i}.ts`,
    language: 'typescript',
    startLine: 1,
    endLine: 2,
    text: `function f${i}() {\n}`,
    ...(i > 0 && { calledBy: 1 }),
  }));
/** Never settles. */
const STALLED = new Promise<never>(() => undefined);
const signal = new AbortController().signal;

function model(answer: () => AsyncIterable<string>): AnswerProvider {
  return { info: { id: 'x', label: 'X', isLocal: true }, budget: { tokens: 20_000 }, answer };
}

describe('Reranking with a model', () => {
  let server: CompletionServer;

  before(async () => {
    server = await CompletionServer.start();
  });

  after(() => server.stop());

  it('puts the passages that the model names first, through a service with chat completions', async () => {
    server.script = answering('3, 1');
    const provider = openAiProvider({ baseUrl: server.url, model: 'qwen' });
    const { order, reranking } = await rerank('how?', passages(4), provider, signal);
    assert.deepEqual(order, [2, 0, 1, 3]);
    assert.equal(reranking.failure, undefined);
    const { messages } = server.requests.at(-1)!.body;
    assert.match(messages[0]!.content, /Write only the numbers/);
    assert.match(messages.at(-1)!.content, /function f3/);
    assert.equal(messages.reduce((sum, { content }) => sum + content.length, 0), reranking.sent.characters); // oxfmt-ignore
    assert.equal(reranking.sent.files, 4);
  });

  it('keeps the order of the search, and reports why, if the service fails', async () => {
    server.script = (response) => response.writeHead(503).end('busy');
    const provider = openAiProvider({ baseUrl: server.url, model: 'qwen' });
    const { order, reranking } = await rerank('how?', passages(3), provider, signal);
    assert.deepEqual(order, [0, 1, 2]);
    assert.match(reranking.failure!, /503/);
  });

  it('does not wait for a slow model, even one that cannot be stopped', async () => {
    const silent = model(() => ({ [Symbol.asyncIterator]: () => ({ next: () => STALLED }) }));
    const { order, reranking } = await rerank('how?', passages(3), silent, signal, 30);
    assert.deepEqual(order, [0, 1, 2]);
    assert.match(reranking.failure!, /longer than/);
  });

  it('ends with the cancellation of its caller', async () => {
    const controller = new AbortController();
    const stopping = model(async function* () {
      controller.abort();
      yield await Promise.resolve('1');
    });
    await assert.rejects(rerank('how?', passages(2), stopping, controller.signal), { code: 'Cancelled' });
  });

  it('never loses, repeats or invents a passage, whatever the model does', async () => {
    const piece = fc.oneof(fc.string(), fc.constantFrom('1', ', 2', '[3]', '99', '-1', '0', '1e9', '007', '\n20 21'));
    const ending = fc.constantFrom('ends', 'fails', 'stalls', 'never ends');
    await fc.assert(
      fc.asyncProperty(fc.nat(30), fc.array(piece, { maxLength: 6 }), ending, async (count, pieces, end) => {
        const lying = model(async function* () {
          yield* pieces;
          if (end === 'fails') throw new SextantError('Broken', 'It broke.');
          if (end === 'stalls') await STALLED;
          while (end === 'never ends') yield await Promise.resolve('1 ');
        });
        const given = passages(count);
        const { order, reranking } = await rerank('how?', given, lying, signal, 20);
        assert.deepEqual([...order].sort((a, b) => a - b), given.map((_, i) => i)); // oxfmt-ignore
        if (reranking.failure !== undefined) assert.deepEqual(order, given.map((_, i) => i)); // oxfmt-ignore
        // What the model did not receive stays behind, in its order.
        assert.deepEqual(order.filter((index) => index >= RERANKED), given.slice(RERANKED).map((_, i) => RERANKED + i)); // oxfmt-ignore
        const ordered = inOrder(given, order);
        assert.deepEqual(ordered.map(({ number }) => number), given.map((_, i) => i + 1)); // oxfmt-ignore
        for (const { calledBy } of ordered)
          assert.ok(calledBy === undefined || ordered[calledBy - 1]!.path === 'src/0.ts');
      }),
      { numRuns: runs(60) },
    );
  });
});
