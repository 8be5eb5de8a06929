import { createWriteStream, type WriteStream } from 'node:fs';
import { once } from 'node:events';
import { formatTime } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import type { RequestEntry } from './requestLog.ts';

/** A longer path is cut. */
const MAX_PATH = 500;
const RETRY_MS = 1_000;

/**
 * A line of JSON for each answered request: when, which token by name, method, path, status, milliseconds. It has no secret:
 * neither query nor headers nor body are in it. Lines are appended, so that a program for rotation may move the file and send
 * its copy-and-truncate; after an error of the disk the server goes on without it, and tries again every second.
 */
export class AccessLog {
  readonly #file: string;
  readonly #logger: Logger;
  #stream: WriteStream;
  #triedAt = 0;
  #isReported = false;

  constructor(file: string, logger: Logger) {
    this.#file = file;
    this.#logger = logger;
    this.#stream = this.#open();
  }

  add({ at, caller, method, path, status, durationMs, error }: RequestEntry): void {
    const isBroken = this.#stream.destroyed;
    if (isBroken && performance.now() - this.#triedAt < RETRY_MS) return;
    if (isBroken) this.#stream = this.#open();
    const entry = {
      ...{ at: formatTime(at), token: caller ?? null, method, path: path.slice(0, MAX_PATH), status },
      ...{ ms: Math.round(durationMs * 10) / 10, code: error?.code ?? null },
    };
    // Ends a line that was cut.
    this.#stream.write(`${isBroken ? '\n' : ''}${JSON.stringify(entry)}\n`, (failure) => {
      if (!failure) this.#isReported = false;
    });
  }

  async close(): Promise<void> {
    if (this.#stream.destroyed) return;
    this.#stream.end();
    await Promise.race([once(this.#stream, 'close'), once(this.#stream, 'error')]).catch(() => undefined);
  }

  #open(): WriteStream {
    this.#triedAt = performance.now();
    const stream = createWriteStream(this.#file, { flags: 'a', mode: 0o600 });
    return stream.on('error', (error) => {
      const what = `The access log ${this.#file} cannot be written: ${error.message}. Requests are not recorded until it can.`;
      if (!this.#isReported) this.#logger.error(what);
      this.#isReported = true;
    });
  }
}
