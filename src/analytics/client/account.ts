import { createHash } from 'node:crypto';
import { join } from 'node:path';
import envPaths from 'env-paths';
import { isLoopback } from '../../base/loopback.ts';
import { clientErrors } from './errors.ts';

/** Address and token of a service. The token is a secret: it is sent to that address and written nowhere. */
export interface Connection {
  readonly url: string;
  readonly token: string;
}

/**
 * Parses a typed connection: the address without anything after its path, the token without blanks. Throws `BadUrl`,
 * `BadToken`, and `InsecureUrl` if the token would cross a network in the clear.
 */
export function readConnection(url: string, token: string): Connection {
  const parsed = URL.canParse(url.trim()) ? new URL(url.trim()) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username !== '') throw clientErrors.badUrl(url);
  if (parsed.protocol === 'http:' && !isLoopback(parsed.hostname)) throw clientErrors.insecureUrl(parsed.host);
  if (!/^[\x21-\x7e]+$/.test(token.trim())) throw clientErrors.badToken();
  return { url: `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`, token: token.trim() };
}

/**
 * Names a connection in files, so that answers to one token are never shown to another. A hash, so that no file has the
 * token; tokens are long and random, so that it cannot be guessed from the hash.
 */
export function accountKey({ url, token }: Connection): string {
  return createHash('sha256').update(`sextant-analytics\0${url}\0${token}`).digest('hex').slice(0, 32);
}

/** Connections without those to an organization that an earlier one is for; `onDouble` receives the later and the earlier. */
export function withoutDoubles<T extends { readonly connection: Connection }>(
  all: readonly T[],
  onDouble?: (later: T, earlier: T) => void,
): T[] {
  const known = new Map<string, T>();
  for (const one of all) {
    const key = accountKey(one.connection);
    const earlier = known.get(key);
    if (earlier) onDouble?.(one, earlier);
    else known.set(key, one);
  }
  return [...known.values()];
}

/**
 * Folder shared by windows and the command: the rate limit belongs to a token, not to a window, and so do the answers.
 */
export function analyticsFolder(named?: string): string {
  return named ?? join(envPaths('sextant', { suffix: '' }).data, 'analytics');
}
