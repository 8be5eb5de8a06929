import { InvalidArgumentError, Option, type Command } from 'commander';
import { FACT_FORMATS } from '../../analytics/facts/factFormats.ts';
import { SextantError } from '../../base/errors.ts';
import type { ExportCommandOptions } from '../analytics/export.ts';
import type { FactsOptions } from '../analytics/facts.ts';
import { atLeastOne, integer } from '../arguments.ts';
import { PROVIDERS } from '../ask/askHelp.ts';
import type { ExitCode, Terminal } from '../terminal.ts';
import { withOutputOptions } from '../writeWhole.ts';
import type { ServeOptions } from './serve.ts';
import { EXPORT_HELP, SERVE_HELP } from './serverHelp.ts';

const MAX_BODY_LIMIT = 67_108_864;
/** Options of export that have no effect without `--facts`. */
const FOR_FACTS = ['url', 'org', 'since', 'to', 'refresh'] as const;

/** The state folder of the local server, for commands that use it. */
export const SERVER_STATE = [
  '--state <dir>',
  "the server's state folder, if it is not in the user's data folder",
] as const;

/** The options of the simulated organization, which a data file replaces. */
const SIMULATION = ['seed', 'users', 'plan'];

/** Adds `serve` and `export`; their modules are loaded when they run. `version` is that of Sextant. */
export function addServerCommands(
  program: Command,
  terminal: Terminal,
  exit: (code: ExitCode) => void,
  version: string,
): void {
  program
    .command('serve')
    .description('run a local server with the analytics API of an organization, webhooks and contexts')
    .option('--host <address>', 'the address to listen at; other machines reach any but the default 127.0.0.1')
    .option('--port <number>', 'the port to listen at (default: that of the last start, or a free one)', portNumber)
    .option('--tls-cert <file>', 'speak HTTPS with this certificate and those of its authorities, in PEM')
    .option('--tls-key <file>', 'the private key of the certificate, in PEM')
    .option('--state <dir>', "keep the state in this folder instead of the user's data folder")
    .addOption(
      new Option(
        '--data <file>',
        'the facts to serve, one JSON record a line (default: a simulated organization)',
      ).conflicts(SIMULATION),
    )
    .option('--seed <number>', 'the seed of the simulated organization; equal seeds give equal data', integer)
    .option('--users <number>', 'the number of people in the simulated organization', integer)
    .option('--plan <plan>', 'the billing plan of the simulated organization, credits or usd')
    .option('--now <moment>', 'start the clock at this moment (ISO 8601)')
    .option('--token <token>', 'the token of clients (default: SEXTANT_SERVE_TOKEN, or a generated one)')
    .option(
      '--admin-token <token>',
      'the token of the admin API (default: SEXTANT_SERVE_ADMIN_TOKEN, or a generated one)',
    )
    .option('--scenario <name>', 'inject faults from the start: flaky, slow, outage or another scenario')
    .option('--fault <json...>', 'inject faults by a rule, written as for the admin API')
    .option('--no-rate-limit', 'never answer 429')
    .option('--allow-host <name...>', 'answer requests for this host name too, such as that of a tunnel')
    .option('--tokens <file>', 'more tokens, from a file of sextant token create (or the JSON in SEXTANT_SERVE_TOKENS)')
    .option('--access-log <file>', 'append a line of JSON for each request, without secrets')
    .option('--commands <file>', 'a file of your own with commands that triggers may run; none of a repository')
    .option('--max-body <bytes>', 'the largest body that a webhook accepts (default: 1048576)', bodyLimit)
    .option(
      '--keep-events <number>',
      'the largest number of webhook events that are kept (default: 1000000)',
      atLeastOne,
    )
    .option('--keep-days <number>', 'the number of days that events are kept (default: 30)', atLeastOne)
    .option('--keep-megabytes <number>', 'the disk space that events may take (default: 4000)', atLeastOne)
    .addOption(new Option('--provider <name>', 'the answer model for questions about contexts').choices(PROVIDERS))
    .option('--base-url <url>', 'the address of the OpenAI-compatible service')
    .option('--model <name>', 'the model of that service')
    .addOption(
      new Option('--store <kind>', 'where the files of contexts are stored (default: folder)').choices([
        'folder',
        'opensearch',
      ]),
    )
    .option('--opensearch-url <url...>', 'the addresses of the cluster (default: SEXTANT_OPENSEARCH_URL)')
    .option('--opensearch-credentials <file>', 'JSON with username and password, with bearer, or with keys of AWS')
    .option(
      '--opensearch-aws <region>',
      'sign requests for AWS, with the keys of the file, or of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    )
    .option('--opensearch-ca <file>', 'the certificates of the authority that signed those of the cluster, in PEM')
    .option('--opensearch-prefix <name>', 'the beginning of the names of the indexes (default: sextant)')
    .option('--opensearch-shards <number>', 'the shards of a new index of files (default: 3)', atLeastOne)
    .option('--opensearch-replicas <number>', 'the copies of each shard (default: 1 if there are two nodes)', integer)
    .option(
      '--json',
      'when ready, print {"url","token","adminToken","pid","state"} on one line, and "publicUrl" with TLS',
    )
    .addHelpText('after', SERVE_HELP)
    .action(async (options: ServeOptions) => {
      const { runThreadedServe } = await import('./threadedServe.ts');
      exit(await runThreadedServe(options, terminal, version));
    });

  withOutputOptions(
    program
      .command('export')
      .description('print the facts of the local server as a data file, or save those of a service by day')
      .option(...SERVER_STATE)
      .addOption(
        new Option(
          '--data <file>',
          'the data file that the server is started with; only needed when no server runs',
        ).conflicts(SIMULATION),
      )
      .option('--seed <number>', 'the seed of the simulated organization; only needed when no server runs', integer)
      .option('--users <number>', 'the number of people in the simulated organization', integer)
      .option('--plan <plan>', 'the billing plan of the simulated organization, credits or usd'),
  )
    .addOption(
      new Option(
        '--facts <dir>',
        'save every row of the analytics service in this folder, a file for each day',
      ).conflicts(['data', ...SIMULATION, 'output']),
    )
    .addOption(new Option('--format <format>', 'format of those files').choices(FACT_FORMATS).default('ndjson'))
    .option('--since <date>', 'first day of --facts, YYYY-MM-DD (default: 28 days)')
    .option('--to <date>', 'last day of --facts (default: the newest finished one)')
    .option('--url <url>', 'URL of the service of --facts (default: SEXTANT_ANALYTICS_URL, or the local server)')
    .addOption(new Option('--org <name>', 'organization of sextant orgs, instead of a URL').conflicts('url'))
    .option('--refresh', 'write files of --facts again that are there')
    .addHelpText('after', EXPORT_HELP)
    .action(async ({ facts, ...options }: ExportCommandOptions & Partial<FactsOptions>) => {
      if (facts !== undefined) {
        const { runFacts } = await import('../analytics/facts.ts');
        exit(await runFacts({ format: 'ndjson', ...options, facts }, terminal));
        return;
      }
      const alone = FOR_FACTS.find((name) => options[name] !== undefined);
      if (alone !== undefined)
        throw new SextantError(
          'InvalidOption',
          `--${alone} is for --facts DIR, which saves the rows of a service. Add that; without it the local server's data is printed.`,
        );
      const { runExport } = await import('../analytics/export.ts');
      exit(await runExport(options, terminal));
    });
}

/** All of a body is in memory while it is stored. */
function bodyLimit(text: string): number {
  const bytes = atLeastOne(text);
  if (bytes > MAX_BODY_LIMIT) throw new InvalidArgumentError(`It must be at most ${MAX_BODY_LIMIT}.`);
  return bytes;
}

function portNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('It must be a whole number from 0, which is any free port, to 65535.');
  return Number(text);
}
