import { Command, CommanderError } from 'commander';
import { describeError, isCancelled, SextantError } from '../base/errors.ts';
import { addAskCommands } from './ask/askCommands.ts';
import { addCompletionCommand } from './completion/completionCommand.ts';
import { addContextCommands, addSessionCommands } from './context/contextCommands.ts';
import { addRepositoryCommands } from './context/repoCommands.ts';
import { addInspectCommands, addSearchCommands } from './search/searchCommands.ts';
import { addServerCommands } from './server/serverCommands.ts';
import { ExitCode, printable, printError, type Terminal } from './terminal.ts';
import { addFilterCommands } from './webhooks/filters.ts';
import { addListenCommand } from './webhooks/listenCommand.ts';
import { addWebhookCommands } from './webhooks/webhookCommands.ts';

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

/** The command with its subcommands; those of usage and cost are loaded only where `argv` may need them. */
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

  program.commandsGroup('Search and ask:');
  addSearchCommands(program, terminal, exit);
  addAskCommands(program, version, terminal, exit);
  program.commandsGroup('Inspect and share an index:');
  addInspectCommands(program, version, terminal, exit);
  addContextCommands(program, terminal, exit);
  program.commandsGroup("A team's code:");
  addRepositoryCommands(program, terminal, exit);
  program.commandsGroup('Local server and webhooks:');
  addServerCommands(program, version, terminal, exit);
  addListenCommand(program, version, terminal, exit);
  addWebhookCommands(program, terminal, exit);
  addFilterCommands(program, terminal, exit);
  // A third of all modules are about usage and cost; a command that is known by now needs none of them, but for completions.
  if (argv[2] === 'completion' || !program.commands.some((command) => command.name() === argv[2])) {
    program.commandsGroup('Usage and cost:');
    (await import('./analytics/usage.ts')).addUsageCommand(program, terminal, exit);
    (await import('./analytics/cost.ts')).addCostCommand(program, terminal, exit);
    (await import('./analytics/budgets.ts')).addBudgetsCommand(program, terminal, exit);
    (await import('./analytics/report.ts')).addReportCommand(program, terminal, exit);
    (await import('./analytics/orgs.ts')).addOrgsCommand(program, terminal, exit);
    (await import('./analytics/groups.ts')).addGroupsCommand(program, terminal, exit);
    (await import('./analytics/alertsCommand.ts')).addAlertsCommand(program, terminal, exit);
    (await import('./analytics/metricsCommand.ts')).addMetricsCommand(program, terminal, exit);
  }
  program.commandsGroup('Other commands:').helpCommand('help [command]', 'show the help of a command');
  addCompletionCommand(program, terminal, exit);
  addSessionCommands(program, terminal, exit);
  return program.addHelpText('after', HELP);
}

/** Runs a command line. Resolves to the exit code of the process. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let exitCode: ExitCode = ExitCode.ok;
  // Behind -- it is a query.
  const isJson = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined).includes('--json');
  const program = await createProgram(argv, SEXTANT_VERSION, terminal, (code) => (exitCode = code));
  try {
    await program.parseAsync(withCommand(argv));
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return ExitCode.ok;
      if (isJson) printError('InvalidUsage', error.message.replace(/^error: /, ''), terminal);
      return ExitCode.failed;
    }
    if (isJson) printError(error instanceof SextantError ? error.code : 'Internal', describeError(error), terminal);
    if (isCancelled(error)) {
      const indexes = INDEXING.has(argv[2] ?? '');
      const state = indexes ? ' The index is as of its last commit; the next run continues from there.' : '';
      terminal.stderr.write(`sextant: Interrupted.${state}\n`);
      return ExitCode.interrupted;
    }
    terminal.stderr.write(`sextant: ${printable(describeError(error))}\n`);
    return ExitCode.failed;
  }
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
