import { InvalidArgumentError, Option, type Command } from 'commander';
import { integer } from '../arguments.ts';
import type { ExitCode, Terminal } from '../terminal.ts';
import { CONNECTION_HELP, withServiceOptions } from './analytics.ts';
import { GROUPS_OPTION } from './grouping.ts';
import type { MetricsOptions } from './metrics.ts';

const DEFAULT_PORT = 9465;
const DEFAULT_ACCOUNTS = 100;
const MOST_ACCOUNTS = 1000;

const HELP = `
Spending, credits, active accounts, budgets and counts of what needs attention, as OpenMetrics text. The highest accounts are
named, and all others are summed as "other". With a group file or sextant-budgets.csv, limits of groups are in them. With --accounts 0, no name is in them. A figure that is not known is left out.
${CONNECTION_HELP}

With --listen, figures are loaded every 15 minutes, and a scrape sends no request to the service. It answers programs of this
machine only.

Examples:
  sextant metrics --once
  sextant metrics --once --accounts 0 > /var/lib/node_exporter/textfile/sextant.prom
  sextant metrics --listen --port ${DEFAULT_PORT}

Exit codes: 0 done or stopped, 2 failed or wrong usage, 130 interrupted.`;

/** Adds `metrics`; its module is loaded when it runs. */
export function addMetricsCommand(program: Command, terminal: Terminal, exit: (code: ExitCode) => void): void {
  const metrics = program
    .command('metrics')
    .description('print figures for Prometheus, or serve them to it')
    .addOption(new Option('--once', 'print the figures').conflicts(['listen']))
    .option('--listen', 'serve the figures at http://127.0.0.1/metrics until Ctrl-C')
    .addOption(new Option('--port <number>', 'the port; 0 is any free one').argParser(port).default(DEFAULT_PORT))
    .addOption(
      new Option('--accounts <number>', `accounts to name, at most ${MOST_ACCOUNTS}`)
        .argParser(accounts)
        .default(DEFAULT_ACCOUNTS),
    );
  withServiceOptions(metrics)
    .option(...GROUPS_OPTION)
    .addHelpText('after', HELP)
    .action(async (options: MetricsOptions) => {
      exit(await (await import('./metrics.ts')).runMetrics(options, terminal));
    });
}

function port(text: string): number {
  const number = integer(text);
  if (number > 65_535) throw new InvalidArgumentError('It must be at most 65535.');
  return number;
}

function accounts(text: string): number {
  const number = integer(text);
  if (number > MOST_ACCOUNTS) throw new InvalidArgumentError(`It must be at most ${MOST_ACCOUNTS}.`);
  return number;
}
