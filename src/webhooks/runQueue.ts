import type { Dispatcher } from 'undici';
import { backoffMs } from '../base/attempt.ts';
import type { Clock } from '../base/clock.ts';
import { describeError, SextantError } from '../base/errors.ts';
import { Fifo } from '../base/fifo.ts';
import type { Fence } from '../base/lease.ts';
import type { Logger } from '../base/log.ts';
import { sleep } from '../base/sleep.ts';
import type { Definitions, WorkingExpert } from './definitions.ts';
import {
  isUnfinished,
  NEW_STATE,
  eventStatusOf,
  type Attempt,
  type AttemptOutcome,
  type EventState,
  type EventSummary,
  type Run,
  type StoredEvent,
  type TriggerEvaluation,
} from './event.ts';
import type { EditorWindows } from './editorWindows.ts';
import { forward } from './forward.ts';
import type { EventJournal } from './journal/eventJournal.ts';
import { payloadOf } from './payload.ts';
import { runCommand } from './runCommand.ts';

export interface RunQueueOptions {
  readonly journal: EventJournal;
  readonly definitions: Definitions;
  /** The lease; runs begin only while it is held. */
  readonly fence: Fence;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The windows that run experts of the type `editor`. */
  readonly windows: EditorWindows;
  readonly dispatcher?: Dispatcher | undefined;
  /** The first wait before another attempt; 1 s by default. */
  readonly backoffBaseMs?: number | undefined;
}

/**
 * The most events, and bytes, whose triggers are evaluated at once. Each waits until its result is on the disk: with a limit
 * below the number of connections, the queue would grow while all of them deliver.
 */
const EVALUATING = { events: 256, bytes: 16_000_000 };
/** Bytes of new events that are kept in memory instead of read again from the disk, with those of an event besides its body. */
const FRESH = { bytes: 8_000_000, overhead: 3_000 };

const EVALUATION_WAIT_MS = 20;
/** Upper bound of the delay between attempts to persist a run's result. */
const LONGEST_WRITE_WAIT_MS = 60_000;

/** The parts of an event that a run needs. */
type Payload = Pick<StoredEvent, 'id' | 'headers' | 'body' | 'method' | 'query'>;

/** A new payload, with its parsed body if known. */
export type FreshPayload = Payload & { readonly json?: unknown };

/** An event whose runs have not ended yet, nor wait for a later attempt. */
interface FreshEvent {
  readonly payload: FreshPayload;
  /** Its state in the journal, once its triggers are evaluated. */
  readonly state?: EventState;
}

interface RunTask {
  readonly event: number;
  readonly trigger: string;
}

/** The runs of one expert: those that may begin, the number under way, and the number to retry. */
interface Lane {
  readonly tasks: Fifo<RunTask>;
  active: number;
  later: number;
}

/**
 * Evaluates the triggers of each event and runs experts. The journal is the queue: it holds each event's pending work, so a
 * start after a crash goes on where the last process ended. A run under way at the crash is begun again: each happens at
 * least once.
 */
export class RunQueue {
  readonly #options: RunQueueOptions;
  readonly #events = new Fifo<number>();
  readonly #fresh = new Map<number, FreshEvent>();
  #freshBytes = 0;
  readonly #evaluating = { events: 0, bytes: 0 };
  readonly #lanes = new Map<string, Lane>();
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Timers of runs that wait for their next attempt; see {@link keyOf}. */
  readonly #delayed = new Map<string, NodeJS.Timeout>();
  readonly #stop = new AbortController();
  /** What is wrong with the disk, said once and not for each event that waits for it. */
  #lastProblem = '';
  /** Changes of one event's state, one after the other. */
  readonly #changes = new Map<number, Promise<unknown>>();
  readonly #work = new Set<Promise<void>>();

