import { SextantError, systemCode } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { Certificate } from './http/certificate.ts';
import type { HttpEdge } from './http/edge.ts';
import { stateErrors } from './state/errors.ts';

/** Number of ports above that of the last start to try before any free one. */
const NEXT_PORTS = 20;

/**
 * Listens at the wanted port; without one at that of the last start, one of the next, or a free one. Returns it. Throws `PortTaken`
 * and `CannotListen`.
 */
export async function takePort(
  edge: HttpEdge,
  host: string,
  { wanted, last }: { readonly wanted: number | undefined; readonly last: number | undefined },
  certificate: Certificate | undefined,
  logger: Logger,
): Promise<number> {
  const first = wanted ?? last ?? 0;
  const end = wanted === undefined && first !== 0 ? Math.min(first + NEXT_PORTS, 65_535) : first;
  for (let port = first; port <= end; port++) {
    try {
      const taken = await edge.listen(host, port, certificate);
      if (port !== first) logger.warn(`Port ${first} of the last start is taken; the server is at ${taken} now.`);
      return taken;
    } catch (error) {
      if (systemCode(error) !== 'EADDRINUSE') throw explainListen(error, host, port);
      if (port !== first) continue;
      const ours = await sextantAt(host, port);
      if (ours !== undefined) throw stateErrors.portTaken(port, `another Sextant server, process ${ours}`);
      if (wanted !== undefined) throw stateErrors.portTaken(port, 'another program');
    }
  }
  return edge.listen(host, 0, certificate);
}

/** The process id of the Sextant server at a port, if it is one. */
async function sextantAt(host: string, port: number): Promise<number | undefined> {
  try {
    const response = await fetch(`http://${host}:${port}/healthz`, { signal: AbortSignal.timeout(1000) });
    const { status, service, pid } = (await response.json()) as { status?: string; service?: string; pid?: number };
    // One that lost its state keeps the port until it is stopped, and serves nothing there.
    return service === 'sextant' && status === 'ok' ? pid : undefined;
  } catch {
    // Another program, or one that speaks no HTTP.
    return undefined;
  }
}

function explainListen(error: unknown, host: string, port: number): unknown {
  const reasons: Readonly<Record<string, string>> = {
    EACCES: 'the system does not allow it; choose a port above 1023',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOTFOUND: 'this machine has no such address',
  };
  const reason = reasons[systemCode(error) ?? ''];
  return reason === undefined
    ? error
    : new SextantError('CannotListen', `The server cannot listen at ${host}, port ${port}: ${reason}.`, {
        cause: error,
      });
}
