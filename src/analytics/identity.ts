import type { IdentityField } from './contract.ts';

/** A regular user or a service account (section 2.1). */
export interface Identity {
  readonly kind: IdentityField;
  readonly name: string;
}

/** Folds the case, which e-mail addresses and the order of all names ignore. */
export function foldCase(name: string): string {
  return name.toLowerCase();
}

/**
 * A key that is equal for equal identities: e-mail addresses without case, service accounts with it. Its order, by code
 * units, is that of identities in all answers: by name without case, users first.
 */
export function identityKey({ kind, name }: Identity): string {
  return kind === 'user_email' ? `${foldCase(name)}\0u` : `${foldCase(name)}\0v${name}`;
}

/** The identity with a key, with the spelling of `name`; undefined for other keys, such as that of a bot. */
export function identityOfKey(key: string, name: string): Identity | undefined {
  const kinds = ['user_email', 'service_account_name'] as const;
  return kinds.map((kind) => ({ kind, name })).find((identity) => identityKey(identity) === key);
}

/** The identity as a field of a record. */
export function identityFields(
  identity: Identity,
):
  | { readonly user_email: string; readonly service_account_name?: never }
  | { readonly user_email?: never; readonly service_account_name: string } {
  return identity.kind === 'user_email' ? { user_email: identity.name } : { service_account_name: identity.name };
}

/** The identity that a bare name stands for: e-mail addresses have an @. */
export function identityNamed(name: string): Identity {
  return { kind: name.includes('@') ? 'user_email' : 'service_account_name', name };
}

/** The name of a column in a file of accounts, `user_email` of `User Email`. */
export function columnName(title: string): string {
  return foldCase(title.trim()).replaceAll(/[\s-]+/g, '_');
}

/** A row that names an account (section 2.1). */
export interface IdentifiedRow {
  readonly user_email?: string | undefined;
  readonly service_account_name?: string | undefined;
}

export function identityOf({ user_email, service_account_name }: IdentifiedRow): Identity {
  return user_email === undefined
    ? { kind: 'service_account_name', name: service_account_name ?? '' }
    : { kind: 'user_email', name: user_email };
}
