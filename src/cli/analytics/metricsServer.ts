import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SextantError, systemCode } from '../../base/errors.ts';
import { OPEN_METRICS_TYPE, PROMETHEUS_TYPE } from '../../base/openMetrics.ts';
import { HostCheck } from '../../server/http/hosts.ts';

const HOST = '127.0.0.1';
const PATH = '/metrics';
const PLAIN = 'text/plain; charset=utf-8';
/** Pause until the next scrape while the first figures are loaded. */
const RETRY_SECONDS = 15;

/** Serves a text to programs of this machine. */
export class MetricsServer {
  /** OpenMetrics text; undefined before the first figures are known. */
  text: string | undefined;
  readonly #server: Server;
  readonly #hosts = new HostCheck([]);

  constructor() {
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  /** Resolves with the port. Throws `CannotListen`. */
  listen(port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', (error: Error) => reject(explain(error, port)));
      this.#server.listen(port, HOST, () => resolve((this.#server.address() as AddressInfo).port));
    });
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '', headers } = request;
    request.resume();
    const send = (status: number, type: string, body: string, more: Readonly<Record<string, string>> = {}): void => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', ...more });
      response.end(method === 'HEAD' ? undefined : body);
    };
    try {
      // A page of a foreign name must not read who spends how much.
      this.#hosts.check(request);
    } catch {
      send(403, PLAIN, `Programs of this machine alone are answered, at http://${HOST}.\n`);
      return;
    }
    if (method !== 'GET' && method !== 'HEAD') send(405, PLAIN, 'Send GET.\n', { allow: 'GET, HEAD' });
    else if (!new RegExp(`^(https?://[^/]*)?${PATH}(\\?|$)`).test(url))
      send(404, PLAIN, `The figures are at ${PATH}.\n`);
    else if (this.text === undefined)
      send(503, PLAIN, 'The first figures are being loaded.\n', { 'retry-after': String(RETRY_SECONDS) });
    else {
      const isOpen = headers.accept?.includes('application/openmetrics-text') === true;
      send(200, isOpen ? OPEN_METRICS_TYPE : PROMETHEUS_TYPE, this.text);
    }
  }
}

function explain(error: Error, port: number): Error {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'another program listens there. Choose another with --port, or 0 for a free one',
    EACCES: 'the system does not allow it. Choose a port above 1023',
  };
  const reason = reasons[systemCode(error) ?? ''];
  if (reason === undefined) return error;
  return new SextantError('CannotListen', `Port ${port} of ${HOST} cannot be used: ${reason}.`, { cause: error });
}
