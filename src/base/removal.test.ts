import assert from 'node:assert/strict';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { SextantError } from './errors.ts';
import {
  move,
  moveSync,
  openOwn,
  openOwnSync,
  readOwnSync,
  remove,
  removeIfFree,
  removeIfFreeSync,
  removeLeftoverSync,
  removeSync,
  retrySync,
} from './removal.ts';

const { O_RDWR } = constants;
/** libuv's flag, on Windows, to open a file without sharing it, as virus scanners do. */
const O_EXLOCK = 0x10000000;
const CODES = ['EPERM', 'EBUSY', 'EACCES', 'ENOTEMPTY'];

describe('renames and removals', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'sextant-removal-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

  const write = (name: string, text = name): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  it('replace a file and remove what is there or not', async () => {
    moveSync(write('a'), write('b'));
    await move(join(folder, 'b'), write('c'));
    assert.equal(readFileSync(join(folder, 'c'), 'utf8'), 'a');
    removeSync(join(folder, 'c'));
    await remove(join(folder, 'c'));
    assert.equal(removeIfFreeSync(join(folder, 'c')), true);
    assert.equal(await removeIfFree(write('d')), true);
    mkdirSync(join(folder, 'e/f'), { recursive: true });
    removeSync(join(folder, 'e'), { recursive: true });
    assert.equal(existsSync(join(folder, 'e')), false);
  });

  it('try again on Windows, with growing pauses, and end with what happened', () => {
    fc.assert(
      fc.property(fc.nat(12), fc.constantFrom(...CODES, 'ENOENT', 'EXDEV'), fc.boolean(), (times, code, isWindows) => {
        const pauses: number[] = [];
        let calls = 0;
        const work = (): void => {
          if (calls++ < times) throw Object.assign(new Error(code), { code });
        };
        let thrown: unknown;
        try {
          retrySync('x', work, (ms) => pauses.push(ms), isWindows);
        } catch (error) {
          thrown = error;
        }
        const isHeld = isWindows && CODES.includes(code);
        const attempts = isHeld ? Math.min(times + 1, 9) : 1;
        assert.equal(calls, attempts);
        assert.equal(pauses.length, attempts - 1);
        assert.ok(pauses.every((ms, i) => i === 0 || ms > pauses[i - 1]!));
        assert.ok(pauses.reduce((sum, ms) => sum + ms, 0) < 2000);
        const isDone = isHeld ? times < 9 : times === 0;
        const expected = isDone ? undefined : isHeld ? 'FileInUse' : code;
        assert.equal((thrown as { code?: string } | undefined)?.code, expected);
        assert.equal(thrown instanceof SextantError, expected === 'FileInUse');
      }),
    );
  });

  describe('on Windows, while a file is open without sharing', () => {
    before(function () {
      if (process.platform !== 'win32') this.skip();
    });

    const inUse = (error: unknown): boolean => error instanceof SextantError && error.code === 'FileInUse';

    it('throw FileInUse and change nothing', () => {
      const [from, to] = [write('from'), write('to')];
      const held = openSync(to, O_RDWR | O_EXLOCK);
      try {
        assert.throws(() => moveSync(from, to), inUse);
        assert.throws(() => removeSync(to), inUse);
        assert.throws(() => removeSync(folder, { recursive: true }), inUse);
        assert.equal(removeIfFreeSync(to), false);
        removeLeftoverSync(to);
      } finally {
        closeSync(held);
      }
      assert.equal(readFileSync(to, 'utf8'), 'to');
      removeSync(to);
    });

    it('are refused like its opening', async () => {
      const file = write('file');
      const held = openSync(file, O_RDWR | O_EXLOCK);
      try {
        assert.throws(() => openOwnSync(file, 'r'), inUse);
        assert.throws(() => readOwnSync(file), inUse);
        await assert.rejects(openOwn(file, 'r'), inUse);
      } finally {
        closeSync(held);
      }
      assert.equal(readOwnSync(file).toString(), 'file');
    });

    it('succeed once it is closed', async () => {
      const [from, to] = [write('from'), write('to')];
      for (const act of [async () => (await openOwn(to, 'r')).close(), () => move(from, to), () => remove(to)]) {
        const held = openSync(to, O_RDWR | O_EXLOCK);
        const acting = act();
        await setImmediate();
        assert.equal(await removeIfFree(to), false);
        closeSync(held);
        await acting;
      }
      assert.equal(existsSync(to), false);
    });
  });
});
