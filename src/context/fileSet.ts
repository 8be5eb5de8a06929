import { WIRE_LIMITS } from '../wire/contract.ts';
import type { BlobScope } from '../wire/scope.ts';

/** A file of a context. */
export interface TrackedFile {
  /** The service's name of its blob. */
  readonly name: string;
  /** The client's name of its blob; almost always the same. */
  readonly clientName: string;
}

/**
 * The files of a context, and their set in the service: a checkpoint, with the blobs added and deleted since. Immutable: each
 * change creates another set, so a failed change has no effect.
 *
 * Invariant: the names of the files are those of the checkpoint and the added ones, without the deleted.
 */
export class FileSet {
  static readonly EMPTY = new FileSet(undefined, new Set(), new Set(), new Map());

  readonly checkpointId: string | undefined;
  readonly added: ReadonlySet<string>;
  readonly deleted: ReadonlySet<string>;
  /** Files by path. */
  readonly files: ReadonlyMap<string, TrackedFile>;

  constructor(
    checkpointId: string | undefined,
    added: ReadonlySet<string>,
    deleted: ReadonlySet<string>,
    files: ReadonlyMap<string, TrackedFile>,
  ) {
    this.checkpointId = checkpointId;
    this.added = added;
    this.deleted = deleted;
    this.files = files;
  }

  get scope(): BlobScope {
    return { checkpointId: this.checkpointId, added: [...this.added], deleted: [...this.deleted] };
  }

  /** Whether the number of changes requires a new checkpoint. */
  get isCheckpointDue(): boolean {
    return this.added.size + this.deleted.size >= WIRE_LIMITS.checkpointFrom;
  }

  /** Adds files, and replaces those with equal paths. */
  with(files: Iterable<readonly [path: string, file: TrackedFile]>): FileSet {
    return this.#changedTo(new Map([...this.files, ...files]));
  }

  without(paths: Iterable<string>): FileSet {
    const files = new Map(this.files);
    for (const path of paths) files.delete(path);
    return this.#changedTo(files);
  }

  /** The same files, as a checkpoint. */
  at(checkpointId: string): FileSet {
    return new FileSet(checkpointId, new Set(), new Set(), this.files);
  }

  /** The same files without a checkpoint, for a service that lacks it. */
  withoutCheckpoint(): FileSet {
    return new FileSet(undefined, trackedNames(this.files), new Set(), this.files);
  }

  #changedTo(files: ReadonlyMap<string, TrackedFile>): FileSet {
    const before = trackedNames(this.files);
    const after = trackedNames(files);
    const added = new Set(this.added);
    const deleted = new Set(this.deleted);
    for (const name of before) if (!after.has(name) && !added.delete(name)) deleted.add(name);
    for (const name of after) if (!before.has(name) && !deleted.delete(name)) added.add(name);
    return new FileSet(this.checkpointId, added, deleted, files);
  }
}

/** The names of files. */
export function trackedNames(files: ReadonlyMap<string, TrackedFile>): Set<string> {
  return new Set(Array.from(files.values(), ({ name }) => name));
}
