// Runs inside the extension host in place of tests, and measures the editor's delays while a folder is indexed.
import { readFileSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import * as vscode from 'vscode';
import type { SextantApi } from '../../src/extension/app.ts';

const QUERIES = ['page fault handler', 'tcp congestion control', 'read a file', 'handle_mm_fault', 'memory allocation'];

export async function run(): Promise<void> {
  const began = performance.now();
  const extension = vscode.extensions.getExtension<SextantApi>('sextant.sextant-code');
  if (!extension) throw new Error('The extension is not there.');
  // Resolution 1 ms: it reports the time between two turns of the loop, which is 1 ms without delays.
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const api = await extension.activate();
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

  const queries = [];
  for (const query of QUERIES) {
    await api.search(query, 20);
    const { results, tookMs } = await api.search(query, 20);
    queries.push({ query, tookMs, first: results.slice(0, 5).map(({ path, line }) => `${path}:${line}`) });
  }
  const milliseconds = (nanoseconds: number): number => Math.round(nanoseconds / 1e5) / 10;
  const [status] = await api.status();
  const result = {
    vscode: vscode.version,
    node: process.version,
    files: status?.files,
    indexMB: Math.round((status?.indexBytes ?? 0) / 1e6),
    firstResultSeconds: firstResultMs === undefined ? undefined : Math.round(firstResultMs / 100) / 10,
    indexedSeconds: Math.round(indexedMs / 100) / 10,
    eventLoopDelayMs: {
      p50: milliseconds(delay.percentile(50)),
      p99: milliseconds(delay.percentile(99)),
      'p99.9': milliseconds(delay.percentile(99.9)),
      max: milliseconds(delay.max),
    },
    extensionHostPeakMB: peakMegabytes(),
    queries,
  };
  writeFileSync(process.env.SEXTANT_BENCH_RESULT ?? '/dev/stdout', JSON.stringify(result, null, 2));
}

function peakMegabytes(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1000);
}
