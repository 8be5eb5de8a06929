import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FailingDisk } from '../../../test/fault/failingDisk.ts';
import { spawnUntil } from '../../../test/support/processes.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import type { BudgetStatus } from '../insights/budgets.ts';
import { NotifiedAlerts } from './notifiedAlerts.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const THRESHOLDS = [0.75, 0.9, 1];

function status(name: string, used: number): BudgetStatus {
  const identity = { kind: 'user_email', name } as const;
  return {
    identity,
    key: name,
    limit: 100n,
    spent: 0n,
    used,
    projected: undefined,
    high: undefined,
    crossesOn: undefined,
  };
}

describe('shown alerts', () => {
  const newFolder = temporaryFolder();
  const names = (alerts: readonly { readonly status: BudgetStatus }[]): string[] =>
    alerts.map((alert) => alert.status.key);

  it('are shown by one window, each threshold once in a month', () => {
    const folder = newFolder();
    const [one, other] = [new NotifiedAlerts(folder), new NotifiedAlerts(folder)];
    assert.deepEqual(names(one.take([status('ada', 0.8), status('bob', 0.1)], THRESHOLDS, NOON)), ['ada']);
    assert.deepEqual(names(other.take([status('ada', 0.8), status('bob', 0.1)], THRESHOLDS, NOON)), []);
    assert.deepEqual(names(other.take([status('ada', 0.95), status('bob', 0.76)], THRESHOLDS, NOON)), ['ada', 'bob']);
    assert.deepEqual(names(one.take([status('ada', 0.95), status('bob', 0.76)], THRESHOLDS, NOON)), []);
    const december = Date.UTC(2026, 11, 3);
    assert.deepEqual(names(one.take([status('ada', 0.95)], THRESHOLDS, december)), ['ada']);
    // A window that still counts November forgets nothing of December.
    assert.deepEqual(names(other.take([status('eve', 0.95)], THRESHOLDS, NOON)), ['eve']);
    assert.deepEqual(names(other.take([status('ada', 0.95)], THRESHOLDS, december)), []);
  });

  it('are shown by one of two processes that find them at the same moment', async () => {
    const folder = newFolder();
    const code = `
      import { NotifiedAlerts } from './src/analytics/client/notifiedAlerts.ts';
      const shown = new NotifiedAlerts(process.argv.at(-1));
      console.log('ready');
      // Each time two people are news to both.
      for (let i = 0; i < 120; i++) {
        const statuses = ['ada', 'bob'].map((name) => name + i).map((key) => ({ identity: { kind: 'user_email', name: key }, key, limit: 100n, spent: 0n, used: 1 }));
        for (const { status } of shown.take(statuses, [1], ${NOON})) console.log('shown', status.key);
      }
      console.log('end');`;
    const children = await Promise.all([1, 2].map(() => spawnUntil('end', code, [folder])));
    const shown = children.flatMap(({ said }) => said.split('\n').filter((line) => line.startsWith('shown')));
    for (const { child } of children) if (child.exitCode === null) await once(child, 'exit');
    assert.equal(shown.length, 240);
    assert.equal(new Set(shown).size, 240);
    assert.ok(readdirSync(folder).length < 50, 'old files are cleared away');
  });

  it('are not repeated on a full disk, nor when there is space again', async () => {
    const folder = newFolder();
    assert.deepEqual(names(new NotifiedAlerts(folder).take([status('ada', 0.8)], THRESHOLDS, NOON)), ['ada']);
    const other = new NotifiedAlerts(folder);
    const disk = await FailingDisk.below(folder);
    try {
      disk.failAt(1, 'stays');
      assert.deepEqual(names(other.take([status('ada', 0.8), status('bob', 0.8)], THRESHOLDS, NOON)), ['bob']);
      assert.deepEqual(names(other.take([status('ada', 0.95), status('bob', 0.8)], THRESHOLDS, NOON)), ['ada']);
      disk.heal();
      assert.deepEqual(names(other.take([status('ada', 0.95), status('eve', 1)], THRESHOLDS, NOON)), ['eve']);
      const third = new NotifiedAlerts(folder);
      assert.deepEqual(names(third.take([status('ada', 0.95), status('bob', 0.8)], THRESHOLDS, NOON)), []);
    } finally {
      disk.restore();
    }
  });

  it('are shown even if nothing can be stored, or the stored state is damaged', () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'taken'), '');
    const nowhere = new NotifiedAlerts(join(folder, 'taken'));
    assert.deepEqual(names(nowhere.take([status('ada', 1)], THRESHOLDS, NOON)), ['ada']);
    assert.deepEqual(names(nowhere.take([status('ada', 1)], THRESHOLDS, NOON)), [], 'once in this window');
    mkdirSync(join(folder, 'shown'));
    writeFileSync(join(folder, 'shown', '1'), '{"2026-11 ada":');
    assert.deepEqual(names(new NotifiedAlerts(join(folder, 'shown')).take([status('ada', 1)], THRESHOLDS, NOON)), [
      'ada',
    ]);
  });
});
