// Runs inside the extension host in place of tests, and measures the editor's delays while a folder is indexed.
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { SextantApi } from '../../src/extension/app.ts';
import { childOf, memoryMB } from './memory.ts';

const QUERIES = ['page fault handler', 'tcp congestion control', 'read a file', 'handle_mm_fault', 'memory allocation'];

export interface EditorFigures {
  readonly vscode: string;
  readonly files: number | undefined;
  readonly indexMB: number;
  readonly activationMs: number;
  readonly firstResultSeconds: number | undefined;
  readonly indexedSeconds: number;
  readonly eventLoopDelayMs: Readonly<Record<'p50' | 'p99' | 'p99.9' | 'max', number>>;
  /** Resident memory of the extension host with its threads: before, at most, and when it has settled. Linux only. */
  readonly memoryMB: readonly (number | undefined)[];
  /** That of the process that indexes: at most, and when it has settled. */
  readonly indexingMB: readonly (number | undefined)[];
  readonly queries: readonly { readonly query: string; readonly tookMs: number; readonly first: readonly string[] }[];
}

/** After it, merges have ended, and memory was given back. */
const SETTLED_MS = 30_000;

export async function run(): Promise<void> {
  const before = memoryMB(process.pid, 'VmRSS');
  const began = performance.now();
  const extension = vscode.extensions.getExtension<SextantApi>('sextant.sextant-code');
  if (!extension) throw new Error('The extension is not there.');
  // Resolution 1 ms: it reports the time between two turns of the loop, which is 1 ms without delays.
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const api = await extension.activate();
  const activationMs = performance.now() - began;
  let firstResultMs: number | undefined;
  const watching = setInterval(() => {
    void api.search('memory', 1).then(({ results }) => {
      if (results.length > 0) firstResultMs ??= performance.now() - began;
    });
  }, 200);
  await api.indexed();
  const indexedMs = performance.now() - began;
  clearInterval(watching);
  delay.disable();
  const indexingPeak = memoryMB(indexingProcess(), 'VmHWM');

  const queries = [];
  for (const query of QUERIES) {
    await api.search(query, 20);
    const { results, tookMs } = await api.search(query, 20);
    queries.push({ query, tookMs, first: results.slice(0, 5).map(({ path, line }) => `${path}:${line}`) });
  }
  const milliseconds = (nanoseconds: number): number => Math.round(nanoseconds / 1e5) / 10;
  const [status] = await api.status();
  const peak = memoryMB(process.pid, 'VmHWM');
  await setTimeout(SETTLED_MS);
  const result: EditorFigures = {
    vscode: vscode.version,
    files: status?.files,
    indexMB: Math.round((status?.indexBytes ?? 0) / 1e6),
    activationMs: Math.round(activationMs),
    firstResultSeconds: firstResultMs === undefined ? undefined : Math.round(firstResultMs / 100) / 10,
    indexedSeconds: Math.round(indexedMs / 100) / 10,
    eventLoopDelayMs: {
      p50: milliseconds(delay.percentile(50)),
      p99: milliseconds(delay.percentile(99)),
      'p99.9': milliseconds(delay.percentile(99.9)),
      max: milliseconds(delay.max),
    },
    memoryMB: [before, peak, memoryMB(process.pid, 'VmRSS')],
    indexingMB: [indexingPeak, memoryMB(indexingProcess(), 'VmRSS')],
    queries,
  };
  writeFileSync(process.env.SEXTANT_BENCH_RESULT ?? '/dev/stdout', JSON.stringify(result, null, 2));
}

function indexingProcess(): number | undefined {
  return childOf(process.pid, 'indexProcess.js');
}
