import type { Command } from 'commander';
import type { ExitCode, Terminal } from '../terminal.ts';
import type { IndexArchiveOptions } from '../search/indexArchive.ts';
import type { LoginOptions } from './session.ts';

/** Adds `login`, `logout`, `token` and `context`, which are loaded when they are asked for. */
export function addContextCommands(program: Command, terminal: Terminal, exit: (code: ExitCode) => void): void {
  program
    .command('login')
    .description('keep the address and token of a service for programs that use the library')
    .argument('[url]', 'the service; the token is typed, or read from the standard input. Else the local server')
    .option('--state <dir>', "the local server's state, where it is not in the user's data folder")
    .addHelpText(
      'after',
      `
The session is kept in ~/.sextant/session.json, which only you can read. A token is taken only if the service takes it.

Examples:
  sextant login
  sextant login https://search.example.com < token.txt

Exit codes: 0 done; 2 failed or wrong usage.`,
    )
    .action(async (url: string | undefined, options: LoginOptions) => {
      const { runLogin } = await import('./session.ts');
      exit(await runLogin(url, options, terminal));
    });

  program
    .command('logout')
    .description('remove the session that sextant login made')
    .action(async () => {
      const { runLogout } = await import('./session.ts');
      exit(runLogout(terminal));
    });

  program
    .command('token')
    .description('the session that sextant login made')
    .command('print')
    .description('print it as JSON, for SEXTANT_SESSION_AUTH. It is a secret')
    .action(async () => {
      const { runTokenPrint } = await import('./session.ts');
      exit(runTokenPrint(terminal));
    });

  const context = program.command('context').description('take the index of a folder to another machine');
  context
    .command('export')
    .description('write the index of a folder to one file, brought up to date first')
    .argument('[dir]', 'the folder', '.')
    .option('-o, --output <file>', 'the file; else the standard output')
    .option('--state <dir>', "where the index is kept, if not in the user's cache folder")
    .addHelpText(
      'after',
      `
The file is a tar archive. It has names, words and places of the code, though not its text: whoever has it learns much of it.

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
    .description('make an exported index that of a folder, so that it can be searched at once')
    .argument('<file>', 'the file; - is the standard input')
    .argument('[dir]', 'the folder', '.')
    .option('--state <dir>', "where the index is kept, if not in the user's cache folder")
    .addHelpText(
      'after',
      `
The next search or update reads the files of the folder, and analyses those that are not in the index as they are.

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
