import { webhookErrors } from './errors.ts';

/** Valid names of webhooks, triggers and experts. */
export const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u;
export const NAME_RULE = '1 to 64 letters, digits, spaces, dots, dashes, underscores';

/** Throws `NameTaken`. */
export function requireFree(kind: string, name: string, those: readonly { readonly name: string }[]): void {
  if (those.some((one) => one.name === name)) throw webhookErrors.nameTaken(kind, name);
}

/** Throws `NoSuchDefinition`. */
export function byName<T extends { readonly name: string }>(kind: string, name: string, those: readonly T[]): T {
  const found = those.find((one) => one.name === name);
  if (!found) throw webhookErrors.noSuch(kind, name);
  return found;
}

/** Whether an expert may forward to a URL: without a password, which would be shown. */
export function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** The first name for a trigger's own expert that is not in `taken`; `kind` ends it. */
export function forwardName(trigger: string, taken: readonly string[], kind = 'forward'): string {
  for (let number = 1; ; number++) {
    const end = number === 1 ? ` ${kind}` : ` ${kind} ${number}`;
    const name =
      Array.from(trigger)
        .slice(0, 64 - end.length)
        .join('') + end;
    if (!taken.includes(name)) return name;
  }
}

/**
 * The first name for a forward of events from a sender to a URL or a command that is not in `taken`, such as
 * `github localhost-3000`.
 */
export function nameOfForward(from: WebhookType, target: string, taken: readonly string[]): string {
  const host = hostOf(target)
    .replace(/[^\p{L}\p{N}.-]+/gu, '-')
    .replace(/^-+/, '');
  for (let number = 1; ; number++) {
    const name = `${from.replaceAll('_', ' ')} ${host.slice(0, 36)}${number === 1 ? '' : ` ${number}`}`;
    if (!taken.includes(name)) return name;
  }
}

function hostOf(target: string): string {
  if (!isHttpUrl(target)) return target;
  const { hostname, port } = new URL(target);
  return `${hostname}${port === '' ? '' : `-${port}`}`;
}

/**
 * How the sender of a webhook proves its identity: by a bearer token, by a signature of https://www.standardwebhooks.com, as a
 * system documents it, or by an HMAC that the webhook's `signature` describes. `anything` needs no proof, and so is for programs of
 * this machine alone.
 */
export const WEBHOOK_TYPES = [
  'bearer_token',
  'standard_webhooks',
  'github',
  'gitlab',
  'stripe',
  'slack',
  'shopify',
  'pagerduty',
  'twilio',
  'hmac',
  'anything',
] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

/** Types whose proof is in headers of its own. */
export const SIGNING_TYPES = WEBHOOK_TYPES.filter((type) => type !== 'bearer_token' && type !== 'anything');

/** The senders whose events have a known form. */
export type System = 'github' | 'gitlab' | 'pagerduty' | 'shopify' | 'slack' | 'stripe' | 'twilio';

/** Names of the systems, as they spell them. */
export const SYSTEMS: Readonly<Partial<Record<WebhookType, string>>> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  stripe: 'Stripe',
  slack: 'Slack',
  shopify: 'Shopify',
  pagerduty: 'PagerDuty',
  twilio: 'Twilio',
};
