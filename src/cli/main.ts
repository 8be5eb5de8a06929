import { Command, CommanderError } from 'commander';
import { describeError, isCancelled, SextantError, systemCode } from '../base/errors.ts';
import { addCompletionCommand } from './completion/completionCommand.ts';
import { ExitCode, printable, printError, type Terminal } from './terminal.ts';

declare const SEXTANT_VERSION: string;

const HELP = `
Examples:
  sextant search "where are retries configured"
  sextant search 'retry payment lang:ts -path:test'
  sextant search handleRequest ~/projects/shop --limit 3
  sextant find-usages handleRequest
  sextant ask "how are failed payments retried?"
  sextant outline src/shop.ts
  sextant index . --json
  sextant status
  sextant why dist/main.js
  sextant doctor --output sextant-report.txt
  sextant mcp --workspace-root ~/projects/shop
  sextant context export -o index.tar
  sextant push . --name acme/payments
  sextant repos search 'retry payment'
  sextant serve --data facts.ndjson --now 2026-11-21T09:00:00Z
  sextant listen --forward http://localhost:3000/hooks --from github
  sextant webhooks create deploys
  sextant events tail
  sextant usage --days 30
  sextant cost --by resource
  sextant budgets list --over 75
  sextant groups check
  sextant report --since 2026-11-01 --format html --output report.html
  sextant alerts run --every 15m
  sextant metrics --listen

Exit codes: 0 done or found; 1 nothing found, no index, or problems; 2 failed or wrong usage; 130 interrupted.
NO_COLOR=1 turns colours off. Ctrl-C keeps an index as of its last commit; the next run continues from there.`;

type Add = (program: Command, terminal: Terminal, exit: (code: ExitCode) => void, version: string) => void;

/** Commands that are added by one function. */
interface Part {
  /** Their heading in the help. */
  readonly group: string;
  readonly names: readonly string[];
  readonly add: () => Promise<Add>;
}

/** All commands but `help` and `completion`, in the order of the help. */
export const PARTS: readonly Part[] = [
  {
    group: 'Search and ask:',
    names: ['index', 'search', 'find-usages', 'outline'],
    add: async () => (await import('./search/searchCommands.ts')).addSearchCommands,
  },
  {
    group: 'Search and ask:',
    names: ['ask', 'mcp'],
    add: async () => (await import('./ask/askCommands.ts')).addAskCommands,
  },
  {
    group: 'Inspect and share an index:',
    names: ['status', 'why', 'doctor'],
    add: async () => (await import('./search/searchCommands.ts')).addInspectCommands,
  },
  {
    group: 'Inspect and share an index:',
    names: ['context'],
    add: async () => (await import('./context/contextCommands.ts')).addContextCommands,
  },
  {
    group: "A team's code:",
    names: ['push', 'repos'],
    add: async () => (await import('./context/repoCommands.ts')).addRepositoryCommands,
  },
  {
    group: 'Local server and webhooks:',
    names: ['serve', 'export'],
    add: async () => (await import('./server/serverCommands.ts')).addServerCommands,
  },
  {
    group: 'Local server and webhooks:',
    names: ['listen'],
    add: async () => (await import('./webhooks/listenCommand.ts')).addListenCommand,
  },
  {
    group: 'Local server and webhooks:',
    names: ['webhooks', 'triggers', 'experts', 'events'],
    add: async () => (await import('./webhooks/webhookCommands.ts')).addWebhookCommands,
  },
  {
    group: 'Local server and webhooks:',
    names: ['filters'],
    add: async () => (await import('./webhooks/filters.ts')).addFilterCommands,
  },
  {
    group: 'Usage and cost:',
    names: ['usage'],
    add: async () => (await import('./analytics/usage.ts')).addUsageCommand,
  },
  {
    group: 'Usage and cost:',
    names: ['cost'],
    add: async () => (await import('./analytics/cost.ts')).addCostCommand,
  },
  {
    group: 'Usage and cost:',
    names: ['budgets'],
    add: async () => (await import('./analytics/budgets.ts')).addBudgetsCommand,
  },
  {
    group: 'Usage and cost:',
    names: ['report'],
    add: async () => (await import('./analytics/report.ts')).addReportCommand,
  },
  {
    group: 'Usage and cost:',
    names: ['orgs'],
    add: async () => (await import('./analytics/orgs.ts')).addOrgsCommand,
  },
  {
    group: 'Usage and cost:',
    names: ['groups'],
    add: async () => (await import('./analytics/groups.ts')).addGroupsCommand,
  },
  {
    group: 'Usage and cost:',
    names: ['alerts'],
    add: async () => (await import('./analytics/alertsCommand.ts')).addAlertsCommand,
  },
  {
    group: 'Usage and cost:',
    names: ['metrics'],
    add: async () => (await import('./analytics/metricsCommand.ts')).addMetricsCommand,
  },
  {
    group: 'Other commands:',
    names: ['login', 'logout', 'token'],
    add: async () => (await import('./context/contextCommands.ts')).addSessionCommands,
  },
];

/**
 * The command with its subcommands. Those that `argv` does not name are left out where it names one, so that each command loads
 * no more modules than it needs.
 */
