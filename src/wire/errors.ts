import * as z from 'zod/mini';
import { SextantError } from '../base/errors.ts';

/** Number of characters of a refusal's body in the message. */
const MAX_BODY = 2000;

/**
 * A failed request of the service. `status` is its HTTP status; it is `undefined` if no answer arrived – refused, cut
 * off, too late – and `cause` holds the reason.
 */
export class APIError extends SextantError {
  /** The HTTP status. */
  readonly status: number | undefined;
  /** The service's text for the status. */
  readonly statusText: string | undefined;
  /** The code in the body of the answer, such as `CheckpointNotFound`, where there is one. */
  readonly serviceCode: string | undefined;

  constructor(
    message: string,
    status?: number,
    statusText?: string,
    { serviceCode, ...options }: ErrorOptions & { readonly serviceCode?: string | undefined } = {},
  ) {
    super('ApiError', message, options);
    this.name = 'APIError';
    this.status = status;
    this.statusText = statusText;
    this.serviceCode = serviceCode;
  }
}

/** A file larger than the service accepts. Thrown before anything is sent. */
export class BlobTooLargeError extends SextantError {
  /** Path of the file. */
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
    new APIError(`API request failed: ${status} ${statusText} - ${body.slice(0, MAX_BODY)}`, status, statusText, {
      serviceCode: codeIn(body),
    }),
  network: (path: string, host: string, cause: unknown): APIError =>
    new APIError(
      `API request failed: no whole answer of ${path} from ${host}. Check that the service runs there.`,
      undefined,
      undefined,
      { cause },
    ),
  late: (path: string, host: string, ms: number, cause: unknown): APIError =>
    new APIError(
      `API request failed: no answer of ${path} from ${host} within ${ms / 1000} s. Try again, or allow more time.`,
      undefined,
      undefined,
      { cause },
    ),
  webPage: (path: string, host: string, status: number): APIError =>
    new APIError(
      `API request failed: ${host} answers with a web page, not with JSON. Check the URL of the service (${path}).`,
      status,
    ),
  unexpected: (path: string, host: string, status: number, what: string): APIError =>
    new APIError(
      `API request failed: the answer of ${path} from ${host} is not what it should be (${what}). Check the URL of the service.`,
      status,
    ),
};

const refusal = z.object({ error: z.object({ code: z.string() }) });

function codeIn(body: string): string | undefined {
  try {
    return refusal.safeParse(JSON.parse(body)).data?.error.code;
  } catch {
    // Any body is allowed.
    return undefined;
  }
}
