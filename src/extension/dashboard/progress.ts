import * as l10n from '@vscode/l10n';
import { endpoints, RATE_LIMITS } from '../../analytics/contract.ts';
import type { ReportStore } from '../../analytics/reports/reportStore.ts';
import { formatCount, formatDuration } from '../../base/format.ts';
import type { LoadProgress } from '../../protocol/dashboardView.ts';

const PER_PAGE = endpoints.userActivity.pageSize?.maximum ?? 1;
const { perMinute } = RATE_LIMITS[endpoints.userActivity.rateGroup];

/** Progress of the load of languages; undefined once all days are there. */
export function languageProgress(store: ReportStore): LoadProgress | undefined {
  const { isLoading, isStopped } = store.state('languages');
  const report = store.report('languages');
  if (!report || report.daysDone === report.days) return undefined;
  const { daysDone: done, days, rows, secondsLeft } = report;
  const state = l10n.t('{0} of {1} days', done, days);
  if (isLoading) {
    const next = rows > 0 ? `, ${l10n.t('{0} rows of the next', formatCount(rows))}` : '';
    const text = `${state}${next}${timeLeft(secondsLeft)}`;
    return { state: 'running', done, of: days, text, next: ['stop'] };
  }
  const text = l10n.t('Stopped: {0}. The loaded days stay.', state);
  return isStopped ? { state: 'stopped', done, of: days, text, next: ['resume'] } : undefined;
}

/** Progress of the load of people; undefined before the first, and once all are there. */
export function peopleProgress(store: ReportStore): LoadProgress | undefined {
  const { isLoading, isStopped, report } = store.state('people');
  const done = report?.people.length ?? 0;
  if (report?.distinct !== undefined || (isLoading && done === 0)) return undefined;
  // The total is unknown until the end. Accounts with spending are counted early, and are nearly all; the busiest day
  // is a lower bound.
  const withSpending = store.report('spending')?.points.length ?? 0;
  const busiest = Math.max(0, ...(store.report('usage')?.days ?? []).map(({ active }) => active ?? 0));
  const of = Math.max(withSpending, busiest);
  const state = describePeople(done, of, withSpending > 0);
  const bar = { done, of: done >= of ? 0 : of };
  if (isStopped)
    return {
      ...bar,
      state: 'stopped',
      text: l10n.t('Stopped: {0}. The loaded people stay.', state),
      next: ['resume'],
    };
  if (!isLoading) return undefined;
  const seconds = (Math.ceil((of - done) / PER_PAGE) / perMinute) * 60;
  const text = `${state}${timeLeft(done >= of ? undefined : seconds)}`;
  return { ...bar, state: 'running', text, next: ['stop'] };
}

function describePeople(done: number, of: number, isEstimate: boolean): string {
  const count = formatCount(done);
  if (done >= of) return l10n.t('{0} people so far', count);
  return isEstimate
    ? l10n.t('{0} of about {1} people', count, formatCount(of))
    : l10n.t('{0} of at least {1} people', count, formatCount(of));
}

function timeLeft(seconds: number | undefined): string {
  return seconds === undefined ? '' : `, ${l10n.t('about {0} left', formatDuration(seconds))}`;
}
