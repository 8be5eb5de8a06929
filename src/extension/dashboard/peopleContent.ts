import * as l10n from '@vscode/l10n';
import type { BudgetStatus } from '../../analytics/insights/budgets.ts';
import { METRIC_FIELDS, METRICS } from '../../analytics/contract.ts';
import { costBy, wholeAmount } from '../../analytics/insights/amounts.ts';
import { acceptance, meanOf } from '../../analytics/insights/people.ts';
import { countPresence, type Presence, type PresenceKind } from '../../analytics/insights/presence.ts';
import { onDays, seriesBy, sumOfDays } from '../../analytics/insights/series.ts';
import { identityKey, identityOf, type Identity } from '../../analytics/identity.ts';
import { daysOf } from '../../analytics/dateRules.ts';
import { MEASURE_OF, type Unit } from '../../analytics/reports/costReport.ts';
import type { LanguageReport } from '../../analytics/reports/languageReport.ts';
import type { PresenceReport } from '../../analytics/reports/presenceReport.ts';
import type { PeopleSpending, SpendingReport } from '../../analytics/reports/spendingReport.ts';
import { formatShare, formatCell } from '../../analytics/reports/table.ts';
import { costTable } from '../../analytics/reports/tables.ts';
import type { PeopleReport } from '../../analytics/reports/usageReport.ts';
import { formatDay } from '../../base/day.ts';
import { formatCount } from '../../base/format.ts';
import type { ActivityRow } from '../../analytics/client/analyticsData.ts';
import { none, type Content, type ViewOptions } from './content.ts';
import {
  amountText,
  barFigure,
  markLength,
  matchesFilter,
  stackFigure,
  tile,
  toneOfStatus,
  type Figure,
} from './figures.ts';
import type { AccountNames } from '../analytics/accountNames.ts';
import type { ListColumn, SourceRow } from './rowList.ts';
import { burnFigure } from './spendingFigures.ts';

export interface PeopleReports {
  readonly people: PeopleReport;
  readonly spending: SpendingReport | undefined;
  readonly presence: PresenceReport | undefined;
}

/** Fields of a metrics object that only exports of the list have. */
const DETAILS = METRIC_FIELDS.filter((field) => field !== 'total_messages' && field !== 'total_modified_lines_of_code');

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
      l10n.t('Accepted'),
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
    column(
      'presence',
      l10n.t('Status'),
      'text',
      l10n.t('In the last 16 days compared with the two weeks before them, whatever days are chosen.'),
    ),
    column('last_active', l10n.t('Last active'), 'text', l10n.t('The last active day (UTC) of the last 30.')),
    column('kind', l10n.t('Kind'), 'text'),
    ...DETAILS.map((field) => ({ ...column(field, METRICS[field], 'count'), isDetail: true }) as const),
  ];
}

function presenceName(kind: PresenceKind): string {
  return {
    active: l10n.t('Active'),
    new: l10n.t('New'),
    returning: l10n.t('Returning'),
    stopped: l10n.t('Stopped'),
    quiet: l10n.t('Seldom'),
    never: l10n.t('Never active'),
  }[kind];
}

function kindName({ kind }: Identity): string {
  return kind === 'user_email' ? l10n.t('Person') : l10n.t('Service');
}

/** Active people with their activity and spending, and those who stopped or were never active. */
export function peopleRows({ people, spending, presence }: PeopleReports, names: AccountNames): SourceRow[] {
  const unit = spending?.unit ?? 'credits';
  const spent = new Map(
    costBy(spending?.points ?? [], 'user', MEASURE_OF[unit]).map(({ key, amount }) => [key, amount]),
  );
  const known = new Map((presence?.presence?.people ?? []).map((one) => [one.key, one]));
  const rowOf = (identity: Identity, activity: ActivityRow | undefined): SourceRow => {
    const { metrics } = activity ?? {};
    const { bySuggestions, byLines } = metrics ? acceptance(metrics) : {};
    const one = known.get(identityKey(identity));
    return {
      id: names.id(identity),
      identity,
      tone: 'plain',
      used: null,
      cells: [
        names.of(identity),
        activity?.active_days ?? 0,
        metrics?.total_messages ?? 0,
        metrics?.total_modified_lines_of_code ?? 0,
        bySuggestions,
        byLines,
        // An account without a point in cost-analytics has spent nothing.
        spending ? (spent.get(identityKey(identity)) ?? 0n) : undefined,
        one && presenceName(one.kind),
        one?.lastActive,
        kindName(identity),
        ...DETAILS.map((field) => metrics?.[field] ?? 0),
      ],
    };
  };
  const active = people.people.map((row) => rowOf(identityOf(row), row));
  // Until all are loaded, a person without a row may still come.
  if (people.distinct === undefined) return active;
  const keys = new Set(people.people.map((row) => identityKey(identityOf(row))));
  const isAway = ({ key, kind }: Presence): boolean => !keys.has(key) && (kind === 'stopped' || kind === 'never');
  const others = [...known.values()].filter(isAway);
  return [...active, ...others.map(({ identity }) => rowOf(identity, undefined))];
}

