import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An answer of {@link AlertReceiver}: a status, or a failure of the connection before or after the body was read. */
export type Behavior =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | 'hang'
  | 'reset';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A real receiver of alerts. It keeps each request, and answers the next ones as set, then with 200. */
export class AlertReceiver {
  readonly received: Received[] = [];
  readonly behaviors: Behavior[] = [];
  /** Milliseconds before each answer. */
  delayMs = 0;
  /** The most requests that were open at one time. */
  mostAtOnce = 0;
  readonly #hanging: ServerResponse[] = [];
  #open = 0;
  readonly #server = createServer((request, response) => {
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#open);
    response.once('close', () => this.#open--);
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      this.received.push({ path: request.url ?? '', headers: request.headers, body });
      setTimeout(() => this.#answer(response), this.delayMs);
    });
  });

  static async start(): Promise<AlertReceiver> {
    const receiver = new AlertReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  /** A URL with a secret. */
  url(secret = 'T0PSECRET'): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/services/${secret}?sig=SIGNED-${secret}`;
  }

  /** The bodies received, as JSON. */
  get bodies(): unknown[] {
    return this.received.map(({ body }) => JSON.parse(body) as unknown);
  }

  #answer(response: ServerResponse): void {
    const behavior = this.behaviors.shift() ?? { status: 200, body: 'ok' };
    if (behavior === 'reset') response.destroy();
    else if (behavior === 'hang') this.#hanging.push(response);
    else response.writeHead(behavior.status, behavior.headers).end(behavior.body ?? '');
  }

  async close(): Promise<void> {
    for (const response of this.#hanging) response.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
