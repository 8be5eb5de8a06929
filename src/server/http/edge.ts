import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerOptions as HttpServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { ERROR_STATUS, type ErrorCode } from '../../analytics/contract.ts';
import type { Clock } from '../../base/clock.ts';
import { SextantError, describeError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { Certificate } from './certificate.ts';
import { errorText, HttpError, httpErrors, toHttpError } from './errors.ts';
import type { Caller, HttpExchange, Reply, Resource } from './exchange.ts';
import { ABSOLUTE, type HostCheck } from './hosts.ts';
import { WrittenJson } from './jsonWriter.ts';
import { sendLines } from './replyLines.ts';
import { checkBody, hasBody, pieces, readBody, type BodyMemory } from './requestBody.ts';
import type { RequestEntry, RequestLog } from './requestLog.ts';
import { Router, type Match } from './router.ts';

export interface EdgeTimeouts {
  /** For the head of a request. */
  readonly headersMs: number;
  /** Between two pieces of a body, and for all of one. */
  readonly bodyIdleMs: number;
  readonly bodyMs: number;
  /** For the rest of a body after its answer. */
  readonly lingerMs: number;
  /** For a connection on which nothing happens. */
  readonly idleMs: number;
}

/** A request that is held back. */
export interface HeldRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborts when the server closes: then nothing may be held back longer. */
  readonly closing: AbortSignal;
  /** Has the request answered as usual. */
  readonly proceed: () => void;
  /** Records that it was answered otherwise. Status 0 stands for no answer. */
  readonly answered: (status: number, note: string) => void;
}

export type Interception = (held: HeldRequest) => void;

export const DEFAULT_TIMEOUTS: EdgeTimeouts = {
  headersMs: 15_000,
  bodyIdleMs: 15_000,
  bodyMs: 60_000,
  lingerMs: 5_000,
  idleMs: 75_000,
};

export interface EdgeOptions {
  readonly resources: readonly Resource[];
  readonly hosts: HostCheck;
  readonly requestLog: RequestLog;
  /** Called after each answer. */
  readonly onAnswered?: ((entry: RequestEntry) => void) | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timeouts?: Partial<EdgeTimeouts>;
  /** Bytes of all bodies that have not come whole; more are refused. */
  readonly bodyBytes?: number;
  /** May take a request before it is answered: returns what to do with it, or `undefined` to have it answered. */
  readonly beforeAnswer?: (method: string, path: string) => Interception | undefined;
  /** Why nothing but `/healthz` may be answered, if so: checked for each request, before any fault. */
  readonly unavailable?: (method: string, path: string) => SextantError | undefined;
}

/** Many requests without a token may each bring a body: together they must not fill the memory. */
const DEFAULT_BODY_BYTES = 256 << 20;
const HEALTH = '/healthz';
const JSON_TYPE = 'application/json';
/** Interval between two scans for idle connections while the server closes. */
const SWEEP_MS = 50;

/**
 * HTTP in front of the services. Every request passes the same checks in the same order – host, path, guard (authentication),
 * admission (permission, rate limit), method, content type, size – and gets JSON, whatever is wrong with it. Bare node:http, because
 * what matters here lies below a framework: `Expect`, sockets that are half closed or slow, and what node itself refuses.
 */
export class HttpEdge {
  readonly #options: EdgeOptions;
  readonly #timeouts: EdgeTimeouts;
  readonly #router: Router;
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  /** The last request of each connection. */
  readonly #last = new WeakMap<Socket, { request: IncomingMessage; response: ServerResponse }>();
  readonly #bodyMemory: BodyMemory;
  #closing: Promise<void> | undefined;
  readonly #stop = new AbortController();
  #answers: { readonly response: ServerResponse; readonly json: WrittenJson }[] = [];

  constructor(options: EdgeOptions) {
    this.#options = options;
    this.#timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
    this.#bodyMemory = { max: options.bodyBytes ?? DEFAULT_BODY_BYTES, used: 0 };
    this.#router = new Router(options.resources);
  }

