import * as l10n from '@vscode/l10n';
import type { BudgetStatus } from '../../analytics/insights/budgets.ts';
import { costBy, wholeAmount } from '../../analytics/insights/amounts.ts';
import { acceptance, meanOf } from '../../analytics/insights/people.ts';
import { onDays, seriesBy, sumOfDays } from '../../analytics/insights/series.ts';
import { identityKey, identityOf, type Identity } from '../../analytics/identity.ts';
import { daysOf } from '../../analytics/dateRules.ts';
import { MEASURE_OF, type Unit } from '../../analytics/reports/costReport.ts';
import type { PeopleSpending, SpendingReport } from '../../analytics/reports/spendingReport.ts';
import { formatShare, formatCell } from '../../analytics/reports/table.ts';
import { costTable } from '../../analytics/reports/tables.ts';
import type { PeopleReport } from '../../analytics/reports/usageReport.ts';
import { formatDay } from '../../base/day.ts';
import { formatCount } from '../../base/format.ts';
import type { ActivityRow } from '../../analytics/client/analyticsData.ts';
import { toneOfStatus } from './budgetsContent.ts';
import { none, type Content, type ViewOptions } from './content.ts';
import { amountText, markLength, matchesFilter, stackFigure, tile, type Figure } from './figures.ts';
import type { AccountNames } from './names.ts';
import type { ListColumn, SourceRow } from './rowList.ts';
import { burnFigure } from './spendingFigures.ts';

export interface PeopleReports {
  readonly people: PeopleReport;
  readonly spending: SpendingReport | undefined;
}

const column = (name: string, title: string, kind: ListColumn['kind'], about = ''): ListColumn => ({
  name,
  title,
  kind,
  about,
});

export function peopleColumns(unit: Unit): ListColumn[] {
  return [
    column('identity', l10n.t('Person'), 'text'),
    column('active_days', l10n.t('Active days'), 'count', l10n.t('Days (UTC) on which the product was used.')),
    column(
      'total_messages',
      l10n.t('Messages'),
      'count',
      l10n.t('Messages in chat and to agents, in the editor and on the command line.'),
    ),
    column(
      'total_modified_lines_of_code',
      l10n.t('Lines'),
      'count',
      l10n.t('Lines of code modified across all interactions.'),
    ),
    column(
      'acceptance_by_suggestions',
      l10n.t('Suggestions accepted'),
      'share',
      l10n.t('Accepted completions as a share of suggested ones.'),
    ),
    column(
      'acceptance_by_lines',
      l10n.t('Lines accepted'),
      'share',
      l10n.t('Accepted lines of completions as a share of suggested ones.'),
    ),
    unit === 'usd'
      ? column('billed_amount_usd', l10n.t('Billed'), 'usd', l10n.t('Dollars billed for these days.'))
      : column('credits_consumed', l10n.t('Credits'), 'credits', l10n.t('Credits consumed on these days.')),
  ];
}

/** Active people, with their activity and spending. */
export function peopleRows({ people, spending }: PeopleReports, names: AccountNames): SourceRow[] {
  const unit = spending?.unit ?? 'credits';
  const spent = new Map(
    costBy(spending?.points ?? [], 'user', MEASURE_OF[unit]).map(({ key, amount }) => [key, amount]),
  );
  return people.people.map((row) => {
    const identity = identityOf(row);
    const { metrics } = row;
    const { bySuggestions, byLines } = acceptance(metrics);
    // An account without a point in cost-analytics has spent nothing.
    const amount = spending ? (spent.get(identityKey(identity)) ?? 0n) : undefined;
    return {
      id: names.id(identity),
      tone: 'plain',
      used: null,
      cells: [
        names.of(identity),
        row.active_days,
        metrics.total_messages,
        metrics.total_modified_lines_of_code,
        bySuggestions,
        byLines,
        amount,
      ],
    };
  });
}

export function peopleContent({ people, spending }: PeopleReports, options: ViewOptions): Content {
  const days = people.range.last - people.range.first + 1;
  const isWhole = people.distinct !== undefined;
  const active = isWhole ? meanOf(people.people.map((row) => row.active_days)) : undefined;
  const soFar = l10n.t('{0} people so far', formatCount(people.people.length));
  return {
    tiles:
      people.distinct === 0
        ? []
        : [
            tile(
              'distinct',
              l10n.t('Different people'),
              formatCell(people.distinct, { kind: 'count' }),
              l10n.t('People and service accounts over all days, each counted once.'),
              { note: isWhole ? '' : soFar },
            ),
            tile(
              'days',
              l10n.t('Active days per person'),
              formatCell(active, { kind: 'count' }),
              l10n.t('Mean over all active people.'),
              { note: isWhole ? l10n.t('of {0}', formatCount(days)) : l10n.t('unknown until all are loaded') },
            ),
          ],
    figures: spending && spending.topPeople.length > 0 ? [heatFigure(spending, options)] : [],
    table: none,
    empty:
      people.distinct === 0
        ? { title: l10n.t('No active people on these days'), message: l10n.t('Choose other days above.') }
        : null,
  };
}

