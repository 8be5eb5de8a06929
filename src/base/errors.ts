/**
 * The one error class of the project. `code` is stable and may be matched by programs; `message` is for a person and
 * gives the remedy; `cause` keeps the underlying error.
 */
export class SextantError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SextantError';
    this.code = code;
  }
}

/** Thrown when work ends because its `AbortSignal` fired. Never shown to a person. */
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

/** Whether the authority is unknown that signed the certificate of a service. */
export function isUnknownAuthority(error: unknown): boolean {
  return /SELF_SIGNED_CERT|UNABLE_TO_(VERIFY|GET_ISSUER)/.test(systemCode(error) ?? '');
}

/** Whether Sextant or the system reports it, as of a disk. Any other error is a fault of the program. */
export function isExpected(error: unknown): boolean {
  return error instanceof SextantError || systemCode(error) !== undefined;
}

/** Whether a file of the program is missing, as after its update while it runs: parts are loaded when they are needed. */
export function isFileMissing(error: unknown): boolean {
  return ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(systemCode(error) ?? '');
}

/** The end of a temporary file's name, which tells a person nothing. */
const TEMPORARY = /\.[0-9a-f]{12}\.tmp\b/g;

/** One line for a log or a terminal: the message and the messages of its causes. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (isFileMissing(error))
    return `A file of the program is missing: it was updated or removed while it ran, so start it again. (${error.message})`;
  const message = error.message.replace(TEMPORARY, '').replace(/\s*\n\s*/g, ' ');
  const cause = error.cause === undefined ? '' : describeError(error.cause);
  // A library may repeat the message of the cause.
  return cause === '' || message.includes(cause) ? message : `${message} (${cause})`;
}

/** Explains a failed write to `folder`: `DiskFull` or `ReadOnly`. Any other error is returned unchanged. */
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
      return new SextantError(
        'ReadOnly',
        // True for folders that users choose, and for those that an editor chooses.
        `${folder} cannot be written to. Check its permissions, and whether its disk is read-only.`,
        { cause: error },
      );
    default:
      return error;
  }
}

/**
 * Whether {@link explainWriteError} returned `DiskFull` or `ReadOnly`, or a file is open elsewhere (`FileInUse`): this cannot
 * be written for now, and all can be read.
 */
export function isWriteError(error: unknown): boolean {
  return error instanceof SextantError && ['DiskFull', 'ReadOnly', 'FileInUse'].includes(error.code);
}
