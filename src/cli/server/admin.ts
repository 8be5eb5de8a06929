import { SextantError } from '../../base/errors.ts';
import { AdminClient } from '../../server/admin/adminClient.ts';
import { findReachable } from '../../server/launch.ts';
import { localServerErrors } from '../../server/localServer.ts';
import { serverStateFolder } from '../../server/state/defaultFolder.ts';
import { ExitCode, printable, type Terminal } from '../terminal.ts';

/** What all commands have that ask the local server. */
export interface AdminOptions {
  readonly state?: string;
  readonly json?: true;
}

/** Does it with the server that runs on the state folder. Throws `NoServer`; what the server does not have, or no longer, is exit code 1. */
export async function withServer(
  { state }: AdminOptions,
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
    terminal.stderr.write(`sextant: ${printable(error.message)}\n`);
    return ExitCode.nothingFound;
  }
}
