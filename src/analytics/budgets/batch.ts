import * as z from 'zod/mini';
import { IDENTITY_FIELDS, type Plan } from '../contract.ts';
import { identityKey, type Identity } from '../identity.ts';
import { limitIn, type Limits } from './budgetService.ts';
import type { Limit } from './limit.ts';
import { PROBLEM_CODES, type Problem, type Source } from './preview.ts';

/**
 * How far a row of a batch is.
 *
 * - `waiting`: not sent.
 * - `unknown`: sent, and nobody knows yet whether it was applied.
 * - `applied`: the service said so; not read back yet.
 * - `confirmed`: read back as it was to be.
 * - `differs`: the service applied it, and what was read back is something else: `found`.
 * - `failed`: the service refused it: `message`.
 * - `conflict`: not sent, as somebody else has changed it since the preview, to `found`.
 * - `already`: not sent, as somebody else has made the same change.
 */
export const ROW_STATES = [
  'waiting',
  'unknown',
  'applied',
  'confirmed',
  'differs',
  'failed',
  'conflict',
  'already',
] as const;
export type RowState = (typeof ROW_STATES)[number];

export interface BatchRow {
  readonly identity: Identity;
  readonly line?: number | undefined;
  /** The limit at the time of the preview. */
  readonly before: Limit;
  readonly after: Limit;
  readonly state: RowState;
  /** Whether the service may have got it from us. */
  readonly isSent?: boolean | undefined;
  readonly message?: string | undefined;
  readonly found?: Limit | undefined;
}

export interface BatchProblem {
  readonly code: string;
  readonly message: string;
}

/** Changes that were confirmed together, and what became of each: plain data. */
export interface Batch {
  /** Ascending with time. */
  readonly id: number;
  readonly source: Source;
  readonly unit: Plan;
  readonly startedAt: string;
  /** Until then it was interrupted, or is under way. */
  readonly endedAt?: string | undefined;
  /** What ended it, or interrupted it last. */
  readonly error?: BatchProblem | undefined;
  readonly rows: readonly BatchRow[];
  /** What was asked for with them and could not be done, as the preview said. */
  readonly leftOut: readonly Problem[];
}

export function countStates({ rows }: Pick<Batch, 'rows'>): Readonly<Record<RowState, number>> {
  const counts = Object.fromEntries(ROW_STATES.map((state) => [state, 0])) as Record<RowState, number>;
  for (const { state } of rows) counts[state]++;
  return counts;
}

/** Whether everything that was asked for is as it was to be. */
export function isComplete({ rows }: Pick<Batch, 'rows'>): boolean {
  return rows.every(({ state }) => state === 'confirmed' || state === 'already');
}

// ── The journal ──────────────────────────────────────────────────────────────────────────────────────────────────────

export const JOURNAL_VERSION = 1;

const row = z.int();
const rows = z.array(row);
const withText = z.array(z.tuple([row, z.string()]));
const problem = z.object({ code: z.string(), message: z.string() });

/** The first record of a batch: what was confirmed. */
export const beginning = z.object({
  type: z.literal('begun'),
  version: z.int(),
  at: z.string(),
  source: z.object({
    kind: z.enum(['set', 'clear', 'raise', 'import', 'undo', 'retry']),
    name: z.optional(z.string()),
  }),
  unit: z.enum(['credits', 'usd']),
  rows: z.array(
    z.object({
      kind: z.enum(IDENTITY_FIELDS),
      name: z.string(),
      before: z.string(),
      after: z.string(),
      line: z.optional(z.int()),
    }),
  ),
  leftOut: z.optional(
    z.array(
      z.object({
        code: z.enum(PROBLEM_CODES),
        message: z.string(),
        line: z.optional(z.int()),
        identity: z.optional(z.object({ kind: z.enum(IDENTITY_FIELDS), name: z.string() })),
        limit: z.optional(z.string()),
      }),
    ),
  ),
});
export type Beginning = z.infer<typeof beginning>;

/** What happened to it; numbers are those of rows, from 0. */
export const step = z.discriminatedUnion('type', [
  /** Limits were read: rows that are in another state for it. */
  z.object({ type: z.literal('read'), at: z.string(), confirmed: rows, waiting: rows, already: rows, conflict: withText, differs: withText }), // prettier-ignore
  /** On the disk before the request goes out. */
  z.object({ type: z.literal('sending'), at: z.string(), rows }),
  z.object({ type: z.literal('answered'), at: z.string(), failed: withText }),
  /** The service cannot have acted on what was sent. */
  z.object({ type: z.literal('unheard'), at: z.string() }),
  z.object({ type: z.literal('interrupted'), at: z.string(), error: problem }),
  z.object({ type: z.literal('ended'), at: z.string(), error: z.optional(problem) }),
]);
export type Step = z.infer<typeof step>;

