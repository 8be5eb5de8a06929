import { SextantError } from '../../base/errors.ts';
import { AdminClient } from '../../server/admin/adminClient.ts';
import type { EventView, ResentView, RetryView } from '../../server/webhooks/views.ts';
import type { Header } from '../../webhooks/event.ts';
import { withValue } from '../../webhooks/withValue.ts';
import { withServer, type AdminOptions } from '../server/admin.ts';
import { ExitCode, printable, printJson, type Terminal } from '../terminal.ts';
import { editText } from './editText.ts';
import { readRule, readText } from './filters.ts';

export interface ResendOptions extends AdminOptions {
  readonly data?: string;
  readonly set?: readonly string[];
  readonly header?: readonly string[];
  readonly type?: string;
  readonly to?: string;
}

/** `sextant events resend`: without options, opens the body in an editor. */
export function resendEvent(id: string, options: ResendOptions, terminal: Terminal): Promise<ExitCode> {
  const { data, set, header, type, to } = options;
  return withServer(options, terminal, async (client) => {
    const event = await client.ask<EventView>('GET', AdminClient.path(['events', id]));
    const isEdited = [data, set, header, type, to].every((one) => one === undefined);
    const start = data === undefined ? event.body : data === '-' ? await readText('-', terminal) : data;
    const body = isEdited ? await editBody(event) : (set ?? []).reduce(withValue, start);
    const sent = await client.ask<ResentView>('POST', AdminClient.path(['events', id, 'resend']), {
      ...(body !== event.body && { body }),
      ...(header && { headers: withHeaders(event.headers, header) }),
      ...{ type, webhook: to },
    });
    if (options.json) printJson(sent, terminal);
    else terminal.stdout.write(`${sent.event_id} was edited from ${id}\n`);
    return ExitCode.ok;
  });
}

/** Opens the body of an event in an editor. Throws `InvalidOption` for bytes that are no text, and as {@link editText} does. */
export async function editBody({
  event_id: id,
  body,
  body_base64: base64,
}: Pick<EventView, 'event_id' | 'body' | 'body_base64'>): Promise<string> {
  if (base64 === undefined) return editText(body);
  throw new SextantError(
    'InvalidOption',
    `The body of ${id} is no text. Give another with "sextant events resend --data", or change its --header.`,
  );
}

/** Throws `InvalidOption`. */
function withHeaders(headers: readonly Header[], given: readonly string[]): Header[] {
  const added = given.map((one): Header => {
    const [, name, value] = /^([^:\s]+):\s*(.*)$/.exec(one) ?? [];
    if (name === undefined || value === undefined)
      throw new SextantError('InvalidOption', `--header ${one}: write "Name: value".`);
    return [name, value];
  });
  const names = added.map(([name]) => name.toLowerCase());
  return [...headers.filter(([name]) => !names.includes(name.toLowerCase())), ...added];
}

export interface RetryOptions extends AdminOptions {
  readonly expert?: string;
  readonly trigger?: string;
  readonly webhook?: string;
  readonly from?: string;
  readonly to?: string;
  readonly text?: string;
  readonly filter?: string;
  readonly force?: true;
}

/** `sextant events retry` */
export function retryRuns(id: string | undefined, options: RetryOptions, terminal: Terminal): Promise<ExitCode> {
  const { expert, trigger, webhook, from, to, text, filter, force } = options;
  if ((id === undefined) === (expert === undefined))
    throw new SextantError('InvalidOption', 'Name an event, such as evt_0000000012, or an --expert.');
  return withServer(options, terminal, async (client) => {
    const result =
      id !== undefined
        ? await client.ask<RetryView>('POST', AdminClient.path(['events', id, 'retry']), { trigger })
        : await client.ask<RetryView>('POST', 'runs/retry', {
            ...{ expert, webhook, from, to, text, force },
            ...(filter !== undefined && { filter: await readRule(filter, terminal) }),
          });
    const { retried, down } = result;
    if (options.json) printJson(result, terminal);
    else terminal.stdout.write(`${retried === 1 ? '1 run begins' : `${retried} runs begin`} again.\n`);
    if (down !== undefined) terminal.stderr.write(`sextant: ${printable(down)}\n`);
    return retried > 0 ? ExitCode.ok : ExitCode.nothingFound;
  });
}
