import { InvalidArgumentError, type Command } from 'commander';
import { positiveInteger } from '../arguments.ts';
import type { AdminOptions } from '../server/admin.ts';
import { SERVER_STATE } from '../server/serverCommands.ts';
import { SIGNING_TYPES, WEBHOOK_TYPES } from '../../webhooks/names.ts';
import { TEMPLATE_NAMES } from '../../webhooks/templates.ts';
import type { EventFilterOptions, ShowOptions } from './events.ts';
import type { TailOptions } from './eventTail.ts';
import type { ExitCode, Terminal } from '../terminal.ts';
import { withOutputOptions, type OutputOptions } from '../writeWhole.ts';
import type {
  CreateWebhookOptions,
  EditWebhookOptions,
  RotateOptions,
  TriggerOptions,
  ListWebhooksOptions,
} from './webhooks.ts';
import type { ResendOptions, RetryOptions } from './again.ts';
import type { ExpertOptions } from './experts.ts';
import type { SendOptions } from './sendEvents.ts';

const JSON_OPTION = ['--json', 'print the result as JSON'] as const;
const SCOPES = 'organization: all who use webhooks here see it; or personal (default)';
const CODES =
  'Exit codes: 0 done, 1 nothing found, 2 failed or wrong usage (no server runs, for instance), 130 interrupted.';

/** Adds `webhooks …`, `triggers …`, `experts …` and `events …`; their modules are loaded when they run. */
export function addWebhookCommands(program: Command, terminal: Terminal, exit: (code: ExitCode) => void): void {
  addWebhooks(program, terminal, exit);
  addTriggers(program, terminal, exit);
  addExperts(program, terminal, exit);
  addEvents(program, terminal, exit);
}

