import { InvalidArgumentError, Option, type Command } from 'commander';
import type { SkipReason } from '../../workspace/skip.ts';
import type { ExitCode, Terminal } from '../terminal.ts';
import { withOutputOptions } from '../writeWhole.ts';
import { DOCTOR_HELP, runDoctor, type DoctorOptions } from './doctor.ts';
import { FIND_USAGES_HELP, runFindUsages, type FindUsagesOptions } from './findUsages.ts';
import { integer, READ_STATE, WRITTEN_STATE } from '../arguments.ts';
import { colorOption } from './painter.ts';
import { OUTLINE_HELP, runOutline, type OutlineOptions } from './outline.ts';
import { INDEX_HELP, runIndex, type IndexOptions } from './index.ts';
import { SEARCH_HELP, runSearch, type SearchCommandOptions } from './search.ts';
import { SKIP_REASONS, STATUS_HELP, runStatus, type StatusOptions } from './status.ts';
import { WHY_HELP, runWhy, type WhyOptions } from './why.ts';

/** Adds `index`, `search`, `find-usages` and `outline`. */
export function addSearchCommands(program: Command, terminal: Terminal, exit: (code: ExitCode) => void): void {
  program
    .command('index')
    .description('index a folder, or bring its index up to date')
    .argument('[dir]', 'the folder', '.')
    .option(...WRITTEN_STATE)
    .addOption(new Option('--list', "list the indexes in the user's cache folder").conflicts(['remove', 'state']))
    .option('--remove', 'remove the index of the folder; its files stay')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', INDEX_HELP)
    .action(async (folder: string, options: IndexOptions) => {
      exit(await runIndex(folder, options, terminal));
    });

  program
    .command('search')
    .description('search a folder, after bringing its index up to date')
    .showHelpAfterError('Run with --help for the options. Put -- before a query that begins with a dash.')
    .argument('<query>', 'words (page fault handler), a name (handle_mm_fault), "phrases", filters (lang:c path:mm)')
    .argument('[dir]', 'the folder', '.')
    .option('-n, --limit <number>', 'the largest number of results', resultLimit, 10)
    .option(...WRITTEN_STATE)
    .option('--no-update', 'search the index as it is, without a scan for changed files')
    .option('-l, --files-with-matches', 'print the paths alone')
    .option('--vimgrep', 'print path:line:column:text, a line for each place, as editors read it')
    .option('-C, --context <number>', 'print this number of lines before and after the best one', integer)
    .addOption(colorOption())
    .option('--explain', 'show below each result the features that make up its score')
    .option('--json', 'print the results as JSON')
    .addHelpText('after', SEARCH_HELP)
    .action(async (query: string, folder: string, options: SearchCommandOptions) => {
      exit(await runSearch(query, folder, options, terminal));
    });

  addCodeCommands(program, terminal, exit);
}

/** Adds `find-usages` and `outline`. */
function addCodeCommands(program: Command, terminal: Terminal, exit: (code: ExitCode) => void): void {
  program
    .command('find-usages')
    .description('list every use of a name, by kind')
    .argument('<name>', 'one name as written, such as parseQuery or Foo.bar')
    .argument('[dir]', 'the folder', '.')
    .option(...WRITTEN_STATE)
    .option('--no-update', 'search the index as it is, without a scan for changed files')
    .addOption(colorOption())
    .option('--json', 'print the usages as JSON')
    .addHelpText('after', FIND_USAGES_HELP)
    .action(async (name: string, folder: string, options: FindUsagesOptions) => {
      exit(await runFindUsages(name, folder, options, terminal));
    });

  program
    .command('outline')
    .description('list the definitions of a file, or of the files of a folder')
    .argument('[path]', 'the file or folder', '.')
    .option(...WRITTEN_STATE)
    .option('--no-update', 'use the index as it is, without a scan for changed files')
    .addOption(colorOption())
    .option('--json', 'print the definitions as JSON')
    .addHelpText('after', OUTLINE_HELP)
    .action(async (path: string, options: OutlineOptions) => {
      exit(await runOutline(path, options, terminal));
    });
}

/** Adds `status`, `why` and `doctor`, which change nothing. `version` is that of Sextant. */
export function addInspectCommands(
  program: Command,
  terminal: Terminal,
  exit: (code: ExitCode) => void,
  version: string,
): void {
  program
    .command('status')
    .description('show which files are indexed, which are left out and why, and whether the index is up to date')
    .argument('[dir]', 'the folder', '.')
    .option('--skipped [reason]', `list the files left out; a reason is one of ${SKIP_REASONS.join(', ')}`, skipReason)
    .option(...READ_STATE)
    .option('--json', 'print the status as JSON')
    .addHelpText('after', STATUS_HELP)
    .action(async (folder: string, options: StatusOptions) => {
      exit(await runStatus(folder, options, terminal));
    });

  program
    .command('why')
    .description('explain why a file is found or not')
    .argument('<file>', 'a file in the folder')
    .argument('[query]', 'the query that should find it')
    .option('--dir <dir>', 'the indexed folder', '.')
    .option(...READ_STATE)
    .option('--no-update', 'use the index as it is, without a scan for changed files')
    .option('--json', 'print the explanation as JSON')
    .addHelpText('after', WHY_HELP)
    .action(async (file: string, query: string | undefined, options: WhyOptions) => {
      exit(await runWhy(file, query, options, terminal));
    });

  withOutputOptions(
    program
      .command('doctor')
      .description('write a report for a bug or a question, with everything private taken out')
      .argument('[dir]', 'the folder', '.'),
  )
    .option(...READ_STATE)
    .option('--json', 'print the report as JSON')
    .addHelpText('after', DOCTOR_HELP)
    .action(async (folder: string, options: DoctorOptions) => {
      exit(await runDoctor(folder, version, options, terminal));
    });
}

function resultLimit(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 9999.');
  return Number(text);
}

function skipReason(text: string): SkipReason {
  const reason = SKIP_REASONS.find((one) => one.toLowerCase() === text.toLowerCase());
  if (!reason)
    throw new InvalidArgumentError(`The reasons are ${SKIP_REASONS.join(', ')}. A folder goes before --skipped.`);
  return reason;
}
