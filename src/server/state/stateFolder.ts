import { randomBytes } from 'node:crypto';
import { chmodSync, createReadStream, existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolderSync } from '../../base/atomicFile.ts';
import { readCheckedJson, writeCheckedJson } from '../../base/checkedJson.ts';
import { explainWriteError } from '../../base/errors.ts';
import { Lease, type LeaseOwner } from '../../base/lease.ts';
import type { Logger } from '../../base/log.ts';
import { makeFolder } from '../../base/makeFolder.ts';
import { RecordLog } from '../../base/recordLog.ts';
import { stateErrors } from './errors.ts';
import type { Address, Change, Incoming, ServerState } from './serverState.ts';

/** Of the files in the folder. A newer one is refused. */
const VERSION = 1;

/** In the folder: what the server did. */
export const LOG_FILE = 'server.log';

/** What `server.json` holds, which only its owner may read. */
export interface Published extends Address {
  readonly version: number;
  readonly url: string;
  readonly pid: number;
  readonly cursorKey: string;
}

/**
 * A folder of state, which one process owns:
 *
 * - `writer.<n>.lock`: the owner's lease
 * - `server.json`: address, tokens and the key of cursors; mode 0600
 * - `changes.log`: what clients changed, one checksummed record a line
 * - `imports/<n>.ndjson`: data files that came over HTTP
 */
export class StateFolder implements ServerState {
  readonly folder: string;
  readonly address: Address | undefined;
  readonly cursorKey: Buffer;
  readonly changes: readonly Change[];
  readonly #lease: Lease;
  #log: Promise<RecordLog>;
  #lastImport: number;

  private constructor(
    folder: string,
    lease: Lease,
    published: Published | undefined,
    log: RecordLog,
    changes: readonly Change[],
  ) {
    this.folder = folder;
    this.#lease = lease;
    this.#log = Promise.resolve(log);
    this.changes = changes;
    this.address = published;
    this.cursorKey = published ? Buffer.from(published.cursorKey, 'hex') : randomBytes(32);
    this.#lastImport = this.#removeOrphans();
  }

  /** Throws `StateBusy` where another process owns the folder, `StateNewer`, `NotAFolder`, `ReadOnly` and `DiskFull`. */
  static async open(folder: string, logger: Logger): Promise<StateFolder> {
    try {
      makeFolder(folder, 0o700);
      makeFolder(join(folder, 'imports'), 0o700);
      chmodSync(folder, 0o700);
      const lease = Lease.acquire(folder);
      if (!(lease instanceof Lease)) throw stateErrors.busy(folder, lease);
      try {
        const published = readPublished(folder);
        if ((published?.version ?? 0) > VERSION) throw stateErrors.newer(folder);
        const { log, records } = await RecordLog.open(join(folder, 'changes.log'), (line) =>
          logger.error(`${folder}: line ${line} of changes.log is damaged; what it changed is lost`),
        );
        return new StateFolder(folder, lease, published, log, records as readonly Change[]);
      } catch (error) {
        lease.release();
        throw error;
      }
    } catch (error) {
      throw explainWriteError(error, folder);
    }
  }

  publish(url: string, address: Address): void {
    const published: Published = {
      version: VERSION,
      url,
      ...address,
      pid: process.pid,
      cursorKey: this.cursorKey.toString('hex'),
    };
    writeCheckedJson(join(this.folder, 'server.json'), published, 0o600);
  }

  async append(change: Change): Promise<void> {
    const log = await this.#log;
    this.#lease.check();
    await log.append(change);
  }

  async replace(changes: readonly Change[]): Promise<void> {
    const file = join(this.folder, 'changes.log');
    const before = this.#log;
    this.#log = before.then(async (log) => {
      await log.close();
      this.#lease.check();
      RecordLog.replace(file, changes);
      return (await RecordLog.open(file, () => undefined)).log;
    });
    await this.#log;
    this.#removeOrphans(changes);
  }

  receive(bytes: AsyncIterable<Uint8Array>): Incoming {
    const name = `${++this.#lastImport}.ndjson`;
    const file = join(this.folder, 'imports', name);
    const temporary = `${file}.tmp`;
    const handle = open(temporary, 'w', 0o600);
    async function* copied(): AsyncGenerator<Uint8Array> {
      const target = await handle;
      for await (const chunk of bytes) {
        await target.writeFile(chunk);
        yield chunk;
      }
    }
    return {
      bytes: copied(),
      keep: async () => {
        const target = await handle;
        await target.sync();
        await target.close();
        renameSync(temporary, file);
        syncFolderSync(join(this.folder, 'imports'));
        return name;
      },
      discard: async () => {
        await (await handle).close();
        rmSync(temporary, { force: true });
      },
    };
  }

  read(file: string): AsyncIterable<Uint8Array> {
    const path = join(this.folder, 'imports', file);
    if (!/^\d+\.ndjson$/.test(file) || !existsSync(path)) throw stateErrors.damaged(path);
    return createReadStream(path, { highWaterMark: 1 << 20 });
  }

  async close(): Promise<void> {
    await (await this.#log).close();
    this.#lease.release();
  }

  /** Removes imports that no change names: their request was never answered. Gives the highest number of the others. */
  #removeOrphans(changes = this.changes): number {
    const named = new Set(changes.flatMap((change) => ('file' in change ? [change.file] : [])));
    const folder = join(this.folder, 'imports');
    for (const name of readdirSync(folder)) if (!named.has(name)) rmSync(join(folder, name), { force: true });
    return Math.max(0, ...[...named].map((name) => Number.parseInt(name, 10)));
  }
}

/** The server that owns a folder of state now: where it is, and by whom it is run. */
export function findServer(folder: string): (Published & { readonly owner: LeaseOwner }) | undefined {
  const owner = Lease.ownerOf(folder);
  const published = owner && readPublished(folder);
  return published?.pid === owner?.pid && owner && published ? { ...published, owner } : undefined;
}

function readPublished(folder: string): Published | undefined {
  const found = readCheckedJson(join(folder, 'server.json'));
  // A damaged one costs no more than the address and the tokens.
  return found === undefined || found === 'damaged' ? undefined : (found.value as Published);
}
