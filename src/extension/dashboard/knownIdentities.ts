import { identityOf, type Identity } from '../../analytics/identity.ts';
import { attentionIn } from '../../analytics/reports/attention.ts';
import { accountOf } from '../../analytics/reports/attentionTexts.ts';
import type { ReportStore } from '../../analytics/reports/reportStore.ts';

/** The accounts that the reports of the page and of the side bar name, and the shown person; some are repeated. */
export function knownIdentities(
  store: ReportStore | undefined,
  week: ReportStore | undefined,
  person: Identity | undefined,
): Identity[] {
  return [
    ...(store?.report('people')?.people ?? []).map(identityOf),
    ...(store?.report('budgets')?.statuses ?? []).map(({ identity }) => identity),
    ...(store?.report('budgets')?.others ?? []).map(({ identity }) => identity),
    ...(person ? [person] : []),
    ...(week?.report('people')?.people ?? []).map(identityOf),
    ...(store?.report('spending')?.topPeople ?? []).map(({ identity }) => identity),
    ...(store?.report('presence')?.presence?.people ?? []).map(({ identity }) => identity),
    ...(store ? attentionIn(store).items.flatMap((item) => accountOf(item) ?? []) : []),
  ];
}
