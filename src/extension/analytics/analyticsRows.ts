import * as vscode from 'vscode';
import { formatLimit, isUnlimited } from '../../analytics/budgets/limit.ts';
import type { GroupAttention } from '../../analytics/groups/attentionByGroup.ts';
import type { GroupBudgetReport } from '../../analytics/groups/groupBudgets.ts';
import { titleOfColumn, type GroupReports } from '../../analytics/groups/groupReport.ts';
import type { AttentionItem } from '../../analytics/insights/attention.ts';
import { top, type Share } from '../../analytics/insights/compare.ts';
import { ORGANIZATION, type BudgetStatus, type LimitStatus } from '../../analytics/insights/budgets.ts';
import { FEWEST_DAYS, type Forecast } from '../../analytics/insights/forecast.ts';
import type { Attention } from '../../analytics/reports/attention.ts';
import { accountOf, describeAttention, tabOfAttention } from '../../analytics/reports/attentionTexts.ts';
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
import type { DashboardTarget } from '../dashboard/dashboardPanel.ts';
import { viewErrorOf } from '../dashboard/viewError.ts';
import type { AccountNames } from './accountNames.ts';

/** A row of the trees of usage, cost and budgets. */
export interface AnalyticsRow {
  readonly item: vscode.TreeItem;
  readonly rows?: readonly AnalyticsRow[];
  /** The override that the row shows. */
  readonly status?: BudgetStatus;
}

/** Largest number of products and resources in a list. */
const NAMED = 10;
/** Largest number of overrides in the tree. */
const MOST_BUDGETS = 200;

/** Largest number of sentences about what needs attention. */
const MOST_ATTENTION = 5;

/** What needs attention: the first five, each leading to its place; or that all is well. */
export function attentionRows({ items, unit, lookedAt, isLoading }: Attention, names: AccountNames): AnalyticsRow[] {
  if (items.length === 0 && (isLoading || lookedAt === '')) return [];
  const made = row(
    vscode.l10n.t('Needs attention'),
    items.length === 0 ? vscode.l10n.t('nothing') : formatCount(items.length),
    items.length === 0 ? 'pass' : 'bell',
    { tooltip: lookedAt },
  );
  if (items.length === 0) return [made];
  made.item.collapsibleState = vscode.TreeItemCollapsibleState.Expanded;
  const rows = items.slice(0, MOST_ATTENTION).map((item, i) => attentionRow(item, unit, i, names));
  const more = items.length - rows.length;
  if (more > 0)
    rows.push(
      action(vscode.l10n.t('{0} more in the dashboard', formatCount(more)), 'ellipsis', 'sextant.openDashboard'),
    );
  return [{ ...made, rows }];
}

function attentionRow(item: AttentionItem, unit: Unit, i: number, names: AccountNames): AnalyticsRow {
  const text = describeAttention(item, unit, (key, name) => names.ofKey(key, name));
  const made = row(text, '', 'info', { id: `attention ${i}` });
  const isBad = item.kind === 'over' || item.kind === 'moreOver' || item.kind === 'data';
  if (item.kind !== 'stopped' && item.kind !== 'never')
    made.item.iconPath = new vscode.ThemeIcon(
      isBad ? 'error' : 'warning',
      new vscode.ThemeColor(isBad ? 'problemsErrorIcon.foreground' : 'problemsWarningIcon.foreground'),
    );
  const person = accountOf(item);
  return leadingTo(made, person ? { person } : { tab: tabOfAttention(item, unit) });
}

/** A row that opens a place of the dashboard. */
function leadingTo(made: AnalyticsRow, target: DashboardTarget): AnalyticsRow {
  const title = vscode.l10n.t('Open Dashboard');
  made.item.command = { command: 'sextant.openDashboard' satisfies CommandId, title, arguments: [target] };
  return made;
}

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
      tooltip: vscode.l10n.t('People and service accounts over the seven days, each counted once.'),
    }),
    row(
      vscode.l10n.t('Average a day'),
      withGrowth(vscode.l10n.t('{0} active', mean), growth.meanActive),
      'graph-line',
      {
        tooltip: vscode.l10n.t('Mean number of active people a day, and its change since the previous seven days.'),
      },
    ),
    row(
      vscode.l10n.t('Messages'),
      withGrowth(formatCell(metrics?.total_messages, { kind: 'count' }), growth.messages),
      'comment',
    ),
    row(vscode.l10n.t('Suggestions accepted'), formatShare(acceptance.bySuggestions), 'check', {
      tooltip: vscode.l10n.t('Accepted completions as a share of suggested ones.'),
    }),
    row(vscode.l10n.t('Lines accepted'), formatShare(acceptance.byLines), 'list-selection', {
      tooltip: vscode.l10n.t('Accepted lines of completions as a share of suggested ones.'),
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
              tooltip: vscode.l10n.t('Unusually many or few people for a weekday or a weekend day.'),
            }),
          },
        ),
      ),
    ),
    asOf(report),
  ];
}

