import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { SextantError } from '../../base/errors.ts';
import { httpErrors } from './errors.ts';

/** The beginning of a request target that names the host. */
export const ABSOLUTE = /^https?:\/\/([^/?]*)/i;
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
    this.#names = new Set([...LOOPBACK, ...allowed.flatMap(spellings)].map((name) => name.toLowerCase()));
  }

  /** Throws `PermissionDenied`; `InvalidArgument` where HTTP/1.1 lacks its `Host`, or where there are two. */
  check({ headers, rawHeaders, httpVersionMinor, url = '' }: IncomingMessage): void {
    const { host, origin } = headers;
    if (isRepeated('host', rawHeaders)) throw httpErrors.badRequest('the Host header is given more than once');
    if (host === undefined || host === '') {
      if (httpVersionMinor >= 1) throw httpErrors.badRequest('the Host header is missing');
    } else if (host !== this.#last) {
      if (!this.#names.has(nameOf(host))) throw httpErrors.foreignHost('Host header', nameOf(host));
      this.#last = host;
    }
    // Where the target names a host, that is the one that is meant.
    const named = authorityOf(url);
    if (named !== undefined && !this.#names.has(nameOf(named)))
      throw httpErrors.foreignHost('request target', nameOf(named));
    if (origin !== undefined && !this.#names.has(nameOf(/^https?:\/\/([^/]*)$/.exec(origin)?.[1] ?? '')))
      throw httpErrors.foreignHost('Origin header', origin);
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

/** Of a target such as `http://127.0.0.1/healthz`. */
function authorityOf(url: string): string | undefined {
  return url.startsWith('/') ? undefined : ABSOLUTE.exec(url)?.[1];
}

/** How a name stands in a URL, also where it is an IPv6 address. */
function spellings(name: string): string[] {
  if (!isIPv6(name)) return [name];
  const host = `[${name}]`;
  return URL.canParse(`http://${host}`) ? [host, new URL(`http://${host}`).hostname] : [host];
}

function isRepeated(header: string, raw: readonly string[]): boolean {
  let count = 0;
  for (let i = 0; i < raw.length; i += 2)
    if (raw[i]!.length === header.length && raw[i]!.toLowerCase() === header) count++;
  return count > 1;
}
