/* The part of undici that is loaded at its first use, with `await import('../base/undici.ts')`: it is large. Not
   `import('undici')` itself, since of a CommonJS package esbuild's chunk has no named exports, and `request` would be
   undefined in the shipped bundle. */
import { Agent, EnvHttpProxyAgent, request as send, type Dispatcher } from 'undici';
import { isLoopback } from './loopback.ts';

export { Agent };

type RequestOptions = Omit<NonNullable<Parameters<typeof send<null>>[1]>, 'opaque' | 'signal'> & {
  readonly signal?: AbortSignal;
};

/** As undici's `request`, but its signal also ends the wait for a connection, which undici goes on with for up to 10 s. */
export function request(url: string | URL, options: RequestOptions): Promise<Dispatcher.ResponseData> {
  const { signal } = options;
  if (signal?.aborted) return Promise.reject(signal.reason as Error);
  const sent = send(url, options);
  if (!signal) return sent;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort);
    sent.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Settings of the editor, which count before those of the environment. */
export interface ProxySettings {
  readonly url?: string;
  /** Hosts behind no proxy, with commas. */
  readonly noProxy?: string;
}

/**
 * Connections to a host of this machine, or to another through the proxy of the settings, else of the environment (`HTTPS_PROXY`,
 * `NO_PROXY`).
 */
export function agentFor(hostname: string, { url, noProxy }: ProxySettings = {}): Dispatcher {
  if (isLoopback(hostname)) return new Agent();
  const { env } = process;
  const [httpProxy, httpsProxy] = [
    url ?? env.http_proxy ?? env.HTTP_PROXY,
    url ?? env.https_proxy ?? env.HTTPS_PROXY,
  ].map(withScheme);
  return new EnvHttpProxyAgent({
    ...(httpProxy && { httpProxy }),
    ...(httpsProxy && { httpsProxy }),
    ...(noProxy && { noProxy }),
  });
}

/** Completes `proxy.example:3128`, as other programs do. */
function withScheme(proxy: string | undefined): string | undefined {
  return !proxy || proxy.includes('://') ? proxy : `http://${proxy}`;
}
