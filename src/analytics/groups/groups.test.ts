import assert from 'node:assert/strict';
import fc from 'fast-check';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { parseDay } from '../../base/day.ts';
import type { Loaded } from '../client/analyticsData.ts';
import { identityNamed, type Identity } from '../identity.ts';
import { tableCsv } from '../reports/csv.ts';
import { text } from '../reports/tables.ts';
import { checkGroups } from './checkGroups.ts';
import { parseGroups, readGroups } from './groupFile.ts';
import { Groups, UNMAPPED, type GroupRow } from './groups.ts';
import { groupRows } from './memberDays.ts';

const day = (text: string): number => parseDay(text)!;
const CSV = `Account,Team,Cost Center,From,To
ada@example.com,Search,CC-100,,2026-10-31
ada@example.com,Billing,CC-200,2026-11-01,
Nightly,CI,,,
*@partner.example.com,Partners,CC-900,,
*,Other,,,
`;

describe('groups of accounts', () => {
  const newFolder = temporaryFolder();

  it('depend on the day, prefer names to patterns, and an empty cell leaves the column to the next row', async () => {
    const groups = await parseGroups(CSV, 'teams.csv');
    assert.deepEqual(groups.columns, ['team', 'cost_center']);
    const of = (name: string, column: string, date = '2026-11-20'): string | undefined =>
      groups.groupOf(identityNamed(name), column, day(date));
    assert.equal(of('ADA@example.com', 'team'), 'Billing');
    assert.equal(of('ada@example.com', 'team', '2026-10-31'), 'Search');
    assert.equal(of('bob@partner.example.com', 'cost_center'), 'CC-900');
    assert.equal(of('Nightly', 'team'), 'CI');
    assert.equal(of('nightly', 'team'), 'Other', 'service accounts have a case');
    assert.equal(of('stranger@example.com', 'cost_center'), undefined);
    const range = { first: day('2026-10-01'), last: day('2026-11-30') };
    assert.deepEqual(groups.movesOf(identityNamed('ada@example.com'), 'team', range), [day('2026-11-01')]);
    assert.deepEqual(groups.movesOf(identityNamed('Nightly'), 'team', range), []);
  });

  it('name accounts that a CSV file protects from spreadsheets, as the dashboard writes them', async () => {
    const columns = ['account', 'team'].map((name) => text(name, name));
    const csv = await tableCsv({ columns, rows: [['+49@example.com', '=1'], ["'-x", 'B']] }); // oxfmt-ignore
    assert.match(csv, /'\+49@example\.com/);
    const groups = await parseGroups(csv, 'teams.csv');
    assert.deepEqual(
      ['+49@example.com', "'-x"].map((name) => groups.groupOf(identityNamed(name), 'team', day('2026-11-20'))),
      ['=1', 'B'],
    );
  });

  it('are the same from JSON', async () => {
    const json = [
      { account: 'ada@example.com', Team: 'Search', to: '2026-10-31' },
      { account: '*', team: 'Other', cost_center: 7 },
    ];
    const groups = await parseGroups(JSON.stringify(json), 'teams.JSON');
    assert.deepEqual(groups.columns, ['team', 'cost_center']);
    assert.equal(groups.groupOf(identityNamed('ada@example.com'), 'cost_center', day('2026-10-01')), '7');
  });

  it('may have columns named as the members of all objects', async () => {
    const files = [
      ['account,constructor,__proto__\na,,\nb,C,P\n', 'teams.csv'],
      ['[{"account":"a"},{"account":"b","constructor":"C","__proto__":"P"}]', 'teams.json'],
    ] as const;
    for (const [content, name] of files) {
      const groups = await parseGroups(content, name);
      const found = ['a', 'b'].map((account) =>
        groups.columns.map((column) => groups.groupOf(identityNamed(account), column, day('2026-11-20'))),
      );
      assert.deepEqual(
        [groups.columns, ...found],
        [
          ['constructor', '__proto__'],
          [undefined, undefined],
          ['C', 'P'],
        ],
      );
      assert.deepEqual(checkGroups(groups, [], day('2026-11-20')).double, []);
    }
  });

  it('are read from UTF-16, as spreadsheets write it, and from UTF-8', async () => {
    const file = join(newFolder(), 'teams.csv');
    const content = '\ufeffaccount;team\nzoë@x.io;Größe\n';
    for (const encoding of ['utf16le', 'utf8'] as const) {
      writeFileSync(file, content, encoding);
      const groups = await readGroups(file);
      assert.equal(groups.groupOf(identityNamed('zoë@x.io'), 'team', day('2026-11-20')), 'Größe');
    }
    writeFileSync(file, Buffer.from([0x61, 0xff, 0x00]));
    await assert.rejects(readGroups(file), { code: 'GroupsUnreadable', message: /UTF-8 or UTF-16/ });
  });

  it('name the line of an error', async () => {
    const errors: readonly (readonly [string, RegExp])[] = [
      ['name,team\na,b\n', /names no accounts/],
      ['account\nada\n', /has no groups/],
      ['account,team\nada,x\n\n,y\n', /line 4: account is empty/],
      ['account,team,from\nada,x,2026-02-30\n', /line 2: 2026-02-30 is no date/],
      ['account,team,from,to\nada,x,2026-02-02,2026-02-01\n', /line 2: the first day is after the last/],
      ['account,team\n*a*b*c*,x\n', /line 2: .* more than 3 wildcards/],
      ['account,team,Team\nada,x,y\n', /two columns team/],
      ['account,team\n"ada,x\n', /a quote is not closed/],
    ];
    for (const [text, expected] of errors)
      await assert.rejects(parseGroups(text, '/x/teams.csv'), { code: 'GroupsUnreadable', message: expected });
    for (const text of ['{', '{}', '[1]', '[{"account":"a","team":{}}]'])
      await assert.rejects(parseGroups(text, 'teams.json'), { code: 'GroupsUnreadable' });
  });

  it('are checked for unknown, double and unmapped accounts', async () => {
    const text =
      'account,team,office,from,to\nada@x.io,A,,,2026-11-10\nADA@x.io,B,,2026-11-10,\nada@x.io,,Rome,,\nbob@x.io,A,,,\n';
    const groups = await parseGroups(text, 'teams.csv');
    const accounts = ['ada@x.io', 'cy@x.io'].map(identityNamed);
    const { unknown, double, unmapped } = checkGroups(groups, accounts, day('2026-11-20'));
    assert.deepEqual(
      unknown.map(({ account }) => account),
      ['bob@x.io'],
    );
    assert.deepEqual(
      double.map(({ row, earlier }) => [row.line, earlier.line]),
      [[3, 2]],
    );
    assert.deepEqual(
      unmapped.map(({ identity, column }) => `${identity.name} ${column}`),
      ['cy@x.io team', 'cy@x.io office'],
    );
  });

  it('have sums whose total is that of everybody, and each day in the group of that day', async () => {
    const names = ['a@x.io', 'b@x.io', 'c@y.io', 'bot', 'Bot'];
    const anyDay = fc.option(fc.integer({ min: 90, max: 110 }), { nil: undefined });
    const rows = fc.array(
      fc.record({
        line: fc.constant(2),
        account: fc.constantFrom(...names, '*@x.io', 'b*', '*'),
        values: fc.constantFrom<Record<string, string>>({ team: 'A' }, { team: 'B' }, {}),
        first: anyDay,
        last: anyDay,
      }),
      { maxLength: 8 },
    );
    const facts = fc.array(
      fc.record({ name: fc.constantFrom(...names, ''), day: fc.integer({ min: 95, max: 105 }), amount: fc.nat(9) }),
    );
    await fc.assert(
      fc.asyncProperty(rows, facts, async (file: GroupRow[], all) => {
        const groups = new Groups(['team'], file);
        const identity = ({ name }: { name: string }): Identity | undefined =>
          name === '' ? undefined : identityNamed(name);
        const load = ({ first, last }: { first: number; last: number }): Promise<Loaded<Sum>> =>
          Promise.resolve(sumByName(all.filter((fact) => fact.day >= first && fact.day <= last)));
        const grouped = await groupRows(groups, 'team', { first: 95, last: 105 }, load, identity);
        const got: Record<string, number> = {};
        for (const { row, group } of grouped.rows) got[group] = (got[group] ?? 0) + row.amount;
        const expected: Record<string, number> = {};
        for (const fact of all) {
          const account = identity(fact);
          const group = (account && groups.groupOf(account, 'team', fact.day)) ?? UNMAPPED;
          expected[group] = (expected[group] ?? 0) + fact.amount;
        }
        const some = (sums: Record<string, number>): object =>
          Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum > 0));
        assert.deepEqual(some(got), some(expected));
      }),
    );
  });
});

interface Sum {
  readonly name: string;
  readonly amount: number;
}

function sumByName(facts: readonly Sum[]): Loaded<Sum> {
  const sums = new Map<string, number>();
  for (const { name, amount } of facts) sums.set(name, (sums.get(name) ?? 0) + amount);
  return { rows: [...sums].map(([name, amount]) => ({ name, amount })), asOf: 'now', missing: [] };
}
