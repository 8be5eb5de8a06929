import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { replaceByEarlierVersion } from '../../test/support/indexFiles.ts';
import { temporaryFolder, writeFiles } from '../../test/support/temporary.ts';
import { silentLogger } from '../base/log.ts';
import { FolderIndex } from './folderIndex.ts';
import { DEFAULT_EXCLUDE, indexFolderOf, MAX_FILE_BYTES } from './folderOptions.ts';
import { Searcher, type SearchFolder } from './searcher.ts';
import { compareContributions, explainRank, type RankAnswer } from './whyRank.ts';

describe('Where a file ranks', () => {
  const folder = temporaryFolder();

  async function index(files: Readonly<Record<string, string>>): Promise<SearchFolder> {
    const root = folder();
    const stateFolder = folder();
    writeFiles(root, files);
    const edges = { logger: silentLogger, now: () => Date.now() + 60_000, onStatus: () => undefined };
    const opened = FolderIndex.open(
      { root, stateFolder, exclude: DEFAULT_EXCLUDE, maxFileBytes: MAX_FILE_BYTES },
      edges,
    );
    await opened.reconcile();
    await opened.close();
    return { root, stateFolder };
  }

  /** Files that all have the word, in fewer and fewer places. */
  function lanterns(count: number): Record<string, string> {
    const files: Record<string, string> = {};
    for (let i = 0; i < count; i++) {
      const often = '// the lantern\n'.repeat(Math.max(1, count - i));
      files[`src/f${String(i).padStart(4, '0')}.ts`] = `${often}export const v${i} = ${i};\n`;
    }
    return files;
  }

  const why = (folders: readonly SearchFolder[], path: string, query: string, of = 0): Promise<RankAnswer> =>
    explainRank({ folders, root: folders[of]!.root, path, query });

  it('reports the rank of every file in a search', async () => {
    const one = await index(lanterns(70));
    const searcher = new Searcher();
    const { results } = await searcher.search({ folders: [one], query: 'lantern', limit: 100, explain: true });
    searcher.close();
    assert.equal(results.length, 70);
    for (const [i, { path, score, explanation }] of results.entries()) {
      const answer = await why([one], path, 'lantern');
      assert.ok(answer.kind === 'ranked');
      assert.deepEqual([answer.rank, answer.first.path, answer.isCandidate], [i + 1, results[0]!.path, i < 48], path);
      assert.ok(answer.file.explanation && answer.file.explanation.length > 0, 'also behind the candidates');
      if (i < 48) assert.deepEqual([answer.file.score, answer.file.explanation], [score, explanation]);
    }
  });

  it('applies changed: filters', async () => {
    const one = await index({ 'a.ts': 'lantern', 'b.ts': 'lantern' });
    execFileSync('git', ['init', '-q', one.root]);
    writeFiles(one.root, { '.git/info/exclude': 'b.ts\n' });
    const ask = (path: string, query: string): Promise<RankAnswer> =>
      explainRank({ folders: [one], root: one.root, path, query, isTrusted: true });
    assert.equal((await ask('a.ts', 'lantern changed:')).kind, 'ranked');
    const missing = (answer: RankAnswer): unknown => answer.kind === 'unmatched' && answer.mismatches;
    assert.deepEqual(missing(await ask('b.ts', 'lantern changed:')), [{ kind: 'filter', text: 'changed:' }]);
    assert.deepEqual(missing(await ask('a.ts', 'lantern -changed:')), [{ kind: 'excluded', text: '-changed:' }]);
    const unknown = await ask('a.ts', 'cart changed:nowhere');
    assert.deepEqual(missing(unknown), [{ kind: 'words', text: 'cart' }]);
    assert.deepEqual(unknown.kind === 'unmatched' && unknown.problems.map(({ code }) => code), ['UnknownRevision']);
  });

  it('leaves out another folder whose index another version wrote, and fails for a file of that folder', async () => {
    const folders = [await index({ 'a.ts': 'lantern' }), await index({ 'b.ts': 'lantern' })];
    replaceByEarlierVersion(indexFolderOf(folders[1]!.stateFolder));
    const { kind, problems } = await why(folders, 'a.ts', 'lantern');
    assert.deepEqual([kind, problems.map(({ code }) => code)], ['ranked', ['IndexFormat']]);
    await assert.rejects(why(folders, 'b.ts', 'lantern', 1), {
      code: 'IndexFormat',
      message: /close that, and search/,
    });
  });

  it('counts ranks over all folders, as the search does', async () => {
    const folders = [await index(lanterns(3)), await index({ 'lantern.ts': 'export class Lantern {}\n' })];
    const [best, worse] = [
      await why(folders, 'lantern.ts', 'lantern', 1),
      await why(folders, 'src/f0000.ts', 'lantern'),
    ];
    assert.ok(best.kind === 'ranked' && worse.kind === 'ranked');
    assert.equal(best.rank, 1);
    assert.ok(worse.rank! > 1);
    assert.deepEqual([worse.first.root, worse.first.path], [folders[1]!.root, 'lantern.ts']);
  });

  it('orders groups of features by the difference of the scores', async () => {
    const one = await index(lanterns(5));
    const answer = await why([one], 'src/f0004.ts', 'lantern');
    assert.ok(answer.kind === 'ranked');
    const compared = compareContributions(answer.file, answer.first);
    const distances = compared.map(({ file, first }) => Math.abs(first - file));
    assert.deepEqual(
      distances,
      [...distances].sort((a, b) => b - a),
    );
    const sum = compared.reduce((total, { file, first }) => total + first - file, 0);
    assert.ok(Math.abs(sum - (answer.first.score - answer.file.score)) < 1e-9, 'it makes up the difference');
  });

  it('reports the parts of the query that a file does not match', async () => {
    const one = await index({
      'src/pay.ts': '// a failed payment\nexport function retryPayment() {}\n',
      'src/pay.go': 'package pay\n\nfunc Refund() {}\n',
    });
    const mismatches = async (query: string, path = 'src/pay.ts'): Promise<string[]> => {
      const answer = await why([one], path, query);
      assert.ok(answer.kind === 'unmatched', query);
      return answer.mismatches.map(({ kind, text }) => `${kind} ${text}`);
    };
    assert.deepEqual(await mismatches('lighthouse keeper'), ['words lighthouse keeper']);
    assert.deepEqual(await mismatches('payment lang:go lang:rust'), ['filter lang:go lang:rust']);
    assert.deepEqual(await mismatches('payment path:test sym:refund'), ['filter path:test', 'filter sym:refund']);
    assert.deepEqual(await mismatches('"payment failed" retry'), ['phrase "payment failed"']);
    assert.deepEqual(await mismatches('retry -payment'), ['excluded -payment']);
    assert.deepEqual(await mismatches('retry -path:src -"failed payment" -sym:retry*'), [
      'excluded -path:src',
      'excluded -sym:retry*',
      'excluded -"failed payment"',
    ]);
    assert.deepEqual(await mismatches('lighthouse lang:ts -file:pay*', 'src/pay.go'), [
      'filter lang:ts',
      'excluded -file:pay*',
      'words lighthouse',
    ]);
  });

  it('reports words that the index leaves out as such, not as missing in the file', async () => {
    const one = await index({ 'src/pay.ts': '// the x of a payment\n' });
    const answer = await why([one], 'src/pay.ts', 'the x');
    assert.ok(answer.kind === 'unmatched');
    assert.deepEqual([answer.mismatches, answer.problems.map(({ code }) => code)], [[], ['UnindexedWords']]);
  });

  it('names the words that neither the file nor its path has', async () => {
    const one = await index({ 'src/payments/retry.ts': 'export function againAndAgain() {}\n' });
    const { kind, missingWords } = await why([one], 'src/payments/retry.ts', 'retrying the payment againFromScratch');
    assert.deepEqual([kind, missingWords], ['ranked', ['scratch']]);
  });

  it('reports a file that is not indexed as unknown', async () => {
    const one = await index({ 'a.ts': 'x' });
    assert.equal((await why([one], 'b.ts', 'x')).kind, 'unknown');
  });

  it('has no contributions for a query of filters alone', async () => {
    const one = await index({ 'a.ts': 'x', 'b.ts': 'x' });
    const answer = await why([one], 'b.ts', 'lang:ts');
    assert.ok(answer.kind === 'ranked' && answer.isCandidate);
    assert.deepEqual([answer.rank, answer.file.explanation], [2, undefined]);
  });

  it('stops when it is cancelled', async () => {
    const one = await index(lanterns(3));
    const request = { folders: [one], root: one.root, path: 'src/f0000.ts', query: 'lantern' };
    await assert.rejects(explainRank(request, AbortSignal.abort()), { code: 'Cancelled' });
  });
});
