import * as l10n from '@vscode/l10n';
import {
  spendingColumn,
  titleOfColumn,
  type GroupReport,
  type GroupReports,
  type GroupUse,
} from '../../analytics/groups/groupReport.ts';
import { attentionTable, type GroupAttention } from '../../analytics/groups/attentionByGroup.ts';
import type { GroupBudgetReport } from '../../analytics/groups/groupBudgets.ts';
import { UNMAPPED } from '../../analytics/groups/groups.ts';
import { growthOfAmount, movers, shareOfAmount } from '../../analytics/insights/compare.ts';
import { acceptance } from '../../analytics/insights/people.ts';
import { formatGrowth, formatShare, type Cell, type Table } from '../../analytics/reports/table.ts';
import { roundedPrice } from '../../analytics/reports/tables.ts';
import { formatCount } from '../../base/format.ts';
import type { Decimal } from '../../base/decimal.ts';
import type { Choices } from '../../protocol/dashboardView.ts';
import type { AccountNames } from '../analytics/accountNames.ts';
import { none, type Content, type ViewOptions } from './content.ts';
import { amountText, barFigure, matchesFilter, tile, type Figure } from './figures.ts';
import type { ListColumn, SourceRow } from './rowList.ts';
import { groupLimitFigure } from './groupLimitFigure.ts';
import { moverFigure } from './spendingFigures.ts';

/** Largest number of bars. */
const BARS = 15;
const MOVERS = 8;

/** The report of the chosen column, or else of the first. */
export function chosenColumn(
  columns: readonly GroupReport[],
  { column }: Pick<Choices, 'column'>,
): GroupReport | undefined {
  return columns.find((one) => one.column === column) ?? columns[0];
}

export function teamColumns({ column, unit }: GroupReport): ListColumn[] {
  const spending = spendingColumn(unit);
  const isUsd = unit === 'usd';
  return [
    { name: column, title: titleOfColumn(column), kind: 'text', about: '' },
    {
      name: 'people',
      title: l10n.t('People'),
      kind: 'count',
      about: l10n.t('Different active accounts. One that moved counts in both groups.'),
    },
    { name: 'total_messages', title: l10n.t('Messages'), kind: 'count', about: '' },
    { name: 'total_modified_lines_of_code', title: l10n.t('Lines'), kind: 'count', about: '' },
    {
      name: 'acceptance_by_suggestions',
      title: l10n.t('Accepted'),
      kind: 'share',
      about: l10n.t('Accepted completions as a share of suggested ones.'),
    },
    { ...spending, title: isUsd ? l10n.t('Cost') : l10n.t('Credits'), about: l10n.t('Sum of these days.') },
    { name: 'share', title: l10n.t('Share'), kind: 'share', about: l10n.t('Of the spending of all groups.') },
    {
      name: `${spending.name}_per_person`,
      title: l10n.t('Per person'),
      kind: unit,
      about: l10n.t('Spending of the group, divided by its active accounts.'),
    },
    { name: `${spending.name}_before`, title: l10n.t('Before'), kind: unit, about: l10n.t('In the previous period.') },
  ];
}

export function teamRows({ groups }: GroupReport, names: AccountNames): SourceRow[] {
  const sum = sumOfGroups(groups);
  return groups.map((one) => {
    const name = names.ofGroup(one.name);
    const { metrics, people, amount } = one;
    const cells: Cell[] = [
      ...[name, people, metrics.total_messages, metrics.total_modified_lines_of_code],
      acceptance(metrics).bySuggestions,
      amount,
      shareOfAmount(amount, sum),
      roundedPrice(one.perPerson),
      one.before,
    ];
    return { id: name, tone: one.name === UNMAPPED ? 'warning' : 'plain', used: null, cells };
  });
}

/** What the page has besides the report of groups. */
export interface TeamParts {
  readonly budgets: GroupBudgetReport | undefined;
  /** Accounts of each group that need attention, of the reports that are loaded. */
  readonly attention: readonly GroupAttention[];
}

