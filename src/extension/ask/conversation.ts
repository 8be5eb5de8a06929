import type { Answer, AnswerEvent, Passage, ProviderInfo, Reranking, Sent } from '../../ask/answer.ts';
import { nextActionOf } from '../../ask/errors.ts';
import { describeError, isCancelled } from '../../base/errors.ts';
import type { ExchangeState } from '../../protocol/answerView.ts';
import type { SearchScope } from '../../protocol/searchScope.ts';
import { tokenRefusal } from '../../wire/explained.ts';

/** A question, and its answer so far. */
export interface Turn {
  readonly id: number;
  readonly question: string;
  /** What it is about; the workspace in conversations that an earlier version stored. */
  readonly scope?: SearchScope;
  readonly state: ExchangeState;
  readonly provider: ProviderInfo;
  readonly sent: Sent;
  readonly reranking?: Reranking;
  /** What in the question was not understood. */
  readonly problems?: readonly string[];
  readonly passages: readonly Passage[];
  readonly markdown: string;
  /** Numbers of the cited passages; none until the answer is complete. */
  readonly cited: readonly number[];
  readonly removedCitations: number;
}

/** The conversation as stored between sessions. */
interface StoredConversation {
  readonly version: 1;
  readonly turns: readonly Turn[];
}

export interface Request {
  readonly question: string;
  readonly scope: SearchScope;
  /** Id of the provider. */
  readonly provider: string;
  /** Oldest first. */
  readonly history: readonly Answer[];
  readonly signal: AbortSignal;
}

export interface ConversationDependencies {
  /** The stored conversation, if any. */
  readonly kept: unknown;
  keep(kept: StoredConversation): void;
  ask(request: Request): AsyncIterable<AnswerEvent>;
  /** Called after every change except more text. */
  onChange(): void;
  /** Called with more of the last turn's Markdown. */
  onText(text: string): void;
}

/** Most stored characters of JSON; older turns are dropped first. */
const MAX_KEPT = 500_000;

/**
 * The questions and answers of a window. Only the last one may be running, whether its panel is visible or not. The
 * conversation outlives the window, and a running answer is stored as `interrupted`.
 */
export class Conversation {
  readonly #dependencies: ConversationDependencies;
  #turns: Turn[];
  #running: AbortController | undefined;

  constructor(dependencies: ConversationDependencies) {
    this.#dependencies = dependencies;
    this.#turns = readKept(dependencies.kept);
  }

  get turns(): readonly Turn[] {
    return this.#turns;
  }

  /** Asks a question with the earlier answers as history, and stops a running answer. */
  ask(question: string, provider: ProviderInfo, scope: SearchScope = 'workspace'): Promise<void> {
    this.stop();
    const id = (this.#turns.at(-1)?.id ?? 0) + 1;
    const nothing = { sent: { files: 0, characters: 0 }, passages: [], markdown: '', cited: [], removedCitations: 0 };
    const history = this.#turns.filter(({ state }) => state.kind === 'done').map(toAnswer);
    this.#turns = [...this.#turns, { id, question, scope, state: { kind: 'searching' }, provider, ...nothing }];
    return this.#run(id, { question, scope, provider: provider.id, history });
  }

  /** Asks the last question again, and drops its answer so far. */
  async askAgain(provider: ProviderInfo): Promise<void> {
    this.stop();
    const last = this.#turns.at(-1);
    this.#turns = this.#turns.slice(0, -1);
    if (last) await this.ask(last.question, provider, last.scope);
  }

  stop(): void {
    const running = this.#running;
    if (!running) return;
    this.#running = undefined;
    this.#change(this.#turns.at(-1)!.id, { state: { kind: 'stopped' } });
    running.abort();
  }

  /** Removes all turns. */
  clear(): void {
    this.stop();
    this.#turns = [];
    this.#changed();
  }

  async #run(id: number, request: Omit<Request, 'signal'>): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    this.#changed();
    try {
      for await (const event of this.#dependencies.ask({ ...request, signal: running.signal })) {
        // Ignore events of a stopped answer.
        if (this.#running !== running) return;
        switch (event.kind) {
          case 'sources': {
            const { kind: _kind, ...found } = event;
            this.#change(id, { state: { kind: 'writing' }, ...found });
            break;
          }
          case 'text':
            this.#update(id, { markdown: this.#turn(id).markdown + event.text });
            this.#dependencies.onText(event.text);
            break;
          case 'done': {
            const { markdown, removedCitations } = event.answer;
            const cited = event.answer.cited.map(({ number }) => number);
            this.#running = undefined;
            this.#change(id, { state: { kind: 'done' }, markdown, cited, removedCitations });
          }
        }
      }
    } catch (error) {
      if (this.#running !== running) return;
      this.#running = undefined;
      this.#change(id, { state: isCancelled(error) ? { kind: 'stopped' } : failed(error) });
    }
  }

  #turn(id: number): Turn {
    return this.#turns.find((turn) => turn.id === id)!;
  }

  #update(id: number, change: Partial<Turn>): void {
    this.#turns = this.#turns.map((turn) => (turn.id === id ? { ...turn, ...change } : turn));
  }

  #change(id: number, change: Partial<Turn>): void {
    this.#update(id, change);
    this.#changed();
  }

  #changed(): void {
    this.#dependencies.onChange();
    let turns = this.#turns;
    while (turns.length > 1 && JSON.stringify(turns).length > MAX_KEPT) turns = turns.slice(1);
    this.#dependencies.keep({ version: 1, turns });
  }
}

function failed(error: unknown): ExchangeState {
  const message = tokenRefusal(error) ?? describeError(error);
  return { kind: 'failed', message, next: nextActionOf(error) ?? 'ask-again' };
}

/** A turn as history of the next question. */
export function toAnswer({ question, provider, sent, markdown, passages, cited, removedCitations }: Turn): Answer {
  const citedPassages = cited.flatMap((number) => passages.find((passage) => passage.number === number) ?? []);
  return { question, provider, sent, markdown, cited: citedPassages, removedCitations };
}

function readKept(kept: unknown): Turn[] {
  const { version, turns } = (kept ?? {}) as Partial<StoredConversation>;
  if (version !== 1 || !Array.isArray(turns)) return [];
  return (turns as Turn[]).map((turn) =>
    turn.state.kind === 'searching' || turn.state.kind === 'writing'
      ? { ...turn, state: { kind: 'interrupted' } }
      : turn,
  );
}
