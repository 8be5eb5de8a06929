import assert from 'node:assert/strict';
import { reportDocument } from '../../src/analytics/document/document.ts';
import { formatHtml } from '../../src/analytics/document/html.ts';
import { groupReports } from '../../src/analytics/groups/groupReport.ts';
import { previousRange } from '../../src/analytics/insights/compare.ts';
import { MEASURE_OF } from '../../src/analytics/reports/costReport.ts';
import { sumOf } from '../../src/analytics/insights/amounts.ts';
import { SextantServer } from '../../src/server/server.ts';
import { openFigures } from '../support/analytics.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { moversIn, NOW, SIMULATION, teamsOf, truthOf } from '../support/tenThousand.ts';

describe('10,000 people in 400 teams, of whom some move', () => {
  const newFolder = temporaryFolder();

  it('have sums by group that equal the facts of each day and the total, exactly, also in the report', async () => {
    const server = await SextantServer.start({ port: 0, rateLimit: false, now: NOW, simulation: { ...SIMULATION } });
    try {
      const { data } = openFigures(server, newFolder);
      const range = { first: data.newestDay - 6, last: data.newestDay };
      const groups = await teamsOf(data, range);
      assert.ok((await moversIn(data, groups, 'team', range)) > 500);
      const { rows } = await data.organizationCost(range);
      const total = sumOf(rows, MEASURE_OF.credits);
      const { columns } = await groupReports(data, range, groups);
      assert.deepEqual(columns.map(({ column, groups }) => [column, groups.length]), [['team', 401], ['cost_center', 41]]); // oxfmt-ignore
      for (const report of columns) {
        const truth = truthOf(groups, report.column, range);
        for (const { name, amount } of report.groups) assert.equal(amount, truth.get(name) ?? 0n, name);
        assert.equal(report.groups.reduce((sum, { amount }) => sum + amount, 0n), total); // oxfmt-ignore
        assert.equal(report.groups.length, truth.size);
      }
      const document = await reportDocument(data, range, {
        ...{ groups, before: previousRange(range) },
        limits: [{ of: { column: 'team', group: 'Team 1' }, limit: '1' }],
      });
      const limits = document.sections.find(({ name }) => name === 'group-budgets')!.table!;
      assert.deepEqual(limits.rows[0]!.slice(0, 2), ['team', 'Team 1']);
      assert.ok(document.mostUsed > 1, 'the limit of a group counts for --fail-over');
      assert.equal(document.totals.amount, total);
      const byTeam = document.sections.find(({ name }) => name === 'groups-by-team')!.table!;
      const at = byTeam.columns.findIndex(({ name }) => name === 'credits_consumed');
      assert.equal(byTeam.rows.reduce((sum, row) => sum + (row[at] as bigint), 0n), total); // oxfmt-ignore
      assert.match(formatHtml(document), /401 groups/);
    } finally {
      await server.close();
    }
  }).timeout(600_000);
});
