import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FailingDisk } from '../../../test/fault/failingDisk.ts';
import { killed, spawnUntil } from '../../../test/support/processes.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { parseDay } from '../../base/day.ts';
import { accountKey } from './account.ts';
import { AnswerCache, type CachedAnswer } from './answerCache.ts';

const day = (text: string): number => parseDay(text)!;
const TOKEN = 'sxt_very-secret-token';
const ADA = accountKey({ url: 'http://127.0.0.1:1', token: TOKEN });

function answer(first: string, last: string, rows: readonly unknown[], fetchedAt = 1): CachedAnswer {
  return { first: day(first), last: day(last), rows, fetchedAt, generatedAt: '2026-11-21T09:00:00Z' };
}

describe('the cache of answers', () => {
  const newFolder = temporaryFolder();
  let folder: string;
  beforeEach(() => (folder = newFolder()));

  const files = (): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  const november = { first: day('2026-11-01'), last: day('2026-11-30') };

  it('returns answers for overlapping days, the newest first', async () => {
    const cache = new AnswerCache(folder, ADA);
    await cache.write('usage', answer('2026-10-01', '2026-10-31', ['october']));
    await cache.write('usage', answer('2026-11-01', '2026-11-10', ['early'], 5));
    await cache.write('usage', answer('2026-11-11', '2026-11-12', ['late'], 9));
    await cache.write('usage', answer('2026-11-11', '2026-11-12', ['later'], 10));
    await cache.write('other', answer('2026-11-11', '2026-11-12', ['other']));
    const found = await new AnswerCache(folder, ADA).read('usage', november);
    assert.deepEqual(
      found.map(({ rows }) => rows),
      [['later'], ['early']],
    );
    assert.deepEqual(found[1], answer('2026-11-01', '2026-11-10', ['early'], 5));
  });

  it('returns what another process has written since, and keeps nothing of a file that was damaged', async () => {
    const [cache, other] = [new AnswerCache(folder, ADA), new AnswerCache(folder, ADA)];
    for (const rows of [['one'], ['two'], ['six']]) {
      await other.write('usage', answer('2026-11-01', '2026-11-10', rows));
      const [first, again] = await Promise.all([cache.read('usage', november), cache.read('usage', november)]);
      assert.deepEqual([first[0]?.rows, again[0]?.rows], [rows, rows]);
    }
    for (const file of files())
      writeFileSync(
        file,
        readFileSync(file).map((byte) => byte ^ 1),
      );
    assert.deepEqual(await cache.read('usage', november), []);
  });

  it('never shows answers of another account, and contains no token', async () => {
    await new AnswerCache(folder, ADA).write('usage', answer('2026-11-01', '2026-11-01', ['of ada']));
    const bob = accountKey({ url: 'http://127.0.0.1:1', token: `${TOKEN}2` });
    assert.notEqual(ADA, bob);
    assert.notEqual(ADA, accountKey({ url: 'http://127.0.0.1:2', token: TOKEN }));
    assert.deepEqual(await new AnswerCache(folder, bob).read('usage', november), []);
    // Not even if the files are copied.
    const [file = ''] = files();
    const bobs = new AnswerCache(folder, bob);
    await bobs.write('usage', answer('2026-11-01', '2026-11-01', ['of bob']));
    writeFileSync(
      files().find((one) => one.includes(bob))!,
      readFileSync(file),
    );
    assert.deepEqual(await bobs.read('usage', november), []);
    for (const one of files()) {
      assert.equal(one.includes(TOKEN), false);
      assert.equal(readFileSync(one).includes(TOKEN), false);
      if (process.platform !== 'win32') assert.equal(statSync(one).mode & 0o77, 0, 'nobody else can read it');
    }
  });

  it('skips damaged files', async () => {
    const cache = new AnswerCache(folder, ADA);
    await cache.write('usage', answer('2026-11-01', '2026-11-01', ['x'.repeat(1000)]));
    const [file = ''] = files();
    const whole = readFileSync(file);
    for (let at = 0; at < whole.length; at += 7) {
      const bytes = Buffer.from(whole);
      bytes[at]! ^= 0x40;
      writeFileSync(file, bytes);
      const found = await cache.read('usage', november);
      assert.ok(found.length === 0 || found[0]!.rows[0] === 'x'.repeat(1000), `byte ${at}`);
    }
    truncateSync(file, 30);
    assert.deepEqual(await cache.read('usage', november), []);
  });

  it('warns once of a full disk, and keeps answers again when there is space', async () => {
    const warnings: string[] = [];
    const nothing = (): void => undefined;
    const logger = { debug: nothing, info: nothing, error: nothing, warn: (text: string) => void warnings.push(text) };
    const cache = new AnswerCache(folder, ADA, { logger });
    const disk = await FailingDisk.below(folder);
    try {
      for (const round of [1, 2]) {
        disk.failAt(1, 'stays');
        for (const query of ['usage', 'cost']) await cache.write(query, answer('2026-11-01', '2026-11-01', [round]));
        assert.equal(warnings.length, round);
        assert.match(warnings.at(-1)!, /^Answers are not kept: There is no space left for /);
        disk.heal();
        await cache.write('usage', answer('2026-11-01', '2026-11-01', [round], round));
        assert.deepEqual((await cache.read('usage', november))[0]?.rows, [round]);
      }
    } finally {
      disk.restore();
    }
  });

  it('stays within its size, and drops the least recently used', async () => {
    const noise = (): string => Array.from({ length: 400 }, () => Math.random()).join('');
    const cache = new AnswerCache(folder, ADA, { maxBytes: 30_000 });
    for (let i = 10; i < 30; i++) {
      await cache.write('usage', answer(`2026-11-${i}`, `2026-11-${i}`, [noise()], i));
      await cache.read('usage', { first: day('2026-11-10'), last: day('2026-11-10') });
    }
    const bytes = files().reduce((sum, file) => sum + statSync(file).size, 0);
    assert.ok(bytes <= 30_000 && bytes > 15_000, `${bytes}`);
    const kept = (await cache.read('usage', november)).map(({ fetchedAt }) => fetchedAt);
    assert.ok(kept.includes(10) && kept.includes(29) && !kept.includes(11), kept.join(' '));
    await cache.clear();
    assert.deepEqual(files(), []);
  });

  it('has complete answers only, however often its writers are killed', async () => {
    const code = `
      import { AnswerCache } from './src/analytics/client/answerCache.ts';
      const [folder, account] = process.argv.slice(-2);
      const cache = new AnswerCache(folder, account);
      for (let i = 0; ; i++) {
        const rows = Array.from({ length: 20_000 }, (_, k) => i * k);
        await cache.write('usage', { first: ${november.first}, last: ${november.last}, rows, generatedAt: '', fetchedAt: i });
        if (i === 1) console.log('ready');
      }`;
    for (let round = 0; round < 5; round++) {
      const { child } = await spawnUntil('ready', code, [folder, ADA]);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 50));
      await killed(child);
      const [found] = await new AnswerCache(folder, ADA).read('usage', november);
      assert.ok(found, 'there was one before');
      assert.deepEqual([found.rows.length, found.rows[7]], [20_000, found.fetchedAt * 7]);
    }
  });
});
