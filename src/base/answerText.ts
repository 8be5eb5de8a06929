import type { Readable } from 'node:stream';

/** Bytes of the longest answer to read. The largest real one, the limits of a hundred thousand accounts, has 20 MB. */
export const MOST_ANSWER_BYTES = 128 << 20;

/** What a service with a longer answer did, for messages. */
export const ANSWERED_TOO_MUCH = `more than ${MOST_ANSWER_BYTES >> 20} MB`;

/**
 * The text of an answer. `undefined` if it has more than {@link MOST_ANSWER_BYTES}: the rest is not read, since a service that
 * never ends its answer would fill the memory.
 */
export async function answerText(body: Readable): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop closes the connection.
    if (size > MOST_ANSWER_BYTES) return undefined;
    chunks.push(chunk);
  }
  // Unlike `toString`, it removes a byte order mark.
  return new TextDecoder().decode(Buffer.concat(chunks));
}
