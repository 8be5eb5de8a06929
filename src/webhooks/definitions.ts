import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../base/clock.ts';
import { isWriteError } from '../base/errors.ts';
import type { Fence } from '../base/lease.ts';
import type { Logger } from '../base/log.ts';
import { DefinitionFiles, expertKey, type DefinitionsFile, type Keys, type SigningKey } from './definitionFiles.ts';
import { webhookErrors } from './errors.ts';
import type { Header } from './event.ts';
import { Filter } from './filter/filter.ts';
import { byName, nameOfForward, requireFree } from './names.ts';
import {
  forwardInput,
  expertInput,
  editorInput,
  parse,
  RECORD,
  secretInput,
  triggerInput,
  webhookInput,
  type CommandExpert,
  isEditorInput,
  withHeaders,
  type Expert,
  type Forward,
  type ForwardExpert,
  type ForwardSecrets,
  type KeptExpert,
  type SavedExpert,
  type Trigger,
  type Webhook,
  type WorkingExpert,
} from './schemas.ts';
import { hashSecret, newSecret } from './secrets.ts';
import { isSigned } from './signatures.ts';

export type {
  Expert,
  ExpertView,
  Forward,
  ForwardExpert,
  ForwardSecrets,
  SavedExpert,
  Trigger,
  Webhook,
  WorkingExpert,
} from './schemas.ts';

