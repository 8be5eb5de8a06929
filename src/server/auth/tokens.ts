import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { TokenScope } from '../../analytics/contract.ts';
import { httpErrors } from '../http/errors.ts';
import type { Caller } from '../http/exchange.ts';
import type { TokenRecord } from '../state/records.ts';

export interface TokenCaller extends Caller {
  readonly scopes: ReadonlySet<TokenScope>;
  readonly repositories?: readonly string[] | undefined;
  readonly perMinute?: number | undefined;
}

/** 256 random bits; the prefix lets people and secret scanners know what it is. */
export function newToken(prefix: 'sxt' | 'sxa'): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`;
}

export function hashToken(token: string): string {
  return digest(token).toString('hex');
}

interface KnownToken {
  readonly hash: Buffer;
  readonly caller: TokenCaller;
}

/** The tokens of callers, by hash only. */
export class Tokens {
  readonly #byName = new Map<string, KnownToken>();
  /**
   * By the beginning of the hash, so that finding one costs the same for any number of tokens. Its time could reveal only whether
   * some token's hash begins so, from which no token can be derived; the whole is compared in constant time.
   */
  readonly #byStart = new Map<number, KnownToken[]>();

  set({ name, hash, scopes, ...bounds }: TokenRecord): void {
    this.delete(name);
    const known = { hash: Buffer.from(hash, 'hex'), caller: { name, scopes: new Set(scopes), ...bounds } };
    this.#byName.set(name, known);
    const start = startOf(known.hash);
    this.#byStart.set(start, [...(this.#byStart.get(start) ?? []), known]);
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  delete(name: string): void {
    const known = this.#byName.get(name);
    if (!known) return;
    this.#byName.delete(name);
    const start = startOf(known.hash);
    const others = this.#byStart.get(start)!.filter((one) => one !== known);
    if (others.length > 0) this.#byStart.set(start, others);
    else this.#byStart.delete(start);
  }

  list(): TokenRecord[] {
    return [...this.#byName.values()].map(({ hash, caller: { scopes, ...rest } }) => ({
      ...{ ...rest, hash: hash.toString('hex'), scopes: [...scopes] },
    }));
  }

  clear(): void {
    this.#byName.clear();
    this.#byStart.clear();
  }

  /** Who has the token of an `Authorization` header; of several that have it the last one named. Throws `Unauthenticated`. */
  authenticate(authorization: string | undefined): TokenCaller {
    const presented = digest(bearer(authorization));
    const alike = this.#byStart.get(startOf(presented)) ?? [];
    for (let i = alike.length - 1; i >= 0; i--) if (timingSafeEqual(alike[i]!.hash, presented)) return alike[i]!.caller;
    throw httpErrors.unauthenticated();
  }
}

function startOf(hash: Buffer): number {
  return hash.readUInt32LE(0);
}

/** Throws `Unauthenticated` where the header does not carry this very token. */
export function requireToken(authorization: string | undefined, expected: Buffer): void {
  if (!timingSafeEqual(digest(bearer(authorization)), expected)) throw httpErrors.unauthenticated();
}

/** By way of hexadecimal it takes half the time: memory of a buffer's own costs more than the hash. */
export function digest(token: string): Buffer {
  return Buffer.from(hash('sha256', token, 'hex'), 'hex');
}

/** The token of an `Authorization` header. Throws `Unauthenticated`. */
function bearer(authorization: string | undefined): string {
  const token = bearerOf(authorization);
  if (token === undefined) throw httpErrors.unauthenticated();
  return token;
}

/** The token of an `Authorization` header, if it has one. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer +([^\s]+) *$/i.exec(authorization ?? '')?.[1];
}
