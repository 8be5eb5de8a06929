import { SextantError } from '../base/errors.ts';

/** Every failure of the webhooks room. Codes are stable; messages say what to do. */
export const webhookErrors = {
  /** `where` is a place in the filter such as `filter.and[1]`. */
  invalidFilter: (where: string, problem: string): SextantError =>
    new SextantError('InvalidFilter', `${where}: ${problem}`),
  journalClosed: (): SextantError =>
    new SextantError('JournalClosed', 'The journal is closed. Start the server again.'),
  journalHeldUp: (events: number): SextantError =>
    new SextantError(
      'JournalHeldUp',
      `The journal has twice what it may keep, ${events} events, and the oldest still waits for its run. See what became of it with "sextant events list --status pending".`,
    ),
  damaged: (file: string, offset: number): SextantError =>
    new SextantError('JournalDamaged', `The record at byte ${offset} of ${file} is damaged. It cannot be shown.`),
  /** `field` is empty where it is the whole. */
  invalidDefinition: (kind: string, field: string, problem: string): SextantError =>
    new SextantError('InvalidDefinition', `${kind}${field === '' ? '' : `: ${field}`} ${problem}`),
  nameTaken: (kind: string, name: string): SextantError =>
    new SextantError(
      'NameTaken',
      `There is a ${kind} named ${name} already. Choose another name, or delete that first.`,
    ),
  noSuch: (kind: string, name: string): SextantError =>
    new SextantError('NoSuchDefinition', `There is no ${kind} named ${name.slice(0, 100)}.`),
  inUse: (kind: string, name: string, triggers: readonly string[]): SextantError =>
    new SextantError(
      'InUse',
      `The ${kind} ${name} is used by ${triggers.length === 1 ? 'the trigger' : 'the triggers'} ${triggers.join(', ')}, which would ${kind === 'webhook' ? 'be deleted with it' : 'no longer run'}. Give ${triggers.length === 1 ? 'it' : 'them'} another ${kind} first, or force it.`,
    ),
  definitionsDamaged: (file: string): SextantError =>
    new SextantError(
      'DefinitionsDamaged',
      `${file} and its copy are damaged. Restore one, or remove both to begin anew.`,
    ),
};
