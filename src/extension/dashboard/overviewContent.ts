import * as l10n from '@vscode/l10n';
import type { MetricField, Metrics } from '../../analytics/contract.ts';
import { movingMean, extent, TREND_DAYS } from '../../analytics/insights/trend.ts';
import { FEWEST_DAYS } from '../../analytics/insights/forecast.ts';
import { KIND_FIELDS, MESSAGE_KINDS } from '../../analytics/insights/people.ts';
import { costPerUse, type CostReport } from '../../analytics/reports/costReport.ts';
import { formatCell, formatGrowth, formatPrice, formatShare } from '../../analytics/reports/table.ts';
import { dayTable } from '../../analytics/reports/tables.ts';
import type { PeopleReport, UsageReport } from '../../analytics/reports/usageReport.ts';
import { isWeekend, parseDay } from '../../base/day.ts';
import { formatCount } from '../../base/format.ts';
import type { Content, ViewOptions } from './content.ts';
import { amountText, forecastRange, knownNote, tile, timeFigure, type Figure } from './figures.ts';
import { serviceAccountNote } from './peopleContent.ts';
import { growthNote } from './spendingContent.ts';
import { moverFigure } from './spendingFigures.ts';

export interface OverviewReports {
  readonly usage: UsageReport | undefined;
  readonly cost: CostReport | undefined;
  readonly people: PeopleReport | undefined;
  /** Whether the people are still loading. */
  readonly arePeopleComing: boolean;
}

/** Use, cost and the largest changes: the first page of a team lead. */
export function overviewContent(reports: OverviewReports, options: ViewOptions): Content {
  const { usage, cost } = reports;
  const isEmpty = usage?.metrics?.total_messages === 0 && usage.days.every(({ active }) => active === 0);
  return {
    tiles: [
      ...(usage ? usageTiles(usage, reports, options) : []),
      ...(cost ? [...costTiles(cost, options), ...perUseTile(reports, cost)] : []),
    ],
    figures: isEmpty
      ? []
      : [
          ...(usage && usage.daysKnown.active > 0 ? [activeFigure(usage, options)] : []),
          ...(usage?.metrics && usage.isDaily
            ? [kindFigure(usage, usage.metrics), acceptedFigure(usage, usage.metrics)]
            : []),
          ...(cost && options.choices.compare && cost.movers.length > 0 ? [moverFigure(cost)] : []),
        ],
    table: () => usage && dayTable(usage),
    empty: isEmpty
      ? {
          title: l10n.t('No use on these days'),
          message: l10n.t('A day is complete at about 02:00 UTC of the next one. Choose other days above.'),
        }
      : null,
  };
}

