#!/usr/bin/env node
// Stands in for VS Code's executable in @vscode/test-electron: takes the same command line, and runs it in the server
// that comes from npm. So one harness serves both worlds: this file where VS Code cannot be downloaded, a desktop one where it can.
import { parseArgs } from 'node:util';
import { runInEditor } from './lib/workbench.mjs';

const { values, positionals } = parseArgs({
  strict: false,
  allowPositionals: true,
  options: {
    extensionDevelopmentPath: { type: 'string', multiple: true },
    extensionTestsPath: { type: 'string' },
    'user-data-dir': { type: 'string' },
    'extensions-dir': { type: 'string' },
  },
});
// A browser or server that hangs while it starts or closes must not hold up the whole run.
const LIMIT_MS = 15 * 60_000;
setTimeout(() => {
  console.error('The editor did not start and close in 15 minutes.');
  process.exit(1);
}, LIMIT_MS).unref();

const { SEXTANT_TEST_EDITOR, SEXTANT_TEST_VSIX } = process.env;
const { code, said } = await runInEditor({
  which: SEXTANT_TEST_EDITOR === 'oldest' ? 'oldest' : 'newest',
  folder: positionals[0],
  extensions: /** @type {string[]} */ (values.extensionDevelopmentPath ?? []),
  tests: /** @type {string} */ (values.extensionTestsPath),
  isStill: true,
  ...(SEXTANT_TEST_VSIX && { vsix: SEXTANT_TEST_VSIX }),
});
if (code !== 0)
  console.error(
    said
      .filter((line) => /test|sextant/i.test(line))
      .join('\n')
      .slice(-8000),
  );
process.exit(code === 0 ? 0 : 1);
