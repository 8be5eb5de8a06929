import type * as z from 'zod/mini';
import type { Argument, Methods } from '../base/rpc.ts';

/** Each request of a view as a function of one argument; `ready` is one of every view. */
export type ViewMethods<M> = Methods<M> & { readonly ready: (nothing: undefined) => unknown };

/**
 * What a page may ask of the extension, and what it is told. `M` maps each request to a function of one argument, `E` each
 * event to what it carries; all of it has to survive JSON. A request has one reply, a result or an error with a code.
 *
 * `ready` is the handshake: a page asks it first, once it listens, and gets the whole state to show. Events change that
 * state, so a page that missed some – it was hidden, or not loaded yet – has lost nothing.
 */
export interface ViewContract<M extends ViewMethods<M>, E> {
  /** Names the page, `dist/webview/NAME.js`, and the type of its panel, `sextant.NAME`. */
  readonly name: string;
  /** What the argument of each request must be; the extension believes no page. */
  readonly requests: { readonly [K in keyof M]: z.ZodMiniType<Argument<M[K]>> };
  /** Missing at run time: it ties the events to the contract. */
  readonly events?: E;
}

/** The type of a view's panel, by which the editor knows it after a restart. */
export function viewType(name: string): string {
  return `sextant.${name}`;
}
