import { randomBytes, timingSafeEqual } from 'node:crypto';
import { throwIfCancelled } from '../base/errors.ts';
import { Lease } from '../base/lease.ts';
import { findServer, proofOf, readPublished } from './state/published.ts';

/** What a client needs of a server that runs; the line that `sextant serve --json` prints. */
export interface ServerInfo {
  readonly url: string;
  /** The address for other machines, where it is another. */
  readonly publicUrl?: string;
  readonly token: string;
  readonly adminToken: string;
  readonly pid: number;
  /** The folder of state. */
  readonly state: string;
}

/** The server that runs on a state folder, if one answers there. Throws `Cancelled`. */
export async function findAnswering(state: string, signal?: AbortSignal): Promise<ServerInfo | undefined> {
  const found = findServer(state);
  if (!found) return undefined;
  const { url, token, adminToken, pid } = found;
  const health = await healthOf(url, '', signal);
  return health?.pid === pid ? { url, token, adminToken, pid, state } : undefined;
}

/**
 * As {@link findAnswering}, and also the server of a folder that it cannot write to, which could record neither its lease nor
 * its address: it has those of the last start. Any program may listen there by now, so it must prove that it read the same
 * file before it is sent a token.
 */
export async function findReachable(state: string, signal?: AbortSignal): Promise<ServerInfo | undefined> {
  const recorded = await findAnswering(state, signal);
  const { published } = readPublished(state);
  if (recorded || !published || Lease.ownerOf(state)) return recorded;
  const { url, token, adminToken, cursorKey } = published;
  const challenge = randomBytes(16).toString('hex');
  const health = await healthOf(url, `?challenge=${challenge}`, signal);
  if (health?.status !== 'ok' || health.pid === undefined) return undefined;
  const wanted = proofOf(Buffer.from(cursorKey, 'hex'), url, challenge);
  const proof = Buffer.from(String(health.proof), 'hex');
  const isProved = proof.length === wanted.length && timingSafeEqual(proof, wanted);
  return isProved ? { url, token, adminToken, pid: health.pid, state } : undefined;
}

/** What `/healthz` answers; `undefined` where nothing does, or no Sextant server. */
async function healthOf(
  url: string,
  query: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly status?: string; readonly pid?: number; readonly proof?: string } | undefined> {
  throwIfCancelled(signal);
  const timeout = AbortSignal.timeout(5_000);
  try {
    const response = await fetch(`${url}/healthz${query}`, {
      signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
    });
    return (await response.json()) as Awaited<ReturnType<typeof healthOf>>;
  } catch {
    throwIfCancelled(signal);
    // Not yet, or no longer.
    return undefined;
  }
}
