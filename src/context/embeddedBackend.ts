import { explainWriteError } from '../base/errors.ts';
import { silentLogger, type Logger } from '../base/log.ts';
import { makeFolder } from '../base/makeFolder.ts';
import { isLockName } from '../base/lease.ts';
import { claimFolder } from '../base/ownedFolder.ts';
import { SegmentThreads } from '../engine/index/segmentThreads.ts';
import type { UploadBlob } from '../wire/batches.ts';
import type { Missing, BlobScope } from '../wire/scope.ts';
import type { Answerer, ContextBackend } from './backend.ts';
import { contextErrors } from './errors.ts';
import { ContentStore, type ContentStoreOptions } from './store/contentStore.ts';
import { KeptSet } from './store/keptSet.ts';
import { createTemporaryFolder, removeTemporaryFolder } from '../base/temporaryFolder.ts';

/** Threads analyse uploads of more text than this, which takes some 30 ms; an upload has at most 2 MiB. */
const BYTES_BEFORE_THREADS = 128 << 10;

/**
 * Decides by the size of the whole upload: an upload analysed on two threads would create two segments, and twice the
 * merges.
 */
class UploadThreads extends SegmentThreads {
  uploadBytes = 0;

  override isWorthwhile(): boolean {
    return this.uploadBytes > BYTES_BEFORE_THREADS;
  }
}

/** An index in this process, without server and credentials. */
export class EmbeddedBackend implements ContextBackend {
  readonly kept: KeptSet | undefined;
  readonly lost: Set<string>;
  readonly #store: ContentStore;
  readonly #threads: UploadThreads;
  readonly #answer: Answerer | undefined;
  readonly #temporary: string | undefined;

  private constructor(
    store: ContentStore,
    kept: KeptSet | undefined,
    threads: UploadThreads,
    answer: Answerer | undefined,
    temporary: string | undefined,
    lost: Set<string>,
  ) {
    this.#store = store;
    this.kept = kept;
    this.lost = lost;
    this.#threads = threads;
    this.#answer = answer;
    this.#temporary = temporary;
  }

  /** Opens `folder`, or a temporary one. Throws as {@link ContentStore.open} does, and `FolderNotOurs`. */
  static async open(
    folder: string | undefined,
    answer: Answerer | undefined,
    options: Omit<ContentStoreOptions, 'threads' | 'onLost'>,
  ): Promise<EmbeddedBackend> {
    const logger = options.logger ?? silentLogger;
    if (folder !== undefined) claim(folder, logger);
    const temporary = folder === undefined ? createTemporaryFolder('context', logger) : undefined;
    const threads = new UploadThreads({ logger, count: 1 });
    const lost = new Set<string>();
    const onLost = (name: string): void => void lost.add(name);
    let store: ContentStore | undefined;
    try {
      store = await ContentStore.open(folder ?? temporary!, { ...options, threads, onLost });
      const kept = folder === undefined ? undefined : await KeptSet.open(store.fence, folder, logger);
      return new EmbeddedBackend(store, kept, threads, answer, temporary, lost);
    } catch (error) {
      await store?.close();
      await threads.close();
      if (temporary !== undefined) removeTemporaryFolder(temporary);
      throw error;
    }
  }

  // eslint-disable-next-line @typescript-eslint/require-await
  async findMissing(names: readonly string[]): Promise<Missing> {
    return this.#store.findMissing(names);
  }

  async upload(blobs: readonly UploadBlob[]): Promise<readonly string[]> {
    this.#threads.uploadBytes = blobs.reduce((total, { size }) => total + size, 0);
    const names = await this.#store.upload(blobs);
    for (const name of names) this.lost.delete(name);
    return names;
  }

  checkpoint(scope: BlobScope): Promise<string> {
    return this.#store.checkpoint(scope);
  }

  retrieve(query: string, scope: BlobScope, maxOutputLength?: number): Promise<string> {
    return this.#store.retrieve(query, scope, maxOutputLength);
  }

  async ask(prompt: string): Promise<string> {
    if (!this.#answer) throw contextErrors.noAnswerer();
    return this.#answer(prompt);
  }

  async close(): Promise<void> {
    await this.kept?.close();
    await this.#store.close();
    await this.#threads.close();
    if (this.#temporary !== undefined) removeTemporaryFolder(this.#temporary);
  }
}

/** Marks a folder as a context's. Throws `FolderNotOurs`, `NotAFolder`, `DiskFull`, `ReadOnly`. */
function claim(folder: string, logger: Logger): void {
  try {
    // First, since a file in place of the folder fails here with `NotAFolder`.
    makeFolder(folder, 0o700);
    claimFolder(folder, { kind: 'context' }, { isOlder, onDamage: (message) => logger.error(message) });
  } catch (error) {
    throw explainWriteError(error, folder);
  }
}

/** Entries of a context's folder; those of earlier versions carry no lease. */
const OWN = /^(?:(?:packs|checkpoints)(?:\.\d+\.d)?|index|set\.\d+\.(?:log|copy\.log|end))$/;

/** Whether all files are of a context whose version wrote no marker. */
function isOlder(names: readonly string[]): boolean {
  const isOurs = (name: string): boolean => OWN.test(name) || isLockName(name);
  return names.every(isOurs) && names.some((name) => name !== 'index');
}
