import { setTimeout as wait } from 'node:timers/promises';
import { isCancelled, SextantError, throwIfCancelled } from '../../base/errors.ts';
import { formatCount } from '../../base/format.ts';
import { isLoopback } from '../../base/loopback.ts';
import { AdminClient } from '../../server/admin/adminClient.ts';
import { prettyBody } from '../../server/webhooks/eventText.ts';
import { TEMPLATE_NAMES, TEMPLATES } from '../../webhooks/templates.ts';
import { withValue } from '../../webhooks/withValue.ts';
import { withServer, type AdminOptions } from '../server/admin.ts';
import { ExitCode, formatColumns, printJson, ProgressLine, type Terminal } from '../terminal.ts';
import { editText } from './editText.ts';
import { readText } from './filters.ts';
import { requireJson } from './webhooks.ts';

export interface SendOptions extends AdminOptions {
  readonly template?: string;
  /** Names of the library, sent one after the other. */
  readonly as?: readonly string[];
  readonly data?: string;
  readonly set?: readonly string[];
  readonly edit?: true;
  readonly print?: true;
  readonly secret?: string;
  /** Seconds between two events. */
  readonly delay?: number;
  readonly count?: number;
  /** Events a second. */
  readonly rate?: number;
  /** Seconds. */
  readonly for?: number;
}

/** The most events under way at a rate; a slower server lowers the rate. */
const MOST_AT_ONCE = 64;

/** `sextant webhooks library` */
export async function listLibrary(options: Pick<AdminOptions, 'json'>, terminal: Terminal): Promise<ExitCode> {
  const events = (await import('../../webhooks/library/library.ts')).listLibrary();
  if (options.json) printJson(events, terminal);
  else terminal.stdout.write(formatColumns(events.map(({ name, title, source }) => [name, title, source])));
  return ExitCode.ok;
}

/** The result of a burst, or of a rate. */
export interface SentMany {
  readonly sent: number;
  readonly stored: number;
  readonly failed: number;
  readonly seconds: number;
  /** Stored events a second. */
  readonly rate: number;
}

/** A test event to send. */
interface Sending {
  readonly template: string | undefined;
  readonly text: string;
}

/** `sextant webhooks send`: one event, a sequence, a burst, or a rate. */
export async function sendTest(name: string, options: SendOptions, terminal: Terminal): Promise<ExitCode> {
  const { print, json, delay = 0, count, rate, secret = process.env.SEXTANT_WEBHOOK_SECRET } = options;
  if ((rate === undefined) !== (options.for === undefined))
    throw new SextantError('InvalidOption', 'Give --rate and --for together, such as --rate 200 --for 30s.');
  const sequence = await sequenceOf(options, terminal);
  if (print) {
    for (const { text } of sequence) terminal.stdout.write(prettyBody({ body: text }));
    return ExitCode.ok;
  }
  return withServer(options, terminal, async (client) => {
    const send = ({ template, text }: Sending): Promise<{ event_id: string }> =>
      client.ask('POST', AdminClient.path(['webhooks', name, 'send']), {
        ...{ template, text },
        ...(secret !== undefined && secret !== '' && { secret }),
      });
    if (rate !== undefined || count !== undefined) {
      requireLoopback(client);
      const total = count ?? Math.round(rate! * options.for!);
      return sendMany(sequence, total, rate, send, options, terminal);
    }
    for (const [i, sending] of sequence.entries()) {
      if (i > 0) await wait(delay * 1000, undefined, { signal: terminal.signal }).catch(() => undefined);
      throwIfCancelled(terminal.signal);
      const sent = await send(sending);
      terminal.stdout.write(json ? `${JSON.stringify(sent)}\n` : `${sent.event_id}\n`);
    }
    return ExitCode.ok;
  });
}

/**
 * Sends the events of a sequence in turn, at a rate or as fast as the server answers, and reports the result. After Ctrl-C it throws
 * `Cancelled`, and the last events may be stored though no answer arrived.
 */
