import assert from 'node:assert/strict';
import { asSentence, rankHeadline, rankReasons } from './rankSentences.ts';
import type { RankAnswer } from './whyRank.ts';

describe('Reasons for a rank in words', () => {
  type Shares = Readonly<Record<string, number>>;
  const explanation = (shares: Shares): { feature: string; value: number; share: number }[] =>
    Object.entries(shares).map(([feature, share]) => ({ feature, value: 1, share }));
  const ranked = (
    rank: number | undefined,
    [path, shares]: readonly [string, Shares],
    [firstPath, its]: readonly [string, Shares],
    missingWords: readonly string[] = [],
  ): RankAnswer & { kind: 'ranked' } => ({
    kind: 'ranked',
    rank,
    file: { root: '/r', path, line: 1, score: 1, explanation: explanation(shares) },
    first: { root: '/r', path: firstPath, line: 1, score: 2, explanation: explanation(its) },
    isCandidate: true,
    problems: [],
    missingWords,
  });

  it('name the words that only the first has in its name', () => {
    const answer = ranked(6, ['src/mail/receipt.ts', { name: 0.1 }], ['src/mail/sendReceipt.ts', { name: 1.5 }]);
    const [reason] = rankReasons(answer, 'sending a receipt');
    assert.equal(rankHeadline(6, reason!), '6th: has no ‘sending’ in its name; the first does');
    assert.equal(asSentence(reason!), 'It has no ‘sending’ in its name; the first does.');
  });

  it('name the folders, the kind of file and words that are missing', () => {
    const answer = ranked(
      2,
      ['test/pay.test.ts', { folder: 0, test: -2, body: 1 }],
      ['src/orders/pay.ts', { folder: 3, test: 0, body: 1 }],
      ['retry'],
    );
    assert.deepEqual(rankReasons(answer, 'retry orders'), [
      'has no ‘orders’ in its folders; the first does',
      'is a test, which ranks lower',
      'does not have ‘retry’',
    ]);
  });

  it('state what puts the first result first', () => {
    const first = ['src/retryPolicy.ts', { name: 2, definition: 1, best: 0.05 }] as const;
    assert.deepEqual(rankReasons(ranked(1, first, first), 'retry policy'), [
      'has ‘retry’ and ‘policy’ in its name',
      'has a definition that fits the query',
    ]);
  });

  it('are no more than three, without what favours the file itself or hardly counts', () => {
    const shares = { body: 1, best: 1, comment: 1, definition: 1, symbol: 0.2, name: -3 };
    const none = Object.fromEntries(Object.keys(shares).map((feature) => [feature, 0]));
    const reasons = rankReasons(ranked(3, ['a.ts', none], ['b.ts', shares]), 'x');
    assert.equal(reasons.length, 3);
    assert.ok(reasons.every((reason) => !reason.includes('name that') && !reason.includes('queried')));
  });

  it('contain no figure, for every group of features', async () => {
    const { GROUPED_FEATURES } = await import('../engine/query/features.ts');
    const { featureGroup } = await import('./featureGroups.ts');
    const features = GROUPED_FEATURES.map(([, one]) => one);
    const rules = [
      'hasName',
      'spelt',
      'beginsName',
      'namePart',
      'pathPart',
      'verbatim',
      'key',
      'location',
      'locale',
      'manifest',
      'version',
      'section',
    ];
    for (const feature of [...features, ...rules, 'place']) {
      const answer = ranked(2, ['a.ts', { [feature]: 0 }], ['b.ts', { [feature]: 1 }]);
      const reasons = rankReasons(answer, 'x');
      assert.equal(reasons.length, 1, featureGroup(feature));
      assert.doesNotMatch(reasons[0]!, /\d/);
      const first = ['b.ts', { [feature]: 1 }] as const;
      assert.equal(rankReasons(ranked(1, first, first), 'x').length, 1, featureGroup(feature));
    }
  });

  it('count ranks in English', () => {
    const ranks = [1, 2, 3, 4, 11, 12, 13, 21, 22, 101, 111];
    const shown = ranks.map((rank) => rankHeadline(rank, 'x').replace(': x', ''));
    assert.deepEqual(shown, ['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '22nd', '101st', '111th']);
  });

  it('are none for a query of filters alone', () => {
    const { file, ...rest } = ranked(2, ['a.ts', {}], ['b.ts', {}]);
    const { explanation: _, ...bare } = file;
    assert.deepEqual(rankReasons({ ...rest, file: bare }, 'lang:ts'), []);
  });
});
