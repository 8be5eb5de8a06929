/**
 * The one error class of the house. `code` is stable and may be matched by programs; `message` is written for a
 * person and says what to do; `cause` keeps what went wrong underneath.
 */
export class SextantError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SextantError';
    this.code = code;
  }
}

/** Thrown where work was given up because its `AbortSignal` fired. Never shown to a person. */
export function cancelled(): SextantError {
  return new SextantError('Cancelled', 'The operation was cancelled.');
}

export function isCancelled(error: unknown): boolean {
  return error instanceof SextantError && error.code === 'Cancelled';
}

export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw cancelled();
}

/** The system's error code (`ENOENT`, `EACCES`, …) of a failed call, if it has one. */
export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** One line for a log or a terminal: the message, and the messages of its causes. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} (${describeError(error.cause)})`;
}

/**
 * What a failed write to `folder` means to a person: `DiskFull` or `ReadOnly`. Any other error is given back as it is.
 */
export function explainWriteError(error: unknown, folder: string): unknown {
  switch (systemCode(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new SextantError('DiskFull', `There is no space left for ${folder}. Free some; nothing was changed.`, {
        cause: error,
      });
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return new SextantError('ReadOnly', `${folder} cannot be written to. Allow it, or choose another folder.`, {
        cause: error,
      });
    default:
      return error;
  }
}
