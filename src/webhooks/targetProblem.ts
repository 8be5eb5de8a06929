import { connect } from 'node:net';
import { describeError } from '../base/errors.ts';
import type { Expert } from './definitions.ts';

const LIMIT_MS = 2_000;

/** Why the target of an expert accepts no connection, in a sentence; `undefined` if it does, or has none. */
export async function targetProblem(expert: Expert): Promise<string | undefined> {
  if (expert.type !== 'forward') return undefined;
  const { protocol, hostname, port } = new URL(expert.url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const number = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
  const problem = await new Promise<string | undefined>((resolve) => {
    const socket = connect({ host, port: number, timeout: LIMIT_MS });
    const end = (found: string | undefined): void => {
      socket.destroy();
      resolve(found);
    };
    socket
      .once('connect', () => end(undefined))
      .once('timeout', () => end(`no connection within ${LIMIT_MS / 1000} s`))
      .once('error', (error) => end(describeError(error)));
  });
  return problem === undefined
    ? undefined
    : `${expert.name} is down: ${expert.url} accepts no connection (${problem}).`;
}
