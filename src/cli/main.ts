import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { describeError, isCancelled } from '../base/errors.ts';
import { DOCTOR_HELP, runDoctor, type DoctorOptions } from './search/doctor.ts';
import type { AskOptions } from './ask/ask.ts';
import { ASK_HELP, PROVIDERS } from './ask/askHelp.ts';
import type { SkipReason } from '../workspace/skip.ts';
import { addContextCommands } from './context/contextCommands.ts';
import type { ExportOptions } from './analytics/export.ts';
import { addFilterCommands } from './webhooks/filters.ts';
import type { McpOptions } from './ask/mcp.ts';
import { MCP_HELP } from './ask/mcpHelp.ts';
import { INDEX_HELP, runIndex, type IndexOptions } from './search/index.ts';
import { runSearch, type SearchOptions } from './search/search.ts';
import type { ServeOptions } from './server/serve.ts';
import { EXPORT_HELP, SERVE_HELP } from './server/serverHelp.ts';
import { SKIP_REASONS, STATUS_HELP, runStatus, type StatusOptions } from './search/status.ts';
import { ExitCode, printable, type Terminal } from './terminal.ts';
import { addWebhookCommands } from './webhooks/webhookCommands.ts';
import { WHY_HELP, runWhy, type WhyOptions } from './search/why.ts';

declare const SEXTANT_VERSION: string;

const MAX_BODY_LIMIT = 67_108_864;

/** Runs a command line. Resolves to the exit code of the process. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let exitCode: ExitCode = ExitCode.ok;
  const program = new Command('sextant')
    .description('Search code in plain words or by symbol, on your machine: no account, no network.')
    .version(SEXTANT_VERSION)
    .exitOverride()
    .showHelpAfterError('Run with --help for the options.');

  program
    .command('index')
    .description('index a folder, or bring its index up to date')
    .argument('[dir]', 'the folder', '.')
    .option('--state <dir>', "keep the index there instead of in the user's cache folder")
    .option('--json', 'print the result as JSON')
    .addHelpText('after', INDEX_HELP)
    .action(async (folder: string, options: IndexOptions) => {
      exitCode = await runIndex(folder, options, terminal);
    });

  const search = program
    .command('search')
    .description('search a folder; it is indexed first if it changed')
    .argument('<query>', 'words (page fault handler), a name (handle_mm_fault), "phrases", filters (lang:c path:mm)')
    .argument('[dir]', 'the folder', '.')
    .option('-n, --limit <number>', 'how many places at the most', positiveInteger, 10)
    .option('--state <dir>', "keep the index there instead of in the user's cache folder")
    .option('--no-update', 'search what is indexed, without looking for changed files first')
    .option('--explain', 'show under each result what makes up its score')
    .option('--json', 'print the results as JSON')
    .action(async (query: string, folder: string, options: SearchOptions) => {
      exitCode = await runSearch(query, folder, options, terminal);
    });

  search.addHelpText(
    'after',
    `
In a query:
  "failed payment"        this phrase (in a shell: '"failed payment"')
  path:src/net            in files whose path contains this; also file: for the name alone
  path:src/**/*.ts        in files whose path ends like this; * ? ** [abc] {a,b}
  lang:python             in files of this language; also by extension: lang:py
  sym:parse*              in definitions with such a name
  -word -path:test        not with this; a query that begins with - goes after --

Examples:
  sextant search 'retry payment path:src lang:ts -file:*.test.ts'
  sextant search -- '-path:vendor parse header'

Output: path:line, the definition there, the line that answers best; then "also", further places in that file.
Not found? sextant why FILE QUERY tells why.

