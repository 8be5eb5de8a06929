import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { formatColumns } from '../../base/columns.ts';
import { formatCount, formatThings } from '../../base/format.ts';
import { SextantError, throwIfCancelled } from '../../base/errors.ts';
import { pushFolder } from '../../context/push.ts';
import { isRepositoryName, isUrlTemplate, type WireResult } from '../../wire/repositories.ts';
import type { WireClient } from '../../wire/wireClient.ts';
import { gitEnvironment, gitExecutable } from '../../workspace/gitExecutable.ts';
import { ExitCode, printable, printJson, ProgressLine, type Terminal } from '../terminal.ts';
import { requireQuery } from '../search/queryProblems.ts';
import { resolveFolder } from '../search/stateFolder.ts';
import { folderOptions } from '../search/updateIndex.ts';
import { openTeamService } from './teamService.ts';

export interface ServiceChoice {
  /** The service; by default that of the environment or of `sextant login`. */
  readonly server?: string;
  readonly json?: true;
}

export interface PushOptions extends ServiceChoice {
  readonly name: string;
  readonly ref?: string;
  readonly commit?: string;
  readonly url?: string;
  readonly keep?: number;
}

export interface ReposSearchOptions extends ServiceChoice {
  readonly repo?: readonly string[];
  readonly limit: number;
}

/** Repositories that a line of a result names, and paths that a warning does. */
const NAMED = 3;
const GIT_LIMIT_MS = 10_000;

/** `sextant push [DIR] --name NAME` */
export async function runPush(folder: string, options: PushOptions, terminal: Terminal): Promise<ExitCode> {
  const { name, url, keep, json } = options;
  if (!isRepositoryName(name))
    throw new SextantError(
      'InvalidName',
      `${name} is no name of a repository. Use letters, digits and . _ - @ + in parts between slashes, as in acme/payments.`,
    );
  if (url !== undefined && !isUrlTemplate(url))
    throw new SextantError(
      'InvalidOption',
      '--url must be an address with {path}, and perhaps {ref} and {line}, as in https://git.example.com/pay/blob/{ref}/{path}#L{line}.',
    );
  const root = resolveFolder(folder);
  const ref = options.ref ?? (await gitOutput(root, ['symbolic-ref', '--quiet', '--short', 'HEAD'], terminal));
  const commit = options.commit ?? (await gitOutput(root, ['rev-parse', '--verify', '--quiet', 'HEAD'], terminal));
  const progress = new ProgressLine(terminal.stderr);
  const pushed = await withService(options, terminal, async (client) => {
    try {
      // Nothing is kept: only the rules are those of an index.
      return await pushFolder(
        folderOptions(root, root),
        { name, ref, commit, url, keep },
        client,
        ({ done, total, uploaded }) =>
          progress.show([
            `Pushing: ${formatCount(done)} of ${formatCount(total)} files`,
            `${formatCount(uploaded)} uploaded`,
          ]),
        terminal.signal,
      );
    } finally {
      progress.clear();
    }
  });
  const { repository, uploaded, leftOut, unreadable } = pushed;
  if (unreadable.length > 0) {
    const named = printable(unreadable.slice(0, NAMED).join(', '));
    const rest = unreadable.length > NAMED ? ` and ${formatCount(unreadable.length - NAMED)} more` : '';
    terminal.stderr.write(
      `sextant: The repository lacks what cannot be read: ${named}${rest}. Correct its rights or name, and push again.\n`,
    );
  }
  if (json) printJson({ repository, uploaded, leftOut }, terminal);
  else
    terminal.stdout.write(
      `Pushed ${formatThings(repository.files, 'file')} as ${name}${at(repository)}; ${formatCount(uploaded)} were new.\n`,
    );
  return ExitCode.ok;
}

