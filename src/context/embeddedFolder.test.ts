import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { killed, spawnUntil } from '../../test/support/processes.ts';
import { SextantError } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import { DirectContext } from './directContext.ts';

const found = (text: string): string[] => [...text.matchAll(/^Path: (.*)$/gm)].map(([, path]) => path!).sort();
const hasCode =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof SextantError && error.code === code;
const fileOf = (i: number): { path: string; contents: string } => ({ path: `f${i}.txt`, contents: `needle n${i}n\n` });
const open = (folder: string, logger?: Logger): Promise<DirectContext> =>
  DirectContext.createWith(logger ? { logger } : {}, { backend: 'embedded', folder });

describe('the folder of an embedded context', () => {
  const folder = temporaryFolder();

  it('keeps the set of files, through adding, replacing, removing, clearing and checkpoints', async function () {
    this.timeout(300_000);
    const place = join(folder(), 'new');
    const steps: readonly ((context: DirectContext) => Promise<unknown>)[] = [
      (context) => context.addToIndex([fileOf(1), fileOf(2), { path: 'ä\ud800', contents: 'odd' }]),
      (context) => context.addToIndex([{ path: 'f2.txt', contents: 'changed' }, fileOf(3)]),
      (context) => context.removeFromIndex(['f1.txt']),
      (context) => context.addToIndex(Array.from({ length: 1100 }, (_, i) => fileOf(i))),
      (context) => context.removeFromIndex(Array.from({ length: 1050 }, (_, i) => fileOf(i).path)),
      (context) => context.clearIndex(),
      (context) => context.addToIndex([fileOf(7)]),
    ];
    for (const step of steps) {
      const before = await open(place);
      await step(before);
      const expected = before.export();
      const paths = before.getIndexedPaths();
      await before.close();
      await using after = await open(place);
      assert.deepEqual(after.export(), expected);
      assert.deepEqual(after.getIndexedPaths(), paths);
      if (paths.length === 0) await assert.rejects(after.search('needle'), hasCode('NotInitialized'));
      else assert.ok((await after.search('needle')).startsWith('These parts'));
    }
    await using last = await open(place);
    assert.deepEqual(found(await last.search('n7n')), ['f7.txt']);
  });

  it('takes the set of an imported state instead of its own', async () => {
    const place = folder();
    await using first = await open(place);
    await first.addToIndex([fileOf(1), fileOf(2)]);
    const state = first.export();
    await first.removeFromIndex(['f1.txt']);
    await first.close();
    await using imported = await DirectContext.import(state, { backend: 'embedded', folder: place });
    assert.deepEqual(found(await imported.search('needle')), ['f1.txt', 'f2.txt']);
    await imported.close();
    await using last = await open(place);
    assert.deepEqual(last.getIndexedPaths().sort(), ['f1.txt', 'f2.txt']);
  });

  it('has each acknowledged change after a kill', async function () {
    this.timeout(300_000);
    const place = join(folder(), 'killed');
    for (let kill = 0; kill < 3; kill++) {
      const { child, said } = await spawnUntil(
        'added 5\n',
        `import { DirectContext } from './src/context/directContext.ts';
         const [folder, kill] = process.argv.slice(-2);
         const context = await DirectContext.create({ backend: 'embedded', folder });
         for (let i = 0; ; i++) {
           await context.addToIndex([{ path: kill + '/' + i, contents: 'needle ' + i }]);
           console.log('added ' + i);
         }`,
        [place, String(kill)],
      );
      await killed(child);
      await using context = await open(place);
      const paths = new Set(context.getIndexedPaths());
      for (const [, i] of said.matchAll(/added (\d+)\n/g)) assert.ok(paths.has(`${kill}/${i}`), `${kill}/${i}`);
      assert.ok((await context.search('needle')).startsWith('These parts'));
    }
  });

  it('is refused and unchanged if it has other files or is of another use', async () => {
    const place = folder();
    writeFileSync(join(place, 'thesis.txt'), 'mine');
    await assert.rejects(open(place), hasCode('FolderNotOurs'));
    assert.deepEqual(readdirSync(place), ['thesis.txt']);
    await assert.rejects(open(join(place, 'thesis.txt')), hasCode('NotAFolder'));
    // A name that an earlier version used is not enough.
    mkdirSync(join(place, 'packs'));
    await assert.rejects(open(place), hasCode('FolderNotOurs'));
    assert.deepEqual(readdirSync(place).sort(), ['packs', 'thesis.txt']);
  });

  it('of an earlier version is adopted, unless links lead out of it', async () => {
    const place = folder();
    const context = await open(place);
    await context.addToIndex([fileOf(1)]);
    const state = context.export();
    await context.close();
    // Earlier versions had no marker, no set, no numbers.
    for (const name of readdirSync(place)) {
      const stem = /^(packs|checkpoints)\./.exec(name)?.[1];
      if (stem !== undefined) renameSync(join(place, name), join(place, stem));
      else if (!name.startsWith('writer.') && name !== 'index') rmSync(join(place, name));
    }
    const outside = folder();
    cpSync(place, outside, { recursive: true });
    const linked = folder();
    mkdirSync(join(linked, 'checkpoints'));
    symlinkSync(join(outside, 'packs'), join(linked, 'packs'));
    await assert.rejects(open(linked), hasCode('FolderNotOurs'));
    assert.equal(readdirSync(join(outside, 'packs')).length, 1);

    await using adopted = await DirectContext.import(state, { backend: 'embedded', folder: place });
    assert.deepEqual(found(await adopted.search('needle')), ['f1.txt']);
    assert.ok(!existsSync(join(place, 'packs')));
  });

  it('is for one context at a time', async () => {
    const place = folder();
    await using _ = await open(place);
    await assert.rejects(open(place), hasCode('StoreBusy'));
  });

  it('loses at most the content of a file with a flipped bit, and reports each damage once', async function () {
    const every = Math.max(1, Number(process.env.SEXTANT_FAULT_EVERY ?? 37));
    this.timeout(every < 10 ? 3_600_000 : 300_000);
    const original = folder();
    const files = [fileOf(1), fileOf(2), fileOf(3)];
    const made = await open(original);
    await made.addToIndex(files.slice(0, 2));
    await made.addToIndex(files.slice(2));
    await made.close();
    const { ContentStore } = await import('./store/contentStore.ts');
    const store = await ContentStore.open(original);
    const names = await store.upload(files.map(({ path, contents }) => ({ path, content: contents })));
    const checkpointId = await store.checkpoint({ checkpointId: undefined, added: names, deleted: [] });
    await store.close();

    const targets = readdirSync(original, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.(sxb|sxc|log)$/.test(name),
    );
    assert.equal(targets.length, 5, targets.join());
    const place = join(folder(), 'flipped');
    let flips = 0;
    for (const target of targets) {
      const { length } = readFileSync(join(original, target));
      for (let at = 0; at < length; at += every) {
        flips++;
        rmSync(place, { recursive: true, force: true });
        cpSync(original, place, { recursive: true });
        const bytes = readFileSync(join(place, target));
        writeFileSync(join(place, target), bytes.with(at, bytes[at]! ^ (1 << (at % 8))));
        const errors: string[] = [];
        const logger: Logger = {
          debug: () => undefined,
          info: () => undefined,
          warn: () => undefined,
          error: (message) => void errors.push(message),
        };
        const where = `${target} at ${at}`;
        let context: DirectContext;
        try {
          context = await open(place, logger);
        } catch (error) {
          // One bit changes the number of the version.
          assert.ok(hasCode('StoreNewer')(error) && target.endsWith('.sxb') && at < 8, `${where}: ${String(error)}`);
          continue;
        }
        try {
          assert.deepEqual(
            context.getIndexedPaths(),
            files.map(({ path }) => path),
            where,
          );
          const search = async (): Promise<string[]> => {
            const lost: string[] = [];
            for (const [i, { path }] of files.entries()) {
              const text = await context.search(`n${i + 1}n`).catch((error: unknown) => {
                assert.ok(hasCode('FilesMissing')(error), where);
                return '';
              });
              if (!found(text).includes(path)) lost.push(path);
            }
            return lost;
          };
          const lost = await search();
          await search();
          assert.equal(lost.length > 0, target.endsWith('.sxb'), where);
          if (target.endsWith('.sxc')) {
            const state = { mode: 'search-only' as const, checkpointId, addedBlobs: [], deletedBlobs: [] };
            await context.close();
            context = await DirectContext.importWith(
              {
                backend: await (
                  await import('./embeddedBackend.ts')
                ).EmbeddedBackend.open(place, undefined, { logger }),
              },
              state,
            );
            for (let i = 0; i < 2; i++) await assert.rejects(context.search('needle'), hasCode('FilesMissing'), where);
            assert.equal(errors.length, 1, `${where}: ${errors.join('\n')}`);
            continue;
          }
          assert.equal(errors.length, 1, `${where}: ${errors.join('\n')}`);
          assert.ok(
            errors[0]!.includes(target.split('/').at(-1)!.replace(/\d+/, '')) || errors[0]!.includes('is damaged'),
          );
          await context.addToIndex(files);
          assert.deepEqual(await search(), [], where);
        } finally {
          await context.close();
        }
      }
    }
    assert.ok(flips > 0);
  });
});