/** Use and spending of teams, cost centres, or any other column of the group file. */
export function teamsContent(
  { columns }: GroupReports,
  { budgets, attention }: TeamParts,
  options: ViewOptions,
): Content {
  const report = chosenColumn(columns, options.choices);
  if (!report) return noGroups();
  if (report.groups.length === 0)
    return {
      ...{ tiles: [], figures: [], table: none },
      empty: { title: l10n.t('No use on these days'), message: l10n.t('Choose other days above.') },
    };
  const { compare } = options.choices;
  const isCompared = compare && report.groups.some(({ before }) => before !== undefined);
  return {
    tiles: tilesOf(report, options),
    figures: [
      spendingFigure(report, options),
      ...(budgets ? groupLimitFigure(budgets, options, report.column) : []),
      ...attentionFigure(report, attention, options),
      ...(isCompared ? changes(report, options) : []),
      ...personFigure(report, options),
    ],
    table: none,
    empty: null,
  };
}

function noGroups(): Content {
  return {
    ...{ tiles: [], figures: [], table: none },
    empty: {
      title: l10n.t('No teams are known yet'),
      message: l10n.t(
        'The service knows accounts alone. A file says who is in which team or cost center: sextant-groups.csv in the folder, or another.',
      ),
      next: ['createGroups', 'chooseGroups'],
    },
  };
}

function tilesOf({ groups, unit }: GroupReport, { choices, names }: ViewOptions): Content['tiles'] {
  const sum = sumOfGroups(groups);
  const named = groups.filter(({ name }) => name !== UNMAPPED);
  const unmapped = groups.find(({ name }) => name === UNMAPPED);
  const [most] = named;
  const dearest = [...named].sort((a, b) => ((b.perPerson ?? -1n) > (a.perPerson ?? -1n) ? 1 : -1))[0];
  const isKnown = choices.compare && groups.some(({ before }) => before !== undefined);
  const before = groups.reduce((all, one) => all + (one.before ?? 0n), 0n);
  return [
    tile('total', l10n.t('Together'), amountText(sum, unit), l10n.t('Sum of all groups, and of who is in none.'), {
      note: isKnown ? l10n.t('{0} since the previous period', formatGrowth(growthOfAmount(sum, before))) : '',
    }),
    tile('most', l10n.t('Most'), most ? names.ofGroup(most.name) : '–', l10n.t('The highest spending.'), {
      note: most ? `${amountText(most.amount, unit)}, ${formatShare(shareOfAmount(most.amount, sum))}` : '',
    }),
    tile(
      'dearest',
      l10n.t('Most per person'),
      dearest ? names.ofGroup(dearest.name) : '–',
      l10n.t('The highest spending for each active account.'),
      { note: amountText(dearest?.perPerson, unit) },
    ),
    tile(
      'unmapped',
      l10n.t('In no group'),
      l10n.t('{0} people', formatCount(unmapped?.people ?? 0)),
      l10n.t('Accounts that the file does not name, bots, and deleted accounts.'),
      {
        note: amountText(unmapped?.amount ?? 0n, unit),
        tone: unmapped && unmapped.people > 0 ? 'warning' : 'plain',
      },
    ),
  ];
}

function shownGroups({ groups }: GroupReport, { choices, names }: ViewOptions): GroupUse[] {
  return groups.filter(({ name }) => matchesFilter(names.ofGroup(name), choices.filter));
}

function spendingFigure(report: GroupReport, options: ViewOptions): Figure {
  const { unit, column } = report;
  const shown = shownGroups(report, options);
  const [first] = shown;
  const title = unit === 'usd' ? l10n.t('Cost by group') : l10n.t('Credits by group');
  return barFigure(
    {
      id: 'by-group',
      title,
      about: l10n.t('Sums of these days, the largest first. Each day counts in the group of that day.'),
      summary: first
        ? l10n.t('Most: {0}, {1}.', options.names.ofGroup(first.name), amountText(first.amount, unit))
        : l10n.t('None.'),
    },
    unit,
    [title],
    shown.slice(0, BARS).map(({ name, amount }) => ({
      name: options.names.ofGroup(name),
      cells: [amount],
      text: amountText(amount, unit),
    })),
    tableOf(
      column,
      spendingColumn(unit).name,
      title,
      unit,
      shown.map(({ name, amount }) => [options.names.ofGroup(name), amount]),
    ),
  );
}

