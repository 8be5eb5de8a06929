import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import ts from 'typescript-eslint';

/** How Node opens a file for reading. */
const READS = ['open', 'openSync', 'readFile', 'readFileSync', 'createReadStream', 'promises', 'default'];

/**
 * Words that comments and test titles avoid, and the words to write instead.
 *
 * @type {readonly (readonly [RegExp, string])[]}
 */
const WORDS = [
  [/\b(?:told|tells of|says so)\b/i, 'reported, returns or logs'],
  [/\basked\b/i, 'evaluated, checked or requested'],
  [/\banew\b/i, 'again, from scratch, or rebuilt for an index'],
  [/\b(?:whoever|somebody|nobody)\b/i, 'the caller, another process or no client'],
  [/\b(?:so many|so long|of these)\b/i, 'the number, the duration, or of those with …'],
  [/\bgone\b/i, 'deleted, closed or missing'],
  [/\b(?:came|becomes?|became) of\b/i, 'the result of'],
  [/\bthe days before\b/i, 'the previous period'],
  [/\bma(?:kes?|de|king) (?:an?|the) (?:index|context)\b/i, 'builds or creates'],
  [/\blimits? of (?:their|his|her|its|one’s|one's) own\b/i, 'an override'],
  [/\bjudg(?:es?|ed|ing)\b/i, 'checks or classifies'],
  [/\ba (?:look|walk|sweep)\b/i, 'a scan or a full scan'],
  [/\bbad days\b/i, 'injected faults'],
];

/** Folders whose comments and test titles are in plain English; the list only grows. */
const PLAIN_ENGLISH = [
  'src/analytics/**',
  'src/ask/**',
  'src/base/**',
  'src/engine/analyze/**',
  'src/engine/query/**',
  'src/extension/*.ts',
  'src/extension/{ask,index,search}/**',
  'src/mcp/**',
  'src/protocol/**',
  'src/wire/**',
  'src/workspace/**',
  'webview/**',
];

/** @type {import('eslint').Rule.RuleModule} */
const plainEnglish = {
  meta: { type: 'suggestion', schema: [], messages: { word: 'Instead of “{{found}}” write {{better}}.' } },
  create(context) {
    /** Reports each avoided word in a text, code spans and line breaks aside. */
    const check = (
      /** @type {string} */ text,
      /** @type {import('estree').SourceLocation | null | undefined} */ loc,
    ) => {
      const prose = text.replace(/`[^`]*`|\{@link [^}]*\}/g, '').replace(/\s*\n[\s*]*|\s+/g, ' ');
      for (const [word, better] of WORDS) {
        const found = word.exec(prose)?.[0];
        if (found !== undefined && loc) context.report({ loc, messageId: 'word', data: { found, better } });
      }
    };
    return {
      Program() {
        let above = { text: '', type: '', line: 0 };
        for (const { type, value, loc } of context.sourceCode.getAllComments()) {
          // A word may be split between two line comments, so each is checked with the end of the one above.
          const joins = type === 'Line' && above.type === type && loc?.start.line === above.line + 1;
          check(joins ? `${above.text} ${value}` : value, loc);
          above = { text: value.split(/\s+/).slice(-2).join(' '), type, line: loc?.end.line ?? 0 };
        }
      },
      'CallExpression[callee.name=/^(?:it|describe)$/], CallExpression[callee.object.name=/^(?:it|describe)$/]'(
        /** @type {import('estree').SimpleCallExpression} */ { arguments: [title] },
      ) {
        if (title?.type === 'Literal') check(String(title.value), title.loc);
        if (title?.type === 'TemplateLiteral') check(title.quasis.map(({ value }) => value.raw).join('…'), title.loc);
      },
    };
  },
};

export default defineConfig(
  // test/vscode/model is of an editor newer than the one whose types we have.
  { ignores: ['dist', 'out', '.vscode-test', 'test/fixtures', 'test/vscode/model', 'node_modules'] },
  js.configs.recommended,
  ...ts.configs.strictTypeChecked,
  ...ts.configs.stylisticTypeChecked,
  {
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
    // What is in a folder may be a pipe, a link out of it, or larger than memory: guardedFile.ts opens files for all others.
    files: ['src/{workspace,ask,mcp}/**'],
    ignores: ['src/workspace/{guardedFile,machine,diagnostics}.ts', '**/*.test.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            { name: 'node:fs', importNames: READS, message: 'Read files of a folder with GuardedFolder.' },
            { name: 'node:fs/promises', importNames: READS, message: 'Read files of a folder with GuardedFolder.' },
          ],
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
    files: PLAIN_ENGLISH,
    ignores: [
      'src/base/{fencedJson,lease,ownedFolder,processIdentity,recordLog}.ts',
      'src/workspace/{searcher,relocate}.ts',
    ],
    plugins: { sextant: { rules: { 'plain-english': plainEnglish } } },
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