/** A trigger with its parsed filter. */
interface ReadyTrigger {
  readonly trigger: Trigger;
  readonly filter: Filter | undefined;
}

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
  readonly #files: DefinitionFiles;
  #webhooksById = new Map<string, Webhook>();
  /** Triggers by the name of their webhook. */
  #triggersOf = new Map<string, ReadyTrigger[]>();

  /**
   * Reads the files and reports damage. A full or read-only disk fails only later changes. Throws `LeaseLost`, and `NameTaken` for
   * a command with the name of an expert.
   */
  constructor(options: DefinitionsOptions) {
    const { clock, realClock = clock } = options;
    this.#options = options;
    this.#realClock = realClock;
    this.#files = new DefinitionFiles(options);
    for (const { name } of options.commands ?? []) requireFree('expert', name, this.#kept.experts);
    this.#index();
    this.#files.own();
  }

  get #kept(): DefinitionsFile {
    return this.#files.kept;
  }

  get #keys(): Keys {
    return this.#files.keys;
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
   * Creates a webhook with a trigger, both of one name, that bring all its events to a URL, by an expert of that name, or to an expert of this machine;
   * in one write, which {@link deleteForward} undoes. Returns the existing ones of the same type and target, without their secret.
   * Throws `InvalidDefinition`, `NoSuchDefinition` and `NameTaken`.
   */
  createForward(input: unknown, ownSecret?: unknown): Forward {
    const { url, run, from, signature, headers, name: wanted } = parse(forwardInput, input, 'forward');
    const runs = run === undefined ? undefined : this.#runnable(run);
    const isSame = ({ webhook, expert }: Omit<Forward, 'isNew'>): boolean =>
      webhook.type === from && (expert.type === 'forward' ? expert.url === url : expert.name === run);
    const existing = this.#forwards().find((one) =>
      wanted === undefined ? isSame(one) : one.webhook.name === wanted && isSame(one),
    );
    if (existing) {
      const { expert: before } = existing;
      const expert = headers === undefined ? before : this.changeExpert(before.name, { headers }).expert;
      return { ...existing, expert, isNew: false };
    }
    const taken = [...this.webhooks, ...this.triggers, ...this.experts].map((one) => one.name);
    const name = wanted ?? nameOfForward(from, url ?? run!, taken);
    requireFree('webhook', name, this.webhooks);
    requireFree('trigger', name, this.triggers);
    const trigger = parse(triggerInput, { name, webhook: name, expert: runs?.name ?? name }, 'trigger');
    const more = { triggers: [...this.triggers, trigger] };
    const webhook = { name, type: from, signature };
    if (runs) return { ...this.createWebhook(webhook, ownSecret, more), trigger, expert: runs, isNew: true };
    requireFree('expert', name, this.experts);
    const [expert, keys] = this.#newExpert({ name, type: 'forward', url, headers });
    if (keys.length > 0) this.#saveKeys({ ...this.#keys, [expertKey(name)]: keys });
    const created = this.createWebhook(webhook, ownSecret, { ...more, experts: [...this.#kept.experts, expert] });
    return { ...created, trigger, expert, isNew: true };
  }

  /** A command of this machine, or an expert of the editor. Throws `NoSuchDefinition`. */
  #runnable(name: string): WorkingExpert {
    const editors = this.#kept.experts.filter(({ type }) => type === 'editor');
    return byName('command', name, [...(this.#options.commands ?? []), ...editors]);
  }

  /**
   * Deletes what {@link createForward} created, in one write. Throws `NoSuchDefinition`, and `InUse` where other triggers use the
   * webhook or the expert or `waiting` runs wait, unless `force`.
   */
  deleteForward(name: string, force = false, waiting = 0): void {
    const found = this.#forwards().find(({ webhook }) => webhook.name === name);
    if (!found) throw webhookErrors.noSuch('forward', name);
    const isOwn = found.expert.type === 'forward';
    const others = this.triggers.filter((one) => one.name !== name);
    const users = isOwn ? others.filter(({ expert }) => expert === name) : [];
    const events = others.filter(({ webhook }) => webhook === name);
    if (!force && events.length > 0) throw webhookErrors.inUse('webhook', name, events);
    if (!force && isOwn && users.length + waiting > 0) throw webhookErrors.inUse('expert', name, users, waiting);
    this.#save({
      webhooks: this.webhooks.filter((one) => one.name !== name),
      triggers: others.filter(({ webhook }) => webhook !== name),
      ...(isOwn && { experts: this.#kept.experts.filter((one) => one.name !== name) }),
    });
    this.#dropKeys(found.webhook.id, ...(isOwn ? [expertKey(name)] : []));
  }

  /** The webhooks with a trigger of the same name that runs a command, or a forward of that name. */
  #forwards(): Omit<Forward, 'isNew'>[] {
    return this.webhooks.flatMap((webhook) => {
      const { name } = webhook;
      const trigger = this.triggers.find((one) => one.name === name && one.webhook === name);
      const expert = trigger && this.expert(trigger.expert);
      if (!trigger || !expert || expert.type === 'record') return [];
      return expert.type !== 'forward' || expert.name === name ? [{ webhook, trigger, expert }] : [];
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

  /** Changes the fields in the input; `null` removes the answer or the owner. Throws `InvalidDefinition` and `NoSuchDefinition`. */
  changeWebhook(name: string, input: Readonly<Record<string, unknown>>): Webhook {
    const { id, createdAt, secrets, ...before } = this.webhook(name);
    const fields: Readonly<Record<string, unknown>> = { ...before, ...input, name: before.name, type: before.type };
    // `null` removes what may be missing.
    const changed = Object.fromEntries(
      Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
    );
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

  /** Drops the keys of a deleted webhook or forward. */
  #dropKeys(...ids: readonly string[]): void {
    if (!ids.some((id) => id in this.#keys)) return;
    try {
      this.#saveKeys(Object.fromEntries(Object.entries(this.#keys).filter(([one]) => !ids.includes(one))));
    } catch (error) {
      // Its owner is deleted. A key without it does no harm.
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

  /** Creates a forward, or an expert of the editor. `ownSecret` is the key that signs; without it, a new one is made. Throws `InvalidDefinition` and `NameTaken`. */
  saveExpert(input: unknown, ownSecret?: unknown): SavedExpert {
    const [expert, keys, secret] = this.#newExpert(input, ownSecret);
    requireFree('expert', expert.name, this.experts);
    this.#putExpert(expert, keys);
    return { expert, secret };
  }

  /**
   * Changes the fields in the input; `null` removes them, and `set_headers` changes single headers. A key stays while its forward signs in the same way, unless `ownSecret` is
   * another. Throws `InvalidDefinition` and `NoSuchDefinition`.
   */
  changeExpert(
    name: string,
    { set_headers: single, ...input }: Readonly<Record<string, unknown>>,
    ownSecret?: unknown,
  ): SavedExpert {
    this.#requireKept(name);
    const before = byName('expert', name, this.#kept.experts);
    if (before.type === 'editor') return this.#changeEditorExpert(before, { set_headers: single, ...input }, ownSecret);
    const had = this.#keys[expertKey(name)] ?? [];
    const headers = Object.fromEntries(had.flatMap(({ header, key }) => (header === undefined ? [] : [[header, key]])));
    const given: [string, unknown][] = Object.entries(input).filter(([, value]) => value !== undefined);
    const isOther = input.sign !== undefined && input.sign !== 'hmac' && input.signature === undefined;
    const merged = Object.entries({
      ...before,
      headers: withHeaders(headers, single),
      ...(isOther && { signature: null }),
      ...Object.fromEntries(given),
      name,
    });
    const fields = Object.fromEntries(merged.filter(([, value]) => value !== null));
    const key = fields.sign === before.sign ? had.find(({ header }) => header === undefined)?.key : undefined;
    const [expert, keys, secret] = this.#newExpert(fields, ownSecret ?? key);
    this.#putExpert(expert, keys);
    return { expert, ...(secret !== key && { secret }) };
  }

  #changeEditorExpert(before: KeptExpert, input: Readonly<Record<string, unknown>>, ownSecret: unknown): SavedExpert {
    const given = Object.entries(input).filter(([, value]) => value !== undefined && value !== null);
    const [expert, keys] = this.#newExpert({ ...before, ...Object.fromEntries(given), name: before.name }, ownSecret);
    this.#putExpert(expert, keys);
    return { expert };
  }

  /** An expert with what is kept of it among the keys, and the key that signs. */
  #newExpert(input: unknown, ownSecret?: unknown): [KeptExpert, SigningKey[], string | undefined] {
    if (isEditorInput(input)) {
      const expert = parse(editorInput, input, 'expert');
      if (ownSecret === undefined || ownSecret === null) return [expert, [], undefined];
      throw webhookErrors.invalidDefinition('expert', 'secret', 'is for forwards that sign');
    }
    const { headers, ...rest } = parse(expertInput, input, 'expert');
    const names = Object.keys(headers);
    const expert = names.length === 0 ? rest : { ...rest, headers: names };
    const values = Object.entries(headers).map(([header, key]) => ({ key, header }));
    if (rest.sign === undefined) {
      if (ownSecret === undefined || ownSecret === null) return [expert, values, undefined];
      throw webhookErrors.invalidDefinition('expert', 'secret', 'is for forwards that sign');
    }
    const secret = this.#secretFor(rest.sign, ownSecret, 'expert');
    return [expert, [...values, { key: secret }], secret];
  }

  /** Writes a new or changed expert, its keys first: without their forward they do no harm. */
  #putExpert(expert: KeptExpert, keys: readonly SigningKey[]): void {
    const id = expertKey(expert.name);
    const before = this.#keys;
    const { [id]: _, ...others } = before;
    if (keys.length > 0 || id in before) this.#saveKeys(keys.length > 0 ? { ...others, [id]: keys } : others);
    const those = this.#kept.experts;
    const isNew = !those.some((one) => one.name === expert.name);
    try {
      this.#save({
        experts: isNew ? [...those, expert] : those.map((one) => (one.name === expert.name ? expert : one)),
      });
    } catch (error) {
      if (this.#keys !== before) this.#saveKeys(before);
      throw error;
    }
  }

  /** What a forward sends besides the event; `undefined` if that was lost with a damaged file. */
  forwardSecrets({ name, headers = [], sign }: ForwardExpert): ForwardSecrets | undefined {
    const kept = this.#keys[expertKey(name)] ?? [];
    const values = kept.flatMap(({ header, key }): Header[] => (header === undefined ? [] : [[header, key]]));
    const key = kept.find(({ header }) => header === undefined)?.key;
    if (values.length < headers.length || (sign !== undefined && key === undefined)) return undefined;
    return { headers: values, key };
  }

  /** `waiting` is the number of its waiting runs. Throws `InUse`, unless `force`: then these runs fail. */
  deleteExpert(name: string, force = false, waiting = 0): void {
    this.#requireKept(name);
    byName('expert', name, this.#kept.experts);
    const users = this.triggers.filter(({ expert }) => expert === name);
    if (users.length + waiting > 0 && !force) throw webhookErrors.inUse('expert', name, users, waiting);
    this.#save({ experts: this.#kept.experts.filter((one) => one.name !== name) });
    this.#dropKeys(expertKey(name));
  }

  #requireKept(name: string): void {
    if (this.#options.commands?.some((one) => one.name === name))
      throw webhookErrors.invalidDefinition('expert', name, 'is of the file of commands: change it there');
  }

  /** Throws `NoSuchDefinition`. */
  webhook(name: string): Webhook {
    return byName('webhook', name, this.webhooks);
  }

  /** Empty for the type `anything`. */
  #secretFor(type: Webhook['type'], own: unknown, kind = 'webhook'): string {
    const isStandard = type === 'standard_webhooks';
    const given = parse(secretInput, own, kind, 'secret');
    if (type === 'anything') {
      if (given === undefined) return '';
      throw webhookErrors.invalidDefinition('webhook', 'secret', 'is not for the type anything');
    }
    if (isStandard && given !== undefined && !/^(?:whsec_)?[\w+/]+={0,2}$/.test(given))
      throw webhookErrors.invalidDefinition(kind, 'secret', 'must be base64, perhaps after whsec_');
    return given ?? newSecret(isStandard ? 'base64' : 'base64url');
  }

  #replaceWebhook(webhook: Webhook): void {
    this.#save({ webhooks: this.webhooks.map((one) => (one.id === webhook.id ? webhook : one)) });
  }

  #save(change: Partial<DefinitionsFile>): void {
    this.#files.save(change);
    this.#index();
  }

  #saveKeys(keys: Keys): void {
    this.#files.saveKeys(keys);
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
}
