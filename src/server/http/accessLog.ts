import { createWriteStream, type WriteStream } from 'node:fs';
import { once } from 'node:events';
import { formatTime } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import type { RequestEntry } from './requestLog.ts';

/** A longer path is cut. */
const MAX_PATH = 500;

/**
 * A line of JSON for each answered request: when, which token by name, method, path, status, milliseconds. It has no secret:
 * neither query nor headers nor body are in it. Lines are appended, so that a program for rotation may move the file and send
 * its copy-and-truncate; after an error of the disk the server goes on without it.
 */
export class AccessLog {
  readonly #stream: WriteStream;
  #isBroken = false;

  constructor(file: string, logger: Logger) {
    this.#stream = createWriteStream(file, { flags: 'a', mode: 0o600 });
    this.#stream.on('error', (error) => {
      if (!this.#isBroken) logger.error(`The access log ${file} cannot be written: ${error.message}.`);
      this.#isBroken = true;
    });
  }

  add({ at, caller, method, path, status, durationMs, error }: RequestEntry): void {
    if (this.#isBroken) return;
    const entry = {
      ...{ at: formatTime(at), token: caller ?? null, method, path: path.slice(0, MAX_PATH), status },
      ...{ ms: Math.round(durationMs * 10) / 10, code: error?.code ?? null },
    };
    this.#stream.write(`${JSON.stringify(entry)}\n`);
  }

  async close(): Promise<void> {
    if (this.#isBroken) return;
    this.#stream.end();
    await Promise.race([once(this.#stream, 'close'), once(this.#stream, 'error')]).catch(() => undefined);
  }
}