Exit codes: 0 something was found, 1 nothing was, 2 failed or wrong usage, 130 interrupted.`,
  );

  program
    .command('ask')
    .description('answer a question about a folder, and cite where the answer stands')
    .argument('<question>', 'in plain words; filters narrow down where it is looked for (path:src lang:ts)')
    .argument('[dir]', 'the folder', '.')
    .addOption(new Option('--provider <name>', 'who answers').choices(PROVIDERS).default('extractive'))
    .option('--base-url <url>', 'where the OpenAI-compatible service is')
    .option('--model <name>', 'its model')
    .option('--state <dir>', "keep the index there instead of in the user's cache folder")
    .option('--no-update', 'ask of what is indexed, without looking for changed files first')
    .option('--json', 'print the answer as JSON')
    .addHelpText('after', ASK_HELP)
    .action(async (question: string, folder: string, options: AskOptions) => {
      const { runAsk } = await import('./ask/ask.ts');
      exitCode = await runAsk(question, folder, options, terminal, process.env);
    });

  program
    .command('status')
    .description('tell what is indexed of a folder, what is left out and why, and whether it is up to date')
    .argument('[dir]', 'the folder', '.')
    .option('--skipped [reason]', `list what is left out; of one reason: ${SKIP_REASONS.join(', ')}`, skipReason)
    .option('--state <dir>', "where the index is kept, if not in the user's cache folder")
    .option('--json', 'print it as JSON')
    .addHelpText('after', STATUS_HELP)
    .action(async (folder: string, options: StatusOptions) => {
      exitCode = await runStatus(folder, options, terminal);
    });

  program
    .command('why')
    .description('tell why a file is found or not')
    .argument('<file>', 'a file in the folder')
    .argument('[query]', 'what was searched for')
    .option('--dir <dir>', 'the indexed folder', '.')
    .option('--state <dir>', "where the index is kept, if not in the user's cache folder")
    .option('--no-update', 'judge by what is indexed, without looking for changed files first')
    .option('--json', 'print it as JSON')
    .addHelpText('after', WHY_HELP)
    .action(async (file: string, query: string | undefined, options: WhyOptions) => {
      exitCode = await runWhy(file, query, options, terminal);
    });

  program
    .command('doctor')
    .description('gather a report for somebody who helps, with everything private taken out')
    .argument('[dir]', 'the folder', '.')
    .option('--output <file>', 'write it to a new file')
    .option('--state <dir>', "where the index is kept, if not in the user's cache folder")
    .option('--json', 'print it as JSON')
    .addHelpText('after', DOCTOR_HELP)
    .action(async (folder: string, options: DoctorOptions) => {
      exitCode = await runDoctor(folder, SEXTANT_VERSION, options, terminal);
    });

  program
    .command('serve')
    .description('serve the analytics API of an organization on this machine, for tests and development')
    .option('--host <address>', 'listen there instead of at 127.0.0.1, where only this machine reaches it')
    .option('--port <number>', 'listen at this port; else at that of the last start, or a free one', portNumber)
    .option('--state <dir>', "keep the state there instead of in the user's data folder")
    .option('--data <file>', 'the facts to serve, one JSON record a line; else an organization is simulated')
    .option('--seed <number>', 'which organization is simulated; equal seeds are equal organizations', integer)
    .option('--users <number>', 'how many people it has', integer)
    .option('--plan <plan>', 'its billing plan, credits or usd')
    .option('--now <moment>', 'let the clock start there (ISO 8601) and run')
    .option('--token <token>', 'the token that clients use; else SEXTANT_SERVE_TOKEN, or one is made and kept')
    .option('--admin-token <token>', 'that of the admin plane; else SEXTANT_SERVE_ADMIN_TOKEN, or one is made and kept')
    .option('--scenario <name>', 'a bad day to begin with, such as flaky, slow or outage')
    .option('--fault <json...>', 'a rule of faults, as the admin plane takes them')
    .option('--no-rate-limit', 'never answer 429')
    .option('--allow-host <name...>', 'answer requests for this host name too, such as that of a tunnel')
    .option('--max-body <bytes>', 'the largest body that a webhook takes; else 1048576', bodyLimit)
    .option('--keep-events <number>', 'how many events of webhooks are kept; else 1000000', atLeastOne)
    .option('--keep-days <number>', 'for how long; else 30 days', atLeastOne)
    .option('--keep-megabytes <number>', 'and how much of the disk they may take; else 4000', atLeastOne)
    .addOption(new Option('--provider <name>', 'who answers what is asked of contexts').choices(PROVIDERS))
    .option('--base-url <url>', 'where the OpenAI-compatible service is')
    .option('--model <name>', 'its model')
    .option('--json', 'when ready, print {"url","token","adminToken","pid","state"} on one line')
    .addHelpText('after', SERVE_HELP)
    .action(async (options: ServeOptions) => {
      const { runThreadedServe } = await import('./server/threadedServe.ts');
      exitCode = await runThreadedServe(options, terminal, SEXTANT_VERSION);
    });

  program
    .command('export')
    .description('print what the server has as a data file, whether it runs or not')
    .option('--state <dir>', "the state, where it is not in the user's data folder")
    .option('--data <file>', 'the data file that the server is started with; a server that runs knows it')
    .option('--seed <number>', 'the same for an organization that is simulated', integer)
    .option('--users <number>', 'how many people it has', integer)
    .option('--plan <plan>', 'its billing plan, credits or usd')
    .option('-o, --output <file>', 'write to this file instead')
    .addHelpText('after', EXPORT_HELP)
    .action(async (options: ExportOptions) => {
      const { runExport } = await import('./analytics/export.ts');
      exitCode = await runExport(options, terminal);
    });

  program
    .command('mcp')
    .description('give agents the index of a folder as tools, over the Model Context Protocol')
    .option('--workspace-root <dir>', 'the folder', '.')
    .option('--state <dir>', "keep the index there instead of in the user's cache folder")
    .option('--wait <seconds>', 'how long a search waits for the index to be complete; else 10', integer)
    .addHelpText('after', MCP_HELP)
    .action(async (options: McpOptions) => {
      const { runMcp } = await import('./ask/mcp.ts');
      exitCode = await runMcp(options, terminal, SEXTANT_VERSION);
    });

  const exit = (code: ExitCode): void => void (exitCode = code);
  addFilterCommands(program, terminal, exit);
  addWebhookCommands(program, terminal, exit);
  // A third of all modules are about usage and cost; a command that is known by now needs none of them.
  if (!program.commands.some((command) => command.name() === argv[2])) {
    (await import('./analytics/usage.ts')).addUsageCommand(program, terminal, exit);
    (await import('./analytics/cost.ts')).addCostCommand(program, terminal, exit);
    (await import('./analytics/budgets.ts')).addBudgetsCommand(program, terminal, exit);
  }
  addContextCommands(program, terminal, exit);

  program.addHelpText(
    'after',
    `
