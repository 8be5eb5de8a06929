// npm run bench:insights [-- --organizations N]
// Backtests of the judgements about spending on simulated organizations. Unusual spending: events are planted in the figures,
// and alarms are compared with them. Month-end: twelve months are forecast on four days of each, from what was known then.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { pinnedNode } from './lib/dependencies.mjs';
import { fail } from './lib/say.mjs';
import { report } from './lib/report.mjs';

// The script runs the TypeScript sources, which needs the pinned Node.
if (!process.features.typescript) {
  process.exit(spawnSync(pinnedNode(), [...process.argv.slice(1)], { stdio: 'inherit' }).status ?? 1);
}

const { values } = parseArgs({ options: { organizations: { type: 'string', default: '10' } } });
const organizations = Number(values.organizations);
if (!(organizations > 0)) fail('Usage: npm run bench:insights [-- --organizations N]');
const { backtestForecast, backtestUnusual } = await import('../test/bench/insights.ts');

const percent = (/** @type {number} */ share) => `${(share * 100).toFixed(1)} %`;

console.log(`Unusual spending, ${organizations} organizations each:\n`);
const found = [50, 300].map((users) => ({ users, ...backtestUnusual(users, organizations) }));
report('insights/unusual', [
  ['people', 'planted', 'found', 'alarms', 'right', 'recall', 'precision', 'alarms in calm weeks'],
  ...found.map(({ users, planted, recalled, alarms, right, calmWeeks, calmAlarms }) => [
    String(users),
    ...[planted, recalled, alarms, right].map(String),
    percent(recalled / planted),
    percent(right / alarms),
    `${calmAlarms} in ${calmWeeks}`,
  ]),
]);
console.log(
  `\nMonth-end, twelve months of ${organizations} organizations each; the error is that of the whole month:\n`,
);
const rows = [50, 300].flatMap((users) =>
  backtestForecast(users, organizations).map(({ day, mean, median, within, line, held, width }) => [
    String(users),
    String(day),
    ...[mean, median, within, line, held, width].map(percent),
  ]),
);
report('insights/month', [
  ['people', 'day', 'mean error', 'median', 'within 6 %', 'straight line', 'band holds', 'band, ±'],
  ...rows,
]);
