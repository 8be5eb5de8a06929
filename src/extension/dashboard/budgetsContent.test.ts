import assert from 'node:assert/strict';
import { sumOfLimits, UNLIMITED } from '../../analytics/budgets/limit.ts';
import type { Unit } from '../../analytics/reports/costReport.ts';
import { limitsNote } from './budgetsContent.ts';

describe('the note under the number of overrides', () => {
  it('has the sum of limits and the number of unlimited ones, each only where there are some', () => {
    const note = (limits: string[], unit: Unit): string => limitsNote(sumOfLimits(limits), limits.length, unit);
    assert.equal(note(['1500', '500'], 'usd'), '$2,000.00 together');
    assert.equal(note(['1500', UNLIMITED], 'credits'), '1,500 credits together, and 1 unlimited');
    assert.equal(note(['0', UNLIMITED], 'credits'), '0 credits together, and 1 unlimited');
    assert.equal(note([UNLIMITED, UNLIMITED], 'usd'), '2 unlimited');
  });
});
