import { createScanner } from 'jsonc-parser';
import { formatColumns } from '../../base/columns.ts';
import { SextantError } from '../../base/errors.ts';
import { isJson } from '../../base/json.ts';
import { quoteForShell as quote } from '../../base/shell.ts';
import { REDACTED, type Header } from '../../webhooks/event.ts';
import { formatTree } from '../../webhooks/filter/evaluation.ts';
import { GITLAB_TOKEN, schemeOf, formText, partsOf, signedUrl, type Addressed } from '../../webhooks/signatures.ts';
import { AdminClient } from '../admin/adminClient.ts';
import type { EventDetailView, EventView, RefusalView, RunView, WebhookView } from './views.ts';

/* An event as texts for people. */

/** Bodies that are deeper, or longer when indented, stay unchanged. */
const MAX_DEPTH = 200;
const MAX_GROWTH = { factor: 8, plus: 100_000, most: 16_000_000 };

/** Indents JSON; numbers, escapes and repeated keys stay unchanged, as do other texts. */
export function prettyBody({ body }: Pick<EventView, 'body'>): string {
  return `${indented(body) ?? body}\n`;
}

/** Indents in one pass, since senders are untrusted. */
function indented(body: string): string | undefined {
  if (!isJson(body)) return undefined;
  const { factor, plus, most } = MAX_GROWTH;
  const longest = Math.min(factor * body.length + plus, most);
  const scanner = createScanner(body, true);
  const next = (): string => {
    scanner.scan();
    const start = scanner.getTokenOffset();
    return body.slice(start, start + scanner.getTokenLength());
  };
  let depth = 0;
  let text = next();
  for (let before = text, token = next(); token !== ''; before = token, token = next()) {
    const isFirst = before === '{' || before === '[';
    const isEnd = token === '}' || token === ']';
    if (isFirst && !isEnd) depth++;
    else if (isEnd && !isFirst) depth--;
    const isBelow = isFirst !== isEnd || before === ',';
    text += `${isBelow ? `\n${'  '.repeat(depth)}` : before === ':' ? ' ' : ''}${token}`;
    if (depth > MAX_DEPTH || text.length > longest) return undefined;
  }
  return text;
}

export function headerLines({ headers }: Pick<EventView, 'headers'>): string {
  return headers.map(([name, value]) => `${name}: ${value}\n`).join('');
}

/** Formats a line for each refusal. */
export function refusalLines(refusals: readonly RefusalView[]): string {
  return formatColumns(
    refusals.map(({ received_at: at, webhook, webhook_id: id, status, reason }) => [
      ...[at, webhook ?? id, String(status), reason],
    ]),
  );
}

/** Damage to the journal for an editor: a paragraph for each damaged range, with lines for the file and each part. */
export function damageLines(damage: readonly string[]): string {
  // Behind the last separator of the file's path, which may have what looks like the end of one.
  const part = /(?<=\.) (?=[A-Z\d][^/\\]*$)|(?<=,) (?=(?:bytes|which) [^/\\]*$)/g;
  return damage.map((one) => `${one.replace(': ', ':\n').replaceAll(part, '\n')}\n`).join('\n');
}

/** Explains for each trigger whether it fired, why not, and the result of each part of its filter; then the runs. */
export function explanation(event: EventDetailView): string {
  const { event_id: id, received_at: at, webhook, webhook_id: webhookId, status, evaluations, runs } = event;
  const lines = [`${id} came to ${webhook ?? webhookId} at ${at}: ${STATUS_WORDS[status]}.`];
  if (event.replay_of !== undefined) lines.push(`It is ${event.replay_of}, sent again.`);
  if (event.edit_of !== undefined) lines.push(`It is ${event.edit_of}, edited and sent again.`);
  const edits = event.edits ?? [];
  if (edits.length > 0)
    lines.push(`${edits.length === 1 ? '1 edit' : `${edits.length} edits`} of it: ${edits.join(', ')}.`);
  if (event.is_test) lines.push('It is a test event.');
  const disabled = event.disabled_triggers.map((name) => `${name} is disabled, and was not evaluated.`);
  if (disabled.length > 0) lines.push('', ...disabled);
  if (event.is_damaged) lines.push('', 'No more is known of it: the record of that is damaged.');
  else if (status !== 'received' && evaluations.length + disabled.length === 0)
    lines.push('', 'Its webhook had no trigger.');
  for (const { trigger, fires, because, error, tree } of evaluations) {
    lines.push('', fires ? `${trigger} fired.` : `${trigger} did not fire: ${because ?? error ?? 'it is not true'}`);
    lines.push(formatTree(tree, '    '));
  }
  for (const run of runs) lines.push('', ...runLines(run));
  return `${lines.join('\n')}\n`;
}

