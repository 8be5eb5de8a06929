import { prefixOf, formatCount } from '../../base/format.ts';
import { ALERT_KINDS, type AlertEvent, type AlertKind } from './alertEvents.ts';
import type { DestinationKind } from './destination.ts';

/** A message as it is sent: the same for each attempt. */
export interface AlertMessage {
  /** By which a receiver recognizes a message that it already has. */
  readonly id: string;
  /** Time at which the events were found, in milliseconds since 1970. */
  readonly at: number;
  /** Host of the service that the figures are from. */
  readonly source: string;
  readonly events: readonly AlertEvent[];
}

const TITLES: Readonly<Record<AlertKind, string>> = {
  over: 'Over the limit',
  near: 'Near the limit',
  projected: 'Projected over the limit',
  unusual: 'Unusual spending',
  stopped: 'Stopped',
};

/** Events of one kind that have a line in a message for people; the others are counted. */
const MOST_LINES = 10;
/** Longest line: names come from elsewhere. */
const LONGEST_LINE = 200;

interface Section {
  readonly title: string;
  readonly lines: readonly string[];
}

/** The body of a message in the form of its receiver. */
export function messageBody(kind: DestinationKind, message: AlertMessage): string {
  switch (kind) {
    case 'slack':
      return JSON.stringify(slackMessage(message));
    case 'teams':
      return JSON.stringify(teamsMessage(message));
    case 'json':
      return JSON.stringify(jsonMessage(message));
  }
}

/** The title of a message: `Sextant: 3 alerts`. */
function titleOf({ events }: AlertMessage): string {
  return events.length === 1 ? 'Sextant: 1 alert' : `Sextant: ${formatCount(events.length)} alerts`;
}

function sectionsOf({ events }: AlertMessage): Section[] {
  return ALERT_KINDS.flatMap((kind) => {
    const found = events.filter((event) => event.kind === kind);
    if (found.length === 0) return [];
    const lines = found.slice(0, MOST_LINES).map(({ text }) => shortened(text));
    const more = found.length - lines.length;
    const rest = more > 0 ? [`and ${formatCount(more)} more`] : [];
    return [{ title: `${TITLES[kind]} (${formatCount(found.length)})`, lines: [...lines, ...rest] }];
  });
}

function shortened(text: string): string {
  return text.length > LONGEST_LINE ? `${prefixOf(text, LONGEST_LINE - 1)}…` : text;
}

function footer({ source, at }: AlertMessage): string {
  return `${source}, ${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Blocks of plain text: a name cannot mention a channel or be a link. */
function slackMessage(message: AlertMessage) {
  const plain = (text: string) => ({ type: 'plain_text', text, emoji: false });
  return {
    text: titleOf(message),
    blocks: [
      { type: 'header', text: plain(titleOf(message)) },
      ...sectionsOf(message).map(({ title, lines }) => ({
        type: 'section',
        text: plain([title, ...lines.map((line) => `• ${line}`)].join('\n')),
      })),
      { type: 'context', elements: [plain(footer(message))] },
    ],
  };
}

/** An Adaptive Card of rich text blocks, which read no Markdown: a name cannot be a link. */
function teamsMessage(message: AlertMessage) {
  const block = (text: string, more: object = {}) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text, ...more }],
  });
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          fallbackText: titleOf(message),
          body: [
            block(titleOf(message), { weight: 'Bolder', size: 'Large' }),
            ...sectionsOf(message).flatMap(({ title, lines }) => [
              { ...block(title, { weight: 'Bolder' }), separator: true },
              ...lines.map((line) => block(line)),
            ]),
            { ...block(footer(message), { isSubtle: true, size: 'Small' }), separator: true },
          ],
        },
      },
    ],
  };
}

/** Every event with its figures, for programs. */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- JsonOutput has this type
export function jsonMessage({ id, at, source, events }: AlertMessage) {
  return {
    version: 1 as const,
    id,
    created_at: new Date(at).toISOString(),
    source,
    alerts: events.map(eventJson),
  };
}

/** An event for programs. */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- JsonOutput has this type
export function eventJson({ key, kind, subject, period, text, groups, figures }: AlertEvent) {
  return { id: key, kind, subject, period, text, groups, figures };
}

/** The message that a test sends: one event of each kind with invented figures. */
export function sampleMessage(id: string, at: number): AlertMessage {
  const month = new Date(at).toISOString().slice(0, 7);
  const sample = (kind: AlertKind, name: string, text: string, figures: AlertEvent['figures'], period = month) => ({
    ...{ key: `sample-${kind}`, kind, period, figures, groups: {} },
    subject: { type: 'account', name } as const,
    text: `Example: ${text}`,
  });
  const of = (consumed: string, used: number): AlertEvent['figures'] => ({
    ...{ unit: 'credits', limit: '1000', consumed, used },
  });
  return {
    id,
    at,
    source: 'Test message of Sextant',
    events: [
      sample('over', 'ada@example.com', 'ada@example.com is 120 credits over the limit of 1,000 credits (112.0 % used)', of('1120', 1.12)), // oxfmt-ignore
      sample('near', 'bob@example.com', 'bob@example.com has 80 credits left of the limit (92.0 % used)', of('920', 0.92)), // oxfmt-ignore
      sample('projected', 'eve@example.com', `eve@example.com is projected to reach the limit of 1,000 credits on ${month}-27 (71.0 % used)`, { ...of('710', 0.71), crosses_on: `${month}-27` }), // oxfmt-ignore
      sample('unusual', 'ci-bot', `ci-bot spent 5,000 credits more than usual on ${month}-12 (5,200 credits on that day)`, { unit: 'credits', until: `${month}-12`, days: 1, amount: '5200', usual: '200', excess: '5000' }, `${month}-12`), // oxfmt-ignore
      sample('stopped', 'kim@example.com', `1 person was active and stopped: kim@example.com (last active ${month}-01)`, { last_active: `${month}-01`, active_days: 9 }, `${month}-01`), // oxfmt-ignore
    ],
  };
}
