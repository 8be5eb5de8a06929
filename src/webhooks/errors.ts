import { SextantError } from '../base/errors.ts';

/** Every failure of the webhooks room. Codes are stable; messages say what to do. */
export const webhookErrors = {
  /** `where` is a place in the filter such as `filter.and[1]`. */
  invalidFilter: (where: string, problem: string): SextantError =>
    new SextantError('InvalidFilter', `${where}: ${problem}`),
  journalClosed: (): SextantError =>
    new SextantError('JournalClosed', 'The journal is closed. Start the server again.'),
  damaged: (file: string, offset: number): SextantError =>
    new SextantError('JournalDamaged', `The record at byte ${offset} of ${file} is damaged. It cannot be shown.`),
};
