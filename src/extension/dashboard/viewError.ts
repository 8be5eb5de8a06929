import * as l10n from '@vscode/l10n';
import { isOffline } from '../../analytics/client/errors.ts';
import type { SextantError } from '../../base/errors.ts';
import { formatDuration } from '../../base/format.ts';
import type { Quality } from '../../analytics/reports/report.ts';
import type { LoadedReport } from '../../analytics/reports/reportStore.ts';
import { describeRange, type DayRange } from '../../analytics/dateRules.ts';
import type { NextStep } from '../../protocol/dashboardChoices.ts';
import type { ViewError } from '../../protocol/dashboardView.ts';
import { formatDays } from './figures.ts';

/** Circumstances of a failure. */
export interface Circumstances {
  /** Age of the shown figures, if there are any. */
  readonly age?: string | undefined;
  /** Time of the next request, in milliseconds since 1970. */
  readonly goesOnAt?: number | undefined;
}

/** Explains a failure, with the possible next steps. */
export function viewErrorOf(error: SextantError, { age, goesOnAt }: Circumstances = {}): ViewError {
  const of = (kind: ViewError['kind'], title: string, ...next: NextStep[]): ViewError => {
    const known = age === undefined ? '' : l10n.t('The figures are from {0}.', age);
    const what = goesOnAt === undefined || !isOffline(error) ? error.message : goesOn(goesOnAt);
    return { kind, title, message: sentences(what, known), next };
  };
  switch (error.code) {
    case 'Unauthenticated':
      return of('unauthenticated', l10n.t('The token is refused'), 'connect', 'retry');
    case 'PermissionDenied':
      return of('forbidden', l10n.t('The token lacks permission'), 'connect', 'retry');
    case 'NotFound':
      return of('failed', l10n.t('No analytics API found'), 'connect', 'retry');
    case 'UnexpectedResponse':
      return of('failed', l10n.t('Unexpected answer of the service'), 'connect', 'retry');
    case 'InvalidArgument':
      return of('range', l10n.t('These days are not available'), 'week');
    case 'RateLimited':
      return of('rate-limited', l10n.t('The service asks for a pause'), 'retry');
    case 'Unreachable':
    case 'TimedOut':
      return of(
        'offline',
        age === undefined ? l10n.t('The service cannot be reached') : l10n.t('Offline – showing cached data'),
        'retry',
        'connect',
      );
    case 'GroupsUnreadable':
      return of('failed', l10n.t('The group file cannot be read'), 'retry', 'chooseGroups');
    case 'ServiceFailed':
      return of(
        'failed',
        age === undefined ? l10n.t('The service fails') : l10n.t('The service fails – showing cached data'),
        'retry',
      );
    default:
      return of('failed', l10n.t('Something went wrong'), 'retry', 'log');
  }
}

/** Explains the first failure, gap or pause of some reports; `age` is that of the shown figures. */
export function viewErrorOfStates(
  states: readonly LoadedReport<Quality>[],
  age: string | undefined,
  now: number,
): ViewError | undefined {
  const later = (moment: number): number | undefined => (moment > now ? moment : undefined);
  for (const { error, report, pausedUntil } of states)
    if (error) return viewErrorOf(error, { age: report && age, goesOnAt: later(pausedUntil) });
  const pause = pauseIn(states, age, now);
  if (pause) return pause;
  for (const { report, pausedUntil } of states) {
    const viewError = report && viewErrorOfReport(report, { age, goesOnAt: later(pausedUntil) });
    if (viewError) return viewError;
  }
  return undefined;
}

/** Explains the longest pause of running loads. */
function pauseIn(
  states: readonly LoadedReport<Quality>[],
  age: string | undefined,
  now: number,
): ViewError | undefined {
  const paused = states.filter(({ isLoading, pausedUntil }) => isLoading && pausedUntil > now);
  const [last] = paused.sort((a, b) => b.pausedUntil - a.pausedUntil);
  if (!last) return undefined;
  const isShown = states.some(({ report }) => report !== undefined);
  return viewErrorOfPause(last.pausedUntil, now, last.pausedBy, isShown ? age : undefined);
}

/** Explains that no figures can be limited to the chosen group. */
export function noSuchGroup(): ViewError {
  return {
    kind: 'failed',
    title: l10n.t('The group is unknown'),
    message: l10n.t('The group file has no such group. Choose another group above, or another file.'),
    next: ['chooseGroups'],
  };
}

/** Explains the gaps of a report; undefined if it is complete and current. */
function viewErrorOfReport(
  { offline, missing, asOf }: Quality,
  { age, goesOnAt }: Circumstances,
): ViewError | undefined {
  const days = [...new Set(missing.map(describeDayRange))].join(', ');
  if (offline) {
    const viewError = viewErrorOf(offline, { age: asOf && age, goesOnAt });
    if (asOf === undefined || days === '') return viewError;
    return { ...viewError, message: sentences(viewError.message, l10n.t('Missing or incomplete: {0}.', days)) };
  }
  if (days === '') return undefined;
  return {
    kind: 'partial',
    title: l10n.t('Some days are not available yet'),
    message: l10n.t('{0}. The service has a day at about 02:00 UTC of the next day.', days),
    next: ['retry'],
  };
}

/** Explains a pause during a load: that the service demands, or after its failure. */
function viewErrorOfPause(
  goesOnAt: number,
  now: number,
  reason: SextantError | undefined,
  age: string | undefined,
): ViewError {
  const known = age === undefined ? '' : l10n.t('The figures are from {0}.', age);
  const isFailure = reason !== undefined && reason.code !== 'RateLimited';
  const { kind, title } = isFailure
    ? viewErrorOf(reason, { age })
    : ({ kind: 'rate-limited', title: l10n.t('The service asks for a pause') } as const);
  const wait = isFailure
    ? l10n.t(
        '{0} The next attempt is at {1} UTC, in {2}.',
        reason.message,
        timeOf(goesOnAt),
        formatDuration((goesOnAt - now) / 1000),
      )
    : goesOn(goesOnAt);
  return { kind, title, message: sentences(wait, known), next: ['stop'] };
}

/** `09:31:10` */
function timeOf(moment: number): string {
  return new Date(moment).toISOString().slice(11, 19);
}

function goesOn(moment: number): string {
  return l10n.t('It accepts no requests until {0} UTC. This page then continues by itself.', timeOf(moment));
}

function sentences(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}

/** `2026-11-14 to 2026-11-20` */
export function describeDayRange(range: DayRange): string {
  const { effective_start_date: first, effective_end_date: last } = describeRange(range);
  return formatDays(first, last);
}
