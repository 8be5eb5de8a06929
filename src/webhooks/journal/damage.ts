/** A stretch of a file of the journal that is not as it was written. */
export interface JournalDamage {
  readonly file: string;
  readonly from: number;
  readonly to: number;
  /** The number of records that are lost; missing where it is not known. */
  readonly records?: number;
}

/** One line for a log. */
export function describeDamage({ file, from, to, records }: JournalDamage): string {
  const lost =
    records === undefined
      ? 'An unknown number of records is'
      : records === 1
        ? '1 record is'
        : `${records === 0 ? 'No' : records} records are`;
  const advice = records === 0 ? '' : ' Restore the file from a backup, or have the deliveries sent again.';
  return `The journal is damaged: ${file}, bytes ${from} to ${to}. ${lost} lost; all others are whole.${advice}`;
}