const STATUS_WORDS = {
  received: 'its triggers are not evaluated yet',
  unmatched: 'no trigger fired',
  pending: 'runs are waiting or under way',
  succeeded: 'all runs succeeded',
  failed: 'a run failed',
} as const;

/** The result of an attempt: its error, the status and what was answered or printed. */
export function resultOf({ status, answer, error }: RunView['attempts'][number]): string {
  return [error, status, answer].filter((part) => part !== undefined && part !== '').join(' ');
}

function runLines({ trigger, expert, state, attempts, next_at: nextAt, waits_for: waitsFor }: RunView): string[] {
  const next = nextAt === undefined ? '' : `, to be tried again at ${nextAt}`;
  return [
    `${expert}, run by ${trigger}: ${state}${waitsFor === undefined ? next : ` for ${waitsFor}`}`,
    ...attempts.map(
      (attempt) =>
        `    ${attempt.at}, ${attempt.duration_ms} ms: ${resultOf(attempt).trim().replaceAll('\n', '\n        ')}`,
    ),
  ];
}

/** Headers of the connection, or ones that would make it the same delivery again. */
const NOT_AGAIN =
  /^(authorization|connection|content-length|cookie|expect|host|idempotency-key|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|webhook-.*)$/i;

/** A request to repeat. */
export type Sent = Pick<EventView, 'headers' | 'body' | 'method' | 'query' | 'body_base64'>;
/** The webhook that receives it. */
export type Target = Pick<WebhookView, 'url' | 'type' | 'signature'>;

/** The headers to send again, besides those of a new `proof`. */
export function headersAgain(headers: readonly Header[], proof: readonly Header[] = []): Header[] {
  const replaced = proof.map(([name]) => name.toLowerCase());
  return headers.filter(
    ([name, value]) => !NOT_AGAIN.test(name) && !replaced.includes(name.toLowerCase()) && value !== REDACTED,
  );
}

/** The address of a repetition, and its form, as a signature may cover them. */
export function addressOf(
  event: Sent,
  to: Target,
): { readonly url: string; readonly contentType: string | undefined; readonly form: string } {
  const contentType = event.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const { body_base64: base64 } = event;
  const body = base64 === undefined ? Buffer.from(event.body) : Buffer.from(base64, 'base64');
  const scheme = schemeOf(to);
  const url = urlAgain(event, to);
  return {
    url: scheme ? signedUrl(scheme, url, body, contentType) : url,
    contentType,
    form: formText(body, contentType) ?? '',
  };
}

function urlAgain({ query }: Pick<EventView, 'query'>, { url }: Target): string {
  return query === undefined ? url : `${url}?${query}`;
}

/** The longest argument: Linux takes 128 KiB, Windows 32 KiB for all arguments. */
const MAX_ARGUMENT = 16_384;

/** How a shell signs a body in `$body` with `openssl`, and the headers to send. `printf` is built into the shell, so its arguments have no limit. */
interface ShellProof {
  readonly lines: readonly string[];
  /** Names, and the words for the shell. */
  readonly headers: readonly (readonly [name: string, word: string])[];
}

