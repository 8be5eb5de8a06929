import { STATUS_CODES, type ServerResponse } from 'node:http';
import { ERROR_STATUS } from '../../analytics/contract.ts';
import type { HeldRequest, Interception } from '../http/edge.ts';
import type { Fault, Faults } from './faults.ts';

/** No fault hits the admin plane. */
const ADMIN = '/__admin/';

/** Pieces per second of a body that drips. */
const DRIPS_PER_SECOND = 10;

/** The hook of the HTTP edge that injects faults. */
export function injectFaults(faults: Faults): (method: string, path: string) => Interception | undefined {
  return (method, path) => {
    const fault = faults.isEmpty || path.startsWith(ADMIN) ? undefined : faults.take(method, path);
    return fault && ((held) => inject(fault, held));
  };
}

/** Applies a fault to a request. What takes long ends once the server closes: the request is answered, and a drip comes at once. */
function inject({ id, rule, delayMs }: Fault, held: HeldRequest): void {
  const { request, response, closing, proceed } = held;
  const answered = (status: number): void => held.answered(status, `injected by ${id}`);
  const act = (): void => {
    if (request.socket.destroyed) return;
    if (rule.reset) {
      request.socket.resetAndDestroy();
      answered(0);
      return;
    }
    if (rule.truncate) truncate(response);
    else if (rule.drip) drip(response, rule.drip.bytesPerSecond, closing);
    if (rule.status === undefined) {
      proceed();
      return;
    }
    const text = JSON.stringify({ error: { code: codeOf(rule.status), message: `injected by ${id}` } });
    const retryAfter = rule.retryAfter ?? (rule.status === 429 ? 10 : undefined);
    response.writeHead(rule.status, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
      'Cache-Control': 'no-store',
      ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
    });
    response.end(text);
    request.resume();
    answered(rule.status);
  };
  if (delayMs === 0) act();
  else sleepThrough(delayMs, response, closing, act);
}

/** Calls `wake` after `ms` milliseconds or when the server closes; never if the client closes the connection first. */
function sleepThrough(ms: number, response: ServerResponse, closing: AbortSignal, wake: () => void): void {
  const end = (): void => {
    clearTimeout(timer);
    closing.removeEventListener('abort', over);
    response.off('close', end);
  };
  const over = (): void => {
    end();
    wake();
  };
  const timer = setTimeout(over, closing.aborted ? 0 : ms);
  closing.addEventListener('abort', over);
  response.once('close', end);
}

function codeOf(status: number): string {
  const known = Object.entries(ERROR_STATUS).find(([, one]) => one === status)?.[0];
  return known ?? (STATUS_CODES[status] ?? 'Unavailable').replace(/[^A-Za-z]/g, '');
}

/** The head promises the whole body; half of it comes, and then the end of the connection. */
function truncate(response: ServerResponse): void {
  replaceEnd(response, (body) => {
    response.write(body.subarray(0, body.length >> 1), () => response.destroy());
  });
}

function drip(response: ServerResponse, bytesPerSecond: number, closing: AbortSignal): void {
  replaceEnd(response, (body, end) => {
    const size = Math.max(1, Math.floor(bytesPerSecond / DRIPS_PER_SECOND));
    const pauseMs = (1000 * size) / bytesPerSecond;
    let at = 0;
    const next = (): void => {
      const to = closing.aborted ? body.length : at + size;
      response.write(body.subarray(at, to));
      at = to;
      if (at < body.length) sleepThrough(pauseMs, response, closing, next);
      else end();
    };
    sleepThrough(pauseMs, response, closing, next);
  });
}

/** What is written last is not sent as it is. Answers in parts go out as they are up to their last part. */
function replaceEnd(response: ServerResponse, send: (body: Buffer, end: () => void) => void): void {
  const end = response.end.bind(response);
  response.end = ((chunk?: string | Buffer) => {
    response.end = end;
    send(Buffer.from(chunk ?? ''), () => void end());
    return response;
  }) as ServerResponse['end'];
}
