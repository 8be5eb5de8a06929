import type { Header } from './event.ts';
import type { System } from './names.ts';

/** Where a system names the type of an event: in a header, and perhaps further in the body, or only in the body. */
interface TypePlace {
  readonly header?: string;
  /** Paths in the body; the first one that has a text counts. */
  readonly paths: readonly (readonly string[])[];
  /** A header that each delivery has, where `header` is missing. */
  readonly sign?: RegExp;
}

const PLACES: Readonly<Record<System, TypePlace>> = {
  github: { header: 'X-GitHub-Event', paths: [['action']] },
  gitlab: { header: 'X-Gitlab-Event', paths: [] },
  shopify: { header: 'X-Shopify-Topic', paths: [] },
  stripe: { paths: [['type']], sign: /^stripe-signature$/i },
  slack: { paths: [['event', 'type'], ['command'], ['payload', 'type'], ['type']], sign: /^x-slack-/i },
  pagerduty: { paths: [['event', 'event_type']], sign: /^x-pagerduty-/i },
  twilio: { paths: [['MessageStatus'], ['SmsStatus'], ['CallStatus']], sign: /^x-twilio-signature$/i },
};

/** A header that each delivery of a system has. */
const SIGNS = (Object.entries(PLACES) as [System, TypePlace][]).map(([system, { header, sign }]) => ({
  system,
  sign: sign ?? new RegExp(`^${header}$`, 'i'),
}));

/** The names that senders of other kinds use. */
const USUAL: readonly (readonly string[])[] = [
  ['type'],
  ['event_type'],
  ['event', 'event_type'],
  ['event', 'type'],
  ['event'],
  ['action'],
];

/** The system that sent a delivery, by its headers; `undefined` if it is another. */
export function systemOf(headers: readonly Header[]): System | undefined {
  return SIGNS.find(({ sign }) => headers.some(([name]) => sign.test(name)))?.system;
}

/** The type of an event, such as `pull_request.opened` or `invoice.paid`; `undefined` if nothing names it. */
export function eventTypeOf(
  headers: readonly Header[],
  payload: unknown,
  system = systemOf(headers),
): string | undefined {
  const { header, paths } = system === undefined ? { header: undefined, paths: USUAL } : PLACES[system];
  const named = header && headers.find(([name]) => name.toLowerCase() === header.toLowerCase())?.[1];
  const inBody = paths.map((path) => textAt(payload, path)).find((one) => one !== undefined);
  return named === undefined ? inBody : inBody === undefined ? named : `${named}.${inBody}`;
}

/**
 * What names another type: the headers to replace, and the assignments to make in the body. GitHub's `pull_request.closed` is a
 * header and an action.
 */
export function changesForType(
  system: System | undefined,
  type: string,
  payload: unknown,
): { readonly headers: readonly Header[]; readonly values: readonly (readonly [path: string, value: string])[] } {
  const { header, paths } = system === undefined ? { header: undefined, paths: USUAL } : PLACES[system];
  const path = paths.find((one) => textAt(payload, one) !== undefined) ?? paths[0];
  const [name = '', ...rest] = type.split('.');
  if (header === undefined || path === undefined)
    return header === undefined
      ? { headers: [], values: path ? [[path.join('.'), type]] : [] }
      : { headers: [[header, type]], values: [] };
  return { headers: [[header, name]], values: rest.length === 0 ? [] : [[path.join('.'), rest.join('.')]] };
}

function textAt(value: unknown, path: readonly string[]): string | undefined {
  let part = value;
  for (const key of path)
    part =
      typeof part === 'object' && part !== null && Object.hasOwn(part, key)
        ? (part as Readonly<Record<string, unknown>>)[key]
        : undefined;
  return typeof part === 'string' && part !== '' ? part : undefined;
}
