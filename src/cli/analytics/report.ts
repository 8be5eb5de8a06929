import { Option, type Command } from 'commander';
import { Readable } from 'node:stream';
import { withoutDoubles } from '../../analytics/client/account.ts';
import { OrganizationFile } from '../../analytics/client/organizationFile.ts';
import { reportDocument, type ReportDocument } from '../../analytics/document/document.ts';
import { documentJson, formatCsv, formatMarkdown } from '../../analytics/document/formats.ts';
import { formatHtml } from '../../analytics/document/html.ts';
import { joinDocuments } from '../../analytics/document/organizations.ts';
import type { DayRange } from '../../analytics/dateRules.ts';
import { describeGroup, limitsOf } from '../../analytics/groups/groupLimits.ts';
import { previousRange, sameDaysBefore } from '../../analytics/insights/compare.ts';
import { firstOfMonth } from '../../base/day.ts';
import { SextantError } from '../../base/errors.ts';
import { ExitCode, type Terminal } from '../terminal.ts';
import { requireNewOutput, withOutputOptions, writeWhole, type OutputOptions } from '../writeWhole.ts';
import { GROUP_OPTION, GROUPS_OPTION, readGroupFiles, readGrouping } from './grouping.ts';
import {
  CONNECTION_HELP,
  loading,
  openData,
  percent,
  readCompared,
  readRange,
  warnOfQuality,
  withRangeOptions,
  withServiceOptions,
  type AnalyticsOptions,
  type RangeOptions,
} from './analytics.ts';

const FORMATS = ['md', 'html', 'json', 'csv'] as const;

interface ReportOptions extends Omit<AnalyticsOptions, 'json' | 'csv'>, RangeOptions, OutputOptions {
  readonly since?: string;
  readonly format: (typeof FORMATS)[number];
  readonly groups?: string;
  /** `column=value` */
  readonly group?: string;
  readonly compare?: 'month' | 'previous';
  readonly failOver?: number;
  readonly failUnusual?: true;
  readonly allOrgs?: true;
}

const HELP = `
With a group file (--groups, or sextant-groups.csv in this folder), the report has a part for each of its columns. An HTML report is
one page with pictures that needs no script and no network; with --format md it can be a comment or a message. With --all-orgs, it has the
sums over the organizations of sextant orgs, and then the parts of each.
${CONNECTION_HELP}

Examples:
  sextant report --since 2026-11-01 --compare month --format html --output report.html
  sextant report --days 7 --groups teams.csv > report.md
  sextant report --days 7 --groups teams.csv --group team=Search
  sextant report --fail-over 100 --fail-unusual --format json | jq .sections
  sextant report --all-orgs --format html --output all.html

Exit codes: 0 done, 1 a limit is used by --fail-over percent or spending is unusual with --fail-unusual, 2 failed or wrong usage,
130 interrupted.`;

/** `sextant report` */
export function addReportCommand(program: Command, terminal: Terminal, exit: (code: ExitCode) => void): void {
  const command = program.command('report').description('write a report of usage, cost, limits and teams');
  withOutputOptions(withServiceOptions(withRangeOptions(command)))
    .addOption(new Option('--since <date>', 'first day, as --from').conflicts(['days', 'from']))
    .addOption(new Option('--all-orgs', 'one report over all organizations of sextant orgs').conflicts(['url', 'org']))
    .addOption(new Option('--format <format>', 'format of the report').choices(FORMATS).default('md'))
    .option(...GROUPS_OPTION)
    .option(...GROUP_OPTION)
    .addOption(
      new Option('--compare <period>', 'compare with the previous days, or the same days of the month before')
        .choices(['previous', 'month'])
        .conflicts('against'),
    )
    .addOption(
      new Option('--fail-over <percent>', 'exit with 1 if an account or a group uses so much of its limit').argParser(
        percent,
      ),
    )
    .option('--fail-unusual', 'exit with 1 if spending of the last week is unusual')
    .addHelpText('after', HELP)
    .action(async (options: ReportOptions) => exit(await runReport(options, terminal)));
}

async function runReport(options: ReportOptions, terminal: Terminal): Promise<ExitCode> {
  requireNewOutput(options);
  const { groups, limits: all } = await readGroupFiles(options.groups);
  const grouping = await readGrouping(options, []);
  const chosen = grouping?.chosen;
  const limits = limitsOf(all, chosen);
  const { load, done } = loading(options, terminal);
  const documentOf = async (of: ReportOptions): Promise<ReportDocument> => {
    const whole = await openData(of, terminal);
    const data = grouping?.within(whole) ?? whole;
    const range = readRange(options, data);
    const document = await reportDocument(data, range, { ...load, before: comparedOf(options, range), groups, limits });
    return chosen ? { ...document, title: `${document.title} of ${describeGroup(chosen)}` } : document;
  };
  const document = options.allOrgs ? await ofAll(options, terminal, documentOf) : await documentOf(options);
  done();
  warnOfQuality(document, terminal);
  await writeWhole(Readable.from([await written(document, options.format)]), options, terminal);
  const isOver = options.failOver !== undefined && document.mostUsed * 100 >= options.failOver;
  const isUnusual = options.failUnusual === true && document.unusual > 0;
  if (isOver) terminal.stderr.write(`sextant: A limit is used by ${options.failOver} % or more.\n`);
  if (isUnusual) terminal.stderr.write('sextant: Spending of the last week is unusual.\n');
  return isOver || isUnusual ? ExitCode.nothingFound : ExitCode.ok;
}

/** Each organization is another service with its own request budget, so all load at once. */
async function ofAll(
  options: ReportOptions,
  { stderr }: Terminal,
  documentOf: (of: ReportOptions) => Promise<ReportDocument>,
): Promise<ReportDocument> {
  const file = new OrganizationFile(options.state);
  const all = file.read().map(({ name }) => ({ name, connection: file.connection(name, process.env) }));
  if (all.length === 0)
    throw new SextantError('NoOrganization', 'There is no organization. Add one: sextant orgs add NAME URL.');
  const different = withoutDoubles(all, ({ name }, earlier) =>
    stderr.write(`sextant: ${name} has the address and token of ${earlier.name}, and is left out.\n`),
  );
  const parts = different.map(async ({ name }) => ({ name, document: await documentOf({ ...options, org: name }) }));
  return joinDocuments(await Promise.all(parts));
}

function comparedOf(options: ReportOptions, range: DayRange): DayRange {
  if (options.compare !== 'month') return readCompared(options, range) ?? previousRange(range);
  if (range.first === firstOfMonth(range.first)) return sameDaysBefore(range);
  throw new SextantError('BadRange', 'A month is compared from its first day. Choose --since the first of a month.');
}

async function written(document: ReportDocument, format: ReportOptions['format']): Promise<string> {
  switch (format) {
    case 'md':
      return formatMarkdown(document);
    case 'html':
      return formatHtml(document);
    case 'json':
      return `${JSON.stringify(documentJson(document), undefined, 2)}\n`;
    case 'csv':
      return formatCsv(document);
  }
}
