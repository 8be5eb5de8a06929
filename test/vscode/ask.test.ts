import * as assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Answer } from '../../src/ask/answer.ts';
import { readTool, searchTool } from '../../src/extension/lazyProviders.ts';
import { CompletionServer, answering } from '../support/completionServer.ts';
import { folder, sextant, until } from './support.ts';

/** The answer of test/vscode/model. */
interface TestModel {
  readonly isRegistered: boolean;
  readonly requests: readonly (readonly { readonly content: string }[])[];
  pieces: readonly string[];
  endless: boolean;
  readonly isCancelled: boolean;
}

interface ChatOutcome {
  readonly metadata?: { readonly answer?: Answer };
  readonly errorDetails?: { readonly message: string };
}

const settings = (section: string): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration(section);
const set = (section: string, name: string, value: unknown): Thenable<void> =>
  settings(section).update(name, value, vscode.ConfigurationTarget.Global);

async function invoke(tool: string, input: object): Promise<Record<string, unknown>> {
  const { content } = await vscode.lm.invokeTool(tool, { input, toolInvocationToken: undefined });
  const [part] = content;
  assert.ok(part instanceof vscode.LanguageModelTextPart);
  return JSON.parse(part.value) as Record<string, unknown>;
}

describe('language-model tools', () => {
  before(async () => (await sextant()).indexed());

  it('search the workspace, and read the lines of results', async () => {
    const names = vscode.lm.tools.map(({ name }) => name).filter((name) => name.startsWith('sextant'));
    assert.deepEqual(names.sort(), [
      'sextant_codebase_retrieval',
      'sextant_explain_missing',
      'sextant_find_usages',
      'sextant_list_files',
      'sextant_outline',
      'sextant_read_span',
      'sextant_search',
    ]);
    const { results } = await invoke('sextant_search', { query: 'verifyPassword', limit: 2 });
    const [first] = results as { path: string; startLine: number; endLine: number; definition: string }[];
    assert.deepEqual([first!.path, first!.definition], ['src/auth/passwordHash.ts', 'function verifyPassword']);
    const { path, startLine, endLine } = first!;
    const span = await invoke('sextant_read_span', { path, startLine, endLine });
    const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder(), path));
    const range = new vscode.Range(startLine - 1, 0, endLine, 0);
    assert.equal(`${String(span.text)}\n`, document.getText(range));
    assert.equal(span.isCut, false);
    const { content } = await vscode.lm.invokeTool('sextant_codebase_retrieval', {
      input: { information_request: 'How are passwords verified?' },
      toolInvocationToken: undefined,
    });
    assert.match(JSON.stringify(content), /Path: src\/auth\/passwordHash\.ts.*function verifyPassword/s);
    const used = await invoke('sextant_find_usages', { name: 'verifyPassword' });
    assert.match(JSON.stringify(used), /"kind":"definition"/);
    assert.match(JSON.stringify(await invoke('sextant_outline', { path })), /function verifyPassword/);
    assert.match(JSON.stringify(await invoke('sextant_list_files', { path: 'src/auth' })), /passwordHash\.ts/);
    assert.match(JSON.stringify(await invoke('sextant_explain_missing', { path: '.env' })), /keys or passwords/);
  });

  it('describe the data that a model gets, and ask for permission', async () => {
    const app = (): Promise<never> => Promise.reject(new Error('Preparing needs nothing'));
    const token = new vscode.CancellationTokenSource().token;
    const search = await searchTool(app).prepareInvocation!({ input: { query: 'a "b"' } }, token);
    assert.equal(search?.confirmationMessages?.message, 'The model gets paths, lines and names that match “a "b"”.');
    const input = { path: 'src/a.ts', startLine: 3, endLine: 9 };
    const read = await readTool(app).prepareInvocation!({ input }, token);
    assert.equal(read?.confirmationMessages?.message, 'The model gets lines 3 to 9 of src/a.ts.');
  });

  it('report the malformed parts of a query', async () => {
    const { problems } = await invoke('sextant_search', { query: 'verifyPassword path:[' });
    assert.match(String(problems), /not closed/);
  });

  it('refuse secrets, ignored files and files outside of the workspace', async () => {
    const outside = [join(folder().fsPath, '.env'), '../../etc/passwd', '/etc/passwd', 'src/../.env', '.env', '.git/config', 'web/logo.png']; // oxfmt-ignore
    for (const path of outside)
      await assert.rejects(invoke('sextant_read_span', { path, startLine: 1, endLine: 9 }), (error: Error) => {
        assert.match(error.message, /is not indexed|is outside of|no file/, path);
        return true;
      });
    const beyond = { path: 'src/server.ts', startLine: 9_000, endLine: 9_001 };
    await assert.rejects(invoke('sextant_read_span', beyond), /has \d+ lines/);
  });
});

