// Runs with mounts: contexts on a disk that is full or read-only when they are opened.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { DirectContext } from '../../src/context/directContext.ts';
import { SextantServer } from '../../src/server/server.ts';
import { APIError } from '../../src/wire/errors.ts';
import { Filler } from './smallDisk.ts';

const [disk] = process.argv.slice(2) as [string];
execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=20m', 'tmpfs', disk]);
const filler = new Filler(disk);
const folder = join(disk, 'context');
const state = join(disk, 'state');
const file = (i: number): { path: string; contents: string } => ({ path: `f${i}.txt`, contents: `needle n${i}n\n` });
const embedded = (): Promise<DirectContext> => DirectContext.create({ backend: 'embedded', folder });
const hasCode = (code: string) => ({ name: 'SextantError', code });

async function check(context: DirectContext, paths: readonly string[]): Promise<void> {
  assert.deepEqual(context.getIndexedPaths(), paths);
  assert.match(await context.search('n1n'), /Path: f1\.txt/);
}

const first = await embedded();
await first.addToIndex([file(1)]);
await first.close();
const server = await SextantServer.start({ port: 0, state });
const remote = await DirectContext.create({ apiKey: server.token, apiUrl: server.url });
await remote.addToIndex([file(1)]);
await remote.close();
const exported = remote.export();
await server.close();

for (const [code, spoil, mend] of [
  ['DiskFull', () => filler.leave(0), () => filler.remove()],
  [
    'ReadOnly',
    () => execFileSync('mount', ['-o', 'remount,ro', disk]),
    () => execFileSync('mount', ['-o', 'remount,rw', disk]),
  ],
] as const) {
  spoil();
  const context = await embedded();
  await check(context, ['f1.txt']);
  await assert.rejects(context.addToIndex([file(2)]), hasCode(code));
  await assert.rejects(context.removeFromIndex(['f1.txt']), hasCode(code));
  await check(context, ['f1.txt']);
  mend();
  await context.addToIndex([file(2)]);
  await check(context, ['f1.txt', 'f2.txt']);
  await context.removeFromIndex(['f2.txt']);
  await context.close();
  const again = await embedded();
  await check(again, ['f1.txt']);
  await again.close();
}

// The server itself starts; its contexts are opened by the first request. A request repeats 507 until its time is over.
const second = await SextantServer.start({ port: 0, state });
const options = { apiKey: second.token, apiUrl: second.url, requestTimeout: 3_000 };
filler.leave(0);
const context = await DirectContext.import(exported, options);
await check(context, ['f1.txt']);
await assert.rejects(
  context.addToIndex([file(3)]),
  (error) => error instanceof APIError && error.status === 507 && error.serviceCode === 'InsufficientStorage',
);
await check(context, ['f1.txt']);
filler.remove();
await context.addToIndex([file(3)]);
await check(context, ['f1.txt', 'f3.txt']);
await context.close();
await second.close();
console.log('context');
