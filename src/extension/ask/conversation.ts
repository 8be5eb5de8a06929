import type { Answer, AnswerEvent, Passage, ProviderInfo, Sent } from '../../ask/answer.ts';
import { nextActionOf } from '../../ask/errors.ts';
import { SextantError, describeError, isCancelled } from '../../base/errors.ts';
import type { ExchangeState } from '../../protocol/answerView.ts';

/** A question, and what has come of it. */
export interface Turn {
  readonly id: number;
  readonly question: string;
  readonly state: ExchangeState;
  readonly provider: ProviderInfo;
  readonly sent: Sent;
  readonly passages: readonly Passage[];
  readonly markdown: string;
  /** The numbers of the passages that are cited; none until the answer is complete. */
  readonly cited: readonly number[];
  readonly removedCitations: number;
}

/** What is kept between sessions. */
interface Kept {
  readonly version: 1;
  readonly turns: readonly Turn[];
}

export interface Request {
  readonly question: string;
  /** Its `id`. */
  readonly provider: string;
  /** Oldest first. */
  readonly history: readonly Answer[];
  readonly signal: AbortSignal;
}

export interface ConversationParts {
  /** What was kept last, if anything. */
  readonly kept: unknown;
  keep(kept: Kept): void;
  ask(request: Request): AsyncIterable<AnswerEvent>;
  /** Anything but more text. */
  onChange(): void;
  /** More of the last turn's Markdown. */
  onText(text: string): void;
}

/** What is kept is no more than this many characters of JSON; older turns are forgotten first. */
const MAX_KEPT = 500_000;

/**
 * The questions and answers of a window. At most one is being answered, the last one. It goes on whether or not anybody looks,
 * and outlives the window: what was being answered then is kept as `interrupted`.
 */
export class Conversation {
  readonly #parts: ConversationParts;
  #turns: Turn[];
  #running: AbortController | undefined;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
    this.#turns = readKept(parts.kept);
  }

  get turns(): readonly Turn[] {
    return this.#turns;
  }

  /** Asks after all that was asked before. What is still being answered is stopped. */
  ask(question: string, provider: ProviderInfo): Promise<void> {
    this.stop();
    const id = (this.#turns.at(-1)?.id ?? 0) + 1;
    const nothing = { sent: { files: 0, characters: 0 }, passages: [], markdown: '', cited: [], removedCitations: 0 };
    const history = this.#turns.filter(({ state }) => state.kind === 'done').map(toAnswer);
    this.#turns = [...this.#turns, { id, question, state: { kind: 'searching' }, provider, ...nothing }];
    return this.#run(id, { question, provider: provider.id, history });
  }

  /** Asks the last question once more; its answer so far is given up. */
  async askAgain(provider: ProviderInfo): Promise<void> {
    this.stop();
    const last = this.#turns.at(-1);
    this.#turns = this.#turns.slice(0, -1);
    if (last) await this.ask(last.question, provider);
  }

  stop(): void {
    const running = this.#running;
    if (!running) return;
    this.#running = undefined;
    this.#change(this.#turns.at(-1)!.id, { state: { kind: 'stopped' } });
    running.abort();
  }

  /** Forgets all. */
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
      for await (const event of this.#parts.ask({ ...request, signal: running.signal })) {
        // Nobody wants any more of what was stopped.
        if (this.#running !== running) return;
        switch (event.kind) {
          case 'sources': {
            const { provider, passages, sent } = event;
            this.#change(id, { state: { kind: 'writing' }, provider, passages, sent });
            break;
          }
          case 'text':
            this.#update(id, { markdown: this.#turn(id).markdown + event.text });
            this.#parts.onText(event.text);
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
    this.#parts.onChange();
    let turns = this.#turns;
    while (turns.length > 1 && JSON.stringify(turns).length > MAX_KEPT) turns = turns.slice(1);
    this.#parts.keep({ version: 1, turns });
  }
}

function failed(error: unknown): ExchangeState {
  const code = error instanceof SextantError ? error.code : '';
  return { kind: 'failed', message: describeError(error), next: nextActionOf(code) ?? 'ask-again' };
}

/** As it is given to whoever answers the next question. */
export function toAnswer({ question, provider, sent, markdown, passages, cited, removedCitations }: Turn): Answer {
  const citedPassages = cited.flatMap((number) => passages.find((passage) => passage.number === number) ?? []);
  return { question, provider, sent, markdown, cited: citedPassages, removedCitations };
}

function readKept(kept: unknown): Turn[] {
  const { version, turns } = (kept ?? {}) as Partial<Kept>;
  if (version !== 1 || !Array.isArray(turns)) return [];
  return (turns as Turn[]).map((turn) =>
    turn.state.kind === 'searching' || turn.state.kind === 'writing'
      ? { ...turn, state: { kind: 'interrupted' } }
      : turn,
  );
}