/**
 * The teams and other groups with the highest spending, and how many accounts of each need attention; none without a group file.
 * A group leads to its people.
 */
export function teamRows(
  reports: GroupReports | undefined,
  attentionIn: (column: string) => readonly GroupAttention[],
  names: AccountNames,
): AnalyticsRow[] {
  return (reports?.columns ?? []).flatMap(({ column, groups, unit }) => {
    const attention = new Map(attentionIn(column).map((one) => [one.name, one]));
    const rows = groups.slice(0, NAMED).map(({ name, amount }) => {
      const said = describeGroupAttention(attention.get(name));
      const spent = formatCell(amount, { kind: unit });
      const made = row(names.ofGroup(name), said === '' ? spent : `${spent}, ${said}`, 'circle-small', { id: name });
      return leadingTo(made, { tab: 'people', only: `${column}=${name}` });
    });
    const more = groups.length - rows.length;
    if (more > 0) {
      const last = row(vscode.l10n.t('{0} more in the dashboard', formatCount(more)), '', 'ellipsis');
      rows.push(leadingTo(last, { tab: 'teams' }));
    }
    return group(titleOfColumn(column), 'organization', rows);
  });
}

/** `1 over, 2 stopped`; empty if no account needs attention. */
function describeGroupAttention(found: GroupAttention | undefined): string {
  if (!found) return '';
  return [
    found.over > 0 && vscode.l10n.t('{0} over', formatCount(found.over)),
    found.near > 0 && vscode.l10n.t('{0} near', formatCount(found.near)),
    found.unusual > 0 && vscode.l10n.t('{0} unusual', formatCount(found.unusual)),
    found.stopped > 0 && vscode.l10n.t('{0} stopped', formatCount(found.stopped)),
    found.never > 0 && vscode.l10n.t('{0} never active', formatCount(found.never)),
  ]
    .filter(Boolean)
    .join(', ');
}

/** `teams` stand after the sums of the account. */
export function costRows(report: CostReport, teams: readonly AnalyticsRow[]): AnalyticsRow[] {
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
    ...teams,
    ...group(vscode.l10n.t('Products'), 'package', list(report.byProduct)),
    ...group(vscode.l10n.t('Models and machines'), 'server', list(report.byResource)),
    ...group(vscode.l10n.t('Keys'), 'key', list(report.byKey)),
    ...group(
      vscode.l10n.t('Largest changes'),
      'arrow-swap',
      movers.map(({ key, name, now, before }) =>
        row(name, `${amount(before)} → ${amount(now)}`, now > before ? 'arrow-up' : 'arrow-down', { id: key }),
      ),
    ),
    asOf(report),
  ];
}

function monthRows(
  { month, spent, daysElapsed, daysInMonth, projected, band, asLastWeek, lastMonth }: Forecast,
  amount: (value: Decimal) => string,
): AnalyticsRow[] {
  const atEnd =
    projected === undefined
      ? vscode.l10n.t('needs {0} days of data', FEWEST_DAYS)
      : vscode.l10n.t('about {0}', amount(projected));
  return [
    row(vscode.l10n.t('Month {0}', month), amount(spent), 'credit-card', {
      tooltip: vscode.l10n.t('{0} of {1} days.', daysElapsed, daysInMonth),
    }),
    row(vscode.l10n.t('At month’s end'), atEnd, 'graph-line', {
      tooltip: [
        vscode.l10n.t('Projection from the same weekdays of the last weeks.'),
        ...(band ? [vscode.l10n.t('Range: {0} to {1}', amount(band.low), amount(band.high))] : []),
        ...(asLastWeek === undefined ? [] : [vscode.l10n.t('As last week: {0}', amount(asLastWeek))]),
        ...(lastMonth === undefined ? [] : [vscode.l10n.t('Last month: {0}', amount(lastMonth))]),
      ].join('\n'),
    }),
  ];
}

export function budgetRows(report: BudgetReport, names: AccountNames): AnalyticsRow[] {
  const { statuses, unit } = report;
  const rows = statuses.slice(0, MOST_BUDGETS).map((status) => budgetRow(status, unit, names));
  if (statuses.length > MOST_BUDGETS)
    rows.push(
      row(
        vscode.l10n.t('{0} more', formatCount(statuses.length - MOST_BUDGETS)),
        vscode.l10n.t('with a smaller share used'),
        'ellipsis',
      ),
    );
  if (statuses.length === 0) rows.push(row(vscode.l10n.t('No overrides'), '', 'info'));
  return [...rows, asOf(report)];
}

