// The part of `npm run bench:budget` in its own process: see scripts/benchBudget.mjs.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { report } from '../../scripts/lib/report.mjs';
import { silentLogger } from '../../src/base/log.ts';
import { WorkspaceClient } from '../../src/workspace/client.ts';
import { DEFAULT_BUDGET } from '../../src/workspace/governor.ts';
import type { FolderOptions } from '../../src/workspace/folderOptions.ts';
import type { FolderStatus } from '../../src/workspace/status.ts';

const [root = '.', threads = '.'] = process.argv.slice(2);
const BUDGETS = [100, 75, 50, 25];
const ROUNDS = 3;
/** A job like the answer of a language server to a key: some milliseconds of computation, several times a second. */
const JOB_STEPS = 4_000_000;
const JOB_PAUSE_MS = 40;

let sink = 0;

function job(): number {
  const began = performance.now();
  for (let i = 0; i < JOB_STEPS; i++) sink = (Math.imul(sink, 31) + i) | 0;
  return performance.now() - began;
}

/** Durations of the job in milliseconds, repeated until `end` resolves, but at least for two seconds. */
async function jobsUntil(end: Promise<unknown>): Promise<number[]> {
  const durations: number[] = [];
  const state = { isOver: false };
  void Promise.all([end, setTimeout(2_000)]).then(() => (state.isOver = true));
  while (!state.isOver) {
    durations.push(job());
    await setTimeout(JOB_PAUSE_MS);
  }
  return durations;
}

interface Indexing {
  readonly seconds: number;
  readonly durations: readonly number[];
}

/** Indexes the folder with a budget in the extension's own threads, beside the job. */
async function index(cpuPercent: number): Promise<Indexing> {
  const stateFolder = mkdtempSync(join(tmpdir(), 'sextant-bench-'));
  let onReady: (() => void) | undefined;
  const ready = new Promise<void>((resolve) => (onReady = resolve));
  const client = new WorkspaceClient({
    indexProcess: new URL(`file://${join(threads, 'indexProcess.js')}`),
    searchThread: new URL(`file://${join(threads, 'searchThread.js')}`),
    logger: silentLogger,
    onStatus: ({ state }: FolderStatus) => state.kind === 'ready' && onReady?.(),
    onUnwatched: () => undefined,
  });
  try {
    const budget = { ...DEFAULT_BUDGET, cpuPercent };
    const options: FolderOptions = { root, stateFolder, exclude: [], maxFileBytes: 1_048_576, budget };
    const began = performance.now();
    client.open(options);
    const durations = await jobsUntil(ready);
    return { seconds: (performance.now() - began) / 1000, durations };
  } finally {
    await client.dispose();
    rmSync(stateFolder, { recursive: true, force: true });
  }
}

const quantile = (values: readonly number[], q: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(q * (values.length - 1))] ?? 0;
const median = (values: readonly number[]): number => quantile(values, 0.5);

// Compiles the job, and reads the files into the system's memory.
for (let i = 0; i < 50; i++) job();
await index(100);
const idle: number[] = [];
const runs = new Map<number, Indexing[]>(BUDGETS.map((budget) => [budget, []]));
// Budgets alternate, since other programs change the speed of the machine.
for (let round = 0; round < ROUNDS; round++) {
  idle.push(...(await jobsUntil(Promise.resolve())));
  for (const budget of BUDGETS) runs.get(budget)!.push(await index(budget));
}
const row = (name: string, seconds: string, durations: readonly number[]): string[] => [
  name,
  seconds,
  ...[0.5, 0.95].map((q) => `${quantile(durations, q).toFixed(0)} ms`),
  (median(durations) / median(idle)).toFixed(2),
];
report('budget', [
  ['`cpuBudget`', 'indexed in', 'another job: p50', 'p95', 'times the usual'],
  row('nothing is indexed', '–', idle),
  ...[...runs].map(([budget, all]) =>
    row(
      `${budget} %`,
      `${median(all.map((one) => one.seconds)).toFixed(1)} s`,
      all.flatMap((one) => one.durations),
    ),
  ),
]);