function addWebhooks(program: Command, terminal: Terminal, exit: (code: ExitCode) => void): void {
  const webhooks = program.command('webhooks').description('create and use webhooks of the local server');
  admin(webhooks, 'create <name>', 'create a webhook; its secret is shown only once')
    .option('--type <type>', `how the sender proves itself: ${WEBHOOK_TYPES.join(', ')}`, 'bearer_token')
    .option(
      '--secret <secret>',
      'the secret that the sender has already, or - for the standard input; without it, a new one is made',
    )
    .option('--signature <json>', 'of the type hmac: header, algorithm, encoding, prefix, signed, timestamp_header …')
    .option('--description <text>', 'the purpose of the webhook')
    .option('--scope <scope>', SCOPES)
    .option('--owner <person>', 'the person who may change it: the name of a token')
    .option('--content <content>', 'json, or any: forms, text and bytes too (default: by the type)')
    .option('--answer <json>', 'answer this: status, body, headers, delay_ms, failure_share, failure_status')
    .option('--disabled', 'refuse deliveries until it is enabled')
    .addHelpText(
      'after',
      help(
        'sextant webhooks create deploys',
        'sextant webhooks create issues --type github',
        'sextant webhooks create payments --type stripe --secret - < stripe-secret.txt',
        `sextant webhooks create calls --type hmac --signature '{"header": "X-Signature", "encoding": "base64"}'`,
      ),
    )
    .action(async (name: string, options: CreateWebhookOptions) => {
      exit(await (await import('./webhooks.ts')).createWebhook(name, options, terminal));
    });
  admin(webhooks, 'list', 'list the webhooks: scope and owner, address, triggers, description')
    .option('--scope <scope>', 'only personal ones, or those of the organization')
    .option('--owner <person>', 'only those of this person')
    .addHelpText('after', help('sextant webhooks list', 'sextant webhooks list --owner jo --json'))
    .action(async (options: ListWebhooksOptions) => {
      exit(await (await import('./webhooks.ts')).listWebhooks(options, terminal));
    });
  admin(webhooks, 'edit <name>', 'change the description, the scope, the owner, the content or the answer')
    .option('--description <text>', 'the purpose of the webhook')
    .option('--scope <scope>', SCOPES)
    .option('--owner <person>', 'the person who may change it: the name of a token')
    .option('--no-owner', 'let only the admin token change it')
    .option('--content <content>', 'json, or any: forms, text and bytes too')
    .option('--answer <json>', 'answer this: status, body, headers, delay_ms, failure_share, failure_status')
    .option('--no-answer', 'answer 202 and the id of the event again')
    .addHelpText(
      'after',
      help(
        `sextant webhooks edit deploys --description 'of production' --scope organization`,
        `sextant webhooks edit deploys --answer '{"status": 200, "body": "ok", "failure_share": 0.1}'`,
      ),
    )
    .action(async (name: string, options: EditWebhookOptions) => {
      exit(await (await import('./webhooks.ts')).editWebhook(name, options, terminal));
    });
  admin(webhooks, 'rotate <name>', 'create a new secret, which is shown only once')
    .option(
      '--secret <secret>',
      'the secret that the sender has already, or - for the standard input; without it, a new one is made',
    )
    .option('--overlap <time>', 'how long the present secret stays valid: 30s, 15m, 24h, 7d', seconds, 0)
    .addHelpText('after', help('sextant webhooks rotate deploys --overlap 24h'))
    .action(async (name: string, options: RotateOptions) => {
      exit(await (await import('./webhooks.ts')).rotateWebhook(name, options, terminal));
    });
  for (const verb of ['enable', 'disable'] as const)
    admin(webhooks, `${verb} <name>`, verb === 'enable' ? 'accept deliveries again' : 'answer deliveries with 404')
      .addHelpText('after', help(`sextant webhooks ${verb} deploys`))
      .action(async (name: string, options: AdminOptions) => {
        exit(await (await import('./webhooks.ts')).enableWebhook(name, verb === 'enable', options, terminal));
      });
  addDelete(webhooks, 'webhooks', 'deploys', terminal, exit);
  admin(webhooks, 'send <name>', 'send a test event, as the system of a template would')
    .option('--template <name>', TEMPLATE_NAMES)
    .option('--as <event...>', 'events of the library, sent in turn; see "sextant webhooks library"')
    .option('--data <json>', 'the body: JSON, a file, or - for the standard input')
    .option('--set <path=value...>', 'set a value in the body, such as pull_request.draft=true')
    .option('--edit', 'edit the body in $EDITOR before it is sent')
    .option('--print', 'print the body instead of sending it')
    .option('--delay <time>', 'the time between two events of --as: 500ms, 2s, 1m', seconds)
    .option('--count <number>', 'send this number of events, as fast as the server answers', positiveInteger)
    .option('--rate <number>', 'send this number of events a second, with --for', positiveInteger)
    .option('--for <time>', 'how long to send at a --rate: 30s, 5m', seconds)
    .option('--secret <secret>', 'sign the event with the secret of the webhook (default: SEXTANT_WEBHOOK_SECRET)')
    .addHelpText(
      'after',
      help(
        'sextant webhooks send deploys --template github-push --set ref=refs/heads/next',
        'sextant webhooks send deploys --template github-pull-request --edit',
        `sextant webhooks send deploys --data '{"action": "opened"}'`,
        'sextant webhooks send deploys --template pagerduty --print > event.json',
        'sextant webhooks send deploys --as github.pull_request.opened --set number=7',
        'sextant webhooks send deploys --as github.pull_request.opened github.pull_request.closed --delay 2s',
        'sextant webhooks send deploys --as stripe.invoice.paid --rate 200 --for 30s',
      ),
    )
    .action(async (name: string, options: SendOptions) => {
      exit(await (await import('./sendEvents.ts')).sendTest(name, options, terminal));
    });
  webhooks
    .command('library')
    .description('list the events that "webhooks send --as" sends, with the documentation of each')
    .option(...JSON_OPTION)
    .addHelpText('after', help('sextant webhooks library'))
    .action(async (options: { readonly json?: true }) => {
      exit(await (await import('./sendEvents.ts')).listLibrary(options, terminal));
    });
}

