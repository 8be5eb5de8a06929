#!/usr/bin/env node
// Speaks the retriever protocol of the code-search benchmark's harness over the built library (npm run build).
//   node test/bench/retriever.mjs [--files code|all]
// One JSON object a line on stdin and stdout, one process per repository:
//   prints {"ready":true}
//   {"op":"index","repo_dir":"/abs"}                         → {"ok":true,"files":n,"chunks":n}
//   {"op":"query","repo_dir":"/abs","query":"…","k":10}      → {"results":[{"path","start_line","end_line"}]}, best first
// `code` (the default) lists what the harness's own walk gives to its baselines, so that figures compare, and scripts without
// an extension. `all` lists what the extension would index: every text file but those of node_modules and of version control.
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

const CODE = new Set(
  (
    '.py .pyi .js .jsx .mjs .cjs .ts .tsx .mts .cts .vue .svelte .go .rs .java .kt .kts .rb .rake .php .c .h .cc .cpp ' +
    '.cxx .hpp .hh .inl .cs .swift .scala .sbt .ex .exs .dart .lua .sql .sh .bash .zsh .bats .zig .hs .m .mm .proto ' +
    '.groovy .gradle .clj .erl .ml .r .jl .pl .pm'
  ).split(' '),
);
const CODE_NAMES = new Set(['Makefile', 'Dockerfile', 'Rakefile', 'Gemfile']);

/** @type {Record<string, { skipped: Set<string>, isWanted: (file: string) => boolean, maxBytes: number }>} */
const LISTINGS = {
  code: {
    skipped: new Set(
      '.git .hg .svn node_modules __pycache__ .venv venv .tox .cache dist build .eggs target .next .nuxt vendor'.split(
        ' ',
      ),
    ),
    isWanted: isCode,
    maxBytes: 1_000_000,
  },
  all: {
    skipped: new Set('.git .hg .svn .jj .bzr CVS node_modules bower_components'.split(' ')),
    isWanted: () => true,
    maxBytes: 1_048_576,
  },
};

const { values } = parseArgs({ options: { files: { type: 'string', default: 'code' } } });
const { skipped, isWanted, maxBytes } = LISTINGS[values.files] ?? unknownListing();

const library = new URL('../../dist/lib/index.js', import.meta.url);
if (!existsSync(library)) throw new Error('The library is not built: npm run build');
const { Engine, documentId } = /** @type {typeof import('../../src/index.ts')} */ (await import(library.href));

const state = mkdtempSync(join(tmpdir(), 'sextant-retriever-'));
process.on('exit', () => rmSync(state, { recursive: true, force: true }));
const engine = Engine.open(state);

console.log('{"ready":true}');
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  console.log(JSON.stringify(message.op === 'index' ? await index(message) : { results: await query(message) }));
}
await engine.close();

/** @param {{ repo_dir: string }} message */
async function index({ repo_dir }) {
  const { binary, added } = await engine.apply({ add: documents(repo_dir) });
  return { ok: true, files: added, binary: binary.length, chunks: engine.stats().chunks };
}

/** @param {{ query: string, k: number }} message */
async function query({ query, k }) {
  const hits = await engine.search(query, { limit: k });
  return hits.map(({ path, startLine, endLine }) => ({ path, start_line: startLine, end_line: endLine }));
}

/** @param {string} root */
function* documents(root) {
  for (const path of listFiles(root).sort()) {
    const content = readFileSync(join(root, path));
    yield { id: documentId(path, content), path, content };
  }
}

/** @param {string} root */
function listFiles(root) {
  const files = [];
  const pending = [''];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!skipped.has(entry.name)) pending.push(path);
      } else if (entry.isFile() && isWanted(join(root, path))) {
        if (statSync(join(root, path)).size <= maxBytes) files.push(path);
      }
    }
  }
  return files;
}

/** @returns {never} */
function unknownListing() {
  throw new Error(`--files is code or all, not ${values.files}.`);
}

/** @param {string} file */
function isCode(file) {
  const extension = extname(file).toLowerCase();
  return CODE.has(extension) || CODE_NAMES.has(basename(file)) || (extension === '' && isScript(file));
}

/** Whether the file begins with `#!`. @param {string} file */
function isScript(file) {
  const start = Buffer.alloc(2);
  const fd = openSync(file, 'r');
  try {
    return readSync(fd, start, 0, 2, 0) === 2 && start.toString('latin1') === '#!';
  } finally {
    closeSync(fd);
  }
}
