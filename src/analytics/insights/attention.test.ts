import assert from 'node:assert/strict';
import { SextantError } from '../../base/errors.ts';
import type { Identity } from '../identity.ts';
import { wholeAmount } from './amounts.ts';
import { attentionItems, type AttentionItem } from './attention.ts';
import { ORGANIZATION, type BudgetStatus, type GroupStatus } from './budgets.ts';
import type { Presence } from './presence.ts';
import type { UnusualSpending } from './unusual.ts';

const person = (name: string): Identity => ({ kind: 'user_email', name });

function status(name: string, spent: number, limit: number): BudgetStatus {
  const used = spent / limit;
  const base = { identity: person(name), key: name, projected: undefined, high: undefined, crossesOn: undefined };
  return { ...base, limit: BigInt(limit), spent: wholeAmount(spent), used };
}

function group(name: string, spent: number, limit: number, crossesOn?: number): GroupStatus {
  const { identity: _, ...base } = status(name, spent, limit);
  return { ...base, of: name === ORGANIZATION ? name : { column: 'team', group: name }, crossesOn };
}

function unusual(
  subject: UnusualSpending['subject'],
  name: string,
  excess: number,
  since = '2026-11-16',
): UnusualSpending {
  const [amount, usual] = [wholeAmount(excess + 10), wholeAmount(10)];
  return { subject, key: name, name, since, until: '2026-11-20', days: 5, amount, usual, excess: amount - usual };
}

function presence(name: string, kind: Presence['kind']): Presence {
  return { identity: person(name), key: name, kind, lastActive: '2026-11-01', activeDays: 5 };
}

const described = (item: AttentionItem): string => {
  switch (item.kind) {
    case 'data':
      return `data ${item.error.code}`;
    case 'unknown':
      return 'unknown';
    case 'over':
    case 'near':
    case 'projected':
      return `${item.kind} ${item.status.key}`;
    case 'unusual':
      return `unusual ${item.spending.subject} ${item.spending.name}`;
    case 'moreOver':
      return `moreOver ${item.of} ${item.count} ${item.amount / wholeAmount(1)}`;
    case 'moreNear':
      return `moreNear ${item.of} ${item.count}`;
    default:
      return `${item.kind} ${item.people.length}`;
  }
};
const items = (parts: Partial<Parameters<typeof attentionItems>[0]>): string[] =>
  attentionItems({
    failed: [],
    unknown: undefined,
    statuses: undefined,
    groups: undefined,
    unusual: undefined,
    people: undefined,
    ...parts,
  }).map(described);

describe('the list of what needs attention', () => {
  it('begins with failures, then goes by money, then limits that are near, then people', () => {
    const error = new SextantError('ServiceFailed', 'The service fails.');
    const found = items({
      failed: [
        { error, asOf: undefined },
        { error, asOf: '2026-11-20T00:00:00Z' },
      ],
      statuses: [status('ada', 150, 100), status('eve', 95, 100), status('kim', 10, 100), status('bob', 9_100, 100)],
      unusual: [unusual('account', 'lea', 2_000), unusual('resource', 'opus', 40)],
      people: [presence('stan', 'stopped'), presence('new', 'new'), presence('seat', 'never')],
    });
    assert.deepEqual(found, [
      'data ServiceFailed',
      'over bob',
      'unusual account lea',
      'over ada',
      'near eve',
      'stopped 1',
      'never 1',
    ]);
  });

  it('names the most costly accounts over their limit, and sums the others', () => {
    const over = [25, 28, 30, 40, 50].map((more) => status(`over${more}`, 100 + more, 100));
    const near = ['a', 'b', 'c', 'd'].map((name) => status(name, 95, 100));
    assert.deepEqual(items({ statuses: [...over, ...near], unusual: [unusual('account', 'lea', 20)] }), [
      'over over50',
      'over over40',
      'over over30',
      'moreOver accounts 2 53',
      'unusual account lea',
      'near a',
      'near b',
      'moreNear accounts 2',
    ]);
  });

  it('has groups and the organization among them: over, near, and projected over their limit', () => {
    const groups = [
      ...[31, 32, 33, 34].map((more) => group(`over${more}`, 100 + more, 100)),
      group(ORGANIZATION, 95, 100),
      group('crossing', 50, 100, 20_000),
      group('crossingLater', 40, 100, 20_001),
      group('within', 30, 100),
    ];
    const statuses = [status('ada', 133, 100), status('eve', 95, 100)];
    const unknown = [{ of: { column: 'team', group: 'Serch' } }];
    assert.deepEqual(items({ groups, statuses, unknown }), [
      'unknown',
      'over over34',
      'over over33',
      'over ada',
      'over over32',
      'moreOver groups 1 31',
      'near organization',
      'projected crossing',
      'moreNear groups 1',
      'near eve',
    ]);
  });

  it('leaves out a day, model or product that an account explains, and keeps it otherwise', () => {
    const account = unusual('account', 'lea', 1_000);
    assert.deepEqual(items({ unusual: [account, unusual('day', '', 1_900), unusual('product', 'CLI', 500)] }), [
      'unusual account lea',
    ]);
    assert.deepEqual(items({ unusual: [unusual('day', '', 2_100), account] }), ['unusual day ', 'unusual account lea']);
    const earlier = { ...unusual('resource', 'opus', 10, '2026-11-10'), until: '2026-11-15' };
    assert.deepEqual(items({ unusual: [account, earlier] }), ['unusual account lea', 'unusual resource opus']);
  });

  it('is empty if all is well, or nothing is known', () => {
    assert.deepEqual(items({}), []);
    assert.deepEqual(
      items({ statuses: [status('ada', 10, 100)], unusual: [], people: [presence('ada', 'active')] }),
      [],
    );
  });
});
