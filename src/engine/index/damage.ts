import { SextantError, systemCode } from '../../base/errors.ts';

/** Part of an index that cannot be read, and the loss. */
export interface Damage {
  /** The file's name in the index folder. */
  readonly file: string;
  readonly what: string;
  /** Number of documents that are lost until they are added again; missing where it is not known. */
  readonly documents?: number;
}

/** A file of the index that is not as it was written. */
export class DamagedFile extends SextantError {
  readonly what: string;

  constructor(file: string, what: string) {
    super('IndexDamaged', `The index file ${file} is damaged (${what}).`);
    this.what = what;
  }
}

/** Whether an error means that a file exists without the bytes that were written to it. */
export function isDamage(error: unknown): boolean {
  return error instanceof DamagedFile || systemCode(error) === 'EIO';
}

/** The cause in a few words, for {@link Damage.what}. */
export function reasonOfDamage(error: unknown): string {
  if (error instanceof DamagedFile) return error.what;
  return systemCode(error) === 'ENOENT' ? 'it is missing' : 'the disk cannot read it';
}

/** Describes damage in one line, for a log. */
export function describeIndexDamage({ file, what, documents }: Damage): string {
  return `The index was damaged: ${file}, ${what}. ${describeLoss(documents)}`;
}

function describeLoss(documents: number | undefined): string {
  if (documents === 0) return 'Nothing is lost.';
  return `${documents === undefined ? 'All documents' : `${documents} documents`} are to be added again.`;
}