  /** Listens at one more address, with TLS if there is a certificate. Resolves with the port. Throws node's error where it is taken. */
  listen(host: string, port: number, certificate?: Certificate): Promise<number> {
    const server = this.#newServer(certificate);
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        server.off('error', reject);
        this.#servers.push(server);
        resolve((server.address() as AddressInfo).port);
      });
    });
  }

  /** Takes no further connection, and resolves when what is in flight is answered, or after `limitMs`. */
  close(limitMs = 10_000): Promise<void> {
    return (this.#closing ??= this.#close(limitMs));
  }

  async #close(limitMs: number): Promise<void> {
    // Faults that hold an answer back let it go.
    this.#stop.abort();
    const servers = this.#servers;
    const closeIdle = (): void => {
      for (const server of servers) server.closeIdleConnections();
      // Node waits for the first request of those that clients open in advance.
      for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
    };
    const timer = setTimeout(() => servers.forEach((server) => server.closeAllConnections()), limitMs);
    // Answers whose head is out already say nothing of the end; their connections are idle afterwards.
    const sweep = setInterval(closeIdle, SWEEP_MS);
    const closed = servers.map((server) => new Promise((done) => server.close(done)));
    closeIdle();
    await Promise.all(closed);
    clearTimeout(timer);
    clearInterval(sweep);
  }

  #newServer(certificate: Certificate | undefined): Server {
    const { headersMs, idleMs } = this.#timeouts;
    const options = {
      // Node would answer a missing Host by itself, without a body.
      requireHostHeader: false,
      connectionsCheckingInterval: Math.min(1_000, headersMs),
    };
    const server = certificate ? this.#newSecureServer(certificate, options) : createServer(options);
    server.headersTimeout = headersMs;
    // Bodies have separate time limits, as an import may take minutes.
    server.requestTimeout = 0;
    server.keepAliveTimeout = idleMs;
    server.timeout = idleMs;
    server.on('timeout', (socket: Socket) => {
      // A client that waits for a late answer is not idle. A body has separate time limits.
      if (this.#last.get(socket)?.response.headersSent !== false) socket.destroy();
    });
    server.on(certificate ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('request', (request, response) => this.#receive(request, response));
    server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) =>
      this.#receive(request, response, true),
    );
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      this.#sendError(response, httpErrors.expectation());
      this.#linger(request);
    });
    server.on('connect', (_request: IncomingMessage, socket: Socket) =>
      refuseRaw(socket, httpErrors.methodNotAllowed(['GET', 'POST'])),
    );
    server.on('clientError', (error: ClientError, socket: Socket) => this.#onClientError(error, socket));
    return server;
  }

  #newSecureServer(certificate: Certificate, options: HttpServerOptions): Server {
    const server = createSecureServer({
      ...options,
      ...certificate.context,
      handshakeTimeout: this.#timeouts.headersMs,
    });
    // Without it, the socket of a failed handshake would be answered in plain HTTP.
    server.on('tlsClientError', (_error, socket) => void socket.destroy());
    certificate.renew(server);
    return server;
  }

  /** Answers a request, unless `beforeAnswer` takes it. */
  #receive(request: IncomingMessage, response: ServerResponse, expectsContinue = false): void {
    const { beforeAnswer, requestLog, clock } = this.#options;
    const method = request.method ?? '';
    const began = performance.now();
    const { path, query } = target(request.url ?? '');
    const unavailable = this.#options.unavailable?.(method, path);
    const intercept = unavailable ? undefined : beforeAnswer?.(method, path);
    if (!intercept) {
      this.#answer(request, response, expectsContinue, unavailable);
      return;
    }
    this.#remember(request, response);
    intercept({
      ...{ request, response, closing: this.#stop.signal },
      proceed: () => this.#answer(request, response, expectsContinue),
      answered: (status, note) =>
        requestLog.add({
          ...{ at: clock.now(), method, path, query, rawHeaders: request.rawHeaders },
          ...{ durationMs: performance.now() - began, caller: undefined, status, warnings: [note] },
        }),
    });
  }

  #answer(
    request: IncomingMessage,
    response: ServerResponse,
    expectsContinue = false,
    unavailable?: SextantError,
  ): void {
    const began = performance.now();
    this.#remember(request, response);
    const { path, query } = target(request.url ?? '');
    const warnings: string[] = [];
    // Also of a refused request: its resource is notified, the client is not.
    const found = this.#router.find(path);
    let match: Match | undefined;
    let caller: Caller | undefined;

    const finish = (reply: Reply | HttpError): void => {
      const error = reply instanceof HttpError ? reply : undefined;
      if (error) this.#sendError(response, error);
      else this.#send(request, response, reply as Reply);
      if (hasBody(request) && !request.complete) this.#linger(request);
      // A server that lost its state must not write about it either.
      if (error && error.code !== 'ServiceUnavailable' && found?.resource.onRefused) {
        const { code, reason } = error;
        found.resource.onRefused({ parameters: found.parameters, status: ERROR_STATUS[code], code, reason });
      }
      const { onAnswered } = this.#options;
      const isLogged = match?.resource.isLogged !== false;
      if (!isLogged && !onAnswered) return;
      const entry: RequestEntry = {
        at: this.#options.clock.now(),
        method: request.method ?? '',
        path,
        query,
        rawHeaders: request.rawHeaders,
        durationMs: performance.now() - began,
        caller: caller?.name,
        status: response.statusCode,
        error: error && { code: error.code, message: error.message },
        warnings,
      };
      onAnswered?.(entry);
      if (isLogged) this.#options.requestLog.add(entry);
    };
    const fail = (error: unknown): void => {
      if (error instanceof SextantError && error.code === 'ClientGone') {
        this.#options.logger.debug(`${request.method} ${path}: ${error.message}`);
        response.destroy();
        return;
      }
      const shown = toHttpError(error);
      if (shown.code === 'Internal')
        this.#options.logger.error(
          `${request.method} ${path}: ${error instanceof Error ? (error.stack ?? describeError(error)) : String(error)}`,
        );
      finish(shown);
    };

    try {
      this.#options.hosts.check(request);
      if (unavailable && path !== HEALTH) throw unavailable;
      match = found;
      if (!match) throw httpErrors.notFound(`path ${path.slice(0, 200)}`);
      const { resource, parameters } = match;
      caller = resource.guard?.(request.headers, parameters, request.socket.remoteAddress);
      if (caller) resource.admit?.(caller);
      const operation = resource.methods[request.method ?? ''] ?? resource.otherwise?.(parameters);
      if (!operation) throw httpErrors.methodNotAllowed(Object.keys(resource.methods));
      checkBody(request, operation, parameters);
      const begin = (): void => {
        if (expectsContinue) response.writeContinue();
        expectsContinue = false;
      };
      const exchange: HttpExchange = {
        method: request.method ?? '',
        headers: request.headers,
        rawHeaders: request.rawHeaders,
        query,
        parameters,
        caller,
        body: () => {
          begin();
          const { bodyIdleMs: idleMs, bodyMs: totalMs } = this.#timeouts;
          return readBody(request, operation.maxBytes ?? 0, { idleMs, totalMs }, this.#bodyMemory);
        },
        stream: () => {
          begin();
          return pieces(request, this.#timeouts.bodyIdleMs);
        },
        gone: () => {
          const gone = new AbortController();
          response.once('close', () => gone.abort());
          if (response.destroyed) gone.abort();
          return gone.signal;
        },
        warn: (message) => void warnings.push(message),
      };
      const reply = operation.handle(exchange);
      if (reply instanceof Promise) reply.then(finish).catch(fail);
      else finish(reply);
    } catch (error) {
      fail(error);
    }
  }

  #remember(request: IncomingMessage, response: ServerResponse): void {
    const last = this.#last.get(request.socket);
    if (last) [last.request, last.response] = [request, response];
    else this.#last.set(request.socket, { request, response });
  }

  #send(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
    if (reply instanceof WrittenJson) {
      this.#sendJson(response, 200, reply);
      return;
    }
    if ('json' in reply) {
      this.#sendJson(response, reply.status ?? 200, new WrittenJson(JSON.stringify(reply.json)));
      return;
    }
    if ('bytes' in reply) {
      const bytes = Buffer.from(reply.bytes);
      // A status without a body must not name the length of one.
      const length = reply.status === 204 || reply.status === 304 ? {} : { 'Content-Length': bytes.length };
      response.writeHead(reply.status, this.#headers({ ...reply.headers, ...length }));
      response.end(bytes);
      return;
    }
    response.writeHead(200, this.#headers({ 'Content-Type': reply.contentType }));
    sendLines(response, reply.lines).catch((error: unknown) => {
      // A client that closed the connection has stopped it.
      this.#options.logger[response.destroyed ? 'debug' : 'error'](
        `${request.method} ${request.url}: ${describeError(error)}`,
      );
      response.destroy();
    });
  }

  #sendError(response: ServerResponse, error: HttpError): void {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const body = new WrittenJson(errorText(error.code, error.message));
    this.#sendJson(response, ERROR_STATUS[error.code], body, error.headers);
  }

  #sendJson(
    response: ServerResponse,
    status: number,
    json: WrittenJson,
    more?: Readonly<Record<string, string>>,
  ): void {
    response.writeHead(status, this.#headers({ 'Content-Type': JSON_TYPE, 'Content-Length': json.bytes, ...more }));
    this.#answers.push({ response, json });
    if (this.#answers.length === 1) setImmediate(this.#flush);
  }

  /**
   * Answers leave together, once all requests that came together are worked on. Each wakes a waiting client, and to wake
   * one that fell asleep since the last answer costs as much as the answer.
   */
  readonly #flush = (): void => {
    const answers = this.#answers;
    this.#answers = [];
    for (const { response, json } of answers) {
      const { body, bytes, done } = json;
      // As many bytes as characters: it is all ASCII, which is copied faster than UTF-8 is encoded.
      response.end(body, body.length === bytes ? 'latin1' : 'utf8', done);
    }
  };

  #headers(own: Record<string, string | number>): Record<string, string | number> {
    own['Cache-Control'] = 'no-store';
    if (this.#stop.signal.aborted) own.Connection = 'close';
    return own;
  }

  /**
   * The answer is out before the request is in. What comes is thrown away, since closing at once would reset the connection
   * and take the answer with it; but not for ever.
   */
  #linger(request: IncomingMessage): void {
    const { socket } = request;
    const timer = setTimeout(() => {
      // By then the connection may be at another request already.
      if (!request.complete) socket.destroy();
    }, this.#timeouts.lingerMs);
    request.once('close', () => clearTimeout(timer));
    request.resume();
  }

  /** What node could not read as HTTP, or did not want to wait for. */
  #onClientError(error: ClientError, socket: Socket): void {
    // What came before it is answered.
    this.#flush();
    const last = this.#last.get(socket);
    // Of a request whose answer has begun, or that is whole and waits for it, nothing more can be said.
    const isTooLate =
      last !== undefined && !last.response.writableFinished && (last.response.headersSent || last.request.complete);
    if (isTooLate || !socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else refuseRaw(socket, readError(error));
  }
}

