import * as vscode from 'vscode';
import { formatAmount, wholeAmount } from '../../analytics/insights/amounts.ts';
import { top, type Share } from '../../analytics/insights/compare.ts';
import type { Pace, BudgetStatus } from '../../analytics/insights/budgets.ts';
import type { BudgetReport } from '../../analytics/reports/budgetReport.ts';
import type { CostReport, Unit } from '../../analytics/reports/costReport.ts';
import { describeMoment, type Quality } from '../../analytics/reports/report.ts';
import type { LoadedReport } from '../../analytics/reports/reportStore.ts';
import { formatCell, formatGrowth, formatShare } from '../../analytics/reports/table.ts';
import type { PeopleReport, UsageReport } from '../../analytics/reports/usageReport.ts';
import { formatDay } from '../../base/day.ts';
import type { Decimal } from '../../base/decimal.ts';
import { formatCount } from '../../base/format.ts';
import type { CommandId } from '../commandIds.ts';

/** A row of the trees of usage, cost and budgets. */
export interface AnalyticsRow {
  readonly item: vscode.TreeItem;
  readonly rows?: readonly AnalyticsRow[];
  /** Of a row that is somebody's limit. */
  readonly standing?: BudgetStatus;
}

/** How many products and resources are named. */
const NAMED = 10;
/** A tree with more rows than this helps nobody. */
const MOST_BUDGETS = 200;

export function usageRows(report: UsageReport, people: LoadedReport<PeopleReport>): AnalyticsRow[] {
  const { latest, meanActive, metrics, acceptance, growth, days, unusual } = report;
  const known = people.report?.distinct;
  const distinct = known !== undefined ? vscode.l10n.t('{0} people', formatCount(known)) : people.isLoading ? '…' : '–';
  const mean = formatCell(meanActive, { kind: 'count' });
  const week = vscode.l10n.t('Last 7 days');
  return [
    row(
      vscode.l10n.t('Active'),
      latest ? vscode.l10n.t('{0} on {1}', formatCount(latest.active), latest.date) : '–',
      'person',
      {
        tooltip: vscode.l10n.t('People and service accounts that used the product on that day (UTC).'),
      },
    ),
    row(week, distinct, 'organization', {
      tooltip: vscode.l10n.t('Different people and service accounts over the seven days, never the sum of days.'),
    }),
    row(
      vscode.l10n.t('Average a day'),
      withGrowth(vscode.l10n.t('{0} active', mean), growth.meanActive),
      'graph-line',
      {
        tooltip: vscode.l10n.t('Active people on an average day, with the change from the seven days before.'),
      },
    ),
    row(
      vscode.l10n.t('Messages'),
      withGrowth(formatCell(metrics?.total_messages, { kind: 'count' }), growth.messages),
      'comment',
    ),
    row(vscode.l10n.t('Suggestions accepted'), formatShare(acceptance.bySuggestions), 'check', {
      tooltip: vscode.l10n.t('Completions accepted, of those suggested.'),
    }),
    row(vscode.l10n.t('Lines accepted'), formatShare(acceptance.byLines), 'list-selection', {
      tooltip: vscode.l10n.t('Lines taken from completions, of the lines suggested.'),
    }),
    ...group(
      vscode.l10n.t('By day'),
      'calendar',
      days.map(({ date, active }) =>
        row(
          date,
          vscode.l10n.t('{0} active', formatCell(active, { kind: 'count' })),
          unusual.includes(date) ? 'warning' : 'circle-small',
          {
            ...(unusual.includes(date) && {
              tooltip: vscode.l10n.t('Far more or fewer people than is usual on such days.'),
            }),
          },
        ),
      ),
    ),
    asOf(report),
  ];
}