async function sendMany(
  sequence: readonly Sending[],
  total: number,
  rate: number | undefined,
  send: (sending: Sending) => Promise<unknown>,
  { json }: SendOptions,
  { stdout, stderr, signal }: Terminal,
): Promise<ExitCode> {
  const progress = new ProgressLine(stderr);
  const began = performance.now();
  const underWay = new Set<Promise<unknown>>();
  const problems: unknown[] = [];
  let sent = 0;
  let stored = 0;
  for (; sent < total && !signal.aborted; sent++) {
    const early = rate === undefined ? 0 : began + (sent * 1000) / rate - performance.now();
    // Below a millisecond, the wait would be longer than the rest.
    if (early >= 1) await wait(early, undefined, { signal }).catch(() => undefined);
    while (underWay.size >= MOST_AT_ONCE) await Promise.race(underWay);
    const one: Promise<unknown> = send(sequence[sent % sequence.length]!)
      .then(
        () => stored++,
        (error: unknown) => isCancelled(error) || problems.push(error),
      )
      .finally(() => underWay.delete(one));
    underWay.add(one);
    progress.show([`${formatCount(sent + 1)} of ${formatCount(total)} events sent`]);
  }
  await Promise.all(underWay);
  progress.clear();
  const seconds = Math.max((performance.now() - began) / 1000, 0.001);
  const result: SentMany = { sent, stored, failed: problems.length, seconds, rate: stored / seconds };
  if (json) stdout.write(`${JSON.stringify(result)}\n`);
  else
    stdout.write(
      `${formatCount(stored)} events in ${seconds.toFixed(1)} s: ${formatCount(Math.round(result.rate))} a second.\n`,
    );
  throwIfCancelled(signal);
  if (problems.length > 0) throw problems[0];
  return ExitCode.ok;
}

/** Load is for one's own machine alone. Throws `InvalidOption`. */
function requireLoopback({ url }: AdminClient): void {
  if (isLoopback(new URL(url).hostname)) return;
  throw new SextantError('InvalidOption', `--count and --rate are for a server of this machine, and not for ${url}.`);
}

async function sequenceOf(options: SendOptions, terminal: Terminal): Promise<Sending[]> {
  const { as = [], template } = options;
  if (as.length === 0) return [{ template, text: await changed(options, await textOf(options, terminal)) }];
  if (template !== undefined || options.data !== undefined)
    throw new SextantError('InvalidOption', 'Give one of --as, --template and --data.');
  const { libraryEvent } = await import('../../webhooks/library/library.ts');
  const sequence: Sending[] = [];
  for (const name of as) {
    const event = libraryEvent(name);
    if (!event)
      throw new SextantError(
        'InvalidOption',
        `The library has no event ${name}. "sextant webhooks library" lists all.`,
      );
    sequence.push({ template: name, text: await changed(options, JSON.stringify(event.body)) });
  }
  return sequence;
}

/** The body to send, before it is changed. */
async function textOf({ template, data }: SendOptions, terminal: Terminal): Promise<string> {
  if (data !== undefined)
    return /^\s*[[{]/.test(data) ? requireJson(data, '--data') : requireJson(await readText(data, terminal), data);
  if (template !== undefined && Object.hasOwn(TEMPLATES, template)) {
    const { templateEvent } = await import('../../webhooks/library/library.ts');
    return JSON.stringify(templateEvent(template)!.body);
  }
  throw new SextantError(
    'InvalidOption',
    `Name an event --as, a --template (${TEMPLATE_NAMES}), or give the --data to send.`,
  );
}

async function changed({ set = [], edit }: SendOptions, body: string): Promise<string> {
  const text = set.reduce(withValue, body);
  return edit ? edited(text) : text;
}

/** Opens the body in the person's editor. Throws `NotEdited`, `InvalidPayload` and `Cancelled`. */
async function edited(body: string): Promise<string> {
  return requireJson(await editText(prettyBody({ body })), 'what was saved');
}
