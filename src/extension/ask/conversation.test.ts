import assert from 'node:assert/strict';
import type { AnswerEvent, Passage, ProviderInfo } from '../../ask/answer.ts';
import { Asker } from '../../ask/asker.ts';
import { askErrors } from '../../ask/errors.ts';
import type { AnswerProvider } from '../../ask/provider.ts';
import type { FoundPlace, Sources } from '../../ask/retrieve.ts';
import { Conversation, type Request } from './conversation.ts';

const FILE = 'export function wait() {\n  return 1;\n}\n';
const PLACE: FoundPlace = {
  root: '/work',
  path: 'src/wait.ts',
  language: 'typescript',
  score: 1,
  startLine: 1,
  endLine: 3,
  line: 1,
  text: 'export function wait() {',
  symbol: { name: 'wait', kind: 'function', line: 1 },
  more: [],
};
const INFO: ProviderInfo = { id: 'test', label: 'Test', isLocal: true };

/** What a test lets the provider say, piece by piece; `undefined` is the end. */
class Pieces {
  readonly #said: (string | Error | undefined)[] = [];
  #wake = (): void => undefined;

  say(...pieces: readonly (string | Error | undefined)[]): void {
    this.#said.push(...pieces);
    this.#wake();
  }

  async *read(): AsyncGenerator<string> {
    for (;;) {
      while (this.#said.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
      const piece = this.#said.shift();
      if (piece instanceof Error) throw piece;
      if (piece === undefined) return;
      yield piece;
    }
  }
}

describe('Conversation', () => {
  /** The real asker, on one file, with a provider that says what a test has it say. */
  function start(kept?: unknown) {
    const pieces = new Pieces();
    const search: Sources['search'] = (query, _limit, _signal, onProblem) => {
      if (query.includes('lang:')) onProblem?.(`No language: ${query}`);
      return Promise.resolve([PLACE]);
    };
    const asker = new Asker({ search, read: () => Promise.resolve(FILE) });
    const provider: AnswerProvider = { info: INFO, answer: () => pieces.read() };
    const asked: Request[] = [];
    const states: string[] = [];
    let text = '';
    const saved: { kept: unknown } = { kept };
    let woken = (): void => undefined;
    const conversation: Conversation = new Conversation({
      kept,
      keep(now) {
        saved.kept = JSON.parse(JSON.stringify(now)) as unknown;
      },
      ask: (request): AsyncIterable<AnswerEvent> => {
        asked.push(request);
        return asker.ask({ ...request, provider });
      },
      onChange: () => {
        states.push(conversation.turns.at(-1)?.state.kind ?? 'empty');
        woken();
      },
      onText: (more) => {
        text += more;
        woken();
      },
    });
    const until = async (isSo: () => boolean): Promise<void> => {
      while (!isSo()) await new Promise<void>((resolve) => (woken = resolve));
    };
    const writing = (): Promise<void> => until(() => states.at(-1) === 'writing');
    const said = (words: string): Promise<void> => until(() => text.includes(words));
    return { conversation, pieces, asked, states, writing, said, saved };
  }

  it('reports each step of an answer, and passes it to the next question', async () => {
    const { conversation, pieces, asked, states, writing, said } = start();
    const first = conversation.ask('How is it waited?', INFO);
    await writing();
    pieces.say('By `wait` [1]', '.');
    await said('By `wait`');
    pieces.say(undefined);
    await first;
    assert.deepEqual(states, ['searching', 'writing', 'done']);
    const [turn] = conversation.turns;
    assert.equal(turn?.markdown, 'By `wait` [1].');
    assert.deepEqual(turn.cited, [1]);
    const second = conversation.ask('And then?', INFO);
    await writing();
    pieces.say(undefined);
    await second;
    assert.deepEqual(
      asked[1]?.history.map(({ question, cited }) => [question, cited.map(({ path }: Passage) => path)]),
      [['How is it waited?', ['src/wait.ts']]],
    );
  });

  it('has the problems of the question, and none of the other searches for it', async () => {
    const { conversation, pieces } = start();
    for (const question of ['How is it waited lang:pyhton', 'And why?']) {
      pieces.say('By `wait`.', undefined);
      await conversation.ask(question, INFO);
    }
    assert.deepEqual(
      conversation.turns.map(({ problems }) => problems),
      [['No language: How is it waited lang:pyhton'], undefined],
    );
  });

  it('keeps the text of a stopped answer, and takes no more', async () => {
    const { conversation, pieces, asked, states, writing, said } = start();
    const answer = conversation.ask('How?', INFO);
    await writing();
    pieces.say('Half of it ', 'is ');
    await said('Half of');
    conversation.stop();
    const had = conversation.turns[0]!.markdown;
    assert.equal(asked[0]?.signal.aborted, true);
    pieces.say('and more.', undefined);
    await answer;
    assert.equal(states.at(-1), 'stopped');
    assert.equal(conversation.turns[0]?.markdown, had);
  });

  it('reports why an answer failed with the next action, and replaces it when retried', async () => {
    const { conversation, pieces, writing } = start();
    const answer = conversation.ask('How?', INFO);
    await writing();
    pieces.say(askErrors.keyRefused('example.com', 401));
    await answer;
    assert.deepEqual(conversation.turns[0]?.state, {
      kind: 'failed',
      message: askErrors.keyRefused('example.com', 401).message,
      next: 'set-key',
    });
    const again = conversation.askAgain(INFO);
    await writing();
    pieces.say(undefined);
    await again;
    assert.deepEqual(
      conversation.turns.map(({ question, state }) => [question, state.kind]),
      [['How?', 'done']],
    );
  });

  it('stops the running answer at the next question, or when cleared', async () => {
    const { conversation, writing } = start();
    void conversation.ask('First?', INFO);
    await writing();
    void conversation.ask('Second?', INFO);
    assert.deepEqual(
      conversation.turns.map(({ state }) => state.kind),
      ['stopped', 'searching'],
    );
    conversation.clear();
    assert.deepEqual(conversation.turns, []);
  });

  it('outlives the window; a running answer becomes interrupted', async () => {
    const { conversation, writing, saved } = start();
    void conversation.ask('How?', INFO);
    await writing();
    const next = start(saved.kept).conversation;
    assert.deepEqual(
      next.turns.map(({ question, state }) => [question, state.kind]),
      [['How?', 'interrupted']],
    );
  });

  it('starts empty if the stored state is of another form', () => {
    for (const kept of [undefined, null, 7, 'x', {}, { version: 2, turns: [] }, { version: 1 }])
      assert.deepEqual(start(kept).conversation.turns, []);
  });

  it('keeps the newest turns, up to half a megabyte', async () => {
    const { conversation, pieces, saved } = start();
    for (const question of ['a', 'b', 'c']) {
      const answer = conversation.ask(question, INFO);
      pieces.say(question.repeat(200_000), undefined);
      await answer;
    }
    const { turns } = saved.kept as { turns: readonly { question: string }[] };
    assert.deepEqual(
      turns.map(({ question }) => question),
      ['b', 'c'],
    );
  });
});
