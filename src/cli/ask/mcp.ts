import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { SextantError } from '../../base/errors.ts';
import type { FolderOptions } from '../../workspace/folderOptions.ts';
import { serveMcp, type SearchTeam } from '../../mcp/mcpServer.ts';
import { openTeamService } from '../context/teamService.ts';
import { resolveFolder, stateFolderOf } from '../search/stateFolder.ts';
import { ExitCode, logTo, type Terminal } from '../terminal.ts';
import { folderOptions, logAndKeep } from '../search/updateIndex.ts';

export interface McpCommandOptions {
  /** Folders; without any, those that the client names. */
  readonly workspaceRoot: readonly string[];
  /** For one folder. */
  readonly state?: string;
  /** Seconds. */
  readonly wait?: number;
  /** Whether to search the team's service, too. */
  readonly team?: true;
}

/** `sextant mcp`: serves the index of `sextant search` over standard input and output, until the input ends. */
export async function runMcp(
  { workspaceRoot, state, wait, team }: McpCommandOptions,
  terminal: Terminal,
  version: string,
): Promise<ExitCode> {
  const { stdout, stderr, signal } = terminal;
  if (state !== undefined && workspaceRoot.length > 1) throw severalFolders();
  const toFolder = (path: string): FolderOptions => {
    const root = resolveFolder(path);
    refuseWholeDisk(root);
    return folderOptions(root, stateFolderOf(root, state));
  };
  // A state folder holds the index of one folder.
  const named = workspaceRoot.length > 0 || state === undefined ? workspaceRoot : ['.'];
  const folders = named.map(toFolder);
  const options = { folders, version, waitMs: wait === undefined ? wait : wait * 1000 };
  const edges = {
    input: process.stdin,
    output: stdout,
    logger: folders[0] ? logAndKeep(stderr, folders[0].stateFolder) : logTo(stderr),
    indexProcess: new URL('./indexProcess.js', import.meta.url),
    searchThread: new URL('./searchThread.js', import.meta.url),
    roots: { toFolder, otherwise: '.' },
  };
  if (!team) {
    await serveMcp(options, edges, signal);
    return ExitCode.ok;
  }
  const client = await openTeamService(undefined, terminal, 'sextant-mcp', edges.logger);
  try {
    const search: SearchTeam = (query, of) => client.retrieveFromRepositories(query, of);
    await serveMcp({ ...options, team: search }, edges, signal);
  } finally {
    await client.close();
  }
  return ExitCode.ok;
}

/** Several clients start servers in the home folder, or at the top: an index of that is hardly meant. */
function refuseWholeDisk(root: string): void {
  const isTop = dirname(root) === root;
  const home = homedir();
  // A user of a container may have none.
  if (!isTop && root !== (existsSync(home) ? realpathSync(home) : home)) return;
  const what = isTop ? 'the whole disk' : 'your home folder';
  throw new SextantError('FolderTooWide', `${root} is ${what}. Name the project's folder with --workspace-root.`);
}

function severalFolders(): SextantError {
  return new SextantError(
    'InvalidOption',
    '--state is for one folder. Name one with --workspace-root, or leave it out.',
  );
}