/** `sextant repos list` */
export async function runReposList(options: ServiceChoice, terminal: Terminal): Promise<ExitCode> {
  const repositories = await withService(options, terminal, (client) => client.listRepositories());
  if (options.json) printJson({ repositories }, terminal);
  else if (repositories.length === 0)
    terminal.stderr.write('There is no repository that you may read. "sextant push --name NAME" adds one.\n');
  else {
    const rows = repositories.map(({ name, ref, commit, files, pushed_at, older }) => [
      printable(name),
      printable(ref ?? ''),
      (commit ?? '').slice(0, 10),
      formatCount(files),
      pushed_at,
      String(older),
    ]);
    terminal.stdout.write(formatColumns([['NAME', 'REF', 'COMMIT', 'FILES', 'PUSHED', 'OLDER'], ...rows]));
  }
  return repositories.length > 0 ? ExitCode.ok : ExitCode.nothingFound;
}

/** `sextant repos remove NAME` */
export async function runReposRemove(name: string, options: ServiceChoice, terminal: Terminal): Promise<ExitCode> {
  const removed = await withService(options, terminal, (client) => client.removeRepository(name));
  if (options.json) printJson({ removed }, terminal);
  else if (removed) terminal.stdout.write(`Removed ${name}.\n`);
  else terminal.stderr.write(`There is no repository ${name}. See "sextant repos list".\n`);
  return removed ? ExitCode.ok : ExitCode.nothingFound;
}

/** `sextant repos search QUERY` */
export async function runReposSearch(
  query: string,
  options: ReposSearchOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  requireQuery(query);
  const { repo: repositories, limit, json } = options;
  const answer = await withService(options, terminal, (client) =>
    client.searchRepositories(query, { repositories, limit }),
  );
  const { results, searched, problems } = answer;
  if (json) printJson({ query, ...answer }, terminal);
  else {
    for (const problem of problems) terminal.stderr.write(`sextant: ${printable(problem)}\n`);
    for (const result of results) terminal.stdout.write(formatResult(result));
    if (results.length === 0)
      terminal.stderr.write(`Nothing found in ${formatThings(searched, 'repository', 'repositories')} for: ${query}\n`);
  }
  return results.length > 0 ? ExitCode.ok : ExitCode.nothingFound;
}

function formatResult({ repositories, repository_count: count, path, places, url, alike }: WireResult): string {
  const [first, ...others] = repositories;
  const [place, ...more] = places;
  const { start_line: startLine, symbol, text } = place!;
  const line = symbol?.line ?? startLine;
  const shown = text.split('\n')[Math.max(0, line - startLine)] ?? '';
  const name = symbol ? `  ${symbol.name} ${symbol.kind}` : '';
  const lines = [`${first}/${path}:${line}${name}`, `    ${shown.trim()}`];
  for (const { start_line, end_line, symbol } of more)
    lines.push(
      `  also ${start_line === end_line ? start_line : `${start_line}-${end_line}`} ${symbol?.name ?? ''}`.trimEnd(),
    );
  if (count > 1) {
    const named = others.slice(0, NAMED);
    const rest = count - 1 - named.length;
    lines.push(`  also in ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`);
  }
  if (alike > 0) lines.push(`  and ${alike} like it`);
  if (url !== null) lines.push(`  ${url}`);
  return `${lines.map(printable).join('\n')}\n`;
}

function at({ ref, commit }: { readonly ref: string | null; readonly commit: string | null }): string {
  const what = [ref, commit?.slice(0, 10)].filter(Boolean).join(' ');
  return what === '' ? '' : ` (${what})`;
}

async function withService<T>(
  { server }: ServiceChoice,
  terminal: Terminal,
  use: (client: WireClient) => Promise<T>,
): Promise<T> {
  const client = await openTeamService(server, terminal);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** One line of Git's output; `undefined` outside of a repository, on a detached HEAD, or without Git. Throws `Cancelled`. */
async function gitOutput(root: string, args: readonly string[], { signal }: Terminal): Promise<string | undefined> {
  const options = { env: gitEnvironment(), timeout: GIT_LIMIT_MS, signal };
  try {
    const { stdout } = await promisify(execFile)(gitExecutable(root), ['-C', root, ...args], options);
    return stdout.trim() || undefined;
  } catch {
    throwIfCancelled(signal);
    return undefined;
  }
}
