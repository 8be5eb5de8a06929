import { serveMcp } from '../mcp/mcpServer.ts';
import { resolveFolder, stateFolderOf } from './stateFolder.ts';
import { ExitCode, type Terminal } from './terminal.ts';
import { folderOptions, logAndKeep } from './updateIndex.ts';

export interface McpOptions {
  readonly workspaceRoot: string;
  readonly state?: string;
  /** Seconds. */
  readonly wait?: number;
}

/** `sextant mcp`: the index that `sextant search` has, over the standard input and output, until the input ends. */
export async function runMcp(
  { workspaceRoot, state, wait }: McpOptions,
  { stdout, stderr, signal }: Terminal,
  version: string,
): Promise<ExitCode> {
  const root = resolveFolder(workspaceRoot);
  const stateFolder = stateFolderOf(root, state);
  const options = {
    folder: folderOptions(root, stateFolder),
    version,
    waitMs: wait === undefined ? wait : wait * 1000,
  };
  const edges = {
    input: process.stdin,
    output: stdout,
    logger: logAndKeep(stderr, stateFolder),
    indexThread: new URL('./indexThread.js', import.meta.url),
    searchThread: new URL('./searchThread.js', import.meta.url),
  };
  await serveMcp(options, edges, signal);
  return ExitCode.ok;
}
