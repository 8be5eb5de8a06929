/* The part of undici that is loaded at its first use, with `await import('../base/undici.ts')`: it is large. Not
   `import('undici')` itself, since of a CommonJS package esbuild's chunk has no named exports, and `request` would be
   undefined in the shipped bundle. */
export { Agent, request } from 'undici';
import { Agent, EnvHttpProxyAgent, type Dispatcher } from 'undici';
import { isLoopback } from './loopback.ts';

/** Connections to a host of this machine, or to another through the proxy that the environment names (`HTTPS_PROXY`, `NO_PROXY`). */
export function agentFor(hostname: string): Dispatcher {
  if (isLoopback(hostname)) return new Agent();
  const { env } = process;
  const [httpProxy, httpsProxy] = [env.http_proxy ?? env.HTTP_PROXY, env.https_proxy ?? env.HTTPS_PROXY].map(
    withScheme,
  );
  return new EnvHttpProxyAgent({ ...(httpProxy && { httpProxy }), ...(httpsProxy && { httpsProxy }) });
}

/** Completes `proxy.example:3128`, as other programs do. */
function withScheme(proxy: string | undefined): string | undefined {
  return !proxy || proxy.includes('://') ? proxy : `http://${proxy}`;
}
