import { messages, type ErrorCode } from '../../analytics/contract.ts';
import { isFileMissing, SextantError } from '../../base/errors.ts';

/** The answer to a client: `{"error":{"code","message"}}` with the status of the code. */
export class HttpError extends SextantError {
  declare readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>>;
  /** For the owner of the server: the message, or details that clients do not get. */
  readonly reason: string;

  constructor(
    code: ErrorCode,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    { reason = message, ...options }: ErrorOptions & { readonly reason?: string | undefined } = {},
  ) {
    super(code, message, options);
    this.name = 'HttpError';
    this.headers = headers;
    this.reason = reason;
  }
}

export function errorText(code: ErrorCode, message: string): string {
  return JSON.stringify({ error: { code, message } });
}

/** Converts an error of any kind to one for clients, which shows only messages written for them. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof SextantError) {
    if (error.code === 'InvalidArgument' || error.code === 'BadData')
      return new HttpError('InvalidArgument', error.message, {}, { cause: error });
    if (['DiskFull', 'ReadOnly', 'FileInUse', 'JournalHeldUp', 'FolderNotOurs'].includes(error.code))
      return new HttpError('InsufficientStorage', error.message, {}, { cause: error });
    if (['LeaseLost', 'LogBroken'].includes(error.code))
      return new HttpError('ServiceUnavailable', error.message, {}, { cause: error });
    if (error.code === 'JournalDamaged') return new HttpError('Gone', error.message, {}, { cause: error });
    if (['InvalidDefinition', 'InvalidFilter'].includes(error.code))
      return new HttpError('InvalidArgument', error.message, {}, { cause: error });
    if (error.code === 'NoSuchDefinition') return new HttpError('NotFound', error.message, {}, { cause: error });
    if (error.code === 'NameTaken' || error.code === 'InUse')
      return new HttpError('Conflict', error.message, {}, { cause: error });
  }
  if (isFileMissing(error))
    return new HttpError(
      'ServiceUnavailable',
      'the server was updated while it ran; start it again',
      {},
      { cause: error },
    );
  return new HttpError('Internal', 'internal server error', {}, { cause: error });
}

export const httpErrors = {
  badRequest: (message: string): HttpError => new HttpError('InvalidArgument', message),
  unauthenticated: (reason?: string): HttpError =>
    new HttpError('Unauthenticated', messages.unauthenticated, { 'WWW-Authenticate': 'Bearer' }, { reason }),
  missingScope: (scope: string): HttpError => new HttpError('PermissionDenied', messages.missingScope(scope)),
  notEnterprise: (): HttpError => new HttpError('PermissionDenied', messages.notEnterprise),
  foreignHost: (part: string, name: string): HttpError => {
    const says = (what: string): string => `the ${part} names ${what}; --allow-host allows it`;
    return new HttpError('PermissionDenied', says('another host'), {}, { reason: says(name.slice(0, 200)) });
  },
  forbidden: (message: string): HttpError => new HttpError('PermissionDenied', message),
  notFound: (what: string, reason?: string): HttpError =>
    new HttpError('NotFound', `there is no ${what}`, {}, { reason }),
  methodNotAllowed: (allowed: readonly string[]): HttpError =>
    new HttpError('MethodNotAllowed', `this path answers ${allowed.join(' and ')} only`, { Allow: allowed.join(', ') }),
  timeout: (): HttpError => new HttpError('RequestTimeout', 'the request did not arrive in time'),
  tooLarge: (maxBytes: number): HttpError =>
    new HttpError('PayloadTooLarge', `the request body cannot be larger than ${maxBytes} bytes`),
  tooManyBodies: (): HttpError =>
    new HttpError('ServiceUnavailable', 'too many request bodies are under way; try again', { 'Retry-After': '1' }),
  mediaType: (types: readonly string[]): HttpError =>
    new HttpError('UnsupportedMediaType', `Content-Type must be ${types.join(' or ')}, in UTF-8`),
  contentEncoding: (): HttpError =>
    new HttpError('UnsupportedMediaType', 'the request body must come without Content-Encoding'),
  expectation: (): HttpError => new HttpError('ExpectationFailed', 'no Expect but 100-continue is understood'),
  rateLimited: (seconds: number, message: string = messages.rateLimited): HttpError =>
    new HttpError('ResourceExhausted', message, { 'Retry-After': String(seconds) }),
};
