import { Option, type Command } from 'commander';
import { languageTable, dayTable, personTable, roundedPrice } from '../../analytics/reports/tables.ts';
import { describeDays, qualityOf, type Quality } from '../../analytics/reports/report.ts';
import { peopleReport, usageReport, type UsageReport } from '../../analytics/reports/usageReport.ts';
import { tableCsv } from '../../analytics/reports/csv.ts';
import { formatCell, formatGrowth, formatPrice, formatShare, type Table } from '../../analytics/reports/table.ts';
import { costPerUse, costReport, type CostReport } from '../../analytics/reports/costReport.ts';
import { formatDecimal, type Decimal } from '../../base/decimal.ts';
import { formatCount, formatThings } from '../../base/format.ts';
import {
  CONNECTION_HELP,
  EXIT_CODES,
  describeAge,
  loading,
  openData,
  printTable,
  readCompared,
  readRange,
  warnOfQuality,
  withAnalyticsOptions,
  withRangeOptions,
  type RangeOptions,
} from './analytics.ts';
import { groupReport, groupTable } from '../../analytics/groups/groupReport.ts';
import { readGrouping, withGroupOptions } from './grouping.ts';
import { runAttention, type AttentionOptions } from './attention.ts';
import { ExitCode, formatRows, printJson, type Output, type Terminal } from '../terminal.ts';

const DIMENSIONS = ['day', 'person', 'language', 'editor'] as const;

interface UsageOptions extends AttentionOptions, RangeOptions {
  readonly attention?: true;
}

const HELP = `${CONNECTION_HELP}

Examples:
  sextant usage
  sextant usage --days 30 --by person --csv > people.csv
  sextant usage --by language --from 2026-11-01 --to 2026-11-20
  sextant usage --json | jq .acceptance
  sextant usage --days 30 --by team --groups teams.csv
  sextant usage --by person --group team=Search
  sextant usage --attention
  sextant usage --attention --roster seats.csv
  sextant usage --attention --by team
  sextant usage --attention --group team=Search

${EXIT_CODES}`;

export function addUsageCommand(program: Command, terminal: Terminal, exit: (code: ExitCode) => void): void {
  const command = program.command('usage').description('show who uses the product, how much, and for what');
  withGroupOptions(withAnalyticsOptions(withRangeOptions(command)), DIMENSIONS)
    .addOption(
      new Option('--attention', 'what needs attention: limits, unusual spending, people who stopped').conflicts([
        ...['csv', 'days', 'from', 'to'],
      ]),
    )
    .addOption(
      new Option('--roster <file>', 'CSV file of seats, to find those never active').implies({ attention: true }),
    )
    .addHelpText('after', HELP)
    .action(async (options: UsageOptions) =>
      exit(await (options.attention ? runAttention(options, terminal) : runUsage(options, terminal))),
    );
}

/** `sextant usage` */
async function runUsage(options: UsageOptions, terminal: Terminal): Promise<ExitCode> {
  const grouping = await readGrouping(options, DIMENSIONS);
  const whole = await openData(options, terminal);
  const data = grouping?.within(whole) ?? whole;
  const range = readRange(options, data);
  const before = readCompared(options, range);
  const { load, done } = loading(options, terminal);
  const about = (what: string, { asOf }: Quality): string => `${what}, ${describeDays(range)}, ${describeAge(asOf)}`;
  const show = async (what: string, table: Table, quality: Quality): Promise<ExitCode> => {
    done();
    warnOfQuality(quality, terminal);
    await printTable(table, about(what, quality), options, terminal);
    return table.rows.length > 0 ? ExitCode.ok : ExitCode.nothingFound;
  };
  switch (options.by) {
    case 'person': {
      const report = await peopleReport(data, range, load);
      const who = report.distinct === undefined ? 'person' : formatThings(report.distinct, 'person', 'people');
      return show(`Use by ${who}`, personTable(report), report);
    }
    case 'language':
    case 'editor': {
      const loaded = await data.languages(range, load);
      return show(`Use by ${options.by}`, languageTable(loaded.rows, options.by), qualityOf(loaded));
    }
    case 'day': {
      if (data !== whole) await whole.activeAccounts(range, load);
      const report = await usageReport(data, range, { ...load, before });
      return show('Use by day', dayTable(report), report);
    }
    default: {
      if (grouping?.column !== undefined) {
        const report = await groupReport(data, range, grouping.groups, grouping.column, load);
        return show(`Use by ${grouping.column}`, groupTable(report), report);
      }
      const report = await usageReport(data, range, { ...load, before });
      if (options.csv) {
        done();
        warnOfQuality(report, terminal);
        terminal.stdout.write(await tableCsv(dayTable(report)));
      } else {
        const { distinct } = await peopleReport(data, range, load);
        const cost = await costReport(data, range, { ...load, before });
        done();
        warnOfQuality(report, terminal);
        const per = costPerUse(report, cost, distinct);
        if (options.json) printJson(summaryJson(report, distinct, cost, per), terminal);
        else terminal.stdout.write(`${about('Use', report)}\n${summary(report, distinct, cost, per, terminal.stdout)}`);
      }
      return Math.max(report.daysKnown.active, report.daysKnown.metrics) > 0 ? ExitCode.ok : ExitCode.nothingFound;
    }
  }
}

