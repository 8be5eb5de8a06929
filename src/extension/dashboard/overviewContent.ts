import * as l10n from '@vscode/l10n';
import { movingMean, extent, TREND_DAYS } from '../../analytics/insights/trend.ts';
import { KIND_FIELDS, KINDS } from '../../analytics/insights/people.ts';
import type { CostReport } from '../../analytics/reports/costReport.ts';
import { formatCell, formatGrowth, formatShare } from '../../analytics/reports/table.ts';
import { dayTable } from '../../analytics/reports/tables.ts';
import type { PeopleReport, UsageReport } from '../../analytics/reports/usageReport.ts';
import { formatCount } from '../../base/format.ts';
import type { Content, Look } from './content.ts';
import { amountText, tile, timeFigure, type Figure } from './figures.ts';
import { moverFigure } from './spendingContent.ts';

export interface OverviewReports {
  readonly usage: UsageReport | undefined;
  readonly cost: CostReport | undefined;
  readonly people: PeopleReport | undefined;
  /** Whether the number of people is still to come. */
  readonly arePeopleComing: boolean;
}

/** What happened, what it cost, and what changed: the first that a team lead sees. */
export function overviewContent(reports: OverviewReports, look: Look): Content {
  const { usage, cost } = reports;
  const isEmpty = usage?.metrics.total_messages === 0 && usage.days.every(({ active }) => active === 0);
  return {
    tiles: [...(usage ? usageTiles(usage, reports, look) : []), ...(cost ? costTiles(cost, look) : [])],
    figures: isEmpty
      ? []
      : [
          ...(usage ? [activeFigure(usage, look), kindFigure(usage), acceptedFigure(usage)] : []),
          ...(cost && look.choices.compare && cost.movers.length > 0 ? [moverFigure(cost)] : []),
        ],
    table: () => usage && dayTable(usage),
    empty: isEmpty
      ? {
          title: l10n.t('Nobody used it on these days'),
          message: l10n.t('A day is complete at about 02:00 UTC of the next one. Choose other days above.'),
        }
      : null,
  };
}

function usageTiles(
  usage: UsageReport,
  { people, arePeopleComing }: OverviewReports,
  { choices }: Look,
): Content['tiles'] {
  const { latest, meanActive, metrics, acceptance, growth } = usage;
  const before = (value: number | undefined): string =>
    choices.compare && value !== undefined ? l10n.t('{0} from the days before', formatGrowth(value)) : '';
  return [
    tile('active', l10n.t('Active'), latest ? formatCount(latest.active) : '–', l10n.t('People and service accounts that used the product on that day of UTC.'), { note: latest ? l10n.t('on {0}', latest.date) : '' }),
    tile('mean', l10n.t('Active a day'), formatCell(meanActive, { kind: 'count' }), l10n.t('The mean of active people over the days, those without anybody included.'), { note: before(growth.meanActive) }),
    tile('distinct', l10n.t('Different people'), people ? formatCount(people.distinct) : arePeopleComing ? '…' : '–', l10n.t('People and service accounts over all the days, each counted once; never the sum of days.'), { note: people ? '' : arePeopleComing ? l10n.t('being counted') : l10n.t('not known') }),
    tile('messages', l10n.t('Messages'), formatCount(metrics.total_messages), l10n.t('Messages of all kinds: chat, agents in the editor and on the command line.'), { note: before(growth.messages) }),
    tile('accepted', l10n.t('Suggestions accepted'), formatShare(acceptance.bySuggestions), l10n.t('Completions accepted, of those suggested. Where nothing was suggested it is –.'), { note: l10n.t('{0} of {1}', formatCount(metrics.completions_accepted), formatCount(metrics.completions_count)) }),
    tile('acceptedLines', l10n.t('Lines accepted'), formatShare(acceptance.byLines), l10n.t('Lines taken from completions, of the lines suggested. Where nothing was suggested it is –.'), { note: l10n.t('{0} of {1}', formatCount(metrics.completions_lines_of_code), formatCount(metrics.completions_suggested_lines_of_code)) }),
  ]; // prettier-ignore
}

