import { SextantError } from '../../base/errors.ts';
import { AdminClient } from '../../server/admin/adminClient.ts';
import type { NewExpertView } from '../../server/webhooks/views.ts';
import type { ExpertView } from '../../webhooks/definitions.ts';
import { withServer, type AdminOptions } from '../server/admin.ts';
import { ExitCode, formatColumns, printJson, printable, type Terminal } from '../terminal.ts';
import { readText } from './filters.ts';
import { jsonOption, secretOf } from './webhooks.ts';

export interface ExpertOptions extends AdminOptions {
  readonly url?: string;
  /** Whether the editor runs it. */
  readonly editor?: boolean;
  /** `Name: value`, or `@FILE`; `false` removes all. */
  readonly header?: readonly string[] | false;
  /** The sender in whose way it signs; `false` for none. */
  readonly sign?: string | false;
  /** JSON. */
  readonly signature?: string;
  readonly secret?: string;
  readonly scope?: string;
  readonly timeout?: number;
  readonly attempts?: number;
  readonly concurrency?: number;
}

/** `sextant experts create` */
export function createExpert(name: string, options: ExpertOptions, terminal: Terminal): Promise<ExitCode> {
  if ((options.url === undefined) !== (options.editor === true))
    throw new SextantError('InvalidOption', 'Give either --url or --editor.');
  return withServer(options, terminal, async (client) => {
    const input = { name, type: options.editor ? 'editor' : 'forward', ...(await inputOf(options, terminal)) };
    return show(await client.ask<NewExpertView>('POST', 'experts', input), options, terminal);
  });
}

/** `sextant experts edit` */
export async function editExpert(name: string, options: ExpertOptions, terminal: Terminal): Promise<ExitCode> {
  const input = await inputOf(options, terminal);
  if (Object.values(input).every((value) => value === undefined))
    throw new SextantError('InvalidOption', 'Give what to change, such as --url or --header.');
  return withServer(options, terminal, async (client) =>
    show(await client.ask<NewExpertView>('PATCH', AdminClient.path(['experts', name]), input), options, terminal),
  );
}

async function inputOf(options: ExpertOptions, terminal: Terminal): Promise<object> {
  const { url, header, sign, signature, secret, scope, timeout, attempts, concurrency } = options;
  return {
    url,
    headers: header === false ? null : header && (await headersOf(header, terminal)),
    sign: sign === false ? null : sign,
    signature: sign === false ? null : jsonOption(signature, '--signature'),
    secret: await secretOf(secret, terminal),
    scope,
    max_attempts: attempts,
    timeout_ms: timeout === undefined ? undefined : timeout * 1000,
    concurrency,
  };
}

/**
 * The headers of an option: each `Name: value`, or `@FILE` with one a line, `@-` for the standard input, so that their values are in no
 * list of processes. Throws `InvalidOption`.
 */
export async function headersOf(given: readonly string[], terminal: Terminal): Promise<Record<string, string>> {
  const lines: string[] = [];
  for (const one of given)
    lines.push(...(one.startsWith('@') ? (await readText(one.slice(1), terminal)).split(/\r?\n/) : [one]));
  const pairs = lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name, value] = /^([^:\s]+):\s*(.*?)\s*$/.exec(line) ?? [];
      if (name === undefined || value === undefined)
        // The text may have a secret in it.
        throw new SextantError('InvalidOption', '--header takes "Name: value", or @FILE with one a line.');
      return [name, value] as const;
    });
  return Object.fromEntries(pairs);
}

/** `sextant experts list` */
export function listExperts(options: AdminOptions, terminal: Terminal): Promise<ExitCode> {
  return withServer(options, terminal, async (client) => {
    const { experts } = await client.ask<{ experts: ExpertView[] }>('GET', 'experts');
    if (options.json) printJson(experts, terminal);
    else terminal.stdout.write(formatColumns(experts.map(describe)));
    return ExitCode.ok;
  });
}

function show(expert: NewExpertView, { json }: AdminOptions, terminal: Terminal): ExitCode {
  if (json) printJson(expert, terminal);
  else {
    terminal.stdout.write(`${describe(expert).map(printable).join('  ')}\n`);
    if (expert.secret !== undefined)
      terminal.stdout.write(`secret  ${expert.secret} (the key that signs; it is shown only once)\n`);
  }
  return ExitCode.ok;
}

function describe(expert: ExpertView): string[] {
  if (expert.type === 'record') return [expert.name, 'records the event only'];
  const { name, timeout_ms: timeoutMs, max_attempts: attempts, concurrency } = expert;
  const what = whatOf(expert);
  return [
    name,
    `${what}: ${concurrency} at once, ${timeoutMs / 1000} s each, ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`,
  ];
}

function whatOf(expert: Exclude<ExpertView, { readonly type: 'record' }>): string {
  if (expert.type === 'command') return `runs ${expert.argv.map(quoted).join(' ')}`;
  if (expert.type === 'forward') return forwardWords(expert);
  const { windows = [] } = expert;
  return windows.length === 0
    ? 'is run by the editor, where no window runs it now'
    : `is run by the editor: ${[...new Set(windows)].join(', ')}`;
}

function forwardWords({ url, headers = [], sign }: Extract<ExpertView, { readonly type: 'forward' }>): string {
  const more = [
    ...(headers.length > 0 ? [`with ${headers.join(', ')}`] : []),
    ...(sign === undefined ? [] : [`signed as ${sign}`]),
  ];
  return [`forwards to ${url}`, ...more].join(', ');
}

/** An argument of a command, in quotation marks if it has more than a plain word. */
function quoted(argument: string): string {
  return /^[\w./:=@%+,-]+$/.test(argument) ? argument : JSON.stringify(argument);
}
