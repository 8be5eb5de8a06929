import { InvalidArgumentError, type Command } from 'commander';
import type { AdminOptions } from '../server/admin.ts';
import type { EventFilterOptions, ShowOptions } from './events.ts';
import type { TailOptions } from './eventTail.ts';
import type { ExitCode, Terminal } from '../terminal.ts';
import type { CreateWebhookOptions, ExpertOptions, SendOptions, TriggerOptions } from './webhooks.ts';

const STATE = ['--state <dir>', "the server's state, where it is not in the user's data folder"] as const;
const JSON_OPTION = ['--json', 'print it as JSON'] as const;
const CODES = 'Exit codes: 0 done, 1 there is no such thing, 2 failed or wrong usage (no server runs, for instance).';

/** `sextant webhooks …`, `triggers …`, `experts …`, `events …`: what they do is loaded when it is done. */
export function addWebhookCommands(program: Command, terminal: Terminal, exit: (code: ExitCode) => void): void {
  addWebhooks(program, terminal, exit);
  addTriggers(program, terminal, exit);
  addExperts(program, terminal, exit);
  addEvents(program, terminal, exit);
}

function addWebhooks(program: Command, terminal: Terminal, exit: (code: ExitCode) => void): void {
  const webhooks = program.command('webhooks').description('make and use webhooks of the local server');
  admin(webhooks, 'create <name>', 'make a webhook; its secret is shown this once')
    .option('--type <type>', 'bearer_token, or standard_webhooks for signed deliveries', 'bearer_token')
    .option('--description <text>', 'what it is for')
    .option('--scope <scope>', 'personal or organization')
    .option('--disabled', 'take no deliveries yet')
    .addHelpText(
      'after',
      help('sextant webhooks create deploys', 'sextant webhooks create stripe --type standard_webhooks --json'),
    )
    .action(async (name: string, options: CreateWebhookOptions) => {
      exit(await (await import('./webhooks.ts')).createWebhook(name, options, terminal));
    });
  admin(webhooks, 'list', 'list the webhooks: scope, address, triggers, description')
    .addHelpText('after', help('sextant webhooks list', 'sextant webhooks list --json'))
    .action(async (options: AdminOptions) => {
      exit(await (await import('./webhooks.ts')).listWebhooks(options, terminal));
    });
  admin(webhooks, 'edit <name>', 'change its description or scope; what is not given stays as it is')
    .option('--description <text>', 'what it is for')
    .option('--scope <scope>', 'personal or organization')
    .addHelpText('after', help(`sextant webhooks edit deploys --description 'of production' --scope organization`))
    .action(
      async (name: string, options: AdminOptions & { readonly description?: string; readonly scope?: string }) => {
        exit(await (await import('./webhooks.ts')).editWebhook(name, options, terminal));
      },
    );
  admin(webhooks, 'rotate <name>', 'make a new secret, which is shown this once')
    .option('--overlap <time>', 'the present one stays good for so long: 30s, 15m, 24h, 7d', seconds, 0)
    .addHelpText('after', help('sextant webhooks rotate deploys --overlap 24h'))
    .action(async (name: string, options: AdminOptions & { readonly overlap: number }) => {
      exit(await (await import('./webhooks.ts')).rotateWebhook(name, options, terminal));
    });
  for (const verb of ['enable', 'disable'] as const)
    admin(webhooks, `${verb} <name>`, verb === 'enable' ? 'take deliveries again' : 'answer deliveries with 404')
      .addHelpText('after', help(`sextant webhooks ${verb} deploys`))
      .action(async (name: string, options: AdminOptions) => {
        exit(await (await import('./webhooks.ts')).enableWebhook(name, verb === 'enable', options, terminal));
      });
  addDelete(webhooks, 'webhooks', 'deploys', terminal, exit);
  admin(webhooks, 'send <name>', 'send it a test event, as the system of a template would')
    .option('--template <name>', 'github-push, github-pull-request, gitlab-push or pagerduty')
    .option('--data <json>', 'the body: JSON, a file with it, or - for the standard input')
    .option('--set <path=value...>', 'change a value of the body, such as pull_request.draft=true')
    .option('--edit', 'edit the body in $EDITOR first')
    .option('--print', 'print the body instead of sending it')
    .option(
      '--secret <secret>',
      'sign as the system does, with the secret of the webhook; or set SEXTANT_WEBHOOK_SECRET',
    )
    .addHelpText(
      'after',
      help(
        'sextant webhooks send deploys --template github-push --set ref=refs/heads/next',
        'sextant webhooks send deploys --template github-pull-request --edit',
        `sextant webhooks send deploys --data '{"action": "opened"}'`,
        'sextant webhooks send deploys --template pagerduty --print > event.json',
      ),
    )
    .action(async (name: string, options: SendOptions) => {
      exit(await (await import('./webhooks.ts')).sendTest(name, options, terminal));
    });
}

