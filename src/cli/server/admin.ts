import { SextantError } from '../../base/errors.ts';
import { AdminClient } from '../../server/admin/adminClient.ts';
import { findReachable } from '../../server/launch.ts';
import { localServerErrors } from '../../server/localServer.ts';
import { serverStateFolder } from '../../server/state/defaultFolder.ts';
import { ExitCode, printable, printError, type Terminal } from '../terminal.ts';

/** The options of all commands that use the local server. */
export interface AdminOptions {
  readonly state?: string;
  readonly json?: true;
}

/** Runs `work` with the server of the state folder. Throws `NoServer`; `NotFound` and `Gone` give exit code 1. */
export async function withServer(
  { state, json }: AdminOptions,
  terminal: Terminal,
  work: (client: AdminClient) => Promise<ExitCode>,
): Promise<ExitCode> {
  const folder = serverStateFolder(state);
  const info = await findReachable(folder);
  if (!info) throw localServerErrors.notRunning(folder);
  try {
    return await work(new AdminClient(info));
  } catch (error) {
    if (!(error instanceof SextantError && ['NotFound', 'Gone'].includes(error.code))) throw error;
    if (json) printError(error.code, error.message, terminal);
    terminal.stderr.write(`sextant: ${printable(error.message)}\n`);
    return ExitCode.nothingFound;
  }
}
