import assert from 'node:assert/strict';
import fc from 'fast-check';
import { times } from '../../../test/support/runs.ts';
import { endOfSimpleNumber, mayBeNumber, numberTerm, WORD } from './numbers.ts';
import { splitToken } from './words.ts';

describe('numberTerm', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['0x1F', '0x1f'],
    ['0X1fUL', '0x1f'],
    ['0xffu8', '0xff'],
    ['1_000', '1000'],
    ['0b1010_1010', '0b10101010'],
    ['1_000u32', '1000'],
    ['10n', '10'],
    ['1.5f', '1.5'],
    ['1e-9', '1e-9'],
    ['1.5E+3L', '1.5e+3'],
    ['v1.2.3', '1.2.3'],
    ['192.168.0.1', '192.168.0.1'],
    ['550e8400', '550e8400'],
    ['10ms', '10ms'],
    ['2.0rc1', '2.0rc1'],
    ['3rdParty', undefined],
    ['0001_init', undefined],
    ['64bit', undefined],
    ['v1', undefined],
    ['E1001', undefined],
    ['2024年', undefined],
    ['1'.repeat(101), undefined],
  ];
  for (const [token, term] of cases) {
    it(`of ${token.slice(0, 20)} is ${term ?? 'none'}`, () => assert.equal(numberTerm(token), term));
  }
});

describe('endOfSimpleNumber', () => {
  it('finds the term of a number, if it finds any', () => {
    const piece = fc.constantFrom(...'0 1 9 a f x X . e u U l L ul ULL 0x _ v g -'.split(' '));
    let simple = 0;
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), (pieces) => {
        for (const [token] of pieces.join('').matchAll(WORD)) {
          const bytes = Buffer.from(`9${token}9`);
          const end = endOfSimpleNumber(bytes, 1, bytes.length - 1);
          if (end < 0) continue;
          simple++;
          assert.equal(bytes.toString('latin1', 1, end).toLowerCase(), numberTerm(token), token);
          assert.ok(mayBeNumber(bytes, 1), token);
        }
      }),
      { numRuns: times(3000) },
    );
    assert.ok(simple > 100, `${simple} numbers`);
  });
});

describe('WORD', () => {
  const tokensOf = (text: string): string[] => [...text.matchAll(WORD)].map(([token]) => token);

  it('keeps a number whole, and leaves the punctuation around it', () => {
    assert.deepEqual(tokensOf('(-13), [0x1F] 1e-9. v1.2.3; 10.0.0.1:80 a-1 1..2 x.5'), [
      ...['13', '0x1F', '1e-9', 'v1.2.3', '10.0.0.1', '80', 'a', '1', '1', '2', 'x', '5'],
    ]);
    assert.deepEqual(tokensOf('rev1.2 1e-x 0xe-5 1.x'), ['rev1', '2', '1e', 'x', '0xe', '5', '1', 'x']);
  });
});

describe('splitToken', () => {
  it('gives one term to all spellings of a number', () => {
    const same = (...tokens: string[]): void => assert.equal(new Set(tokens.map((one) => splitToken(one)[0])).size, 1);
    same('0x1F', '0X1f', '0x1Fu', '0x1FULL');
    same('1000', '1_000', '1000L');
    same('1.2.3', 'v1.2.3', 'V1.2.3');
  });
});
