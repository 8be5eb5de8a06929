import * as l10n from '@vscode/l10n';
import type { Batch, BatchRow, RowState } from '../../analytics/budgets/batch.ts';
import type { LimitUse } from '../../analytics/budgets/effect.ts';
import { formatLimit, NO_LIMIT, problemOfLimit, type Limit } from '../../analytics/budgets/limit.ts';
import type { Preview, LimitProblem } from '../../analytics/budgets/preview.ts';
import { reasonOfRow } from '../../analytics/budgets/texts.ts';
import type { Plan } from '../../analytics/contract.ts';
import { identityKey, type Identity } from '../../analytics/identity.ts';
import { wholeAmount } from '../../analytics/insights/amounts.ts';
import { usedOf } from '../../analytics/insights/budgets.ts';
import { increment } from '../../base/collections.ts';
import { formatCount } from '../../base/format.ts';
import type { ChangePart } from '../../protocol/budgetsView.ts';
import type { Tone } from '../../protocol/rowList.ts';
import type { AccountNames } from '../analytics/accountNames.ts';
import type { ListColumn, SourceRow } from './rowList.ts';

/* The rows of previews and reports. */

/** Results of a row, those that need attention first. */
const PARTS = [
  'invalid',
  'stranger',
  'failed',
  'conflict',
  'unknown',
  'waiting',
  'unverified',
  'leftOut',
  'repeated',
  'new',
  'changed',
  'cleared',
  'unchanged',
  'done',
] as const;
type PartId = (typeof PARTS)[number];

/** Stands for all parts. */
export const ALL = 'all';

const TONES: Readonly<Partial<Record<PartId, Tone>>> = {
  invalid: 'bad',
  stranger: 'bad',
  failed: 'bad',
  conflict: 'warning',
  unknown: 'warning',
  waiting: 'warning',
  unverified: 'warning',
  leftOut: 'warning',
  done: 'good',
};

const partName = (part: PartId): string =>
  ({
    invalid: l10n.t('Invalid'),
    stranger: l10n.t('Unknown account'),
    failed: l10n.t('Refused'),
    conflict: l10n.t('Changed by others'),
    unknown: l10n.t('Sent, unknown'),
    waiting: l10n.t('Not sent'),
    unverified: l10n.t('Applied, not verified'),
    leftOut: l10n.t('Skipped'),
    repeated: l10n.t('Repeated'),
    new: l10n.t('New'),
    changed: l10n.t('Changed'),
    cleared: l10n.t('Cleared'),
    unchanged: l10n.t('Unchanged'),
    done: l10n.t('Applied'),
  })[part];

export interface ChangeRow extends SourceRow {
  readonly part: PartId;
}

export interface ChangeRows {
  readonly columns: readonly ListColumn[];
  readonly rows: readonly ChangeRow[];
  /** The column of the initial order. */
  readonly sort: string;
}

export function previewList({ rows, problems, unit }: Preview, names: AccountNames, use?: LimitUse): ChangeRows {
  const changes = rows.map((row): RawRow => ({
    ...row,
    part: row.kind,
    why: row.expected === undefined ? '' : l10n.t('You saw {0}', formatLimit(row.expected, unit)),
  }));
  const left = problems.map((problem) =>
    ofProblem(
      problem,
      problem.code === 'UnknownIdentity' ? 'stranger' : problem.code === 'Duplicate' ? 'repeated' : 'invalid',
    ),
  );
  return listOf([...changes, ...left], unit, names, use);
}

const PART_OF: Readonly<Record<RowState, PartId>> = {
  waiting: 'waiting',
  unknown: 'unknown',
  applied: 'unverified',
  confirmed: 'done',
  already: 'done',
  differs: 'conflict',
  conflict: 'conflict',
  failed: 'failed',
};

export function batchList({ rows, leftOut, unit }: Batch, names: AccountNames): ChangeRows {
  const done = rows.map((row): RawRow => ({ ...row, part: PART_OF[row.state], why: whyOf(row, unit) }));
  return listOf(
    [...done, ...leftOut.map((problem) => ofProblem(problem, problem.code === 'Duplicate' ? 'repeated' : 'leftOut'))],
    unit,
    names,
  );
}

