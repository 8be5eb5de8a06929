import { createHash } from 'node:crypto';
import { createReadStream, lstatSync, readdirSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolderSync } from '../../base/atomicFile.ts';
import { explainWriteError, isWriteError, systemCode } from '../../base/errors.ts';
import type { Fence } from '../../base/lease.ts';
import { makeInnerFolder } from '../../base/ownedFolder.ts';
import { moveSync, removeIfFreeSync } from '../../base/removal.ts';
import { stateErrors } from './errors.ts';
import type { KeptFile } from './records.ts';
import type { Incoming } from './serverState.ts';

/** `<lease>-<n>.ndjson`; of earlier versions `<n>.ndjson`. */
const NAME = /^(?:(\d{1,15})-)?(\d{1,15})\.ndjson$/;
const TEMPORARY = '.tmp';

/** Data files received over HTTP. Their names carry the number of the lease that wrote them. */
export class Imports {
  readonly #folder: string;
  readonly #fence: Fence;
  #last: number;

  constructor(state: string, fence: Fence) {
    this.#folder = join(state, 'imports');
    this.#fence = fence;
    const numbers = this.#files().map(({ number }) => number);
    this.#last = Math.max(0, ...numbers);
  }

  /** Passes the bytes on and writes them, durably with `keep`. Throws `LeaseLost`, `DiskFull`, `ReadOnly`, `FolderNotOurs`. */
  receive(bytes: AsyncIterable<Uint8Array>): Incoming {
    const file = `${this.#fence.number}-${++this.#last}.ndjson`;
    const path = join(this.#folder, file);
    const temporary = `${path}${TEMPORARY}`;
    const digest = createHash('sha256');
    let size = 0;
    let target: FileHandle | undefined;
    const writing = async <T>(work: () => Promise<T>): Promise<T> => {
      try {
        return await work();
      } catch (error) {
        throw explainWriteError(error, this.#folder);
      }
    };
    const begin = (): Promise<FileHandle> =>
      writing(() => {
        this.#fence.check();
        makeInnerFolder(this.#folder);
        // Exclusive, so that no link is followed.
        return open(temporary, 'wx', 0o600);
      });
    async function* copied(): AsyncGenerator<Uint8Array> {
      const handle = (target = await begin());
      for await (const chunk of bytes) {
        await writing(() => handle.writeFile(chunk));
        digest.update(chunk);
        size += chunk.length;
        yield chunk;
      }
    }
    return {
      bytes: copied(),
      keep: () =>
        writing(async () => {
          const handle = (target ??= await begin());
          await handle.sync();
          await handle.close();
          this.#fence.check();
          moveSync(temporary, path);
          syncFolderSync(this.#folder);
          this.#fence.check();
          return { file, bytes: size, sha256: digest.digest('hex') };
        }),
      discard: async () => {
        await target?.close();
        this.#remove(temporary);
      },
    };
  }

  /** Reads a file. Throws `StateDamaged` if it is missing or changed, at the latest after its last byte. */
  async *read({ file, bytes, sha256 }: KeptFile): AsyncGenerator<Uint8Array> {
    const path = this.pathOf(file);
    if (!NAME.test(file)) throw stateErrors.damaged(path);
    const digest = createHash('sha256');
    let size = 0;
    try {
      for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
        digest.update(chunk);
        size += chunk.length;
        yield chunk;
      }
    } catch (error) {
      throw systemCode(error) === undefined ? error : stateErrors.damaged(path, error);
    }
    if (sha256 !== undefined && (size !== bytes || digest.digest('hex') !== sha256)) throw stateErrors.damaged(path);
  }

  pathOf(file: string): string {
    return join(this.#folder, file);
  }

  /** Removes imports that no change names: their request was never acknowledged. Other files stay. */
  removeOrphans(named: ReadonlySet<string>): void {
    for (const { name, isTemporary, lease } of this.#files())
      if ((isTemporary || !named.has(name)) && lease <= this.#fence.number) this.#remove(join(this.#folder, name));
  }

  #remove(path: string): void {
    try {
      removeIfFreeSync(path);
    } catch (error) {
      // The next start removes the file.
      if (!isWriteError(explainWriteError(error, this.#folder))) throw error;
    }
  }

  #files(): {
    readonly name: string;
    readonly lease: number;
    readonly number: number;
    readonly isTemporary: boolean;
  }[] {
    return entriesOf(this.#folder).flatMap((entry) => {
      const isTemporary = entry.name.endsWith(TEMPORARY);
      const parts = NAME.exec(isTemporary ? entry.name.slice(0, -TEMPORARY.length) : entry.name);
      if (!parts || !entry.isFile()) return [];
      return [{ name: entry.name, lease: Number(parts[1] ?? 0), number: Number(parts[2]), isTemporary }];
    });
  }
}

function entriesOf(folder: string): { readonly name: string; isFile(): boolean }[] {
  // Follows no link, since nothing below one may be removed.
  const isFolder = lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return isFolder ? readdirSync(folder, { withFileTypes: true }) : [];
}
