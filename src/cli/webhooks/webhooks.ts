import { SextantError } from '../../base/errors.ts';
import { AdminClient } from '../../server/admin/adminClient.ts';
import type { NewWebhookView, TriggerView, WebhookView } from '../../server/webhooks/views.ts';
import { isSigned } from '../../webhooks/signatures.ts';
import { withServer, type AdminOptions } from '../server/admin.ts';
import { readRule, readText } from './filters.ts';
import { ExitCode, formatColumns, formatRows, printable, printJson, type Terminal } from '../terminal.ts';

export interface CreateWebhookOptions extends AdminOptions {
  readonly type?: string;
  readonly secret?: string;
  /** JSON. */
  readonly signature?: string;
  readonly description?: string;
  readonly scope?: string;
  readonly owner?: string;
  readonly content?: string;
  /** JSON. */
  readonly answer?: string;
  readonly disabled?: true;
}

export interface RotateOptions extends AdminOptions {
  readonly overlap: number;
  readonly secret?: string;
}

const path = (...parts: string[]): string => AdminClient.path(parts);

/** `sextant webhooks create` */
export function createWebhook(name: string, options: CreateWebhookOptions, terminal: Terminal): Promise<ExitCode> {
  const { type, secret, signature, description, scope, owner, content, answer, disabled } = options;
  const scheme = jsonOption(signature, '--signature');
  return withServer(options, terminal, async (client) => {
    const input = {
      name,
      type,
      secret: await secretOf(secret, terminal),
      signature: scheme,
      description,
      scope,
      owner,
      content,
      answer: jsonOption(answer, '--answer'),
      ...(disabled && { enabled: false }),
    };
    const webhook = await client.ask<NewWebhookView>('POST', 'webhooks', input);
    if (options.json) printJson(webhook, terminal);
    else terminal.stdout.write(describeSecret(webhook));
    return ExitCode.ok;
  });
}

/** `sextant webhooks rotate` */
export function rotateWebhook(name: string, options: RotateOptions, terminal: Terminal): Promise<ExitCode> {
  return withServer(options, terminal, async (client) => {
    const rotated = await client.ask<NewWebhookView>('POST', path('webhooks', name, 'rotate'), {
      overlap_seconds: options.overlap,
      secret: await secretOf(options.secret, terminal),
    });
    if (options.json) printJson(rotated, terminal);
    else {
      terminal.stdout.write(describeSecret(rotated));
      const until = options.overlap > 0 ? `stays valid for ${options.overlap} s` : 'is no longer valid';
      terminal.stdout.write(`The previous secret ${until}.\n`);
    }
    return ExitCode.ok;
  });
}

/** The secret of an option; `-` is the first line of the standard input, which other users of this machine cannot see. */
export async function secretOf(given: string | undefined, terminal: Terminal): Promise<string | undefined> {
  return given === '-' ? (await readText('-', terminal)).split(/\r?\n/, 1)[0] : given;
}

/** The value of an option in JSON. Throws `InvalidPayload`. */
export function jsonOption(given: string | undefined, option: string): unknown {
  return given === undefined ? undefined : JSON.parse(requireJson(given, option));
}

function describeSecret({ name, url, secret, type }: NewWebhookView): string {
  const token = type === 'gitlab' ? 'the secret token in GitLab' : 'a bearer token with each delivery';
  if (type === 'anything') return `Webhook ${printable(name)}\n${formatRows([['url', url]])}`;
  const how = isSigned({ type }) ? 'the key that signs deliveries' : token;
  const rows = formatRows([
    ['url', url],
    ['secret', `${secret} (${how}; it is shown only once)`],
  ]);
  return `Webhook ${printable(name)}\n${rows}`;
}

export interface ListWebhooksOptions extends AdminOptions {
  readonly scope?: string;
  readonly owner?: string;
}

/** `sextant webhooks list` */
export function listWebhooks(options: ListWebhooksOptions, terminal: Terminal): Promise<ExitCode> {
  return withServer(options, terminal, async (client) => {
    const { webhooks } = await client.ask<{ webhooks: WebhookView[] }>(
      'GET',
      AdminClient.path(['webhooks'], { scope: options.scope, owner: options.owner }),
    );
    if (options.json) printJson(webhooks, terminal);
    else if (webhooks.length === 0)
      terminal.stderr.write('sextant: No webhook found. Create one: sextant webhooks create.\n');
    else
      terminal.stdout.write(
        formatColumns(
          webhooks.map(({ name, type, scope, owner, enabled, url, triggers, description }) => [
            ...[
              name,
              type,
              owner === undefined ? scope : `${scope} of ${owner}`,
              enabled ? 'enabled' : 'disabled',
              url,
            ],
            triggers.length === 0 ? 'no trigger' : triggers.join(', '),
            description,
          ]),
        ),
      );
    return webhooks.length > 0 ? ExitCode.ok : ExitCode.nothingFound;
  });
}

export interface EditWebhookOptions extends AdminOptions {
  readonly description?: string;
  readonly scope?: string;
  /** `false` removes it. */
  readonly owner?: string | false;
  readonly content?: string;
  /** JSON; `false` removes it. */
  readonly answer?: string | false;
}

