import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listSources, readSources } from '../../../test/bench/corpus.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { documentId } from '../documentId.ts';
import { Engine, type EngineDocument } from '../engine.ts';
import type { Hit } from './hits.ts';

interface Goldens {
  /** A question, the file that answers it, and its lowest accepted rank: first by default. */
  readonly questions: readonly (readonly [query: string, path: string, within?: number])[];
  /** A question, the file and the name of the definition that is shown first in it, and the file's lowest accepted rank. */
  readonly places: readonly (readonly [query: string, path: string, name: string, within?: number])[];
  /** A name, the file that defines it, and the text of the defining line. */
  readonly names: readonly (readonly [query: string, path: string, line: string])[];
  /** Queries with filters, phrases, prefixes, initials and qualified names, and what people paste. */
  readonly others: readonly (readonly [query: string, path: string, within?: number])[];
}

/** Sources that the lockfile pins. The questions were written from reading them, before any answer was seen. */
const PACKAGES: Readonly<Record<string, Goldens>> = {
  eslint: {
    questions: [
      ['how are unused eslint-disable comments detected', 'lib/linter/apply-disable-directives.js'],
      ['apply fixes to the source text', 'lib/linter/source-code-fixer.js'],
      ['keep lint results of unchanged files between runs', 'lib/cli-engine/lint-result-cache.js', 3],
      ['store suppressed violations in a file', 'lib/services/suppressions-service.js'],
      ['replace placeholders in messages', 'lib/linter/interpolate.js', 3],
      ['find the configuration file for a directory', 'lib/config/config-loader.js', 3],
      ['strip byte order mark from file content', 'lib/linter/vfile.js'],
      ['code path state for loops, break and continue', 'lib/linter/code-path-analysis/code-path-state.js'],
      ['print a table as plain text', 'lib/shared/text-table.js'],
      ['validate globals and parser of language options', 'lib/languages/js/validate-language-options.js'],
      ['expand glob patterns to the files to lint', 'lib/eslint/eslint-helpers.js', 3],
      ['run valid and invalid test cases of a rule', 'lib/rule-tester/rule-tester.js'],
      ['disallow unused variables', 'lib/rules/no-unused-vars.js'],
      ['comparison with NaN', 'lib/rules/use-isnan.js'],
      ['report await inside loops', 'lib/rules/no-await-in-loop.js'],
      ['html page of lint results', 'lib/cli-engine/formatters/html.js'],
    ],
    places: [
      ['apply a fix unless it overlaps an earlier one', 'lib/linter/source-code-fixer.js', 'attemptFix'],
      ['is the pattern a glob', 'lib/eslint/eslint-helpers.js', 'isGlobPattern'],
      [
        'error when all files given on the command line are ignored',
        'lib/eslint/eslint-helpers.js',
        'AllFilesIgnoredError',
      ],
      [
        'where is the cache stored if the cache location is a directory',
        'lib/eslint/eslint-helpers.js',
        'getCacheFile',
      ],
      ['load a config file written in TypeScript', 'lib/config/config-loader.js', 'loadConfigFile'],
      ['are we running under bun', 'lib/config/config-loader.js', 'isRunningInBun'],
      ['do two nodes refer to the same variable or member', 'lib/rules/utils/ast-utils.js', 'isSameReference'],
      ['name of a property if it is known statically', 'lib/rules/utils/ast-utils.js', 'getStaticPropertyName', 2],
      ['which enable directives were of use', 'lib/linter/apply-disable-directives.js', 'collectUsedEnableDirectives'],
      ['remove an unused disable comment', 'lib/linter/apply-disable-directives.js', 'createDirectiveRemoval'],
    ],
    names: [
      ['RuleFixer', 'lib/linter/rule-fixer.js', 'class RuleFixer {'],
      ['getGraphemeCount', 'lib/shared/string-utils.js', 'function getGraphemeCount(value) {'],
      ['CodePathSegment', 'lib/linter/code-path-analysis/code-path-segment.js', 'class CodePathSegment {'],
      ['isSerializable', 'lib/shared/serialization.js', 'function isSerializable(val'],
      ['ConfigLoader', 'lib/config/config-loader.js', 'class ConfigLoader {'],
      ['deepMergeArrays', 'lib/shared/deep-merge-arrays.js', 'function deepMergeArrays('],
      ['normalizeSeverityToNumber', 'lib/shared/severity.js', 'function normalizeSeverityToNumber('],
    ],
    others: [
      ['ESLint.lintFiles', 'lib/eslint/eslint.js'],
      ['createDisable', 'lib/linter/linter.js'],
      ['cursor path:token-store file:limit*', 'lib/languages/js/source-code/token-store/limit-cursor.js'],
      ['"Unused eslint-disable directive"', 'lib/linter/apply-disable-directives.js'],
      ['sym:normalizeFixes', 'lib/linter/file-report.js'],
      ['grapheme -path:rules', 'lib/shared/string-utils.js'],
      ['worker thread -path:lib/rules file:worker', 'lib/eslint/worker.js'],
      ['token-store/decorative-', 'lib/languages/js/source-code/token-store/decorative-cursor.js'],
      ['rules/wrap-r', 'lib/rules/wrap-regex.js'],
      ['rules nonblock-statement-b', 'lib/rules/nonblock-statement-body-position.js'],
      ['at create (/srv/eslint/lib/rules/no-restricted-syntax.js:56:22)', 'lib/rules/no-restricted-syntax.js'],
      ['rules/no-ternary.js:34', 'lib/rules/no-ternary.js'],
      [String.raw`isCommentToken\(.*tokenBefore`, 'lib/rules/array-element-newline.js'],
      ['/abortController.*AbortController/', 'lib/eslint/eslint.js'],
      ['0x1f', 'lib/rules/no-control-regex.js'],
      ['hasLeftHand', 'lib/rules/prefer-object-has-own.js'],
      ['LabeledScope', 'lib/rules/no-unused-labels.js'],
      ['info.calledInSomePaths = info.calledInEveryPaths = true;', 'lib/rules/constructor-super.js'],
      ['Failed to find token get, set, or async beside method name', 'lib/rules/keyword-spacing.js'],
    ],
  },
  'mocha/lib': {
    questions: [
      ['run test files in parallel worker processes', 'nodejs/parallel-buffered-runner.cjs', 3],
      ['load configuration from mocharc file', 'cli/config.cjs', 3],
      ['send test results from a worker to the main process', 'nodejs/serializer.js', 3],
      ['show the difference between actual and expected value', 'reporters/base.js'],
      ['which command line flags belong to node', 'cli/node-flags.cjs'],
      ['timeout of an asynchronous test', 'runnable.js', 3],
      ['xml output for continuous integration servers', 'reporters/xunit.js'],
      ['describe and it functions', 'interfaces/bdd.js', 3],
      ['cat with a rainbow', 'reporters/nyan.js'],
    ],
    places: [
      ['show a unified diff', 'reporters/base.js', 'unifiedDiff'],
      ['find test files for a glob or directory', 'cli/lookup-files.js', 'lookupFiles'],
    ],
    names: [
      ['createStatsCollector', 'stats-collector.js', 'function createStatsCollector(runner) {'],
      ['PluginLoader', 'plugin-loader.js', 'class PluginLoader {'],
      ['stringifyDiffObjs', 'reporters/base.js', 'function stringifyDiffObjs(err) {'],
      ['lookupFiles', 'cli/lookup-files.js', 'export function lookupFiles('],
    ],
    others: [
      ['Runner.checkGlobals', 'runner.js'],
      ['Suite#addTest', 'suite.js'],
      ['SerializableEvent.deserialize', 'nodejs/serializer.js'],
      ['bwp', 'nodejs/buffered-worker-pool.cjs'],
      ['createInvalid', 'errors.js'],
      ['sym:*Producer', 'reporters/tap.js'],
      ['"called multiple times" file:errors', 'errors.js'],
      ['escape path:reporters -file:html*', 'reporters/xunit.js', 2],
    ],
  },
  'dependency-cruiser': {
    questions: [
      ['find circular dependencies', 'src/analyze/derive/circular.mjs', 3],
      ['anonymize paths in a report', 'src/report/anon/anonymize-path.mjs', 3],
      ['merge the package.json manifests of a monorepo', 'src/extract/resolve/merge-manifests.mjs'],
      ['license of an external module', 'src/extract/resolve/external-module-helpers.mjs', 3],
      ['transpile vue templates', 'src/extract/transpile/vue-template-wrap.cjs'],
      ['draw the graph as mermaid', 'src/report/mermaid.mjs'],
      ['lower the severity of known violations', 'src/analyze/soften-known-violations.mjs'],
      ['calculate instability from afferent and efferent couplings', 'src/analyze/derive/module-utl.mjs', 3],
      ['write the output to stdout in chunks', 'src/cli/utl/io.mjs'],
    ],
    places: [
      [
        'combine dependencies of the nearest package.json with those further up',
        'src/extract/resolve/merge-manifests.mjs',
        'mergeManifests',
      ],
    ],
    names: [
      ['detectPreCompilationNess', 'src/extract/helpers.mjs', 'export function detectPreCompilationNess('],
      ['resolveYarnVirtual', 'src/extract/resolve/index.mjs', 'function resolveYarnVirtual('],
      ['MetaDataStrategy', 'src/cache/metadata-strategy.mjs', 'export default class MetaDataStrategy {'],
      ['makeInstabilityString', 'src/report/dot/module-utl.mjs', 'function makeInstabilityString('],
      ['IndexedModuleGraph', 'src/graph-utl/indexed-module-graph.mjs', 'export default class IndexedModuleGraph {'],
    ],
    others: [
      ['gat', 'src/extract/transpile/meta.mjs'],
      ['stripSelf', 'src/graph-utl/strip-self-transitions.mjs'],
      ['theme path:report/dot file:default*', 'src/report/dot/default-theme.mjs'],
      ['formatCycleViolation -file:azure*', 'src/report/error.mjs'],
      ['flow id path:src/report', 'src/report/teamcity.mjs'],
    ],
  },
  semver: {
    questions: [
      ['does a version satisfy a range', 'functions/satisfies.js', 3],
      ['is one range a subset of another', 'ranges/subset.js'],
      ['coerce a string to a version', 'functions/coerce.js'],
      ['regular expressions for parsing versions', 'internal/re.js', 3],
      ['least recently used cache', 'internal/lrucache.js'],
    ],
    places: [
      ['coerce a string to a version', 'functions/coerce.js', 'coerce'],
      ['is one range a subset of another', 'ranges/subset.js', 'subset'],
      ['least recently used cache', 'internal/lrucache.js', 'LRUCache'],
    ],
    names: [
      ['SemVer', 'classes/semver.js', 'class SemVer {'],
      ['Comparator', 'classes/comparator.js', 'class Comparator {'],
      ['compareIdentifiers', 'internal/identifiers.js', 'const compareIdentifiers = '],
      ['LRUCache', 'internal/lrucache.js', 'class LRUCache {'],
    ],
    others: [
      ['SemVer.comparePre', 'classes/semver.js'],
      ['Range.intersects', 'classes/range.js'],
      ['"Invalid comparator" lang:js', 'classes/comparator.js'],
    ],
  },
  'markdown-it/lib': {
    questions: [
      ['replace straight quotes by typographic ones', 'rules_core/smartquotes.mjs', 3],
      ['parse the title of a link', 'helpers/parse_link_title.mjs', 3],
      ['code block between backtick fences', 'rules_block/fence.mjs', 3],
      ['link reference definitions', 'rules_block/reference.mjs', 3],
      ['rows and columns of a table', 'rules_block/table.mjs', 3],
      ['join adjacent text tokens', 'rules_core/text_join.mjs', 3],
      ['enable or disable rules by name', 'ruler.mjs', 3],
    ],
    places: [],
    names: [['isWhiteSpace', 'common/utils.mjs', 'function isWhiteSpace (code) {']],
    others: [
      ['scanDelims path:rules_inline', 'rules_inline/state_inline.mjs'],
      ['Ruler.enableOnly', 'ruler.mjs'],
    ],
  },
  'undici/lib': {
    questions: [],
    places: [
      ['which tls server name to send for a host', 'core/util.js', 'getServerName'],
      ['message for a connection timeout that lists attempted addresses', 'core/util.js', 'onConnectTimeout'],
      ['parse a range header with start and end', 'core/util.js', 'parseRangeHeader'],
      ['parse attributes such as max-age and path of a cookie', 'web/cookies/parse.js', 'parseUnparsedAttributes'],
    ],
    names: [],
    others: [],
  },
};

