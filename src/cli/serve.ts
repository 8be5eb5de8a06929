import { once } from 'node:events';
import { join } from 'node:path';
import envPaths from 'env-paths';
import { describeError } from '../base/errors.ts';
import { readMoment } from '../server/admin/adminPlane.ts';
import { loadData, startOrAttach, type ServerInfo } from '../server/launch.ts';
import { ExitCode, logTo, ProgressLine, type Terminal } from './terminal.ts';

export interface ServeOptions {
  readonly host?: string;
  readonly port?: number;
  readonly state?: string;
  readonly data?: string;
  readonly now?: string;
  readonly token?: string;
  readonly adminToken?: string;
  readonly rateLimit: boolean;
  readonly allowHost?: readonly string[];
  readonly json?: true;
}

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;

/** `sextant serve`: until Ctrl-C, or at once where a server runs on this state already. */
export async function runServe(options: ServeOptions, terminal: Terminal, version: string): Promise<ExitCode> {
  const { host, port, data, now, token, adminToken, rateLimit, allowHost: allowHosts } = options;
  const progress = new ProgressLine(terminal.stderr);
  const say = (text: string): void => void terminal.stderr.write(`sextant: ${text}\n`);
  if (host !== undefined && !LOOPBACK.test(host))
    say(`${host} can be reached from other machines. That is potentially unsafe: there is no encryption.`);
  const { info, server } = await startOrAttach(
    {
      state: serverStateFolder(options.state),
      host,
      port,
      token,
      adminToken,
      rateLimit,
      allowHosts,
      version,
      now: now === undefined ? undefined : readMoment(now),
      data:
        data === undefined
          ? undefined
          : () => loadData(data, (lines) => progress.show([`Reading ${data}`, `${lines} lines`]), terminal.signal),
    },
    { logger: logTo(terminal.stderr) },
    terminal.signal,
  );
  progress.clear();
  if (!server) say(`A server runs on ${info.state} already (process ${info.pid}): use that. Its own options count.`);
  terminal.stdout.write(options.json ? `${JSON.stringify(info)}\n` : describe(info));
  if (!server) return ExitCode.ok;
  if (server.organization.isEmpty)
    say(
      'The organization is empty: every answer is too. Load facts with --data FILE, or POST them to /__admin/import.',
    );
  if (!terminal.signal.aborted) await once(terminal.signal, 'abort');
  try {
    await server.close();
  } catch (error) {
    say(describeError(error));
    return ExitCode.failed;
  }
  return ExitCode.ok;
}

/** Where the command keeps the server's state unless it is told otherwise. */
export function serverStateFolder(named: string | undefined): string {
  return named ?? join(envPaths('sextant', { suffix: '' }).data, 'server');
}

function describe({ url, token, adminToken, state }: ServerInfo): string {
  return [
    `Serving the analytics API at ${url}`,
    `  token        ${token}`,
    `  admin token  ${adminToken}`,
    `  state        ${state}`,
    `Try: curl -H "Authorization: Bearer ${token}" ${url}/analytics/v0/dau-count`,
    'Ctrl-C stops it.',
    '',
  ].join('\n');
}
