import { SextantError, systemCode } from '../../base/errors.ts';
import { silentLogger, type Logger } from '../../base/log.ts';
import { openService } from '../../context/service.ts';
import { APIError } from '../../wire/errors.ts';
import type { WireClient } from '../../wire/wireClient.ts';
import type { Terminal } from '../terminal.ts';

const ADVICE = 'Log in with "sextant login URL", or set SEXTANT_API_URL and SEXTANT_API_TOKEN.';

/**
 * A team's service: `server`, or that of the environment or of `sextant login`. Throws `NoApiKey` and `NoApiUrl`, with what the
 * command has in place of the library's options.
 */
export async function openTeamService(
  server: string | undefined,
  { signal }: Terminal,
  clientUserAgent = 'sextant',
  logger: Logger = silentLogger,
): Promise<WireClient> {
  try {
    return await openService({ apiUrl: server, clientUserAgent }, { signal }, logger);
  } catch (error) {
    if (!(error instanceof SextantError) || !['NoApiKey', 'NoApiUrl'].includes(error.code)) throw error;
    throw new SextantError(error.code, `No service is known, or its token is missing. ${ADVICE}`);
  }
}

/** Failed checks of a certificate whose authority is unknown. */
const UNKNOWN_AUTHORITY = /SELF_SIGNED_CERT|UNABLE_TO_(VERIFY|GET_ISSUER)/;

/** A refusal in words, with the next step; any other error as it is. */
export function explainRefusal(error: unknown, { url }: WireClient): unknown {
  if (!(error instanceof APIError)) return error;
  const { code, status, statusText, message, cause } = error;
  if (UNKNOWN_AUTHORITY.test(systemCode(cause) ?? ''))
    return new SextantError(code, `No known authority signed the certificate of ${url}. Name its file in NODE_EXTRA_CA_CERTS.`); // oxfmt-ignore
  if (status === 401) return new SextantError(code, `${url} refuses the token: it is wrong or was revoked. ${ADVICE}`);
  if (status !== undefined && status >= 300 && status < 400)
    return new SextantError(code, `${url} redirects to another address, which would receive the token. Name the service's own URL.`); // oxfmt-ignore
  const reason = /"message":"([^"\\]+)"/.exec(message)?.[1];
  if (status === undefined || reason === undefined) return error;
  const advice = status === 403 ? ' Use a token that may.' : '';
  return new SextantError(code, `${url} answers ${status} ${statusText}: ${reason}.${advice}`);
}
