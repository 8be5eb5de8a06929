import { SextantError } from '../../base/errors.ts';
import type { TokenScope } from '../contract.ts';

/** Every failure of budget changes besides those of the client. Codes are stable; messages give the remedy. */
export const budgetErrors = {
  busy: (pid: number): SextantError =>
    new SextantError(
      'BatchBusy',
      `Another window or command${pid > 0 ? ` (process ${pid})` : ''} is changing budgets of this account. Wait until it is done.`,
    ),
  interrupted: (): SextantError =>
    new SextantError(
      'BatchInterrupted',
      'The last batch was interrupted and is not settled. Resume it, or have it verified, before you change more.',
    ),
  noBatch: (): SextantError =>
    new SextantError('NoBatch', 'There is no batch: nothing was changed from here with this account.'),
  notInterrupted: (): SextantError =>
    new SextantError('NotInterrupted', 'The last batch is settled: there is nothing to resume.'),
  nothingToChange: (): SextantError => new SextantError('NothingToChange', 'There is nothing to change.'),
  newerJournal: (file: string): SextantError =>
    new SextantError('JournalNewer', `${file} is of a newer version of Sextant. Update this one.`),
  damagedJournal: (file: string): SextantError =>
    new SextantError(
      'JournalDamaged',
      `${file} is damaged: what that batch changed is not known any more. Look at the budgets as they are, then remove the file.`,
    ),
  notText: (): SextantError =>
    new SextantError('NotText', 'The file is not text in UTF-8 or UTF-16. Save it as "CSV UTF-8".'),
  /** Names the permission, as the service's message may not. */
  missingPermission: (scope: TokenScope, cause: SextantError): SextantError =>
    new SextantError(
      'PermissionDenied',
      `${cause.message} ${scope === 'budgets:write' ? 'Changing' : 'Reading'} budgets needs the permission ${scope}.`,
      { cause },
    ),
};
