import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A secret as it is kept: by its SHA-256 alone. */
export interface SecretRecord {
  /** In hexadecimal. */
  readonly hash: string;
  /** Milliseconds since 1970. Of one that was rotated: until when it is still good. */
  readonly expiresAt?: number;
}

/** 256 random bits. Standard Webhooks wants its keys in plain base64, as the other side decodes them. */
export function newSecret(encoding: 'base64' | 'base64url'): string {
  return `whsec_${randomBytes(32).toString(encoding)}`;
}

export function hashSecret(secret: string): string {
  return digest(secret).toString('hex');
}

/** Whether it is one of the secrets that are good now, in a time that does not tell which. */
export function isSecretOf(secrets: readonly SecretRecord[], presented: string, now: number): boolean {
  const found = digest(presented);
  let isOne = false;
  for (const { hash, expiresAt = Infinity } of secrets)
    if (timingSafeEqual(Buffer.from(hash, 'hex'), found) && now < expiresAt) isOne = true;
  return isOne;
}

/** By way of hexadecimal it takes half the time: memory of a buffer's own costs more than the hash. */
function digest(text: string): Buffer {
  return Buffer.from(hash('sha256', text, 'hex'), 'hex');
}
