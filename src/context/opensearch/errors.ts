import { SextantError } from '../../base/errors.ts';

export const openSearchErrors = {
  unavailable: (why: string, cause?: unknown): SextantError =>
    new SextantError(
      'StoreUnavailable',
      `OpenSearch does not answer (${short(why)}). Check its nodes and --opensearch-url.`,
      {
        cause,
      },
    ),
  busy: (cause?: unknown): SextantError =>
    new SextantError('StoreOverloaded', 'OpenSearch has too much to do. Try again later, or send less at a time.', {
      cause,
    }),
  full: (why: string, cause?: unknown): SextantError =>
    new SextantError(
      'DiskFull',
      `OpenSearch takes no more files, since its disks are nearly full (${short(why)}). Free space there.`,
      {
        cause,
      },
    ),
  denied: (cause?: unknown): SextantError =>
    new SextantError(
      'StoreDenied',
      'OpenSearch refuses the user or token of this server. Check its credentials and rights.',
      {
        cause,
      },
    ),
  refused: (why: string, cause?: unknown): SextantError =>
    new SextantError('StoreRefused', `OpenSearch refused a request: ${short(why)}`, { cause }),
  tooOld: (version: string): SextantError =>
    new SextantError('StoreTooOld', `OpenSearch ${version} has no filters by bitmap. Version 2.17 or newer is needed.`),
};

/** Runs work that a full disk must not prevent, such as to note a use: searches go on. */
export async function unlessFull(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isFull(error)) throw error;
  }
}

export function isFull(error: unknown): boolean {
  return error instanceof SextantError && error.code === 'DiskFull';
}

function short(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)} …` : text;
}
