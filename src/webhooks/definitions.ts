import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod/mini';
import type { Clock } from '../base/clock.ts';
import { describeError, explainWriteError, isWriteError } from '../base/errors.ts';
import { FencedJson, type FencedRead } from '../base/fencedJson.ts';
import type { Fence } from '../base/lease.ts';
import type { Logger } from '../base/log.ts';
import { moveSync } from '../base/removal.ts';
import { webhookErrors } from './errors.ts';
import { Filter } from './filter/filter.ts';
import { nameOfForward } from './names.ts';
import {
  forwardInput,
  expertInput,
  parse,
  RECORD,
  secretInput,
  triggerInput,
  webhookInput,
  type CommandExpert,
  type Expert,
  type ForwardExpert,
  type Trigger,
} from './schemas.ts';
import { hashSecret, newSecret, type SecretRecord } from './secrets.ts';
import { isSigned } from './signatures.ts';

export interface Webhook extends z.output<typeof webhookInput> {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly secrets: readonly SecretRecord[];
}

/** A webhook whose trigger and expert of the same name forward all its events. */
export interface Forward {
  readonly webhook: Webhook;
  readonly trigger: Trigger;
  readonly expert: ForwardExpert;
  /** Of a new one only; a webhook of the type `anything` has none. */
  readonly secret?: string;
  readonly isNew: boolean;
}

/** A key that verifies signatures; a hash of it could not. */
export interface SigningKey {
  readonly key: string;
  readonly expiresAt?: number;
}

export type { Expert, ExpertView, ForwardExpert, Trigger, WorkingExpert } from './schemas.ts';

/** A trigger with its parsed filter. */
interface ReadyTrigger {
  readonly trigger: Trigger;
  readonly filter: Filter | undefined;
}

interface DefinitionsFile {
  readonly version: 1;
  readonly webhooks: readonly Webhook[];
  readonly triggers: readonly Trigger[];
  readonly experts: readonly ForwardExpert[];
}

const NONE: DefinitionsFile = { version: 1, webhooks: [], triggers: [], experts: [] };

type Keys = Readonly<Record<string, readonly SigningKey[]>>;

export interface DefinitionsOptions {
  readonly fence: Fence;
  readonly folder: string;
  /** Dates new definitions. */
  readonly clock: Clock;
  /** The system clock, by which secrets expire; `clock` by default. */
  readonly realClock?: Clock | undefined;
  /** Experts of this machine's own file, which are kept nowhere else. */
  readonly commands?: readonly CommandExpert[] | undefined;
  /** Whether events were accepted before, so webhooks must have existed. */
  readonly hasEvents?: boolean;
  readonly logger: Logger;
}

/**
 * Webhooks, triggers and experts. A change takes effect once it is on the disk. Two files of mode 0600 hold the definitions,
 * with hashes of secrets only, and the keys of signed webhooks. Each has a copy, so damage to one file loses nothing.
 */
export class Definitions {
  readonly #options: DefinitionsOptions;
  readonly #realClock: Clock;
  readonly #definitionsFile: FencedJson;
  readonly #keysFile: FencedJson;
  #kept: DefinitionsFile;
  #keys: Keys;
  #webhooksById = new Map<string, Webhook>();
  /** Triggers by the name of their webhook. */
  #triggersOf = new Map<string, ReadyTrigger[]>();

