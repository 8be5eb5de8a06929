import { SextantError } from '../base/errors.ts';

/** Of the body of a refusal so many characters are in the message. */
const MAX_BODY = 2000;

/**
 * A request of the service failed. `status` is its HTTP status; it is `undefined` where no answer came – refused, cut off,
 * too late – and `cause` tells of that.
 */
export class APIError extends SextantError {
  /** The HTTP status. */
  readonly status: number | undefined;
  /** What the service calls it. */
  readonly statusText: string | undefined;

  constructor(message: string, status?: number, statusText?: string, options?: ErrorOptions) {
    super('ApiError', message, options);
    this.name = 'APIError';
    this.status = status;
    this.statusText = statusText;
  }
}

/** A file is larger than the service takes. Thrown before anything is sent. */
export class BlobTooLargeError extends SextantError {
  /** Of the file. */
  readonly path: string;
  /** UTF-8 bytes of its contents. */
  readonly size: number;

  constructor(path: string, size: number, maxBytes: number) {
    super(
      'BlobTooLarge',
      `${path} has ${size} bytes, more than the ${maxBytes} that can be indexed. Leave it out, or split it.`,
    );
    this.name = 'BlobTooLargeError';
    this.path = path;
    this.size = size;
  }
}

export const wireErrors = {
  refused: (status: number, statusText: string, body: string): APIError =>
    new APIError(`API request failed: ${status} ${statusText} - ${body.slice(0, MAX_BODY)}`, status, statusText),
  network: (path: string, cause: unknown): APIError =>
    new APIError(`API request failed: no whole answer of ${path}. Is the service there?`, undefined, undefined, {
      cause,
    }),
  late: (path: string, ms: number, cause: unknown): APIError =>
    new APIError(
      `API request failed: no answer of ${path} within ${ms / 1000} s. Try again, or allow more time.`,
      undefined,
      undefined,
      { cause },
    ),
  unexpected: (path: string, status: number, what: string): APIError =>
    new APIError(`API request failed: the answer of ${path} is not what it should be (${what}).`, status),
};
