/** A damaged range of a file of the journal. */
export interface JournalDamage {
  readonly file: string;
  readonly from: number;
  readonly to: number;
  /** The number of lost records; missing if unknown. */
  readonly records?: number;
  /** Whether the file is the mark of the last segment, which is needed to detect a loss at the end. */
  readonly isMark?: true;
}

const ADVICE = 'Restore the file from a backup, or have the deliveries sent again.';

/** One line for a log. */
export function describeJournalDamage({ file, from, to, records, isMark }: JournalDamage): string {
  if (isMark)
    return `The journal is damaged: ${file}, which notes its end, is missing or unreadable. Its newest records may be lost; all others are whole. ${ADVICE}`;
  const where = `The journal is damaged: ${file}, bytes ${from} to ${to}.`;
  if (records === 0) return `${where} No record is lost.`;
  const lost =
    records === undefined
      ? 'An unknown number of records is'
      : records === 1
        ? '1 record is'
        : `${records} records are`;
  return `${where} ${lost} lost; all others are whole. ${ADVICE}`;
}
