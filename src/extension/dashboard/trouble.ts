import * as l10n from '@vscode/l10n';
import type { SextantError } from '../../base/errors.ts';
import type { Quality } from '../../analytics/reports/report.ts';
import { describeRange, type DayRange } from '../../analytics/dateRules.ts';
import type { NextStep } from '../../protocol/dashboardChoices.ts';
import type { ViewError } from '../../protocol/dashboardView.ts';
import { describeDays } from './figures.ts';

/** What is shown all the same, and what happens by itself. */
export interface Circumstances {
  /** How old what is shown is, where something is. */
  readonly age?: string | undefined;
  /** When the service is asked again, in milliseconds since 1970. */
  readonly goesOnAt?: number | undefined;
}

/** What a failure means to a person, and what can be done about it. */
export function troubleOf(error: SextantError, { age, goesOnAt }: Circumstances = {}): ViewError {
  const of = (kind: ViewError['kind'], title: string, ...next: NextStep[]): ViewError => {
    const known = age === undefined ? '' : l10n.t('What is shown is of {0}.', age);
    const what = goesOnAt === undefined ? error.message : goesOn(goesOnAt);
    return { kind, title, message: sentences(what, known), next };
  };
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
      return of('rate-limited', l10n.t('The service asks for a pause'), 'retry');
    case 'Unreachable':
    case 'TimedOut':
      return of('offline', age === undefined ? l10n.t('The service cannot be reached') : l10n.t('Offline: this is what is known'), 'retry', 'connect');
    case 'ServiceFailed':
      return of('failed', age === undefined ? l10n.t('The service fails') : l10n.t('The service fails: this is what is known'), 'retry');
    default:
      return of('failed', l10n.t('Something went wrong'), 'retry', 'log');
  }
} // prettier-ignore

/** What is amiss with a report that is there; nothing where it is whole and new. */
export function troubleOfReport({ offline, missing, asOf }: Quality, { age, goesOnAt }: Circumstances): ViewError | undefined {
  const days = [...new Set(missing.map(describeDayRange))].join(', ');
  if (offline) {
    const trouble = troubleOf(offline, { age: asOf && age, goesOnAt });
    if (asOf === undefined || days === '') return trouble;
    return { ...trouble, message: sentences(trouble.message, l10n.t('Not known, or only in part: {0}.', days)) };
  }
  if (days === '') return undefined;
  return {
    kind: 'partial',
    title: l10n.t('Some days are not there yet'),
    message: l10n.t('{0}. The service has a day from about 02:00 UTC of the next one on.', days),
    next: ['retry'],
  };
} // prettier-ignore

/** While something loads, and the service wants to be asked later. */
export function troubleOfPause(goesOnAt: number): ViewError {
  return {
    kind: 'rate-limited',
    title: l10n.t('The service asks for a pause'),
    message: goesOn(goesOnAt),
    next: [],
  };
}

function goesOn(moment: number): string {
  return l10n.t(
    'It takes no requests until {0} UTC. This page goes on by itself then.',
    new Date(moment).toISOString().slice(11, 19),
  );
}

function sentences(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}

/** `2026-11-14 to 2026-11-20` */
export function describeDayRange(range: DayRange): string {
  const { effective_start_date: first, effective_end_date: last } = describeRange(range);
  return describeDays(first, last);
}
