import type * as z from 'zod/mini';
import type { Argument, Methods } from '../base/rpc.ts';

/** Each request of a view as a function of one argument; every view has `ready`. */
export type ViewMethods<M> = Methods<M> & { readonly ready: (nothing: undefined) => unknown };

/**
 * The requests of a page to the extension, and the events it receives. `M` maps each request to a function of one
 * argument, `E` each event to its value; all of it must survive JSON. A request has one reply, a result or an error
 * with a code.
 *
 * `ready` is the handshake: a page calls it first, once it listens, and receives the whole state to show. Events change
 * that state, so a page that missed some – it was hidden, or not loaded yet – has lost nothing.
 */
export interface ViewContract<M extends ViewMethods<M>, E> {
  /** Names the page, `dist/webview/NAME.js`, and the type of its panel, `sextant.NAME`. */
  readonly name: string;
  /** Schemas of the arguments; the extension trusts no page. */
  readonly requests: { readonly [K in keyof M]: z.ZodMiniType<Argument<M[K]>> };
  /** Missing at run time: it ties the events to the contract. */
  readonly events?: E;
}

/** The type of a view's panel, which identifies it to the editor after a restart. */
export function viewType(name: string): string {
  return `sextant.${name}`;
}
