import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface CompletionRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: {
    readonly model: string;
    readonly stream: boolean;
    readonly messages: readonly { readonly role: string; readonly content: string }[];
  };
}

/** Answers a request, byte for byte. */
export type Script = (response: ServerResponse, request: CompletionRequest) => unknown;

/** A service with OpenAI's chat completions that answers by a test's script. */
export class CompletionServer {
  readonly requests: CompletionRequest[] = [];
  /** What it answers to GET, by path, as JSON. */
  readonly facts = new Map<string, unknown>();
  script: Script = (response) => response.writeHead(500).end();
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #open = 0;

  private constructor() {
    this.#server = createServer((request, response) => {
      if (request.method === 'GET') {
        const fact = this.facts.get(request.url!);
        response.writeHead(fact === undefined ? 404 : 200).end(JSON.stringify(fact ?? {}));
        return;
      }
      void (async () => {
        let body = '';
        for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
        const seen = {
          path: request.url!,
          headers: request.headers,
          body: JSON.parse(body) as CompletionRequest['body'],
        };
        this.requests.push(seen);
        await this.script(response, seen);
      })();
    });
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      this.#open++;
      socket.on('close', () => this.#open--);
    });
  }

  static async start(): Promise<CompletionServer> {
    const server = new CompletionServer();
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** Connections that the client has not closed. */
  get openConnections(): number {
    return this.#open;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Begins a stream of events. */
export function beginStream(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
}

/** One event with a piece of the answer. */
export function piece(content: string, finish: string | null = null): string {
  return event({ object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content }, finish_reason: finish }] });
}

export function event(data: unknown): string {
  return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

/** Streams an answer in pieces, to its proper end. */
export function answering(...pieces: readonly string[]): Script {
  return (response) => {
    beginStream(response);
    for (const one of pieces) response.write(piece(one));
    response.end(piece('', 'stop') + event('[DONE]'));
  };
}
