import { formatTime, systemClock, type Clock } from '../../base/clock.ts';
import { groupBy } from '../../base/collections.ts';
import { RESOURCE_OF_PLAN, type BudgetResource, type Plan } from '../contract.ts';
import { identityKey, type Identity } from '../identity.ts';
import { findUnknown, limitIn, readLimits, unitOfPlan, type BudgetService, type Limits } from './budgetService.ts';
import { formatLimit, NO_LIMIT, type Limit } from './limit.ts';

/** Reasons why a requested change is not possible. */
export const PROBLEM_CODES = [
  'BadCsv',
  'NoHeader',
  'RepeatedColumn',
  'NoIdentity',
  'TwoIdentities',
  'NoLimit',
  'BadLimit',
  'BadResource',
  'BadPeriod',
  'WrongResource',
  'Duplicate',
  'Contradiction',
  'UnknownIdentity',
  'Conflict',
] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];

export interface LimitProblem {
  readonly code: ProblemCode;
  /** Includes the remedy. */
  readonly message: string;
  /** Line in the file, from 1. */
  readonly line?: number | undefined;
  readonly identity?: Identity | undefined;
  /** The requested limit, as written. */
  readonly limit?: string | undefined;
}

/** A requested limit of one account. */
export interface RequestedLimit {
  readonly identity: Identity;
  readonly limit: Limit;
  /** Line in the file. */
  readonly line?: number | undefined;
  /** Resource of the limit, if the file names it. */
  readonly resource?: BudgetResource | undefined;
  /** The limit that this request assumes; a different current one was set by another client. */
  readonly expected?: Limit | undefined;
}

/** Origin of a batch; `name` is that of a file. */
export interface Source {
  readonly kind: 'set' | 'clear' | 'raise' | 'import' | 'undo' | 'retry';
  readonly name?: string | undefined;
}

export type PreviewKind = 'new' | 'changed' | 'cleared' | 'unchanged' | 'conflict';

export interface PreviewRow {
  readonly kind: PreviewKind;
  readonly identity: Identity;
  readonly line?: number | undefined;
  /** The current limit. */
  readonly before: Limit;
  readonly after: Limit;
  /** The assumed limit of a conflict. */
  readonly expected?: Limit | undefined;
}

/** The expected effect: plain data, to be shown, confirmed and passed back. A preview changes nothing. */
export interface Preview {
  readonly source: Source;
  readonly unit: Plan;
  /** When the limits were read: ISO 8601. */
  readonly readAt: string;
  readonly rows: readonly PreviewRow[];
  /** Rejected requests with the reason. */
  readonly problems: readonly LimitProblem[];
  /** Columns of the file that have no meaning here. */
  readonly ignored?: readonly string[];
}

