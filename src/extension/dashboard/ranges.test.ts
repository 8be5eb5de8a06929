import assert from 'node:assert/strict';
import { formatDay, parseDay } from '../../base/day.ts';
import { PRESETS, type Preset } from '../../protocol/dashboardChoices.ts';
import { chosenRange } from './ranges.ts';

describe('the days of a choice', () => {
  const range = (preset: Preset, newest: string, first = '', last = ''): string => {
    const day = parseDay(newest)!;
    const chosen = chosenRange({ preset, first, last }, day, day + 1);
    return `${formatDay(chosen.first)} ${formatDay(chosen.last)}`;
  };

  it('end with the newest finished day', () => {
    assert.equal(range('7d', '2026-11-21'), '2026-11-15 2026-11-21');
    assert.equal(range('28d', '2026-11-21'), '2026-10-25 2026-11-21');
    assert.equal(range('90d', '2026-11-21'), '2026-08-24 2026-11-21');
    assert.equal(range('month', '2026-11-21'), '2026-11-01 2026-11-21');
  });

  it('are those of the previous month on the first of a month', () => {
    assert.equal(range('month', '2026-10-31'), '2026-10-01 2026-10-31');
    assert.equal(range('lastMonth', '2026-10-31'), '2026-09-01 2026-09-30');
    assert.equal(range('lastMonth', '2026-03-15'), '2026-02-01 2026-02-28');
  });

  it('may be any that the service allows, and are refused with its message', () => {
    assert.equal(range('custom', '2026-11-21', '2026-09-01', '2026-09-30'), '2026-09-01 2026-09-30');
    assert.throws(() => range('custom', '2026-11-21', '2026-09-30', '2026-09-01'), { code: 'InvalidArgument' });
    assert.throws(() => range('custom', '2026-11-21', '2026-01-01', '2026-09-01'), /cannot exceed 90 days/);
    assert.throws(() => range('custom', '2026-11-21', '2024-01-01', '2024-01-07'), /2 years ago/);
    assert.throws(() => range('custom', '2026-11-21', '2026-11-20', '2026-11-22'), /later than yesterday/);
  });

  it('never exceed the range of one request', () => {
    for (const preset of PRESETS.filter((one) => one !== 'custom')) {
      const newest = parseDay('2026-12-31')!;
      const { first, last } = chosenRange({ preset, first: '', last: '' }, newest, newest + 1);
      assert.ok(last - first < 90 && first <= last);
    }
  });
});
