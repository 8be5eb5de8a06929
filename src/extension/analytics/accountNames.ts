import { createHmac } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import type { UserInfo } from '../../analytics/contract.ts';
import { nameOfGroup } from '../../analytics/groups/groupReport.ts';
import { identityKey, identityOf, identityOfKey, type Identity } from '../../analytics/identity.ts';

/** Letters and digits that look different. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
/** 35 bits: among ten thousand people, the chance of a collision is 0.15 %. */
const LENGTH = 7;

/**
 * Names or pseudonyms of accounts, for the page and its exports. A pseudonym is the same every day and in every window.
 * It is derived from a secret of this machine, so a list of addresses does not reveal its owner. Row ids reveal no more.
 */
export class AccountNames {
  readonly #secret: string;
  readonly areHidden: boolean;
  /** Codes by key: a growing list of ten thousand is named many times. */
  readonly #codes = new Map<string, string>();

  /** `secret` must be long and random. */
  constructor(secret: string, areHidden: boolean) {
    this.#secret = secret;
    this.areHidden = areHidden;
  }

  of(identity: Identity): string {
    if (!this.areHidden) return identity.name;
    const readable = this.#readable(identityKey(identity));
    return identity.kind === 'user_email' ? l10n.t('Person {0}', readable) : l10n.t('Service account {0}', readable);
  }

  /** The name of an account of cost-analytics by its key, which may be that of a bot. */
  ofKey(key: string, name: string): string {
    const identity = identityOfKey(key, name);
    if (identity) return this.of(identity);
    return this.areHidden && key.startsWith('bot\0') ? l10n.t('Bot {0}', this.#readable(name)) : name;
  }

  /** The name of a group, which may be that of a person, such as a manager. */
  ofGroup(name: string): string {
    return nameOfGroup(name, (key, account) => this.ofKey(key, account));
  }

  /** Replaces an account's name in a text, such as a message of the service. */
  hide(text: string, identity: Identity): string {
    if (!this.areHidden || identity.name === '') return text;
    const literal = identity.name.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
    return text.replaceAll(new RegExp(literal, 'gi'), () => this.of(identity));
  }

  /** Replaces the name of an account of cost-analytics: a person, service account, bot, or deleted account. */
  ofInfo(info: UserInfo): UserInfo {
    if (!this.areHidden) return info;
    if (info.bot_name !== undefined) return { ...info, bot_name: l10n.t('Bot {0}', this.#readable(info.bot_name)) };
    if (info.user_email !== undefined) return { ...info, user_email: this.of(identityOf(info)) };
    if (info.service_account_name !== undefined) return { ...info, service_account_name: this.of(identityOf(info)) };
    return info;
  }

  id(identity: Identity): string {
    return this.#code('id', identityKey(identity), 16);
  }

  #readable(key: string): string {
    const code = this.#code('name', key);
    return `${code.slice(0, 3)}-${code.slice(3)}`;
  }

  #code(purpose: string, key: string, length = LENGTH): string {
    const what = `${purpose}\0${key}`;
    const known = this.#codes.get(what);
    if (known !== undefined) return known;
    const digest = createHmac('sha256', this.#secret).update(what).digest();
    const code = [...digest.subarray(0, length)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
    this.#codes.set(what, code);
    return code;
  }
}
