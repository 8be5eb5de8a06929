import assert from 'node:assert/strict';
import { scorePassages, type PassageCandidate } from './passageRanker.ts';
import { QUESTION_PROFILE } from './retrieve.ts';

describe('The order of passages', () => {
  const question = { words: ['tide', 'gauge'], earlier: new Set<string>(), withRelated: true, isAboutTests: false };

  function scoreOf(changes: Partial<PassageCandidate>): number {
    const candidate: PassageCandidate = {
      ...{ rank: 0, below: 0, relatedBelow: 0, placeRank: 0, path: 'src/tide.ts', context: '' },
      text: 'function readTide() {\n  return gauge();\n}',
      ...{ name: 'readTide', kind: 'function', isProse: false, isTest: false },
      ...changes,
    };
    return scorePassages([candidate], question, QUESTION_PROFILE.weights)[0]!;
  }

  it('trusts the searches: a lower score of the file counts, of equal ranks', () => {
    const scores = [0, 1, 2, 4].map((below) => scoreOf({ below, relatedBelow: below }));
    assert.deepEqual(
      scores.toSorted((a, b) => b - a),
      scores,
    );
    assert.equal(new Set(scores).size, scores.length);
  });

  it('does not tell a file that a search did not find from one far below', () => {
    assert.equal(scoreOf({ relatedBelow: Infinity }), scoreOf({ relatedBelow: 5 }));
  });

  it('counts a page below a function with the same words', () => {
    assert.ok(scoreOf({ isProse: true, kind: undefined }) < scoreOf({}));
  });
});
