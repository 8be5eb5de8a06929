import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RESOURCE_OF_PLAN } from '../contract.ts';
import type { Identity } from '../identity.ts';
import { budgetCsv, decodeCsv, readBudgetCsv, type CsvRow } from './csv.ts';
import { problemOfLimit } from './limit.ts';

const email = (name: string): Identity => ({ kind: 'user_email', name });
const service = (name: string): Identity => ({ kind: 'service_account_name', name });
const { credits: CREDITS } = RESOURCE_OF_PLAN;

/** Parsed rows, one a line. */
async function read(text: string): Promise<string[]> {
  const { wanted, problems } = await readBudgetCsv(text);
  return [
    ...wanted.map(({ line, identity, limit }) => `${line} ${identity.name} ${limit === '' ? '-' : limit}`),
    ...problems.map(({ line, code }) => `${line} ${code}`),
  ];
}

describe('files of limits', () => {
  it('have columns in any order, under any of their names, between other columns', async () => {
    const { wanted, ignored } = await readBudgetCsv('Team,Limit,E-Mail,service account\nA,5,ada@x.io,\nB,6,,nightly\n');
    assert.deepEqual(wanted, [
      { identity: email('ada@x.io'), limit: '5', line: 2 },
      { identity: service('nightly'), limit: '6', line: 3 },
    ]);
    assert.deepEqual(ignored, ['Team']);
    assert.deepEqual(await read('account,limit\nada@x.io,5\nnightly,6\n'), ['2 ada@x.io 5', '3 nightly 6']);
    const kinds = await readBudgetCsv('identity,kind,used,limit\nodd@bot,service account,0.2,5\nbob,person,0.1,6\n');
    assert.deepEqual(
      kinds.wanted.map(({ identity }) => identity),
      [service('odd@bot'), email('bob')],
    );
  });

  it('may have the name of a person beside the account', async () => {
    for (const head of ['Name,E-Mail,Limit', 'User,account,limit', 'person,service_account_name,limit']) {
      const { wanted, problems, ignored } = await readBudgetCsv(`${head}\nZoë B,x@y.io,5\n`);
      assert.deepEqual([wanted.map(({ identity }) => identity.name), problems], [['x@y.io'], []]);
      assert.deepEqual(ignored, [head.split(',')[0]]);
    }
    assert.deepEqual(await read('name,limit\nx@y.io,5\n'), ['2 x@y.io 5']);
  });

  it('have any separator, end of line and byte order mark', async () => {
    for (const separator of [',', ';', '\t', '|'])
      for (const end of ['\n', '\r\n', '\r'])
        for (const mark of ['', '\ufeff'])
          assert.deepEqual(
            await read(
              mark + ['email,limit', 'ada@x.io , 5', '', ',', '"b@x.io",'].join(end).replaceAll(',', separator),
            ),
            ['2 ada@x.io 5', '5 b@x.io -'],
            JSON.stringify([separator, end, mark]),
          );
    assert.deepEqual(await read('sep=;\r\nemail;limit\r\na@x.io;5\r\n'), ['3 a@x.io 5']);
    assert.deepEqual(await read('limit\temail\n\tada@x.io\n5\tb@x.io'), ['2 ada@x.io -', '3 b@x.io 5']);
  });

  it('report the line of each problem, counting quoted line ends', async () => {
    const text = [
      'user_email,service_account_name,limit,resource,period',
      '"a\r\nb@x.io",,5,,',
      'c@x.io,,5.5,,',
      ',,5,,',
      'd@x.io,nightly,5,,',
      'e@x.io',
      'f@x.io,,5,euros,',
      'g@x.io,,5,usd,yearly',
      'h@x.io,,1E+5,USD,Monthly',
      'i@x.io,,7,BUDGET_RESOURCE_USD_COST,BUDGET_PERIOD_MONTHLY',
    ].join('\r\n');
    assert.deepEqual(await read(text), [
      '2 a\r\nb@x.io 5',
      '11 i@x.io 7',
      '4 BadLimit',
      '5 NoIdentity',
      '6 TwoIdentities',
      '7 NoLimit',
      '8 BadResource',
      '9 BadPeriod',
      '10 BadLimit',
    ]);
  });

  it('without a header, with a repeated column, or with broken quotes report a problem', async () => {
    assert.deepEqual(await read(''), ['1 NoHeader']);
    assert.deepEqual(await read('ada@x.io,5\n'), ['1 NoHeader']);
    assert.match((await readBudgetCsv('acount,limit\na@x.io,5\n')).problems[0]!.message, /or account, and limit\.$/);
    assert.deepEqual(await read('\n\nemail,comment\na@x.io,5\n'), ['3 NoHeader']);
    assert.deepEqual(await read('email,mail,limit\na,b,5\n'), ['1 RepeatedColumn']);
    assert.deepEqual(await read('email,limit\na@x.io,5\n"b@x.io,6\nc@x.io,7\n'), ['2 a@x.io 5', '3 BadCsv']);
    assert.deepEqual(await read('email,limit\na@x.io,5\nb"c@x.io,6\n'), ['2 a@x.io 5', '3 BadCsv']);
    assert.deepEqual(await read('email,limit\n"a"b,5\n'), ['2 BadCsv']);
  });

  it('are text in UTF-8 or UTF-16, or refused', () => {
    assert.equal(decodeCsv(Buffer.from('é;5')), 'é;5');
    assert.equal(decodeCsv(Buffer.from('\ufeffé;5', 'utf16le')), '\ufeffé;5');
    assert.throws(() => decodeCsv(Buffer.from([0xe9, 0x3b])), { code: 'NotText' });
  });

  it('are read back as written, whatever the names are', async () => {
    const name = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.string({
        unit: fc.constantFrom('=', '+', '-', '@', "'", '"', ' ', '\t', '\r', '\n', ',', ';', '1', '＝', 'a'),
        minLength: 1,
      }),
    );
    const limit = fc.oneof(fc.constant(''), fc.bigInt(1n, 10n ** 18n - 1n).map(String));
    const row = fc
      .tuple(fc.oneof(name.map(email), name.map(service)), limit)
      .map(([identity, limit]): CsvRow => ({ identity, limit }));
    await fc.assert(
      fc.asyncProperty(fc.array(row), async (rows: readonly CsvRow[]) => {
        const { wanted, problems } = await readBudgetCsv(await budgetCsv(rows, CREDITS));
        assert.deepEqual(problems, []);
        assert.deepEqual(
          wanted.map(({ identity, limit }) => ({ identity, limit })),
          rows,
        );
      }),
      { examples: [[[{ identity: email("'=x"), limit: '5' }]], [[{ identity: service(' a\t'), limit: '' }]]] },
    );
  });

  it('run nothing in a spreadsheet', async () => {
    const csv = await budgetCsv([{ identity: email('=HYPERLINK("x")@x.io'), limit: '5' }], CREDITS, {
      withErrors: true,
    });
    assert.match(csv, /\r\n"'=HYPERLINK/);
    for (const cell of ['=1', '+1+1', '@x', '\t=1', '＝1', ' =1'])
      assert.match(await budgetCsv([{ identity: email(cell), limit: '' }], CREDITS), /\r\n"?'/, cell);
  });

  it('of any content give a limit or a problem with its line for each row', async () => {
    const cell = fc.oneof(
      fc.constantFrom('a@x.io', 'b@x.io', '5', '', '05', '1e3', '"q"', '"', 'nightly', '=x'),
      fc.string({ maxLength: 4 }),
    );
    const text = fc
      .tuple(
        fc.constantFrom('email,limit', 'limit;account', '"email"\tlimit', 'x'),
        fc.array(fc.array(cell, { maxLength: 3 })),
      )
      .chain(([head, rows]) =>
        fc.constantFrom(',', ';', '\t').map((one) => [head, ...rows.map((row) => row.join(one))].join('\n')),
      );
    await fc.assert(
      fc.asyncProperty(fc.oneof(text, fc.string({ unit: 'binary' })), async (text) => {
        const { wanted, problems } = await readBudgetCsv(text);
        const lines = text.split(/\r\n|\r|\n/).length;
        for (const { line } of [...wanted, ...problems]) assert.ok(line !== undefined && line >= 1 && line <= lines);
        for (const { limit } of wanted) assert.equal(problemOfLimit(limit), undefined);
        assert.equal(new Set(wanted.map(({ line }) => line)).size, wanted.length);
      }),
    );
  });
});

describe('a limit', () => {
  it('has up to 18 digits, and other texts are explained in their own words', () => {
    for (const text of ['', '1', '999999999999999999']) assert.equal(problemOfLimit(text), undefined);
    const says = (text: string, pattern: RegExp): void => assert.match(problemOfLimit(text) ?? '', pattern, text);
    says('0', /1 at the least/);
    says('007', /zeros in front/);
    says('1000000000000000000', /18 digits/);
    says('1E+17', /spreadsheet/);
    says('5,000', /separators/);
    says("5'000", /separators/);
    says('5 000', /separators/);
    says('12.50', /whole number/);
    says('$5', /whole number of up to 18/);
    says('-5', /whole number of up to 18/);
    says('５', /whole number of up to 18/);
  });
});
