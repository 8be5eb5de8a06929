import type { IncomingMessage } from 'node:http';
import { SextantError } from '../../base/errors.ts';
import { httpErrors } from './errors.ts';
import type { HttpExchange, Operation } from './exchange.ts';

export interface BodyTimeouts {
  /** Between two pieces of a body. */
  readonly idleMs: number;
  /** For a whole body, where it is read as one. */
  readonly totalMs: number;
}

/** What the bodies take that have not come whole, in bytes, and may take at the most. */
export interface BodyMemory {
  readonly max: number;
  used: number;
}

/** Throws `PayloadTooLarge` as soon as it is known to be, `ServiceUnavailable` for want of memory, `RequestTimeout`, or `ClientGone`. */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  timeouts: BodyTimeouts,
  memory: BodyMemory,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let [length, isOver] = [0, false];
    let [idle, total] = [undefined as NodeJS.Timeout | undefined, undefined as NodeJS.Timeout | undefined];
    // Listeners stay, since they go with the request: to take four off one by one costs more than to read a usual body. What
    // comes once it is over flows away.
    const settle = (): void => {
      isOver = true;
      memory.used -= length;
      clearTimeout(idle);
      clearTimeout(total);
    };
    const fail = (error: () => SextantError): void => {
      if (isOver) return;
      settle();
      chunks.length = 0;
      reject(error());
    };
    const onLate = (): void => fail(httpErrors.timeout);
    const onGone = (): void => fail(clientGone);
    // Most bodies came with their head: clocks are for the others, as to wind them up costs more than to read the body.
    afterThisTurn(() => {
      if (isOver) return;
      idle = setTimeout(onLate, timeouts.idleMs);
      total = setTimeout(onLate, timeouts.totalMs);
    });
    request
      .on('data', (chunk: Buffer) => {
        if (isOver) return;
        length += chunk.length;
        memory.used += chunk.length;
        idle?.refresh();
        if (length > maxBytes) fail(() => httpErrors.tooLarge(maxBytes));
        else if (memory.used > memory.max) fail(httpErrors.tooManyBodies);
        else chunks.push(chunk);
      })
      .on('end', () => {
        if (isOver) return;
        settle();
        resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
      })
      .on('close', onGone)
      .on('error', onGone);
  });
}

let postponed: (() => void)[] = [];

/** Calls what was given in one turn of the event loop together, as an immediate for each costs more than all it would do. */
function afterThisTurn(call: () => void): void {
  if (postponed.push(call) > 1) return;
  setImmediate(() => {
    const calls = postponed;
    postponed = [];
    for (const one of calls) one();
  });
}

/** The client has closed the connection. */
export function clientGone(): SextantError {
  return new SextantError('ClientGone', 'The client went away before its request was complete.');
}

/** The pieces of a body. Who stops early leaves the rest unread: the request goes on flowing, for the answer to be read. */
export async function* pieces(request: IncomingMessage, idleMs: number): AsyncGenerator<Uint8Array> {
  const queue: Uint8Array[] = [];
  let state = 'open' as 'open' | 'ended' | 'gone' | 'late';
  let wake = (): void => undefined;
  const timer = setTimeout(() => settle('late'), idleMs);
  const settle = (to: typeof state): void => {
    if (state === 'open') state = to;
    wake();
  };
  const onData = (chunk: Uint8Array): void => {
    queue.push(chunk);
    timer.refresh();
    // What comes faster than it is used waits in the socket.
    if (queue.length > 64) request.pause();
    wake();
  };
  const onEnd = (): void => settle('ended');
  const onGone = (): void => settle('gone');
  request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone);
  try {
    for (;;) {
      const chunk = queue.shift();
      if (chunk) {
        if (queue.length === 0) request.resume();
        timer.refresh();
        yield chunk;
      } else if (state === 'open') await new Promise<void>((resolve) => (wake = resolve));
      else if (state === 'ended') return;
      else if (state === 'late') throw httpErrors.timeout();
      else throw clientGone();
    }
  } finally {
    clearTimeout(timer);
    request.off('data', onData).off('end', onEnd).off('close', onGone);
    request.resume();
  }
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Checks a body by its headers. Throws `UnsupportedMediaType` and `PayloadTooLarge`. */
export function checkBody(
  { headers }: IncomingMessage,
  { accepts: accepting, maxBytes }: Operation,
  parameters: HttpExchange['parameters'],
): void {
  const accepts = typeof accepting === 'function' ? accepting(parameters) : accepting;
  if (accepts) {
    const given = headers['content-type'] ?? '';
    // As most send it; what takes it apart costs as much as the rest of a check.
    if (!accepts.includes(given) && !isOneOf(accepts, given)) throw httpErrors.mediaType(accepts);
    if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') throw httpErrors.contentEncoding();
  }
  if (maxBytes !== undefined && Number(headers['content-length']) > maxBytes) throw httpErrors.tooLarge(maxBytes);
}

/** Whether a media type with its parameters is one of those, in UTF-8. */
function isOneOf(accepts: readonly string[], given: string): boolean {
  const [type = '', ...parameters] = given
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  return accepts.includes(type) && (charset === undefined || /^"?utf-?8"?$/.test(charset));
}
