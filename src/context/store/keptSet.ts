import { describeError } from '../../base/errors.ts';
import type { Fence } from '../../base/lease.ts';
import type { Logger } from '../../base/log.ts';
import { describeRecordDamage, RecordLog } from '../../base/recordLog.ts';
import { FileSet } from '../fileSet.ts';
import { entriesOf, fromEntry, readState, toState, type BlobEntry, type FullContextState } from '../state.ts';

/** The whole set, or the change since the record before. */
type SetRecord =
  | { readonly set: FullContextState }
  | { readonly with: readonly BlobEntry[]; readonly without: readonly string[]; readonly at?: string };

/** The log is written again once it holds more changes than this and twice the files. */
const MANY_CHANGES = 1_000;

/** The files of an embedded context, in its folder: `set.<n>.log` and a copy of it. */
export class KeptSet {
  readonly #log: RecordLog;
  readonly #logger: Logger;
  #files: FileSet;
  #changes: number;

  private constructor(log: RecordLog, files: FileSet, changes: number, logger: Logger) {
    this.#logger = logger;
    this.#log = log;
    this.#files = files;
    this.#changes = changes;
  }

  /** Opens the log of a folder. Throws `LeaseLost`. */
  static async open(fence: Fence, folder: string, logger: Logger): Promise<KeptSet> {
    const { log, records } = await RecordLog.open(fence, { folder, stem: 'set' }, (damage) => {
      const what = damage.isLost ? ' Add the files again that getIndexedPaths() lacks.' : '';
      logger.error(`${describeRecordDamage(damage)}${what}`);
    });
    let files = FileSet.EMPTY;
    let changes = 0;
    for (const record of records as readonly SetRecord[]) {
      files = applied(files, record);
      changes += 'set' in record ? 0 : record.with.length + record.without.length;
    }
    return new KeptSet(log, files, changes, logger);
  }

  /** The set on the disk. */
  get files(): FileSet {
    return this.#files;
  }

  /** Resolves when the set is on the disk. Throws `LeaseLost`, `DiskFull`, `ReadOnly`: then the set is unchanged. */
  async save(files: FileSet): Promise<void> {
    const record = changeOf(this.#files, files);
    if (!record) return;
    await this.#log.append(record);
    this.#files = files;
    this.#changes += 'set' in record ? 0 : record.with.length + record.without.length;
    if (this.#changes <= MANY_CHANGES + 2 * files.files.size) return;
    // The change is recorded. If the log cannot be shortened now, the next change tries again.
    const shorten = this.#log.replace([{ set: toState(files, 'full') }]);
    await shorten.then(
      () => (this.#changes = 0),
      (error: unknown) => this.#logger.debug(`The log of files stays long: ${describeError(error)}`),
    );
  }

  close(): Promise<void> {
    return this.#log.close();
  }
}

function applied(files: FileSet, record: SetRecord): FileSet {
  if ('set' in record) return readState(record.set).files;
  const changed = files.with(record.with.map(fromEntry)).without(record.without);
  return record.at === undefined ? changed : changed.at(record.at);
}

/** The change between two sets; `undefined` if they are equal. */
function changeOf(before: FileSet, after: FileSet): SetRecord | undefined {
  const isAnchorLost = after.checkpointId === undefined && before.checkpointId !== undefined;
  if (isAnchorLost || after.files.size === 0) return before === after ? undefined : { set: toState(after, 'full') };
  const changed = [...after.files].filter(([path, { name, clientName }]) => {
    const known = before.files.get(path);
    return known?.name !== name || known.clientName !== clientName;
  });
  const without = [...before.files.keys()].filter((path) => !after.files.has(path));
  const isMoved = after.checkpointId !== before.checkpointId;
  if (changed.length + without.length === 0 && !isMoved) return undefined;
  return { with: entriesOf(changed), without, ...(isMoved && { at: after.checkpointId! }) };
}
