import type { AnalyticsData } from '../../analytics/client/analyticsData.ts';
import type { ReportStore } from '../../analytics/reports/reportStore.ts';
import type { ShownAccount } from '../../protocol/dashboardView.ts';
import type { BudgetEditor } from './budgetEditor.ts';
import type { WindowNames } from './windowNames.ts';

/** The figures of a connected organization. */
export interface OrganizationData {
  readonly name: string;
  readonly data: AnalyticsData;
}

/** The connected account, for the dashboard. */
export interface AnalyticsSource {
  readonly account: ShownAccount;
  /** The reports of the side bar. */
  readonly reports: ReportStore | undefined;
  /** All connected organizations. */
  readonly organizations: () => Promise<readonly OrganizationData[]>;
  readonly editor: BudgetEditor;
  readonly names: WindowNames;
}
