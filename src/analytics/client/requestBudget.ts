import { join } from 'node:path';
import { abortable } from '../../base/abortable.ts';
import { systemClock, type Clock } from '../../base/clock.ts';
import { describeError, explainWriteError, systemCode, throwIfCancelled } from '../../base/errors.ts';
import { parseObject } from '../../base/json.ts';
import { silentLogger, type Logger } from '../../base/log.ts';
import { NumberedFiles } from '../../base/numberedFiles.ts';
import { sleep as realSleep, type Sleep } from '../../base/sleep.ts';
import { RATE_LIMITS, type RateGroup, type RateLimit } from '../contract.ts';

export interface BudgetDependencies {
  readonly clock?: Clock;
  readonly sleep?: Sleep;
  readonly logger?: Logger;
}

/** The newest entry of a group. */
interface Entry {
  /** When the service's bucket is full again without further requests, in milliseconds since 1970. */
  readonly fullAt: number;
  /** The service wants no requests before this time. */
  readonly blockedUntil: number;
}

const NOTHING: Entry = { fullAt: 0, blockedUntil: 0 };
/** Time by which a slow request may be late, and so arrive together with later ones. */
const SPARE_MS = 2_000;
/** Share of a burst that is reserved for foreground requests. */
const FOREGROUND_SHARE = 0.25;
/** Longest wait that a service demands; a longer one comes from a clock that was set back. */
const LONGEST_BLOCK_MS = 15 * 60_000;

/**
 * Decides when a request may be sent, so that the service refuses none. All processes that use one token count
 * together, in files.
 *
 * The budget runs the service's own bucket ahead of it ("generic cell rate algorithm", ITU-T I.371). Each request
 * defers the moment at which the bucket is full again, and may be sent while that is at most a burst away. Less a
 * margin, because a slow request arrives together with later ones.
 *
 * A request is entered when it may be sent and not before. So a cancelled wait costs nothing, and a killed process
 * costs one request at most.
 */
export class RequestBudget {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #sleep: Sleep;
  readonly #logger: Logger;
  readonly #files = new Map<RateGroup, NumberedFiles>();
  /** Entries that the disk did not take, and the number of the file that each one follows. */
  readonly #own = new Map<RateGroup, { readonly number: number; readonly entry: Entry }>();
  readonly #turns = new Map<string, Promise<void>>();

  /** `folder` belongs to one account. */
  constructor(
    folder: string,
    { clock = systemClock, sleep = realSleep, logger = silentLogger }: BudgetDependencies = {},
  ) {
    this.#folder = folder;
    this.#clock = clock;
    this.#sleep = sleep;
    this.#logger = logger;
  }