Examples:
  sextant search "where are retries configured"
  sextant search 'retry payment lang:ts -path:test'
  sextant search handleRequest ~/projects/shop --limit 3
  sextant ask "how are failed payments retried?"
  sextant index . --json
  sextant status
  sextant why dist/main.js
  sextant doctor --output sextant-report.txt
  sextant mcp --workspace-root ~/projects/shop
  sextant context export -o index.tar
  sextant serve --data facts.ndjson --now 2026-11-21T09:00:00Z
  sextant webhooks create deploys
  sextant events tail
  sextant usage --days 30
  sextant cost --by resource
  sextant budgets list --over 75

Exit codes: 0 done or found; 1 nothing found, no index, or problems; 2 failed or wrong usage; 130 interrupted.
NO_COLOR=1 leaves out colours. Ctrl-C leaves an index as of its last commit; the next run goes on from there.`,
  );

  try {
    await program.parseAsync(withCommand(argv));
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.ok : ExitCode.failed;
    if (isCancelled(error)) {
      terminal.stderr.write(
        'sextant: Interrupted. The index is as of its last commit; the next run goes on from there.\n',
      );
      return ExitCode.interrupted;
    }
    terminal.stderr.write(`sextant: ${printable(describeError(error))}\n`);
    return ExitCode.failed;
  }
}

/** Clients of the index, search and ask service say `--mcp` for the subcommand (wire sheet, section 10). */
function withCommand(argv: readonly string[]): string[] {
  const [node = '', script = '', first = '', ...rest] = argv;
  const args = [first, ...rest];
  if (!first.startsWith('--') || !args.includes('--mcp')) return [...argv];
  return [node, script, 'mcp', ...args.filter((arg) => arg !== '--mcp')];
}

function positiveInteger(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 9999.');
  return Number(text);
}

function integer(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

function atLeastOne(text: string): number {
  const number = integer(text);
  if (number === 0) throw new InvalidArgumentError('It must be at least 1.');
  return number;
}

/** All of a body is in memory while it is stored. */
function bodyLimit(text: string): number {
  const bytes = atLeastOne(text);
  if (bytes > MAX_BODY_LIMIT) throw new InvalidArgumentError(`It must be at most ${MAX_BODY_LIMIT}.`);
  return bytes;
}

function portNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('It must be a whole number from 0, which is any free port, to 65535.');
  return Number(text);
}

function skipReason(text: string): SkipReason {
  const reason = SKIP_REASONS.find((one) => one.toLowerCase() === text.toLowerCase());
  if (!reason)
    throw new InvalidArgumentError(`The reasons are ${SKIP_REASONS.join(', ')}. A folder goes before --skipped.`);
  return reason;
}