/** The limits of groups and of the organization, the most used first; they lead to their page. */
export function groupBudgetRows(report: GroupBudgetReport | undefined, names: AccountNames): AnalyticsRow[] {
  return (report?.statuses ?? []).slice(0, MOST_BUDGETS).map((status) => {
    const isWhole = status.of === ORGANIZATION;
    const name = status.of === ORGANIZATION ? vscode.l10n.t('Organization') : names.ofGroup(status.of.group);
    return limitRow(status, report!.unit, name, { tab: isWhole ? 'budgets' : 'teams' });
  });
}

function budgetRow(status: BudgetStatus, unit: Unit, names: AccountNames): AnalyticsRow {
  const { identity } = status;
  const made = limitRow(status, unit, names.of(identity), { person: identity });
  made.item.contextValue = 'budget';
  return { ...made, status };
}

/** A limit and its status; `target` is its place in the dashboard. */
function limitRow(status: LimitStatus, unit: Unit, name: string, target: DashboardTarget): AnalyticsRow {
  const { key, used, spent, limit, projected, crossesOn } = status;
  const amount = (value: Decimal): string => formatCell(value, { kind: unit });
  const whole = formatLimit(String(limit), unit);
  const level = used >= 1 ? 'error' : used >= 0.9 || crossesOn !== undefined ? 'warning' : 'circle-outline';
  const isLimited = !isUnlimited(String(limit));
  const said = isLimited ? vscode.l10n.t('{0} of {1}', formatShare(used), whole) : whole;
  const lines = [
    name,
    vscode.l10n.t('{0} of {1} used this month', amount(spent), whole),
    ...(used >= 1 ? [vscode.l10n.t('Over the limit')] : []),
    ...(projected === undefined ? [] : [vscode.l10n.t('Projected: about {0} at month’s end', amount(projected))]),
    ...(crossesOn === undefined || used >= 1
      ? []
      : [vscode.l10n.t('Projected over the limit on {0}', formatDay(crossesOn))]),
  ];
  const colour = { error: 'problemsErrorIcon.foreground', warning: 'problemsWarningIcon.foreground' } as const;
  // A narrow side bar cuts off the end.
  const label = isLimited ? `${formatShare(used)} ${name}` : name;
  const description = isLimited ? vscode.l10n.t('of {0} {1}', whole, bar(used)) : whole;
  const made = row(label, description, level, { id: key });
  made.item.tooltip = lines.join('\n');
  if (level !== 'circle-outline')
    made.item.iconPath = new vscode.ThemeIcon(level, new vscode.ThemeColor(colour[level]));
  // A screen reader would read each block of the bar.
  made.item.accessibilityInformation = { label: [name, said, ...lines.slice(2)].join(', ') };
  return leadingTo(made, target);
}

const BAR = 10;

function bar(used: number): string {
  const full = Math.min(BAR, Math.floor(used * BAR));
  return '▰'.repeat(full) + '▱'.repeat(BAR - full);
}

/** Rows in place of a report, or above it: its load, or its failure. */
export function stateRows({ report, isLoading, error }: LoadedReport<Quality>): AnalyticsRow[] {
  const offline = report?.offline;
  if (error)
    return [
      // The title comes first, as a narrow side bar cuts the address and what is behind it.
      problem(viewErrorOf(error).title, error.code, error.message),
      ...(isConnectionProblem(error.code)
        ? [action(vscode.l10n.t('Connect Again'), 'plug', 'sextant.connectAnalytics')]
        : [action(vscode.l10n.t('Try Again'), 'refresh', 'sextant.refreshAnalytics')]),
    ];
  if (!report) return isLoading ? [row(vscode.l10n.t('Loading'), '', 'sync~spin')] : [];
  if (!offline) return [];
  const { title } = viewErrorOf(offline, { age: '' });
  const message = report.missing.length > 0 ? vscode.l10n.t('{0}, with gaps', title) : title;
  return [problem(message, offline.message), action(vscode.l10n.t('Try Again'), 'refresh', 'sextant.refreshAnalytics')];
}

function isConnectionProblem(code: string): boolean {
  return ['Unauthenticated', 'PermissionDenied', 'NotFound'].includes(code);
}

function problem(message: string, tooltip: string, detail = ''): AnalyticsRow {
  const made = row(message, detail, 'warning', { tooltip });
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
    tooltip: vscode.l10n.t('Days are in UTC. A day is complete at about 02:00 of the next day.'),
  });
}

function withGrowth(text: string, growth: number | undefined): string {
  return growth === undefined ? text : `${text} (${formatGrowth(growth)})`;
}

/** A row with rows below it; none without them. */
function group(label: string, icon: string, rows: readonly AnalyticsRow[]): AnalyticsRow[] {
  if (rows.length === 0) return [];
  const made = row(label, '', icon);
  made.item.collapsibleState = vscode.TreeItemCollapsibleState.Collapsed;
  // An item in two groups is two rows, which need different ids.
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
  // Otherwise a screen reader reads the tooltip, which repeats the label.
  item.accessibilityInformation = { label: description === '' ? label : `${label} ${description}` };
  return { item };
}
