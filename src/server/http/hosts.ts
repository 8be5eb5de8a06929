import type { IncomingMessage } from 'node:http';
import { SextantError } from '../../base/errors.ts';
import { httpErrors } from './errors.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Refuses requests that were meant for another name: a web page whose name is made to point at this machine (DNS rebinding)
 * sends its own as `Host`, and one of another site sends its `Origin`.
 */
export class HostCheck {
  readonly #names: ReadonlySet<string>;
  /** The one of the last request, where it may be: nearly always the next one's. */
  #last: string | undefined;

  constructor(allowed: readonly string[]) {
    this.#names = new Set([...LOOPBACK, ...allowed].map((name) => name.toLowerCase()));
  }

  /** Throws `PermissionDenied`; `InvalidArgument` where HTTP/1.1 lacks its `Host`. */
  check({ headers, httpVersionMinor }: IncomingMessage): void {
    const { host, origin } = headers;
    if (host === undefined || host === '') {
      if (httpVersionMinor >= 1) throw httpErrors.badRequest('the Host header is missing');
    } else if (host !== this.#last) {
      if (!this.#names.has(nameOf(host))) throw httpErrors.foreignHost('Host', nameOf(host));
      this.#last = host;
    }
    if (origin !== undefined && !this.#names.has(nameOf(/^https?:\/\/([^/]*)$/.exec(origin)?.[1] ?? '')))
      throw httpErrors.foreignHost('Origin', origin);
  }
}

/** Throws `InvalidOption` where one of the names is none. */
export function checkHosts(names: readonly string[] = []): void {
  const wrong = names.find((name) => !/^[^\s/]+$/.test(name));
  if (wrong !== undefined)
    throw new SextantError(
      'InvalidOption',
      `"${wrong}" is no name of a host to allow. Give one such as tunnel.example.`,
    );
}

/** Without the port. */
function nameOf(authority: string): string {
  return authority.replace(/:\d*$/, '').toLowerCase();
}