/** The parts with their numbers of rows, after all rows together; empty if there is only one part. */
export function changeParts(rows: readonly ChangeRow[], chosen: string): ChangePart[] {
  const counts = new Map<PartId, number>();
  for (const { part } of rows) increment(counts, part);
  if (counts.size < 2) return [];
  const part = (id: string, name: string, count: number, tone: Tone): ChangePart => ({
    ...{ id, name, tone },
    count: formatCount(count),
    isShown: id === chosen,
  });
  return [
    part(ALL, l10n.t('All'), rows.length, 'plain'),
    ...PARTS.filter((id) => counts.has(id)).map((id) => part(id, partName(id), counts.get(id)!, toneOf(id))),
  ];
}

interface RawRow {
  readonly identity: Identity | undefined;
  readonly line?: number | undefined;
  readonly before?: Limit;
  readonly after?: Limit;
  readonly part: PartId;
  readonly why: string;
}

/** Quotes the requested value if it is not a limit. */
function ofProblem({ identity, line, limit, message }: LimitProblem, part: PartId): RawRow {
  const isLimit = limit !== undefined && problemOfLimit(limit) === undefined;
  const why = limit === undefined || isLimit ? message : l10n.t('“{0}”: {1}', limit, message);
  return { identity, line, part, why, ...(isLimit && { after: limit }) };
}

function whyOf(row: BatchRow, unit: Plan): string {
  return row.state === 'confirmed' || row.state === 'waiting' ? '' : reasonOfRow(row, unit);
}

function listOf(raw: readonly RawRow[], unit: Plan, names: AccountNames, use?: LimitUse): ChangeRows {
  const hasLines = raw.some(({ line }) => line !== undefined);
  const hasWhy = raw.some(({ why }) => why !== '');
  const about = l10n.t('– for no override.');
  return {
    columns: [
      { name: 'identity', title: l10n.t('Account'), kind: 'text', about: '' },
      { name: 'part', title: l10n.t('Result'), kind: 'text', about: '' },
      { name: 'before', title: l10n.t('Before'), kind: unit, about },
      { name: 'after', title: l10n.t('After'), kind: unit, about },
      ...(use
        ? ([
            { name: 'consumed', title: l10n.t('Consumed'), kind: unit, about: l10n.t('Consumption this month.') },
            {
              name: 'share',
              title: l10n.t('Used'),
              kind: 'share',
              about: l10n.t('Consumption as a share of the new limit.'),
            },
          ] as const)
        : []),
      ...(hasLines ? [{ name: 'line', title: l10n.t('Line'), kind: 'count', about: '' } as const] : []),
      ...(hasWhy ? [{ name: 'why', title: l10n.t('Reason'), kind: 'text', about: '' } as const] : []),
    ],
    rows: raw.map(({ identity, part, before, after, line, why }, i) => {
      const consumed = identity && (use?.consumption.get(identityKey(identity)) ?? 0n);
      const limit = amountOfLimit(after);
      const share = consumed === undefined || limit === undefined ? undefined : usedOf(consumed, BigInt(after!));
      return {
        id: String(i),
        part,
        tone: share !== undefined && share >= 1 && isChange(part) ? 'bad' : toneOf(part),
        used: null,
        cells: [
          identity ? names.of(identity) : '–',
          partName(part),
          amountOfLimit(before),
          limit,
          ...(use ? [consumed, share] : []),
          ...(hasLines ? [line] : []),
          ...(hasWhy ? [identity ? names.hide(why, identity) : why] : []),
        ],
      };
    }),
    sort: hasLines ? 'line' : 'identity',
  };
}

function isChange(part: PartId): boolean {
  return part === 'new' || part === 'changed';
}

function toneOf(part: PartId): Tone {
  return TONES[part] ?? 'plain';
}

function amountOfLimit(limit: Limit | undefined): bigint | undefined {
  return limit === undefined || limit === NO_LIMIT ? undefined : wholeAmount(BigInt(limit));
}
