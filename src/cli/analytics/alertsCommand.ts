import { InvalidArgumentError, Option, type Command } from 'commander';
import { ALERT_KINDS } from '../../analytics/alerts/alertEvents.ts';
import { DESTINATION_KINDS, SUBJECT_KINDS } from '../../analytics/alerts/destination.ts';
import { positiveInteger } from '../arguments.ts';
import type { ExitCode, Terminal } from '../terminal.ts';
import type { AddOptions, AlertsOptions, LogOptions, RunOptions, TestOptions } from './alerts.ts';
import { CONNECTION_HELP, withServiceOptions } from './analytics.ts';
import { GROUPS_OPTION } from './grouping.ts';

const ADD_HELP = `
The URL is read from the standard input, or typed without being shown: it is a secret, and arguments can be seen by others. It is
kept in a file that only you may read. Nothing is sent before sextant alerts test or run.
The form of a message is that of the URL's owner: Slack (incoming webhook), Microsoft Teams (a workflow's webhook), else JSON.
Alerts are about accounts over or near (90 %) their limit or projected over it, unusual spending, and accounts that stopped.

Examples:
  sextant alerts add ops < slack-url.txt
  sextant alerts add search --group team=Search --quiet 20:00-07:00 --time-zone Europe/Berlin < teams-url.txt
  sextant alerts add audit --on over,unusual --kind json < url.txt

Exit codes: 0 done, 2 failed or wrong usage, 130 interrupted.`;

const LIST_HELP = `
Examples:
  sextant alerts list

Exit codes: 0 done, 1 there is none, 2 failed or wrong usage, 130 interrupted.`;

const REMOVE_HELP = `
Examples:
  sextant alerts remove ops

Exit codes: 0 done, 1 there is none with that name, 2 failed or wrong usage, 130 interrupted.`;

const TEST_HELP = `
The message is shown and needs a confirmation, or --yes, which is required without a terminal.

Examples:
  sextant alerts test ops --yes

Exit codes: 0 the receiver accepted it, 1 it did not, 2 failed, wrong usage or not confirmed, 130 interrupted.`;

const PREVIEW_HELP = `${CONNECTION_HELP}

Examples:
  sextant alerts preview

Exit codes: 0 done, 1 nothing is new, 2 failed or wrong usage, 130 interrupted.`;

const RUN_HELP = `
Each event is sent once to each destination: a limit's once a month, unusual spending once for its first day, an account that
stopped once. Windows, commands and machines with the same state folder and token share the journal. A message that could not
be sent is tried again by the next run, for 24 hours; one whose answer was lost is sent again with the same id.
A URL in SEXTANT_ALERTS_URL is a further destination, for all alerts.
${CONNECTION_HELP}

Examples:
  sextant alerts run
  sextant alerts run --every 15m --groups /etc/sextant/groups.csv
  */15 * * * *  sextant alerts run    (a line of a crontab)

Exit codes: 0 all is sent, held for quiet hours, or nothing is new, 1 a message is not delivered yet or was given up, 2 failed or
wrong usage, 130 interrupted.`;

const LOG_HELP = `${CONNECTION_HELP}

Examples:
  sextant alerts log --limit 5

Exit codes: 0 done, 1 it is empty, 2 failed or wrong usage, 130 interrupted.`;

/** Adds `alerts …`; its module is loaded when it runs. */
export function addAlertsCommand(program: Command, terminal: Terminal, exit: (code: ExitCode) => void): void {
  const alerts = program.command('alerts').description('send alerts to Slack, Microsoft Teams or a webhook');
  const load = () => import('./alerts.ts');
  const kept = (name: string, description: string): Command =>
    alerts
      .command(name)
      .description(description)
      .option('--state <dir>', "folder of destinations and journals, instead of the user's data folder")
      .option('--json', 'print JSON');
  kept('add <name>', 'add a destination, whose URL is read from the standard input')
    .addOption(new Option('--kind <kind>', 'form of a message; default: that of the URL').choices(DESTINATION_KINDS))
    .addOption(new Option('--on <kinds>', `what to report, of ${ALERT_KINDS.join(',')}`).argParser(some(ALERT_KINDS)))
    .addOption(
      new Option('--for <subjects>', `whom to report, of ${SUBJECT_KINDS.join(',')}`).argParser(some(SUBJECT_KINDS)),
    )
    .option('--group <column=value>', 'only this group of the group file, and its accounts')
    .option('--quiet <hours>', 'hold messages in these hours, such as 20:00-07:00, and send them after')
    .option('--time-zone <name>', 'time zone of these hours; default: that of this machine')
    .addHelpText('after', ADD_HELP)
    .action(async (name: string, options: AddOptions) => exit(await (await load()).runAdd(name, options, terminal)));
  kept('list', 'list the destinations, without their secrets')
    .addHelpText('after', LIST_HELP)
    .action(async (options: AlertsOptions) => exit((await load()).runList(options, terminal)));
  kept('remove <name>', 'remove a destination')
    .addHelpText('after', REMOVE_HELP)
    .action(async (name: string, options: AlertsOptions) =>
      exit(await (await load()).runRemove(name, options, terminal)),
    );
  kept('test <name>', 'show a message with invented figures, and send it')
    .option('-y, --yes', 'send it without a confirmation')
    .addHelpText('after', TEST_HELP)
    .action(async (name: string, options: TestOptions) => exit(await (await load()).runTest(name, options, terminal)));
  const preview = alerts.command('preview').description('show the messages that a run would send, and send none');
  withServiceOptions(preview)
    .option(...GROUPS_OPTION)
    .option('--json', 'print JSON')
    .addHelpText('after', PREVIEW_HELP)
    .action(async (options: RunOptions) => exit(await (await load()).runPreview(options, terminal)));
  const run = alerts.command('run').description('send what is new, once or at intervals');
  withServiceOptions(run)
    .option(...GROUPS_OPTION)
    .addOption(new Option('--once', 'send once and end (the default)').conflicts('every'))
    .addOption(new Option('--every <interval>', 'look again after minutes or hours: 15m, 1h').argParser(interval))
    .option('--json', 'print JSON, a line for each run')
    .addHelpText('after', RUN_HELP)
    .action(async (options: RunOptions) => exit(await (await load()).runAlerts(options, terminal)));
  const log = alerts.command('log').description('list the messages of the journal, the newest first');
  withServiceOptions(log)
    .addOption(new Option('--limit <number>', 'most messages').argParser(positiveInteger).default(20))
    .option('--json', 'print JSON')
    .addHelpText('after', LOG_HELP)
    .action(async (options: LogOptions) => exit(await (await load()).runLog(options, terminal)));
}

/** Parses names of a list, separated by commas. */
function some<T extends string>(choices: readonly T[]): (text: string) => T[] {
  return (text) => {
    const names = text.split(',').map((name) => name.trim());
    const unknown = names.find((name) => !(choices as readonly string[]).includes(name));
    if (unknown !== undefined) throw new InvalidArgumentError(`Allowed are ${choices.join(', ')}.`);
    return choices.filter((choice) => names.includes(choice));
  };
}

const UNIT_MS = { m: 60_000, h: 3_600_000 } as const;

/** Milliseconds of `15m` or `1h`. */
function interval(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,3})([mh])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('It is written as 15m or 1h.');
  return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}