  /**
   * Reads the files and reports damage. A full or read-only disk fails only later changes. Throws `LeaseLost`, and `NameTaken` for
   * a command with the name of an expert.
   */
  constructor(options: DefinitionsOptions) {
    const { fence, folder, clock, realClock = clock } = options;
    this.#options = options;
    this.#realClock = realClock;
    this.#definitionsFile = new FencedJson(fence, folder, 'definitions', 0o600);
    this.#keysFile = new FencedJson(fence, folder, 'signing-keys', 0o600);
    const definitions = this.#definitionsFile.read();
    const keys = this.#keysFile.read();
    this.#kept = (definitions.found?.value as DefinitionsFile | undefined) ?? NONE;
    this.#keys = (keys.found?.value as Keys | undefined) ?? {};
    for (const { name } of options.commands ?? []) requireFree('expert', name, this.#kept.experts);
    this.#index();
    this.#reportDamage(definitions, 'webhooks, triggers and experts. Create them again');
    this.#reportDamage(keys, `signing keys. Rotate the secret of ${this.#unsigned() || 'each signed webhook'}`);
    this.#reportMissing(definitions, keys);
    this.#own(definitions, keys);
  }

  get webhooks(): readonly Webhook[] {
    return this.#kept.webhooks;
  }

  get triggers(): readonly Trigger[] {
    return this.#kept.triggers;
  }

  get experts(): readonly Expert[] {
    return [RECORD, ...(this.#options.commands ?? []), ...this.#kept.experts];
  }

  webhookById(id: string): Webhook | undefined {
    return this.#webhooksById.get(id);
  }

  expert(name: string): Expert | undefined {
    return this.experts.find((expert) => expert.name === name);
  }

  /** The enabled triggers of a webhook, each with its filter if it has one. */
  triggersOf(webhook: Webhook): readonly ReadyTrigger[] {
    return this.#triggersOf.get(webhook.name) ?? [];
  }

  /** Describes a trigger in words. */
  describe({ webhook, expert, filter, enabled }: Trigger): string {
    const when = filter === undefined ? '' : ` and ${Filter.kept(filter).words}`;
    const what = expert === RECORD.name ? 'record it' : `run ${expert}`;
    return `When an event comes to ${webhook}${when}: ${what}.${enabled ? '' : ' It is disabled.'}`;
  }

  /** Signing keys of a webhook that are valid at a time, by default now. */
  signingKeys(id: string, now = this.#realClock.now()): string[] {
    return (this.#keys[id] ?? []).filter(({ expiresAt = Infinity }) => now < expiresAt).map(({ key }) => key);
  }

  /**
   * Creates a webhook; its secret is returned only here. `secret` is the sender's own; without it, a new one is made. Throws
   * `InvalidDefinition` and `NameTaken`. `more` is written with it.
   */
  createWebhook(
    input: unknown,
    ownSecret?: unknown,
    more: Partial<DefinitionsFile> = {},
  ): { readonly webhook: Webhook; readonly secret: string } {
    const checked = parse(webhookInput, input, 'webhook');
    requireFree('webhook', checked.name, this.webhooks);
    const id = `wh_${randomBytes(12).toString('base64url')}`;
    const secret = this.#secretFor(checked.type, ownSecret);
    const secrets = secret === '' ? [] : [{ hash: hashSecret(secret) }];
    const webhook: Webhook = { ...checked, id, createdAt: this.#options.clock.now(), secrets };
    // Keys first: a key without its webhook does no harm, a webhook without its key cannot be used.
    if (isSigned(webhook)) this.#saveKeys({ ...this.#keys, [id]: [{ key: secret }] });
    this.#save({ ...more, webhooks: [...this.webhooks, webhook] });
    return { webhook, secret };
  }

  /**
   * Creates a webhook with a trigger and an expert that forward all its events to a URL, the three of one name and in one write;
   * {@link deleteForward} undoes it. Returns the existing ones of the same name, type and URL, without their secret. Throws
   * `InvalidDefinition` and `NameTaken`.
   */
  createForward(input: unknown, ownSecret?: unknown): Forward {
    const { url, from, signature, name: wanted } = parse(forwardInput, input, 'forward');
    const existing = this.#forwards().find(({ webhook, expert }) =>
      wanted === undefined ? webhook.type === from && expert.url === url : webhook.name === wanted,
    );
    if (existing) {
      const { webhook, expert } = existing;
      if (webhook.type === from && expert.url === url) return { ...existing, isNew: false };
    }
    const taken = [...this.webhooks, ...this.triggers, ...this.experts].map((one) => one.name);
    const name = wanted ?? nameOfForward(from, url, taken);
    requireFree('trigger', name, this.triggers);
    requireFree('expert', name, this.experts);
    const trigger = parse(triggerInput, { name, webhook: name, expert: name }, 'trigger');
    const expert = parse(expertInput, { name, type: 'forward', url }, 'expert');
    const created = this.createWebhook({ name, type: from, signature }, ownSecret, {
      triggers: [...this.triggers, trigger],
      experts: [...this.#kept.experts, expert],
    });
    return { ...created, trigger, expert, isNew: true };
  }

  /**
   * Deletes what {@link createForward} created, in one write. Throws `NoSuchDefinition`, and `InUse` where other triggers use the
   * webhook or the expert or `waiting` runs wait, unless `force`.
   */
  deleteForward(name: string, force = false, waiting = 0): void {
    const found = this.#forwards().find(({ webhook }) => webhook.name === name);
    if (!found) throw webhookErrors.noSuch('forward', name);
    const others = this.triggers.filter((one) => one.name !== name);
    const users = others.filter(({ expert }) => expert === name);
    const events = others.filter(({ webhook }) => webhook === name);
    if (!force && events.length > 0) throw webhookErrors.inUse('webhook', name, events);
    if (!force && users.length + waiting > 0) throw webhookErrors.inUse('expert', name, users, waiting);
    this.#save({
      webhooks: this.webhooks.filter((one) => one.name !== name),
      triggers: others.filter(({ webhook }) => webhook !== name),
      experts: this.#kept.experts.filter((one) => one.name !== name),
    });
    this.#dropKeys(found.webhook.id);
  }

  /** The webhooks with a trigger and a forwarding expert of the same name. */
  #forwards(): Omit<Forward, 'isNew'>[] {
    return this.webhooks.flatMap((webhook) => {
      const { name } = webhook;
      const trigger = this.triggers.find((one) => one.name === name && one.webhook === name && one.expert === name);
      const expert = this.#kept.experts.find((one) => one.name === name);
      return trigger && expert ? [{ webhook, trigger, expert }] : [];
    });
  }

  /**
   * Replaces the secret by the sender's own or a new one; the present one stays valid for `overlapMs`. Throws `InvalidDefinition` and
   * `NoSuchDefinition`.
   */
  rotateSecret(
    name: string,
    overlapMs: number,
    ownSecret?: unknown,
  ): { readonly webhook: Webhook; readonly secret: string } {
    const before = this.webhook(name);
    if (before.type === 'anything')
      throw webhookErrors.invalidDefinition('webhook', 'type', 'is anything, which has no secret');
    const now = this.#realClock.now();
    const secret = this.#secretFor(before.type, ownSecret);
    const until = now + overlapMs;
    const retire = <T extends { readonly expiresAt?: number }>(one: T): T => ({
      ...one,
      expiresAt: Math.min(one.expiresAt ?? until, until),
    });
    const isGood = ({ expiresAt = Infinity }: { readonly expiresAt?: number }): boolean => expiresAt > now;
    const webhook: Webhook = {
      ...before,
      secrets: [{ hash: hashSecret(secret) }, ...before.secrets.map(retire).filter(isGood)],
    };
    this.#replaceWebhook(webhook);
    if (isSigned(before)) {
      const old = (this.#keys[before.id] ?? []).map(retire).filter(isGood);
      try {
        // Last, since the new key lets deliveries in: until then the old key is valid, and no client has seen the new one.
        this.#saveKeys({ ...this.#keys, [before.id]: [{ key: secret }, ...old] });
      } catch (error) {
        this.#replaceWebhook(before);
        throw error;
      }
    }
    return { webhook, secret };
  }

  /** Changes the fields in the input; `null` removes the answer. Throws `InvalidDefinition` and `NoSuchDefinition`. */
  changeWebhook(name: string, input: Readonly<Record<string, unknown>>): Webhook {
    const { id, createdAt, secrets, ...before } = this.webhook(name);
    const fields: Readonly<Record<string, unknown>> = { ...before, ...input, name: before.name, type: before.type };
    const { answer, ...rest } = fields;
    const changed = answer === null || answer === undefined ? rest : { ...rest, answer };
    const checked = parse(webhookInput, changed, 'webhook');
    const webhook = { ...checked, id, createdAt, secrets };
    this.#replaceWebhook(webhook);
    return webhook;
  }

  /** Deletes a webhook with its triggers, and returns them. Throws `InUse` with their names, unless `force`. */
  deleteWebhook(name: string, force = false): readonly Trigger[] {
    const { id } = this.webhook(name);
    const users = this.triggers.filter(({ webhook }) => webhook === name);
    if (users.length > 0 && !force) throw webhookErrors.inUse('webhook', name, users);
    this.#save({
      webhooks: this.webhooks.filter((one) => one.name !== name),
      triggers: this.triggers.filter(({ webhook }) => webhook !== name),
    });
    this.#dropKeys(id);
    return users;
  }

  /** Drops the keys of a deleted webhook. */
  #dropKeys(id: string): void {
    if (!(id in this.#keys)) return;
    try {
      this.#saveKeys(Object.fromEntries(Object.entries(this.#keys).filter(([one]) => one !== id)));
    } catch (error) {
      // The webhook is deleted. A key without it does no harm.
      if (!isWriteError(error)) throw error;
    }
  }

  /** Creates a trigger, or with `replace` changes it. Throws `InvalidDefinition`, `InvalidFilter`, `NameTaken`. */
  saveTrigger(input: unknown, replace = false): Trigger {
    const { name } = parse(triggerInput, input, 'trigger');
    return this.#putTrigger(input, replace ? this.triggers.find((one) => one.name === name) : undefined);
  }

  /** Puts a trigger in the place of another, or behind all. */
  #putTrigger(input: unknown, before: Trigger | undefined): Trigger {
    const trigger = parse(triggerInput, input, 'trigger');
    if (trigger.name !== before?.name) requireFree('trigger', trigger.name, this.triggers);
    this.webhook(trigger.webhook);
    if (!this.expert(trigger.expert)) throw webhookErrors.noSuch('expert', trigger.expert);
    // An unchanged filter from a version with fewer checks stays.
    if (trigger.filter !== undefined && !isDeepStrictEqual(trigger.filter, before?.filter)) new Filter(trigger.filter);
    const those = this.triggers.map((one) => (one === before ? trigger : one));
    this.#save({ triggers: before ? those : [...those, trigger] });
    return trigger;
  }

  /** Changes the fields in the input, perhaps its name; `null` removes the filter. Throws as {@link saveTrigger}, and `NoSuchDefinition`. */
  changeTrigger(name: string, input: Readonly<Record<string, unknown>>): Trigger {
    const before = this.trigger(name);
    const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
    const { filter, ...changed } = { ...before, ...given };
    return this.#putTrigger({ ...changed, ...(filter !== null && filter !== undefined && { filter }) }, before);
  }

  trigger(name: string): Trigger {
    return byName('trigger', name, this.triggers);
  }

  deleteTrigger(name: string): void {
    this.trigger(name);
    this.#save({ triggers: this.triggers.filter((one) => one.name !== name) });
  }

  saveExpert(input: unknown): ForwardExpert {
    const expert = parse(expertInput, input, 'expert');
    requireFree('expert', expert.name, this.experts);
    this.#save({ experts: [...this.#kept.experts, expert] });
    return expert;
  }

  /** `waiting` is the number of its waiting runs. Throws `InUse`, unless `force`: then these runs fail. */
  deleteExpert(name: string, force = false, waiting = 0): void {
    if (this.#options.commands?.some((one) => one.name === name))
      throw webhookErrors.invalidDefinition('expert', name, 'is of the file of commands: remove it there');
    byName('expert', name, this.#kept.experts);
    const users = this.triggers.filter(({ expert }) => expert === name);
    if (users.length + waiting > 0 && !force) throw webhookErrors.inUse('expert', name, users, waiting);
    this.#save({ experts: this.#kept.experts.filter((one) => one.name !== name) });
  }

  /** Throws `NoSuchDefinition`. */
  webhook(name: string): Webhook {
    return byName('webhook', name, this.webhooks);
  }

  /** Empty for the type `anything`. */
  #secretFor(type: Webhook['type'], own: unknown): string {
    const isStandard = type === 'standard_webhooks';
    const given = parse(secretInput, own, 'webhook', 'secret');
    if (type === 'anything') {
      if (given === undefined) return '';
      throw webhookErrors.invalidDefinition('webhook', 'secret', 'is not for the type anything');
    }
    if (isStandard && given !== undefined && !/^(?:whsec_)?[\w+/]+={0,2}$/.test(given))
      throw webhookErrors.invalidDefinition('webhook', 'secret', 'must be base64, perhaps after whsec_');
    return given ?? newSecret(isStandard ? 'base64' : 'base64url');
  }

  #replaceWebhook(webhook: Webhook): void {
    this.#save({ webhooks: this.webhooks.map((one) => (one.id === webhook.id ? webhook : one)) });
  }

  #save(change: Partial<DefinitionsFile>): void {
    const kept = { ...this.#kept, ...change };
    this.#definitionsFile.write(kept);
    this.#kept = kept;
    this.#index();
  }

  #saveKeys(keys: Keys): void {
    this.#keysFile.write(keys);
    this.#keys = keys;
  }

