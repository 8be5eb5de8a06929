import { isObject } from '../base/json.ts';
import type { Header } from './event.ts';
import { SYSTEMS, type WebhookType } from './names.ts';

/** Headers that name the type of an event; those of CloudEvents and of Bitbucket are among them. */
const TYPE_HEADERS = ['x-github-event', 'x-gitlab-event', 'x-shopify-topic', 'ce-type', 'x-event-key', 'x-event-type'];
/** Paths of fields that name the type, as Slack, PagerDuty, Stripe and Standard Webhooks have them. */
const TYPE_FIELDS = [['event', 'type'], ['event', 'event_type'], ['type'], ['event_type'], ['event'], ['action']];
const MAX_CHARACTERS = 100;

/** Prefixes of headers that tell the system of a delivery. */
const SYSTEM_HEADERS: readonly (readonly [prefix: string, system: string])[] = [
  ['x-github-', 'GitHub'],
  ['x-gitlab-', 'GitLab'],
  ['stripe-signature', 'Stripe'],
  ['x-slack-', 'Slack'],
  ['x-shopify-', 'Shopify'],
  ['x-pagerduty-', 'PagerDuty'],
  ['x-twilio-', 'Twilio'],
];

/** Type of an event, from the sender's header or the body: `pull_request.opened`, `invoice.paid`. */
export function eventTypeOf(headers: readonly Header[], json: unknown): string | undefined {
  const body = isObject(json) ? json : {};
  for (const wanted of TYPE_HEADERS) {
    const value = headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
    if (value === undefined || value === '') continue;
    // GitHub names the action in the body alone.
    const action = wanted === 'x-github-event' && typeof body.action === 'string' ? `.${body.action}` : '';
    return `${value}${action}`.slice(0, MAX_CHARACTERS);
  }
  for (const path of TYPE_FIELDS) {
    const value = path.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), body);
    if (typeof value === 'string' && value !== '') return value.slice(0, MAX_CHARACTERS);
  }
  return undefined;
}

/** The system that sent an event, by the type of its webhook, or else by its headers. */
export function senderOf(headers: readonly Header[], type?: WebhookType): string | undefined {
  const system = type && SYSTEMS[type];
  if (system !== undefined) return system;
  const names = headers.map(([name]) => name.toLowerCase());
  return SYSTEM_HEADERS.find(([prefix]) => names.some((name) => name.startsWith(prefix)))?.[1];
}
