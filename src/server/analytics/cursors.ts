import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { RowKey } from './factSource.ts';

/** Where a page ended. */
export interface PagePosition {
  /**
   * The hour of the request for the first page, in milliseconds since 1970. Defaults and limits of dates, and the days with
   * data, are those of that hour up to the last page, also across midnight.
   */
  readonly asOf: number;
  /** The days of the query, after defaults: those of a default may be written out or left out on later pages. */
  readonly days: string;
  /** Of the last row of the page. */
  readonly after: RowKey;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Cursors: positions that only this server can read and that are good for one query only. They are sealed (AES-256-GCM) with
 * the query as associated data, since names in clear would end up in the logs of every proxy. The nonce is derived from what
 * is sealed, so that the same page always has the same cursor.
 */
export class Cursors {
  readonly #key: KeyObject;

  /** `key` has 32 secret bytes. */
  constructor(key: Buffer) {
    this.#key = createSecretKey(key);
  }

  seal(query: string, { asOf, days, after }: PagePosition): string {
    const plain = JSON.stringify([asOf, days, ...after]);
    const digest = createHmac('sha256', this.#key).update(query).update('\0').update(plain).digest();
    const nonce = digest.subarray(0, NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(query));
    const sealed = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    return sealed.toString('base64url');
  }

  /** `undefined` where the cursor is not one of this query. */
  open(query: string, cursor: string): PagePosition | undefined {
    const bytes = Buffer.from(cursor, 'base64url');
    // Decoding passes over what is not base64url; a cursor has one form only.
    if (bytes.length <= NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== cursor) return undefined;
    const cipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(query)).setAuthTag(bytes.subarray(-TAG_BYTES));
    let plain: string;
    try {
      plain = cipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + cipher.final('utf8');
    } catch {
      // Altered, or sealed for another query.
      return undefined;
    }
    const [asOf, days, ...after] = JSON.parse(plain) as [number, string, ...string[]];
    return { asOf, days, after };
  }
}