function usageTiles(
  usage: UsageReport,
  { people, arePeopleComing }: OverviewReports,
  { choices }: ViewOptions,
): Content['tiles'] {
  const { latest, meanActive, metrics, acceptance, growth, days, daysKnown } = usage;
  const note = (known: number, text: string): string => (known < days.length ? knownNote(known, days.length) : text);
  const before = (known: number, value: number | undefined): string =>
    note(
      known,
      choices.compare && value !== undefined ? l10n.t('{0} since the previous period', formatGrowth(value)) : '',
    );
  const count = people?.distinct;
  const partOf = (part: MetricField, whole: MetricField): string =>
    note(
      daysKnown.metrics,
      metrics ? l10n.t('{0} of {1}', formatCount(metrics[part]), formatCount(metrics[whole])) : '',
    );
  return [
    tile(
      'active',
      l10n.t('Active'),
      latest ? formatCount(latest.active) : '–',
      l10n.t('People and service accounts that used the product on that day (UTC).'),
      { note: latest ? latestNote(usage, latest) : l10n.t('unknown') },
    ),
    tile(
      'mean',
      l10n.t('Average a day'),
      formatCell(meanActive, { kind: 'count' }),
      l10n.t('Mean number of active people a day, days without use included.'),
      { note: before(daysKnown.active, growth.meanActive) },
    ),
    tile(
      'distinct',
      l10n.t('Different people'),
      count !== undefined ? formatCount(count) : arePeopleComing ? '…' : '–',
      l10n.t('People and service accounts over all days, each counted once.'),
      {
        note:
          people && count !== undefined
            ? serviceAccountNote(people)
            : people
              ? l10n.t('{0} so far', formatCount(people.people.length))
              : arePeopleComing
                ? l10n.t('counting')
                : l10n.t('unknown'),
      },
    ),
    tile(
      'messages',
      l10n.t('Messages'),
      formatCell(metrics?.total_messages, { kind: 'count' }),
      l10n.t('Messages in chat and to agents, in the editor and on the command line.'),
      { note: before(daysKnown.metrics, growth.messages) },
    ),
    tile(
      'accepted',
      l10n.t('Suggestions accepted'),
      formatShare(acceptance.bySuggestions),
      l10n.t('Accepted completions as a share of suggested ones; – without suggestions.'),
      { note: partOf('completions_accepted', 'completions_count') },
    ),
    tile(
      'acceptedLines',
      l10n.t('Lines accepted'),
      formatShare(acceptance.byLines),
      l10n.t('Accepted lines of completions as a share of suggested ones; – without suggestions.'),
      { note: partOf('completions_lines_of_code', 'completions_suggested_lines_of_code') },
    ),
  ];
}

function costTiles(report: CostReport, options: ViewOptions): Content['tiles'] {
  const { unit, total, month } = report;
  const isUsd = unit === 'usd';
  return [
    tile(
      'spent',
      isUsd ? l10n.t('Billed') : l10n.t('Credits'),
      amountText(total, unit),
      isUsd ? l10n.t('Dollars billed for these days.') : l10n.t('Credits consumed on these days.'),
      { note: growthNote(report, options) },
    ),
    tile(
      'projected',
      month ? l10n.t('Month {0}', month.month) : l10n.t('This month'),
      amountText(month?.spent, unit),
      l10n.t(
        'Spending this month and what it will be: each day to come as the same weekdays of eight weeks. Four months of five end in the range.',
      ),
      {
        note: !month
          ? l10n.t('unknown')
          : month.projected === undefined
            ? l10n.t('a projection needs {0} days of data', FEWEST_DAYS)
            : [
                l10n.t('about {0} at month’s end ({1})', amountText(month.projected, unit), forecastRange(month, unit)),
                ...(month.lastMonth === undefined ? [] : [l10n.t('last month {0}', amountText(month.lastMonth, unit))]),
              ].join(', '),
      },
    ),
  ];
}

/** The newest day, and for a weekend the last working day before it: its number is no sign of a decrease. */
function latestNote({ days }: UsageReport, latest: NonNullable<UsageReport['latest']>): string {
  const isWorking = ({ date, active }: UsageReport['days'][number]): boolean =>
    active !== undefined && date < latest.date && !isWeekend(parseDay(date)!);
  const before = isWeekend(parseDay(latest.date)!) ? days.findLast(isWorking) : undefined;
  if (before?.active === undefined) return l10n.t('on {0}', latest.date);
  return l10n.t('on {0}, a weekend; {1} on {2}', latest.date, formatCount(before.active), before.date);
}

/** What a person costs, a message and an accepted line; none until the people are counted. */
function perUseTile({ usage, people }: OverviewReports, cost: CostReport): Content['tiles'] {
  const { unit } = cost;
  const per = usage && costPerUse(usage, cost, people?.distinct);
  if (!per) return [];
  return [
    tile(
      'perPerson',
      unit === 'usd' ? l10n.t('Dollars per person') : l10n.t('Credits per person'),
      formatPrice(per.people, unit),
      l10n.t('Spending of these days, divided by different people, by messages, and by accepted lines of completions.'),
      {
        note: l10n.t(
          '{0} a message, {1} an accepted line',
          formatPrice(per.messages, unit),
          formatPrice(per.lines, unit),
        ),
      },
    ),
  ];
}

