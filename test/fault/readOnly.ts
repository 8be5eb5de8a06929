// Checks the engine on a folder without permission to write: `ro` mounts a read-only disk, which needs permission
// to mount; `modes` removes the write permission from the files, and from itself if it is root.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '../../src/base/log.ts';
import { Engine, EngineReader } from '../../src/engine/engine.ts';
import { FolderIndexer } from '../../src/workspace/folderIndexer.ts';
import { MAX_FILE_BYTES } from '../../src/workspace/folderOptions.ts';
import type { FolderStatus } from '../../src/workspace/status.ts';
import { document, filesOf } from './truth.ts';

const [how, disk] = process.argv.slice(2) as ['ro' | 'modes', string];
const NOBODY = 65_534;
if (how === 'ro') execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', disk]);
const index = join(disk, 'index');
const isReadOnly = {
  name: 'SextantError',
  code: 'ReadOnly',
  message: /cannot be written to\. Check its permissions, and whether its disk is read-only\./,
};

const engine = Engine.open(index);
const [lantern, harbour] = [document('a.ts', 'lantern'), document('b.ts', 'harbour')];
await engine.apply({ add: [lantern] });
const cedar = document('c.ts', 'lantern cedar');
await engine.apply({ add: [cedar] });
const segment = join(index, 'segment.1.2.sxs');
const bytes = readFileSync(segment);
bytes[0]! ^= 1;
writeFileSync(segment, bytes);

if (how === 'ro') execFileSync('mount', ['-o', 'remount,ro', disk]);
else {
  for (const name of readdirSync(index)) chmodSync(join(index, name), 0o444);
  chmodSync(index, 0o555);
  chmodSync(disk, 0o555);
  if (process.getuid!() === 0) process.setuid!(NOBODY);
}
const before = filesOf(index);

for (const changes of [{ add: [harbour] }, { remove: [lantern.id] }]) {
  await assert.rejects(engine.apply(changes), isReadOnly);
  assert.deepEqual([...engine.ids()], [lantern.id, cedar.id]);
}
assert.equal((await engine.search('lantern')).length, 1);
const damage = [{ file: 'segment.1.2.sxs', what: 'block 0', documents: 1 }];
await assert.rejects(engine.verify(), isReadOnly);
assert.deepEqual(engine.stats().damage, damage);
assert.equal((await engine.search('lantern')).length, 1);
await engine.close();

assert.throws(() => Engine.open(index), /cannot be written to|is writing to this index/);
const reader = new EngineReader(index);
assert.equal((await reader.search('lantern')).length, 1);
assert.equal(reader.refresh(), false);
assert.deepEqual(reader.stats().damage, damage);
reader.close();
assert.deepEqual([...filesOf(index).keys()], [...before.keys()]);
assert.throws(() => Engine.open(join(disk, 'other')), isReadOnly);
const statuses: FolderStatus[] = [];
const indexer = new FolderIndexer(
  { root: disk, stateFolder: disk, exclude: [], maxFileBytes: MAX_FILE_BYTES },
  {
    logger: silentLogger,
    now: Date.now,
    onStatus: (status) => statuses.push(status),
    onUnwatched: () => undefined,
  },
);
indexer.start();
await indexer.close();
const [status] = statuses;
assert.equal(status?.state.kind === 'failed' && status.state.code, 'ReadOnly');
assert.equal(status?.files, 2, 'the files of the index');
console.log('read-only');