type PerUse = ReturnType<typeof costPerUse>;

function summary(
  report: UsageReport,
  distinct: number | undefined,
  { unit }: CostReport,
  per: PerUse,
  stdout: Output,
): string {
  const { latest, meanActive, metrics, growth, unusual } = report;
  const { bySuggestions, byLines } = report.acceptance;
  const since = (change: number | undefined): string =>
    change === undefined ? '' : ` (${formatGrowth(change)} since the previous period)`;
  const mean = formatCell(meanActive, { kind: 'count' });
  const count = (field: 'total_messages' | 'total_modified_lines_of_code'): string =>
    formatCell(metrics?.[field], { kind: 'count' });
  return formatRows(
    [
      ['People', `${formatCell(distinct, { kind: 'count' })} different`],
      [
        'A day',
        `${mean} active on average${since(growth.meanActive)}${latest ? `, ${formatCount(latest.active)} on ${latest.date}` : ''}`,
      ],
      ['Messages', `${count('total_messages')}${since(growth.messages)}`],
      ['Lines', `${count('total_modified_lines_of_code')} modified`],
      [
        'Completions',
        `${formatShare(bySuggestions)} of suggestions accepted, ${formatShare(byLines)} of suggested lines`,
      ],
      ...(per
        ? [
            [
              unit === 'usd' ? 'Dollars' : 'Credits',
              `${formatPrice(per.people, unit)} a person, ${formatPrice(per.messages, unit)} a message, ${formatPrice(per.lines, unit)} an accepted line`,
            ] as const,
          ]
        : []),
      ...(unusual.length > 0
        ? [['Unusual', `${unusual.join(', ')}: unusually many or few people for such days`] as const]
        : []),
    ],
    stdout,
  );
}

// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- JsonOutput has this type
export function summaryJson(
  report: UsageReport,
  distinct: number | undefined,
  { unit, total }: CostReport,
  per: PerUse,
) {
  const exact = (amount: Decimal | undefined): string | null => (amount === undefined ? null : formatDecimal(amount));
  const { range, asOf, days, latest, meanActive, metrics, acceptance, growth, unusual } = report;
  return {
    range: describeDays(range),
    as_of: asOf ?? null,
    distinct_people: distinct ?? null,
    mean_daily_active: meanActive ?? null,
    latest: latest ?? null,
    acceptance: { by_suggestions: acceptance.bySuggestions ?? null, by_lines: acceptance.byLines ?? null },
    growth: { mean_daily_active: growth.meanActive ?? null, messages: growth.messages ?? null },
    unusual_days: unusual,
    spending: {
      unit,
      total: exact(total),
      per_person: exact(roundedPrice(per?.people)),
      per_message: exact(roundedPrice(per?.messages)),
      per_accepted_line: exact(roundedPrice(per?.lines)),
    },
    metrics: metrics ?? null,
    days,
  };
}