function addTriggers(program: Command, terminal: Terminal, exit: (code: ExitCode) => void): void {
  const triggers = program
    .command('triggers')
    .description('create and change the actions that events of a webhook start');
  admin(triggers, 'create <name>', 'create a trigger, and describe it in words')
    .option('--webhook <name>', 'the webhook whose events fire it')
    .option('--filter <rule>', 'a JSONLogic file, or the rule itself (default: every event fires it)')
    .option('--no-filter', 'with --replace: remove its filter')
    .option('--expert <name>', 'the expert to run, made by "sextant experts create" (default: record)')
    .option('--disabled', 'do not run until it is enabled')
    .option('--rename <name>', 'with --replace: give it this name')
    .option('--replace', 'change the trigger of this name instead; only the given options change')
    .addHelpText(
      'after',
      help(
        'sextant triggers create all --webhook deploys',
        `sextant triggers create bugs --webhook issues --filter '{"==": [{"var": "action"}, "opened"]}' --expert bot`,
        'sextant triggers create bugs --replace --expert record',
      ),
    )
    .action(async (name: string, options: TriggerOptions) => {
      exit(await (await import('./webhooks.ts')).createTrigger(name, options, terminal));
    });
  admin(triggers, 'list', 'list the triggers with their actions')
    .addHelpText('after', help('sextant triggers list'))
    .action(async (options: AdminOptions) => {
      exit(await (await import('./webhooks.ts')).listTriggers(options, terminal));
    });
  for (const verb of ['enable', 'disable'] as const)
    admin(triggers, `${verb} <name>`, verb === 'enable' ? 'run it for events again' : 'do not run it for events')
      .addHelpText('after', help(`sextant triggers ${verb} bugs`))
      .action(async (name: string, options: AdminOptions) => {
        exit(await (await import('./webhooks.ts')).enableTrigger(name, verb === 'enable', options, terminal));
      });
  addDelete(triggers, 'triggers', 'bugs', terminal, exit);
}

function addExperts(program: Command, terminal: Terminal, exit: (code: ExitCode) => void): void {
  const experts = program
    .command('experts')
    .description('create what triggers run: forwards to a URL, and experts of the editor');
  expertOptions(
    admin(
      experts,
      'create <name>',
      'create an expert that forwards events to a URL: the raw body and headers, with retries',
    )
      .option('--url <url>', 'the URL to post events to')
      .option('--editor', 'instead, let a window of VS Code run it, by its setting sextant.server.experts'),
    'default: ',
  )
    .addHelpText(
      'after',
      help(
        'sextant experts create bot --url http://127.0.0.1:8080/hook --timeout 5',
        'sextant experts create bot --url http://127.0.0.1:8080/hook --header "X-Stage: test" --header @token.txt',
        'sextant experts create bot --url http://127.0.0.1:8080/hook --sign github --secret - < secret.txt',
        'sextant experts create tests --editor',
      ),
    )
    .action(async (name: string, options: ExpertOptions) => {
      exit(await (await import('./experts.ts')).createExpert(name, options, terminal));
    });
  expertOptions(
    admin(experts, 'edit <name>', 'change only what is given').option('--url <url>', 'the URL to post events to'),
  )
    .option('--no-header', 'add no header')
    .option('--no-sign', 'do not sign')
    .addHelpText(
      'after',
      help('sextant experts edit bot --url http://127.0.0.1:8081/hook', 'sextant experts edit bot --no-sign'),
    )
    .action(async (name: string, options: ExpertOptions) => {
      exit(await (await import('./experts.ts')).editExpert(name, options, terminal));
    });
  admin(experts, 'list', 'list the experts')
    .addHelpText('after', help('sextant experts list --json'))
    .action(async (options: AdminOptions) => {
      exit(await (await import('./experts.ts')).listExperts(options, terminal));
    });
  addDelete(experts, 'experts', 'bot', terminal, exit);
}

