import * as z from 'zod/mini';
import { contextErrors } from './errors.ts';
import { FileSet, type TrackedFile } from './fileSet.ts';

/** A file: the service's name of its blob, its path, and the client's name of the blob if different. */
export type BlobEntry = [blobName: string, path: string, clientName?: string];

/** The full state of a context, for {@link DirectContext.import}; plain JSON. */
export interface FullContextState {
  /** Missing in states of older clients of the protocol. */
  mode?: 'full';
  checkpointId?: string;
  /** Names that the checkpoint lacks. */
  addedBlobs: string[];
  /** Deleted names that the checkpoint has. */
  deletedBlobs: string[];
  blobs: BlobEntry[];
}

/** The state for searches, without paths: much smaller, and no file can be added or removed. */
export interface SearchOnlyContextState {
  mode: 'search-only';
  checkpointId?: string;
  addedBlobs: string[];
  deletedBlobs: string[];
}

/** An exported state. */
export type DirectContextState = FullContextState | SearchOnlyContextState;

/** A state as {@link DirectContext.import} takes it, which changes nothing in it. */
export interface ReadonlyContextState {
  readonly mode?: 'full' | 'search-only';
  readonly checkpointId?: string;
  readonly addedBlobs: readonly string[];
  readonly deletedBlobs: readonly string[];
  /** Missing in a state for searches. */
  readonly blobs?: readonly Readonly<BlobEntry>[];
}

const name = z.string().check(z.minLength(1));
const common = {
  checkpointId: z.optional(z.nullable(z.string())),
  addedBlobs: z._default(z.array(name), []),
  deletedBlobs: z._default(z.array(name), []),
};
const entry = z.union([z.tuple([name, z.string()]), z.tuple([name, z.string(), z.nullable(name)])]);
const searchOnly = z.object({ mode: z.literal('search-only'), ...common });
const full = z.object({ mode: z._default(z.literal('full'), 'full'), ...common, blobs: z.array(entry) });

/** The parts of a state that a context uses. */
export interface ImportedState {
  readonly files: FileSet;
  readonly isSearchOnly: boolean;
}

/**
 * Reads a state of either form. Drops leftovers of other clients' failed or repeated uploads: names without a file, and deleted
 * files. So each found file is listed, and a file that is not found can be added again. Throws `InvalidState`.
 */
export function readState(value: unknown): ImportedState {
  // A union of the two schemas would not name the field in its issues.
  const isSearchOnly = (value as { readonly mode?: unknown } | null | undefined)?.mode === 'search-only';
  const parsed = (isSearchOnly ? searchOnly : full).safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw contextErrors.badState(
      `${['state', ...(issue?.path ?? [])].join('.')}: ${issue?.message ?? ''}`,
      parsed.error,
    );
  }
  const { checkpointId, addedBlobs, deletedBlobs } = parsed.data;
  const deleted = new Set(deletedBlobs);
  if (addedBlobs.some((name) => deleted.has(name))) throw contextErrors.badState('a blob is both added and deleted');
  if (parsed.data.mode === 'search-only') {
    const files = new FileSet(checkpointId ?? undefined, new Set(addedBlobs), deleted, new Map());
    return { files, isSearchOnly: true };
  }
  const files = new Map<string, TrackedFile>();
  for (const [name, path, clientName] of parsed.data.blobs)
    if (!deleted.has(name)) files.set(path, { name, clientName: clientName ?? name });
  const tracked = new Set(Array.from(files.values(), ({ name }) => name));
  const added = new Set(addedBlobs.filter((name) => tracked.has(name)));
  return { files: new FileSet(checkpointId ?? undefined, added, deleted, files), isSearchOnly: false };
}

export function toState(files: FileSet, mode: 'full'): FullContextState;
export function toState(files: FileSet, mode: 'full' | 'search-only'): FullContextState | SearchOnlyContextState;
export function toState(files: FileSet, mode: 'full' | 'search-only'): FullContextState | SearchOnlyContextState {
  const { checkpointId } = files;
  const pending = {
    ...(checkpointId !== undefined && { checkpointId }),
    addedBlobs: [...files.added].sort(),
    deletedBlobs: [...files.deleted].sort(),
  };
  if (mode === 'search-only') return { mode, ...pending };
  return { mode, ...pending, blobs: entriesOf(files.files) };
}

/** @internal */
export function entriesOf(files: Iterable<readonly [path: string, file: TrackedFile]>): BlobEntry[] {
  return Array.from(files, ([path, { name, clientName }]) =>
    clientName === name ? [name, path] : [name, path, clientName],
  );
}

/** @internal */
export function fromEntry([name, path, clientName]: Readonly<BlobEntry>): readonly [path: string, file: TrackedFile] {
  return [path, { name, clientName: clientName ?? name }];
}
