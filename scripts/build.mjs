// Bundles the extension, the command, the library and the tests that run inside the editor.
//   node scripts/build.mjs [--watch]
// One entry per target; fails when a bundle exceeds its budget.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as esbuild from 'esbuild';

const root = join(import.meta.dirname, '..');
process.chdir(root);
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const watch = process.argv.includes('--watch');

/** @type {esbuild.BuildOptions} */
const common = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  sourcemap: true,
  minify: !watch,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  // Its build for require() cannot be bundled.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  define: { SEXTANT_VERSION: JSON.stringify(version) },
};

// A run of all tests has built already when vsce requests a build.
if (process.env.SEXTANT_IS_BUILT === '1' && existsSync('dist/extension')) {
  console.log('[build] built already');
  process.exit();
}

/** @type {esbuild.BuildOptions} */
const page = {
  platform: 'browser',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  // Icons are part of the styles, which are part of the page: each file of its own would be a request through the editor.
  loader: { '.svg': 'dataurl' },
};
// Bundled CommonJS packages call require() for Node's own modules.
const requireBanner =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/**
 * Replaces the modules of a package that match `path`, where a module that matches `importer` requires them.
 * @param {string} name
 * @param {RegExp} path
 * @param {string} contents a CommonJS module
 * @param {RegExp} [importer]
 * @returns {esbuild.Plugin}
 */
const without = (name, path, contents, importer = /./) => ({
  name,
  setup(build) {
    build.onResolve({ filter: path }, ({ path, importer: from }) =>
      importer.test(from) ? { path, namespace: name } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: name }, () => ({ contents }));
  },
});

/** The client's method for each call of OpenSearch, 200 kB: the store sends its few requests through the transport. */
const transportAlone = without('opensearch-transport', /\/api\/OpenSearchApi$/, 'module.exports = class {};');

const undiciRequests = [
  // Fetch, WebSocket, caches, interceptors, mocks and other agents, a third of undici: `src/base/undici.ts` has requests and agents
  // alone. CacheStorage is the only one that undici makes while it is loaded.
  without(
    'undici-requests',
    /^\.\/lib\/(web|mock|cache|interceptor|handler|dispatcher\/(balanced-pool|round-robin-pool|retry-agent|h2c-client)$)/,
    'module.exports = { CacheStorage: class {} };',
    /undici[\\/]index\.js$/,
  ),
  // One of its two parsers of HTTP, 72 kB each: undici takes the other where this cannot be loaded.
  without('undici-parser', /\/llhttp_simd-wasm\.js$/, "throw new Error('left out');", /client-h1\.js$/),
];

/**
 * Validators of JSON Schema (ajv, twice) and schemas of zod 3, 250 kB of the protocol's library: Sextant sends and receives no forms, lists
 * no tools of others, and describes its own tools with zod 4.
 */
const mcpOfZod4 = without(
  'mcp-of-zod-4',
  /\/ajv-provider\.js$|^zod\/v3$|^zod-to-json-schema$/,
  'module.exports = { AjvJsonSchemaValidator: class {} };',
  /@modelcontextprotocol/,
);

/**
 * Has the command load the library's undici, which is beside it in the npm package: a copy of its own would be 150 kB of the 1.5 MB.
 * @type {esbuild.Plugin}
 */
const undiciOfLibrary = {
  name: 'undici-of-library',
  setup(build) {
    build.onResolve({ filter: /\/undici\.ts$/ }, () => ({ path: '../lib/undici.js', external: true }));
  },
};

/** Entry of a thread; the engine looks for the file beside its own. */
const SEGMENT_THREAD = 'src/engine/index/segmentThread.ts';
const FOLDER_WORKERS = {
  indexProcess: 'src/workspace/indexProcess.ts',
  searchThread: 'src/workspace/searchThread.ts',
  segmentThread: SEGMENT_THREAD,
};

