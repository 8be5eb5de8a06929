import assert from 'node:assert/strict';
import { openAiProvider } from '../../src/ask/openai.ts';
import type { AnswerProvider } from '../../src/ask/provider.ts';
import { DirectContext } from '../../src/context/directContext.ts';
import { SextantServer } from '../../src/server/server.ts';
import { PATHS } from '../../src/wire/contract.ts';
import { APIError } from '../../src/wire/errors.ts';
import { describeProtocol } from '../support/protocolSuite.ts';
import { CompletionServer, answering, beginStream, event, piece } from '../support/completionServer.ts';
import { until } from '../support/until.ts';

describe('the index, search and ask protocol', () => {
  describeProtocol();

  describe('of a model', () => {
    it('answers 422 if a model is needed, passages if it is not, and 403 to a token without permission', async () => {
      await using other = await SextantServer.start({ port: 0 }).then((one) => ({
        one,
        [Symbol.asyncDispose]: () => one.close(),
      }));
      const { one } = other;
      const ask = async (token: string): Promise<[number, string]> => {
        const response = await fetch(`${one.url}${PATHS.chatStream}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: '{"message":"x"}',
        });
        return [response.status, ((await response.json()) as { error: { code: string } }).error.code];
      };
      assert.deepEqual(await ask(one.token), [422, 'NoModel']);
      const { token } = await one.createToken('reader', ['analytics:read']);
      assert.deepEqual(await ask(token), [403, 'PermissionDenied']);
      // Passages of the prompt can be shown without a model, and the answer states that.
      await using context = await DirectContext.create({ apiKey: one.token, apiUrl: one.url });
      await context.addToIndex([
        { path: 'retry.ts', contents: '/** Payments are tried again. */\nexport function retryPayment() {}\n' },
        { path: 'other.ts', contents: 'export const unrelated = 1;\n' },
      ]);
      const answer = await context.searchAndAsk('retry payment', 'When are payments tried again?');
      assert.match(answer, /^No AI model used\./);
      assert.match(
        answer,
        /`retry\.ts:1-2`\*\* \[1\]\n\n```typescript\n\/\*\* Payments are tried again\. \*\/\nexport/,
      );
      assert.doesNotMatch(answer, /unrelated/);
      assert.match(await context.searchAndAsk('zebra'), /^No AI model used, and no result answers this/);
    });

    it('answers with the configured model, whose refusals become 4xx', async () => {
      const model = await CompletionServer.start();
      const provider = openAiProvider({ baseUrl: model.url, model: 'm' });
      const one = await SextantServer.start({ port: 0, context: { provider } });
      try {
        await using context = await DirectContext.create({ apiKey: one.token, apiUrl: one.url });
        await context.addToIndex([{ path: 'a.ts', contents: 'export const nightingale = 1;\n' }]);
        model.script = answering('It ', 'is 1.');
        assert.equal(await context.searchAndAsk('nightingale', 'What is it?'), 'It is 1.');
        const [sent] = model.requests[0]!.body.messages;
        assert.match(sent!.content, /^Relevant context:\n[^]*nightingale = 1;\n\nWhat is it\?$/);
        for (const [status, expected] of [
          [401, 422],
          [404, 422],
          [500, 422],
        ] as const) {
          model.script = (response) => response.writeHead(status).end('{}');
          model.requests.length = 0;
          const refused = context.searchAndAsk('nightingale');
          await assert.rejects(refused, (error) => error instanceof APIError && error.status === expected);
          assert.equal(model.requests.length, 1, 'it is not asked again');
        }
      } finally {
        await one.close();
        await model.stop();
      }
    });

    it('passes on the delay that a model requests, and names one if it does not', async () => {
      const model = await CompletionServer.start();
      const provider = openAiProvider({ baseUrl: model.url, model: 'm' });
      const one = await SextantServer.start({ port: 0, context: { provider } });
      try {
        for (const [headers, expected] of [
          [{ 'retry-after': '17' }, '17'],
          [{}, '10'],
        ] as const) {
          model.script = (response) => response.writeHead(429, headers).end('{}');
          const { status, headers: answered } = await fetch(`${one.url}${PATHS.chatStream}`, {
            method: 'POST',
            headers: { authorization: `Bearer ${one.token}`, 'content-type': 'application/json' },
            body: '{"message":"x"}',
          });
          assert.deepEqual([status, answered.get('retry-after')], [429, expected]);
        }
      } finally {
        await one.close();
        await model.stop();
      }
    });

    describe('while a model answers', () => {
      let model: CompletionServer;
      let one: SextantServer;
      const start = async (provider: AnswerProvider, idleMs?: number): Promise<void> => {
        one = await SextantServer.start(
          { port: 0, context: { provider } },
          idleMs === undefined ? {} : { timeouts: { idleMs } },
        );
      };
      before(async () => void (model = await CompletionServer.start()));
      after(() => model.stop());
      afterEach(() => one.close());

      const ask = (signal = new AbortController().signal): Promise<Response> =>
        fetch(`${one.url}${PATHS.chatStream}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${one.token}`, 'content-type': 'application/json' },
          body: '{"message":"x"}',
          signal,
        });
      async function* parts({ body }: Response): AsyncGenerator<string> {
        for await (const chunk of body!) yield Buffer.from(chunk).toString();
      }

      it('sends each piece at once, however late the first is', async () => {
        await start(openAiProvider({ baseUrl: model.url, model: 'm' }), 200);
        let goOn = (): void => undefined;
        const seen = new Promise<void>((resolve) => (goOn = resolve));
        model.script = async (response) => {
          // Longer than the limit for idle connections.
          await new Promise((resolve) => setTimeout(resolve, 700));
          beginStream(response).write(piece('first'));
          await seen;
          response.end(piece('second', 'stop') + event('[DONE]'));
        };
        const answer = parts(await ask());
        assert.equal((await answer.next()).value, '{"text":"first"}\n');
        goOn();
        assert.equal((await answer.next()).value, '{"text":"second"}\n');
        assert.equal((await answer.next()).done, true);
      });

      it('breaks the connection if the answer breaks off', async () => {
        await start(openAiProvider({ baseUrl: model.url, model: 'm' }));
        model.script = (response) => beginStream(response).write(piece('first'), () => response.destroy());
        const answer = parts(await ask());
        assert.equal((await answer.next()).value, '{"text":"first"}\n');
        await assert.rejects(answer.next());
      });

      it('stops the model when the client disconnects, before the first piece and after it', async () => {
        await start(openAiProvider({ baseUrl: model.url, model: 'm' }));
        const stopped = (): Promise<true> => until('the model is let go', () => model.openConnections === 0);
        const early = new AbortController();
        model.script = () => early.abort();
        await assert.rejects(ask(early.signal));
        await stopped();

        const late = new AbortController();
        model.script = (response) => beginStream(response).write(piece('first'));
        const answer = parts(await ask(late.signal));
        await answer.next();
        assert.equal(model.openConnections, 1);
        late.abort();
        await assert.rejects(answer.next());
        await stopped();
      });

      it('reads no more from the model than the client reads', async () => {
        const [pieces, length] = [500, 65_536];
        let taken = 0;
        await start({
          info: { id: 'long', label: 'Long', isLocal: true },
          async *answer() {
            for (; taken < pieces; taken++) yield await Promise.resolve('x'.repeat(length));
          },
        });
        const response = await ask();
        let before = -1;
        await until('no more is taken', async () => {
          before = taken;
          await new Promise((resolve) => setTimeout(resolve, 200));
          return taken === before;
        });
        assert.ok(taken < pieces, `${taken} pieces were taken`);
        const text = await response.text();
        assert.equal(taken, pieces);
        assert.equal(text.length, pieces * (length + '{"text":""}\n'.length));
      });
    });
  });
});
