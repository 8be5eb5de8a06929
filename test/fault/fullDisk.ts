// Runs with mounts: fills a small disk to all degrees, and checks the engine.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SextantError } from '../../src/base/errors.ts';
import { silentLogger } from '../../src/base/log.ts';
import { Engine, EngineReader } from '../../src/engine/engine.ts';
import { SegmentThreads } from '../../src/engine/index/segmentThreads.ts';
import { FolderIndex } from '../../src/workspace/folderIndex.ts';
import type { FolderStatus } from '../../src/workspace/status.ts';
import { Filler } from './smallDisk.ts';
import { document, filesOf } from './truth.ts';

const [disk, root] = process.argv.slice(2) as [string, string];
const PAGE = 4096;
execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', disk]);
const index = join(disk, 'index');
const filler = new Filler(disk);

const isFull = { name: 'SextantError', code: 'DiskFull', message: /no space left for .*Free some/ };
const old = Array.from({ length: 20 }, (_, i) => document(`old${i}.ts`, `const lantern${i} = 'harbour ${i}';`));
const more = Array.from({ length: 60 }, (_, i) => {
  return document(`new${i}.ts`, Array.from({ length: 60 }, (_, k) => `function grove${i}x${k}() {}`).join('\n'));
});

async function holdsOnlyOld(engine: Pick<Engine, 'search'>): Promise<void> {
  assert.equal((await engine.search('harbour', { limit: 100 })).length, 20);
  assert.equal((await engine.search('grove', { limit: 100 })).length, 0);
}

let engine = Engine.open(index);
await engine.apply({ add: old });
const before = filesOf(index);
const failures: number[] = [];
for (let free = 0; ; free += PAGE) {
  filler.leave(free);
  try {
    await engine.apply({ add: more, remove: [old[0]!.id] });
    break;
  } catch (error) {
    assert.ok(error instanceof SextantError, String(error));
    assert.equal(error.code, 'DiskFull');
  }
  failures.push(free);
  // A failed commit loses the manifest's copy; everything else is unchanged.
  const now = filesOf(index);
  if (!now.has('manifest.1.copy.json')) now.set('manifest.1.copy.json', before.get('manifest.1.copy.json')!);
  assert.deepEqual([...now.keys()].sort(), [...before.keys()].sort());
  for (const [name, bytes] of now) assert.ok(bytes.equals(before.get(name)!), `${name} changed`);
  await holdsOnlyOld(engine);
  const reader = new EngineReader(index);
  await holdsOnlyOld(reader);
  reader.close();
}
assert.ok(failures.length > 5, 'the disk was full at several moments');
assert.equal((await engine.search('grove', { limit: 100 })).length, 60);
assert.equal(engine.has(old[0]!.id), false);
filler.remove();
assert.deepEqual(await engine.verify(), []);

// The same with a segment that a thread writes.
await engine.close();
const threads = new SegmentThreads({ count: 1, bytesBeforeStart: 0 });
engine = Engine.open(index, { threads });
const moved = more.map(({ path, content }) => document(`moved/${path}`, Buffer.from(content).toString()));
for (const free of [0, PAGE, 16 * PAGE]) {
  filler.leave(free);
  await assert.rejects(engine.apply({ add: moved }), (error: SextantError) => {
    assert.equal(error.code, 'DiskFull');
    assert.ok(error.cause instanceof SextantError, 'it comes from the thread');
    return true;
  });
  assert.equal((await engine.search('grove', { limit: 200 })).length, 60);
}
filler.remove();
await engine.apply({ add: moved });
assert.equal((await engine.search('grove', { limit: 200 })).length, 120);
assert.deepEqual(await engine.verify(), []);

filler.leave(0);
await engine.close();
await threads.close();
assert.throws(() => Engine.open(index), isFull);
filler.remove();
engine = Engine.open(index);
assert.equal((await engine.apply({ remove: [old[1]!.id] })).removed, 1);
assert.deepEqual(await engine.verify(), []);
await engine.close();

// Damage beyond the details costs a segment, which is taken out of the index as soon as there is space for a commit.
const segments = [...filesOf(index)].filter(([name]) => name.endsWith('.sxs'));
const [name, bytes] = segments.reduce((largest, one) => (one[1].length > largest[1].length ? one : largest));
engine = Engine.open(index);
const { documents } = engine.stats();
bytes[bytes.length >> 1]! ^= 1;
writeFileSync(join(index, name), bytes);
filler.leave(0);
await assert.rejects(engine.verify(), isFull);
const [damage] = engine.stats().damage;
assert.equal(engine.stats().documents, documents - damage!.documents!);
assert.ok(filesOf(index).has(name));
filler.remove();
assert.deepEqual([await engine.verify(), await engine.verify()], [[damage], []]);
assert.deepEqual(engine.stats().damage, [damage]);
assert.ok(!filesOf(index).has(name));
await engine.close();

// A folder of files: its status reports the problem, and it continues when there is space again.
const seen: FolderStatus[] = [];
const edges = { logger: silentLogger, now: Date.now, onStatus: (status: FolderStatus) => void seen.push(status) };
const options = { root, stateFolder: join(disk, 'state'), exclude: [], maxFileBytes: 1_000_000 };
const folder = FolderIndex.open(options, edges);
writeFileSync(join(root, 'a.ts'), 'const lantern = 1;');
for (let free = 0; free < 6 * PAGE; free += PAGE) {
  filler.leave(free);
  await folder.reconcile().catch((error: unknown) => assert.equal((error as SextantError).code, 'DiskFull'));
  const { state } = seen.at(-1)!;
  assert.ok(state.kind === 'ready' || (state.kind === 'failed' && state.code === 'DiskFull'), JSON.stringify(state));
}
filler.remove();
await folder.reconcile();
assert.deepEqual([seen.at(-1)!.state.kind, seen.at(-1)!.files], ['ready', 1]);
assert.ok(seen.some(({ state }) => state.kind === 'failed'));
await folder.close();
console.log(`full at ${failures.length} degrees`);
