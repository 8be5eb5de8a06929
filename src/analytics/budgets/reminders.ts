import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { readCheckedJson, writeCheckedJson } from '../../base/checkedJson.ts';
import { formatDay, parseDay, type Day } from '../../base/day.ts';
import { explainWriteError, systemCode } from '../../base/errors.ts';
import { removeSync } from '../../base/removal.ts';
import { createWhole } from '../../base/wholeFile.ts';
import { IDENTITY_FIELDS } from '../contract.ts';
import { identityKey, type Identity } from '../identity.ts';

/** A personal note that an override should end: the service has no such date. */
export interface Reminder {
  readonly identity: Identity;
  readonly on: Day;
  readonly note: string;
}

const stored = z.object({
  version: z.literal(1),
  kind: z.enum(IDENTITY_FIELDS),
  name: z.string(),
  on: z.string(),
  note: z.string(),
});

/**
 * Reminders of an account, one file per person: windows need no lock to set different ones, and the last for a person
 * counts. On the day nothing is changed; one window reports the reminder, once.
 */
export class Reminders {
  readonly #folder: string;

  /** `folder` belongs to one account. */
  constructor(folder: string) {
    this.#folder = join(folder, 'reminders');
  }

  /** Replaces an existing reminder. Throws `DiskFull` and `ReadOnly`. */
  set({ identity, on, note }: Reminder): void {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      const { kind, name } = identity;
      removeSync(this.#notified(identity));
      writeCheckedJson(this.#file(identity), { version: 1, kind, name, on: formatDay(on), note }, 0o600);
    } catch (error) {
      throw explainWriteError(error, this.#folder);
    }
  }

  /** Deletes a reminder; returns whether there was one. */
  remove(identity: Identity): boolean {
    const had = readCheckedJson(this.#file(identity)) !== undefined;
    for (const file of [this.#file(identity), this.#notified(identity)]) removeSync(file);
    return had;
  }

  /** All reminders, the earliest first. Damaged files are ignored. */
  all(): readonly Reminder[] {
    return this.#names()
      .flatMap((name): Reminder[] => {
        const read = readCheckedJson(join(this.#folder, name));
        const parsed = stored.safeParse(read === 'damaged' ? undefined : read?.value);
        const on = parsed.success ? parseDay(parsed.data.on) : undefined;
        if (!parsed.success || on === undefined) return [];
        const { kind, name: account, note } = parsed.data;
        return [{ identity: { kind, name: account }, on, note }];
      })
      .sort((a, b) => a.on - b.on || (identityKey(a.identity) < identityKey(b.identity) ? -1 : 1));
  }

  /** Reminders that are due. */
  due(today: Day): readonly Reminder[] {
    return this.all().filter(({ on }) => on <= today);
  }

  /** Due reminders not reported yet; of several windows, one gets each. */
  takeDue(today: Day): readonly Reminder[] {
    return this.due(today).filter(({ identity, on }) => createWhole(this.#notified(identity), formatDay(on), 0o600));
  }

  #names(): string[] {
    try {
      return readdirSync(this.#folder).filter((name) => name.endsWith('.json'));
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return [];
      throw error;
    }
  }

  #file(identity: Identity): string {
    return join(this.#folder, `${fileName(identity)}.json`);
  }

  #notified(identity: Identity): string {
    return join(this.#folder, `${fileName(identity)}.notified`);
  }
}

/** Hashes the name, which may hold any characters and must not be readable in a list of files. */
function fileName(identity: Identity): string {
  return createHash('sha256').update(identityKey(identity)).digest('hex').slice(0, 32);
}
