import assert from 'node:assert/strict';
import fc from 'fast-check';
import { GROUPS, TABS } from './dashboardChoices.ts';
import type { Choices } from './dashboardView.ts';
import { readSharedView, writeSharedView } from './sharedView.ts';

const DAYS = { first: '2026-11-01', last: '2026-11-20' };
const CHOICES: Choices = {
  ...{ tab: 'cost', preset: '28d', first: '', last: '', compare: true, group: 'user' },
  ...{ column: 'cost_center', part: 'product:Chat', only: 'team=Search', filter: 'Größe & Co=1', anonymise: false },
} as const;

describe('a link to a view', () => {
  it('opens the same tab, days, grouping and filter', () => {
    const typed = fc.string({ maxLength: 60, unit: 'grapheme' }).filter((text) => !/\p{C}/u.test(text));
    fc.assert(
      fc.property(
        fc.record({
          tab: fc.constantFrom(...TABS),
          group: fc.constantFrom(...GROUPS),
          compare: fc.boolean(),
          filter: typed,
          only: typed.filter((text) => text !== ''),
          column: fc.option(
            typed.filter((text) => text !== ''),
            { nil: undefined },
          ),
        }),
        (some) => {
          const choices: Choices = { ...CHOICES, ...some };
          const { column, anonymise: _, ...rest } = { ...choices, preset: 'custom', ...DAYS };
          const expected = { ...rest, ...(column !== undefined && { column }) };
          assert.deepEqual(readSharedView(writeSharedView(choices, DAYS)), expected);
        },
      ),
    );
  });

  it('has no filter while names are hidden, and never says whether the reader hides them', () => {
    const query = writeSharedView({ ...CHOICES, anonymise: true }, DAYS);
    assert.equal(readSharedView(query)?.filter, '');
    assert.equal(readSharedView(query)?.only, undefined, 'a group may be a person');
    assert.equal(query.includes('anonymise'), false);
  });

  it('is refused as a whole if any part is not a choice of the dashboard', () => {
    const good = writeSharedView(CHOICES, DAYS);
    assert.ok(readSharedView(good));
    const bad = [
      '',
      good.replace('v=1', 'v=2'),
      `${good}&tab=people`,
      `${good}&url=https%3A%2F%2Fevil.example.com`,
      `${good}&token=x`,
      `${good}&anonymise=false`,
      `${good}&__proto__=x`,
      good.replace('tab=cost', 'tab=constructor'),
      good.replace('compare=true', 'compare=1'),
      good.replace('2026-11-01', '2026-11-01%3Cscript%3E'),
      good.replace(/filter=[^&]*/, `filter=${'x'.repeat(201)}`),
      good.replace(/filter=[^&]*/, 'filter=a%E2%80%AEb'),
      good.replace(/filter=[^&]*/, 'filter=a%00b'),
      good.replace(/only=[^&]*/, `only=${'x'.repeat(301)}`),
      good.replace(/only=[^&]*/, 'only=team%3Da%E2%80%AEb'),
      good.replace(/column=[^&]*/, `column=${'x'.repeat(101)}`),
      `${good}&${'x'.repeat(6_000)}`,
    ];
    for (const query of bad) assert.equal(readSharedView(query), undefined, query.slice(0, 200));
  });

  it('is never an error, whatever it is', () => {
    const pairs = fc.array(fc.tuple(fc.constantFrom('v', 'tab', 'first', 'compare', 'x'), fc.string()), {
      maxLength: 6,
    });
    fc.assert(fc.property(fc.string(), (query) => void readSharedView(query)));
    fc.assert(fc.property(pairs, (given) => void readSharedView(new URLSearchParams(given).toString())));
  });
});
