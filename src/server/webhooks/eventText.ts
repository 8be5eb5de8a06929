import { applyEdits, format } from 'jsonc-parser';
import { SextantError } from '../../base/errors.ts';
import { formatTree } from '../../webhooks/filter/evaluation.ts';
import { AdminClient } from '../admin/adminClient.ts';
import type { EventDetailView, EventView, RunView, WebhookView } from './views.ts';

/* An event as texts for people. */

/** Its body indented: numbers, escapes and repeated keys stay as they were sent. */
export function prettyBody({ body }: Pick<EventView, 'body'>): string {
  const edits = format(body, undefined, { insertSpaces: true, tabSize: 2, eol: '\n' });
  return `${applyEdits(body, edits).trim()}\n`;
}

export function headerLines({ headers }: Pick<EventView, 'headers'>): string {
  return headers.map(([name, value]) => `${name}: ${value}\n`).join('');
}

/** For each trigger whether it fired, why not, and what each part of its filter gave; then the runs. */
export function explanation(event: EventDetailView): string {
  const { event_id: id, received_at: at, webhook, webhook_id: webhookId, status, evaluations, runs } = event;
  const lines = [`${id} came to ${webhook ?? webhookId} at ${at}: ${STATUS_WORDS[status]}.`];
  if (event.replay_of !== undefined) lines.push(`It is ${event.replay_of}, sent again.`);
  if (event.is_test) lines.push('It is a test event.');
  if (event.is_damaged) lines.push('', 'No more is known of it: the record of that is damaged.');
  else if (status !== 'received' && evaluations.length === 0) lines.push('', 'No trigger was there for it.');
  for (const { trigger, fires, because, error, tree } of evaluations) {
    lines.push('', fires ? `${trigger} fired.` : `${trigger} did not fire: ${because ?? error ?? 'it is not true'}`);
    lines.push(formatTree(tree, '    '));
  }
  for (const run of runs) lines.push('', ...runLines(run));
  return `${lines.join('\n')}\n`;
}

const STATUS_WORDS = {
  received: 'its triggers were not asked yet',
  unmatched: 'no trigger fired',
  pending: 'runs are waiting or under way',
  succeeded: 'all runs succeeded',
  failed: 'a run failed',
} as const;

function runLines({ trigger, expert, state, attempts, next_at: nextAt }: RunView): string[] {
  return [
    `${expert}, run by ${trigger}: ${state}${nextAt === undefined ? '' : `, to be tried again at ${nextAt}`}`,
    ...attempts.map(({ at, duration_ms: ms, status, answer = '', error }) => {
      const what = error ?? [status, answer].filter((part) => part !== undefined && part !== '').join(' ');
      return `    ${at}, ${ms} ms: ${what}`;
    }),
  ];
}

/** Of the connection that it came by, or what would make it the same delivery again. */
const NOT_AGAIN =
  /^(authorization|connection|content-length|cookie|expect|host|idempotency-key|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|webhook-.*)$/i;

/** A command for a POSIX shell that sends it again; the secret is in `$SECRET`. */
export function asCurl({ headers, body }: Pick<EventView, 'headers' | 'body'>, url: string): string {
  const kept = headers.filter(([name, value]) => !NOT_AGAIN.test(name) && value !== '[redacted]');
  return [
    `curl ${quote(url)}`,
    '-H "Authorization: Bearer $SECRET"',
    ...kept.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    `--data-binary ${quote(body)}`,
  ].join(' \\\n  ');
}

/** Where an event came to. Throws `NotFound` where its webhook was deleted. */
export async function urlOf({ event_id: id, webhook }: EventView, client: AdminClient): Promise<string> {
  if (webhook === null)
    throw new SextantError('NotFound', `The webhook of ${id} was deleted: there is nowhere to send it.`);
  return (await client.ask<WebhookView>('GET', AdminClient.path(['webhooks', webhook]))).url;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
