import process from 'node:process';
import { END_SIGNALS } from '../base/endSignals.ts';
import { forwardingLogger } from '../base/log.ts';
import { EDITOR_ADVICE } from '../wire/explained.ts';
import type { WireClient } from '../wire/wireClient.ts';
import { serveMcp, type McpOptions, type SearchTeam } from './mcpServer.ts';

/* The entry of the process that an editor starts to serve its folders; its argument is EditorMcpOptions as JSON. */

/** What the editor's windows pass. */
export interface EditorMcpOptions extends Omit<McpOptions, 'team'> {
  /** URL of the service with the team's code. */
  readonly team?: string;
}

/** The variable with the token for the service: arguments of a process can be read by other users of the machine. */
export type TeamTokenVariable = 'SEXTANT_TEAM_TOKEN';

const { team: url, ...options } = JSON.parse(process.argv[2] ?? '{}') as EditorMcpOptions;
const token = process.env['SEXTANT_TEAM_TOKEN' satisfies TeamTokenVariable];
// Programs that this process starts, such as Git, do not need it.
delete process.env.SEXTANT_TEAM_TOKEN;

const ended = new AbortController();
for (const signal of END_SIGNALS) process.once(signal, () => ended.abort());

await serveMcp(
  { ...options, ...(url !== undefined && token !== undefined && { team: searchOf(url, token) }) },
  {
    input: process.stdin,
    output: process.stdout,
    logger: forwardingLogger((level, message) => void process.stderr.write(`${level}: ${message}\n`)),
    indexProcess: new URL('./indexProcess.js', import.meta.url),
    searchThread: new URL('./searchThread.js', import.meta.url),
  },
  ended.signal,
);

/** Connects with the first search. */
function searchOf(url: string, token: string): SearchTeam {
  const connect = async (): Promise<WireClient> => {
    const { WireClient } = await import('../wire/wireClient.ts');
    return new WireClient({ url, token, userAgent: `sextant-vscode-mcp/${options.version}`, advice: EDITOR_ADVICE });
  };
  let client: Promise<WireClient> | undefined;
  return async (query, of) => (await (client ??= connect())).retrieveFromRepositories(query, of);
}