/** `sextant webhooks edit` */
export function editWebhook(name: string, options: EditWebhookOptions, terminal: Terminal): Promise<ExitCode> {
  const { description, scope, content } = options;
  const owner = options.owner === false ? null : options.owner;
  // `false` is of --no-answer.
  const answer = options.answer === false ? null : jsonOption(options.answer, '--answer');
  if ([description, scope, owner, content, answer].every((one) => one === undefined))
    throw new SextantError(
      'InvalidOption',
      'Give the --description, --scope, --owner, --content or --answer to change.',
    );
  return withServer(options, terminal, async (client) => {
    const webhook = await client.ask<WebhookView>('PATCH', path('webhooks', name), {
      description,
      scope,
      owner,
      content,
      answer,
    });
    if (options.json) printJson(webhook, terminal);
    return ExitCode.ok;
  });
}

/** `sextant webhooks enable` and `disable` */
export function enableWebhook(
  name: string,
  enabled: boolean,
  options: AdminOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  return withServer(options, terminal, async (client) => {
    const webhook = await client.ask<WebhookView>('PATCH', path('webhooks', name), { enabled });
    if (options.json) printJson(webhook, terminal);
    return ExitCode.ok;
  });
}

/** `sextant webhooks delete`, `triggers delete`, `experts delete` */
export function deleteDefinition(
  kind: 'webhooks' | 'triggers' | 'experts',
  name: string,
  options: AdminOptions & { readonly force?: true },
  terminal: Terminal,
): Promise<ExitCode> {
  return withServer(options, terminal, async (client) => {
    const query = kind === 'triggers' ? {} : { force: options.force };
    const deleted = await client.ask<{ triggers?: TriggerView[] }>('DELETE', AdminClient.path([kind, name], query));
    if (options.json) printJson({ deleted: name, ...deleted }, terminal);
    else
      for (const trigger of deleted.triggers ?? [])
        terminal.stdout.write(`Also deleted the trigger ${printable(trigger.name)}: ${printable(trigger.words)}\n`);
    return ExitCode.ok;
  });
}

/** Throws `InvalidPayload`. */
export function requireJson(text: string, where: string): string {
  try {
    JSON.parse(text);
  } catch (error) {
    throw new SextantError('InvalidPayload', `${where} is not JSON.`, { cause: error });
  }
  return text;
}

export interface TriggerOptions extends AdminOptions {
  readonly webhook?: string;
  /** `false` removes the filter. */
  readonly filter?: string | false;
  readonly expert?: string;
  readonly disabled?: true;
  readonly rename?: string;
  readonly replace?: true;
}

/** `sextant triggers create`; `--replace` changes only the given options. */
export function createTrigger(name: string, options: TriggerOptions, terminal: Terminal): Promise<ExitCode> {
  const { webhook, filter, expert, disabled, rename, replace } = options;
  if (webhook === undefined && !replace)
    throw new SextantError('InvalidOption', 'Name the --webhook whose events the trigger is for.');
  return withServer(options, terminal, async (client) => {
    const input = {
      webhook,
      expert,
      ...(typeof filter === 'string' && { filter: await readRule(filter, terminal) }),
      ...(disabled && { enabled: false }),
    };
    const trigger = await (replace
      ? client.ask<TriggerView>('PATCH', path('triggers', name), {
          ...input,
          name: rename,
          ...(filter === false && { filter: null }),
        })
      : client.ask<TriggerView>('POST', 'triggers', { name, ...input }).catch(adviseReplace));
    return showTrigger(trigger, options, terminal);
  });
}

function adviseReplace(error: unknown): never {
  if (!(error instanceof SextantError && error.code === 'Conflict')) throw error;
  throw new SextantError(error.code, `${error.message} To change it, add --replace.`, { cause: error });
}

/** `sextant triggers enable` and `disable` */
export function enableTrigger(
  name: string,
  enabled: boolean,
  options: AdminOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  return withServer(options, terminal, async (client) =>
    showTrigger(await client.ask<TriggerView>('PATCH', path('triggers', name), { enabled }), options, terminal),
  );
}

function showTrigger(trigger: TriggerView, { json }: AdminOptions, terminal: Terminal): ExitCode {
  if (json) printJson(trigger, terminal);
  else terminal.stdout.write(`${printable(trigger.words)}\n`);
  return ExitCode.ok;
}

/** `sextant triggers list` */
export function listTriggers(options: AdminOptions, terminal: Terminal): Promise<ExitCode> {
  return withServer(options, terminal, async (client) => {
    const { triggers } = await client.ask<{ triggers: TriggerView[] }>('GET', 'triggers');
    if (options.json) printJson(triggers, terminal);
    else if (triggers.length === 0)
      terminal.stderr.write('sextant: No trigger found. Create one: sextant triggers create.\n');
    else terminal.stdout.write(formatColumns(triggers.map(({ name, words }) => [name, words])));
    return triggers.length > 0 ? ExitCode.ok : ExitCode.nothingFound;
  });
}
