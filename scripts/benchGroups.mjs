// npm run bench:groups
// Sums by 400 teams and the report of 10,000 simulated people, of whom a tenth moves: from the service, and from the cache.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { pinnedNode } from './lib/dependencies.mjs';
import { report } from './lib/report.mjs';

// The script runs the TypeScript sources, which needs the pinned Node.
if (!process.features.typescript) {
  process.exit(spawnSync(pinnedNode(), process.argv.slice(1), { stdio: 'inherit' }).status ?? 1);
}

const { reportDocument } = await import('../src/analytics/document/document.ts');
const { formatHtml } = await import('../src/analytics/document/html.ts');
const { groupReports } = await import('../src/analytics/groups/groupReport.ts');
const { previousRange } = await import('../src/analytics/insights/compare.ts');
const { SextantServer } = await import('../src/server/server.ts');
const { openFigures } = await import('../test/support/analytics.ts');
const { NOW, SIMULATION, teamsOf } = await import('../test/support/tenThousand.ts');

const folder = mkdtempSync(join(tmpdir(), 'sextant-bench-'));
const newFolder = () => mkdtempSync(join(folder, 'state-'));
const server = await SextantServer.start({ port: 0, rateLimit: false, now: NOW, simulation: { ...SIMULATION } });
try {
  const cache = newFolder();
  const { data } = openFigures(server, newFolder, cache);
  const range = { first: data.newestDay - 6, last: data.newestDay };
  const before = previousRange(range);
  const groups = await teamsOf(data, range);
  /** @type {string[][]} */
  const rows = [];
  for (const from of ['the service', 'the cache', 'the cache', 'the cache']) {
    // A new process would read the cache, too.
    const again = openFigures(server, newFolder, cache).data;
    const start = performance.now();
    await groupReports(again, range, groups, { before });
    const summed = performance.now();
    const document = await reportDocument(again, range, { groups, before });
    const loaded = performance.now();
    const { length } = formatHtml(document);
    const written = performance.now();
    const times = [summed - start, loaded - summed, written - loaded].map((ms) => `${Math.round(ms)} ms`);
    rows.push([from, ...times, `${Math.round(length / 1000)} kB`]);
  }
  console.log(`10,000 people, 400 teams, 7 days and the 7 before, two columns of groups:\n`);
  report('groups', [['from', 'sums by group', 'all of the report', 'as HTML', 'page'], ...rows]);
} finally {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}
