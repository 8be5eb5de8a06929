import type { Hit } from '../../engine/query/hits.ts';
import type { BlobStore } from '../backend.ts';

/** A store that also has repositories: named sets, each at its newest version. */
export interface ContextStore extends BlobStore {
  /** Searches the union of sets. A set that is missing is in `missing`, and the others are searched. */
  searchSets(query: string, checkpoints: readonly string[], options: SetSearchOptions): Promise<SetSearchOutcome>;
  /** Path and text of a blob, if the set has it. Throws `CheckpointNotFound`. */
  fileOf(checkpoint: string, name: string): Promise<FoundText | undefined>;
  /** Number of files in a set. Throws `CheckpointNotFound`. */
  sizeOf(checkpoint: string): Promise<number>;
  readonly repositories: RepositoryRegistry;
}

export interface SetSearchOptions {
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

export interface FoundText {
  readonly path: string;
  readonly text: string;
}

/** A file that answers a query, with its text and the sets that have it. */
export interface SetHit extends Hit {
  readonly text: string;
  /** Indexes of the given checkpoints, in order. */
  readonly sets: readonly number[];
}

export interface SetSearchOutcome {
  /** Best first. */
  readonly hits: readonly SetHit[];
  /** Indexes of checkpoints that the store does not have. */
  readonly missing: readonly number[];
}

export interface Collected {
  readonly blobs: number;
}

/** A pushed state of a repository. */
export interface RepositoryVersion {
  readonly checkpoint: string;
  readonly files: number;
  readonly ref?: string | undefined;
  readonly commit?: string | undefined;
  /** Milliseconds since 1970. */
  readonly pushedAt: number;
}

export interface StoredRepository {
  readonly name: string;
  /** Template of the addresses of its lines on the forge. */
  readonly url?: string | undefined;
  /** The newest first: the one that is searched. */
  readonly versions: readonly [RepositoryVersion, ...RepositoryVersion[]];
}

/** The repositories of a store. A search sees the state before or after a change, never another. */
export interface RepositoryRegistry {
  /** Ordered by name. */
  list(): Promise<readonly StoredRepository[]>;
  get(name: string): Promise<StoredRepository | undefined>;
  /** Adds a version, and keeps `keep` earlier ones. Throws `LeaseLost`, `DiskFull`, `ReadOnly`. */
  put(name: string, url: string | undefined, version: RepositoryVersion, keep: number): Promise<StoredRepository>;
  /** Resolves to whether there was one. */
  remove(name: string): Promise<boolean>;
}

/** A repository after a push. The same files under the same ref and commit replace the last version instead of adding one. */
export function withVersion(
  before: StoredRepository | undefined,
  name: string,
  url: string | undefined,
  version: RepositoryVersion,
  keep: number,
): StoredRepository {
  const [last, ...older] = before?.versions ?? [];
  const isSame = last?.checkpoint === version.checkpoint && last.ref === version.ref && last.commit === version.commit;
  const earlier = last === undefined ? [] : isSame ? older : [last, ...older];
  return { name, url: url ?? before?.url, versions: [version, ...earlier.slice(0, keep)] };
}
