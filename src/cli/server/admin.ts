import { SextantError } from '../../base/errors.ts';
import { AdminClient } from '../../server/admin/adminClient.ts';
import { findReachable, type ServerInfo } from '../../server/runningServer.ts';
import { localServerErrors } from '../../server/localServer.ts';
import { serverStateFolder } from '../../server/state/defaultFolder.ts';
import { ExitCode, printable, printError, type Terminal } from '../terminal.ts';

/** The options of all commands that use the local server. */
export interface AdminOptions {
  readonly state?: string;
  readonly json?: true;
}

type Connection = ConstructorParameters<typeof AdminClient>[0];

/** The address and token of a person who uses webhooks of a server that is another's. Throws `NotConnected` without either. */
function connectionOfPerson(): Connection | undefined {
  const { SEXTANT_WEBHOOKS_URL: url = '', SEXTANT_WEBHOOKS_TOKEN: adminToken = '' } = process.env;
  if (url === '' && adminToken === '') return undefined;
  if (url !== '' && adminToken !== '') return { url: url.replace(/\/+$/, ''), adminToken };
  const names = ['SEXTANT_WEBHOOKS_URL', 'SEXTANT_WEBHOOKS_TOKEN'] as const;
  const [given, missing] = url === '' ? [names[1], names[0]] : names;
  const message = `${given} is set without ${missing}. Set both for a server of several people, or unset ${given} for the local server.`;
  throw new SextantError('NotConnected', message);
}

/** The server of the state folder. Throws `NoServer`, and `Cancelled` on Ctrl-C. */
export async function requireServer(state: string | undefined, { signal }: Terminal): Promise<ServerInfo> {
  const folder = serverStateFolder(state);
  const info = await findReachable(folder, signal);
  if (!info) throw localServerErrors.notRunning(folder);
  return info;
}

/** Runs `work` with the server of the state folder, or that of `SEXTANT_WEBHOOKS_URL`. Throws `NoServer` and `NotConnected`; `NotFound` and `Gone` give exit code 1. */
export async function withServer(
  { state, json }: AdminOptions,
  terminal: Terminal,
  work: (client: AdminClient) => Promise<ExitCode>,
): Promise<ExitCode> {
  const connection = (state === undefined ? connectionOfPerson() : undefined) ?? (await requireServer(state, terminal));
  try {
    return await work(new AdminClient(connection, terminal.signal));
  } catch (error) {
    if (!(error instanceof SextantError && ['NotFound', 'Gone'].includes(error.code))) throw error;
    if (json) printError(error.code, error.message, terminal);
    terminal.stderr.write(`sextant: ${printable(error.message)}\n`);
    return ExitCode.nothingFound;
  }
}
