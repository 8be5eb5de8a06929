import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import papa from 'papaparse';
import { FailingDisk } from '../../../test/fault/failingDisk.ts';
import { openFigures } from '../../../test/support/analytics.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { formatDecimal } from '../../base/decimal.ts';
import { SextantServer } from '../../server/server.ts';
import type { AnalyticsData } from '../client/analyticsData.ts';
import { sumOf } from '../insights/amounts.ts';
import { sumMetrics } from '../insights/people.ts';
import { DATASETS } from './datasets.ts';
import { saveFacts } from './saveFacts.ts';

describe('saved facts', () => {
  const newFolder = temporaryFolder();
  let server: SextantServer;
  let data: AnalyticsData;

  beforeEach(async () => {
    server = await SextantServer.start({
      now: Date.parse('2026-11-21T12:00:00Z'),
      rateLimit: false,
      simulation: { seed: 7, users: 30, plan: 'credits' },
    });
    server.clock.freeze();
    ({ data } = openFigures(server, newFolder));
  });
  afterEach(() => server.close());

  const lastDays = (count: number): { first: number; last: number } => ({
    first: data.newestDay - count + 1,
    last: data.newestDay,
  });

  it('have the same rows in each format, and the sums of the service', async () => {
    const range = lastDays(3);
    const folders = { ndjson: newFolder(), csv: newFolder(), parquet: newFolder() };
    for (const format of ['ndjson', 'csv', 'parquet'] as const) {
      const { written, kept } = await saveFacts(data, range, folders[format], format);
      assert.deepEqual([written, kept], [3 * DATASETS.length, 0]);
    }
    const duck = await DuckDBInstance.create(':memory:');
    const connection = await duck.connect();
    const query = async (sql: string): Promise<readonly unknown[]> =>
      (await connection.runAndReadAll(sql)).getRows()[0]!;
    for (const { name, columns } of DATASETS) {
      const texts = (format: 'ndjson' | 'csv'): string[] => {
        const folder = join(folders[format], name);
        return readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
      };
      const lines = texts('ndjson').flatMap((text) => text.split('\n').filter((one) => one !== ''));
      const rows = texts('csv').flatMap(
        (text) => papa.parse<Record<string, string>>(text.trim(), { header: true }).data,
      );
      const files = join(folders.parquet, name, '*.parquet').replaceAll("'", "''");
      const counts = columns.filter(({ kind }) => kind === 'count').map((one) => one.name);
      const sums = counts.map((column) => `coalesce(sum("${column}"), 0)::varchar`);
      const [count, ...found] = await query(
        `select ${['count(*)::varchar', ...sums].join()} from read_parquet('${files}')`,
      );
      assert.deepEqual([Number(count), rows.length], [lines.length, lines.length], name);
      const objects = lines.map((one) => JSON.parse(one) as Record<string, string | number>);
      const expected = counts.map((column) => String(objects.reduce((sum, one) => sum + BigInt(one[column] ?? 0), 0n)));
      assert.deepEqual(found, expected, name);
      assert.deepEqual(Object.keys(rows[0] ?? {}), rows.length === 0 ? [] : columns.map((one) => one.name));
      for (const [i, object] of objects.entries())
        for (const column of columns)
          assert.equal(rows[i]![column.name], String(object[column.name] ?? ''), column.name);
    }
    const activity = await data.activity(range);
    const messages = sumMetrics(activity.rows.map(({ metrics }) => metrics)).total_messages;
    const all = `read_parquet('${join(folders.parquet, '_', '*.parquet')}')`;
    const of = (name: string): string => all.replace('/_/', `/${name}/`);
    assert.deepEqual(await query(`select sum(metrics_total_messages)::varchar from ${of('activity')}`), [
      String(messages),
    ]);
    const cost = await data.organizationCost(range);
    const [credits] = await query(
      `select sum(cast(cost_metrics_credits_consumed as decimal(30, 9)))::varchar from ${of('cost')}`,
    );
    assert.equal(Number(credits), Number(formatDecimal(sumOf(cost.rows, 'credits_consumed'))));
    connection.closeSync();
  }).timeout(60_000);

  it('continue after a failure, and keep what is there', async () => {
    const [range, folder] = [lastDays(2), newFolder()];
    await saveFacts(data, { first: range.first, last: range.first }, folder, 'ndjson');
    const file = join(folder, 'activity', readdirSync(join(folder, 'activity'))[0]!);
    const { mtimeMs } = statSync(file);
    server.faults.add({ path: '/analytics/v0/cost-analytics', status: 401 });
    await assert.rejects(saveFacts(data, range, folder, 'ndjson'), { code: 'Unauthenticated' });
    server.faults.clear();
    const { written, kept } = await saveFacts(data, range, folder, 'ndjson');
    assert.equal(written + kept, 2 * DATASETS.length);
    assert.equal(written, 1, 'only the failed file is missing');
    assert.equal(statSync(file).mtimeMs, mtimeMs);
    assert.ok(readdirSync(folder).every((name) => !name.includes('tmp')));
  });

  it('leave no file of a run that was killed', async () => {
    const [range, folder] = [lastDays(1), newFolder()];
    const inFolder = join(folder, 'activity');
    mkdirSync(inFolder, { recursive: true });
    const [old, written, other] = ['2026-11-20.csv.0123456789ab.tmp', '2026-11-20.csv.0123456789ac.tmp', 'mine.tmp'];
    for (const name of [old, written, other]) writeFileSync(join(inFolder, name), '');
    for (const name of [old, other]) utimesSync(join(inFolder, name), 1_000, 1_000);
    await saveFacts(data, range, folder, 'ndjson');
    assert.deepEqual(readdirSync(inFolder).sort(), [written, '2026-11-20.ndjson', other]);
  });

  it('report a full disk with the file, and are whole when there is room', async () => {
    const [range, folder] = [lastDays(1), newFolder()];
    const disk = await FailingDisk.below(folder);
    try {
      for (const { name } of DATASETS) mkdirSync(join(folder, name));
      disk.failAt(1, 'stays');
      const refused = { code: 'DiskFull', message: /no space left for .*\.ndjson\. Free some/ };
      await assert.rejects(saveFacts(data, range, folder, 'ndjson'), refused);
    } finally {
      disk.restore();
    }
    assert.equal((await saveFacts(data, range, folder, 'ndjson')).written, DATASETS.length);
  });

  it('have a column for every field of the service', () => {
    const names = DATASETS.map(({ name, columns }) => [name, columns.map((one) => `${one.name} ${one.kind}`)] as const);
    const of = new Map(names);
    for (const column of ['date text', 'user_email text', 'service_account_name text', 'metrics_total_messages count'])
      assert.ok(of.get('activity')!.includes(column), `${column} of ${of.get('activity')!.join()}`);
    for (const column of ['cost_metrics_input_tokens count', 'cost_metrics_billed_amount_usd text'])
      assert.ok(of.get('cost')!.includes(column), of.get('cost')!.join());
    assert.ok(names.every(([, columns]) => columns.length > 1));
  });
});
