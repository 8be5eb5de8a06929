import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import ts from 'typescript-eslint';
import { compilerErrors } from './scripts/lib/compilerErrors.mjs';
import { plainEnglish } from './scripts/lib/plainEnglish.mjs';

/** How Node opens a file for reading. */
const READS = ['open', 'openSync', 'readFile', 'readFileSync', 'createReadStream', 'promises', 'default'];

/** @param {string[]} names @param {string} message */
const inEach = (names, message) =>
  ['node:fs', 'node:fs/promises'].map((name) => ({ name, importNames: names, message }));
/** Windows refuses these for open files; base/removal.ts knows how to go on. */
const REMOVALS = inEach(
  ['rename', 'renameSync', 'rm', 'rmSync', 'rmdir', 'rmdirSync', 'unlink', 'unlinkSync', 'promises', 'default'],
  'Rename and remove files with base/removal.ts.',
);

export default defineConfig(
  // test/vscode/model is of an editor newer than the one whose types we have.
  {
    ignores: [
      'dist',
      'out',
      '.vscode-test',
      'test/fixtures',
      'test/vscode/model',
      'scripts/startExample',
      'node_modules',
    ],
  },
  js.configs.recommended,
  ...ts.configs.strictTypeChecked,
  ...ts.configs.stylisticTypeChecked,
  {
    plugins: { sextant: { rules: { 'plain-english': plainEnglish, types: compilerErrors } } },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      // Floating promises are *the* extension-host bug: an error nobody sees.
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/consistent-type-definitions': ['error', 'interface'],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // Indexing typed arrays in the engine's loops needs `!` under noUncheckedIndexedAccess; the alternative is noise.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'all' },
      ],
      eqeqeq: ['error', 'always'],
      'no-console': 'error',
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Name what you export.' },
        {
          selector: 'CatchClause > BlockStatement[body.length=0]',
          message: 'Handle the error, or log it and rethrow.',
        },
      ],
    },
  },
  {
    files: ['src/**'],
    ignores: ['src/base/removal.ts', '**/*.test.ts'],
    rules: { 'no-restricted-imports': ['error', { paths: REMOVALS }] },
  },
  {
    // What is in a folder may be a pipe, a link out of it, or larger than memory: guardedFile.ts opens files for all others.
    files: ['src/{workspace,ask,mcp}/**'],
    ignores: ['src/workspace/{guardedFile,machine,diagnostics}.ts', '**/*.test.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [...REMOVALS, ...inEach(READS, 'Read files of a folder with GuardedFolder.')],
        },
      ],
    },
  },
  {
    // `for of` makes an object for each item until V8 optimizes it, and many searches are over before.
    files: ['src/engine/**'],
    rules: { '@typescript-eslint/prefer-for-of': 'off' },
  },
  {
    // These speak to a terminal; the library and the extension have a logger.
    files: ['scripts/**', 'test/**', 'src/cli/**'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['*.config.js', '.*.mjs', 'scripts/**/*.mjs', 'test/**/*.mjs'],
    rules: {
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      'no-restricted-syntax': 'off',
      // The compiler knows Node's globals; JSON that a script reads from a file of ours is taken as it is.
      'no-undef': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: ['src/**', 'webview/**', 'scripts/**', 'test/**'],
    rules: { 'sextant/plain-english': 'error' },
  },
  {
    files: ['**/*.test.ts', 'test/**'],
    rules: {
      // chai-free asserts and mocha's callbacks read better with these off.
      '@typescript-eslint/no-unused-expressions': 'off',
      '@typescript-eslint/require-await': 'off',
    },
  },
);
