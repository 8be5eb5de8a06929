import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

/** A connection that sends raw bytes. */
export class RawConnection {
  readonly socket: Socket;
  #received = '';
  #isOver = false;
  readonly closed: Promise<void>;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    this.socket.on('data', (chunk: Buffer) => (this.#received += chunk.toString('latin1')));
    this.closed = new Promise((resolve) => {
      const over = (): void => {
        this.#isOver = true;
        resolve();
      };
      this.socket.on('error', over).on('end', over).on('close', over);
    });
  }

  send(text: string | Uint8Array): this {
    if (this.socket.writable) this.socket.write(text);
    return this;
  }

  /** Closes the sending side, and keeps reading. */
  halfClose(): this {
    this.socket.end();
    return this;
  }

  destroy(): void {
    this.socket.destroy();
  }

  get received(): string {
    return this.#received;
  }

  /** The next whole answer; `undefined` if the connection ends without one. */
  async answer(): Promise<RawAnswer | undefined> {
    for (;;) {
      const found = this.#take();
      if (found || this.#isOver) return found;
      await Promise.race([new Promise((resolve) => this.socket.once('data', resolve)), this.closed]);
    }
  }

  #take(): RawAnswer | undefined {
    const head = this.#received.indexOf('\r\n\r\n');
    if (head < 0) return undefined;
    const headers = this.#received.slice(0, head);
    const length = Number(/^content-length: (\d+)/im.exec(headers)?.[1] ?? 0);
    if (this.#received.length < head + 4 + length) return undefined;
    const body = this.#received.slice(head + 4, head + 4 + length);
    this.#received = this.#received.slice(head + 4 + length);
    return {
      status: Number(/^HTTP\/1\.1 (\d{3})/.exec(headers)?.[1]),
      headers,
      body: Buffer.from(body, 'latin1').toString(),
    };
  }
}