  #index(): void {
    this.#webhooksById = new Map(this.webhooks.map((webhook) => [webhook.id, webhook]));
    this.#triggersOf = new Map();
    for (const trigger of this.triggers) {
      if (!trigger.enabled) continue;
      const filter = trigger.filter === undefined ? undefined : Filter.kept(trigger.filter);
      const those = this.#triggersOf.get(trigger.webhook) ?? [];
      this.#triggersOf.set(trigger.webhook, [...those, { trigger, filter }]);
    }
  }

  /** Signed webhooks without a key. */
  #unsigned(): string {
    const those = this.webhooks.filter(({ id, type }) => isSigned({ type }) && !(id in this.#keys));
    return those.map(({ name }) => name).join(', ');
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
        `signing-keys.<number>.json and its copy are missing in ${folder}: no delivery to ${this.#unsigned()} is accepted. Rotate the secrets.`,
      );
  }

  /** Writes the read values under the present lease: later writes of a predecessor have no effect. */
  #own(definitions: FencedRead, keys: FencedRead): void {
    const { fence, folder, logger } = this.#options;
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
}

function requireFree(kind: string, name: string, those: readonly { readonly name: string }[]): void {
  if (those.some((one) => one.name === name)) throw webhookErrors.nameTaken(kind, name);
}

function byName<T extends { readonly name: string }>(kind: string, name: string, those: readonly T[]): T {
  const found = those.find((one) => one.name === name);
  if (!found) throw webhookErrors.noSuch(kind, name);
  return found;
}
