import { SextantError, cancelled, describeError, systemCode, throwIfCancelled } from './errors.ts';

/**
 * Typed calls across a thread or a webview. A request has one reply, which is a result or an error and never silence; parts of a
 * result may come before it. Events go one way. An `AbortSignal` on the caller's side aborts the one on the other side.
 *
 * `M` maps a method's name to a function of one argument, `E` an event's name to its value. All of it must survive
 * structured clone.
 */
export type Methods<M> = { readonly [K in keyof M]: (argument: never) => unknown };
export type Argument<F> = F extends (argument: infer A) => unknown ? A : never;
type Result<F> = F extends (argument: never) => infer R ? Awaited<R> : never;

export type Handlers<M> = {
  readonly [K in keyof M]: (
    argument: Argument<M[K]>,
    signal: AbortSignal,
    report: (part: Result<M[K]>) => void,
  ) => Result<M[K]> | Promise<Result<M[K]>>;
};

/** One end of a message port. */
export interface Channel {
  send(message: unknown): void;
  listen(receive: (message: unknown) => void): void;
}

export type EmitEvent<E> = <K extends keyof E & string>(name: K, value: E[K]) => void;

type Message =
  | { kind: 'request'; id: number; name: string; argument: unknown }
  | { kind: 'cancel'; id: number }
  | { kind: 'part'; id: number; value: unknown }
  | { kind: 'result'; id: number; value: unknown }
  | { kind: 'error'; id: number; code: string; message: string }
  | { kind: 'event'; name: string; value: unknown };

/**
 * The answering end. Returns a function that sends events to the calling end. `closed` aborts when the calling end is
 * closed: its running work is aborted, and nothing is sent any more.
 */
export function serve<M extends Methods<M>, E>(
  channel: Channel,
  handlers: Handlers<M>,
  closed?: AbortSignal,
): EmitEvent<E> {
  const running = new Map<number, AbortController>();
  const send = (message: Message): void => {
    if (!closed?.aborted) channel.send(message);
  };
  closed?.addEventListener('abort', () => {
    for (const controller of running.values()) controller.abort();
  });

  async function answer(id: number, name: string, argument: unknown): Promise<void> {
    const controller = new AbortController();
    running.set(id, controller);
    try {
      if (!Object.hasOwn(handlers, name)) throw new SextantError('UnknownMethod', `There is no method "${name}".`);
      const value = await handlers[name as keyof M](argument as never, controller.signal, (part) => {
        if (!controller.signal.aborted) send({ kind: 'part', id, value: part });
      });
      send({ kind: 'result', id, value });
    } catch (error) {
      const code = error instanceof SextantError ? error.code : (systemCode(error) ?? 'Internal');
      send({ kind: 'error', id, code, message: describeError(error) });
    } finally {
      running.delete(id);
    }
  }

  channel.listen((raw) => {
    const message = raw as Message;
    if (message.kind === 'cancel') running.get(message.id)?.abort();
    else if (message.kind === 'request') void answer(message.id, message.name, message.argument);
  });
  return (name, value) => send({ kind: 'event', name, value });
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: SextantError) => void;
  readonly onPart: ((part: never) => void) | undefined;
}

/** The calling end. */
export class RpcCaller<M extends Methods<M>, E> {
  readonly #channel: Channel;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Map<string, Set<(value: never) => void>>();
  #lastId = 0;
  #closed: SextantError | undefined;

  constructor(channel: Channel) {
    this.#channel = channel;
    channel.listen((raw) => this.#receive(raw as Message));
  }

  /**
   * Rejects with the other end's error (same `code`), or with `Cancelled` as soon as `signal` aborts. `onPart` receives the parts
   * that the other end reports before its result.
   */
  async call<K extends keyof M & string>(
    name: K,
    argument: Argument<M[K]>,
    signal?: AbortSignal,
    onPart?: (part: Result<M[K]>) => void,
  ): Promise<Result<M[K]>> {
    throwIfCancelled(signal);
    if (this.#closed) throw this.#closed;
    const id = ++this.#lastId;
    const onAbort = (): void => {
      this.#channel.send({ kind: 'cancel', id } satisfies Message);
      this.#take(id)?.reject(cancelled());
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const reply = new Promise<unknown>((resolve, reject) => this.#pending.set(id, { resolve, reject, onPart }));
      this.#channel.send({ kind: 'request', id, name, argument } satisfies Message);
      return (await reply) as Result<M[K]>;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  on<K extends keyof E & string>(name: K, listener: (value: E[K]) => void): void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
  }

  /** Handles the close of the other end: pending and later calls fail with `error`. */
  close(error: SextantError): void {
    this.#closed ??= error;
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(error);
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  #receive(message: Message): void {
    if (message.kind === 'part') this.#pending.get(message.id)?.onPart?.(message.value as never);
    else if (message.kind === 'result') this.#take(message.id)?.resolve(message.value);
    else if (message.kind === 'error') this.#take(message.id)?.reject(new SextantError(message.code, message.message));
    else if (message.kind === 'event') {
      for (const listener of this.#listeners.get(message.name) ?? []) listener(message.value as never);
    }
  }
}
