import type { OverrideEntry } from '../../analytics/contract.ts';
import type { Clock } from '../../base/clock.ts';
import type { Cursors } from './cursors.ts';
import type { FactSource } from './factSource.ts';
import type { OverrideList } from './overrides.ts';

/** What the endpoints need. */
export interface AnalyticsContext {
  readonly clock: Clock;
  readonly cursors: Cursors;
  /** What is there now: facts are replaced as a whole. */
  facts(): FactSource;
  readonly overrides: OverrideList;
  /** Age of credits in milliseconds. */
  readonly creditsLagMs: number;
  /** Resolves when the changes will outlive the process; they are seen from then on. */
  changeOverrides(entries: readonly OverrideEntry[]): Promise<void>;
}
