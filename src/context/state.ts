import * as z from 'zod/mini';
import { contextErrors } from './errors.ts';
import { FileSet, type TrackedFile } from './fileSet.ts';

/** A file: what the service calls its blob, its path, and what the client calls the blob where that is another name. */
export type BlobEntry = readonly [blobName: string, path: string, clientName?: string];

/** All that a context knows, for {@link DirectContext.import}; plain JSON. */
export interface FullContextState {
  readonly mode: 'full';
  readonly checkpointId?: string;
  /** Names that the checkpoint has not yet. */
  readonly addedBlobs: readonly string[];
  /** Names that the checkpoint has still. */
  readonly deletedBlobs: readonly string[];
  readonly blobs: readonly BlobEntry[];
}

/** What is needed to search, without the paths of the files: much smaller, and nothing can be added or removed. */
export interface SearchOnlyContextState {
  readonly mode: 'search-only';
  readonly checkpointId?: string;
  readonly addedBlobs: readonly string[];
  readonly deletedBlobs: readonly string[];
}

/** Without a `mode` it is a full one, as older versions of the protocol's clients write it. */
export type DirectContextState = FullContextState | SearchOnlyContextState | Omit<FullContextState, 'mode'>;

const name = z.string().check(z.minLength(1));
const common = {
  checkpointId: z.optional(z.nullable(z.string())),
  addedBlobs: z._default(z.array(name), []),
  deletedBlobs: z._default(z.array(name), []),
};
const entry = z.union([z.tuple([name, z.string()]), z.tuple([name, z.string(), z.nullable(name)])]);
const searchOnly = z.object({ mode: z.literal('search-only'), ...common });
const full = z.object({ mode: z._default(z.literal('full'), 'full'), ...common, blobs: z.array(entry) });

/** What of a state a context is made of. */
export interface ImportedState {
  readonly files: FileSet;
  readonly isSearchOnly: boolean;
}

/**
 * Reads a state of either form. Other clients leave traces of uploads that failed or were repeated: names that belong to no
 * file, and files that are deleted already. They are left out, so that nothing is found that is not listed, and what is not
 * found can be added again. Throws `InvalidState`.
 */
export function readState(value: unknown): ImportedState {
  // Not a union of the two, whose issues do not name the field.
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
export function fromEntry([name, path, clientName]: BlobEntry): readonly [path: string, file: TrackedFile] {
  return [path, { name, clientName: clientName ?? name }];
}
