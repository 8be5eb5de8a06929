import { Option, type Command } from 'commander';
import { resolve } from 'node:path';
import { OrganizationFile, type KnownOrganization, type TokenSource } from '../../analytics/client/organizationFile.ts';
import type { Table } from '../../analytics/reports/table.ts';
import { text } from '../../analytics/reports/tables.ts';
import { SextantError } from '../../base/errors.ts';
import { ExitCode, printable, type Terminal } from '../terminal.ts';
import { printTable, type AnalyticsOptions } from './analytics.ts';

interface StateOptions {
  readonly state?: string;
}

interface AddOptions extends StateOptions {
  readonly tokenEnv?: string;
  readonly tokenFile?: string;
}

const STATE = [
  '--state <dir>',
  "folder of organizations and cached figures, instead of the user's data folder",
] as const;

const HELP = `
An organization is a service with its own token, cache and limits. Commands of usage and cost take it by --org NAME, and
sextant report --all-orgs writes one report over all. The token stays where it is: in an environment variable, or in a file.`;

/** Adds `orgs …`. */
export function addOrgsCommand(program: Command, terminal: Terminal, exit: (code: ExitCode) => void): void {
  const orgs = program.command('orgs').description('name the organizations that --org takes');
  orgs
    .command('add <name> <url>')
    .description('add an organization; its token stays in a variable or a file')
    .option('--token-env <name>', 'environment variable with the token')
    .addOption(new Option('--token-file <file>', 'file with the token').conflicts('tokenEnv'))
    .option(...STATE)
    .addHelpText(
      'after',
      `${HELP}

Examples:
  sextant orgs add acme https://acme.example.com --token-env ACME_TOKEN
  sextant orgs add globex https://globex.example.com --token-file /run/secrets/globex

Exit codes: 0 done, 2 failed or wrong usage, 130 interrupted.`,
    )
    .action(async (name: string, url: string, options: AddOptions) => exit(await runAdd(name, url, options, terminal)));
  orgs
    .command('list')
    .description('list the organizations, and where their tokens are')
    .option(...STATE)
    .addOption(new Option('--json', 'print JSON').conflicts('csv'))
    .option('--csv', 'print CSV')
    .addHelpText(
      'after',
      `${HELP}\n\nExamples:\n  sextant orgs list\n\nExit codes: 0 done, 1 there is none, 2 failed or wrong usage, 130 interrupted.`,
    )
    .action(async (options: AnalyticsOptions) => exit(await runList(options, terminal)));
  orgs
    .command('remove <name>')
    .description('remove an organization; its token and cached figures stay where they are')
    .option(...STATE)
    .addHelpText(
      'after',
      `\nExamples:\n  sextant orgs remove acme\n\nExit codes: 0 done, 1 there is none with that name, 2 failed or wrong usage, 130 interrupted.`,
    )
    .action(async (name: string, options: StateOptions) => exit(await runRemove(name, options, terminal)));
}

async function runAdd(name: string, url: string, options: AddOptions, terminal: Terminal): Promise<ExitCode> {
  const { stdout, stderr, signal } = terminal;
  const token = tokenOf(options);
  const file = new OrganizationFile(options.state);
  const added = await file.add({ name, url, token }, signal);
  stdout.write(`Added ${printable(`${added.name}: ${added.url}, token ${describeToken(added)}`)}\n`);
  try {
    file.connection(name, process.env);
  } catch (error) {
    if (!(error instanceof SextantError)) throw error;
    stderr.write(`sextant: ${printable(error.message)}\n`);
  }
  return ExitCode.ok;
}

function tokenOf({ tokenEnv, tokenFile }: AddOptions): TokenSource {
  if (tokenEnv !== undefined) return { env: tokenEnv };
  if (tokenFile !== undefined) return { file: resolve(tokenFile) };
  throw new SextantError('InvalidOption', 'Say where the token is: --token-env NAME or --token-file FILE.');
}

async function runList(options: AnalyticsOptions, terminal: Terminal): Promise<ExitCode> {
  const organizations = new OrganizationFile(options.state).read();
  if (organizations.length === 0 && !options.json && !options.csv)
    terminal.stderr.write('sextant: There is no organization. Add one: sextant orgs add.\n');
  else await printTable(organizationTable(organizations), 'Organizations', options, terminal);
  return organizations.length > 0 ? ExitCode.ok : ExitCode.nothingFound;
}

function organizationTable(organizations: readonly KnownOrganization[]): Table {
  return {
    columns: [text('organization', 'Organization'), text('url', 'URL'), text('token', 'Token')],
    rows: organizations.map((one) => [one.name, one.url, describeToken(one)]),
  };
}

function describeToken({ token }: KnownOrganization): string {
  return 'env' in token ? `in ${token.env}` : `in the file ${token.file}`;
}

async function runRemove(name: string, options: StateOptions, { stderr, signal }: Terminal): Promise<ExitCode> {
  const isRemoved = await new OrganizationFile(options.state).remove(name, signal);
  if (!isRemoved) stderr.write(`sextant: There is no organization ${printable(name)}.\n`);
  return isRemoved ? ExitCode.ok : ExitCode.nothingFound;
}
