import { join } from 'node:path';
import { describeError, explainWriteError, isWriteError } from '../base/errors.ts';
import { FencedJson, type FencedRead } from '../base/fencedJson.ts';
import type { Fence } from '../base/lease.ts';
import type { Logger } from '../base/log.ts';
import { moveSync } from '../base/removal.ts';
import type { KeptExpert, Trigger, Webhook } from './schemas.ts';
import { isSigned } from './signatures.ts';

/** A key that verifies or makes signatures, which a hash of it could not; or the value of a forward's header. */
export interface SigningKey {
  readonly key: string;
  readonly expiresAt?: number;
  readonly header?: string;
}

export interface DefinitionsFile {
  readonly version: 1;
  readonly webhooks: readonly Webhook[];
  readonly triggers: readonly Trigger[];
  readonly experts: readonly KeptExpert[];
}

const NONE: DefinitionsFile = { version: 1, webhooks: [], triggers: [], experts: [] };

/** Keys by the id of their webhook, or by that of {@link expertKey}. */
export type Keys = Readonly<Record<string, readonly SigningKey[]>>;

export interface DefinitionFilesOptions {
  readonly fence: Fence;
  readonly folder: string;
  /** Whether events were accepted before, so webhooks must have existed. */
  readonly hasEvents?: boolean;
  readonly logger: Logger;
}

/** Where the keys of a forward are kept among those of webhooks. */
export function expertKey(name: string): string {
  return `expert ${name}`;
}

/**
 * Two files of mode 0600: the definitions, with hashes of secrets only, and the keys of signed webhooks and of forwards. Each has a
 * copy, so damage to one file loses nothing.
 */
export class DefinitionFiles {
  readonly #options: DefinitionFilesOptions;
  readonly #definitionsFile: FencedJson;
  readonly #keysFile: FencedJson;
  readonly #read: { readonly definitions: FencedRead; readonly keys: FencedRead };
  #kept: DefinitionsFile;
  #keys: Keys;

  /** Reads the files. Throws `LeaseLost`. */
  constructor(options: DefinitionFilesOptions) {
    const { fence, folder } = options;
    this.#options = options;
    this.#definitionsFile = new FencedJson(fence, folder, 'definitions', 0o600);
    this.#keysFile = new FencedJson(fence, folder, 'signing-keys', 0o600);
    const definitions = this.#definitionsFile.read();
    const keys = this.#keysFile.read();
    this.#read = { definitions, keys };
    this.#kept = (definitions.found?.value as DefinitionsFile | undefined) ?? NONE;
    this.#keys = (keys.found?.value as Keys | undefined) ?? {};
  }

  get kept(): DefinitionsFile {
    return this.#kept;
  }

  get keys(): Keys {
    return this.#keys;
  }

  save(change: Partial<DefinitionsFile>): void {
    const kept = { ...this.#kept, ...change };
    this.#definitionsFile.write(kept);
    this.#kept = kept;
  }

  saveKeys(keys: Keys): void {
    this.#keysFile.write(keys);
    this.#keys = keys;
  }

  /**
   * Reports damage, and writes the read values under the present lease: later writes of a predecessor have no effect. A full or
   * read-only disk fails only later changes.
   */
  own(): void {
    const { fence, folder, logger } = this.#options;
    const { definitions, keys } = this.#read;
    this.#reportDamage(definitions, 'webhooks, triggers and experts. Create them again');
    this.#reportDamage(keys, `signing keys. Rotate the secret of ${this.#unsigned() || 'each signed webhook'}`);
    this.#reportMissing(definitions, keys);
    try {
      fence.check();
      for (const { damaged, isLost } of [definitions, keys])
        if (isLost) for (const name of damaged) moveSync(join(folder, name), join(folder, `${name}.damaged`));
      this.#keysFile.write(this.#keys);
      this.#definitionsFile.write(this.#kept);
    } catch (error) {
      const explained = explainWriteError(error, folder);
      if (!isWriteError(explained)) throw explained;
      logger.warn(`Webhooks can be read, and changed once the disk allows it: ${describeError(explained)}`);
    }
  }

  /** Signed webhooks and forwards without a key. */
  #unsigned(): string {
    const { webhooks, experts } = this.#kept;
    const those = webhooks.filter(({ id, type }) => isSigned({ type }) && !(id in this.#keys));
    const forwards = experts.filter(
      (one) =>
        one.type === 'forward' &&
        ((one.headers ?? []).length > 0 || one.sign !== undefined) &&
        !(expertKey(one.name) in this.#keys),
    );
    return [...those, ...forwards].map(({ name }) => name).join(', ');
  }

  #reportDamage({ damaged, isLost }: FencedRead, what: string): void {
    const { folder, logger } = this.#options;
    const files = damaged.map((name) => join(folder, name)).join(' and ');
    if (isLost)
      logger.error(
        `${files} cannot be read. They had the newest state of ${what}, or stop the server and restore a backup of one of the files. What is left of them is kept with the ending .damaged.`,
      );
    else if (damaged.length > 0)
      logger.error(`${files} was damaged. Nothing is lost: the other copy is whole, and both are written again.`);
  }

  /** Reports files that were deleted together with their copies. */
  #reportMissing(definitions: FencedRead, keys: FencedRead): void {
    const { folder, hasEvents = false, logger } = this.#options;
    const isMissing = ({ found, damaged }: FencedRead): boolean => found === undefined && damaged.length === 0;
    if (isMissing(definitions) && (hasEvents || Object.keys(this.#keys).length > 0))
      logger.error(
        `definitions.<number>.json and its copy are missing in ${folder}: webhooks, triggers and experts are lost. Create them again, or stop the server and restore a backup.`,
      );
    if (isMissing(keys) && this.#unsigned() !== '')
      logger.error(
        `signing-keys.<number>.json and its copy are missing in ${folder}: no delivery to ${this.#unsigned()} is accepted or signed. Rotate the secrets.`,
      );
  }
}