/** Spending by day of the people with the highest spending. */
function heatFigure({ range, topPeople, unit }: SpendingReport, { choices, names }: ViewOptions): Figure {
  const days = daysOf(range).map(formatDay);
  const people = topPeople.filter(({ identity }) => matchesFilter(names.of(identity), choices.filter));
  return {
    shape: {
      id: 'heat',
      kind: 'heat',
      unit,
      title: unit === 'usd' ? l10n.t('Billed by person and day') : l10n.t('Credits by person and day'),
      about: l10n.t(
        'The {0} people with the highest spending. The fuller a square, the higher the spending of that day.',
        topPeople.length,
      ),
      summary: people[0]
        ? l10n.t('{0} people; most: {1}.', people.length, names.of(people[0].identity))
        : l10n.t('None.'),
      days,
      rows: people.map(({ identity, amounts }) => ({
        name: names.of(identity),
        person: names.id(identity),
        text: l10n.t('{0} in all', amountText(sumOfDays({ amounts }), unit)),
        values: amounts.map((amount) => markLength(amount) ?? 0),
        texts: amounts.map((amount) => amountText(amount, unit)),
      })),
    },
    table: {
      columns: [
        { name: 'identity', title: l10n.t('Person'), kind: 'text' },
        ...days.map((day) => ({ name: day, title: day, kind: unit }) as const),
      ],
      rows: people.map(({ identity, amounts }) => [names.of(identity), ...amounts]),
    },
  };
}

export interface PersonReports {
  readonly identity: Identity;
  readonly activity: ActivityRow | undefined;
  readonly spending: PeopleSpending | undefined;
  readonly status: BudgetStatus | undefined;
  /** Unit of the limit, if there is one. Spending has the same unit, but is unknown without any. */
  readonly limitUnit: Unit | undefined;
}

/** The page of a person: activity, spending by model, and the status of the limit. */
export function personContent({ activity, spending, status, limitUnit }: PersonReports): Content {
  const unit = limitUnit ?? spending?.unit ?? 'credits';
  const days = spending ? daysOf(spending.range).map(formatDay) : [];
  const whole = spending ? onDays(costBy(spending.points, 'day', MEASURE_OF[unit]), days) : [];
  const total = spending ? sumOfDays({ amounts: whole }) : undefined;
  const did = activity && acceptance(activity.metrics);
  return {
    tiles: [
      tile(
        'days',
        l10n.t('Active days'),
        activity ? formatCount(activity.active_days) : '–',
        l10n.t('Days (UTC) on which the product was used.'),
      ),
      tile(
        'messages',
        l10n.t('Messages'),
        activity ? formatCount(activity.metrics.total_messages) : '–',
        l10n.t('Messages in chat and to agents, in the editor and on the command line.'),
      ),
      tile(
        'lines',
        l10n.t('Lines'),
        activity ? formatCount(activity.metrics.total_modified_lines_of_code) : '–',
        l10n.t('Lines of code modified across all interactions.'),
      ),
      tile(
        'accepted',
        l10n.t('Suggestions accepted'),
        formatShare(did?.bySuggestions),
        l10n.t('Accepted completions as a share of suggested ones.'),
      ),
      tile(
        'acceptedLines',
        l10n.t('Lines accepted'),
        formatShare(did?.byLines),
        l10n.t('Accepted lines of completions as a share of suggested ones.'),
      ),
      tile(
        'spent',
        unit === 'usd' ? l10n.t('Billed') : l10n.t('Credits'),
        amountText(total, unit),
        l10n.t('Sum of these days.'),
      ),
      ...(status
        ? [
            tile(
              'limit',
              l10n.t('Used of the limit'),
              formatShare(status.used),
              l10n.t('Consumption this month as a share of the override.'),
              {
                note: l10n.t('{0} of {1}', amountText(status.spent, unit), amountText(wholeAmount(status.limit), unit)),
                tone: toneOfStatus(status),
              },
            ),
          ]
        : []),
    ],
    figures: spending
      ? [
          stackFigure(
            {
              id: 'days',
              title: unit === 'usd' ? l10n.t('Billed by day and model') : l10n.t('Credits by day and model'),
              about: l10n.t('Each day (UTC), divided by model or machine.'),
              summary: l10n.t('{0} in all.', amountText(total, unit)),
            },
            unit,
            spending.range,
            seriesBy(spending.points, 'resource', MEASURE_OF[unit], days, 6),
            spending.missing,
          ),
          burnFigure(spending.burnDown, unit, status?.limit),
        ]
      : [],
    table: () => spending && costTable(spending.points, 'resource'),
    empty: null,
  };
}