interface ClientError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
}

function readError({ code, rawPacket }: ClientError): HttpError {
  if (code === 'HPE_HEADER_OVERFLOW') return new HttpError('HeadersTooLarge', 'the head of the request is too large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return httpErrors.timeout();
  const start = rawPacket?.toString('latin1', 0, 1000) ?? '';
  // A method that node does not know.
  if (code === 'HPE_INVALID_METHOD' && /^[A-Z-]+ \S+ HTTP\/1/.test(start))
    return httpErrors.methodNotAllowed(['GET', 'POST']);
  return httpErrors.badRequest('the request is not valid HTTP');
}

/** Answers on a connection that no request object stands for, and closes it. */
function refuseRaw(socket: Socket, { code, message, headers }: HttpError): void {
  const status = ERROR_STATUS[code satisfies ErrorCode];
  const body = errorText(code, message);
  const head = {
    ...headers,
    'Content-Type': JSON_TYPE,
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  // A client that goes on sending, or never closes, is not waited for.
  socket.setTimeout(1_000, () => socket.destroy());
}

/** Path and query of a request target, also of one that names the host (`GET http://127.0.0.1/healthz`). */
function target(url: string): { readonly path: string; readonly query: string } {
  const own = url.startsWith('/') ? 0 : (ABSOLUTE.exec(url)?.[0].length ?? 0);
  const at = url.indexOf('?', own);
  return at < 0 ? { path: url.slice(own), query: '' } : { path: url.slice(own, at), query: url.slice(at + 1) };
}