  constructor(options: RunQueueOptions) {
    this.#options = options;
    const { lost } = options.fence;
    // Forwards under way are given up; the heir runs the rest.
    lost.addEventListener('abort', () => this.#stop.abort(lost.reason), { signal: this.#stop.signal });
    if (lost.aborted) this.#stop.abort(lost.reason);
    options.windows.onAttached = (names) => {
      for (const name of names) this.#pumpLane(name);
    };
  }

  /** Queues all unfinished events of the journal. */
  resume(): void {
    for (const event of this.#options.journal.unfinished()) this.#events.add(event);
    this.#pump();
  }

  /** Queues an event of the journal; `payload` is its content. */
  add(event: number, payload?: FreshPayload): void {
    if (payload && this.#freshBytes < FRESH.bytes) {
      this.#fresh.set(event, { payload });
      this.#freshBytes += payload.body.length + FRESH.overhead;
    }
    this.#events.add(event);
    this.#pump();
  }

  /** Begins waiting runs of an expert that was deleted, so that they fail. */
  pump(expert: string): void {
    this.#pumpLane(expert);
  }

  /** Number of an expert's unfinished runs. */
  waitingFor(expert: string): number {
    const { tasks, active, later } = this.#lane(expert);
    return tasks.size + active + later;
  }

  /**
   * Starts failed runs of an event again, and those that wait for their next attempt, now. Resolves to their number once that is on
   * the disk.
   */
  async retry(event: number, isWanted: (run: Run) => boolean): Promise<number> {
    const canRetry = (run: Run): boolean =>
      isWanted(run) && (run.state === 'failed' || this.#delayed.has(keyOf({ event, trigger: run.trigger })));
    const { status, runs } = await this.#options.journal.state(event);
    if (status === 'received' || !runs.some(canRetry)) return 0;
    let retried: Run[] = [];
    await this.#record(event, (state) => {
      retried = state.runs.filter(canRetry);
      const again = state.runs.map((run): Run => {
        if (!retried.includes(run)) return run;
        const { nextAt: _, ...rest } = run;
        return { ...rest, state: 'waiting', retriedAfter: run.attempts.length };
      });
      return { ...state, runs: again, status: eventStatusOf(again) };
    });
    for (const { trigger, expert, state } of retried) {
      const task = { event, trigger };
      const timer = this.#delayed.get(keyOf(task));
      if (timer) this.#endDelay(task, expert, timer);
      // Without its timer, a run that waited has begun meanwhile.
      else if (state === 'waiting') continue;
      this.#schedule(task, expert);
    }
    return retried.length;
  }

  /** Records that an event was edited from another; resolves when that is on the disk. */
  async addEdit(event: number, id: string): Promise<readonly string[]> {
    const { journal } = this.#options;
    // The evaluation of its triggers writes a whole state.
    while (journal.summary(event)?.status === 'received') await sleep(EVALUATION_WAIT_MS, this.#stop.signal);
    if (!journal.summary(event)) return [];
    const { edits = [] } = await this.#record(event, (state) => ({ ...state, edits: [...(state.edits ?? []), id] }));
    return edits;
  }

  /** Gives up runs under way, which the next start begins again. */
  async close(): Promise<void> {
    this.#stop.abort();
    for (const timer of this.#timers) clearTimeout(timer);
    while (this.#work.size > 0) await Promise.allSettled(this.#work);
  }

  #pump(): void {
    const { events, bytes } = EVALUATING;
    const now = this.#evaluating;
    while (!this.#stop.signal.aborted && now.events < events && now.bytes < bytes && this.#events.size > 0)
      this.#track(this.#next(this.#events.take()!));
  }

  async #next(event: number): Promise<void> {
    const summary = this.#options.journal.summary(event);
    const bytes = summary?.bytes ?? 0;
    this.#evaluating.events++;
    this.#evaluating.bytes += bytes;
    try {
      await this.#begin(event, summary);
    } catch (error) {
      this.#failed(event, error);
    }
    this.#evaluating.events--;
    this.#evaluating.bytes -= bytes;
    this.#pump();
  }

  /** Evaluates the triggers, unless that is done, and queues the remaining runs. */
  async #begin(number: number, summary: EventSummary | undefined): Promise<void> {
    const { journal } = this.#options;
    if (!summary) {
      this.#forget(number);
      return;
    }
    let state = summary.status === 'received' ? undefined : await journal.state(number);
    // An event whose record is damaged is evaluated again.
    if (!state || (state.isDamaged && isUnfinished(state.status))) {
      state = this.#evaluate(summary.webhook, await this.#read(number));
      await journal.setState(number, state);
    }
    this.#keep(number, state);
    for (const { trigger, expert, nextAt, state: runState } of state.runs)
      if (runState === 'waiting') this.#schedule({ event: number, trigger }, expert, nextAt);
  }

  #evaluate(webhookId: string, event: FreshPayload | undefined): EventState {
    const { definitions } = this.#options;
    const webhook = definitions.webhookById(webhookId);
    const triggers = webhook ? definitions.triggersOf(webhook) : [];
    if (triggers.length === 0) return { ...NEW_STATE, status: 'unmatched' };
    const payload: unknown = event && ('json' in event ? event.json : payloadOf(event.headers, event.body));
    const evaluations: TriggerEvaluation[] = [];
    const runs: Run[] = [];
    for (const { trigger, filter } of triggers) {
      const evaluation = filter?.explain(payload) ?? { fires: true, tree: { result: 'no filter', isTrue: true } };
      evaluations.push({ trigger: trigger.name, ...evaluation });
      if (evaluation.fires) runs.push(this.#newRun(trigger.name, trigger.expert));
    }
    return { status: eventStatusOf(runs), evaluations, runs };
  }

  async #read(number: number): Promise<FreshPayload | undefined> {
    return this.#fresh.get(number)?.payload ?? (await this.#options.journal.read(number));
  }

  /** Keeps the state of a fresh event, unless its runs ended or one waits, perhaps for long. */
  #keep(number: number, state: EventState): void {
    const fresh = this.#fresh.get(number);
    if (!fresh) return;
    if (state.status !== 'pending' || state.runs.some(({ nextAt }) => nextAt !== undefined)) {
      this.#forget(number);
      return;
    }
    // A parsed body may take many times its bytes.
    const { json: _, ...payload } = fresh.payload;
    this.#fresh.set(number, { payload, state });
  }

