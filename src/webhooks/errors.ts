import { SextantError } from '../base/errors.ts';

interface Used {
  readonly name: string;
  readonly enabled: boolean;
}

const FAIL = 'which would fail';

function named(triggers: readonly Used[]): string {
  return `${triggers.length === 1 ? 'trigger' : 'triggers'} ${triggers.map(({ name }) => name).join(', ')}`;
}

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
      `The journal holds ${events} events, twice its limit, and the oldest still waits for its run. Find it with "sextant events list --status pending".`,
    ),
  damaged: (file: string, offset: number): SextantError =>
    new SextantError(
      'JournalDamaged',
      `The record at byte ${offset} of ${file} is damaged, and its content is lost. Restore the file from a backup, or have the delivery sent again.`,
    ),
  /** A record that retention dropped during a read. */
  dropped: (): SextantError => new SextantError('RecordDropped', 'The record is no longer kept.'),
  /** `field` is empty for the definition itself. */
  invalidDefinition: (kind: string, field: string, problem: string): SextantError =>
    new SextantError('InvalidDefinition', `${kind}${field === '' ? '' : `: ${field}`} ${problem}`),
  nameTaken: (kind: string, name: string): SextantError =>
    new SextantError(
      'NameTaken',
      `There is ${kind === 'expert' ? 'an' : 'a'} ${kind} named ${name} already. Choose another name, or delete that first.`,
    ),
  noSuch: (kind: string, name: string): SextantError =>
    new SextantError('NoSuchDefinition', `There is no ${kind} named ${name.slice(0, 100)}.`),
  /** `waiting` is the number of waiting runs. */
  inUse: (kind: string, name: string, triggers: readonly Used[], waiting = 0): SextantError => {
    const isWebhook = kind === 'webhook';
    const enabled = triggers.filter((trigger) => isWebhook || trigger.enabled);
    const disabled = triggers.filter((trigger) => !enabled.includes(trigger));
    const fate = isWebhook ? 'which would be deleted with it' : 'which would no longer run';
    const users = [
      ...(enabled.length > 0 ? [`the ${named(enabled)}, ${fate}`] : []),
      ...(disabled.length > 0 ? [`the disabled ${named(disabled)}`] : []),
      ...(waiting > 0
        ? [waiting === 1 ? `1 run that still waits, ${FAIL}` : `${waiting} runs that still wait, ${FAIL}`]
        : []),
    ];
    const those = triggers.length + waiting === 1 ? 'it' : 'them';
    const advice = triggers.length > 0 ? `Delete ${those} first` : `Wait for ${those}`;
    return new SextantError(
      'InUse',
      `The ${kind} ${name} is used by ${users.join(', and by ')}. ${advice}, or force it.`,
    );
  },
};
