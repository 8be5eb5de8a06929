/*
 * undici in a chunk of its own: it is large, and most starts of the server never need it. By a module of ours, since what a
 * bundler gives for the dynamic import of a CommonJS package has a default export only.
 */
export { request } from 'undici';