export function costRows(report: CostReport): AnalyticsRow[] {
  const { unit, total, growth, month, movers } = report;
  const amount = (value: Decimal | undefined): string => formatCell(value, { kind: unit });
  const list = (shares: readonly Share[]): AnalyticsRow[] => {
    const { top: first, others } = top(shares, NAMED);
    const rows = first.map((share) => row(share.name, amount(share.amount), 'circle-small', { id: share.key }));
    return others > 0n ? [...rows, row(vscode.l10n.t('Others'), amount(others), 'ellipsis')] : rows;
  };
  return [
    ...(month ? monthRows(month, amount) : []),
    row(vscode.l10n.t('Last 7 days'), withGrowth(amount(total), growth), 'calendar'),
    ...group(vscode.l10n.t('Products'), 'package', list(report.byProduct)),
    ...group(vscode.l10n.t('Models and machines'), 'server', list(report.byResource)),
    ...group(vscode.l10n.t('Keys'), 'key', list(report.byKey)),
    ...group(
      vscode.l10n.t('Changed most'),
      'arrow-swap',
      movers.map(({ key, name, now, before }) =>
        row(name, `${amount(before)} → ${amount(now)}`, now > before ? 'arrow-up' : 'arrow-down', { id: key }),
      ),
    ),
    asOf(report),
  ];
}

function monthRows({ month, spent, daysElapsed, daysInMonth, projected }: Pace, amount: (value: Decimal) => string): AnalyticsRow[] {
  const atEnd = projected === undefined ? vscode.l10n.t('too early for a projection') : vscode.l10n.t('about {0}', amount(projected));
  return [
    row(vscode.l10n.t('Month {0}', month), amount(spent), 'credit-card', {
      tooltip: vscode.l10n.t('{0} of {1} days.', daysElapsed, daysInMonth),
    }),
    row(vscode.l10n.t('At month’s end'), atEnd, 'graph-line', {
      tooltip: vscode.l10n.t('If every day is like those so far, weekends included; from three days on.'),
    }),
  ];
} // prettier-ignore

export function budgetRows(report: BudgetReport): AnalyticsRow[] {
  const { standings, unit } = report;
  const rows = standings.slice(0, MOST_BUDGETS).map((standing) => budgetRow(standing, unit));
  if (standings.length > MOST_BUDGETS)
    rows.push(
      row(
        vscode.l10n.t('{0} more', formatCount(standings.length - MOST_BUDGETS)),
        vscode.l10n.t('with less of their limit used'),
        'ellipsis',
      ),
    );
  if (standings.length === 0) rows.push(row(vscode.l10n.t('Nobody has a limit of their own'), '', 'info'));
  return [...rows, asOf(report)];
}

function budgetRow(standing: BudgetStatus, unit: Unit): AnalyticsRow {
  const { identity, key, used, spent, limit, projected, crossesOn } = standing;
  const amount = (value: Decimal): string => formatCell(value, { kind: unit });
  const whole = `${unit === 'usd' ? '$' : ''}${formatAmount(wholeAmount(limit), 0)}`;
  const level = used >= 1 ? 'error' : used >= 0.9 || crossesOn !== undefined ? 'warning' : 'circle-outline';
  const said = vscode.l10n.t('{0} of {1}', formatShare(used), whole);
  const lines = [
    identity.name,
    vscode.l10n.t('{0} of {1} used this month', amount(spent), whole),
    ...(used >= 1 ? [vscode.l10n.t('Over the limit')] : []),
    ...(projected === undefined
      ? []
      : [vscode.l10n.t('About {0} at its end, if every day is like those so far', amount(projected))]),
    ...(crossesOn === undefined || used >= 1
      ? []
      : [vscode.l10n.t('Over the limit on about {0}', formatDay(crossesOn))]),
  ];
  const colour = { error: 'problemsErrorIcon.foreground', warning: 'problemsWarningIcon.foreground' } as const;
  // In a narrow side bar what comes last is cut off.
  const label = `${formatShare(used)} ${identity.name}`;
  const made = row(label, vscode.l10n.t('of {0} {1}', whole, bar(used)), level, { id: key });
  made.item.tooltip = lines.join('\n');
  if (level !== 'circle-outline')
    made.item.iconPath = new vscode.ThemeIcon(level, new vscode.ThemeColor(colour[level]));
  const title = vscode.l10n.t('Open Dashboard');
  made.item.command = {
    command: 'sextant.openDashboard' satisfies CommandId,
    title,
    arguments: [{ person: identity }],
  };
  // A screen reader would spell the bar.
  made.item.accessibilityInformation = { label: [identity.name, said, ...lines.slice(2)].join(', ') };
  made.item.contextValue = 'budget';
  return { ...made, standing };
}