/** What a forward has besides its URL. `before` begins the default of a new one. */
function expertOptions(command: Command, before?: string): Command {
  const byDefault = (value: number): string => (before === undefined ? '' : ` (${before}${value})`);
  return command
    .option(
      '--header <header...>',
      'send this header instead of that of the event: "Name: value", or @FILE with one a line, @- for the standard input',
    )
    .option('--sign <sender>', `sign each attempt as this sender: ${SIGNING_TYPES.join(', ')}`)
    .option('--signature <json>', 'of --sign hmac: header, algorithm, encoding, prefix, signed, timestamp_header …')
    .option('--secret <secret>', 'the key that signs, or - for the standard input; without it, a new one is made')
    .option('--scope <scope>', 'organization: triggers of all who use webhooks here may run it; or personal (default)')
    .option('--timeout <seconds>', `the time limit of one attempt${byDefault(30)}`, positiveInteger)
    .option('--attempts <number>', `the largest number of attempts${byDefault(8)}`, positiveInteger)
    .option('--concurrency <number>', `the number of events forwarded at once${byDefault(4)}`, positiveInteger);
}

function addEvents(program: Command, terminal: Terminal, exit: (code: ExitCode) => void): void {
  const events = program.command('events').description('show, search and replay the events of webhooks');
  filtered(events, 'list', 'list events, newest first')
    .option('-n, --limit <number>', 'the largest number of rows', positiveInteger, 20)
    .addHelpText(
      'after',
      help(
        'sextant events list --webhook deploys --status failed',
        `sextant events list --text 'refs/heads/main' --from 2026-11-21`,
        `sextant events list --filter '{">": [{"var": "number"}, 100]}' --json`,
      ),
    )
    .action(async (options: EventFilterOptions & { readonly limit: number }) => {
      exit(await (await import('./events.ts')).listEvents(options, terminal));
    });
  admin(events, 'show <id>', 'show an event: why each trigger fired or not, its runs, headers and body')
    .option('--raw', 'print only the body, byte for byte')
    .option('--headers', 'print only the headers')
    .option('--explain', 'print only the triggers and the results of the runs')
    .option('--curl', 'print a curl command that sends it again')
    .addHelpText(
      'after',
      help('sextant events show evt_0000000012', 'sextant events show evt_0000000012 --raw | jq .ref'),
    )
    .action(async (id: string, options: ShowOptions) => {
      exit(await (await import('./events.ts')).showEvent(id, options, terminal));
    });
  admin(
    events,
    'tail',
    'print events as they arrive, until Ctrl-C; an event with slow runs is printed again when they end',
  )
    .option('--webhook <name>', 'only events of this webhook')
    .option('--count <number>', 'end after this number of events', positiveInteger)
    .option('--timeout <seconds>', 'end after this time; with --count, exit code 1 means fewer events', positiveInteger)
    .addHelpText('after', help('sextant events tail', 'sextant events tail --webhook deploys --count 1 --timeout 30'))
    .action(async (options: TailOptions) => {
      exit(await (await import('./eventTail.ts')).tailEvents(options, terminal));
    });
  admin(events, 'replay <ids...>', 'send events again, each as a new event with the same bytes')
    .addHelpText('after', help('sextant events replay evt_0000000012'))
    .action(async (ids: readonly string[], options: AdminOptions) => {
      exit(await (await import('./events.ts')).replayEvents(ids, options, terminal));
    });
  admin(events, 'resend <id>', 'edit an event in $EDITOR or by options, and send it signed again')
    .option('--data <body>', 'the body: text, or - for the standard input')
    .option('--set <path=value...>', 'set a value in the JSON body, such as pull_request.draft=true')
    .option('--header <header...>', 'replace or add a header: "Name: value"')
    .option('--type <type>', "the sender's type of event, such as pull_request.closed")
    .option('--to <webhook>', 'send it to another webhook')
    .addHelpText(
      'after',
      help(
        'sextant events resend evt_0000000012',
        'sextant events resend evt_0000000012 --type pull_request.closed --set pull_request.merged=true',
        'sextant events resend evt_0000000012 --header "X-Own: 1" --to staging',
      ),
    )
    .action(async (id: string, options: ResendOptions) => {
      exit(await (await import('./again.ts')).resendEvent(id, options, terminal));
    });
  admin(events, 'retry [id]', 'start failed and waiting runs of an event now, or those of an expert, oldest first')
    .option('--expert <name>', 'the runs of this expert in all events, or those that the other options select')
    .option('--trigger <name>', 'of the event: only the runs of this trigger')
    .option('--webhook <name>', 'only events of this webhook')
    .option('--from <moment>', 'only events from this moment on')
    .option('--to <moment>', 'only events before this moment')
    .option('--text <text>', 'only events whose body contains this text')
    .option('--filter <rule>', 'only events for whose body this JSONLogic fires')
    .option('--force', 'also while the target accepts no connection')
    .addHelpText(
      'after',
      help('sextant events retry evt_0000000012', 'sextant events retry --expert bot --from 2026-11-21'),
    )
    .action(async (id: string | undefined, options: RetryOptions) => {
      exit(await (await import('./again.ts')).retryRuns(id, options, terminal));
    });
  withOutputOptions(
    filtered(events, 'export', 'print events with headers and body, one JSON object a line, newest first'),
  )
    .addHelpText('after', help('sextant events export --webhook deploys --output deploys.ndjson'))
    .action(async (options: EventFilterOptions & OutputOptions) => {
      exit(await (await import('./events.ts')).exportEvents(options, terminal));
    });
  admin(events, 'refusals', 'list deliveries that were refused, and why, newest first')
    .option('--webhook <name>', 'only deliveries to this webhook; a missing one by the id in the address')
    .option('-n, --limit <number>', 'the largest number of rows', positiveInteger, 20)
    .addHelpText('after', help('sextant events refusals', 'sextant events refusals --webhook deploys --limit 5'))
    .action(async (options: AdminOptions & { readonly webhook?: string; readonly limit: number }) => {
      exit(await (await import('./events.ts')).listRefusals(options, terminal));
    });
  admin(events, 'verify', 'read all events, and list the damaged ones')
    .addHelpText(
      'after',
      `\nExamples:\n  sextant events verify\n\nExit codes: 0 no event is damaged, 1 events are damaged, 2 failed, 130 interrupted.`,
    )
    .action(async (options: AdminOptions) => {
      exit(await (await import('./events.ts')).verifyEvents(options, terminal));
    });
}

