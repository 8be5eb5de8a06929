import { statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { SextantError } from '../../base/errors.ts';
import { analyticsFolder } from '../client/account.ts';
import { changeListFile, readListFile } from '../client/listFile.ts';
import { destinationSchema, invalid, type Destination } from './destination.ts';

const fileSchema = z.strictObject({ destinations: z.array(destinationSchema) });

/** Folder of the command's destinations, and of the journals of all accounts. */
export function alertsFolder(state: string | undefined): string {
  return join(analyticsFolder(state), 'alerting');
}

/** Folder of the journal of an account. */
export function journalFolder(state: string | undefined, account: string): string {
  return join(alertsFolder(state), account);
}

/**
 * The destinations of the command, in a file that only its owner may read, as their URLs are secret. Throws
 * `UnsafeDestinations` if others may read it, and `InvalidDestination`.
 */
export class DestinationFile {
  readonly path: string;

  constructor(state: string | undefined) {
    this.path = join(alertsFolder(state), 'destinations.json');
  }

  read(): readonly Destination[] {
    this.#requireOwn();
    return readListFile(this.path, fileSchema, invalid)?.destinations ?? [];
  }

  /** Throws `InvalidDestination` if the name or the URL is taken. */
  async add(destination: Destination, signal?: AbortSignal): Promise<void> {
    const withIt = (): object => {
      const all = this.read();
      if (all.some(({ name }) => name === destination.name))
        throw invalid(`There is a destination ${destination.name}. Remove it first, or choose another name.`);
      const same = all.find(({ url }) => url === destination.url);
      if (same) throw invalid(`${same.name} has this URL. Remove it first.`);
      return { destinations: [...all, destination] };
    };
    await changeListFile(this.path, withIt, signal);
  }

  /** Returns whether there was one. */
  remove(name: string, signal?: AbortSignal): Promise<boolean> {
    const withoutIt = (): object | undefined => {
      const all = this.read();
      const destinations = all.filter((one) => one.name !== name);
      return destinations.length < all.length ? { destinations } : undefined;
    };
    return changeListFile(this.path, withoutIt, signal);
  }

  #requireOwn(): void {
    const file = statSync(this.path, { throwIfNoEntry: false });
    const user = process.getuid?.();
    if (file === undefined || user === undefined) return;
    const { mode, uid } = file;
    if (uid !== user || (mode & 0o077) !== 0)
      throw new SextantError(
        'UnsafeDestinations',
        `${this.path} has secret URLs and may be read by others. Make it your own: chmod 600 ${this.path}`,
      );
  }
}
