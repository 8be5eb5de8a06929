import assert from 'node:assert/strict';
import { indexProblemOf } from './problems.ts';

describe('the problem of an index', () => {
  for (const [codes, next] of [
    [['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EMFILE', 'ENFILE'], 'update'],
    [['DiskFull', 'ReadOnly', 'IndexBusy', 'LeaseLost'], 'update'],
    [['IndexFormat', 'IndexDamaged'], 'rebuild'],
    [['EWHATEVER'], 'log'],
  ] as const)
    it(`of ${codes.join(', ')} leads to the action ${next}`, () => {
      for (const code of codes) {
        const problem = indexProblemOf(code, 'Reading failed');
        assert.deepEqual({ code: problem.code, next: problem.next }, { code, next });
        // Errors of the system need advice outside of Sextant; messages of our own errors include it.
        assert.equal(problem.advice !== undefined, /^E[A-Z]+$/.test(code) && next === 'update', code);
      }
    });
});
