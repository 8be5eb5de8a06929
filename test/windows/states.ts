import { createHash } from 'node:crypto';
import { seeded } from '../fault/truth.ts';

/** Names a set of documents. */
export function stateOf(ids: Iterable<string>): string {
  return createHash('sha256')
    .update([...ids].sort().join())
    .digest('hex')
    .slice(0, 16);
}

/** The body of an event by its number, the same in every process. */
export function bodyOf(number: number): Buffer {
  const random = seeded(number);
  return Buffer.from(JSON.stringify({ number, text: 'x'.repeat(random() * 2000) }));
}
