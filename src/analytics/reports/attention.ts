import { formatDay, type Day } from '../../base/day.ts';
import type { SextantError } from '../../base/errors.ts';
import type { GroupBudgetReport } from '../groups/groupBudgets.ts';
import { attentionItems, type AttentionItem } from '../insights/attention.ts';
import type { BudgetReport } from './budgetReport.ts';
import { describeLookedAt } from './attentionTexts.ts';
import type { Unit } from './costReport.ts';
import type { PresenceReport } from './presenceReport.ts';
import type { Quality } from './report.ts';
import type { ReportName, ReportStore } from './reportStore.ts';
import type { UnusualReport } from './unusualReport.ts';

/** What needs attention, as far as it is known. */
export interface Attention {
  readonly items: readonly AttentionItem[];
  readonly unit: Unit;
  /** What was looked at; empty while nothing is known. */
  readonly lookedAt: string;
  readonly isLoading: boolean;
}

/** The reports behind the list. */
export const ATTENTION_REPORTS = [
  'budgets',
  'groupBudgets',
  'unusual',
  'presence',
] as const satisfies readonly ReportName[];
/** The reports whose failure is in the list besides. */
const OTHERS = ['usage', 'cost'] as const satisfies readonly ReportName[];

export interface AttentionReports {
  readonly budgets: BudgetReport | undefined;
  readonly groupBudgets: GroupBudgetReport | undefined;
  readonly unusual: UnusualReport | undefined;
  readonly presence: PresenceReport | undefined;
}

/** Builds the list from the reports that are known. */
export function attentionOf(
  { budgets, groupBudgets, unusual, presence }: AttentionReports,
  failed: readonly { readonly error: SextantError; readonly asOf: string | undefined }[],
  last: Day,
): Omit<Attention, 'isLoading'> {
  const people = presence?.presence?.people ?? presence?.early;
  return {
    items: attentionItems({
      ...{ failed, unknown: groupBudgets?.unknown },
      ...{ statuses: budgets?.statuses, groups: groupBudgets?.statuses, unusual: unusual?.found, people },
    }),
    // Limits have the unit of the plan, which days without spending do not show.
    unit:
      [budgets, groupBudgets].find((one) => one?.statuses.length)?.unit ?? unusual?.unit ?? budgets?.unit ?? 'credits',
    lookedAt: describeLookedAt({
      limits: budgets && budgets.statuses.length + (groupBudgets?.statuses.length ?? 0),
      accounts: unusual?.accounts,
      people: people?.length,
      last: formatDay(last),
    }),
  };
}

/** Builds the list from a store, also while its reports load. */
export function attentionIn(store: ReportStore): Attention {
  const states = [...ATTENTION_REPORTS, ...OTHERS].map((name) => store.state(name));
  const reports = {
    budgets: store.report('budgets'),
    groupBudgets: store.groupBudgets,
    unusual: store.report('unusual'),
    presence: store.report('presence'),
  };
  return {
    ...attentionOf(reports, states.flatMap(failureOf), store.data.newestDay),
    isLoading: ATTENTION_REPORTS.some((name) => store.state(name).isLoading && store.report(name) === undefined),
  };
}

/** The failure of a report that is missing or old. */
export function failureOf({
  report,
  error,
}: {
  readonly report?: Quality;
  readonly error?: SextantError;
}): { readonly error: SextantError; readonly asOf: string | undefined }[] {
  const failure = error ?? report?.offline;
  return failure ? [{ error: failure, asOf: report?.asOf }] : [];
}
