/* The part of undici that is loaded at its first use, with `await import('../base/undici.ts')`: it is large. Not
   `import('undici')` itself, since of a CommonJS package esbuild's chunk has no named exports, and `request` would be
   undefined in the shipped bundle. */
export { Agent, EnvHttpProxyAgent, request } from 'undici';
