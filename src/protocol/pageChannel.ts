import type { Channel } from '../base/rpc.ts';

/**
 * A message of one page. A panel outlives its pages: a hidden one is discarded and loaded again when it is shown. Every
 * page counts its requests from 1, so messages name their page.
 */
export interface PageMessage {
  readonly page: string;
  readonly message: unknown;
}

/** A page's end of the channel to the extension. `page` stays the same for its lifetime. */
export function pageChannel(
  page: string,
  post: (message: PageMessage) => void,
  listen: (receive: (raw: unknown) => void) => void,
): Channel {
  return {
    send: (message) => post({ page, message }),
    listen: (receive) =>
      listen((raw) => {
        const { page: to, message } = raw as PageMessage;
        if (to === page) receive(message);
      }),
  };
}
