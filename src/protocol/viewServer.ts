import * as z from 'zod/mini';
import { serve, type EmitEvent, type Handlers } from '../base/rpc.ts';
import { protocolErrors } from './errors.ts';
import type { PageMessage } from './pageChannel.ts';
import type { ViewContract, ViewMethods } from './viewContract.ts';

const MESSAGE = z.object({
  page: z.string(),
  message: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('request'), id: z.int(), name: z.string(), argument: z.optional(z.unknown()) }),
    z.object({ kind: z.literal('cancel'), id: z.int() }),
  ]),
});

interface ViewSession<E> {
  readonly page: string;
  readonly receive: (message: unknown) => void;
  readonly emit: EmitEvent<E>;
  readonly closed: AbortController;
}

/** The extension's end: serves one page after another, each until the next one sends a message. */
export class ViewServer<M extends ViewMethods<M>, E> {
  readonly #handlers: Handlers<M>;
  readonly #post: (message: PageMessage) => void;
  readonly #onInvalid: (problem: string) => void;
  #session: ViewSession<E> | undefined;

  /** `onInvalid` receives messages that cannot be parsed; an invalid argument is answered with `InvalidRequest`. */
  constructor(
    contract: ViewContract<M, E>,
    handlers: Handlers<M>,
    post: (message: PageMessage) => void,
    onInvalid: (problem: string) => void,
  ) {
    this.#handlers = checked(contract, handlers);
    this.#post = post;
    this.#onInvalid = onInvalid;
  }

  receive(raw: unknown): void {
    const parsed = MESSAGE.safeParse(raw);
    if (!parsed.success) {
      this.#onInvalid(z.prettifyError(parsed.error));
      return;
    }
    const { page, message } = parsed.data;
    if (this.#session?.page !== page) this.#begin(page);
    this.#session?.receive(message);
  }

  /** Sends an event to the page, if there is one. */
  emit<K extends keyof E & string>(name: K, value: E[K]): void {
    this.#session?.emit(name, value);
  }

  /** Handles a closed page: aborts all its running work. */
  close(): void {
    this.#session?.closed.abort();
    this.#session = undefined;
  }

  #begin(page: string): void {
    this.close();
    const closed = new AbortController();
    let receive: (message: unknown) => void = () => undefined;
    const channel = {
      send: (message: unknown): void => this.#post({ page, message }),
      listen: (listener: (message: unknown) => void): void => {
        receive = listener;
      },
    };
    const emit = serve<M, E>(channel, this.#handlers, closed.signal);
    this.#session = { page, receive, emit, closed };
  }
}

function checked<M extends ViewMethods<M>, E>({ requests }: ViewContract<M, E>, handlers: Handlers<M>): Handlers<M> {
  const names = Object.keys(handlers) as (keyof M & string)[];
  const all = names.map((name) => {
    const handle: Handlers<M>[typeof name] = (argument, signal, report) => {
      const parsed = requests[name].safeParse(argument);
      if (parsed.success) return handlers[name](parsed.data as typeof argument, signal, report);
      const [issue] = parsed.error.issues;
      throw protocolErrors.invalidRequest(name, issue?.path.join('.') ?? '', issue?.message ?? '');
    };
    return [name, handle];
  });
  return Object.fromEntries(all) as Handlers<M>;
}