export async function createProgram(
  argv: readonly string[],
  version: string,
  terminal: Terminal,
  exit: (code: ExitCode) => void,
): Promise<Command> {
  const program = new Command('sextant')
    .description('Search code in plain words or by symbol, on your machine: no account, no network.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show the help')
    .exitOverride()
    .showHelpAfterError('Run with --help for the options.');

  const named = PARTS.filter(({ names }) => names.includes(argv[2] ?? ''));
  for (const { group, add } of named.length > 0 ? named : PARTS)
    (await add())(program.commandsGroup(group), terminal, exit, version);
  program.commandsGroup('Other commands:').helpCommand('help [command]', 'show the help of a command');
  addCompletionCommand(program, terminal, exit);
  return program.addHelpText('after', HELP);
}

/** Runs a command line. Resolves to the exit code of the process. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let exitCode: ExitCode = ExitCode.ok;
  const isJson = printsJson(argv);
  const args = withCommand(argv);
  const program = await createProgram(args, SEXTANT_VERSION, terminal, (code) => (exitCode = code));
  try {
    showHelp(program, args.slice(2));
    await program.parseAsync(args);
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return ExitCode.ok;
      if (isJson) printError('InvalidUsage', error.message.replace(/^error: /, ''), terminal);
      if (error.code === 'commander.excessArguments') adviseQuotes(argv, terminal);
      const isOfGroup = PARTS.some(({ names }) => names.includes(argv[2] ?? ''));
      if (error.code === 'commander.unknownCommand' && !isOfGroup)
        terminal.stderr.write('Put search before a query, as in sextant search "retry payment".\n');
      return ExitCode.failed;
    }
    const message = messageOf(error, argv);
    if (isJson) printError(error instanceof SextantError ? error.code : 'Internal', message, terminal);
    terminal.stderr.write(`sextant: ${printable(message)}\n`);
    if (isCancelled(error)) return ExitCode.interrupted;
    if (error instanceof SextantError && error.code === 'NotAFolder') adviseQuotes(argv, terminal);
    return ExitCode.failed;
  }
}

/** Whether options request JSON. Behind `--` is a query. */
function printsJson(argv: readonly string[]): boolean {
  const options = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined);
  return options.some(
    (option, at) =>
      option === '--json' || option === '--format=json' || (option === 'json' && options[at - 1] === '--format'),
  );
}

/** The same for people and in JSON. */
function messageOf(error: unknown, argv: readonly string[]): string {
  if (isCancelled(error)) {
    const indexes = INDEXING.has(argv[2] ?? '') && !argv.includes('--team');
    return `Interrupted.${indexes ? ' The index is as of its last commit; the next run continues from there.' : ''}`;
  }
  const isForbidden = ['EACCES', 'EPERM'].includes(systemCode(error) ?? '') && !(error instanceof SextantError);
  return `${describeError(error)}${isForbidden ? '. Allow it, or choose another file or folder.' : ''}`;
}

/** Shows the help of the command that `help` names, or ends with the known commands. Returns for other arguments. */
function showHelp(program: Command, [first = '', second, ...rest]: readonly string[]): void {
  const named = (command: Command, name: string): Command | undefined =>
    command.commands.find((one) => one.name() === name);
  const isHelp = [second, ...rest].some((arg) => arg === '--help' || arg === '-h');
  const isOfGroup = second === 'help' && (named(program, first)?.commands.length ?? 0) > 0;
  if (first !== 'help' && !isOfGroup && (!isHelp || first.startsWith('-') || named(program, first))) return;
  let command = program;
  for (const name of [first, second ?? '', ...rest]) {
    if (name === '' || name === 'help' || name.startsWith('-') || command.commands.length === 0) continue;
    const of = command === program ? 'sextant' : `sextant ${command.name()}`;
    const known = command.commands.map((one) => one.name()).join(', ');
    const problem = `error: unknown command '${name}'. The commands of ${of} are ${known}.`;
    command = named(command, name) ?? command.error(problem);
  }
  command.help();
}

/** Commands whose first argument may be several words. */
const QUOTED: ReadonlySet<string> = new Set(['search', 'ask', 'repos']);

function adviseQuotes(argv: readonly string[], terminal: Terminal): void {
  const command = argv[2] ?? '';
  if (QUOTED.has(command))
    terminal.stderr.write(
      `Put several words in quotes, as in sextant ${command}${command === 'repos' ? ' search' : ''} "retry payment".\n`,
    );
}

/** Commands that update an index. */
const INDEXING: ReadonlySet<string> = new Set(['search', 'find-usages', 'ask', 'outline', 'index', 'context']);

/** Replaces `--mcp`, as clients of the index, search and ask service write it, by the subcommand (wire sheet, section 10). */
function withCommand(argv: readonly string[]): string[] {
  const [node = '', script = '', first = '', ...rest] = argv;
  const args = [first, ...rest];
  if (!first.startsWith('--') || !args.includes('--mcp')) return [...argv];
  return [node, script, 'mcp', ...args.filter((arg) => arg !== '--mcp')];
}
