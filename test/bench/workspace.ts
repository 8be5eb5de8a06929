// The part of `npm run bench:workspace` in its own process: see scripts/benchWorkspace.mjs.
import { appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { report } from '../../scripts/lib/report.mjs';
import { SegmentThreads } from '../../src/engine/index/segmentThreads.ts';
import type { FolderIndex } from '../../src/workspace/folderIndex.ts';
import { Searcher } from '../../src/workspace/searcher.ts';
import { openIndex } from '../workspace/support.ts';

const [source = '.'] = process.argv.slice(2);
// In memory if possible, to measure the index and not the disk.
const place = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'sextant-bench-'));
process.on('exit', () => rmSync(place, { recursive: true, force: true }));
const [one, two] = [join(place, 'one'), join(place, 'two')];
const siblings = join(place, 'siblings');
cpSync(source, one, { recursive: true, verbatimSymlinks: true });
mkdirSync(join(one, '.git'), { recursive: true });
// The .gitignore of an unpacked archive may leave out everything.
rmSync(join(one, '.gitignore'), { force: true });

const figures: Record<string, string> = {};

async function timed<T>(what: string, work: () => T | Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  figures[what] = `${Math.round(performance.now() - began)} ms`;
  console.log(what, figures[what]);
  return result;
}

const threads = new SegmentThreads();
const open = (root: string, state: string): FolderIndex =>
  openIndex(root, state, { siblings }, { threads, now: Date.now });
const stateOne = join(place, 'state-one');
const first = open(one, stateOne);
await timed('index from nothing', () => first.reconcile());
await first.settle();
await first.close();
// Times must be older than the index, as in a reopened folder.
await setTimeout(3000);
const settled = open(one, stateOne);
await settled.reconcile();
await settled.close();

const searcher = new Searcher();
const request = { folders: [{ root: one, stateFolder: stateOne }], query: 'page fault handler', limit: 10 };
const { results } = await timed('open again: first result', () => searcher.search(request));
console.log('  first:', results[0]?.path);
const bytesBefore = bytesRead();
const index = await timed('open again: the index', () => open(one, stateOne));
await timed('open again: everything looked at', () => index.reconcile());
console.log('  files', index.status().files, 'read', index.work().filesRead, 'bytes', bytesRead() - bytesBefore);

const busy = [];
for (let i = 0; i < 5; i++) busy.push(await index.scanTimes());
figures['sweep without changes'] = `${Math.round(busy.sort((a, b) => a - b)[2]!)} ms`;
console.log('sweep without changes', figures['sweep without changes']);

await index.close();
const names = (await searcher.search({ ...request, query: 'lang:c', limit: 1000 })).results.map(({ path }) => path);
for (const path of names) appendFileSync(join(one, path), '\n/* harbour */\n');
const reopened = open(one, stateOne);
await timed(`${names.length} files changed while it was closed`, () => reopened.reconcile());
appendFileSync(join(one, names[0]!), '\n/* halyard */\n');
await timed('one changed file, without a report of it', () => reopened.scanTimes());
appendFileSync(join(one, names[1]!), '\n/* halyard */\n');
await timed('one changed file, by its path', () => reopened.scanPaths([names[1]!]));
await reopened.close();
searcher.close();

// Like `git worktree add`: its own files, the same repository.
cpSync(one, two, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith('/.git') });
appendFileSync(join(two, '.git'), `gitdir: ${join(one, '.git')}\n`);
const other = open(two, join(place, 'state-two'));
await timed('index of another working tree', () => other.reconcile());
console.log('  read', other.work().filesRead, 'analysed', other.work().analysed);
await other.close();
await threads.close();
report('workspace', [['', 'time'], ...Object.entries(figures)]);

/** By this process, of files, as the system counts them. */
function bytesRead(): number {
  return process.platform === 'linux' ? Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]) : 0;
}
