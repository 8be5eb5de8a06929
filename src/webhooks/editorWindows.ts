import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { Fifo } from '../base/fifo.ts';
import type { AttemptOutcome } from './event.ts';
import type { CommandTask } from './runCommand.ts';
import type { EditorExpert } from './schemas.ts';

/** A run that a window makes, as it is sent to it. */
export interface EditorRun {
  /** For the result. */
  readonly id: string;
  readonly event_id: string;
  readonly webhook: string;
  readonly trigger: string;
  readonly expert: string;
  readonly method: string;
  readonly query: string;
  /** Without secrets. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
  /** Instead of `body`, for bytes that are no text. */
  readonly body_base64?: string;
}

/** What a window receives: a run to make, the id of one to give up, or, so that a dead connection is found, nothing. */
export interface EditorMessage {
  readonly run?: EditorRun;
  readonly cancel?: string;
}

/** What a window makes of a run. */
export interface EditorResult {
  readonly ok: boolean;
  readonly answer?: string | undefined;
  readonly error?: string | undefined;
  /** Whether another attempt may succeed. */
  readonly retry: boolean;
}

/** What the experts of a window do, by name. */
export type EditorWork = ReadonlyMap<string, string>;

interface Pending {
  /** Starts its time limit. */
  readonly begin: () => void;
  readonly finish: (outcome: AttemptOutcome) => void;
  readonly window: EditorWindow;
}

/** A connection of a window of an editor. */
class EditorWindow {
  readonly id: string;
  readonly work: EditorWork;
  readonly #messages = new Fifo<EditorMessage>();
  #wake: (() => void) | undefined;
  #isClosed = false;

  constructor(id: string, work: EditorWork) {
    this.id = id;
    this.work = work;
  }

  send(message: EditorMessage): void {
    this.#messages.add(message);
    this.#wake?.();
  }

  close(): void {
    this.#isClosed = true;
    this.#wake?.();
  }

  /** Yields messages until the window is closed; an empty one after each `silenceMs` without another. */
  async *messages(silenceMs: number): AsyncGenerator<EditorMessage> {
    while (!this.#isClosed) {
      if (this.#messages.size > 0) {
        yield this.#messages.take()!;
        continue;
      }
      const isSilent = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(true), silenceMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve(false);
        };
      });
      this.#wake = undefined;
      if (isSilent) yield {};
    }
  }
}

/** Time without a message after which an empty one is sent: clients end a response that is silent for minutes. */
const SILENCE_MS = 20_000;
const INTERRUPTED = 'the editor window was closed before it answered';

/**
 * The windows of editors that make runs. A window has a run as long as it is connected: when its connection ends, its runs are
 * interrupted, and the queue begins them again. So a window that is killed loses nothing, and no time limit has to find it.
 */
export class EditorWindows {
  readonly #windows = new Set<EditorWindow>();
  readonly #pending = new Map<string, Pending>();
  readonly #silenceMs: number;
  #isClosed = false;
  /** Called with the names of the experts of a new window. */
  onAttached: (names: Iterable<string>) => void = () => undefined;

  constructor(silenceMs = SILENCE_MS) {
    this.#silenceMs = silenceMs;
  }

  /** Connects a window, which may have several connections, for as long as the messages are read; it ends with `signal`, too. */
  async *attach(id: string, work: EditorWork, signal: AbortSignal): AsyncGenerator<EditorMessage> {
    if (signal.aborted || this.#isClosed) return;
    const window = new EditorWindow(id, work);
    const close = (): void => this.#detach(window);
    signal.addEventListener('abort', close);
    this.#windows.add(window);
    try {
      // Tells the window that it is connected.
      yield {};
      this.onAttached(work.keys());
      yield* window.messages(this.#silenceMs);
    } finally {
      signal.removeEventListener('abort', close);
      close();
    }
  }

  /** What the windows do that run an expert, one text for each. */
  does(expert: string): string[] {
    return [...this.#windows].flatMap(({ work }) => work.get(expert) ?? []);
  }

  has(expert: string): boolean {
    return [...this.#windows].some(({ work }) => work.has(expert));
  }

  /**
   * Has a run made by the window with the fewest runs. Its time limit starts when the window begins it, since a window may have others
   * to make before. Throws only for a cancelled `signal`.
   */
  async run(
    task: CommandTask,
    { name, timeout_ms: limitMs }: EditorExpert,
    signal: AbortSignal,
  ): Promise<AttemptOutcome> {
    signal.throwIfAborted();
    const able = [...this.#windows].filter(({ work }) => work.has(name));
    const runsOf = (one: EditorWindow): number =>
      [...this.#pending.values()].filter(({ window: { id } }) => id === one.id).length;
    const [window] = able.sort((a, b) => runsOf(a) - runsOf(b));
    if (!window) return { isDone: false, canRetry: true, isInterrupted: true, error: 'no editor window runs it' };
    const id = randomUUID();
    const outcome = await new Promise<AttemptOutcome | undefined>((resolve) => {
      const cancel = (found: AttemptOutcome | undefined): void => {
        window.send({ cancel: id });
        finish(found);
      };
      const abort = (): void => cancel(undefined);
      const error = `no end within ${limitMs / 1000} s`;
      let timer: NodeJS.Timeout | undefined;
      const begin = (): void => {
        timer ??= setTimeout(() => cancel({ isDone: false, canRetry: true, error }), limitMs);
      };
      const finish = (found: AttemptOutcome | undefined): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        this.#pending.delete(id);
        resolve(found);
      };
      signal.addEventListener('abort', abort);
      this.#pending.set(id, { begin, finish, window });
      window.send({ run: runOf(id, name, task) });
    });
    signal.throwIfAborted();
    return outcome!;
  }

  /** Starts the time limit of a run; false if it was given up, or is unknown. */
  begin(id: string): boolean {
    const pending = this.#pending.get(id);
    pending?.begin();
    return pending !== undefined;
  }

  /** Takes the result of a run; false if it was given up, or is unknown. */
  finish(id: string, { ok, retry, answer, error = 'failed' }: EditorResult): boolean {
    const pending = this.#pending.get(id);
    pending?.finish({
      isDone: ok,
      canRetry: retry,
      ...(!ok && { error }),
      ...(answer !== undefined && answer !== '' && { answer }),
    });
    return pending !== undefined;
  }

  /** Disconnects all windows, for ever. */
  close(): void {
    this.#isClosed = true;
    for (const window of this.#windows) this.#detach(window);
  }

  #detach(window: EditorWindow): void {
    this.#windows.delete(window);
    window.close();
    for (const pending of this.#pending.values())
      if (pending.window === window)
        pending.finish({ isDone: false, canRetry: true, isInterrupted: true, error: INTERRUPTED });
  }
}

function runOf(id: string, expert: string, { event, webhook, trigger }: CommandTask): EditorRun {
  const { headers, body, method = 'POST', query = '' } = event;
  const text = isUtf8(body) ? { body: body.toString() } : { body_base64: body.toString('base64') };
  return { id, event_id: event.id, webhook, trigger, expert, method, query, headers, ...text };
}
