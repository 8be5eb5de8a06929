import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { FailingDisk } from '../../../test/fault/failingDisk.ts';
import { killed, spawnUntil } from '../../../test/support/processes.ts';
import { runs } from '../../../test/support/runs.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { AdjustableClock } from '../../base/clock.ts';
import type { Sleep } from '../../base/sleep.ts';
import { RateLimiter } from '../../server/auth/rateLimiter.ts';
import { SextantServer } from '../../server/server.ts';
import { RATE_LIMITS, type RateGroup } from '../contract.ts';
import { RequestBudget } from './requestBudget.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const GROUPS = Object.keys(RATE_LIMITS) as RateGroup[];

describe('the budget of requests', () => {
  const newFolder = temporaryFolder();
  let folder: string;
  let clock: AdjustableClock;
  beforeEach(() => {
    folder = newFolder();
    clock = new AdjustableClock();
    clock.freeze();
    clock.set(NOON);
  });

  /** Sleep that advances the clock. */
  const sleep: Sleep = async (ms) => {
    await Promise.resolve();
    clock.advance(ms);
  };
  const budget = (): RequestBudget => new RequestBudget(folder, { clock, sleep });

  it('causes no refusal for any sequence of requests, and uses at least 95 % of the limit', async () => {
    for (const group of GROUPS) {
      const limiter = new RateLimiter(clock);
      const windows = [budget(), budget(), budget()];
      const began = clock.now();
      let sent = 0;
      for (; clock.now() - began < 20 * 60_000; sent++) {
        await windows[sent % 3]!.take(group, sent % 2 === 0);
        limiter.admit('caller', group, RATE_LIMITS[group]);
      }
      const { burst, perMinute } = RATE_LIMITS[group];
      const allowed = burst + ((clock.now() - began) * perMinute) / 60_000;
      assert.ok(sent >= 0.95 * allowed, `${group}: ${sent} of ${allowed}`);
    }
  });

  it('causes no refusal after pauses of any length, when requests arrive late', async () => {
    const step = fc.record({ pause: fc.nat(40_000), many: fc.integer({ min: 1, max: 30 }), late: fc.nat(1500) });
    const group = fc.constantFrom(...GROUPS);
    await fc.assert(
      fc.asyncProperty(group, fc.array(step, { maxLength: 12 }), async (group, steps) => {
        const own = new RequestBudget(newFolder(), { clock, sleep });
        const limiter = new RateLimiter(clock);
        for (const { pause, many, late } of steps) {
          clock.advance(pause);
          for (let i = 0; i < many; i++) {
            await own.take(group);
            // The current request delays the others of its window.
            if (i === 0) clock.advance(late);
            limiter.admit('caller', group, RATE_LIMITS[group]);
          }
        }
      }),
      { numRuns: runs(50) },
    );
  });

  it('leaves a part of a burst to foreground requests, and serves each queue in turn', async () => {
    const own = budget();
    let background = 0;
    while (clock.now() === NOON) {
      await own.take('analytics', true);
      background++;
    }
    clock.set(NOON);
    let foreground = 0;
    while (clock.now() === NOON) {
      await own.take('analytics');
      foreground++;
    }
    assert.ok(background > 10 && foreground >= 4, `${background}, ${foreground}`);
    const order: number[] = [];
    await Promise.all([1, 2, 3, 4].map(async (i) => own.take('analytics').then(() => order.push(i))));
    assert.deepEqual(order, [1, 2, 3, 4]);
  });

  it('holds back all requests for as long as the service demands', async () => {
    const [one, other] = [budget(), budget()];
    one.block('analytics', 10_000);
    await other.take('analytics');
    assert.ok(clock.now() >= NOON + 10_000);
    await other.take('cost-analytics');
    assert.equal(clock.now(), NOON + 10_000, 'other groups are free');
  });

  it('counts nothing for a cancelled wait', async () => {
    const real = new RequestBudget(folder, { clock });
    for (let i = 0; i < 9; i++) await real.take('cost-analytics');
    const giveUp = new AbortController();
    const waiting = [
      real.take('cost-analytics', false, giveUp.signal),
      real.take('cost-analytics', false, giveUp.signal),
    ];
    const before = readdirSync(join(folder, 'cost-analytics')).length;
    giveUp.abort();
    for (const one of waiting) await assert.rejects(one, { code: 'Cancelled' });
    clock.advance(2_000);
    await real.take('cost-analytics');
    assert.equal(readdirSync(join(folder, 'cost-analytics')).length, before + 1);
  });

  it('does not wait for hours after the clock was set back, and survives damaged files', async () => {
    const own = budget();
    for (let i = 0; i < 30; i++) await own.take('analytics');
    clock.set(NOON - 24 * 3_600_000);
    const now = clock.now();
    await own.take('analytics');
    assert.ok(clock.now() - now <= 1000, 'as if all of the burst were used');

    const files = join(folder, 'analytics');
    const newest = Math.max(...readdirSync(files).map(Number));
    for (const [i, text] of ['', '{"fullAt":"x"}', 'null', '\0\0\0'].entries()) {
      writeFileSync(join(files, String(newest + 1 + i)), text);
      await own.take('analytics');
    }
    assert.ok(readdirSync(files).length < 50, 'old entries are cleared away');
  });

  it('counts for this process alone if the folder cannot be written', async () => {
    mkdirSync(join(folder, 'state'));
    const file = join(folder, 'state', 'taken');
    writeFileSync(file, '');
    const warnings: string[] = [];
    const logger = { debug: nothing, info: nothing, error: nothing, warn: (text: string) => void warnings.push(text) };
    const own = new RequestBudget(file, { clock, sleep, logger });
    for (let i = 0; i < 30; i++) await own.take('analytics');
    assert.ok(clock.now() - NOON >= 11_000);
    assert.equal(warnings.length, 1);
  });

  it('continues from the shared count on a full disk, and is shared again when there is space', async () => {
    const warnings: string[] = [];
    const logger = { debug: nothing, info: nothing, error: nothing, warn: (text: string) => void warnings.push(text) };
    const own = new RequestBudget(folder, { clock, sleep, logger });
    for (let i = 0; i < 18; i++) await budget().take('analytics');
    assert.equal(clock.now(), NOON, 'a burst');
    const disk = await FailingDisk.below(folder);
    try {
      disk.failAt(1, 'stays');
      for (let i = 1; i <= 3; i++) {
        await own.take('analytics');
        assert.equal(clock.now(), NOON + i * 1_000);
      }
      assert.match(warnings.join('\n'), /^Requests are counted for this process only: There is no space left [^\n]*$/);
      disk.heal();
      await own.take('analytics');
      await budget().take('analytics');
      assert.equal(clock.now(), NOON + 5_000);
    } finally {
      disk.restore();
    }
  });

  it('is shared by processes: a server in front of them refuses none, and is kept busy', async () => {
    // Five times as fast as real time.
    const SPEED = 5;
    const base = Date.now();
    const fast = { now: () => base + (Date.now() - base) * SPEED };
    const server = await SextantServer.start({ token: 'reader' }, { clock: fast });
    const code = `
      import { RequestBudget } from './src/analytics/client/requestBudget.ts';
      import { AnalyticsClient } from './src/analytics/client/analyticsClient.ts';
      const [folder, url, base] = process.argv.slice(-3);
      const clock = { now: () => Number(base) + (Date.now() - Number(base)) * ${SPEED} };
      const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms / ${SPEED}));
      const edges = { clock, sleep };
      const client = new AnalyticsClient({ url, token: 'reader' }, new RequestBudget(folder, edges), edges);
      // What takes long once is not on the way of a request.
      await import('./src/base/undici.ts');
      console.log('ready');
      for (;;) await client.call('dauCount', {});`;
    const start = (): ReturnType<typeof spawnUntil> => spawnUntil('ready', code, [folder, server.url, String(base)]);
    const children = await Promise.all([start(), start(), start()]);
    const answered = (): { at: number; status: number }[] =>
      server.requestLog.latest(1000).map(({ at, status }) => ({ at: Date.parse(at), status }));
    const exits = children.map(({ child }) => once(child, 'exit'));
    try {
      while (answered().length < 40) await new Promise((resolve) => setTimeout(resolve, 20));
      // One process is killed in the middle of its work, and the others continue.
      await killed(children[0].child);
      while (answered().length < 70) await new Promise((resolve) => setTimeout(resolve, 20));
    } finally {
      for (const { child } of children) child.kill('SIGKILL');
      await Promise.all(exits);
      await server.close();
    }
    const all = answered();
    assert.deepEqual([...new Set(all.map(({ status }) => status))], [200]);
    const seconds = (all[0]!.at - all.at(-1)!.at) / 1000;
    const allowed = RATE_LIMITS.analytics.burst + (seconds * RATE_LIMITS.analytics.perMinute) / 60;
    // Four processes on a slow machine may not reach the limit: this only shows that nothing stalls.
    assert.ok(all.length >= 0.5 * allowed, `${all.length} of ${allowed}`);
  });
});

function nothing(): void {
  // Not checked here.
}
