// Lists the files of a repository that the benchmark uses.
import { closeSync, openSync, readSync, readdirSync, statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';

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

/**
 * Sorted paths in `root`. `code`: the files that the harness lists for its baselines, and scripts without an extension;
 * `all`: the files that the extension would index.
 * @param {string} root
 * @param {string} [kind]
 */
export function listFiles(root, kind = 'code') {
  const { skipped, isWanted, maxBytes } = LISTINGS[kind] ?? unknownListing(kind);
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
  return files.sort();
}

/** @param {string} kind @returns {never} */
function unknownListing(kind) {
  throw new Error(`--files is code or all, not ${kind}.`);
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
