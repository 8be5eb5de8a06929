// node test/bench/storm.ts [CHANGES]
// Memory of a real `sextant mcp` before, during and after a storm of changes; `npm run build` first. Linux only. Compare
// figures of one machine only.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { McpSession } from '../support/mcp.ts';
import { writeFiles } from '../support/temporary.ts';
import { childOf, memoryMB } from './memory.ts';

const FILES = 4_000;
const changes = Number(process.argv[2] ?? 20_000);
const base = mkdtempSync(join(tmpdir(), 'sextant-storm-'));
const [root, state] = [join(base, 'root'), join(base, 'state')];

function write(file: number, version: number): void {
  const body = `  const value${file} = request.headers.get('x${version}y${file}');\n`.repeat(40);
  writeFiles(root, { [`dir${file % 50}/f${file}.ts`]: `export function handler${file}(request) {\n${body}}\n` });
}

/** Memory of both processes in megabytes. */
function report(when: string, pid: number): number {
  const pids = [pid, childOf(pid, 'indexProcess.js')];
  const megabytes = pids.reduce<number>((sum, one) => sum + (memoryMB(one, 'VmRSS') ?? 0), 0);
  const cpuSeconds = pids.reduce<number>((sum, one) => sum + (one === undefined ? 0 : processorSeconds(one)), 0);
  console.log(`${when.padEnd(16)} ${megabytes} MB, ${cpuSeconds.toFixed(1)} s of processor`);
  return megabytes;
}

function processorSeconds(pid: number): number {
  const times = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(times[11]) + Number(times[12])) / 100;
}

for (let file = 0; file < FILES; file++) write(file, 0);
const session = await McpSession.start(['mcp', '--workspace-root', root, '--state', state]);
const isFound = async (word: string): Promise<boolean> =>
  (await session.json<{ results: unknown[] }>('search', { query: `"${word}"` })).results.length > 0;
while (!(await isFound('x0y1'))) await setTimeout(1_000);
await setTimeout(10_000);
const before = report('before', session.pid);
for (let change = 0; change < changes; change++) {
  write(change % FILES, change + 1);
  if (change % 64 === 0) await setTimeout(10);
}
report('all written', session.pid);
while (!(await isFound(`x${changes}y${(changes - 1) % FILES}`))) await setTimeout(2_000);
report('last one found', session.pid);
// The indexing process is started again once nothing changed for ten seconds.
await setTimeout(25_000);
const after = report('25 s later', session.pid);
console.log(`${((100 * after) / before - 100).toFixed(0)} % more than before`);
await session.client.close();
rmSync(base, { recursive: true, force: true });
