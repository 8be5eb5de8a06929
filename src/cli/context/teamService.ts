import { SextantError } from '../../base/errors.ts';
import { silentLogger } from '../../base/log.ts';
import { openService } from '../../context/service.ts';
import type { WireClient } from '../../wire/wireClient.ts';

const USER_AGENT = 'sextant';

/**
 * A team's service: `server`, or that of the environment or of `sextant login`. Throws `NoApiKey` and `NoApiUrl`, with what the
 * command has in place of the library's options.
 */
export async function openTeamService(server: string | undefined): Promise<WireClient> {
  try {
    return await openService({ apiUrl: server, clientUserAgent: USER_AGENT }, {}, silentLogger);
  } catch (error) {
    if (!(error instanceof SextantError) || !['NoApiKey', 'NoApiUrl'].includes(error.code)) throw error;
    const advice = 'Log in with "sextant login URL", or set SEXTANT_API_URL and SEXTANT_API_TOKEN.';
    throw new SextantError(error.code, `No service is known, or its token is missing. ${advice}`);
  }
}
