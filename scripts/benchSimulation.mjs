// npm run bench:simulation [-- --queries N]
// The simulated organization without HTTP: the time of a first page at random parameters, on a source that has answered
// only its directory before; the growth of the time with users and days; and its memory.
import { parseArgs } from 'node:util';
import { pinnedNode } from './lib/dependencies.mjs';
import { fail } from './lib/say.mjs';
import { report } from './lib/report.mjs';
import { spawnSync } from 'node:child_process';

// The script runs the TypeScript sources, which needs the pinned Node.
if (!process.features.typescript) {
  process.exit(spawnSync(pinnedNode(), [...process.argv.slice(1)], { stdio: 'inherit' }).status ?? 1);
}

const { values } = parseArgs({ options: { queries: { type: 'string', default: '100' } } });
const queries = Number(values.queries);
if (!(queries > 0)) fail('Usage: npm run bench:simulation [-- --queries N]');
const { Simulation } = await import('../src/server/analytics/simulation/simulation.ts');
const { EXPERTS, PRODUCTS } = await import('../src/server/analytics/simulation/vocabulary.ts');

const NOW = Date.UTC(2026, 10, 21, 12);
const YESTERDAY = Math.floor(NOW / 86_400_000) - 1;
/** @param {number} limit */
const integer = (limit) => Math.floor(Math.random() * limit);
const flag = () => Math.random() < 0.5;

/** @typedef {{ first: number, last: number }} Range */
/** @typedef {InstanceType<typeof Simulation>} Source */

/**
 * @param {Iterable<unknown>} rows
 * @param {number} size
 */
function page(rows, size) {
  let count = 0;
  for (const _ of rows) if (++count > size) break;
}

const NOTHING = { byDay: false, byProduct: false, byResource: false, byUser: false, byByok: false, byExpert: false };
const grouping = () => ({
  ...{ byDay: flag(), byProduct: flag(), byResource: flag() },
  ...{ byUser: flag(), byByok: flag(), byExpert: flag() },
});

/** @param {string[]} names */
const oneOf = (names) => new Set([names[integer(names.length)] ?? '']);
const filters = () => ({
  ...(flag() && { products: oneOf([...PRODUCTS, 'none']) }),
  ...(flag() && { resources: oneOf(['cedar-9', 'willow-10', 'sequoia-3', 'Environment, 4 cores', 'none']) }),
  ...(flag() && { experts: oneOf([...EXPERTS.map(({ id }) => id), 'none']) }),
});

/** @type {Record<string, (facts: Source, range: Range) => void>} */
const QUERIES = {
  'dau-count': (facts, range) => void facts.activeCounts(range),
  dau: (facts, { last }) => page(facts.activeAccounts(last), 250),
  'daily-usage': (facts, range) => void facts.usage(range),
  'user-activity': (facts, range) => page(facts.activity(range), 100),
  'by-editor-language': (facts, { last }) => page(facts.editorLanguages(last), 100),
  'credit-usage-by-user': (facts, range) => page(facts.credits(range, { date: flag(), model: flag() }), 500),
  'cost-analytics': (facts, range) => page(facts.cost(range, grouping(), {}), 1000),
  // Rare facts are searched in all accounts and days.
  'cost-analytics, filtered': (facts, range) => page(facts.cost(range, grouping(), filters()), 1000),
};

/**
 * @param {number} users
 * @returns {Source}
 */
function simulate(users) {
  const facts = new Simulation({ seed: 1, users, plan: 'credits' }, { now: () => NOW });
  facts.activeCounts({ first: YESTERDAY, last: YESTERDAY });
  return facts;
}

/**
 * @param {number[]} times
 * @param {number} share
 */
function quantile(times, share) {
  const sorted = times.toSorted((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
}

/** Processor time of this process, in milliseconds. */
function cpuTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** @param {() => void} work */
function time(work) {
  const began = performance.now();
  work();
  return performance.now() - began;
}

const began = performance.now();
const large = simulate(10_000);
console.log(`10,000 users: ready in ${(performance.now() - began).toFixed(0)} ms`);
// On a busy machine the clock includes other processes; the processor time does not.
const rows = [['first page, 10,000 users', 'p50 ms', 'p95 ms', 'max ms', 'p95 CPU ms']];
for (const [name, query] of Object.entries(QUERIES)) {
  const cpu = /** @type {number[]} */ ([]);
  let before = cpuTime();
  const times = Array.from({ length: queries }, () => {
    const first = YESTERDAY - integer(730);
    const wall = time(() => query(large, { first, last: Math.min(YESTERDAY, first + integer(90)) }));
    const now = cpuTime();
    cpu.push(now - before);
    before = now;
    return wall;
  });
  rows.push([name, quantile(times, 0.5), quantile(times, 0.95), quantile(times, 1), quantile(cpu, 0.95)]);
}
report('simulation', rows);
console.log(`memory of the process: ${(process.memoryUsage.rss() / 1e6).toFixed(0)} MB\n`);

const DAYS = [10, 30, 90];
const REPEATS = 10;
const growth = [['costs of all, CPU ms', ...DAYS.map((days) => `${days} days`)]];
for (const users of [1_000, 3_000, 10_000]) {
  const facts = simulate(users);
  const times = DAYS.map((days) => {
    const range = { first: YESTERDAY - days + 1, last: YESTERDAY };
    page(facts.cost(range, NOTHING, {}), 1);
    const before = cpuTime();
    for (let i = 0; i < REPEATS; i++) page(facts.cost(range, NOTHING, {}), 1);
    return ((cpuTime() - before) / REPEATS).toFixed(1);
  });
  growth.push([`${users} users`, ...times]);
}
report('simulation/growth', growth);
