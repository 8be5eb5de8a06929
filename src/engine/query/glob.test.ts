import assert from 'node:assert/strict';
import fc from 'fast-check';
import picomatch from 'picomatch/posix.js';
import { runs, times } from '../../../test/support/runs.ts';
import { checkGlob, compileGlob, isGlob } from './glob.ts';

describe('compileGlob', () => {
  const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['*.ts', ['a.ts', '.ts', 'A.TS'], ['a.tsx', 'b/a.ts']],
    ['a?c', ['abc', 'a😀c'], ['ac', 'a/c']],
    ['src/**', ['src/a', 'src/a/b'], ['src', 'xsrc/a']],
    ['**/b.c', ['b.c', 'a/b.c', 'a/a/b.c'], ['ab.c']],
    ['a/**/b', ['a/b', 'a/x/y/b'], ['ab', 'a/xb']],
    ['a**b', ['ab', 'axb'], ['a/b']],
    ['[abc]x', ['ax', 'CX'], ['dx', '[abc]x']],
    ['[!a-c]x', ['dx'], ['bx', '/x']],
    ['[]-]x', [']x', '-x'], ['[x']],
    ['[\\w]', ['\\', 'w'], ['a']],
    ['*.{ts,tsx}', ['a.ts', 'a.tsx'], ['a.js', 'a.ts,tsx']],
    ['{a,b{1,2}}/*', ['a/x', 'b1/x', 'b2/x'], ['b/x']],
    ['{,x}a', ['a', 'xa'], ['ya']],
    ['\\[id\\].*', ['[id].tsx'], ['i.tsx']],
    ['(a)+@b|^$.*', ['(a)+@b|^$.x'], ['aab.x']],
    ['a,b}*', ['a,b}c'], ['a']],
    ['größe*', ['GRÖSSE', 'größen', 'GRÖßE'].slice(1), ['GRÖSSE']],
  ];
  for (const [pattern, matching, others] of cases) {
    it(`reads ${pattern}`, () => {
      const matches = compileGlob(pattern);
      assert.equal(checkGlob(pattern), undefined);
      assert.ok(isGlob(pattern));
      for (const text of matching) assert.ok(matches(text), `should match ${text}`);
      for (const text of others) assert.ok(!matches(text), `should not match ${text}`);
    });
  }

  it('can start after any folder, match case, and cross slashes in a name', () => {
    assert.ok(compileGlob('b/*', { isFloating: true })('a/b/c'));
    assert.ok(!compileGlob('b/*', { isFloating: true })('ab/c'));
    assert.ok(!compileGlob('A*', { matchCase: true })('ab'));
    assert.ok(compileGlob('I?O *', { isName: true })('I/O ports'));
  });

  it('agrees with picomatch where both mean the same', () => {
    const piece = fc.constantFrom('a', 'b', '.', '-', '*', '?', '[ab]', '[^a]', '{a,b}', '{a,b*}', '[a-b]', '\\*', 'é');
    const segment = fc.oneof(
      {
        arbitrary: fc
          .array(piece, { minLength: 1, maxLength: 4 })
          .map((pieces) => pieces.join('').replace(/\*{2,}/g, '*')),
        weight: 3,
      },
      { arbitrary: fc.constant('**'), weight: 1 },
    );
    const pattern = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));
    const name = fc.string({ minLength: 1, maxLength: 4, unit: fc.constantFrom('a', 'b', '.', '-', '*', 'É') });
    const path = fc
      .array(
        // Only picomatch requires something after the dot of `*.*`.
        name.filter((text) => !text.endsWith('.')),
        { minLength: 1, maxLength: 4 },
      )
      .map((names) => names.join('/'));
    const options = { dot: true, nocase: true, noextglob: true, nonegate: true, literalBrackets: false };
    fc.assert(
      fc.property(
        // A dot as a whole name is the folder itself to picomatch.
        pattern.filter((glob) => checkGlob(glob) === undefined && !/(?:^|\/)\.{1,2}(?:\/|$)/.test(glob)),
        fc.array(path, { minLength: 5 }),
        (glob, paths) => {
          const ours = compileGlob(glob);
          const theirs = picomatch.makeRe(glob, options);
          for (const text of paths) {
            // The folder itself, which picomatch also matches with `a/**`, is never tested in Sextant.
            if (glob.endsWith('/**') && !ours(text)) continue;
            assert.equal(ours(text), theirs.test(text), `${glob} on ${text}: ${theirs.source}`);
          }
        },
      ),
      { numRuns: runs(3000) },
    );
  });

  it('compiles any glob without a problem', () => {
    const pattern = fc.string({
      unit: fc.constantFrom('a', '-', '[', ']', '{', '}', ',', '!', '^', '\\', '*', '?', '/', '😀'),
    });
    fc.assert(
      fc.property(pattern, (glob) => {
        const problem = checkGlob(glob);
        if (problem) assert.ok(problem.at >= 0 && problem.at < glob.length);
        else for (const isName of [true, false]) compileGlob(glob, { isName })('a/b');
      }),
      { numRuns: times(5000) },
    );
  });
});
