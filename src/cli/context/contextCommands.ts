import { Option, type Command } from 'commander';
import { SCOPES } from '../../analytics/contract.ts';
import { atLeastOne, READ_STATE } from '../arguments.ts';
import type { ExitCode, Terminal } from '../terminal.ts';
import { withOutputOptions } from '../writeWhole.ts';
import type { IndexArchiveOptions } from '../search/indexArchive.ts';
import { SERVER_STATE } from '../server/serverCommands.ts';
import type { LoginOptions } from './session.ts';
import type { TokenCreateOptions } from './tokens.ts';

/** Adds `login`, `logout` and `token`; their modules are loaded when they run. */
export function addSessionCommands(program: Command, terminal: Terminal, exit: (code: ExitCode) => void): void {
  program
    .command('login')
    .description('store the address and token of a service for programs that use the library')
    .argument('[url]', 'the service (default: the local server); its token is typed or read from the standard input')
    .option(...SERVER_STATE)
    .addHelpText(
      'after',
      `
The session is kept in ~/.sextant/session.json, which only you can read. It is stored only if the service accepts the token.

Examples:
  sextant login
  sextant login https://search.example.com < token.txt

Exit codes: 0 done; 2 failed or wrong usage; 130 interrupted.`,
    )
    .action(async (url: string | undefined, options: LoginOptions) => {
      const { runLogin } = await import('./session.ts');
      exit(await runLogin(url, options, terminal));
    });

  program
    .command('logout')
    .description('remove the session that sextant login stored')
    .addHelpText('after', '\nExit codes: 0 done, also without a session; 2 failed or wrong usage.')
    .action(async () => {
      const { runLogout } = await import('./session.ts');
      exit(runLogout(terminal));
    });

  const token = program.command('token').description('print the token of sextant login, or create tokens of a service');
  token
    .command('print')
    .description('print the session as JSON, for SEXTANT_SESSION_AUTH; keep it secret')
    .addHelpText('after', '\nExit codes: 0 printed, 1 no session, 2 failed or wrong usage.')
    .action(async () => {
      const { runTokenPrint } = await import('./session.ts');
      exit(runTokenPrint(terminal));
    });
  token
    .command('create')
    .description('add a token to a file for sextant serve --tokens, and print it')
    .argument('<file>', 'the file, which gets the hash of the token; created if it is missing')
    .requiredOption('--name <name>', 'the name of the token, as in the access log')
    .addOption(new Option('--scope <scope...>', 'what it may do').choices(SCOPES).makeOptionMandatory())
    .option('--repo <pattern...>', 'only repositories with such names; * stands for any characters')
    .option('--rate <number>', 'requests to repositories a minute (default: 600)', atLeastOne)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  sextant token create tokens.json --name ci-payments --scope repositories:push --repo 'payments-*'
  sextant token create tokens.json --name people --scope repositories:read

Exit codes: 0 created, 2 failed or wrong usage.`,
    )
    .action(async (file: string, options: TokenCreateOptions) => {
      const { runTokenCreate } = await import('./tokens.ts');
      exit(await runTokenCreate(file, options, terminal));
    });
}

/** Adds `context export` and `context import`; their modules are loaded when they run. */
export function addContextCommands(program: Command, terminal: Terminal, exit: (code: ExitCode) => void): void {
  const context = program.command('context').description('copy the index of a folder to another machine');
  withOutputOptions(
    context
      .command('export')
      .description('bring the index of a folder up to date, and write it to one file')
      .argument('[dir]', 'the folder', '.'),
    'the file (default: the standard output)',
  )
    .option(...READ_STATE)
    .addHelpText(
      'after',
      `
The file is a tar archive. It holds names, words and line numbers of the code, but not its text. Share it as you would the code.

Examples:
  sextant context export -o index.tar
  sextant context export ~/projects/shop | zstd > index.tar.zst

Exit codes: 0 done; 2 failed or wrong usage; 130 interrupted.`,
    )
    .action(async (folder: string, options: IndexArchiveOptions) => {
      const { runContextExport } = await import('../search/indexArchive.ts');
      exit(await runContextExport(folder, options, terminal));
    });
  context
    .command('import')
    .description('use an exported index for a folder, so that it can be searched at once')
    .argument('<file>', 'the file, or - for the standard input')
    .argument('[dir]', 'the folder', '.')
    .option(...READ_STATE)
    .addHelpText(
      'after',
      `
The next search or update reads the files of the folder, and analyses only those that differ from the index.

Examples:
  sextant context import index.tar ~/projects/shop
  zstd -dc index.tar.zst | sextant context import -

Exit codes: 0 done; 2 failed or wrong usage; 130 interrupted.`,
    )
    .action(async (file: string, folder: string, options: IndexArchiveOptions) => {
      const { runContextImport } = await import('../search/indexArchive.ts');
      exit(await runContextImport(file, folder, options, terminal));
    });
}