describe('@sextant', () => {
  let model: TestModel;

  before(async function () {
    await (await sextant()).indexed();
    const extension = vscode.extensions.getExtension<TestModel>('sextant.sextant-test-model');
    assert.ok(extension, 'the extension with the test model is not installed');
    model = await extension.activate();
    // VS Code 1.103 has no such API yet.
    if (!model.isRegistered) this.skip();
    await set('chat', 'disableAIFeatures', false);
    await until('the model is there', async () => (await vscode.lm.selectChatModels({ vendor: 'sextant-test' })).length > 0); // oxfmt-ignore
  });

  after(async () => {
    await set('chat', 'disableAIFeatures', undefined);
    await vscode.commands.executeCommand('workbench.action.closeAuxiliaryBar');
  });

  const chat = (query: string, more: object = {}): Thenable<ChatOutcome | undefined> =>
    vscode.commands.executeCommand('workbench.action.chat.open', {
      query: `@sextant ${query}`,
      mode: 'ask',
      modelSelector: { vendor: 'sextant-test' },
      blockOnResponse: true,
      ...more,
    });

  async function answered(query: string): Promise<Answer> {
    const outcome = await chat(query);
    assert.ok(outcome?.metadata?.answer, JSON.stringify(outcome));
    return outcome.metadata.answer;
  }

  it("answers with the chat's model from passages, and keeps only citations that exist", async () => {
    model.pieces = ['It is given back ', '[', '1]', ' by nobody [88].'];
    const answer = await answered('how is the money given back?');
    assert.equal(answer.markdown, 'It is given back [1] by nobody.');
    assert.equal(answer.removedCitations, 1);
    assert.deepEqual(answer.provider, { id: 'vscode.lm:parrot', label: 'Parrot by sextant-test', isLocal: false });
    const [cited] = answer.cited;
    assert.deepEqual([cited?.path, cited?.symbol?.name], ['src/orders/orderService.ts', 'cancelOrder']);
    const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder(), cited!.path));
    assert.ok(document.getText().replaceAll('\r\n', '\n').includes(cited!.text));
    const prompt = model.requests.at(-1)!;
    assert.equal(prompt.reduce((sum, { content }) => sum + content.length, 0), answer.sent.characters); // oxfmt-ignore
    assert.ok(prompt.at(-1)!.content.includes(cited!.text));
    assert.match(prompt.at(-1)!.content, /Question: how is the money given back\?$/);
  });

  it('knows the earlier questions of the conversation', async () => {
    model.pieces = ['In the server [1].'];
    await answered('and where is that called?');
    const texts = model.requests.at(-1)!.map(({ content }) => content);
    assert.deepEqual(texts.slice(1, 3), ['how is the money given back?', 'It is given back by nobody.']);
  });

  it('stops the model on cancellation', async () => {
    model.endless = true;
    const outcome = chat('how are orders placed?', { blockOnResponse: false });
    const before = model.requests.length;
    await until('the model is asked', () => model.requests.length > before);
    await vscode.commands.executeCommand('workbench.action.chat.cancel');
    await until('the model has stopped', () => model.isCancelled);
    await outcome;
    model.endless = false;
  });

  it('reports a model that answers nothing', async () => {
    model.pieces = [];
    const { errorDetails } = (await chat('how is the money given back?'))!;
    assert.match(errorDetails?.message ?? '', /Parrot by sextant-test failed and says “sent an empty answer”/);
  });

  it('shows passages without a model, if that is the provider', async () => {
    await set('sextant.ask', 'provider', 'extractive');
    const before = model.requests.length;
    const answer = await answered('how are passwords checked?');
    await set('sextant.ask', 'provider', undefined);
    assert.equal(answer.provider.id, 'extractive');
    assert.deepEqual(answer.sent, { files: 0, characters: 0 });
    assert.match(answer.markdown, /^No AI model used/);
    assert.equal(model.requests.length, before);
  });

  it('lets a model order the passages, and keeps all of them if it fails', async () => {
    const server = await CompletionServer.start();
    const question = 'how are passwords checked?';
    try {
      await set('sextant.ask', 'provider', 'extractive');
      const plain = await answered(question);
      assert.equal(plain.reranking, undefined);
      const paths = (answer: Answer): string[] => answer.cited.map(({ path, startLine }) => `${path}:${startLine}`);

      await set('sextant.ask', 'rerank', 'vscode.lm:parrot');
      model.pieces = ['3', ', 1'];
      const byEditor = await answered(question);
      assert.equal(byEditor.reranking?.failure, undefined);
      // More passages are retrieved for the model, so that one may have become longer by the lines next to it.
      const [first, second] = byEditor.cited;
      assert.ok(first!.path === plain.cited[2]!.path && first!.startLine <= plain.cited[2]!.startLine);
      assert.ok(first!.endLine >= plain.cited[2]!.endLine);
      assert.equal(`${second!.path}:${second!.startLine}`, paths(plain)[0]);
      assert.match(model.requests.at(-1)![0]!.content, /Write only the numbers/);

      await set('sextant.ask', 'openai.baseUrl', server.url);
      await set('sextant.ask', 'openai.model', 'small');
      await set('sextant.ask', 'rerank', 'openai');
      server.script = answering('2');
      const byService = await answered(question);
      assert.equal(paths(byService)[0], paths(plain)[1]);
      assert.ok(byService.reranking!.sent.characters > 0);
      server.script = (response) => response.writeHead(500).end();
      const failed = await answered(question);
      assert.deepEqual(
        failed.cited.map(({ path }) => path),
        plain.cited.map(({ path }) => path),
      );
      assert.match(failed.reranking?.failure ?? '', /500/);

      await set('sextant.ask', 'rerank', 'vscode.lm:missing');
      const { reranking } = await answered(question);
      assert.match(reranking!.failure!, /no provider vscode\.lm:missing/);
      assert.deepEqual(reranking!.sent, { files: 0, characters: 0 });
    } finally {
      for (const name of ['rerank', 'provider', 'openai.model', 'openai.baseUrl']) await set('sextant.ask', name, undefined); // oxfmt-ignore
      await server.stop();
    }
  });

  it('uses the OpenAI-compatible service, if that is the provider, and reports its errors', async () => {
    const server = await CompletionServer.start();
    try {
      server.script = answering('By hashing [1', '].');
      await set('sextant.ask', 'openai.baseUrl', server.url);
      await set('sextant.ask', 'openai.model', 'small');
      await set('sextant.ask', 'provider', 'openai');
      const answer = await answered('how are passwords checked?');
      assert.deepEqual([answer.provider.id, answer.markdown], ['openai:small', 'By hashing [1].']);
      assert.equal(server.requests[0]!.headers.authorization, undefined);
      server.script = (response) => response.writeHead(401).end();
      const { errorDetails } = (await chat('how are passwords checked?'))!;
      assert.match(errorDetails?.message ?? '', /refuses the key/);
    } finally {
      for (const name of ['provider', 'openai.model', 'openai.baseUrl']) await set('sextant.ask', name, undefined);
      await server.stop();
    }
  });

  it("connects through the editor's proxy", async () => {
    const targets: unknown[] = [];
    const proxy = createServer().on('connect', ({ url }, socket) => {
      targets.push(url);
      socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n');
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    try {
      await set('http', 'proxy', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
      await set('sextant.ask', 'openai.baseUrl', 'https://model.example/v1');
      await set('sextant.ask', 'openai.model', 'small');
      await set('sextant.ask', 'provider', 'openai');
      const { errorDetails } = (await chat('how are passwords checked?'))!;
      assert.match(errorDetails?.message ?? '', /model\.example/);
      assert.deepEqual(targets, ['model.example:443']);
    } finally {
      for (const name of ['provider', 'openai.model', 'openai.baseUrl']) await set('sextant.ask', name, undefined);
      await set('http', 'proxy', undefined);
      proxy.closeAllConnections();
      proxy.close();
    }
  });
});