export function beginBatch(id: number, { at, source, unit, rows, leftOut = [] }: Beginning): Batch {
  return {
    id,
    source,
    unit,
    startedAt: at,
    rows: rows.map(({ kind, name, before, after, line }) => ({
      identity: { kind, name },
      before,
      after,
      state: 'waiting',
      ...(line !== undefined && { line }),
    })),
    leftOut,
  };
}

/** The batch after a step. Both the journal that is read and the run that writes it come by their state this way. */
export function advance(batch: Batch, step: Step): Batch {
  switch (step.type) {
    case 'read': {
      const { confirmed, waiting, already, conflict, differs } = step;
      return withRows(batch, [
        ...confirmed.map((i): Change => [i, { state: 'confirmed' }]),
        ...waiting.map((i): Change => [i, { state: 'waiting' }]),
        ...already.map((i): Change => [i, { state: 'already' }]),
        ...conflict.map(([i, found]): Change => [i, { state: 'conflict', found }]),
        ...differs.map(([i, found]): Change => [i, { state: 'differs', found }]),
      ]);
    }
    case 'sending':
      return withRows(
        batch,
        step.rows.map((i) => [i, { state: 'unknown', isSent: true }]),
      );
    case 'answered': {
      const sent = numbersOf(batch, 'unknown').map((i): Change => [i, { state: 'applied' }]);
      return withRows(batch, [
        ...sent,
        ...step.failed.map(([i, message]): Change => [i, { state: 'failed', message }]),
      ]);
    }
    case 'unheard':
      return withRows(
        batch,
        numbersOf(batch, 'unknown').map((i) => [i, { state: 'waiting', isSent: false }]),
      );
    case 'interrupted':
      return { ...batch, error: step.error };
    case 'ended': {
      const { error: _, ...rest } = batch;
      return { ...rest, endedAt: step.at, ...(step.error && { error: step.error }) };
    }
  }
}

/** The numbers of rows in one of these states. */
export function numbersOf({ rows }: Batch, ...states: readonly RowState[]): number[] {
  return rows.flatMap(({ state }, i) => (states.includes(state) ? [i] : []));
}

/** A journal with a damaged line: what it said of a row is to be asked of the service. */
export function doubt(batch: Batch): Batch {
  const { endedAt: _, ...open } = batch;
  return withRows(
    open,
    batch.rows.map((_, i) => [i, { state: 'unknown', isSent: true }]),
  );
}

/** What limits that were read now say of the rows that are not settled. */
export function judge(batch: Batch, limits: Limits, at: string): Step {
  const judged = {
    type: 'read' as const,
    at,
    confirmed: [] as number[],
    waiting: [] as number[],
    already: [] as number[],
    conflict: [] as [number, string][],
    differs: [] as [number, string][],
  };
  for (const [i, { identity, before, after, state, isSent }] of batch.rows.entries()) {
    const now = limitIn(limits, identity);
    if (state === 'applied') {
      if (now === after) judged.confirmed.push(i);
      else judged.differs.push([i, now]);
    } else if (state === 'unknown') {
      // Ours or somebody else's: nobody can tell, and it is as it was to be.
      if (now === after) judged.confirmed.push(i);
      else if (now === before) judged.waiting.push(i);
      else judged.conflict.push([i, now]);
    } else if (state === 'waiting') {
      // What was thought to be lost may have come late.
      if (now === after) (isSent ? judged.confirmed : judged.already).push(i);
      else if (now !== before) judged.conflict.push([i, now]);
    }
  }
  return judged;
}

/** Rows by the account that the service names. */
export function numbersByKey({ rows }: Batch, among: readonly number[]): ReadonlyMap<string, number> {
  return new Map(among.map((i) => [identityKey(rows[i]!.identity), i]));
}

type Change = readonly [number, Pick<BatchRow, 'state' | 'isSent' | 'message' | 'found'>];

function withRows(batch: Batch, changes: Iterable<Change>): Batch {
  const rows = [...batch.rows];
  for (const [i, change] of changes) {
    const { message: _, found: __, ...row } = rows[i]!;
    rows[i] = { ...row, ...change };
  }
  return { ...batch, rows };
}
