import type { Channel } from '../base/rpc.ts';

/**
 * What a page sends and gets. A panel outlives its pages – one that is hidden is thrown away and loaded again when it is
 * shown – and every page counts its requests from 1, so messages say whose they are.
 */
export interface PageMessage {
  readonly page: string;
  readonly message: unknown;
}

/** A page's end of the channel to the extension. `page` is its own for as long as it lives. */
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
