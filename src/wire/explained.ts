import { isUnknownAuthority } from '../base/errors.ts';
import { APIError } from './errors.ts';

/** What a user of a program can do, as a sentence each. */
export interface ServiceAdvice {
  /** After a refused token. */
  readonly token: string;
  /** After a certificate whose authority is unknown. */
  readonly certificate: string;
}

/** For what an editor connected. */
export const EDITOR_ADVICE: ServiceAdvice = {
  token: 'Enter another with “Sextant: Search Team Code…”.',
  certificate: 'Name its file in the variable NODE_EXTRA_CA_CERTS, and start the editor again.',
};

const WEB_PAGE = / - \s*</;

/** The words of a refused token, without the advice of the editor, for what offers to enter another; `undefined` for other failures. */
export function tokenRefusal(error: unknown): string | undefined {
  if (!(error instanceof APIError) || error.status !== 401) return undefined;
  return error.message.replace(` ${EDITOR_ADVICE.token}`, '');
}

/** The same failure in words for a user, with the next step; no body of an answer is in it. */
export function explained(error: APIError, url: string, advice: ServiceAdvice): APIError {
  const { status, statusText = '', serviceCode, message, cause } = error;
  const as = (text: string, options: ErrorOptions = {}): APIError =>
    new APIError(text, status, statusText, { serviceCode, ...options });
  if (isUnknownAuthority(cause))
    return as(`No known authority signed the certificate of ${url}. ${advice.certificate}`);
  if (status === undefined)
    return cause instanceof APIError
      ? as(`${url} has not answered in time. Try again later.`)
      : as(`${url} cannot be reached. Check the URL, the network, and whether the service runs.`, { cause });
  if (status < 300) return error;
  if (status === 401) return as(`${url} refuses the token: it is wrong or was revoked. ${advice.token}`);
  if (status < 400) return as(`${url} redirects to another address, which would receive the token. Name the service's own URL.`); // oxfmt-ignore
  const reason = /"message":"([^"\\]+)"/.exec(message)?.[1];
  const isPage = reason === undefined && WEB_PAGE.test(message);
  const said = reason !== undefined ? `: ${reason}` : isPage ? ' with a web page' : '';
  return as(`${url} answers ${`${status} ${statusText}`.trim()}${said}.${nextStep(status, reason !== undefined)}`);
}

/** `isOwn`: the service gave a reason, so the URL is right. */
function nextStep(status: number, isOwn: boolean): string {
  if (status === 407) return ' A proxy in between requires a login.';
  if (status === 403) return isOwn ? ' Use a token that may.' : ' Check the URL, and whether a proxy is in between.';
  if (status === 429 || status >= 500) return ' Try again later.';
  return isOwn ? '' : ' Check the URL of the service.';
}