function activeFigure({ days, unusual, before }: UsageReport, { choices }: ViewOptions): Figure {
  const active = days.map((day) => day.active);
  const known = days.flatMap(({ date, active }) => (active === undefined ? [] : [{ date, active }]));
  const ends = extent(known.map((day) => day.active));
  const [least, most] = ends ? [known[ends.least], known[ends.most]] : [];
  const summary =
    least && least.active === most?.active
      ? l10n.t('{0} on each day.', formatCount(least.active))
      : least && most
        ? l10n.t(
            'From {0} on {1} to {2} on {3}.',
            formatCount(least.active),
            least.date,
            formatCount(most.active),
            most.date,
          )
        : '';
  const odd = unusual.length === 0 ? '' : ` ${l10n.t('Unusual: {0}.', unusual.join(', '))}`;
  const compared = choices.compare && before?.length === days.length;
  return timeFigure(
    {
      id: 'active',
      title: l10n.t('Active people'),
      about: l10n.t(
        'People and service accounts that used the product on a day (UTC). The dashed line is the mean of seven days. Marked days are unusual for a weekday or a weekend day (modified z-score over 3.5).',
      ),
      summary: `${summary}${odd}`,
    },
    'lines',
    'count',
    days.map(({ date }) => date),
    [
      { id: 'active', name: l10n.t('Active'), role: 'value', cells: active },
      ...(known.length > TREND_DAYS && known.length === days.length
        ? [
            {
              id: 'trend',
              name: l10n.t('Average of 7 days'),
              role: 'trend',
              cells: movingMean(known.map((day) => day.active)),
            } as const,
          ]
        : []),
      ...(compared ? [{ id: 'before', name: l10n.t('Previous period'), role: 'before', cells: before } as const] : []),
    ],
    days.flatMap(({ date }, i) => (unusual.includes(date) ? [i] : [])),
  );
}

function kindFigure({ days }: UsageReport, metrics: Metrics): Figure {
  // Completions are no messages, so they are in a chart of their own.
  const fields = KIND_FIELDS.filter((field) => field !== 'completions_accepted' && metrics[field] > 0);
  const [most] = [...fields].sort((a, b) => metrics[b] - metrics[a]);
  return timeFigure(
    {
      id: 'kinds',
      title: l10n.t('Messages by kind'),
      about: l10n.t('Messages of each kind, by day.'),
      summary:
        most === undefined
          ? l10n.t('None.')
          : l10n.t('Most of it: {0}, {1}.', MESSAGE_KINDS[most], formatCount(metrics[most])),
    },
    'stack',
    'count',
    days.map(({ date }) => date),
    fields.map((field) => ({
      id: field,
      name: MESSAGE_KINDS[field],
      role: 'value',
      cells: days.map(({ metrics }) => metrics?.[field]),
    })),
  );
}

function acceptedFigure({ days, acceptance }: UsageReport, metrics: Metrics): Figure {
  return timeFigure(
    {
      id: 'accepted',
      title: l10n.t('Suggested and accepted'),
      about: l10n.t('Suggested completions, and the accepted ones among them, by day.'),
      summary: l10n.t(
        '{0} of {1} suggestions were accepted, {2}; by lines {3}.',
        formatCount(metrics.completions_accepted),
        formatCount(metrics.completions_count),
        formatShare(acceptance.bySuggestions),
        formatShare(acceptance.byLines),
      ),
    },
    'lines',
    'count',
    days.map(({ date }) => date),
    [
      {
        id: 'completions_accepted',
        name: l10n.t('Accepted'),
        role: 'value',
        cells: days.map(({ metrics }) => metrics?.completions_accepted),
      },
      {
        id: 'completions_count',
        name: l10n.t('Suggested'),
        role: 'limit',
        cells: days.map(({ metrics }) => metrics?.completions_count),
      },
    ],
  );
}
