import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Scope } from '../../analytics/contract.ts';
import { httpErrors } from '../http/errors.ts';
import type { Caller } from '../http/exchange.ts';

export interface TokenCaller extends Caller {
  readonly scopes: ReadonlySet<Scope>;
}

export interface TokenRecord {
  readonly name: string;
  /** SHA-256 of the token in hexadecimal. */
  readonly hash: string;
  readonly scopes: readonly Scope[];
}

/** 256 random bits; the prefix lets people and secret scanners know what it is. */
export function newToken(prefix: 'sxt' | 'sxa'): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`;
}

export function hashToken(token: string): string {
  return digest(token).toString('hex');
}

/** The tokens of callers, by hash only. */
export class Tokens {
  readonly #byName = new Map<string, { readonly hash: Buffer; readonly caller: TokenCaller }>();

  set({ name, hash, scopes }: TokenRecord): void {
    this.#byName.set(name, { hash: Buffer.from(hash, 'hex'), caller: { name, scopes: new Set(scopes) } });
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  delete(name: string): void {
    this.#byName.delete(name);
  }

  list(): TokenRecord[] {
    return [...this.#byName.values()].map(({ hash, caller: { name, scopes } }) => ({
      ...{ name, hash: hash.toString('hex'), scopes: [...scopes] },
    }));
  }

  clear(): void {
    this.#byName.clear();
  }

  /** Who has the token of an `Authorization` header. Throws `Unauthenticated`. */
  authenticate(authorization: string | undefined): TokenCaller {
    const presented = digest(bearer(authorization));
    let found: TokenCaller | undefined;
    // All of them, whichever fits, so that time does not tell which.
    for (const one of this.#byName.values()) if (timingSafeEqual(one.hash, presented)) found = one.caller;
    if (!found) throw httpErrors.unauthenticated();
    return found;
  }
}

/** Throws `Unauthenticated` where the header does not carry this very token. */
export function requireToken(authorization: string | undefined, expected: Buffer): void {
  if (!timingSafeEqual(digest(bearer(authorization)), expected)) throw httpErrors.unauthenticated();
}

export function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** The token of an `Authorization` header. Throws `Unauthenticated`. */
export function bearer(authorization: string | undefined): string {
  const token = /^Bearer +([^\s]+) *$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) throw httpErrors.unauthenticated();
  return token;
}
