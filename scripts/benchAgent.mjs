// npm run bench:agent
// 60 tasks "find what is needed for this change", made by rule from packages of the lockfile (test/bench/agent.ts): a loop of grep
// and reads beside Sextant's tools, by the share of the needed lines that each has read within 2,000 and 8,000 tokens.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDependencies } from './lib/dependencies.mjs';
import { bringSources } from './lib/packages.mjs';
import { say, sinceStart } from './lib/say.mjs';
import { report } from './lib/report.mjs';

/** Packages to which no weight of the ranking was fitted; on the held-out ones the answers were not shaped either. */
const PACKAGES = /** @type {const} */ ([
  ['ajv', 'shaped'],
  ['commander', 'held out'],
  ['preact', 'shaped'],
  ['semver', 'held out'],
  ['fast-uri', 'shaped'],
  ['@azure/msal-node', 'held out'],
  ['@redocly/openapi-core', 'shaped'],
]);
const TASKS = 60;
/** Most tasks of one package. */
const EACH = 9;
const BUDGETS = /** @type {const} */ ([2000, 8000]);

await ensureDependencies();
const { recallOf, runAgents, tasksOf } = await import('../test/bench/agent.ts');
const { mean, percentile } = await import('../test/bench/metric.ts');

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sextant-bench-packages-')));
/** @type {(Awaited<ReturnType<typeof runAgents>>[number] & { set: string })[]} */
const runs = [];
try {
  for (const [name, set] of PACKAGES) {
    bringSources('lockfile', name, '', join(folder, name), folder);
    const { files, tasks } = tasksOf(name, join(folder, name), Math.min(EACH, TASKS - runs.length / BUDGETS.length));
    say(`${name}: ${files.length} files, ${tasks.length} tasks`);
    runs.push(...(await runAgents(files, tasks, BUDGETS)).map((run) => ({ ...run, set })));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const rows = [
  ['packages', 'tasks', 'tokens', 'agent', 'recall of needed lines', 'tokens read', 'calls', 'ms: p50', 'p95'],
];
for (const set of ['shaped', 'held out', 'all'])
  for (const budget of BUDGETS) {
    const own = runs.filter((run) => run.budget === budget && (set === 'all' || run.set === set));
    for (const agent of /** @type {const} */ (['grep', 'ours'])) {
      const ms = own.map((run) => run[agent].ms);
      rows.push([
        set,
        String(own.length),
        String(budget),
        agent === 'ours' ? 'Sextant' : 'grep and read',
        recall(own, agent).toFixed(3),
        (mean(own.map((run) => run[agent].characters)) / 4).toFixed(0),
        mean(own.map((run) => run[agent].calls)).toFixed(1),
        percentile(ms, 50).toFixed(0),
        percentile(ms, 95).toFixed(0),
      ]);
    }
  }
report('agent', rows);
for (const set of ['shaped', 'held out', 'all']) {
  const of = (/** @type {number} */ budget) =>
    runs.filter((run) => run.budget === budget && (set === 'all' || run.set === set));
  const times = recall(of(BUDGETS[0]), 'ours') / recall(of(BUDGETS[1]), 'grep');
  say(`${set}: ${times.toFixed(2)} times the needed lines with a quarter of the tokens.`);
}
say(`Done (${sinceStart()}).`);

/**
 * @param {typeof runs} of
 * @param {'grep' | 'ours'} agent
 */
function recall(of, agent) {
  return mean(of.map((run) => recallOf(run.task, run[agent])));
}