function addTriggers(program: Command, terminal: Terminal, exit: (code: ExitCode) => void): void {
  const triggers = program.command('triggers').description('say what is to happen when an event comes to a webhook');
  admin(triggers, 'create <name>', 'make a trigger, and print in words what it does')
    .option('--webhook <name>', 'the webhook whose events it is for')
    .option('--filter <rule>', 'a JSONLogic file, or the rule itself; without one every event fires it')
    .option('--no-filter', 'with --replace: take its filter away')
    .option('--expert <name>', 'what runs: one that "sextant experts create" made; else record')
    .option('--disabled', 'do nothing yet')
    .option('--replace', 'change the one of this name instead; what is not given stays as it is')
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
  admin(triggers, 'list', 'list the triggers, and what each does')
    .addHelpText('after', help('sextant triggers list'))
    .action(async (options: AdminOptions) => {
      exit(await (await import('./webhooks.ts')).listTriggers(options, terminal));
    });
  for (const verb of ['enable', 'disable'] as const)
    admin(triggers, `${verb} <name>`, verb === 'enable' ? 'let it run again' : 'let it run for no event')
      .addHelpText('after', help(`sextant triggers ${verb} bugs`))
      .action(async (name: string, options: AdminOptions) => {
        exit(await (await import('./webhooks.ts')).enableTrigger(name, verb === 'enable', options, terminal));
      });
  addDelete(triggers, 'triggers', 'bugs', terminal, exit);
}

function addExperts(program: Command, terminal: Terminal, exit: (code: ExitCode) => void): void {
  const experts = program.command('experts').description('say where triggers forward events to');
  admin(experts, 'create <name>', 'forward events to a URL: the raw body and headers, with retries')
    .requiredOption('--url <url>', 'where they are posted')
    .option('--timeout <seconds>', 'for one attempt; else 30', positive)
    .option('--attempts <number>', 'how many at the most; else 8', positive)
    .option('--concurrency <number>', 'how many at once; else 4', positive)
    .addHelpText('after', help('sextant experts create bot --url http://127.0.0.1:8080/hook --timeout 5'))
    .action(async (name: string, options: ExpertOptions) => {
      exit(await (await import('./webhooks.ts')).createExpert(name, options, terminal));
    });
  admin(experts, 'list', 'list the experts')
    .addHelpText('after', help('sextant experts list --json'))
    .action(async (options: AdminOptions) => {
      exit(await (await import('./webhooks.ts')).listExperts(options, terminal));
    });
  addDelete(experts, 'experts', 'bot', terminal, exit);
}

