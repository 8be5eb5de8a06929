import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A stored secret: its SHA-256 only. */
export interface SecretRecord {
  /** In hexadecimal. */
  readonly hash: string;
  /** End of a rotated secret's validity; milliseconds since 1970. */
  readonly expiresAt?: number;
}

/** 256 random bits. Standard Webhooks requires keys in plain base64, which the receiver decodes. */
export function newSecret(encoding: 'base64' | 'base64url'): string {
  return `whsec_${randomBytes(32).toString(encoding)}`;
}

export function hashSecret(secret: string): string {
  return digest(secret).toString('hex');
}

/** Whether a text is one of the secrets valid at `now`, in a time that does not reveal which. */
export function isSecretOf(secrets: readonly SecretRecord[], presented: string, now: number): boolean {
  const found = digest(presented);
  let isOne = false;
  for (const { hash, expiresAt = Infinity } of secrets)
    if (timingSafeEqual(Buffer.from(hash, 'hex'), found) && now < expiresAt) isOne = true;
  return isOne;
}

/** Hexadecimal takes half the time: allocating a buffer costs more than the hash. */
function digest(text: string): Buffer {
  return Buffer.from(hash('sha256', text, 'hex'), 'hex');
}
