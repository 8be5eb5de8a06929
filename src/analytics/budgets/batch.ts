import * as z from 'zod/mini';
import { IDENTITY_FIELDS, type Plan } from '../contract.ts';
import { identityKey, type Identity } from '../identity.ts';
import { limitIn, type Limits } from './budgetService.ts';
import type { Limit } from './limit.ts';
import { PROBLEM_CODES, type LimitProblem, type Source } from './preview.ts';

/**
 * State of a row of a batch.
 *
 * - `waiting`: not sent.
 * - `unknown`: sent, and not known yet whether it was applied.
 * - `applied`: applied according to the service; not read back yet.
 * - `confirmed`: read back as intended.
 * - `differs`: the service applied it, and another value was read back: `found`.
 * - `failed`: the service refused it: `message`.
 * - `conflict`: not sent, as another client has changed the limit since the preview, to `found`.
 * - `already`: not sent, as another client has made the same change.
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
  /** Whether the service may have received it from this process. */
  readonly isSent?: boolean | undefined;
  readonly message?: string | undefined;
  readonly found?: Limit | undefined;
}

export interface BatchProblem {
  readonly code: string;
  readonly message: string;
}

/** Changes that were confirmed together, with the result of each: plain data. */
export interface Batch {
  /** Grows with time. */
  readonly id: number;
  readonly source: Source;
  readonly unit: Plan;
  readonly startedAt: string;
  /** Absent if the batch was interrupted or still runs. */
  readonly endedAt?: string | undefined;
  /** The error that ended the batch, or last interrupted it. */
  readonly error?: BatchProblem | undefined;
  readonly rows: readonly BatchRow[];
  /** Requested changes that were not possible, according to the preview. */
  readonly leftOut: readonly LimitProblem[];
}

export function countStates({ rows }: Pick<Batch, 'rows'>): Readonly<Record<RowState, number>> {
  const counts = Object.fromEntries(ROW_STATES.map((state) => [state, 0])) as Record<RowState, number>;
  for (const { state } of rows) counts[state]++;
  return counts;
}

/** Whether all requested changes are in effect. */
export function isComplete({ rows }: Pick<Batch, 'rows'>): boolean {
  return rows.every(({ state }) => state === 'confirmed' || state === 'already');
}

// ── The journal ──────────────────────────────────────────────────────────────────────────────────────────────────────

export const JOURNAL_VERSION = 1;

const row = z.int();
const rows = z.array(row);
const withText = z.array(z.tuple([row, z.string()]));
const problem = z.object({ code: z.string(), message: z.string() });

/** The first record of a batch: the confirmed changes. */
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

/** The further records; row numbers count from 0. */
export const step = z.discriminatedUnion('type', [
  /** Limits were read: rows with a new state because of it. */
  z.object({
    type: z.literal('read'),
    at: z.string(),
    confirmed: rows,
    waiting: rows,
    already: rows,
    conflict: withText,
    differs: withText,
  }),
  /** Written to disk before the request is sent. */
  z.object({ type: z.literal('sending'), at: z.string(), rows }),
  z.object({ type: z.literal('answered'), at: z.string(), failed: withText }),
  /** The service cannot have acted on the request. */
  z.object({ type: z.literal('unheard'), at: z.string() }),
  z.object({ type: z.literal('interrupted'), at: z.string(), error: problem }),
  z.object({ type: z.literal('ended'), at: z.string(), error: z.optional(problem) }),
]);
export type BatchStep = z.infer<typeof step>;

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

/** The batch after a step. Both the reader of a journal and the run that writes it derive their state this way. */
export function advance(batch: Batch, step: BatchStep): Batch {
  switch (step.type) {
    case 'read': {
      const { confirmed, waiting, already, conflict, differs } = step;
      return withRows(batch, [
        ...confirmed.map((i): RowChange => [i, { state: 'confirmed' }]),
        ...waiting.map((i): RowChange => [i, { state: 'waiting' }]),
        ...already.map((i): RowChange => [i, { state: 'already' }]),
        ...conflict.map(([i, found]): RowChange => [i, { state: 'conflict', found }]),
        ...differs.map(([i, found]): RowChange => [i, { state: 'differs', found }]),
      ]);
    }
    case 'sending':
      return withRows(
        batch,
        step.rows.map((i) => [i, { state: 'unknown', isSent: true }]),
      );
    case 'answered': {
      const sent = numbersOf(batch, 'unknown').map((i): RowChange => [i, { state: 'applied' }]);
      return withRows(batch, [
        ...sent,
        ...step.failed.map(([i, message]): RowChange => [i, { state: 'failed', message }]),
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

/** The numbers of rows in any of the given states. */
export function numbersOf({ rows }: Batch, ...states: readonly RowState[]): number[] {
  return rows.flatMap(({ state }, i) => (states.includes(state) ? [i] : []));
}

/** The batch of a journal with a damaged line: the state of its rows must be read from the service. */
export function doubt(batch: Batch): Batch {
  const { endedAt: _, ...open } = batch;
  return withRows(
    open,
    batch.rows.map((_, i) => [i, { state: 'unknown', isSent: true }]),
  );
}

/** The new states of unsettled rows, from limits just read. */
export function judge(batch: Batch, limits: Limits, at: string): BatchStep {
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
      // Set by this process or another client: either way the limit is as intended.
      if (now === after) judged.confirmed.push(i);
      else if (now === before) judged.waiting.push(i);
      else judged.conflict.push([i, now]);
    } else if (state === 'waiting') {
      // A request believed lost may have arrived late.
      if (now === after) (isSent ? judged.confirmed : judged.already).push(i);
      else if (now !== before) judged.conflict.push([i, now]);
    }
  }
  return judged;
}

/** Row numbers by the key of their account. */
export function numbersByKey({ rows }: Batch, among: readonly number[]): ReadonlyMap<string, number> {
  return new Map(among.map((i) => [identityKey(rows[i]!.identity), i]));
}

type RowChange = readonly [number, Pick<BatchRow, 'state' | 'isSent' | 'message' | 'found'>];

function withRows(batch: Batch, changes: Iterable<RowChange>): Batch {
  const rows = [...batch.rows];
  for (const [i, change] of changes) {
    const { message: _, found: __, ...row } = rows[i]!;
    rows[i] = { ...row, ...change };
  }
  return { ...batch, rows };
}
