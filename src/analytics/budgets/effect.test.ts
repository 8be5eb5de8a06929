import assert from 'node:assert/strict';
import fc from 'fast-check';
import { identityKey } from '../identity.ts';
import { wholeAmount } from '../insights/amounts.ts';
import { describeEffect, effectOf } from './effect.ts';
import { UNLIMITED } from './limit.ts';
import type { Preview, PreviewRow } from './preview.ts';

const identity = (name: string) => ({ kind: 'user_email', name: `${name}@x.io` }) as const;
const key = (name: string): string => identityKey(identity(name));

function previewOf(rows: readonly PreviewRow[]): Preview {
  return { source: { kind: 'import' }, unit: 'credits', readAt: '2026-11-21T09:30:00Z', rows, problems: [] };
}

describe('the effect of new limits', () => {
  it('counts who would be over at once, and sums limits without unlimited ones', () => {
    const preview = previewOf([
      { kind: 'changed', identity: identity('ada'), before: '100', after: '50' },
      { kind: 'changed', identity: identity('bob'), before: '10', after: '20' },
      { kind: 'cleared', identity: identity('eve'), before: '5', after: '' },
      { kind: 'new', identity: identity('max'), before: '', after: UNLIMITED },
      { kind: 'conflict', identity: identity('zoe'), before: '7', after: '1', expected: '8' },
    ]);
    const consumption = new Map(['ada', 'bob', 'eve', 'max', 'zoe'].map((name) => [key(name), wholeAmount(50)]));
    const limits = [{ key: key('una'), limit: 1000n }];
    const effect = effectOf(preview, { consumption, limits });
    assert.deepEqual(effect, {
      newlyOver: 1,
      over: { before: 3, after: 3 },
      sum: { before: 1122n, after: 1077n },
      unlimited: { before: 0, after: 1 },
    });
    assert.equal(
      describeEffect(effect, 'credits'),
      '1 account would be over at once (over now: 3, then: 3). All limits together: 1,122 → 1,077 credits and 1 unlimited',
    );
    assert.match(
      describeEffect({ ...effect, sum: { before: 0n, after: 0n } }, 'credits'),
      /All limits together: 0 → 1 unlimited$/,
    );
  });

  it('is that of comparing all accounts one by one', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const limit = fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined });
    const account = fc.record({
      before: limit,
      after: limit,
      isChanged: fc.boolean(),
      spent: fc.integer({ min: 0, max: 9 }),
    });
    const text = (one: number | undefined): string => (one === undefined ? '' : String(one));
    fc.assert(
      fc.property(fc.array(account, { maxLength: names.length }), (accounts) => {
        const rows = accounts.flatMap(({ before, after, isChanged }, i): PreviewRow[] =>
          isChanged && before !== after
            ? [
                {
                  kind: after === undefined ? 'cleared' : 'changed',
                  identity: identity(names[i]!),
                  before: text(before),
                  after: text(after),
                },
              ]
            : [],
        );
        const effect = effectOf(previewOf(rows), {
          consumption: new Map(accounts.map(({ spent }, i) => [key(names[i]!), wholeAmount(spent)])),
          limits: accounts.flatMap(({ before }, i) =>
            before === undefined ? [] : [{ key: key(names[i]!), limit: BigInt(before) }],
          ),
        });
        let [newly, over, sum] = [0, 0, 0];
        for (const { before, after, isChanged, spent } of accounts) {
          const next = isChanged ? after : before;
          const isOver = next !== undefined && spent >= next;
          sum += next ?? 0;
          if (isOver) over++;
          if (isOver && !(before !== undefined && spent >= before)) newly++;
        }
        assert.deepEqual([effect.newlyOver, effect.over.after, effect.sum.after], [newly, over, BigInt(sum)]);
      }),
    );
  });
});