  /**
   * Resolves when a request of the group may be sent, and counts it. Background requests leave a part of each burst to
   * others. `onPause` receives the end of a pause that the service demands. Throws `Cancelled`.
   */
  take(group: RateGroup, isBackground = false, signal?: AbortSignal, onPause?: (until: number) => void): Promise<void> {
    const queue = `${group} ${isBackground}`;
    // One request of a queue checks the ledger at a time, so that they are served in order.
    const turn = (this.#turns.get(queue) ?? Promise.resolve()).then(() =>
      this.#wait(group, isBackground, signal, onPause),
    );
    this.#turns.set(
      queue,
      turn.catch(() => undefined),
    );
    return abortable(turn, signal);
  }

  async #wait(
    group: RateGroup,
    isBackground: boolean,
    signal: AbortSignal | undefined,
    onPause: ((until: number) => void) | undefined,
  ): Promise<void> {
    for (;;) {
      throwIfCancelled(signal);
      const { waitMs, blockedUntil } = this.#tryTake(group, isBackground);
      if (waitMs === 0) return;
      if (blockedUntil > this.#clock.now()) onPause?.(blockedUntil);
      await this.#sleep(waitMs, signal);
    }
  }

  /**
   * Records that the service refused a request, and wants none for `ms`: no process sends one until then, and then not
   * many at once.
   */
  block(group: RateGroup, ms: number): void {
    const until = this.#clock.now() + Math.min(ms, LONGEST_BLOCK_MS);
    this.#update(group, ({ fullAt, blockedUntil }) => ({
      fullAt: Math.max(fullAt, until + burstMs(RATE_LIMITS[group])),
      blockedUntil: Math.max(blockedUntil, until),
    }));
  }

  /** The time to wait, or 0 if the request is counted; and the end of a pause that the service demands. */
  #tryTake(group: RateGroup, isBackground: boolean): { readonly waitMs: number; readonly blockedUntil: number } {
    const limit = RATE_LIMITS[group];
    let waitMs = 0;
    let blockedUntil = 0;
    this.#update(group, (entry) => {
      const now = this.#clock.now();
      const known = isOfLaterClock(entry, now, limit) ? fullLater(now, limit) : entry;
      const { fullAt } = known;
      ({ blockedUntil } = known);
      const sendAt = Math.max(blockedUntil, fullAt - burstMs(limit) * (isBackground ? 1 - FOREGROUND_SHARE : 1));
      waitMs = Math.max(0, Math.ceil(sendAt - now));
      return waitMs > 0 ? undefined : { fullAt: Math.max(fullAt, now) + intervalMs(limit), blockedUntil };
    });
    return { waitMs, blockedUntil };
  }

  /** Repeats until no other process was faster. */
  #update(group: RateGroup, change: (entry: Entry) => Entry | undefined): void {
    const files = this.#filesOf(group);
    for (;;) {
      const own = this.#own.get(group) ?? { number: 0, entry: NOTHING };
      let known = own;
      try {
        const { number, text } = files.newest();
        const entry = text === undefined ? NOTHING : readEntry(text);
        known = { number, entry: number === own.number ? own.entry : latest(entry, own.entry) };
        const next = change(known.entry);
        if (next && !files.add(number + 1, JSON.stringify(next))) continue;
        if (next) this.#own.delete(group);
      } catch (error) {
        if (systemCode(error) === undefined) throw error;
        // A disk that cannot be written prevents no request: until it can, this process counts for itself.
        const next = change(known.entry);
        if (!next) return;
        const explained = describeError(explainWriteError(error, this.#folder));
        if (this.#own.size === 0) this.#logger.warn(`Requests are counted for this process only: ${explained}`);
        this.#own.set(group, { ...known, entry: next });
      }
      return;
    }
  }

  #filesOf(group: RateGroup): NumberedFiles {
    const known = this.#files.get(group);
    if (known) return known;
    const made = new NumberedFiles(join(this.#folder, group));
    this.#files.set(group, made);
    return made;
  }
}

function intervalMs({ perMinute }: RateLimit): number {
  return 60_000 / perMinute;
}

/** The largest distance of "full again" at which another request may be sent. */
function burstMs(limit: RateLimit): number {
  return Math.max(0, (limit.burst - 1) * intervalMs(limit) - SPARE_MS);
}

function isOfLaterClock({ fullAt, blockedUntil }: Entry, now: number, limit: RateLimit): boolean {
  const most = LONGEST_BLOCK_MS + burstMs(limit) + intervalMs(limit);
  return fullAt - now > most || blockedUntil - now > LONGEST_BLOCK_MS;
}

/** Assumes a full burst was used if the usage is unknown. */
function fullLater(now: number, limit: RateLimit): Entry {
  return { fullAt: now + burstMs(limit), blockedUntil: 0 };
}

function latest(a: Entry, b: Entry): Entry {
  return { fullAt: Math.max(a.fullAt, b.fullAt), blockedUntil: Math.max(a.blockedUntil, b.blockedUntil) };
}

/** A damaged entry, for instance after a power cut, is too old to matter. */
function readEntry(text: string): Entry {
  const { fullAt, blockedUntil } = parseObject(text) ?? {};
  return { fullAt: Number(fullAt) || 0, blockedUntil: Number(blockedUntil) || 0 };
}
