import type { ReportStore } from '../../analytics/reports/reportStore.ts';
import type { ShownAccount } from '../../protocol/dashboardView.ts';
import type { BudgetEditor } from './budgetEditor.ts';
import type { WindowNames } from './windowNames.ts';

/** The connected account, for the dashboard. */
export interface AnalyticsSource {
  readonly account: ShownAccount;
  /** The reports of the side bar. */
  readonly reports: ReportStore | undefined;
  readonly editor: BudgetEditor;
  readonly names: WindowNames;
}
