import { SextantError } from '../../base/errors.ts';
import { silentLogger, type Logger } from '../../base/log.ts';
import { openService } from '../../context/service.ts';
import { APIError } from '../../wire/errors.ts';
import type { WireClient } from '../../wire/wireClient.ts';

const ADVICE = 'Log in with "sextant login URL", or set SEXTANT_API_URL and SEXTANT_API_TOKEN.';

/**
 * A team's service: `server`, or that of the environment or of `sextant login`. Throws `NoApiKey` and `NoApiUrl`, with what the
 * command has in place of the library's options.
 */
export async function openTeamService(
  server: string | undefined,
  clientUserAgent = 'sextant',
  logger: Logger = silentLogger,
): Promise<WireClient> {
  try {
    return await openService({ apiUrl: server, clientUserAgent }, {}, logger);
  } catch (error) {
    if (!(error instanceof SextantError) || !['NoApiKey', 'NoApiUrl'].includes(error.code)) throw error;
    throw new SextantError(error.code, `No service is known, or its token is missing. ${ADVICE}`);
  }
}

/** A refused token in words, with the next step; any other error as it is. */
export function explainRefusal(error: unknown, { url }: WireClient): unknown {
  if (!(error instanceof APIError) || error.status !== 401) return error;
  return new SextantError(error.code, `${url} refuses the token: it is wrong or was revoked. ${ADVICE}`);
}
