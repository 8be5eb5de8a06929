import { createHash } from 'node:crypto';
import { join } from 'node:path';
import envPaths from 'env-paths';
import { clientErrors } from './errors.ts';

/** Where a service is and what opens it. The token is a secret: it is sent to that address and written nowhere. */
export interface Connection {
  readonly url: string;
  readonly token: string;
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * A connection as a person typed it: the address without what stands behind the host's path, the token without blanks. Throws
 * `BadUrl`, `InsecureUrl` where the token would cross a network in the clear, and `BadToken`.
 */
export function readConnection(url: string, token: string): Connection {
  const parsed = URL.canParse(url.trim()) ? new URL(url.trim()) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username !== '') throw clientErrors.badUrl(url);
  if (parsed.protocol === 'http:' && !LOOPBACK.test(parsed.hostname)) throw clientErrors.insecureUrl(parsed.host);
  if (!/^[\x21-\x7e]+$/.test(token.trim())) throw clientErrors.badToken();
  return { url: `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`, token: token.trim() };
}

/**
 * Names a connection in files: what one token was answered is never shown to another. A hash, so that no file has the token;
 * tokens are long and random, so that it cannot be guessed from the hash.
 */
export function accountKey({ url, token }: Connection): string {
  return createHash('sha256').update(`sextant-analytics\0${url}\0${token}`).digest('hex').slice(0, 32);
}

/** What windows and the command share: the limit of requests is a token's, not a window's, and so is what was answered. */
export function analyticsFolder(named?: string): string {
  return named ?? join(envPaths('sextant', { suffix: '' }).data, 'analytics');
}
