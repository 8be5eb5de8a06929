import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { describeError, SextantError } from '../../base/errors.ts';
import { checkMoment, readMoment } from '../../server/admin/moment.ts';
import { readSimulation } from '../../server/analytics/simulation/options.ts';
import { readFaultRule, type FaultRule } from '../../server/faults/faultRules.ts';
import { loadData, startOrAttach } from '../../server/launch.ts';
import type { ServerInfo } from '../../server/runningServer.ts';
import type { CertificateFiles } from '../../server/http/certificate.ts';
import { serverStateFolder } from '../../server/state/defaultFolder.ts';
import { readTokenFile, readTokens } from '../../server/auth/tokenFile.ts';
import type { SimulationOptions, TokenRecord } from '../../server/state/records.ts';
import { readCommands } from '../../webhooks/commands.ts';
import type { Retention } from '../../webhooks/journal/eventJournal.ts';
import type { AnswerProvider } from '../../ask/provider.ts';
import type { PROVIDERS } from '../ask/askHelp.ts';
import { openSearchOf, type OpenSearchOptions } from './openSearchOptions.ts';
import { ExitCode, logTo, ProgressLine, type Output } from '../terminal.ts';

export interface ServeOptions extends OpenSearchOptions {
  readonly host?: string;
  /** The files of a certificate and its key. */
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly port?: number;
  readonly state?: string;
  readonly data?: string;
  readonly seed?: number;
  readonly users?: number;
  readonly plan?: string;
  readonly scenario?: string;
  readonly fault?: readonly string[];
  readonly now?: string;
  readonly token?: string;
  readonly adminToken?: string;
  readonly rateLimit: boolean;
  readonly allowHost?: readonly string[];
  /** The file of more tokens, and that of the access log. */
  readonly tokens?: string;
  readonly accessLog?: string;
  /** The file of the machine's own commands. */
  readonly commands?: string;
  readonly maxBody?: number;
  readonly keepEvents?: number;
  readonly keepDays?: number;
  readonly keepMegabytes?: number;
  /** The answer model for questions about contexts. */
  readonly provider?: (typeof PROVIDERS)[number];
  readonly baseUrl?: string;
  readonly model?: string;
  readonly json?: true;
}

/** The part of the terminal that the server uses. */
export interface ServeTerminal {
  readonly stdout: Output;
  readonly stderr: Output;
  /** Aborts when the server has to stop. */
  readonly signal: AbortSignal;
}

const DAY_MS = 86_400_000;

/**
 * How much the old generation grows until V8 collects it again, in percent; by default a small one grows several times. Each event is
 * there for a moment, with memory outside of the heap: under events the process takes a quarter less memory with this. It costs nothing
 * where there is no trigger, and up to a fifth of an event's processor time where one is evaluated.
 */
const HEAP_GROWTH = 25;

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;

/** `sextant serve`: runs until Ctrl-C; ends at once if a server runs on this state already. See `runThreadedServe`. */
export async function runServe(options: ServeOptions, terminal: ServeTerminal, version: string): Promise<ExitCode> {
  const { host, port, data, now, rateLimit, allowHost: allowHosts } = options;
  const token = options.token ?? tokenOf('SEXTANT_SERVE_TOKEN');
  const adminToken = options.adminToken ?? tokenOf('SEXTANT_SERVE_ADMIN_TOKEN');
  const progress = new ProgressLine(terminal.stderr);
  const say = (text: string): void => void terminal.stderr.write(`sextant: ${text}\n`);
  const tokens = tokensOf(options);
  const tls = certificateOf(options);
  if (host !== undefined && !LOOPBACK.test(host)) {
    if (token === undefined && tokens.length === 0) throw tokenRequired(host);
    if (!tls)
      say(
        `${host} can be reached from other machines, without encryption: give --tls-cert and --tls-key, or put a proxy with TLS in front of it.`,
      );
  }
  const { info, server } = await startOrAttach(
    {
      state: serverStateFolder(options.state),
      host,
      port,
      tls,
      token,
      adminToken,
      tokens,
      accessLog: options.accessLog,
      rateLimit,
      allowHosts,
      version,
      simulation: readSimulation(options),
      scenario: options.scenario,
      faults: options.fault?.map(readFault),
      context: {
        provider: options.provider === 'openai' ? await openAi(options) : undefined,
        openStore: openSearchOf(options, process.env),
      },
      webhooks: {
        maxBodyBytes: options.maxBody,
        retention: retentionOf(options),
        commands: options.commands === undefined ? undefined : readCommands(options.commands),
      },
      now: now === undefined ? undefined : checkMoment(readMoment(now, '--now'), '--now'),
      data:
        data === undefined
          ? undefined
          : () => loadData(data, (lines) => progress.show([`Reading ${data}`, `${lines} lines`]), terminal.signal),
    },
    { logger: logTo(terminal.stderr) },
    terminal.signal,
  );
  progress.clear();
  const isOwn = server !== undefined;
  if (!isOwn) say(describeAttached(options, info));
  terminal.stdout.write(options.json ? `${JSON.stringify(info)}\n` : describe(info, isOwn));
  if (!isOwn) return ExitCode.ok;
  // Not before: while facts are read, the heap grows to many times its size. V8 reads this flag at each collection.
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);
  if (server.organization.isEmpty)
    say('The data file is empty, and so are all answers. POST facts to /__admin/import.');
  if (data === undefined) say(describeSimulation(readSimulation(options)));
  if (!terminal.signal.aborted) await once(terminal.signal, 'abort');
  try {
    await server.close();
  } catch (error) {
    say(describeError(error));
    return ExitCode.failed;
  }
  return ExitCode.ok;
}

