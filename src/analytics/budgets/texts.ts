import { printable } from '../../base/columns.ts';
import { formatCount } from '../../base/format.ts';
import { formatDay } from '../../base/day.ts';
import type { Decimal } from '../../base/decimal.ts';
import type { Plan } from '../contract.ts';
import { identityKey, type Identity } from '../identity.ts';
import { tableText, type Column, type Table } from '../reports/table.ts';
import { countStates, ROW_STATES, type Batch, type BatchRow, type RowState } from './batch.ts';
import type { CsvRow } from './csv.ts';
import { describeEffect, effectOf, isReached, type LimitUse } from './effect.ts';
import { formatLimit, NO_LIMIT } from './limit.ts';
import {
  changesOf,
  countKinds,
  obstaclesIn,
  type Preview,
  type PreviewKind,
  type PreviewRow,
  type LimitProblem,
  type Source,
} from './preview.ts';
import type { Reminder } from './reminders.ts';

/* Previews and reports in words and as tables, for the terminal and for documents in the editor. */

/** Largest number of rows listed of each kind, for short output; a document lists all. */
export interface TextOptions {
  readonly most?: number;
}

/** Options of a preview's text: with the consumption, its effect on people. */
export interface PreviewTextOptions extends TextOptions {
  readonly use?: LimitUse | undefined;
}

const PREVIEW_KINDS: Readonly<Record<PreviewKind, string>> = {
  new: 'new',
  changed: 'changed',
  cleared: 'cleared',
  unchanged: 'unchanged',
  conflict: 'changed by another client',
};

const STATES: Readonly<Record<RowState, string>> = {
  waiting: 'not sent',
  unknown: 'sent and unknown',
  applied: 'applied (not read back yet)',
  confirmed: 'applied',
  differs: 'applied but different now',
  failed: 'refused',
  conflict: 'kept (changed by another client)',
  already: 'already set',
};

/** `Import of limits.csv` */
export function describeSource({ kind, name }: Source): string {
  const titles = {
    set: 'New limit',
    clear: 'Clearing',
    raise: 'Raise',
    import: 'Import',
    undo: 'Undo',
    retry: 'Retry',
  };
  return name === undefined ? titles[kind] : `${titles[kind]} of ${printable(name)}`;
}

/** `2 changes: 1 new, 1 cleared; 1 unchanged; 1 problem` */
export function summarizePreview(preview: Preview): string {
  const counts = countKinds(preview);
  const changes = changesOf(preview).length;
  const kinds = list((['new', 'changed', 'cleared'] as const).map((kind) => [counts[kind], PREVIEW_KINDS[kind]]));
  const { length: problems } = obstaclesIn(preview.problems);
  const repeated = preview.problems.length - problems;
  return [
    `${several(changes, 'change')}${changes > 0 ? `: ${kinds}` : ''}`,
    list([[counts.unchanged, PREVIEW_KINDS.unchanged]]),
    list([[counts.conflict, PREVIEW_KINDS.conflict]]),
    problems > 0 ? several(problems, 'problem') : '',
    list([[repeated, 'repeated']]),
    describeIgnored(preview),
  ]
    .filter((part) => part !== '')
    .join('; ');
}

/** `ignored columns: Team, Note` */
function describeIgnored({ ignored = [] }: Preview): string {
  if (ignored.length === 0) return '';
  return `ignored column${ignored.length === 1 ? '' : 's'}: ${ignored.map(printable).join(', ')}`;
}

/** `3 of 5 limits are set as requested: 3 applied, 1 refused, 1 not sent; 2 skipped` */
export function summarizeBatch(batch: Batch): string {
  const counts = countStates(batch);
  const done = counts.confirmed + counts.already;
  const states = list(ROW_STATES.map((state) => [counts[state], STATES[state]]));
  const { length } = batch.rows;
  const left = obstaclesIn(batch.leftOut).length;
  const leftOut = left > 0 ? `; ${formatCount(left)} skipped` : '';
  if (length === 1) return `The limit is ${done === 1 ? '' : 'not '}set as requested: ${states}${leftOut}`;
  const all = done === length ? 'All' : `${formatCount(done)} of`;
  return `${all} ${formatCount(length)} limits are set as requested: ${states}${leftOut}`;
}

/** Planned changes, and rejected ones with the reason. */
export function previewText(preview: Preview, options: PreviewTextOptions = {}): string {
  const { unit, source, readAt, rows, problems } = preview;
  const { use } = options;
  const conflicts = rows.filter(({ kind }) => kind === 'conflict');
  const unchanged = rows.filter(({ kind }) => kind === 'unchanged');
  return [
    `${describeSource(source)}: preview\n`,
    `${summarizePreview(preview)}. Limits ${inUnit(unit)}, read ${moment(readAt)}. Nothing is changed yet.\n`,
    ...(use ? [`${describeEffect(effectOf(preview, use), unit)}.\n`] : []),
    ...section('Problems: these rows are skipped', problemTable(problems), options),
    ...section('Changed by another client: these limits are kept', previewTable(conflicts, unit), options),
    ...section('Changes', previewTable(changesOf(preview), unit, use), options),
    ...section('Unchanged', previewTable(unchanged, unit), options),
  ].join('\n');
}