const BAR = 10;

function bar(used: number): string {
  const full = Math.min(BAR, Math.floor(used * BAR));
  return '▰'.repeat(full) + '▱'.repeat(BAR - full);
}

/** What is shown in place of a report, or above it: that it is coming, or why it is not. */
export function stateRows({ report, isLoading, error }: LoadedReport<Quality>): AnalyticsRow[] {
  const offline = report?.offline;
  if (error)
    return [
      problem(error.message, error.code),
      ...(isConnectionProblem(error.code)
        ? [action(vscode.l10n.t('Connect again'), 'plug', 'sextant.connectAnalytics')]
        : [action(vscode.l10n.t('Try again'), 'refresh', 'sextant.refreshAnalytics')]),
    ];
  if (!report) return isLoading ? [row(vscode.l10n.t('Loading'), '', 'sync~spin')] : [];
  if (!offline) return [];
  const known = report.missing.length > 0 ? vscode.l10n.t('what is known, with gaps') : vscode.l10n.t('what is known');
  return [
    problem(vscode.l10n.t('Offline: {0}', known), offline.message),
    action(vscode.l10n.t('Try again'), 'refresh', 'sextant.refreshAnalytics'),
  ];
}

function isConnectionProblem(code: string): boolean {
  return ['Unauthenticated', 'PermissionDenied', 'NotFound'].includes(code);
}

function problem(message: string, tooltip: string): AnalyticsRow {
  const made = row(message, '', 'warning', { tooltip: `${message}\n${tooltip}` });
  made.item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('problemsWarningIcon.foreground'));
  return made;
}

export function action(label: string, icon: string, id: CommandId): AnalyticsRow {
  const made = row(label, '', icon);
  made.item.command = { command: id, title: label };
  return made;
}

function asOf({ asOf }: Quality): AnalyticsRow {
  return row(vscode.l10n.t('As of'), describeMoment(asOf), 'history', {
    tooltip: vscode.l10n.t('Days are of UTC. A day is complete at about 02:00 of the next one.'),
  });
}

function withGrowth(text: string, growth: number | undefined): string {
  return growth === undefined ? text : `${text} (${formatGrowth(growth)})`;
}

/** A row to unfold; none where there is nothing below it. */
function group(label: string, icon: string, rows: readonly AnalyticsRow[]): AnalyticsRow[] {
  if (rows.length === 0) return [];
  const made = row(label, '', icon);
  made.item.collapsibleState = vscode.TreeItemCollapsibleState.Collapsed;
  // What stands in two groups is two rows.
  for (const { item } of rows) item.id = `${label}/${item.id ?? ''}`;
  return [{ ...made, rows }];
}

export function row(
  label: string,
  description: string,
  icon: string,
  { id = label, tooltip }: { readonly id?: string; readonly tooltip?: string } = {},
): AnalyticsRow {
  const item = new vscode.TreeItem(label);
  item.id = id;
  item.description = description;
  item.iconPath = new vscode.ThemeIcon(icon);
  item.tooltip = tooltip === undefined ? [label, description].join(' ').trim() : `${label} ${description}\n${tooltip}`;
  // Else a screen reader says the tooltip, which repeats the half of it.
  item.accessibilityInformation = { label: description === '' ? label : `${label} ${description}` };
  return { item };
}

/** `29,207 credits`, `$1,204.50` */
export function describeSpent({ spent }: Pace, unit: Unit): string {
  return unit === 'usd' ? formatCell(spent, { kind: 'usd' }) : vscode.l10n.t('{0} credits', formatAmount(spent, 0));
}