/** Throws `InvalidOption` for a certificate without its key. */
function certificateOf({ tlsCert: cert, tlsKey: key }: ServeOptions): CertificateFiles | undefined {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw new SextantError('InvalidOption', '--tls-cert and --tls-key belong together. Give both.');
  return { cert, key };
}

/** Reads a token from a variable, which `ps` does not show. An empty one counts as none. */
function tokenOf(variable: string): string | undefined {
  const token = process.env[variable];
  return token === '' ? undefined : token;
}

/** Tokens of a file and of a variable. Throws `InvalidTokens`. */
function tokensOf({ tokens }: ServeOptions): TokenRecord[] {
  const inVariable = tokenOf('SEXTANT_SERVE_TOKENS');
  return [
    ...(tokens === undefined ? [] : readTokenFile(tokens)),
    ...(inVariable === undefined ? [] : readTokens(inVariable, 'SEXTANT_SERVE_TOKENS')),
  ];
}

function tokenRequired(host: string): SextantError {
  return new SextantError(
    'TokenRequired',
    `${host} can be reached from other machines. Give tokens of your own: --tokens FILE (see "sextant token create"), ` +
      'SEXTANT_SERVE_TOKENS, or SEXTANT_SERVE_TOKEN.',
  );
}

/** The model over HTTP that `sextant ask` uses. */
async function openAi(options: ServeOptions): Promise<AnswerProvider> {
  const { openAiOf } = await import('../ask/ask.ts');
  return openAiOf(options, process.env);
}

/** How many events of webhooks are kept; what is not said is as by default. */
function retentionOf({ keepEvents, keepDays, keepMegabytes }: ServeOptions): Partial<Retention> {
  return {
    ...(keepEvents !== undefined && { maxEvents: keepEvents }),
    ...(keepDays !== undefined && { maxAgeMs: keepDays * DAY_MS }),
    ...(keepMegabytes !== undefined && { maxBytes: keepMegabytes * 1e6 }),
  };
}

/** Throws `InvalidArgument`. */
function readFault(json: string): FaultRule {
  try {
    return readFaultRule(JSON.parse(json));
  } catch (error) {
    // Shells remove quotes that are not quoted themselves.
    const what =
      error instanceof SyntaxError
        ? 'this is no JSON; quote it for your shell, as --fault \'{"status":500}\''
        : describeError(error);
    throw new SextantError('InvalidOption', `--fault ${json}: ${what}.`, { cause: error });
  }
}

function describeSimulation({ seed, users, plan }: SimulationOptions): string {
  return `The organization is simulated: seed ${seed}, ${users} people, plan ${plan}. --data FILE serves your own facts.`;
}

/** Names the options that have no effect, since another process serves. */
function describeAttached({ json: _, state: __, ...options }: ServeOptions, { state, pid }: ServerInfo): string {
  const ignored = Object.entries(options as Readonly<Record<string, unknown>>).flatMap(([name, value]) =>
    value === undefined || value === true ? [] : [optionOf(name)],
  );
  const have = ignored.length === 1 ? 'has' : 'have';
  const effect = ignored.length === 0 ? '' : ` ${ignored.join(', ')} ${have} no effect: it keeps its own options.`;
  return `Process ${pid} already serves ${state}; use that server.${effect}`;
}

/** `maxBody` → `--max-body`; the option for `rateLimit` switches it off. */
function optionOf(name: string): string {
  const option = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return name === 'rateLimit' ? '--no-rate-limit' : `--${option}`;
}

function describe({ url, publicUrl, token, adminToken, state }: ServerInfo, isOwn: boolean): string {
  return [
    `${isOwn ? 'Serving the analytics API' : 'The analytics API is served'} at ${publicUrl ?? url}`,
    ...(publicUrl === undefined ? [] : [`  on this host ${url}`]),
    `  token        ${token}`,
    `  admin token  ${adminToken}`,
    `  state        ${state}`,
    `Try: curl -H "Authorization: Bearer ${token}" ${url}/analytics/v0/dau-count`,
    ...(isOwn ? ['Ctrl-C stops it.'] : []),
    '',
  ].join('\n');
}
