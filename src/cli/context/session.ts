import { homedir } from 'node:os';
import { isLoopback } from '../../base/loopback.ts';
import { SextantError } from '../../base/errors.ts';
import { readSession, removeSession, sessionFile, writeSession } from '../../context/credentials.ts';
import { APIError } from '../../wire/errors.ts';
import { WireClient } from '../../wire/wireClient.ts';
import { readSecret } from '../prompts.ts';
import { findReachable } from '../../server/runningServer.ts';
import { serverStateFolder } from '../../server/state/defaultFolder.ts';
import { ExitCode, type Terminal } from '../terminal.ts';
import { CERTIFICATE_ADVICE } from './teamService.ts';

export interface LoginOptions {
  readonly state?: string;
}

/** A file that no service has: the query for it checks whether the token is accepted. */
const NO_FILE = '0'.repeat(64);
const CHECK_MS = 15_000;
const SCOPE = 'context:use';

/** `sextant login [URL]`: logs in to the local server, or to a service whose token is typed or read from standard input. */
export async function runLogin(
  url: string | undefined,
  { state }: LoginOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { tenantURL, accessToken } =
    url === undefined ? await localSession(state, terminal) : await typedSession(url, terminal);
  const { signal } = terminal;
  const client = new WireClient({
    url: tenantURL,
    token: accessToken,
    userAgent: 'sextant',
    timeoutMs: CHECK_MS,
    signal,
    advice: { token: 'Type or pipe another one.', certificate: CERTIFICATE_ADVICE },
  });
  try {
    await checkToken(client);
  } finally {
    await client.close();
  }
  writeSession({ accessToken, tenantURL, scopes: [SCOPE] }, homedir());
  terminal.stdout.write(`Logged in to ${tenantURL}. The session is in ${sessionFile(homedir())}.\n`);
  return ExitCode.ok;
}

/** Throws {@link APIError} if the token may neither use contexts nor search repositories. */
async function checkToken(client: WireClient): Promise<void> {
  try {
    await client.findMissing([NO_FILE]);
  } catch (error) {
    if (!(error instanceof APIError && error.status === 403)) throw error;
    await client.listRepositories();
  }
}

/** `sextant logout` */
export function runLogout({ stdout }: Terminal): ExitCode {
  stdout.write(
    removeSession(homedir()) ? 'Logged out: the session is removed.\n' : 'There was no session to remove.\n',
  );
  return ExitCode.ok;
}

/** `sextant token print`: prints the session in the form that `SEXTANT_SESSION_AUTH` takes. */
export function runTokenPrint({ stdout, stderr }: Terminal): ExitCode {
  const session = readSession(homedir());
  if (!session) {
    stderr.write('sextant: There is no session. Create one with "sextant login".\n');
    return ExitCode.nothingFound;
  }
  stdout.write(`${JSON.stringify(session)}\n`);
  return ExitCode.ok;
}

interface Login {
  readonly tenantURL: string;
  readonly accessToken: string;
}

/** Throws `NoServer`. */
async function localSession(state: string | undefined, terminal: Terminal): Promise<Login> {
  const server = await findReachable(serverStateFolder(state), terminal.signal);
  if (!server)
    throw new SextantError(
      'NoServer',
      'No local server runs. Start one with "sextant serve", or name the address of a service: sextant login URL.',
    );
  return { tenantURL: server.url, accessToken: server.token };
}

/** Throws `InvalidAddress` and `NoToken`, and `Cancelled` on Ctrl-C. */
async function typedSession(given: string, terminal: Terminal): Promise<Login> {
  const url = given.trim();
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isPlain = parsed && `${parsed.username}${parsed.password}${parsed.search}${parsed.hash}` === '';
  const isSafe = parsed?.protocol === 'https:' || (parsed?.protocol === 'http:' && isLoopback(parsed.hostname));
  if (!isPlain || !isSafe)
    throw new SextantError(
      'InvalidAddress',
      'The address must be an https URL without a user, query or fragment; http only for this machine.',
    );
  const accessToken = await readSecret(`Token for ${parsed.host}`, terminal);
  if (accessToken === '')
    throw new SextantError('NoToken', 'No token was given. Type it, or pipe it to the standard input.');
  return { tenantURL: url, accessToken };
}
