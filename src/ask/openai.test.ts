import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import fc from 'fast-check';
import { times } from '../../test/support/runs.ts';
import { CompletionServer, answering, beginStream, event, piece } from '../../test/support/completionServer.ts';
import { until } from '../../test/support/until.ts';
import { SextantError } from '../base/errors.ts';
import { readCompletionStream } from './completions.ts';
import { nextActionOf } from './errors.ts';
import { openAiProvider, type OpenAiOptions } from './openai.ts';
import type { AnswerTask } from './provider.ts';

const KEY = 'sk-test-0123456789abcdef';
const TASK: AnswerTask = { question: 'why?', passages: [], messages: [{ role: 'user', content: 'why?' }] };

describe('The OpenAI-compatible provider', () => {
  let server: CompletionServer;
  beforeEach(async () => (server = await CompletionServer.start()));
  afterEach(() => server.stop());

  async function ask(options: Partial<OpenAiOptions> = {}, signal = new AbortController().signal): Promise<string[]> {
    const provider = openAiProvider({ baseUrl: server.url, model: 'test-model', ...options });
    const pieces: string[] = [];
    for await (const text of provider.answer(TASK, signal)) pieces.push(text);
    return pieces;
  }

  async function failure(options: Partial<OpenAiOptions> = {}): Promise<SextantError> {
    try {
      assert.fail(`It answered ${(await ask(options)).join('')}`);
    } catch (error) {
      assert.ok(error instanceof SextantError, String(error));
      return error;
    }
  }

  it('requests a stream, and yields each piece on arrival', async () => {
    let goOn = (): void => undefined;
    server.script = async (response) => {
      beginStream(response).write(piece('One'));
      await new Promise<void>((resolve) => (goOn = resolve));
      response.end(piece(' two', 'stop') + event('[DONE]'));
    };
    const provider = openAiProvider({ baseUrl: `${server.url}/`, model: ' test-model ', key: KEY });
    assert.deepEqual(provider.info, {
      id: 'openai:test-model',
      label: `test-model at ${new URL(server.url).host}`,
      isLocal: true,
    });
    const answer = provider.answer(TASK, new AbortController().signal)[Symbol.asyncIterator]();
    assert.equal((await answer.next()).value, 'One');
    goOn();
    assert.equal((await answer.next()).value, ' two');
    assert.equal((await answer.next()).done, true);
    const [request] = server.requests;
    assert.equal(request?.path, '/v1/chat/completions');
    assert.equal(request.headers.authorization, `Bearer ${KEY}`);
    assert.deepEqual(request.body, { model: 'test-model', messages: TASK.messages, stream: true });
    await until('the connection is closed', () => server.openConnections === 0);
  });

  it('sends no authorization without a key', async () => {
    server.script = answering('yes');
    assert.deepEqual(await ask(), ['yes']);
    assert.equal(server.requests[0]!.headers.authorization, undefined);
  });

  it('gives the same answer for any split of the bytes', async () => {
    const pieces = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(
        pieces,
        fc.array(fc.nat(400), { maxLength: 6 }),
        fc.constantFrom('\n', '\r\n'),
        async (texts, cuts, newline) => {
          const stream = `: hello${newline}${newline}${texts.map((text) => piece(text)).join('')}${piece('', 'stop')}`;
          const bytes = Buffer.from(stream.replaceAll('\n', newline).replaceAll('\r\r', '\r'));
          const at = [...new Set([...cuts.filter((cut) => cut < bytes.length), bytes.length])].sort((a, b) => a - b);
          server.script = async (response) => {
            beginStream(response);
            for (const [i, end] of at.entries()) {
              const part = bytes.subarray(at[i - 1] ?? 0, end);
              await new Promise<void>((resolve) => void response.write(part, () => setImmediate(resolve)));
            }
            response.end();
          };
          assert.equal((await ask()).join(''), texts.join(''));
        },
      ),
      { numRuns: times(40) },
    );
  });

  it('accepts the answer of a service that does not stream', async () => {
    server.script = (response) => {
      const choices = [{ index: 0, message: { role: 'assistant', content: 'All at once.' }, finish_reason: 'stop' }];
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ choices }));
    };
    assert.deepEqual(await ask(), ['All at once.']);
    const respond = (content: string) => (response: ServerResponse) => {
      const json = JSON.stringify({ choices: [{ message: { content } }] }).replaceAll('ü', '\\u00fc');
      response.writeHead(200, { 'content-type': 'application/json' }).end(json);
    };
    server.script = respond('ü'.repeat(100_000));
    assert.equal((await ask()).join('').length, 100_000);
    for (const length of [500_000, 2_000_000]) {
      server.script = respond('x'.repeat(length));
      assert.equal((await failure()).code, 'AnswerTooLong');
    }
  });

  it('skips events without text, and reports where the answer was cut off', async () => {
    server.script = (response) => {
      const role = event({ choices: [{ delta: { role: 'assistant', content: null } }] });
      const usage = event({ choices: [], usage: { total_tokens: 3 } });
      beginStream(response).end(`${role}: comment\n\n${piece('Half', 'length')}${usage}${event('[DONE]')}`);
    };
    assert.equal(
      (await ask()).join(''),
      'Half\n\n*The answer was cut off: the model came to the limit of its length.*',
    );
  });

  it('shows a refusal and text in parts, and skips parts with thoughts', async () => {
    server.script = (response) => {
      const refusal = event({ choices: [{ delta: { content: null, refusal: 'I cannot help with that.' } }] });
      beginStream(response).end(`${refusal}${piece('', 'stop')}${event('[DONE]')}`);
    };
    assert.deepEqual(await ask(), ['I cannot help with that.']);
    server.script = (response) => {
      const thoughts = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] };
      const parts = event({ choices: [{ delta: { content: [thoughts, { type: 'text', text: 'Yes.' }] } }] });
      beginStream(response).end(`${parts}${piece('', 'stop')}`);
    };
    assert.deepEqual(await ask(), ['Yes.']);
  });

  it('accepts an answer that is complete when its connection breaks', async () => {
    server.script = (response) => {
      beginStream(response).write(piece('All.', 'stop'), () => response.destroy());
    };
    assert.deepEqual(await ask(), ['All.']);
    server.script = (response) => void beginStream(response).write(piece('All.', 'stop'));
    assert.deepEqual(await ask({ stalledMs: 150 }), ['All.']);
  });

  it('does not wait for the end of a connection that stays open behind a complete answer', async () => {
    for (const more of ['', ': still here\n\n']) {
      let timer: NodeJS.Timeout | undefined;
      server.script = (response) => {
        beginStream(response).write(piece('All', 'stop') + piece(' of it.'));
        if (more !== '') timer = setInterval(() => response.write(more), 50);
      };
      assert.equal((await ask({ stalledMs: 3_600_000 })).join(''), 'All of it.');
      await until('the connection is closed', () => server.openConnections === 0);
      clearInterval(timer);
    }
  });

  it('leaves out thoughts that come as text or beside it, and reports an answer of thoughts alone', async () => {
    const beside = event({ choices: [{ delta: { content: '', reasoning_content: 'Hm.' } }] });
    server.script = (response) =>
      void beginStream(response).end(
        `${beside}${piece('<thi')}${piece('nk>Hm. [1]</think>\n\nYes.')}${piece('', 'stop')}`,
      );
    assert.equal((await ask()).join(''), 'Yes.');
    server.script = (response) => void beginStream(response).end(`${piece('<think>Hm.')}${piece('', 'stop')}`);
    assert.match((await failure({})).message, /sent an empty answer/);
    server.script = (response) => void beginStream(response).end(piece('<think>Hm.', 'length'));
    assert.match((await ask()).join(''), /^\s*\*The answer was cut off/);
  });

  it('distinguishes a service that stops sending from one that never starts', async () => {
    server.script = (response) => void beginStream(response).write(piece('One'));
    const stalled = await failure({ stalledMs: 150 });
    assert.equal(stalled.code, 'Stalled');
    server.script = () => undefined;
    const silent = await failure({ noAnswerMs: 150 });
    assert.deepEqual([silent.code, nextActionOf(silent)], ['NoAnswer', 'ask-again']);
    await until('the connections are closed', () => server.openConnections === 0);
  });

  it('stops a service that sends only pieces without text', async () => {
    const role = event({ choices: [{ delta: { role: 'assistant', content: '' } }] });
    for (const empty of [': still here\n\n', role, event({ choices: [] })]) {
      let timer: NodeJS.Timeout | undefined;
      server.script = (response) => {
        beginStream(response).write(piece('One'));
        timer = setInterval(() => response.write(empty), 20);
      };
      const { code, message } = await failure({ emptyMs: 150, stalledMs: 3_600_000 });
      clearInterval(timer);
      assert.equal(code, 'Stalled');
      assert.match(message, /sent no text for 0\.15 s/);
    }
    await until('the connections are closed', () => server.openConnections === 0);
  });

  it('waits for a model that thinks', async () => {
    let minutes = 0;
    const thoughts = [
      { reasoning_content: 'Hm.' },
      { content: '', reasoning: 'Hm.' },
      { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] },
    ];
    async function* body() {
      for (const delta of [...thoughts, ...thoughts]) {
        minutes += 6;
        yield event({ choices: [{ delta }] });
        minutes += 3;
        yield event({ choices: [{ delta: { role: 'assistant', content: '' } }] });
      }
      yield piece('Yes.', 'stop');
    }
    const answer: string[] = [];
    for await (const { text } of readCompletionStream(body(), 'a model', 10, () => minutes)) answer.push(text);
    assert.deepEqual(answer, ['Yes.']);
  });

  it('gives a remedy for each refusal, and never shows the key', async () => {
    const refusals: readonly [number, string, string, Readonly<Record<string, string>>?][] = [
      [401, 'KeyRefused', 'set-key'],
      [403, 'KeyRefused', 'set-key'],
      [404, 'NoSuchModel', 'open-settings'],
      [400, 'PromptRefused', 'open-settings'],
      [413, 'PromptRefused', 'open-settings'],
      [429, 'RateLimited', 'ask-again', { 'retry-after': '17' }],
      [500, 'ProviderFailed', 'ask-again'],
      [503, 'ProviderFailed', 'ask-again'],
    ];
    for (const [status, code, action, headers = {}] of refusals) {
      server.script = (response) => {
        const error = { message: `Not with ${KEY}\n\u001b[31mhere`, type: 'x' };
        response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify({ error }));
      };
      const refusal = await failure({ key: KEY });
      const { message } = refusal;
      assert.deepEqual([refusal.code, nextActionOf(refusal)], [code, action], String(status));
      assert.ok(!message.includes(KEY) && !message.includes('\u001b'), message);
      if (status === 429) assert.match(message, /17 s/);
      if (code === 'NoSuchModel') assert.match(message, /test-model.*“Not with <key> \[31mhere”/);
    }
    for (const [status, body, said] of [
      [400, [{ error: { code: 400, message: 'API key not valid' } }], /“API key not valid”/],
      [422, { detail: 'No such field' }, /“No such field”/],
      [403, { error: { message: 'Country not supported' } }, /\(status 403\) and says “Country not supported”/],
    ] as const) {
      server.script = (response) => response.writeHead(status).end(JSON.stringify(body));
      assert.match((await failure()).message, said);
    }
    server.script = (response) => response.writeHead(502).end('<html>Bad gateway</html>');
    assert.ok(!(await failure()).message.includes('html'));
  });

  it('follows no redirect, so that no other host gets key or question', async () => {
    const other = await CompletionServer.start();
    try {
      for (const status of [301, 302, 307, 308]) {
        server.script = (response) =>
          response.writeHead(status, { location: `${other.url}/chat/completions?a=1` }).end();
        const { code, message } = await failure({ key: KEY });
        assert.equal(code, 'Redirected');
        assert.ok(message.includes(new URL(other.url).origin));
      }
      assert.equal(other.requests.length, 0);
      assert.equal(other.openConnections, 0);
    } finally {
      await other.stop();
    }
  });

  it('reports a service of another kind by its response', async () => {
    const bodies: readonly [string, string][] = [
      ['text/event-stream', event('{"choices":[{"delta":{"content":"a"}}')],
      ['text/event-stream', event('[1]')],
      ['text/event-stream', event({ id: 1 })],
      ['text/event-stream', event({ choices: [{ delta: { content: 7 } }] })],
      ['text/event-stream', `data: ${'x'.repeat(1_100_000)}`],
      ['application/json', 'no json'],
      ['application/json', '{}'],
      ['text/html', '<html>Welcome</html>'],
    ];
    for (const [type, body] of bodies) {
      server.script = (response) => response.writeHead(200, { 'content-type': type }).end(body);
      assert.equal((await failure()).code, 'MalformedAnswer', body.slice(0, 60));
    }
    const raw = createServer((socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n')).listen(0, '127.0.0.1');
    await once(raw, 'listening');
    const { port } = raw.address() as AddressInfo;
    const code = failure({ baseUrl: `http://127.0.0.1:${port}` }).then((error) => error.code);
    assert.equal(await code.finally(() => raw.close()), 'MalformedAnswer');
  });

  it('does not accept half an answer as a whole one', async () => {
    server.script = (response) => beginStream(response).end(piece('Half'));
    assert.equal((await failure()).code, 'Interrupted');
    server.script = (response) => {
      beginStream(response).write(piece('Half'), () => response.destroy());
    };
    assert.equal((await failure()).code, 'Interrupted');
    server.script = (response) => {
      beginStream(response).write(piece('Half'), () => response.socket!.resetAndDestroy());
    };
    assert.equal((await failure()).code, 'Interrupted');
    server.script = (response) => beginStream(response).end(piece('Half', ''));
    assert.equal((await failure()).code, 'Interrupted');
    server.script = (response) => beginStream(response).end(piece('A') + event({ error: { message: 'overloaded' } }));
    const { code, message } = await failure();
    assert.equal(code, 'ProviderFailed');
    assert.match(message, /overloaded/);
    server.script = (response) => beginStream(response).end(piece('A', 'content_filter'));
    assert.equal((await failure()).code, 'ProviderFailed');
    server.script = answering('');
    assert.equal((await failure()).code, 'ProviderFailed');
  });

  it('stops an answer without end', async () => {
    server.script = (response) => {
      beginStream(response);
      const more = (): void => {
        while (response.writable && response.write(piece('x'.repeat(10_000))));
        if (response.writable) response.once('drain', more);
      };
      more();
    };
    assert.equal((await failure()).code, 'AnswerTooLong');
    await until('the connection is closed', () => server.openConnections === 0);
  });

  it('reports an unreachable service', async () => {
    const gone = await CompletionServer.start();
    const { url } = gone;
    await gone.stop();
    const { code, message } = await failure({ baseUrl: url });
    assert.equal(code, 'Unreachable');
    assert.ok(message.includes(new URL(url).host));
  });

  it('ends the request on cancellation, or when the consumer stops reading', async () => {
    server.script = (response) => void beginStream(response).write(piece('One'));
    const controller = new AbortController();
    const provider = openAiProvider({ baseUrl: server.url, model: 'm' });
    const cancelled = async (): Promise<void> => {
      for await (const _ of provider.answer(TASK, controller.signal)) controller.abort();
    };
    await assert.rejects(cancelled(), { code: 'Cancelled' });
    await until('the connection is closed', () => server.openConnections === 0);
    for await (const _ of provider.answer(TASK, new AbortController().signal)) break;
    await until('the connection is closed', () => server.openConnections === 0);
  });

  it('sends a key over https or to this machine alone, and refuses deceptive addresses', () => {
    const make = (baseUrl: string, key?: string): unknown =>
      openAiProvider({ baseUrl, model: 'm', ...(key !== undefined && { key }) });
    assert.throws(() => make('http://models.example.com/v1', KEY), { code: 'InsecureAddress' });
    assert.throws(() => make('http://127.0.0.1.example.com/v1', KEY), { code: 'InsecureAddress' });
    for (const url of ['ftp://a.b', 'a.b/v1', 'https://u:p@a.b', 'https://a.b?x=1', 'https://a.b/#x', 'file:///etc'])
      assert.throws(() => make(url), { code: 'InvalidAddress' });
    assert.throws(() => make(' '), { code: 'NotConfigured' });
    assert.throws(() => openAiProvider({ baseUrl: 'https://a.b', model: ' ' }), { code: 'NotConfigured' });
    for (const url of ['http://localhost:1', 'http://[::1]:1', 'http://127.0.0.1:1', 'https://a.b']) make(url, KEY);
    make('http://192.168.1.7:11434/v1');
  });
});
