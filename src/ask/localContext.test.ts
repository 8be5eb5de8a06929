import assert from 'node:assert/strict';
import { CompletionServer } from '../../test/support/completionServer.ts';
import type { Passage } from './answer.ts';
import { openAiProvider } from './openai.ts';
import { makePrompt } from './prompt.ts';
import { countTokens } from './tokens.ts';

const passages: readonly Passage[] = Array.from({ length: 60 }, (_, i) => ({
  number: i + 1,
  root: '/shop',
  language: 'typescript',
  path: `src/lantern${i}.ts`,
  startLine: 1,
  endLine: 40,
  text: `export const lantern${i} = harbour(${i});\n`.repeat(40).trimEnd(),
}));

describe('The context of a model on this machine', () => {
  let server: CompletionServer;
  beforeEach(async () => (server = await CompletionServer.start()));
  afterEach(() => server.stop());

  /** Tokens of a prompt with as many passages as fit. */
  async function tokensSent(model = 'small', key?: string): Promise<number> {
    const { budget } = openAiProvider({ baseUrl: server.url, model, ...(key !== undefined && { key }) });
    const parts = { question: 'Where is the lantern?', history: [], passages, budget };
    const { messages } = await makePrompt(parts, new AbortController().signal, () => 'random');
    return messages.reduce((sum, { content }) => sum + countTokens(content), 0);
  }

  for (const [program, path, fact] of [
    ['llama.cpp', '/props', { default_generation_settings: { id: 0, n_ctx: 2048 }, total_slots: 4 }],
    ['LM Studio', '/api/v0/models', { data: [{ id: 'small', state: 'loaded', loaded_context_length: 2048 }] }],
    ['Ollama', '/api/ps', { models: [{ name: 'large:7b' }, { name: 'small:latest', context_length: 2048 }] }],
  ] as const)
    it(`of ${program} limits the prompt`, async () => {
      assert.ok((await tokensSent()) > 8_000);
      server.facts.set(path, fact);
      const tokens = await tokensSent();
      assert.ok(tokens > 1_000 && tokens <= 1_536, `${tokens}`);
    });

  it('is the default of Ollama and LM Studio before the model is loaded', async () => {
    for (const [path, fact] of [
      ['/api/v0/models', { data: [{ id: 'small', state: 'not-loaded', max_context_length: 131_072 }] }],
      ['/api/ps', { models: [] }],
    ] as const) {
      server.facts.clear();
      server.facts.set(path, fact);
      const tokens = await tokensSent();
      assert.ok(tokens > 2_500 && tokens <= 3_072, `${tokens}`);
    }
  });

  it('does not make a prompt longer, and is of no importance where a program says nothing of use', async () => {
    const before = await tokensSent();
    for (const [path, fact] of [
      ['/props', { default_generation_settings: { n_ctx: 131_072 } }],
      ['/props', { default_generation_settings: { n_ctx: '2048' } }],
      ['/api/v0/models', { data: [{ id: 'small' }] }],
      ['/api/ps', []],
    ] as const) {
      server.facts.clear();
      server.facts.set(path, fact);
      assert.equal(await tokensSent(), before, JSON.stringify(fact));
    }
    assert.deepEqual(server.requests, []);
  });
});
