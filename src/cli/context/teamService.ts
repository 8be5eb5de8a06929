import { SextantError } from '../../base/errors.ts';
import { silentLogger, type Logger } from '../../base/log.ts';
import { openService } from '../../context/service.ts';
import type { ServiceAdvice } from '../../wire/explained.ts';
import type { WireClient } from '../../wire/wireClient.ts';
import type { Terminal } from '../terminal.ts';

const LOG_IN = 'Log in with "sextant login URL", or set SEXTANT_API_URL and SEXTANT_API_TOKEN.';

export const CERTIFICATE_ADVICE = 'Name its file in NODE_EXTRA_CA_CERTS.';
const ADVICE: ServiceAdvice = { token: LOG_IN, certificate: CERTIFICATE_ADVICE };

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
    return await openService({ apiUrl: server, clientUserAgent }, { signal, advice: ADVICE }, logger);
  } catch (error) {
    if (!(error instanceof SextantError) || !['NoApiKey', 'NoApiUrl'].includes(error.code)) throw error;
    throw new SextantError(error.code, `No service is known, or its token is missing. ${LOG_IN}`);
  }
}