function addDelete(
  parent: Command,
  kind: 'webhooks' | 'triggers' | 'experts',
  example: string,
  terminal: Terminal,
  exit: (code: ExitCode) => void,
): void {
  const command = admin(parent, 'delete <name>', 'delete it');
  const fate = kind === 'webhooks' ? 'are deleted with it' : 'no longer run';
  if (kind !== 'triggers') command.option('--force', `delete it although triggers use it; they ${fate}`);
  command
    .addHelpText('after', help(`sextant ${kind} delete ${example}`))
    .action(async (name: string, options: AdminOptions & { readonly force?: true }) => {
      exit(await (await import('./webhooks.ts')).deleteDefinition(kind, name, options, terminal));
    });
}

function admin(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .description(description)
    .option(...SERVER_STATE)
    .option(...JSON_OPTION);
}

function filtered(parent: Command, name: string, description: string): Command {
  return admin(parent, name, description)
    .option('--source <source>', 'only events of this source; Webhook is the only source', 'Webhook')
    .option('--webhook <name>', 'only events of this webhook; a deleted one by its id')
    .option('--scope <scope>', 'only events of webhooks of this scope: personal or organization')
    .option('--owner <person>', 'only events of webhooks of this person')
    .option('--status <status>', 'only events that are received, unmatched, pending, succeeded or failed')
    .option('--from <moment>', 'only events from this moment on: 2026-11-21 or 2026-11-21T09:00:00Z')
    .option('--to <moment>', 'only events before this moment')
    .option('--text <text>', 'only events whose body contains this text')
    .option('--filter <rule>', 'only events for whose body this JSONLogic fires: a file, or the rule itself');
}

function help(...examples: readonly string[]): string {
  return `\nExamples:\n${examples.map((example) => `  ${example}\n`).join('')}\n${CODES}`;
}

const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

function seconds(text: string): number {
  const [, number, unit = 's'] = /^(\d{1,8})(ms|[smhd])?$/.exec(text) ?? [];
  if (number === undefined) throw new InvalidArgumentError('Write a time such as 30s, 15m, 24h or 7d.');
  return Number(number) * UNITS[unit]!;
}
