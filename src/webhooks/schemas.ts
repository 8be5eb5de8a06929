import * as z from 'zod/mini';
import { TOKEN_NAME, TOKEN_NAME_RULE } from '../base/tokenName.ts';
import { webhookErrors } from './errors.ts';
import type { Header } from './event.ts';
import { isHttpUrl, NAME, NAME_RULE, SIGNING_TYPES, WEBHOOK_TYPES, type WebhookType } from './names.ts';
import type { SecretRecord } from './secrets.ts';
import { signatureInput } from './signatures.ts';

/* What may be written in the definition of a webhook, a trigger and an expert. */

export const WEBHOOK_SCOPES = ['organization', 'personal'] as const;
export const WEBHOOK_CONTENTS = ['json', 'any'] as const;
export type WebhookContent = (typeof WEBHOOK_CONTENTS)[number];

const text = (most: number) =>
  z.string('must be a string').check(z.maxLength(most, `must have at most ${most} characters`));
const name = z.string('must be a string').check(z.regex(NAME, `must be ${NAME_RULE}`));
const flag = z._default(z.boolean('must be true or false'), true);
const count = (max: number, min = 1) =>
  z.int('must be a whole number').check(z.gte(min, `must be ${min} to ${max}`), z.lte(max, `must be ${min} to ${max}`));

