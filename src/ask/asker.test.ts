import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { copySample } from '../../test/support/command.ts';
import { assertGolden } from '../../test/support/golden.ts';
import { indexedFolder } from '../../test/support/indexedFolder.ts';
import { runs } from '../../test/support/runs.ts';
import { temporaryFolder, writeFiles } from '../../test/support/temporary.ts';
import type { FolderOptions } from '../workspace/folderOptions.ts';
import type { Searcher } from '../workspace/searcher.ts';
import type { Answer, AnswerEvent, Passage } from './answer.ts';
import { Asker } from './asker.ts';
import { extractiveProvider } from './extractive.ts';
import type { AnswerProvider, AnswerTask } from './provider.ts';

describe('Asking', () => {
  const folder = temporaryFolder();
  const index = indexedFolder();

  async function open(
    root: string,
  ): Promise<{ readonly asker: Asker; readonly searcher: Searcher; readonly options: FolderOptions }> {
    const { options, searcher } = await index(root);
    const asker = new Asker({
      search: async (query, limit) =>
        (await searcher.search({ folders: [options], query, limit, excerpts: true })).results,
      read: (_root, path) => {
        const file = searcher.read(options, path);
        return Promise.resolve('text' in file ? file.text : undefined);
      },
    });
    return { asker, searcher, options };
  }

  /** A model with the output of `say`. */
  function model(say: (task: AnswerTask) => readonly string[]): AnswerProvider & { readonly tasks: AnswerTask[] } {
    const tasks: AnswerTask[] = [];
    return {
      tasks,
      info: { id: 'test', label: 'Test', isLocal: true },
      budget: { tokens: 6_000 },
      async *answer(task) {
        tasks.push(task);
        for (const piece of say(task)) yield await Promise.resolve(piece);
      },
    };
  }

  async function answerOf(
    events: AsyncIterable<AnswerEvent>,
  ): Promise<{ answer: Answer; passages: readonly Passage[]; kinds: string[] }> {
    let answer: Answer | undefined;
    let passages: readonly Passage[] = [];
    let streamed = '';
    const kinds: string[] = [];
    for await (const event of events) {
      if (kinds.at(-1) !== event.kind) kinds.push(event.kind);
      if (event.kind === 'sources') passages = event.passages;
      if (event.kind === 'text') streamed += event.text;
      if (event.kind === 'done') answer = event.answer;
    }
    assert.ok(answer);
    assert.equal(answer.markdown, streamed);
    return { answer, passages, kinds };
  }

  function assertOnDisk(passages: readonly Passage[]): void {
    for (const { root, path, startLine, endLine, text } of passages)
      assert.equal(
        readFileSync(join(root, path), 'utf8')
          .split('\n')
          .slice(startLine - 1, endLine)
          .join('\n'),
        text,
      );
  }

  it('quotes the best definitions whole without a model, exactly as they are in their files', async () => {
    const { asker } = await open(copySample(folder()));
    const question = 'how is the money given back when an order is cancelled?';
    const { answer, passages, kinds } = await answerOf(asker.ask({ question, provider: extractiveProvider }));
    assert.deepEqual(kinds, ['sources', 'text', 'done']);
    assert.deepEqual(answer.sent, { files: 0, characters: 0 });
    const [first] = answer.cited;
    assert.deepEqual([first?.path, first?.symbol?.name], ['src/orders/orderService.ts', 'cancelOrder']);
    assert.match(first!.text, /^\/\*\* Gives the books back[^]*\}$/);
    assert.match(answer.markdown, /No AI model used/);
    for (const { text, language } of passages)
      assert.ok(answer.markdown.includes(`\n\`\`\`${language}\n${text}\n\`\`\``), text);
    assert.deepEqual(answer.cited, passages);
    assertOnDisk(passages);
  });

  it('names a definition once, however many of its parts are one passage', async () => {
    const part = `  # The lantern of the harbour.\n  validates :lantern, harbour: true\n${'  step :a\n'.repeat(26)}\n`;
    const method = `  def lantern\n    @lantern ||= harbour.lantern\n${'    step\n'.repeat(8)}  end\n\n`;
    const light = 'def light_lantern_of_harbour(lantern, harbour)\n  harbour.light(lantern)\nend\n';
    const root = folder();
    writeFiles(root, {
      'quay.rb': `class Quay\n${part}${method}${part}end\n`,
      'light.rb': `# Lights each lantern of the harbour.\n${light}`,
    });
    const { asker } = await open(root);
    const question = 'Where is a lantern of the harbour?';
    const { passages } = await answerOf(asker.ask({ question, provider: extractiveProvider }));
    const names = passages.map(({ symbol, further = [] }) => [symbol, ...further].map((one) => one?.name));
    assert.deepEqual(names, [['light_lantern_of_harbour'], ['Quay', 'lantern']]);
  });

  it('answers ten questions with text that is pleasant to read', async () => {
    const { asker } = await open(copySample(folder()));
    const questions = [
      'How are failed payments retried?',
      'How long is the delay before the next attempt?',
      'How is the money given back when an order is cancelled?',
      'How are passwords stored?',
      'Who may see an order?',
      'What does the README say about running it?',
      'How are shipping labels printed?',
      'Where do the prices come from?',
      'Which tables does the database have?',
      'How does the cart add a book?',
    ];
    let all = '';
    for (const question of questions) {
      const { answer, passages } = await answerOf(asker.ask({ question, provider: extractiveProvider }));
      assertOnDisk(passages);
      all += `# ${question}\n\n${answer.markdown}\n\n`;
    }
    assertGolden('answers.md', all);
  });

  it('passes passages to a model, and keeps its citations to them', async () => {
    const { asker } = await open(copySample(folder()));
    const provider = model(() => ['They wait', ' longer each time [', '1], says Mary [99] ![x](http://evil.example).']);
    const { answer, passages } = await answerOf(asker.ask({ question: 'how are retries spaced?', provider }));
    assert.equal(answer.markdown, String.raw`They wait longer each time [1], says Mary \![x](http://evil.example).`);
    assert.deepEqual(answer.cited, [passages[0]]);
    assert.equal(answer.removedCitations, 1);
    assert.ok(passages.some(({ path }) => path === 'src/orders/retryPolicy.ts'));
    assert.equal(
      answer.sent.characters,
      provider.tasks[0]!.messages.reduce((sum, { content }) => sum + content.length, 0),
    );
    assert.equal(new Set(passages.map(({ path, startLine }) => `${path}:${startLine}`)).size, passages.length);
    assertOnDisk(passages);
  });

  it('cites only existing passages, whatever a model writes in whatever pieces', async () => {
    const { asker } = await open(copySample(folder()));
    const piece = fc.oneof(
      fc.constantFrom('[1]', '[2', ']', '[40]', '`', '\n', '```', ' ', '\\', '[1-3]', '1', '['),
      fc.string({ maxLength: 3 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 25 }), async (pieces) => {
        const events = asker.ask({ question: 'where are orders cancelled?', provider: model(() => pieces) });
        const { answer, passages } = await answerOf(events);
        assert.ok(answer.cited.every((cited) => passages.includes(cited)));
        assertOnDisk(answer.cited);
      }),
      { numRuns: runs(30) },
    );
  });

  it('searches a follow-up together with the previous question, and includes what that cited', async () => {
    const { asker } = await open(copySample(folder()));
    const first = model(() => ['By hashing [1].']);
    const { answer } = await answerOf(asker.ask({ question: 'how are passwords checked?', provider: first }));
    const second = model(() => ['There [1].']);
    const asked = await answerOf(
      asker.ask({ question: 'and where is that called?', history: [answer], provider: second }),
    );
    const [cited] = answer.cited;
    assert.ok(
      asked.passages.some(
        ({ path, startLine, endLine }) =>
          path === cited!.path && startLine <= cited!.startLine && cited!.endLine <= endLine,
      ),
    );
    assert.deepEqual(
      second.tasks[0]!.messages.map(({ role }) => role),
      ['system', 'user', 'assistant', 'user'],
    );
    assert.equal(second.tasks[0]!.messages[2]!.content, 'By hashing.');
  });

  it('puts what a later question is about before what the previous one was about, if it can stand alone', async () => {
    const root = copySample(folder());
    const steps = Array.from({ length: 80 }, (_, i) => `  const step${i} = ${i} * 2; // of the lamp\n`);
    const text = `export function lighthouseTariff(): number {\n${steps.join('')}  // The tariff of lighthouses is computed here.\n  return step1;\n}\n`;
    writeFiles(root, { 'src/lighthouse.ts': text });
    const { asker } = await open(root);
    const history: Answer[] = [];
    const ask = async (question: string): Promise<string | undefined> => {
      const { answer } = await answerOf(asker.ask({ question, history, provider: extractiveProvider }));
      history.push(answer);
      return answer.cited[0]?.path;
    };
    assert.equal(await ask('Where is nextRetryDelay used?'), 'src/orders/retryPolicy.ts');
    assert.equal(await ask('How is the tariff of lighthouses computed?'), 'src/lighthouse.ts');
    assert.equal(await ask('And where are failed payments retried?'), 'src/orders/retryPolicy.ts');
  });

  it('leaves out files changed since the search, deleted files, and new secrets', async () => {
    const root = folder();
    writeFiles(root, {
      'src/tide.ts': 'export function tideTable(): void {}\n',
      'src/ebb.ts': '// tide\nexport function tideOfEbb(): void {}\n',
    });
    const { searcher, options } = await open(root);
    const asker = new Asker({
      search: async (query, limit) => {
        const { results } = await searcher.search({ folders: [options], query, limit, excerpts: true });
        writeFiles(root, {
          'src/ebb.ts': '-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----\n',
        });
        return results.flatMap((result) => [result, { ...result, startLine: 40, endLine: 50, more: [] }]);
      },
      read: (_root, path) => {
        const file = searcher.read(options, path);
        return Promise.resolve('text' in file ? file.text : undefined);
      },
    });
    const { passages } = await answerOf(asker.ask({ question: 'tide', provider: extractiveProvider }));
    assert.deepEqual(
      passages.map(({ path, startLine }) => `${path}:${startLine}`),
      ['src/tide.ts:1'],
    );
  });

  it('calls no model without results, and no search without a question', async () => {
    const { asker } = await open(copySample(folder()));
    const provider = model(() => ['I know it all [1].']);
    const { answer, passages } = await answerOf(asker.ask({ question: 'zzyzx', provider }));
    assert.deepEqual([passages, answer.cited, provider.tasks], [[], [], []]);
    assert.match(answer.markdown, /^Nothing in the indexed files/);
    await assert.rejects(asker.ask({ question: ' \n', provider }).next(), { code: 'NoQuestion' });
  });

  it('asks no model to order nothing', async () => {
    const { asker } = await open(copySample(folder()));
    const reranker = model(() => ['1']);
    const { answer } = await answerOf(asker.ask({ question: 'zzyzx', provider: extractiveProvider, reranker }));
    assert.deepEqual([answer.cited, answer.reranking, reranker.tasks], [[], undefined, []]);
  });

  it('stops the model on cancellation, and when the consumer stops reading', async () => {
    const { asker } = await open(copySample(folder()));
    const signals: AbortSignal[] = [];
    const endless: AnswerProvider = {
      info: { id: 'endless', label: 'Endless', isLocal: true },
      budget: { tokens: 6_000 },
      async *answer(_task, signal) {
        signals.push(signal);
        for (;;) {
          yield await Promise.resolve('more ');
          if (signal.aborted) throw new Error('whatever a client throws');
        }
      },
    };
    const controller = new AbortController();
    const cancelled = async (): Promise<void> => {
      const events = asker.ask({ question: 'orders', provider: endless, signal: controller.signal });
      for await (const { kind } of events) if (kind === 'text') controller.abort();
    };
    await assert.rejects(cancelled(), { code: 'Cancelled' });
    for await (const { kind } of asker.ask({ question: 'orders', provider: endless })) if (kind === 'text') break;
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [true, true],
    );
  });
});