  #forget(number: number): void {
    const fresh = this.#fresh.get(number);
    if (!fresh) return;
    this.#freshBytes -= fresh.payload.body.length + FRESH.overhead;
    this.#fresh.delete(number);
  }

  #newRun(trigger: string, expert: string): Run {
    const isRecord = this.#options.definitions.expert(expert)?.type === 'record';
    return { trigger, expert, state: isRecord ? 'succeeded' : 'waiting', attempts: [] };
  }

  #schedule(task: RunTask, expert: string, nextAt = 0): void {
    const waitMs = nextAt - this.#options.clock.now();
    if (waitMs <= 0) {
      this.#lane(expert).tasks.add(task);
      this.#pumpLane(expert);
      return;
    }
    const timer = setTimeout(
      () => {
        this.#endDelay(task, expert, timer);
        this.#lane(expert).tasks.add(task);
        this.#pumpLane(expert);
      },
      // A clock that was set far ahead must not delay runs for years.
      Math.min(waitMs, 600_000 * 1.2),
    );
    this.#lane(expert).later++;
    this.#timers.add(timer);
    this.#delayed.set(keyOf(task), timer);
  }

  #endDelay(task: RunTask, expert: string, timer: NodeJS.Timeout): void {
    clearTimeout(timer);
    this.#timers.delete(timer);
    this.#delayed.delete(keyOf(task));
    this.#lane(expert).later--;
  }

  #lane(expert: string): Lane {
    let lane = this.#lanes.get(expert);
    if (!lane) this.#lanes.set(expert, (lane = { tasks: new Fifo(), active: 0, later: 0 }));
    return lane;
  }

  #pumpLane(name: string): void {
    const lane = this.#lane(name);
    const found = this.#options.definitions.expert(name);
    const expert = found?.type === 'record' ? undefined : found;
    const limit = expert?.concurrency ?? 1;
    while (!this.#stop.signal.aborted && lane.active < limit && lane.tasks.size > 0 && this.#canBegin(expert)) {
      const task = lane.tasks.take()!;
      lane.active++;
      this.#track(
        this.#run(task, name, expert)
          .catch((error: unknown) => this.#failed(task.event, error, () => this.#schedule(task, name, this.#later())))
          .finally(() => {
            lane.active--;
            this.#pumpLane(name);
          }),
      );
    }
  }

  /** Whether a run may begin; those of the editor wait for a window. */
  #canBegin(expert: WorkingExpert | undefined): boolean {
    return expert?.type !== 'editor' || this.#options.windows.has(expert.name);
  }

  async #run({ event: number, trigger }: RunTask, name: string, expert: WorkingExpert | undefined): Promise<void> {
    const event = await this.#read(number);
    if (!event) return;
    if (!this.#canBegin(expert)) {
      this.#schedule({ event: number, trigger }, name);
      return;
    }
    const next = expert ? await this.#attempt(number, event, trigger, expert) : (run: Run) => this.#gone(run);
    const { runs } = await this.#record(number, (state) => {
      const isKnown = !state.isDamaged || state.runs.some((run) => run.trigger === trigger);
      const before = isKnown ? state.runs : [...state.runs, this.#newRun(trigger, name)];
      const runs = before.map((run) => (run.trigger === trigger && run.state === 'waiting' ? next(run) : run));
      return { ...state, runs, status: eventStatusOf(runs) };
    });
    const run = runs.find((one) => one.trigger === trigger);
    if (run?.state === 'waiting') this.#schedule({ event: number, trigger }, run.expert, run.nextAt);
  }

  /** Makes one attempt, and returns the change of the run. */
  async #attempt(number: number, event: Payload, trigger: string, expert: WorkingExpert): Promise<(run: Run) => Run> {
    const { fence, clock, backoffBaseMs } = this.#options;
    fence.check();
    const at = clock.now();
    const began = performance.now();
    const outcome = await this.#outcome(number, event, trigger, expert);
    const { isDone, canRetry, afterMs = 0, isInterrupted = false, ...result } = outcome;
    const attempt = { at, durationMs: Math.round(performance.now() - began), ...result };
    return ({ nextAt: _, ...before }) => {
      const attempts = [...before.attempts, attempt];
      const ignored = (before.retriedAfter ?? 0) + (isInterrupted ? 1 : 0);
      const run = ignored > 0 ? { ...before, retriedAfter: ignored } : before;
      if (isDone) return { ...run, attempts, state: 'succeeded' };
      const counted = attempts.length - ignored;
      if (!canRetry || counted >= expert.max_attempts) return { ...run, attempts, state: 'failed' };
      const waitMs = Math.max(backoffMs(Math.max(counted, 1), backoffBaseMs), afterMs);
      return { ...run, attempts, nextAt: Math.ceil(clock.now() + waitMs) };
    };
  }

  #outcome(number: number, event: Payload, trigger: string, expert: WorkingExpert): Promise<AttemptOutcome> {
    const { journal, definitions, dispatcher, windows } = this.#options;
    const { signal } = this.#stop;
    if (expert.type === 'forward') {
      const secrets = definitions.forwardSecrets(expert);
      return forward(event, trigger, expert, { secrets, dispatcher, signal });
    }
    const id = journal.summary(number)?.webhook ?? '';
    const task = { event, webhook: definitions.webhookById(id)?.name ?? id, trigger };
    return expert.type === 'editor' ? windows.run(task, expert, signal) : runCommand(task, expert, signal);
  }

  /** Repeats {@link #change} until it succeeds: a full disk must not cause a finished run to repeat. */
  async #record(number: number, change: (state: EventState) => EventState): Promise<EventState> {
    const { signal } = this.#stop;
    for (let failures = 1; ; failures++) {
      try {
        return await this.#change(number, change);
      } catch (error) {
        signal.throwIfAborted();
        this.#complain(number, error);
      }
      await sleep(Math.min(backoffMs(failures, this.#options.backoffBaseMs), LONGEST_WRITE_WAIT_MS), signal);
    }
  }

  /** Fails a run whose expert was deleted by force. */
  #gone(run: Run): Run {
    return failedRun(run, { at: this.#options.clock.now(), durationMs: 0, error: 'there is no such expert' });
  }

  #change(number: number, change: (state: EventState) => EventState): Promise<EventState> {
    const { journal } = this.#options;
    const before = this.#changes.get(number) ?? Promise.resolve();
    const done = before
      .catch(() => undefined)
      .then(async () => {
        const state = change(this.#fresh.get(number)?.state ?? (await journal.state(number)));
        await journal.setState(number, state);
        this.#keep(number, state);
        this.#lastProblem = '';
        return state;
      });
    this.#changes.set(number, done);
    const forget = (): void => {
      if (this.#changes.get(number) === done) this.#changes.delete(number);
    };
    done.then(forget, forget);
    return done;
  }

  #track(work: Promise<void>): void {
    this.#work.add(work);
    const forget = (): void => void this.#work.delete(work);
    work.then(forget, forget);
  }

  #later(): number {
    return this.#options.clock.now() + backoffMs(4, this.#options.backoffBaseMs);
  }

  /** Retries an event after a failed write; a damaged event fails for good. */
  #failed(event: number, error: unknown, again = () => this.#retryEvent(event)): void {
    if (this.#stop.signal.aborted) return;
    const isDamaged = error instanceof SextantError && error.code === 'JournalDamaged';
    this.#complain(event, error);
    if (isDamaged) this.#giveUp(event, describeError(error));
    else again();
  }

  #complain(event: number, error: unknown): void {
    const problem = describeError(error);
    if (problem !== this.#lastProblem) this.#options.logger.error(`Event ${event} cannot be worked on: ${problem}`);
    this.#lastProblem = problem;
  }

  /** Marks an event as failed, so that retention can drop it. */
  #giveUp(event: number, error: string): void {
    const attempt = { at: this.#options.clock.now(), durationMs: 0, error };
    const done = this.#change(event, (state) => ({
      ...state,
      status: 'failed',
      runs: state.runs.map((run) => (run.state === 'waiting' ? failedRun(run, attempt) : run)),
    }));
    this.#track(done.then(() => this.#forget(event)).catch((failure: unknown) => this.#failed(event, failure)));
  }

  #retryEvent(event: number): void {
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        this.add(event);
      },
      backoffMs(4, this.#options.backoffBaseMs),
    );
    this.#timers.add(timer);
  }
}

function keyOf({ event, trigger }: RunTask): string {
  return `${event} ${trigger}`;
}

function failedRun({ nextAt: _, ...run }: Run, attempt: Attempt): Run {
  return { ...run, state: 'failed', attempts: [...run.attempts, attempt] };
}
