import { formatTime, type Clock } from '../../base/clock.ts';
import { SextantError } from '../../base/errors.ts';
import { RESOURCE_OF_PLAN } from '../contract.ts';
import { identityFields, identityKey, identityOf } from '../identity.ts';
import { judge, numbersByKey, numbersOf } from './batch.ts';
import type { BatchLog } from './batchStore.ts';
import { allowed, readLimits, type BudgetService } from './budgetService.ts';

/** Progress of a batch: plain data. */
export interface BatchProgress {
  readonly phase: 'reading' | 'sending';
  /** Number of rows that need no further work. */
  readonly settled: number;
  readonly total: number;
}

export interface RunOptions {
  /** Stops the batch after the current request. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: BatchProgress) => void) | undefined;
  /** Settles unknown rows by reading, and sends nothing more. */
  readonly onlyVerify?: boolean | undefined;
}

/** Number of answers lost in a row that is no accident any more. */
const ATTEMPTS = 3;

/**
 * Completes a batch from any state. Limits are read, rows changed by other clients are left alone, at most `batchSize`
 * of the others are sent. This repeats until the last read confirms all. Unanswered requests are settled by the next
 * read and not by sending again: only rows with their old limit are sent. Throws the cause of an interruption; the log
 * has the state.
 *
 * The service has no conditional write: a change by another client between our read and our write, some milliseconds,
 * is overwritten.
 */
export async function runBatch(
  log: BatchLog,
  service: BudgetService,
  clock: Clock,
  { signal, onProgress, onlyVerify = false, batchSize }: RunOptions & { readonly batchSize: number },
): Promise<void> {
  const now = (): string => formatTime(clock.now());
  const tell = (phase: BatchProgress['phase']): void => {
    const total = log.batch.rows.length;
    onProgress?.({ phase, settled: total - numbersOf(log.batch, 'waiting', 'unknown', 'applied').length, total });
  };
  let lost = 0;
  let loss: unknown;
  for (;;) {
    tell('reading');
    const limits = await readLimits(service, signal);
    await log.append(judge(log.batch, limits, now()));
    const rows = onlyVerify ? [] : numbersOf(log.batch, 'waiting').slice(0, batchSize);
    if (rows.length === 0) break;
    // Rows of the lost answers are settled by now, and another answer would be lost too.
    if (lost >= ATTEMPTS) throw loss;
    await log.append({ type: 'sending', at: now(), rows });
    tell('sending');
    let failed: [number, string][];
    try {
      failed = await send(log, rows, service, signal);
    } catch (error) {
      if (isLost(error)) {
        lost++;
        loss = error.cause ?? error;
        continue;
      }
      // Other errors of the client on a write mean that the service has not acted on it; after any other error that is
      // unknown.
      if (error instanceof SextantError) await log.append({ type: 'unheard', at: now() });
      throw error;
    }
    lost = 0;
    await log.append({ type: 'answered', at: now(), failed });
  }
  await log.append({ type: 'ended', at: now() });
}

async function send(
  { batch }: BatchLog,
  rows: readonly number[],
  service: BudgetService,
  signal: AbortSignal | undefined,
): Promise<[number, string][]> {
  const overrides = rows.map((i) => {
    const { identity, after } = batch.rows[i]!;
    const resource = RESOURCE_OF_PLAN[batch.unit];
    return {
      ...identityFields(identity),
      resource,
      period: 'BUDGET_PERIOD_MONTHLY' as const,
      config: { limit: after },
    };
  });
  const { failures } = await allowed('budgets:write', () =>
    service.call('setUserBudgetOverrides', { overrides }, { signal }),
  );
  const numbers = numbersByKey(batch, rows);
  // Rows that were not sent have no entry; the next read settles the rest.
  return failures.flatMap((failure): [number, string][] => {
    const i = numbers.get(identityKey(identityOf(failure)));
    return i === undefined ? [] : [[i, failure.error_message]];
  });
}

function isLost(error: unknown): error is SextantError {
  return error instanceof SextantError && error.code === 'WriteUnknown';
}

/** Whether another request with the same token would fail in the same way. */
export function isPermanent(error: unknown): boolean {
  return (
    error instanceof SextantError &&
    ['Unauthenticated', 'PermissionDenied', 'NotFound', 'InvalidArgument', 'UnexpectedResponse'].includes(error.code)
  );
}