const STANDARD: ShellProof = {
  lines: [
    'id=msg_$(openssl rand -hex 16)',
    'at=$(date +%s)',
    'key=$(printf %s "${SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -cd 0-9a-f)',
    'mac=$(printf %s "$id.$at.$body" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)',
  ],
  headers: [
    ['webhook-id', '"webhook-id: $id"'],
    ['webhook-timestamp', '"webhook-timestamp: $at"'],
    ['webhook-signature', '"webhook-signature: v1,$mac"'],
  ],
};

function proofInShell(webhook: Target, sent: Addressed & { readonly form: string }): ShellProof {
  if (webhook.type === 'bearer_token')
    return { lines: [], headers: [['authorization', '"Authorization: Bearer $SECRET"']] };
  if (webhook.type === 'anything') return { lines: [], headers: [] };
  if (webhook.type === 'gitlab') return { lines: [], headers: [[GITLAB_TOKEN, `"${GITLAB_TOKEN}: $SECRET"`]] };
  const scheme = schemeOf(webhook);
  if (!scheme) return STANDARD;
  const { header, algorithm, encoding, prefix, signed, timestamp_header: timestampHeader } = scheme;
  const encode = encoding === 'hex' ? 'od -An -v -tx1 | tr -cd 0-9a-f' : 'openssl base64 -A';
  const words = partsOf(signed).map((part) => {
    if (typeof part === 'string') return quote(part);
    if (part.name === 'body' || part.name === 'timestamp') return part.name === 'body' ? '"$body"' : '"$at"';
    return quote(part.name === 'url' ? (sent.url ?? '') : sent.form);
  });
  const sign = `printf ${'%s'.repeat(words.length)} ${words.join(' ')}`;
  const at = `${quote(scheme.timestamp_prefix)}"$at"`;
  const proof = `${quote(prefix)}"$mac"`;
  const isTogether = timestampHeader?.toLowerCase() === header.toLowerCase();
  return {
    lines: [
      ...(timestampHeader === undefined ? [] : ['at=$(date +%s)']),
      `mac=$(${sign} | openssl dgst -${algorithm} -hmac "$SECRET" -binary | ${encode})`,
    ],
    headers: [
      ...(timestampHeader === undefined || isTogether
        ? []
        : [[timestampHeader, `'${timestampHeader}: '${at}`] as const]),
      [header, `'${header}: '${isTogether ? `${at},` : ''}${proof}`],
    ],
  };
}

/** A command for a POSIX shell that sends an event again; the secret is in `$SECRET`. */
export function asCurl({ headers, body, ...event }: Sent, to: Target): string {
  const address = addressOf({ headers, body, ...event }, to);
  const { lines, headers: proofs } = proofInShell(to, address);
  const kept = headersAgain(headers, proofs);
  const { method, body_base64: base64 } = event;
  const hasBody = body !== '' || method === undefined;
  const curl = [
    `curl ${/[[\]{}]/.test(address.url) ? '-g ' : ''}${method === undefined ? '' : `-X ${quote(method)} `}${quote(address.url)}`,
    ...proofs.map(([, word]) => `-H ${word}`),
    ...kept.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(hasBody ? ['--data-binary '] : []),
  ].join(' \\\n  ');
  // A variable of the shell cannot hold all bytes, so these can be sent without a signature only.
  if (base64 !== undefined) return `printf %s ${quote(base64)} | openssl base64 -d -A | ${curl}@-`;
  if (!hasBody) return curl;
  if (lines.length > 0) return `(\nbody=${quote(body)}\n${lines.join('\n')}\nprintf %s "$body" | ${curl}@-\n)`;
  // curl would read the file that such a body names.
  const isFile = body.startsWith('@');
  return isFile || Buffer.byteLength(body) > MAX_ARGUMENT ? `printf %s ${quote(body)} | ${curl}@-` : curl + quote(body);
}

/** The webhook of an event. Throws `NotFound` if the webhook was deleted. */
export async function webhookOf({ event_id: id, webhook }: EventView, client: AdminClient): Promise<WebhookView> {
  if (webhook === null)
    throw new SextantError('NotFound', `The webhook of ${id} was deleted: there is nowhere to send it.`);
  return client.ask('GET', AdminClient.path(['webhooks', webhook]));
}
