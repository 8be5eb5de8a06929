/*
 * What of undici is loaded when it is first needed, with `await import('../base/undici.ts')`: it is large. Not `import('undici')`
 * itself, since of a CommonJS package esbuild's chunk has no named exports, and `request` would be undefined in what ships.
 */
export { Agent, EnvHttpProxyAgent, request } from 'undici';
