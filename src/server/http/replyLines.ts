import type { ServerResponse } from 'node:http';

/** Characters of a piece, of an answer in parts. */
const PIECE = 65_536;

/** Sends an answer in parts, as fast as the client reads. */
export async function sendLines(
  response: ServerResponse,
  lines: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  let piece = '';
  const send = async (): Promise<void> => {
    const sent = piece;
    piece = '';
    if (!response.write(sent)) await drained(response);
    // Nothing is waited for where the client is quick, and others have to get their turn.
    else await new Promise((resolve) => setImmediate(resolve));
  };
  if (Symbol.iterator in lines) {
    for (const line of lines) {
      piece += `${line}\n`;
      if (piece.length >= PIECE) await send();
      if (response.destroyed) return;
    }
  } else {
    // Each at once, as the next may be long in coming.
    for await (const line of lines) {
      piece += `${line}\n`;
      await send();
      if (response.destroyed) return;
    }
  }
  response.end(piece);
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