/** Minified kilobytes (of 1,000 bytes) of all JavaScript of a target. Raise one only with a reason in the commit. */
/** @type {{ name: string, budget: number, startBudget?: number, options: esbuild.BuildOptions }[]} */
const targets = [
  {
    name: 'extension',
    // 30 inspect the index (status, why, diagnostics), 20 keep it up to date in the background, 25 are the ways to search. 40
    // answer questions, 15 of them a chunk for their view. 40 are webhooks, 60 usage and cost, and 190 the local server, in chunks
    // that only its thread loads. 65 change budgets, in a chunk that is loaded with an account; 45 of them are chunks of csv-parse
    // and papaparse. 255 are undici, for forwarded events, models over HTTP, and usage. 100 are the MCP server, which only the
    // process of an agent loads. 45 are the dashboard, a chunk that is loaded when it is opened; 10 more change budgets there. 25 fence and guard stored data. 155 match
    // regular expressions, a chunk that the first such query loads. 30 read numbers, heads of definitions, and what is pasted.
    // 10 classify spending and presence. 15 are the search view, 10 the usages and outlines for agents. 20 are the cost of units,
    // presence, and the effect of new limits, on the dashboard and in messages. 10 decode texts, and 15 rank and quote passages.
    // 30 send, edit and retry events of webhooks, 10 of them a library of events, a chunk that the first of them loads.
    // 40 are the page of events, forwards in one step, and the editor of filters.
    // 20 find text in any form of Unicode, and report missing folders, refused experts and answers of other programs.
    // 10 are teams in the dashboard and the side bar, and its report, and 10 plain words with those of code.
    // 5 guess encodings.
    budget: 2067,
    options: {
      entryPoints: {
        extension: 'src/extension/extension.ts',
        mcpServer: 'src/mcp/editorProcess.ts',
        ...FOLDER_WORKERS,
        serverThread: 'src/server/serverThread.ts',
      },
      outdir: 'dist/extension',
      splitting: true,
      plugins: [...undiciRequests, mcpOfZod4],
      banner: { js: requireBanner },
      external: ['vscode'],
    },
  },
  {
    name: 'views',
    // Pages in the editor: 110 are the toolkit with its dependencies, 64 the Markdown parser of the answers, 14 preact, 30 the search,
    // 30 the events.
    budget: 265,
    options: {
      entryPoints: {
        answer: 'webview/answer/main.tsx',
        events: 'webview/events/main.tsx',
        search: 'webview/search/main.tsx',
      },
      outdir: 'dist/webview',
      splitting: true,
      ...page,
    },
  },
  {
    name: 'dashboard',
    // A page by itself: 110 are the toolkit, 14 preact, 60 the scales and shapes of d3.
    budget: 400,
    options: {
      entryPoints: { dashboard: 'webview/dashboard/main.tsx' },
      outdir: 'dist/webview',
      ...page,
    },
  },
  {
    name: 'command',
    // 255 are search and index; the rest is the server with its simulated organization and faults, and status, why and doctor.
    // 20 answer questions, 40 are webhooks, 60 usage and cost with papaparse for --csv. 55 change budgets, in a chunk with 25 for
    // csv-parse. 140 are chunks of
    // sextant mcp and its threads; 40 the session and the index as an archive; 3 the thread of sextant serve. 30 fence and guard
    // stored data. 155 match regular expressions, a chunk that the first such query loads.
    // 30 read numbers, heads of definitions, and what is pasted. 10 classify spending and presence. 50 find usages and edit the
    // configurations of clients. 20 are completions, roots and several folders; 10 the signatures of senders.
    // 45 listen, send, edit and retry events of webhooks, 10 of them the library of events. 20 list and find events for the editor.
    // 20 sum by groups and write reports, 10 run commands for events; the rest is for metrics and facts.
    // 60 write Parquet files, a chunk that sextant export --facts loads. 90 are the transport of OpenSearch and the store on it, a chunk
    // that sextant serve --store opensearch loads.
    // 5 read the context of local models, and leave out their thoughts.
    // 10 explain refusals of a team's service and of answer models, and keep what a client's configuration has.
    // 15 are forms of Unicode, and reports of answers of other programs and of an update of the running program.
    // 5 guess encodings.
    budget: 2011,
    // The modules of `sextant --version`: 720 kB took 240 ms of processor above `node -e 0`, this takes 12.
    startBudget: 10,
    options: {
      entryPoints: { sextant: 'src/cli/entry.ts', ...FOLDER_WORKERS, serveThread: 'src/cli/server/serveThread.ts' },
      outdir: 'dist/cli',
      splitting: true,
      sourcemap: watch,
      plugins: [transportAlone, undiciOfLibrary, mcpOfZod4],
      banner: { js: `#!/usr/bin/env node\n${requireBanner}` },
    },
  },
  {
    name: 'library',
    // 265 are undici, a chunk that is loaded when the first event is forwarded to a URL, or the first request of a context
    // goes to a service. 40 are contexts: the protocol's client, and the store of the embedded ones and of the server. 75 are
    // the protocol's library of MCP, a chunk that FileSystemContext loads. 10 are jsonc-parser, which finds errors in the JSON of deliveries.
    // 65 keep the names of classes and functions. 155 match regular expressions, a chunk that the first such query loads. 15 read numbers,
    // titles and heads of definitions, and what is pasted. 45 list, send, edit and retry events of webhooks.
    // 5 guess encodings.
    budget: 1340,
    options: {
      entryPoints: {
        index: 'src/index.ts',
        testing: 'src/server/testing.ts',
        segmentThread: SEGMENT_THREAD,
        undici: 'src/base/undici.ts',
      },
      outdir: 'dist/lib',
      splitting: true,
      plugins: [...undiciRequests, mcpOfZod4],
      // 12 MB of maps would be most of the npm package; Node ignores them by default.
      sourcemap: watch,
      // Programs see the names of classes, mostly in errors. Unminified identifiers would cost 500 kB.
      keepNames: true,
      banner: { js: requireBanner },
    },
  },
  {
    name: 'editor tests',
    // Not shipped; each of the four files that start a server contains all of it.
    budget: 8962,
    options: {
      entryPoints: [
        ...readdirSync('test/vscode')
          .filter((name) => name.endsWith('.ts'))
          .map((name) => `test/vscode/${name}`),
        'test/bench/editor.ts',
      ],
      outdir: 'out/test',
      // The editor loads the entry with require().
      format: 'cjs',
      outExtension: { '.js': '.cjs' },
      external: ['vscode', 'mocha'],
      minify: false,
      charset: 'utf8',
    },
  },
];

