/* The part of undici that is loaded at its first use, with `await import('../base/undici.ts')`: it is large. Not
   `import('undici')` itself, since of a CommonJS package esbuild's chunk has no named exports, and `request` would be
   undefined in the shipped bundle. */
export { Agent, request } from 'undici';
import { Agent, EnvHttpProxyAgent, type Dispatcher } from 'undici';
import { isLoopback } from './loopback.ts';

/** Connections to a host of this machine, or to another through the proxy that the environment names (`HTTPS_PROXY`, `NO_PROXY`). */
export function agentFor(hostname: string): Dispatcher {
  return isLoopback(hostname) ? new Agent() : new EnvHttpProxyAgent();
}
