import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { SextantError } from '../../base/errors.ts';
import { isLoopback } from '../../base/loopback.ts';
import { columnName } from '../identity.ts';
import { ALERT_KINDS, type AlertEvent } from './alertEvents.ts';
import { isTimeZone, parseHours } from './quietHours.ts';

/** Forms of a message: that of Slack, of Microsoft Teams, and plain JSON. */
export const DESTINATION_KINDS = ['slack', 'teams', 'json'] as const;
export type DestinationKind = (typeof DESTINATION_KINDS)[number];

/** Kinds of subjects that a destination can be limited to. Models and products belong to the organization. */
export const SUBJECT_KINDS = ['accounts', 'groups', 'organization'] as const;

const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,59}$/u;

/** A destination as it is stored. The URL is a secret, since it is all that a sender needs. */
export const destinationSchema = z.strictObject({
  name: z.string().check(z.regex(NAME)),
  kind: z.enum(DESTINATION_KINDS),
  url: z.string(),
  on: z.array(z.enum(ALERT_KINDS)).check(z.minLength(1)),
  for: z.array(z.enum(SUBJECT_KINDS)).check(z.minLength(1)),
  /** Only one group and its accounts. */
  group: z.optional(z.strictObject({ column: z.string(), name: z.string() })),
  quiet: z.optional(
    z.strictObject({
      from: z.string(),
      to: z.string(),
      timeZone: z.string().check(z.refine(isTimeZone, 'must be the name of a time zone')),
    }),
  ),
});
export type Destination = Readonly<z.infer<typeof destinationSchema>>;

/** What a person chooses of a destination. */
export interface DestinationInput {
  readonly name: string;
  readonly url: string;
  readonly kind?: DestinationKind | undefined;
  readonly on?: Destination['on'] | undefined;
  readonly for?: Destination['for'] | undefined;
  /** `team=Search` */
  readonly group?: string | undefined;
  /** `20:00-07:00` */
  readonly quiet?: string | undefined;
  readonly timeZone?: string | undefined;
}

/** Hosts of the services that issue such URLs. */
const OWNERS: readonly (readonly [host: RegExp, kind: DestinationKind])[] = [
  [/^hooks\.slack(-gov)?\.com$/, 'slack'],
  [/(^|\.)(logic\.azure\.com|api\.powerplatform\.com|webhook\.office\.com)$/, 'teams'],
];

/** The form that the owner of a URL expects. */
export function kindOfUrl(url: string): DestinationKind {
  const { hostname } = new URL(url);
  return OWNERS.find(([host]) => host.test(hostname))?.[1] ?? 'json';
}

/** Checks what a person typed. Throws `InvalidDestination`; the message never has the URL. */
export function readDestination(input: DestinationInput): Destination {
  const url = readUrl(input.url);
  if (!NAME.test(input.name))
    throw invalid('A name has letters, digits, spaces, dots, hyphens and underscores, up to 60.');
  const { on = [...ALERT_KINDS], for: subjects = [...SUBJECT_KINDS], kind = kindOfUrl(url) } = input;
  const group = input.group === undefined ? undefined : readGroup(input.group);
  const quiet = input.quiet === undefined ? undefined : readQuiet(input.quiet, input.timeZone);
  return { name: input.name, kind, url, on, for: subjects, ...(group && { group }), ...(quiet && { quiet }) };
}

function readUrl(text: string): string {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (!url || !isSafe || `${url.username}${url.password}${url.hash}` !== '')
    throw invalid('The URL must begin with https://, without a user or fragment; http:// only for this machine.');
  return url.href;
}

function readGroup(text: string): NonNullable<Destination['group']> {
  const [column = '', ...rest] = text.split('=');
  const name = rest.join('=').trim();
  if (column.trim() === '' || name === '') throw invalid('A group is written as column=name, such as team=Search.');
  return { column: columnName(column), name };
}

function readQuiet(
  text: string,
  timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone,
): NonNullable<Destination['quiet']> {
  const hours = parseHours(text);
  if (!hours) throw invalid('Quiet hours are written as 20:00-07:00.');
  if (!isTimeZone(timeZone)) throw invalid(`${timeZone} is no time zone. Write one such as Europe/Berlin.`);
  return { ...hours, timeZone };
}

export function invalid(problem: string): SextantError {
  return new SextantError('InvalidDestination', problem);
}

/**
 * Names a destination in the journal. A hash of its URL, so that the same place is the same destination in a window and on a
 * server, and the journal has no secret.
 */
export function destinationId({ url }: Pick<Destination, 'url'>): string {
  return createHash('sha256').update(`sextant-alerts\0${url}`).digest('hex').slice(0, 12);
}

/** The URL without what is secret in it: `https://hooks.slack.com/…` */
export function redactedUrl(url: string): string {
  return `${new URL(url).origin}/…`;
}

/** Shortest part of a path or query that is taken for a secret. */
const LEAST_SECRET = 4;

/** Removes the parts of a URL from a text, such as the answer of a server that repeats the path of a request. */
export function withoutSecrets(text: string, url: string): string {
  const { pathname, search, searchParams } = new URL(url);
  const parts = [pathname, search.slice(1), ...pathname.split('/'), ...searchParams.values()];
  const spellings = parts.flatMap((part) => [part, decode(part)]).filter((part) => part.length >= LEAST_SECRET);
  return [...new Set(spellings)]
    .sort((a, b) => b.length - a.length)
    .reduce((cleaned, part) => cleaned.replaceAll(part, '…'), text);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}

/** Whether a destination wants an event. */
export function wants(destination: Destination, { kind, subject, groups }: AlertEvent): boolean {
  if (!destination.on.includes(kind)) return false;
  const { group } = destination;
  const isOfGroup =
    group === undefined ||
    groups[group.column] === group.name ||
    (subject.type === 'group' && subject.column === group.column && subject.name === group.name);
  const of = subject.type === 'account' ? 'accounts' : subject.type === 'group' ? 'groups' : 'organization';
  return isOfGroup && destination.for.includes(of);
}