/** Who is over or near a limit, spends unusually, or stopped, by group. */
function attentionFigure({ column }: GroupReport, found: readonly GroupAttention[], options: ViewOptions): Figure[] {
  const shown = found
    .map((one) => ({ ...one, name: options.names.ofGroup(one.name) }))
    .filter(({ name }) => matchesFilter(name, options.choices.filter));
  const [first] = shown;
  if (!first) return [];
  const sum = (one: GroupAttention): number => one.over + one.near + one.unusual + one.stopped + one.never;
  return [
    barFigure(
      {
        id: 'attention-by-group',
        title: l10n.t('Accounts that need attention'),
        about: l10n.t(
          'Accounts over or near their limit, with unusual spending, that stopped, or never began, by their group of today.',
        ),
        summary: l10n.t('Most: {0}, {1}.', first.name, formatCount(sum(first))),
      },
      'count',
      [l10n.t('Over'), l10n.t('Near'), l10n.t('Unusual'), l10n.t('Stopped'), l10n.t('Never active')],
      shown.slice(0, BARS).map((one) => ({
        name: one.name,
        cells: [one.over, one.near, one.unusual, one.stopped, one.never],
        text: formatCount(sum(one)),
      })),
      attentionTable(shown, column),
    ),
  ];
}

function personFigure(report: GroupReport, options: ViewOptions): Figure[] {
  const { unit, column } = report;
  const shown = shownGroups(report, options)
    .flatMap(({ name, perPerson }) =>
      perPerson === undefined ? [] : [{ name: options.names.ofGroup(name), perPerson: roundedPrice(perPerson) ?? 0n }],
    )
    .sort((a, b) => (a.perPerson === b.perPerson ? 0 : a.perPerson > b.perPerson ? -1 : 1));
  const [first] = shown;
  if (!first) return [];
  const title = unit === 'usd' ? l10n.t('Cost per person') : l10n.t('Credits per person');
  return [
    barFigure(
      {
        id: 'per-person',
        title,
        about: l10n.t('Spending of the group, divided by its active accounts.'),
        summary: l10n.t('Most: {0}, {1}.', first.name, amountText(first.perPerson, unit)),
      },
      unit,
      [title],
      shown
        .slice(0, BARS)
        .map(({ name, perPerson }) => ({ name, cells: [perPerson], text: amountText(perPerson, unit) })),
      tableOf(
        column,
        `${spendingColumn(unit).name}_per_person`,
        title,
        unit,
        shown.map(({ name, perPerson }) => [name, perPerson]),
      ),
    ),
  ];
}

function changes(report: GroupReport, options: ViewOptions): Figure[] {
  const shown = shownGroups(report, options);
  const of = (amount: (one: GroupUse) => Decimal) =>
    shown.map((one) => ({ key: one.name, name: options.names.ofGroup(one.name), amount: amount(one) }));
  const changed = movers(
    of(({ amount }) => amount),
    of(({ before = 0n }) => before),
    MOVERS,
  );
  if (changed.length === 0) return [];
  return [
    moverFigure(
      { movers: changed, unit: report.unit },
      { name: report.column, title: titleOfColumn(report.column) },
      l10n.t('Groups with the largest change, up or down, since the previous period.'),
    ),
  ];
}

function tableOf(column: string, name: string, title: string, unit: GroupReport['unit'], rows: Table['rows']): Table {
  return {
    columns: [
      { name: column, title: titleOfColumn(column), kind: 'text' },
      { name, title, kind: unit },
    ],
    rows,
  };
}

function sumOfGroups(groups: readonly GroupUse[]): Decimal {
  return groups.reduce((all, { amount }) => all + amount, 0n);
}
