import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { explainWriteError, isWriteError, type SextantError } from '../../base/errors.ts';
import { FencedJson, type FencedRead } from '../../base/fencedJson.ts';
import { acquireFence, isHeld, isLeaseLeft, type Fence, type HeldFence } from '../../base/lease.ts';
import type { Logger } from '../../base/log.ts';
import { namesIn } from '../../base/namesIn.ts';
import { ownIdentity } from '../../base/processIdentity.ts';
import { describeRecordDamage, RecordLog } from '../../base/recordLog.ts';
import { claimingFence, claimState } from './claim.ts';
import { stateErrors } from './errors.ts';
import { Imports } from './imports.ts';
import { describePublishedDamage, PUBLISHED, readPublished, type Published } from './published.ts';
import type { StateChange, KeptFile } from './records.ts';
import type { Address, Incoming, ServerState } from './serverState.ts';

/** Version of the files in the folder. A newer one is refused. */
const VERSION = 1;
/** Inner folders whose files carry numbers of the same lease. */
const INNER = ['webhooks', 'webhooks/events', 'webhooks/refusals'];
/** The log of changes by clients. */
const CHANGES = 'changes';
/** Interval between attempts to write to a full or read-only disk. */
const RETRY_MS = 1_000;

/**
 * A state folder, which one process owns:
 *
 * - `sextant-folder.json`: marks it as the server's
 * - `writer.<n>.lock`: the owner's lease
 * - `server.<n>.json` and a copy: address, tokens and the key of cursors; mode 0600
 * - `changes.<n>.log` and a copy: changes by clients, one checksummed record a line
 * - `imports/<n>-<i>.ndjson`: data files received over HTTP
 */
export class StateFolder implements ServerState {
  readonly folder: string;
  readonly address: Address | undefined;
  readonly cursorKey: Buffer;
  readonly changes: readonly StateChange[];
  readonly fence: Fence;
  readonly #lease: HeldFence;
  readonly #log: RecordLog;
  readonly #imports: Imports;
  readonly #published: FencedJson;
  readonly #logger: Logger;
  #retry: NodeJS.Timeout | undefined;
  /** Whether the folder was empty, and no server has run on it since. */
  #isUnused: boolean;
  #isClosed = false;

  private constructor(
    folder: string,
    lease: HeldFence,
    published: Published | undefined,
    { log, records }: { readonly log: RecordLog; readonly records: readonly unknown[] },
    logger: Logger,
    isNew: boolean,
  ) {
    this.folder = folder;
    this.#isUnused = isNew;
    this.fence = this.#lease = lease;
    this.#log = log;
    this.#logger = logger;
    this.changes = withoutReplaced(records as readonly StateChange[]);
    this.address = published;
    this.cursorKey = published ? Buffer.from(published.cursorKey, 'hex') : randomBytes(32);
    this.#published = new FencedJson(lease, folder, PUBLISHED, 0o600);
    this.#imports = new Imports(folder, lease);
    this.#removeOrphans(this.changes);
  }

  /**
   * Opens a folder. Throws `StateBusy` if another process owns it, `FolderNotOurs`, `StateNewer`, `NotAFolder`. On a full or
   * read-only disk the state is read, and each write throws `DiskFull` or `ReadOnly` until there is room.
   */
  static async open(folder: string, logger: Logger): Promise<StateFolder> {
    try {
      const isClaimed = claimState(folder, logger);
      const alsoIn = INNER.map((name) => join(folder, name));
      const wasKilled = isLeaseLeft(folder);
      const acquired = acquireFence(folder, alsoIn);
      if (!isHeld(acquired)) throw stateErrors.busy(folder, acquired);
      const lease = isClaimed ? acquired : claimingFence(acquired, folder, logger);
      try {
        const read = readPublished(folder);
        if ((read.published?.version ?? 0) > VERSION) throw stateErrors.newer(folder);
        const damage = describePublishedDamage(folder, read);
        if (damage !== undefined) logger.error(damage);
        const hadChanges = hasChanges(folder);
        const log = await openLog(folder, lease, logger);
        // A first start that was killed before it was ready leaves an empty log, and has given its address to no client.
        const isUnused = !hadChanges || (wasKilled && log.records.length === 0);
        const isNew = isUnused && read.found === undefined;
        reportMissing(folder, read, { hadChanges, isNew }, logger);
        return new StateFolder(folder, lease, read.published, log, logger, isNew);
      } catch (error) {
        lease.release();
        throw error;
      }
    } catch (error) {
      throw explainWriteError(error, folder);
    }
  }

