// npm run soak             all fault tests and file tests at full size, and the stages of npm test that are shorter there: hours
// npm run fuzz -- SECONDS  1,000,000 requests and frames to the server, and injected damage to an index for that long
// Size of a run: SEXTANT_FAULT_KILLS (five times as many kills in all), SEXTANT_FAULT_PAUSES, SEXTANT_FAULT_EVERY (each
// n-th byte or write), SEXTANT_FUZZ_REQUESTS, SEXTANT_SOAK (random cases of each property, times those of a full run).
// SEXTANT_FAULT_SEED repeats a run that failed, as far as the moments of kills allow.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureDependencies, pinnedNode, root } from './lib/dependencies.mjs';
import { fail } from './lib/say.mjs';

const [what = '', seconds = '60'] = process.argv.slice(2);
if (!['all', 'fuzz'].includes(what) || !/^\d+$/.test(seconds)) fail('Usage: npm run soak, or npm run fuzz -- SECONDS');

await ensureDependencies();
const specs =
  what === 'fuzz'
    ? ['test/fault/fuzz.test.ts', 'test/fault/serverFuzz.test.ts']
    : ['test/{fault,workspace}/**/*.test.ts'];
const args = ['--no-config', ...specs.flatMap((spec) => ['--spec', spec]), '--timeout', '14400000'];
/** Stages of `npm test` that leave out random cases, repeated tests or nodes, and what they need. */
const STAGES = [
  'build',
  'package',
  'unit',
  'editor-vsix',
  'editor-oldest',
  'browser',
  'start',
  'oldest-node',
  'windows',
  'opensearch',
];
const outcomes = [run('node_modules/mocha/bin/mocha.js', args)];
if (what === 'all') outcomes.push(run('scripts/test.mjs', STAGES));
process.exitCode = outcomes.find((status) => status !== 0) ?? 0;

/**
 * @param {string} script
 * @param {string[]} args
 */
function run(script, args) {
  const { status } = spawnSync(pinnedNode(), [join(root, script), ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      SEXTANT_FAULT_KILLS: '200',
      SEXTANT_FAULT_PAUSES: '100',
      SEXTANT_FAULT_EVERY: '1',
      SEXTANT_FUZZ_REQUESTS: '1000000',
      SEXTANT_SOAK: '6',
      ...process.env,
      SEXTANT_FUZZ_SECONDS: seconds,
    },
  });
  return status ?? 1;
}
