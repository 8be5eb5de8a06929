import { assertGolden } from '../../../test/support/golden.ts';
import { person, serviceAccount } from '../../../test/support/budgets.ts';
import type { Batch, BatchRow, RowState } from './batch.ts';
import { identityKey } from '../identity.ts';
import { wholeAmount } from '../insights/amounts.ts';
import { leftOutOf, type Preview } from './preview.ts';
import { batchText, describeSource, previewText, summarizeBatch, summarizePreview } from './texts.ts';

const SOURCE = { kind: 'import', name: 'limits\u001b[31m.csv' } as const;
const ADA = person('ada@x.io');

const preview: Preview = {
  source: SOURCE,
  unit: 'usd',
  readAt: '2026-11-21T09:30:00Z',
  rows: [
    { kind: 'new', identity: ADA, before: '', after: '999999999999999999', line: 2 },
    { kind: 'changed', identity: person('=x\u202e\n@x.io'), before: '5', after: '1500', line: 3 },
    { kind: 'cleared', identity: serviceAccount('nightly'), before: '5', after: '', line: 4 },
    { kind: 'unchanged', identity: person('b@x.io'), before: '', after: '', line: 5 },
    { kind: 'conflict', identity: person('c@x.io'), before: '7', after: '9', expected: '', line: 6 },
  ],
  problems: [
    { code: 'NoIdentity', message: 'The row names no account.', line: 7 },
    {
      code: 'UnknownIdentity',
      message: 'The organization knows no such account.',
      line: 8,
      identity: person('d@x.io'),
    },
  ],
};

const row = (state: RowState, extra: Partial<BatchRow> = {}): BatchRow => ({
  ...{ identity: person(`${state}@x.io`), before: '100', after: '2500', state },
  ...extra,
});
const batch: Batch = {
  id: 1,
  source: SOURCE,
  unit: 'credits',
  startedAt: '2026-11-21T09:30:00Z',
  error: { code: 'Unreachable', message: 'x.io cannot be reached. Check the address and the network.' },
  leftOut: [],
  rows: [
    row('waiting'),
    row('unknown', { isSent: true }),
    row('applied', { isSent: true }),
    row('confirmed', { isSent: true }),
    row('differs', { found: '3' }),
    row('failed', { message: 'no such account' }),
    row('conflict', { found: '' }),
    row('already'),
  ],
};

describe('the texts of previews and reports', () => {
  it('contain everything, with rows that need attention first', () => {
    const done: Batch = { ...batch, rows: [row('confirmed')], endedAt: '2026-11-21T09:31:00Z' };
    const empty: Preview = { ...preview, rows: [], problems: [] };
    const sources = (['set', 'clear', 'raise', 'undo', 'retry'] as const).map((kind) => describeSource({ kind }));
    assertGolden(
      'budgets-texts.txt',
      [
        previewText(preview),
        previewText(
          { ...preview, ignored: ['Team'] },
          {
            use: {
              consumption: new Map(preview.rows.map(({ identity }) => [identityKey(identity), wholeAmount(1500)])),
              limits: [],
            },
          },
        ),
        previewText({ ...preview, rows: Array<Preview['rows'][number]>(4).fill(preview.rows[0]!) }, { most: 2 }),
        batchText(batch),
        batchText({ ...done, rows: [row('confirmed'), row('failed', { message: 'x' })], leftOut: leftOutOf(preview) }),
        [summarizePreview(empty), summarizeBatch(done), summarizeBatch(batch), ...sources].join('\n'),
      ].join('\n──────\n'),
    );
  });
});