function costTiles({ unit, total, growth, month }: CostReport, { choices }: Look): Content['tiles'] {
  const isUsd = unit === 'usd';
  return [
    tile(
      'spent',
      isUsd ? l10n.t('Billed') : l10n.t('Credits'),
      amountText(total, unit),
      isUsd ? l10n.t('Dollars billed for these days.') : l10n.t('Credits consumed on these days.'),
      {
        note: choices.compare && growth !== undefined ? l10n.t('{0} from the days before', formatGrowth(growth)) : '',
      },
    ),
    tile(
      'projected',
      l10n.t('Month {0}', month.month),
      amountText(month.spent, unit),
      l10n.t('What was spent this month; and what it comes to if it goes on so, rounded down, from three days on.'),
      {
        note:
          month.projected === undefined
            ? l10n.t('too early to say where it leads')
            : l10n.t('about {0} at its end', amountText(month.projected, unit)),
      },
    ),
  ];
}

function activeFigure({ days, unusual, before }: UsageReport, { choices }: Look): Figure {
  const active = days.map((day) => day.active);
  const ends = extent(active);
  const summary = ends
    ? l10n.t(
        'From {0} on {1} to {2} on {3}.',
        formatCount(active[ends.least]!),
        days[ends.least]!.date,
        formatCount(active[ends.most]!),
        days[ends.most]!.date,
      )
    : '';
  const odd = unusual.length === 0 ? '' : ` ${l10n.t('Out of the ordinary: {0}.', unusual.join(', '))}`;
  const compared = choices.compare && before?.length === days.length;
  return timeFigure(
    {
      id: 'active',
      title: l10n.t('Active people'),
      about: l10n.t(
        'People and service accounts that used the product on a day of UTC. The trend is the mean of a day and the six before. Marked days are far from what is usual on such days (modified z-score over 3.5).',
      ),
      summary: `${summary}${odd}`,
    },
    'lines',
    'count',
    days.map(({ date }) => date),
    [
      { id: 'active', name: l10n.t('Active'), role: 'value', cells: active },
      ...(active.length > TREND_DAYS
        ? [{ id: 'trend', name: l10n.t('Trend, 7 days'), role: 'trend', cells: movingMean(active) } as const]
        : []),
      ...(compared ? [{ id: 'before', name: l10n.t('Before'), role: 'before', cells: before } as const] : []),
    ],
    days.flatMap(({ date }, i) => (unusual.includes(date) ? [i] : [])),
  );
}

function kindFigure({ days, metrics }: UsageReport): Figure {
  const fields = KIND_FIELDS.filter((field) => metrics[field] > 0);
  const [most] = [...fields].sort((a, b) => metrics[b] - metrics[a]);
  return timeFigure(
    {
      id: 'kinds',
      title: l10n.t('Use by kind'),
      about: l10n.t('Messages of each kind, and completions that were accepted, day by day.'),
      summary:
        most === undefined
          ? l10n.t('Nothing.')
          : l10n.t('Most of it: {0}, {1}.', KINDS[most], formatCount(metrics[most])),
    },
    'stack',
    'count',
    days.map(({ date }) => date),
    fields.map((field) => ({
      id: field,
      name: KINDS[field],
      role: 'value',
      cells: days.map(({ metrics }) => metrics?.[field] ?? 0),
    })),
  );
}

function acceptedFigure({ days, metrics, acceptance }: UsageReport): Figure {
  return timeFigure(
    {
      id: 'accepted',
      title: l10n.t('Suggested and accepted'),
      about: l10n.t('Completions that were suggested on a day, and those of them that were accepted.'),
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
        cells: days.map(({ metrics }) => metrics?.completions_accepted ?? 0),
      },
      {
        id: 'completions_count',
        name: l10n.t('Suggested'),
        role: 'limit',
        cells: days.map(({ metrics }) => metrics?.completions_count ?? 0),
      },
    ],
  );
}
