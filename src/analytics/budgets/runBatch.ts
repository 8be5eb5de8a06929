import { formatSeconds, type Clock } from '../../base/clock.ts';
import { SextantError } from '../../base/errors.ts';
import { RESOURCE_OF_PLAN } from '../contract.ts';
import { identityFields, identityKey } from '../identity.ts';
import { identityOf } from '../insights/people.ts';
import { judge, numbersByKey, numbersOf } from './batch.ts';
import type { BatchLog } from './batchStore.ts';
import { allowed, readLimits, type BudgetService } from './budgetService.ts';

/** How far a batch is: plain data. */
export interface Progress {
  readonly phase: 'reading' | 'sending';
  /** Rows that need nothing more. */
  readonly settled: number;
  readonly total: number;
}

export interface RunOptions {
  /** Ends it after the request that is under way. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Settles what is unknown by reading, and sends nothing more. */
  readonly onlyVerify?: boolean | undefined;
}

/** An answer that is lost so often in a row is no accident any more. */
const ATTEMPTS = 3;

/**
 * Brings a batch to its end, from wherever it is: limits are read, rows that somebody else has changed are left alone, at most
 * `batchSize` of the others are sent, and so on; the last reading confirms all. What was sent and not answered is settled by the
 * next reading and not by sending again: only rows that are as before are. Throws what interrupts it; the log has how far it was.
 *
 * The service knows no condition on a write: a change that somebody else makes between our reading and our writing, some
 * milliseconds, is overwritten.
 */
export async function runBatch(
  log: BatchLog,
  service: BudgetService,
  clock: Clock,
  { signal, onProgress, onlyVerify = false, batchSize }: RunOptions & { readonly batchSize: number },
): Promise<void> {
  const now = (): string => formatSeconds(clock.now());
  const tell = (phase: Progress['phase']): void => {
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
    // What is lost is settled by now, and it would be lost once more.
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
      // What else the client throws of a write means that the service has not acted on it; of other errors nobody knows.
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
  // Of an account that was not sent nothing is said; what became of the rest is read back.
  return failures.flatMap((failure): [number, string][] => {
    const i = numbers.get(identityKey(identityOf(failure)));
    return i === undefined ? [] : [[i, failure.error_message]];
  });
}

function isLost(error: unknown): error is SextantError {
  return error instanceof SextantError && error.code === 'WriteUnknown';
}

/** Nothing more comes of asking again with the same token. */
export function isFinal(error: unknown): boolean {
  return (
    error instanceof SextantError &&
    ['Unauthenticated', 'PermissionDenied', 'NotFound', 'InvalidArgument', 'UnexpectedResponse'].includes(error.code)
  );
}
