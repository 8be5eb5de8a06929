import { attentionByGroup, attentionTable } from '../../analytics/groups/attentionByGroup.ts';
import { groupBudgetReport } from '../../analytics/groups/groupBudgets.ts';
import { groupFields, limitsOf } from '../../analytics/groups/groupLimits.ts';
import { qualityOf } from '../../analytics/reports/report.ts';
import { attentionOf, failureOf } from '../../analytics/reports/attention.ts';
import { allIsWell, describeAttention } from '../../analytics/reports/attentionTexts.ts';
import { budgetReport } from '../../analytics/reports/budgetReport.ts';
import { presenceReport } from '../../analytics/reports/presenceReport.ts';
import { readRosterFile } from '../../analytics/reports/rosterFile.ts';
import { unusualReport } from '../../analytics/reports/unusualReport.ts';
import type { AttentionItem } from '../../analytics/insights/attention.ts';
import type { Presence, PresenceSummary } from '../../analytics/insights/presence.ts';
import { formatDay } from '../../base/day.ts';
import { formatDecimal } from '../../base/decimal.ts';
import { ExitCode, printable, printJson, type Terminal } from '../terminal.ts';
import { describeAge, loading, openData, printTable, type AnalyticsOptions } from './analytics.ts';
import { readGroupFiles, readGrouping, type GroupOptions } from './grouping.ts';

export interface AttentionOptions extends AnalyticsOptions, GroupOptions {
  readonly roster?: string;
}

/** `sextant usage --attention`: who is over, what is unusual, who stopped. */
export async function runAttention(options: AttentionOptions, terminal: Terminal): Promise<ExitCode> {
  const roster = options.roster === undefined ? [] : await readRosterFile(options.roster);
  const grouping = await readGrouping(options, []);
  const whole = await openData(options, terminal);
  const data = grouping?.within(whole) ?? whole;
  const { groups, limits } = await readGroupFiles(options.groups);
  const { load, done } = loading(options, terminal);
  // The groups of a column are listed by their accounts.
  const ofGroups = grouping?.column === undefined ? limitsOf(limits, grouping?.chosen) : [];
  const [budgets, groupBudgets, unusual, presence] = await Promise.all([
    budgetReport(data, load),
    groupBudgetReport(whole, ofGroups, groups, load),
    unusualReport(data, load),
    presenceReport(data, load, roster),
  ]);
  done();
  if (grouping?.column !== undefined) {
    const { column } = grouping;
    const found = attentionByGroup({ budgets, unusual, presence }, grouping.groups, column, data.today);
    const about = `Accounts that need attention by ${column}, ${describeAge(qualityOf(budgets, unusual, presence).asOf)}`;
    await printTable(attentionTable(found, column), about, options, terminal);
    return found.length > 0 ? ExitCode.ok : ExitCode.nothingFound;
  }
  const reports = { budgets, groupBudgets, unusual, presence };
  const failed = Object.values(reports).flatMap((report) => failureOf({ report }));
  const { items, unit, lookedAt } = attentionOf(reports, failed, data.newestDay);
  const sentence = (item: AttentionItem): string => describeAttention(item, unit, (_, name) => name);
  if (options.json) {
    const rows = items.map((item) => ({ ...itemJson(item), text: sentence(item) }));
    printJson(attentionJson(unit, rows, lookedAt, presence.presence), terminal);
  } else {
    const lines = items.length === 0 ? [allIsWell()] : items.map((item) => `- ${printable(sentence(item))}`);
    terminal.stdout.write(`${lines.join('\n')}\n${lookedAt}\n`);
    if (presence.isTooLarge)
      terminal.stderr.write('sextant: Too many people are active to look for those who stopped.\n');
  }
  return items.length > 0 ? ExitCode.ok : ExitCode.nothingFound;
}

/** What needs attention, for programs. */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- JsonOutput has this type
export function attentionJson(
  unit: string | undefined,
  items: readonly (ReturnType<typeof itemJson> & { readonly text: string })[],
  lookedAt: string,
  presence: PresenceSummary | undefined,
) {
  return {
    unit,
    items,
    looked_at: lookedAt,
    weekly_active: presence?.weekly ?? null,
    monthly_active: presence?.monthly ?? null,
    people: (presence?.people ?? []).map(personJson),
  };
}

/** The figures of an item for programs, amounts in full. */
function itemJson(item: AttentionItem) {
  switch (item.kind) {
    case 'data':
      return { kind: item.kind, code: item.error.code, as_of: item.asOf ?? null };
    case 'unknown':
      return { kind: item.kind, ...groupFields(item.of) };
    case 'over':
    case 'near':
    case 'projected': {
      const { limit, spent, used, crossesOn } = item.status;
      const figures = { limit: String(limit), consumed: formatDecimal(spent), used };
      const { kind } = item;
      if (!('of' in item.status)) return { kind, account: item.status.identity.name, ...figures };
      const subject = groupFields(item.status.of);
      return { kind, ...subject, ...figures, crosses_on: crossesOn === undefined ? null : formatDay(crossesOn) };
    }
    case 'moreOver':
      if (item.of === 'groups') return { kind: 'over', groups: item.count };
      return { kind: 'over', count: item.count, amount: formatDecimal(item.amount) };
    case 'moreNear':
      if (item.of === 'groups') return { kind: 'near', groups: item.count };
      return { kind: 'near', count: item.count };
    case 'unusual': {
      const { subject, name, since, until, days, amount, usual, excess } = item.spending;
      return {
        kind: item.kind,
        subject,
        name,
        since,
        until,
        days,
        amount: formatDecimal(amount),
        usual: formatDecimal(usual),
        excess: formatDecimal(excess),
      };
    }
    case 'stopped':
    case 'never':
      return { kind: item.kind, people: item.people.map(personJson) };
  }
}

function personJson({ identity, kind, lastActive, activeDays }: Presence) {
  return { account: identity.name, kind, last_active: lastActive ?? null, active_days: activeDays };
}