if (watch) {
  for (const { options } of targets) {
    const context = await esbuild.context({ ...common, ...options, logLevel: 'info' });
    await context.watch();
  }
  console.log('[build] watching');
} else {
  rmSync('dist', { recursive: true, force: true });
  rmSync('out/test', { recursive: true, force: true });
  /** @type {Set<string>} */
  const packages = new Set();
  for (const { name, budget, startBudget, options } of targets) {
    const { metafile } = await esbuild.build({ ...common, ...options });
    let bytes = 0;
    for (const [file, output] of Object.entries(metafile?.outputs ?? {}))
      if (/\.c?js$/.test(file)) bytes += output.bytes;
    const size = Math.ceil(bytes / 1000);
    console.log(`[build] ${name}: ${size} kB of ${budget} kB`);
    if (size > budget) {
      console.error(`[build] ${name} is over its budget. What is in it: npx esbuild --analyze, or dist/${name}.`);
      process.exitCode = 1;
    }
    if (startBudget !== undefined) {
      const start = Math.ceil(loadedAtStart(metafile, 'dist/cli/sextant.js') / 1000);
      console.log(`[build] ${name} at its start: ${start} kB of ${startBudget} kB`);
      if (start > startBudget) process.exitCode = 1;
    }
    if (options.outdir?.startsWith('dist/')) {
      for (const file of Object.keys(metafile?.inputs ?? {})) {
        const folder = /^(node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];
        if (folder !== undefined) packages.add(folder);
      }
    }
  }
  writeFileSync('dist/THIRD-PARTY-NOTICES.txt', notices([...packages].sort()));
  execFileSync(process.execPath, ['node_modules/typescript-native/bin/tsc', '-p', 'tsconfig.types.json'], {
    stdio: 'inherit',
  });
}

/**
 * The bytes that an entry loads before it runs: itself and its static imports.
 * @param {esbuild.Metafile | undefined} metafile
 * @param {string} entry
 */
function loadedAtStart(metafile, entry) {
  const files = new Set([entry]);
  let bytes = 0;
  for (const file of files) {
    const output = metafile?.outputs[file];
    bytes += output?.bytes ?? 0;
    for (const { path, kind, external } of output?.imports ?? [])
      if (kind === 'import-statement' && external !== true) files.add(path);
  }
  return bytes;
}

/**
 * The text of a package's licence.
 * @param {string} folder
 */
function licenceOf(folder) {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  return file && readFileSync(join(folder, file), 'utf8').trim();
}

/**
 * The licences of bundled packages, as these require.
 * @param {string[]} folders
 */
function notices(folders) {
  /** @type {Map<string, string[]>} names by licence: many have the same text */
  const names = new Map();
  for (const folder of folders) {
    const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    // Some packages of Microsoft have no file; the licence of its toolkit is theirs, with its copyright.
    const isMicrosoft = `${license} ${author?.name ?? author}`.startsWith('MIT Microsoft');
    const text = licenceOf(folder) ?? (isMicrosoft && licenceOf('node_modules/@vscode/webview-ui-toolkit'));
    if (!text) throw new Error(`${name} has no file with its licence, whose text the notices need.`);
    names.set(text, [...(names.get(text) ?? []), `${name} ${version}`]);
  }
  const parts = [...names].map(([text, packages]) => `${packages.join('\n')}\n${'='.repeat(40)}\n${text}\n`);
  return `Sextant contains these packages.\n\n${parts.join('\n\n')}`;
}