  publish(url: string, address: Address): void {
    this.#isUnused = false;
    const published: Published = {
      version: VERSION,
      url,
      ...address,
      pid: process.pid,
      owner: ownIdentity(),
      cursorKey: this.cursorKey.toString('hex'),
    };
    try {
      // The next start would report the changes as lost that an address without a log beside it had.
      if (this.#log.refusal) throw this.#log.refusal;
      this.#published.write(published);
    } catch (error) {
      if (!isWriteError(error)) throw error;
      const { message } = error as SextantError;
      this.#logger.warn(`${message} Until then the server answers 507 to changes, and no other process can find it.`);
      this.#retryLater(published);
    }
  }

  append(change: StateChange): Promise<void> {
    this.#isUnused = false;
    return this.#log.append(change);
  }

  async replace(changes: readonly StateChange[]): Promise<void> {
    await this.#log.replace(changes);
    this.#removeOrphans(changes);
  }

  receive(bytes: AsyncIterable<Uint8Array>): Incoming {
    return this.#imports.receive(bytes);
  }

  read(file: KeptFile): AsyncIterable<Uint8Array> {
    return this.#imports.read(file);
  }

  pathOf({ file }: KeptFile): string {
    return this.#imports.pathOf(file);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await this.#log.close();
    // Without an address beside it, the log would make the next start report an address as lost.
    try {
      if (this.#isUnused && !this.fence.lost.aborted) RecordLog.remove({ folder: this.folder, stem: CHANGES });
    } finally {
      this.#lease.release();
    }
  }

  #retryLater(published: Published): void {
    this.#retry = setTimeout(() => void this.#publishLater(published), RETRY_MS).unref();
  }

  async #publishLater(published: Published): Promise<void> {
    try {
      await this.#log.begin();
      if (this.#isClosed) return;
      this.#published.write(published);
      this.#logger.warn(`${this.folder} can be written to again: the server takes changes, and others can find it.`);
    } catch (error) {
      if (this.#isClosed) return;
      if (isWriteError(error)) this.#retryLater(published);
      // The server reports a lost lease. Any other error thrown here would end the process without a reason for clients.
      else if (!this.fence.lost.aborted)
        this.#logger.error(`The address of the server cannot be recorded: ${String(error)}`);
    }
  }

  #removeOrphans(changes: readonly StateChange[]): void {
    try {
      this.fence.check();
    } catch (error) {
      if (!isWriteError(error)) throw error;
      return;
    }
    this.#imports.removeOrphans(new Set(changes.flatMap((change) => ('file' in change ? [change.file] : []))));
  }
}

/** Reports files that were deleted together with their copies: each start of a server leaves both pairs. */
function reportMissing(
  folder: string,
  { found, damaged }: FencedRead,
  { hadChanges, isNew }: { readonly hadChanges: boolean; readonly isNew: boolean },
  logger: Logger,
): void {
  if (hadChanges && !isNew && found === undefined && damaged.length === 0)
    logger.error(
      `${PUBLISHED}.<number>.json and its copy are missing in ${folder}: the address and tokens of the last start are lost. ` +
        'The server uses new ones; give them to its clients.',
    );
  if (!hadChanges && found !== undefined)
    logger.error(
      `changes.<number>.log and its copy are missing in ${folder}: tokens that clients created, budgets and imports are lost. ` +
        'Restore them from a backup, or create them again.',
    );
}

function hasChanges(folder: string): boolean {
  return namesIn(folder).some((name) => /^changes\.(?:\d+\.)?(?:copy\.)?(?:log|end)$/.test(name));
}

function openLog(
  folder: string,
  lease: Fence,
  logger: Logger,
): Promise<{ readonly log: RecordLog; readonly records: readonly unknown[] }> {
  const repair = (records: readonly unknown[]): readonly unknown[] => {
    // The lost record is unknown. If it revoked a token, that token must not come back.
    logger.error(
      `Changes in ${folder} are lost, perhaps one that revoked a token: all tokens that clients created are revoked. ` +
        'Create them again with POST /__admin/tokens, and check budgets and imports.',
    );
    return (records as readonly StateChange[]).filter(({ type }) => type !== 'token' && type !== 'revoke');
  };
  return RecordLog.open(
    lease,
    { folder, stem: CHANGES },
    (damage) => logger.error(describeRecordDamage(damage)),
    repair,
  );
}

/** Without imports that were damaged, and that a later import of the same bytes stands for. */
function withoutReplaced(changes: readonly StateChange[]): readonly StateChange[] {
  const replaced = new Set(changes.flatMap((change) => (change.type === 'import' ? [change.replaces] : [])));
  return changes.filter((change) => !('file' in change && replaced.has(change.file)));
}