export function peopleContent({ people, spending, presence }: PeopleReports, options: ViewOptions): Content {
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
              { note: isWhole ? serviceAccountNote(people) : soFar },
            ),
            tile(
              'days',
              l10n.t('Active days per person'),
              formatCell(active, { kind: 'count' }),
              l10n.t('Mean over all active people.'),
              { note: isWhole ? l10n.t('of {0}', formatCount(days)) : l10n.t('unknown until all are loaded') },
            ),
            ...presenceTiles(presence),
          ],
    figures: spending && spending.topPeople.length > 0 ? [heatFigure(spending, options)] : [],
    table: none,
    empty:
      people.distinct === 0
        ? { title: l10n.t('No active people on these days'), message: l10n.t('Choose other days above.') }
        : null,
  };
}

/** The number of service accounts among the active ones. */
export function serviceAccountNote({ people }: PeopleReport): string {
  const count = people.filter((row) => identityOf(row).kind === 'service_account_name').length;
  return count === 0 ? '' : l10n.t('{0} of them service accounts', formatCount(count));
}

/** Who is active in a week and in four, who stopped and who is new, up to the newest day. */
function presenceTiles(report: PresenceReport | undefined): Content['tiles'] {
  const { presence } = report ?? {};
  if (!presence) return [];
  const counts = countPresence(presence.people);
  return [
    tile(
      'weekly',
      l10n.t('Active in a week'),
      formatCount(presence.weekly),
      l10n.t('Different people and service accounts in the last seven days, whatever days are chosen.'),
      { note: l10n.t('{0} in four weeks', formatCount(presence.monthly)) },
    ),
    tile(
      'stopped',
      l10n.t('Stopped'),
      formatCount(counts.stopped),
      l10n.t('Active on three days of two weeks, and not since then, for 16 days.'),
      { tone: counts.stopped > 0 ? 'warning' : 'plain', note: neverNote(counts.never) },
    ),
    tile(
      'new',
      l10n.t('New'),
      formatCount(counts.new),
      l10n.t('Active in the last 16 days, and not in the two weeks before them.'),
      { note: l10n.t('{0} returning', formatCount(counts.returning)) },
    ),
  ];
}

function neverNote(never: number): string {
  return never === 0 ? '' : l10n.t('{0} never active', formatCount(never));
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
  /** Undefined if not known, or not in the last 30 days. */
  readonly lastActive: string | undefined;
  readonly spending: PeopleSpending | undefined;
  /** Messages in each language, if they are loaded. */
  readonly languages: ReturnType<LanguageReport['languagesOf']>;
  readonly status: BudgetStatus | undefined;
  /** Unit of the limit, if there is one. Spending has the same unit, but is unknown without any. */
  readonly limitUnit: Unit | undefined;
}

/** The page of a person: activity, spending by model, and the status of the limit. */
export function personContent({
  activity,
  lastActive,
  languages,
  spending,
  status,
  limitUnit,
}: PersonReports): Content {
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
        { note: lastActive === undefined ? '' : l10n.t('last on {0}', lastActive) },
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
          ...(languages.length > 0 ? [ownLanguages(languages)] : []),
        ]
      : [],
    table: () => spending && costTable(spending.points, 'resource'),
    empty: null,
  };
}

/** Largest number of languages of a person. */
const LANGUAGES = 10;

/** Messages of a person in each language. */
function ownLanguages(languages: PersonReports['languages']): Figure {
  const title = l10n.t('Messages by language');
  const [first] = languages;
  return barFigure(
    {
      id: 'languages',
      title,
      about: l10n.t('Messages of this person in each language, on the loaded days.'),
      summary: first ? l10n.t('Most: {0}, {1}.', first.language, formatCount(first.messages)) : l10n.t('None.'),
    },
    'count',
    [title],
    languages
      .slice(0, LANGUAGES)
      .map(({ language, messages }) => ({ name: language, cells: [messages], text: formatCount(messages) })),
    {
      columns: [
        { name: 'language', title: l10n.t('Language'), kind: 'text' },
        { name: 'total_messages', title: l10n.t('Messages'), kind: 'count' },
      ],
      rows: languages.map(({ language, messages }) => [language, messages]),
    },
  );
}
