import * as l10n from '@vscode/l10n';
import type { SextantError } from '../../base/errors.ts';
import type { Quality } from '../../analytics/reports/report.ts';
import { describeRange, type DayRange } from '../../analytics/dateRules.ts';
import type { NextStep } from '../../protocol/dashboardChoices.ts';
import type { Trouble } from '../../protocol/dashboardView.ts';
import { describeDays } from './figures.ts';

/** What a failure means to a person, and what can be done about it. `isKnown`: something is shown all the same. */
export function troubleOf(error: SextantError, isKnown: boolean): Trouble {
  const { message } = error;
  const of = (kind: Trouble['kind'], title: string, ...next: NextStep[]): Trouble => ({ kind, title, message, next });
  switch (error.code) {
    case 'Unauthenticated':
      return of('unauthenticated', l10n.t('The token is refused'), 'connect', 'retry');
    case 'PermissionDenied':
      return of('forbidden', l10n.t('The token may not read this'), 'connect', 'retry');
    case 'NotFound':
    case 'UnexpectedResponse':
      return of('failed', l10n.t('There is no analytics API'), 'connect', 'retry');
    case 'InvalidArgument':
      return of('range', l10n.t('These days cannot be asked for'), 'week');
    case 'RateLimited':
      return of('rate-limited', l10n.t('The service wants a pause'), 'retry');
    case 'Unreachable':
    case 'TimedOut':
      return of('offline', isKnown ? l10n.t('Offline: this is what is known') : l10n.t('The service cannot be reached'), 'retry', 'connect');
    case 'ServiceFailed':
      return of('failed', isKnown ? l10n.t('The service fails: this is what is known') : l10n.t('The service fails'), 'retry');
    default:
      return of('failed', l10n.t('Something went wrong'), 'retry', 'log');
  }
} // prettier-ignore

/** What is amiss with a report that is there; nothing where it is whole and new. */
export function troubleOfReport(report: Quality): Trouble | undefined {
  const { offline, missing, asOf } = report;
  const days = [...new Set(missing.map(describeDayRange))].join(', ');
  if (offline) {
    const trouble = troubleOf(offline, asOf !== undefined);
    if (asOf === undefined || days === '') return trouble;
    return { ...trouble, message: `${trouble.message} ${l10n.t('Of these days nothing is known: {0}.', days)}` };
  }
  if (days === '') return undefined;
  return {
    kind: 'partial',
    title: l10n.t('Some days are missing'),
    message: days,
    next: ['retry'],
  };
}

/** `2026-11-14 to 2026-11-20` */
export function describeDayRange(range: DayRange): string {
  const { effective_start_date: first, effective_end_date: last } = describeRange(range);
  return describeDays(first, last);
}