describe('ranking', () => {
  const folder = temporaryFolder();

  for (const [name, { questions, places, names, others }] of Object.entries(PACKAGES)) {
    describe(`in ${name}`, () => {
      const root = join(import.meta.dirname, '../../../node_modules', name);
      const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
      let engine: Engine;

      before(async () => {
        engine = Engine.open(folder());
        await engine.apply({ add: documentsIn(root) });
      });
      after(() => engine.close());

      async function assertFound(query: string, path: string, within = 1): Promise<Hit> {
        const hits = await engine.search(query, { readText: textOf });
        const paths = hits.map((hit) => hit.path);
        assert.ok(paths.slice(0, within).includes(path), paths.slice(0, 5).join(', '));
        return hits.find((hit) => hit.path === path)!;
      }

      for (const [query, path, within] of [...questions, ...others]) {
        it(`answers ${query}`, async () => {
          await assertFound(query, path, within);
        });
      }

      for (const [query, path, name, within] of places) {
        it(`shows ${name} for ${query}`, async () => {
          assert.equal((await assertFound(query, path, within)).symbol?.name, name);
        });
      }

      for (const [query, path, line] of names) {
        it(`shows the definition of ${query}`, async () => {
          const { startLine, endLine } = await assertFound(query, path);
          const lines = textOf(path).split('\n');
          assert.ok(lines.slice(startLine - 1, endLine).some((text) => text.includes(line)));
        });
      }
    });
  }
});

function* documentsIn(root: string): Generator<EngineDocument> {
  for (const { path, content } of readSources(root, listSources(root))) {
    yield { id: documentId(path, content), path, content };
  }
}
