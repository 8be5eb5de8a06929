import { SextantError } from '../../base/errors.ts';
import { formatDuration } from '../../base/format.ts';

/** Every failure of the analytics client. Codes are stable; messages give the remedy. */
export const clientErrors = {
  badUrl: (url: string): SextantError =>
    new SextantError(
      'BadUrl',
      `"${url.replace(/\/\/.*@/, '//…@').slice(0, 200)}" is no address of a service. It looks like https://example.com.`,
    ),
  insecureUrl: (host: string): SextantError =>
    new SextantError('InsecureUrl', `${host} would be sent the token without encryption. Use its https:// address.`),
  badToken: (): SextantError =>
    new SextantError('BadToken', 'The token is empty or has characters that no token has. Copy it once more.'),
  unauthenticated: (host: string): SextantError =>
    new SextantError('Unauthenticated', `${host} refuses the token: it is wrong or was revoked. Connect with another.`),
  permissionDenied: (message: string): SextantError =>
    new SextantError(
      'PermissionDenied',
      `The service refuses this: ${message}. Ask its administrator for a token that may.`,
    ),
  notFound: (host: string): SextantError =>
    new SextantError('NotFound', `${host} has no analytics API at this address. Check the address.`),
  rateLimited: (waitMs: number): SextantError =>
    new SextantError(
      'RateLimited',
      `The service wants no requests for ${formatDuration(waitMs / 1000)}. Try again then.`,
    ),
  serviceFailed: (status: number, message: string): SextantError =>
    new SextantError('ServiceFailed', `The service failed (${status}: ${message}). Try again later.`),
  unreachable: (host: string, cause: unknown): SextantError =>
    new SextantError('Unreachable', `${host} cannot be reached. Check the address and the network.`, { cause }),
  /** The code of a service that cannot be reached: no request gets through, and cached figures are the best to show. */
  unknownAuthority: (host: string): SextantError =>
    new SextantError(
      'Unreachable',
      `No known authority signed the certificate of ${host}. Name its file in the variable NODE_EXTRA_CA_CERTS, and start again.`,
    ),
  redirected: (host: string): SextantError =>
    new SextantError(
      'UnexpectedResponse',
      `${host} redirects to another address, which would receive the token. Connect with the address of the API itself.`,
    ),
  timedOut: (host: string, ms: number): SextantError =>
    new SextantError('TimedOut', `${host} did not answer within ${formatDuration(ms / 1000)}. Try again later.`),
  unexpected: (what: string): SextantError =>
    new SextantError('UnexpectedResponse', `The service answered ${what}. Check that the address is that of the API.`),
  /** A write whose answer was lost: repeating it blindly could undo a later change of another client. */
  writeUnknown: (cause: unknown): SextantError =>
    new SextantError('WriteUnknown', 'It is not known whether the change was made. Read it back before trying again.', {
      cause,
    }),
};

/** Whether the service was unreachable: cached figures are then the best to show. */
export function isOffline(error: unknown): boolean {
  return (
    error instanceof SextantError && ['Unreachable', 'TimedOut', 'ServiceFailed', 'RateLimited'].includes(error.code)
  );
}