/** Headers of the connection, which the server and its clients set themselves. */
const CONNECTION = /^(connection|content-length|date|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;
const headers = z
  .record(
    z.string(),
    text(4000).check(z.regex(/^[\t\x20-\x7e]*$/, 'must have characters of ASCII only')),
    'must be an object',
  )
  .check(
    z.refine((those) => Object.keys(those).length <= 50, 'must have at most 50 headers'),
    z.refine(
      (those) => Object.keys(those).every((one) => /^[\w!#$%&'*+.^`|~-]{1,100}$/.test(one)),
      'has a name that no header can have',
    ),
    z.refine((those) => !Object.keys(those).some((one) => CONNECTION.test(one)), 'has a header of the connection'),
  );

const scope = z._default(z.enum(WEBHOOK_SCOPES, `must be one of ${WEBHOOK_SCOPES.join(', ')}`), 'personal');
/** The name of a token. */
const owner = z.string('must be a string').check(z.regex(TOKEN_NAME, `must be ${TOKEN_NAME_RULE}`));

/** What a webhook answers instead of 202 and the id of the event. */
const answerInput = z.strictObject({
  status: z._default(count(599, 200), 200),
  body: z._default(text(65_536), ''),
  headers: z._default(headers, {}),
  delay_ms: z._default(count(60_000, 0), 0),
  /** Share of deliveries that fail with `failure_status` and are not stored, from 0 to 1. */
  failure_share: z._default(
    z.number('must be a number').check(z.gte(0, 'must be 0 to 1'), z.lte(1, 'must be 0 to 1')),
    0,
  ),
  failure_status: z._default(count(599, 400), 503),
});
export type WebhookAnswer = z.output<typeof answerInput>;

export const webhookInput = z
  .strictObject({
    name,
    type: z._default(z.enum(WEBHOOK_TYPES, `must be one of ${WEBHOOK_TYPES.join(', ')}`), 'bearer_token'),
    /** Of the type `hmac`. */
    signature: z.optional(signatureInput),
    description: z._default(text(2000), ''),
    /** `organization`: all who use webhooks of the server see it. */
    scope,
    /** The person who may change it; the admin of the server if it is missing. */
    owner: z.optional(owner),
    enabled: flag,
    /** Bodies that are accepted; see {@link contentOf}. */
    content: z.optional(z.enum(WEBHOOK_CONTENTS, `must be one of ${WEBHOOK_CONTENTS.join(', ')}`)),
    answer: z.optional(answerInput),
  })
  .check(
    z.refine(({ type, signature }) => (type === 'hmac') === (signature !== undefined), {
      path: ['signature'],
      message: 'is for the type hmac, which needs it',
    }),
  );
export type WebhookInput = z.input<typeof webhookInput>;

export interface Webhook extends z.output<typeof webhookInput> {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly secrets: readonly SecretRecord[];
}

/** Systems that send forms besides JSON, and senders of which nothing is known. */
const ANY_CONTENT: readonly WebhookType[] = ['anything', 'github', 'slack', 'twilio', 'hmac'];

/** The bodies that a webhook accepts: JSON only, or all. */
export function contentOf({
  type,
  content,
}: {
  readonly type: WebhookType;
  readonly content?: WebhookContent | undefined;
}): WebhookContent {
  return content ?? (ANY_CONTENT.includes(type) ? 'any' : 'json');
}

/** The sender's own secret; without it, a new one is made. */
export const secretInput = z.optional(
  z
    .string('must be a string')
    .check(
      z.minLength(8, 'must have at least 8 characters'),
      z.maxLength(500, 'must have at most 500 characters'),
      z.regex(/^[\x21-\x7e]*$/, 'must have letters, digits and punctuation of ASCII only'),
    ),
);

export const triggerInput = z.strictObject({
  type: z._default(z.literal('webhook', 'must be webhook'), 'webhook'),
  name,
  webhook: name,
  filter: z.optional(z.unknown()),
  expert: z._default(name, 'record'),
  enabled: flag,
});
export type TriggerInput = z.input<typeof triggerInput>;
export type Trigger = z.output<typeof triggerInput>;

const url = z
  .string('must be a URL')
  .check(z.refine(isHttpUrl, 'must be an http or https URL without a password in it'));

const expertScope = z.enum(WEBHOOK_SCOPES, `must be one of ${WEBHOOK_SCOPES.join(', ')}`);
/** Headers that a forward sets itself. */
const SET = /^(expect|proxy-.*|x-sextant-.*)$/i;
/** Headers that a forward adds, or sends instead of those of the event. */
const forwardHeaders = headers.check(
  z.refine((those) => !Object.keys(those).some((one) => SET.test(one)), 'has a header that Sextant sets'),
);
export const expertInput = z
  .strictObject({
    name,
    type: z.literal('forward', 'must be forward or editor; "record" exists already'),
    url,
    /** `organization`: triggers of all who use webhooks of the server may run it. */
    scope: z.optional(expertScope),
    headers: z._default(forwardHeaders, {}),
    /** Signs each attempt as this sender does. */
    sign: z.optional(z.enum(SIGNING_TYPES, `must be one of ${SIGNING_TYPES.join(', ')}`)),
    /** Of `sign: hmac`. */
    signature: z.optional(signatureInput),
    /** Time limit of one attempt. */
    timeout_ms: z._default(count(600_000), 30_000),
    max_attempts: z._default(count(50), 8),
    concurrency: z._default(count(64), 4),
  })
  .check(
    z.refine(({ sign, signature }) => (sign === 'hmac') === (signature !== undefined), {
      path: ['signature'],
      message: 'is for sign: hmac, which needs it',
    }),
  );
const headerChanges = z.record(z.string(), z.nullable(z.string('must be a string')), 'must be an object');
export type ExpertInput = z.input<typeof expertInput>;
/** Posts events to a URL. Values of its headers, and the key that signs, are kept with the keys of webhooks. */
export interface ForwardExpert extends Omit<z.output<typeof expertInput>, 'headers'> {
  /** Their names. */
  readonly headers?: readonly string[] | undefined;
}

const argument = text(10_000).check(z.regex(/^[^\0]*$/, 'must have no zero character'));
/** A command of the machine's own file: see `readCommands`. */
export const commandInput = z.strictObject({
  name,
  argv: z
    .array(argument, 'must be an array')
    .check(
      z.refine(
        (argv) => argv.length >= 1 && argv.length <= 100 && argv[0] !== '',
        'must be 1 to 100 texts, the program first',
      ),
    ),
  /** The folder of the file by default. */
  cwd: z.optional(argument),
  env: z._default(z.record(z.string().check(z.regex(/^\w+$/, 'must be names of variables')), argument), {}),
  /** What the command reads: the body, byte for byte, or JSON with the headers, too. */
  input: z._default(z.enum(['body', 'event'], 'must be body or event'), 'body'),
  timeout_ms: z._default(count(3_600_000), 60_000),
  max_attempts: z._default(count(20), 3),
  concurrency: z._default(count(16), 1),
});
/** Runs a command of this machine. */
export interface CommandExpert extends z.output<typeof commandInput> {
  readonly type: 'command';
  readonly cwd: string;
}

/** Is run by a window of an editor, whose own settings say what it does. */
export const editorInput = z.strictObject({
  name,
  type: z.literal('editor'),
  scope: z.optional(expertScope),
  timeout_ms: z._default(count(3_600_000), 600_000),
  max_attempts: z._default(count(20), 3),
  concurrency: z._default(count(16), 1),
});
export type EditorExpert = z.output<typeof editorInput>;
/** An expert that is kept with the definitions. */
export type KeptExpert = ForwardExpert | EditorExpert;

interface RecordExpert {
  readonly name: 'record';
  readonly type: 'record';
}
/** An expert whose work is done in attempts, from the queue. */
export type WorkingExpert = KeptExpert | CommandExpert;
/** `record` stores the event and does nothing else. */
export type Expert = WorkingExpert | RecordExpert;

/** An expert in lists: of the variables of a command, only the names. */
export type ExpertView =
  | ForwardExpert
  | RecordExpert
  | (Omit<CommandExpert, 'env'> & { readonly env: readonly string[] })
  | (EditorExpert & {
      /** What it does in each connected window that runs it. */
      readonly windows?: readonly string[];
    });

export function expertView(expert: Expert): ExpertView {
  return expert.type === 'command' ? { ...expert, env: Object.keys(expert.env) } : expert;
}

export function isEditorInput(input: unknown): boolean {
  return typeof input === 'object' && input !== null && 'type' in input && input.type === 'editor';
}

/** A webhook whose trigger of the same name forwards all its events, or runs an expert of this machine for each. */
export interface Forward {
  readonly webhook: Webhook;
  readonly trigger: Trigger;
  readonly expert: WorkingExpert;
  /** Of a new one only; a webhook of the type `anything` has none. */
  readonly secret?: string;
  readonly isNew: boolean;
}

/** What a forward sends besides the event. */
export interface ForwardSecrets {
  readonly headers: readonly Header[];
  /** The key that signs. */
  readonly key?: string | undefined;
}

/** A new or changed forward; its secret is returned where it was made or given. */
export interface SavedExpert {
  readonly expert: KeptExpert;
  readonly secret?: string | undefined;
}

/** Headers with single ones changed, by any case of their name; `null` removes one. Throws `InvalidDefinition`. */
export function withHeaders(those: Readonly<Record<string, string>>, changes: unknown): Record<string, unknown> {
  const given = parse(headerChanges, changes ?? {}, 'expert', 'set_headers');
  const changed = new Set(Object.keys(given).map((one) => one.toLowerCase()));
  const rest = Object.entries(those).filter(([header]) => !changed.has(header.toLowerCase()));
  return Object.fromEntries([...rest, ...Object.entries(given).filter(([, value]) => value !== null)]);
}

export const RECORD: RecordExpert = { name: 'record', type: 'record' };

/** A webhook and a trigger of one name that bring all events to a URL, by an expert of that name, or to a command. */
export const forwardInput = z
  .strictObject({
    name: z.optional(name),
    url: z.optional(url),
    /** The name of a command. */
    run: z.optional(name),
    from: z._default(z.enum(WEBHOOK_TYPES, `must be one of ${WEBHOOK_TYPES.join(', ')}`), 'anything'),
    signature: z.optional(signatureInput),
    headers: z.optional(forwardHeaders),
  })
  .check(
    z.refine(({ url, run }) => (url === undefined) !== (run === undefined), {
      path: ['url'],
      message: 'or run must be given, and not both',
    }),
    z.refine(({ run, headers }) => run === undefined || headers === undefined, {
      path: ['headers'],
      message: 'is not for commands',
    }),
  );

/** Parses the input of a definition. Throws `InvalidDefinition`. */
export function parse<S extends z.ZodMiniType>(schema: S, input: unknown, kind: string, field = ''): z.output<S> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const { code, path, message, ...rest } = result.error.issues[0]!;
  const keys = code === 'unrecognized_keys' ? (rest as { readonly keys?: readonly string[] }).keys : undefined;
  if (keys) throw webhookErrors.invalidDefinition(kind, keys.join(', '), 'is unknown');
  const at = path.join('.') || field;
  throw webhookErrors.invalidDefinition(kind, at, at === '' ? 'must be an object' : message);
}