/** The result of each row, rows that need attention first. */
export function batchText(batch: Batch, options: TextOptions = {}): string {
  const { source, unit, startedAt, endedAt, error, leftOut } = batch;
  const of = (...states: readonly RowState[]): Table =>
    batchTable({ ...batch, rows: batch.rows.filter(({ state }) => states.includes(state)) });
  return [
    `${describeSource(source)}: report\n`,
    `${summarizeBatch(batch)}. Limits ${inUnit(unit)}, started ${moment(startedAt)}, ${
      endedAt === undefined ? 'not ended yet' : `ended ${moment(endedAt)}`
    }.\n`,
    ...(error ? [`${error.message}\n`] : []),
    ...section('Skipped', problemTable(leftOut), options),
    ...section('Refused', of('failed'), options),
    ...section('Changed by another client', of('conflict', 'differs'), options),
    ...section('Sent, unknown whether applied', of('unknown'), options),
    ...section('Not sent', of('waiting'), options),
    ...section('Applied', of('confirmed', 'applied', 'already'), options),
  ].join('\n');
}

/** Rows not carried out, with the reason, to be corrected and imported again. */
export function failureRows({ rows, unit, leftOut }: Pick<Batch, 'rows' | 'unit' | 'leftOut'>): CsvRow[] {
  const isDone = ({ state }: BatchRow): boolean => state === 'confirmed' || state === 'already' || state === 'applied';
  return [
    ...rows
      .filter((row) => !isDone(row))
      .map((row) => ({ identity: row.identity, limit: row.after, error: reasonOfRow(row, unit) })),
    ...obstaclesIn(leftOut).flatMap(({ identity, limit = NO_LIMIT, message, line }) =>
      identity ? [{ identity, limit, error: line === undefined ? message : `Line ${line}: ${message}` }] : [],
    ),
  ];
}

/** `ada@example.com, 2026-12-31: back to 5000` */
export function describeReminder({ identity, on, note }: Reminder): string {
  return printable(`${nameOf(identity)}, ${formatDay(on)}${note === '' ? '' : `: ${note}`}`);
}

/** A table of the rows of a preview. */
export function previewTable(rows: readonly PreviewRow[], unit: Plan, use?: LimitUse): Table {
  const hasLines = rows.some(({ line }) => line !== undefined);
  const isConflict = rows.some(({ expected }) => expected !== undefined);
  const consumedBy = (identity: Identity): Decimal => use?.consumption.get(identityKey(identity)) ?? 0n;
  return {
    columns: [
      text('kind', 'Change'),
      text('identity', 'Account'),
      ...(isConflict ? [amount('expected', 'Was')] : []),
      amount('before', 'Now'),
      amount('after', 'New'),
      ...(use ? [{ name: 'consumed', title: 'Consumed', kind: unit } as const, text('over', '')] : []),
      ...(hasLines ? [LINE] : []),
    ],
    rows: rows.map(({ kind, identity, before, after, expected, line }) => [
      PREVIEW_KINDS[kind],
      nameOf(identity),
      ...(isConflict ? [expected === undefined ? undefined : formatLimit(expected, unit)] : []),
      formatLimit(before, unit),
      formatLimit(after, unit),
      ...(use ? [consumedBy(identity), isReached(consumedBy(identity), after) ? 'over' : ''] : []),
      ...(hasLines ? [line] : []),
    ]),
  };
}

export function problemTable(problems: readonly LimitProblem[]): Table {
  return {
    columns: [LINE, text('identity', 'Account'), text('message', 'Problem')],
    rows: problems.map(({ line, identity, message }) => [line, identity && nameOf(identity), message]),
  };
}

export function batchTable({ rows, unit }: Pick<Batch, 'rows' | 'unit'>): Table {
  const hasLines = rows.some(({ line }) => line !== undefined);
  const hasMore = rows.some(({ message, found }) => message !== undefined || found !== undefined);
  return {
    columns: [
      text('state', 'State'),
      text('identity', 'Account'),
      amount('before', 'Before'),
      amount('after', 'Wanted'),
      ...(hasLines ? [LINE] : []),
      ...(hasMore ? [text('message', 'Reason')] : []),
    ],
    rows: rows.map((row) => [
      STATES[row.state],
      nameOf(row.identity),
      formatLimit(row.before, unit),
      formatLimit(row.after, unit),
      ...(hasLines ? [row.line] : []),
      ...(hasMore ? [reasonOfRow(row, unit)] : []),
    ]),
  };
}

/** The reason why a row was not carried out. */
export function reasonOfRow({ state, message, found }: BatchRow, unit: Plan): string {
  return message ?? (found === undefined ? STATES[state] : `It is ${formatLimit(found, unit)} now`);
}

const LINE: Column = { name: 'line', title: 'Line', kind: 'count' };

function text(name: string, title: string): Column {
  return { name, title, kind: 'text' };
}

/** A right-aligned column of text, as limits have more digits than a number. */
function amount(name: string, title: string): Column {
  return { name, title, kind: 'count' };
}

function nameOf({ kind, name }: Identity): string {
  return kind === 'user_email' ? name : `${name} (service account)`;
}

function section(title: string, table: Table, { most = Infinity }: TextOptions): string[] {
  const { length } = table.rows;
  if (length === 0) return [];
  const more = length > most ? `  … and ${formatCount(length - most)} more\n` : '';
  return [`${title}\n${tableText({ ...table, rows: table.rows.slice(0, most) })}${more}`];
}

function list(counts: readonly (readonly [count: number, what: string])[]): string {
  return counts
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${formatCount(count)} ${what}`)
    .join(', ');
}

function several(count: number, what: string): string {
  return count === 0 ? `no ${what}s` : `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;
}

function inUnit(unit: Plan): string {
  return unit === 'usd' ? 'in dollars a month' : 'in credits a month';
}

/** `2026-11-21 09:30 UTC` */
function moment(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`;
}