function addEvents(program: Command, terminal: Terminal, exit: (code: ExitCode) => void): void {
  const events = program.command('events').description('look at what came to the webhooks, and send it again');
  filtered(events, 'list', 'list events, newest first')
    .option('-n, --limit <number>', 'how many at the most', positive, 20)
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
    .option('--raw', 'its body alone, byte for byte')
    .option('--headers', 'its headers alone')
    .option('--explain', 'what became of it alone')
    .option('--curl', 'a curl command that sends it again')
    .addHelpText(
      'after',
      help('sextant events show evt_0000000012', 'sextant events show evt_0000000012 --raw | jq .ref'),
    )
    .action(async (id: string, options: ShowOptions) => {
      exit(await (await import('./events.ts')).showEvent(id, options, terminal));
    });
  admin(events, 'tail', 'print events as they come, until Ctrl-C; once more where the runs of one end late')
    .option('--webhook <name>', 'of this webhook only')
    .option('--count <number>', 'end after so many', positive)
    .option('--timeout <seconds>', 'end after so long; with --count, exit code 1 says that fewer came', positive)
    .addHelpText('after', help('sextant events tail', 'sextant events tail --webhook deploys --count 1 --timeout 30'))
    .action(async (options: TailOptions) => {
      exit(await (await import('./eventTail.ts')).tailEvents(options, terminal));
    });
  admin(events, 'replay <ids...>', 'send events again: each becomes a new event with the same bytes')
    .addHelpText('after', help('sextant events replay evt_0000000012'))
    .action(async (ids: readonly string[], options: AdminOptions) => {
      exit(await (await import('./events.ts')).replayEvents(ids, options, terminal));
    });
  filtered(events, 'export', 'print events with headers and body, one JSON object a line, newest first')
    .option('-o, --output <file>', 'write to this file instead')
    .addHelpText('after', help('sextant events export --webhook deploys --output deploys.ndjson'))
    .action(async (options: EventFilterOptions & { readonly output?: string }) => {
      exit(await (await import('./events.ts')).exportEvents(options, terminal));
    });
  admin(events, 'refusals', 'list deliveries that were refused, and why, newest first')
    .option('--webhook <name>', 'at this webhook only; one that is not there by the id in the address')
    .option('-n, --limit <number>', 'how many at the most', positive, 20)
    .addHelpText('after', help('sextant events refusals', 'sextant events refusals --webhook deploys --limit 5'))
    .action(async (options: AdminOptions & { readonly webhook?: string; readonly limit: number }) => {
      exit(await (await import('./events.ts')).listRefusals(options, terminal));
    });
  admin(events, 'verify', 'read all that is kept of events, and say what is damaged')
    .addHelpText(
      'after',
      `\nExamples:\n  sextant events verify\n\nExit codes: 0 all can be read, 1 something is damaged, 2 failed.`,
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
  if (kind !== 'triggers') command.option('--force', `also where triggers use it, which then ${fate}`);
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
    .option(...STATE)
    .option(...JSON_OPTION);
}

function filtered(parent: Command, name: string, description: string): Command {
  return admin(parent, name, description)
    .option('--source <source>', 'of this source; Webhook is the only one there is', 'Webhook')
    .option('--webhook <name>', 'of this webhook only; a deleted one by its id')
    .option('--status <status>', 'received, unmatched, pending, succeeded or failed')
    .option('--from <moment>', 'from then on: ISO 8601, 2026-11-21 or 2026-11-21T09:00:00Z')
    .option('--to <moment>', 'before then')
    .option('--text <text>', 'with this in the body, as it is written there')
    .option('--filter <rule>', 'for whose body this JSONLogic fires: a file, or the rule itself');
}

function help(...examples: readonly string[]): string {
  return `\nExamples:\n${examples.map((example) => `  ${example}\n`).join('')}\n${CODES}`;
}

function positive(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.');
  return Number(text);
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

function seconds(text: string): number {
  const [, number, unit = 's'] = /^(\d{1,8})([smhd])?$/.exec(text) ?? [];
  if (number === undefined) throw new InvalidArgumentError('Write a time such as 30s, 15m, 24h or 7d.');
  return Number(number) * UNITS[unit]!;
}
