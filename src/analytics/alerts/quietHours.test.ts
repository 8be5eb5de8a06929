import assert from 'node:assert/strict';
import fc from 'fast-check';
import { times } from '../../../test/support/runs.ts';
import { afterQuiet, isTimeZone, parseHours } from './quietHours.ts';

const BERLIN = { from: '20:00', to: '07:00', timeZone: 'Europe/Berlin' };

describe('quiet hours', () => {
  const end = (at: string, hours = BERLIN): string => new Date(afterQuiet(Date.parse(at), hours)).toISOString();

  it('end at the time of their zone, also when clocks change', () => {
    assert.equal(end('2026-11-21T18:59:59Z'), '2026-11-21T18:59:59.000Z');
    assert.equal(end('2026-11-21T19:00:00Z'), '2026-11-22T06:00:00.000Z');
    assert.equal(end('2026-03-28T23:00:00Z'), '2026-03-29T05:00:00.000Z', 'the night of summer time is shorter');
    assert.equal(end('2026-10-24T23:00:00Z'), '2026-10-25T06:00:00.000Z', 'the night of its end is longer');
    assert.equal(end('2026-11-21T12:30:00Z', { from: '12:00', to: '13:00', timeZone: 'UTC' }), '2026-11-21T13:00:00.000Z'); // oxfmt-ignore
  });

  it('end within a day, at a moment that is not quiet', () => {
    const time = fc
      .tuple(fc.nat(23), fc.nat(59))
      .map((parts) => parts.map((n) => String(n).padStart(2, '0')).join(':'));
    const zone = fc.constantFrom('UTC', 'America/St_Johns', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia');
    fc.assert(
      fc.property(time, time, zone, fc.integer({ min: 1.7e12, max: 1.9e12 }), (from, to, timeZone, at) => {
        fc.pre(from !== to);
        const hours = { from, to, timeZone };
        const after = afterQuiet(at, hours);
        assert.ok(after >= at && after - at <= 25 * 3_600_000);
        assert.equal(afterQuiet(after, hours), after);
        assert.equal(afterQuiet(at, { ...hours, from: to, to: from }) === at, after !== at, 'quiet, or quiet in the others'); // oxfmt-ignore
      }),
      { numRuns: times(60) },
    );
  });

  it('are written as two times and the name of a zone', () => {
    assert.deepEqual(parseHours('20:00-07:00'), { from: '20:00', to: '07:00' });
    for (const text of ['24:00-07:00', '8:00-9:00', '20:00-20:00', '20:00', ''])
      assert.equal(parseHours(text), undefined);
    assert.deepEqual(['Europe/Berlin', 'UTC', 'Mars/Base', ''].map(isTimeZone), [true, true, false, false]);
  });
});
