import type { Command } from 'commander';
import { REPOSITORY_LIMITS } from '../../wire/repositories.ts';
import { atLeastOne, integer } from '../arguments.ts';
import type { ExitCode, Terminal } from '../terminal.ts';
import type { PushOptions, ReposSearchOptions, ServiceChoice } from './repos.ts';

const SERVER = ['--server <url>', 'URL of the service (default: that of SEXTANT_API_URL or sextant login)'] as const;
const TOKEN = `The token is that of SEXTANT_API_TOKEN or sextant login.`;

/** Adds `push` and `repos`; their module is loaded when they run. */
export function addRepositoryCommands(program: Command, terminal: Terminal, exit: (code: ExitCode) => void): void {
  program
    .command('push')
    .description("upload a folder to a team's service as a repository")
    .argument('[dir]', 'the folder', '.')
    .requiredOption('--name <name>', 'the name of the repository, such as acme/payments')
    .option('--ref <ref>', "the branch or tag (default: Git's)")
    .option('--commit <id>', "the commit (default: Git's)")
    .option('--url <template>', 'the address of a line on your forge, with {ref}, {path} and {line}')
    .option('--keep <number>', 'the number of earlier versions to keep (default: 3)', integer)
    .option(...SERVER)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Uploads what the service lacks, then moves the name to the new files in one step: searches see the old or the new version. A push
that was interrupted continues where it stopped. ${TOKEN}

Examples:
  sextant push . --name acme/payments
  sextant push . --name acme/payments --ref main --url 'https://git.example.com/payments/blob/{ref}/{path}#L{line}'

Exit codes: 0 pushed, 2 failed or wrong usage, 130 interrupted.`,
    )
    .action(async (folder: string, options: PushOptions) => {
      const { runPush } = await import('./repos.ts');
      exit(await runPush(folder, options, terminal));
    });

  const repos = program.command('repos').description("search, list or remove the repositories of a team's service");
  repos
    .command('search')
    .description('search all repositories that you may read, or some of them')
    .argument('<query>', 'plain words, a name, or filters as in sextant search; repo:name* and -repo:name* choose')
    .option('--repo <pattern...>', 'only repositories with such names; * stands for any characters')
    .option('--limit <number>', `at most this many files, up to ${REPOSITORY_LIMITS.maxResults}`, atLeastOne, 10)
    .option(...SERVER)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  sextant repos search 'retry payment repo:acme/*'
  sextant repos search handleRequest --repo 'web-*' --limit 3

Exit codes: 0 found, 1 nothing found, 2 failed or wrong usage, 130 interrupted.`,
    )
    .action(async (query: string, options: ReposSearchOptions) => {
      const { runReposSearch } = await import('./repos.ts');
      exit(await runReposSearch(query, options, terminal));
    });
  repos
    .command('list')
    .description('list the repositories that you may read')
    .option(...SERVER)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit codes: 0 listed, 1 there is none, 2 failed or wrong usage, 130 interrupted.')
    .action(async (options: ServiceChoice) => {
      const { runReposList } = await import('./repos.ts');
      exit(await runReposList(options, terminal));
    });
  repos
    .command('remove')
    .description('remove a repository with all its versions')
    .argument('<name>', 'the name of the repository')
    .option(...SERVER)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExit codes: 0 removed, 1 there is none of that name, 2 failed or wrong usage, 130 interrupted.',
    )
    .action(async (name: string, options: ServiceChoice) => {
      const { runReposRemove } = await import('./repos.ts');
      exit(await runReposRemove(name, options, terminal));
    });
}
