#!/usr/bin/env node
// Speaks the retriever protocol of the code-search benchmark's harness over the built library (npm run build).
//   node test/bench/retriever.mjs [--files code|all]
// One JSON object a line on stdin and stdout, one process per repository:
//   prints {"ready":true}
//   {"op":"index","repo_dir":"/abs"}                         → {"ok":true,"files":n,"chunks":n}
//   {"op":"query","repo_dir":"/abs","query":"…","k":10}      → {"results":[{"path","start_line","end_line"}]}, best first
// `code` (the default) lists the files that the harness gives to its baselines, so that figures compare, and scripts without
// an extension. `all` lists the files that the extension would index: all text files outside of node_modules and version control.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { listFiles } from './listing.mjs';

const { values } = parseArgs({ options: { files: { type: 'string', default: 'code' } } });

const library = new URL('../../dist/lib/index.js', import.meta.url);
if (!existsSync(library)) throw new Error('The library is not built: npm run build');
const { Engine, documentId } = /** @type {typeof import('../../src/index.ts')} */ (await import(library.href));

const state = mkdtempSync(join(tmpdir(), 'sextant-retriever-'));
process.on('exit', () => rmSync(state, { recursive: true, force: true }));
const engine = Engine.open(state);
/** The folder whose files are indexed. */
let folder = '';

console.log('{"ready":true}');
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  console.log(JSON.stringify(message.op === 'index' ? await index(message) : { results: await query(message) }));
}
await engine.close();

/** @param {{ repo_dir: string }} message */
async function index({ repo_dir }) {
  folder = repo_dir;
  const { binary, added } = await engine.apply({ add: documents(repo_dir) });
  return { ok: true, files: added, binary: binary.length, chunks: engine.stats().chunks };
}

/** @param {{ query: string, k: number }} message */
async function query({ query, k }) {
  // As in the product, pasted text is searched in the files.
  const readText = (/** @type {string} */ path) => readFileSync(join(folder, path), 'utf8');
  const hits = await engine.search(query, { limit: k, readText });
  return hits.map(({ path, startLine, endLine }) => ({ path, start_line: startLine, end_line: endLine }));
}

/** @param {string} root */
function* documents(root) {
  for (const path of listFiles(root, values.files)) {
    const content = readFileSync(join(root, path));
    yield { id: documentId(path, content), path, content };
  }
}