export interface LimitPreviewOptions {
  /** Unit of the organization's plan; determined if it is missing. */
  readonly unit?: Plan | undefined;
  /** Overwrites later changes of other clients. */
  readonly overwrite?: boolean | undefined;
  /** Problems found earlier. */
  readonly problems?: readonly LimitProblem[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The rows that would be sent. */
export function changesOf({ rows }: Preview): readonly PreviewRow[] {
  return rows.filter(({ kind }) => kind === 'new' || kind === 'changed' || kind === 'cleared');
}

/** Problems that keep a limit from its requested value: a row that only repeats another does not. */
export function obstaclesIn(problems: readonly LimitProblem[]): readonly LimitProblem[] {
  return problems.filter(({ code }) => code !== 'Duplicate');
}

/** Requests that will not be carried out, with the reason: problems and conflicts. */
export function leftOutOf({ problems, rows, unit }: Preview): readonly LimitProblem[] {
  const conflicts = rows.flatMap(({ kind, identity, line, before, after }): LimitProblem[] =>
    kind === 'conflict'
      ? [{ code: 'Conflict', message: `It is ${formatLimit(before, unit)} now`, line, identity, limit: after }]
      : [],
  );
  return inOrder([...problems, ...conflicts]);
}

export function countKinds({ rows }: Preview): Readonly<Record<PreviewKind, number>> {
  const counts = { new: 0, changed: 0, cleared: 0, unchanged: 0, conflict: 0 };
  for (const { kind } of rows) counts[kind]++;
  return counts;
}

/**
 * Compares requested with current limits. Identities without a limit are looked up by name, so that unknown ones are
 * reported before anything is sent.
 */
export async function previewLimits(
  service: BudgetService,
  source: Source,
  wanted: readonly RequestedLimit[],
  { unit: named, overwrite = false, problems: known = [], signal }: LimitPreviewOptions = {},
  clock: Clock = systemClock,
): Promise<Preview> {
  const limits = await readLimits(service, signal);
  const unit = named ?? limits.unit ?? (await unitOfPlan(service, signal));
  const readAt = formatTime(clock.now());
  const { single, problems } = withoutDuplicates(wanted);
  const fitting = single.filter((one) => !isOfOther(one, unit));
  for (const one of single) if (isOfOther(one, unit)) problems.push(wrongResource(one, unit));
  const strangers = fitting.filter(({ identity }) => !limits.overrides.has(identityKey(identity)));
  const unknown = await findUnknown(
    service,
    strangers.map(({ identity }) => identity),
    signal,
  );
  const rows: PreviewRow[] = [];
  for (const one of fitting) {
    if (unknown.has(identityKey(one.identity))) problems.push(unknownIdentity(one));
    else rows.push(compare(one, limits, overwrite));
  }
  return { source, unit, readAt, rows, problems: inOrder([...known, ...problems]) };
}

function compare({ identity, line, limit, expected }: RequestedLimit, limits: Limits, overwrite: boolean): PreviewRow {
  const before = limitIn(limits, identity);
  const row = { identity, before, after: limit, ...(line !== undefined && { line }) };
  if (before === limit) return { kind: 'unchanged', ...row };
  if (expected !== undefined && before !== expected && !overwrite) return { kind: 'conflict', ...row, expected };
  return { kind: limit === NO_LIMIT ? 'cleared' : before === NO_LIMIT ? 'new' : 'changed', ...row };
}

/**
 * Each identity once. Of equal rows the first counts; contradicting rows are all rejected, as none is known to be
 * right.
 */
function withoutDuplicates(wanted: readonly RequestedLimit[]): {
  readonly single: RequestedLimit[];
  readonly problems: LimitProblem[];
} {
  const single: RequestedLimit[] = [];
  const problems: LimitProblem[] = [];
  for (const same of groupBy(wanted, ({ identity }) => identityKey(identity)).values()) {
    const [first, ...others] = same as [RequestedLimit, ...RequestedLimit[]];
    const lines = same.flatMap(({ line }) => (line === undefined ? [] : [line]));
    if (same.some(({ limit, resource }) => limit !== first.limit || resource !== first.resource)) {
      const where = lines.length > 0 ? ` (lines ${lines.join(', ')})` : '';
      const message = `The rows of this account contradict each other${where}. Keep one of them.`;
      for (const { identity, line, limit } of same)
        problems.push({ code: 'Contradiction', message, line, identity, limit });
      continue;
    }
    single.push(first);
    const message = first.line === undefined ? 'It was given twice.' : `It says the same as line ${first.line}.`;
    for (const { identity, line, limit } of others)
      problems.push({ code: 'Duplicate', message, line, identity, limit });
  }
  return { single, problems };
}

function isOfOther({ resource }: RequestedLimit, unit: Plan): boolean {
  return resource !== undefined && resource !== RESOURCE_OF_PLAN[unit];
}

function wrongResource({ identity, line, limit }: RequestedLimit, unit: Plan): LimitProblem {
  const message = `Budgets of this organization are in ${unit === 'usd' ? 'dollars' : 'credits'}: ${RESOURCE_OF_PLAN[unit]}.`;
  return { code: 'WrongResource', message, line, identity, limit };
}

function unknownIdentity({ identity, line, limit }: RequestedLimit): LimitProblem {
  const message = 'The organization knows no such account. Check the spelling, and whether the person has left.';
  return { code: 'UnknownIdentity', message, line, identity, limit };
}

function inOrder(problems: readonly LimitProblem[]): LimitProblem[] {
  return [...problems].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}
