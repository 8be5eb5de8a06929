import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, PATHS } from '../conformance/client.ts';
import { serve, stop } from '../support/servers.ts';
import { folderOfTest } from '../support/temporary.ts';
import { chooseSeed, keepForInspection, seeded } from './truth.ts';

const KILLS = Math.max(5, Number(process.env.SEXTANT_FAULT_KILLS ?? 5));
const WRITERS = 4;
const PEOPLE = 25;
const DATE = '2026-11-20';
const OVERRIDE = { resource: 'BUDGET_RESOURCE_CREDITS_CONSUMED', period: 'BUDGET_PERIOD_MONTHLY' };

/** A client that writes numbers, one after the other, and records the acknowledged ones. */
interface Writer {
  readonly send: (client: Client, value: number) => Promise<{ readonly status: number }>;
  /** The server's value; fails if it has several. */
  readonly read: (client: Client) => Promise<number>;
  sent: number;
  acknowledged: number;
}

describe('A server that is killed with SIGKILL', () => {
  const folder = folderOfTest();
  // A second attempt starts from nothing.

  it('has every acknowledged change, and each batch and import as a whole or not at all', async function () {
    this.timeout(KILLS * 30_000 + 600_000);
    const seed = chooseSeed();
    const random = seeded(seed);
    console.log(`      ${KILLS} kills from seed ${seed}`);
    const data = join(folder(), 'facts.ndjson');
    writeFileSync(
      data,
      writersPeople()
        .flat()
        .map((user_email) => `${JSON.stringify({ kind: 'user', user_email })}\n`)
        .join(''),
    );
    const state = join(folder(), 'state');
    const args = ['--state', state, '--data', data, '--now', '2026-11-21T09:00:00Z', '--no-rate-limit'];
    const writers = [...writersPeople().map(budgetWriter), importWriter()];
    let [acknowledged, unanswered, kept] = [0, 0, 0];
    for (let kill = 0; kill <= KILLS; kill++) {
      const server = await serve(args);
      const client = new Client(server.info);
      try {
        for (const writer of writers) {
          const value = await writer.read(client);
          assert.ok(
            value === writer.acknowledged || value === writer.sent,
            `${value}, not ${writer.acknowledged} or ${writer.sent}`,
          );
          if (writer.sent !== writer.acknowledged) {
            unanswered++;
            if (value === writer.sent) kept++;
          }
          writer.sent = writer.acknowledged = value;
        }
      } catch (error) {
        await stop(server, 'SIGKILL');
        throw new Error(
          `After kill ${kill} of SEXTANT_FAULT_SEED=${seed}; the state is in ${keepForInspection(state, 'server')}`,
          {
            cause: error,
          },
        );
      }
      if (kill === KILLS) {
        assert.equal(await stop(server), 0);
        break;
      }
      let isOver = false;
      const work = writers.map(async (writer) => {
        while (!isOver) {
          const value = ++writer.sent;
          const answer = await writer.send(client, value).catch(() => undefined);
          if (!answer) return;
          assert.equal(answer.status, 200);
          writer.acknowledged = value;
          acknowledged++;
        }
      });
      await sleep(random() * 150);
      isOver = random() < 0.1;
      await stop(server, 'SIGKILL');
      await Promise.all(work);
    }
    console.log(`      ${acknowledged} changes acknowledged; of ${unanswered} under way ${kept} were kept`);
    // On a busy machine most kills come before the first answer.
    assert.ok(acknowledged > 0);
  });

  it('has the state before a restore or that of the snapshot, and nothing in between', async function () {
    this.timeout(KILLS * 30_000 + 600_000);
    const seed = chooseSeed();
    const random = seeded(seed);
    console.log(`      ${KILLS} kills from seed ${seed}`);
    const state = join(folder(), 'restored');
    const args = ['--state', state, '--users', '40', '--now', '2026-11-21T09:00:00Z', '--no-rate-limit'];
    const snapshots = [
      await snapshotOf('simulated', ['--seed', '5', '--users', '30']),
      await snapshotOf('file', ['--data', facts()]),
    ];
    const seen = new Map<string, number>();
    for (let kill = 0; kill <= KILLS; kill++) {
      const server = await serve(args);
      const client = new Client(server.info);
      try {
        const now = await view(client);
        const which = kill === 0 ? 'new' : snapshots.find((one) => JSON.stringify(now) === one.view)?.name;
        assert.ok(which !== undefined, `a mixture: ${JSON.stringify(now).slice(0, 500)}`);
        seen.set(which, (seen.get(which) ?? 0) + 1);
      } catch (error) {
        await stop(server, 'SIGKILL');
        const kept = keepForInspection(state, 'restore');
        throw new Error(`After kill ${kill} of SEXTANT_FAULT_SEED=${seed}; the state is in ${kept}`, { cause: error });
      }
      if (kill === KILLS) {
        assert.equal(await stop(server), 0);
        break;
      }
      const restore = async (at: number): Promise<number> =>
        (await client.admin('POST', 'snapshot', snapshots[at % 2]!.text)).status;
      // At least one restore runs, so that one of the two states is found; a late one if none was found.
      const unseen = kill < KILLS / 2 ? -1 : snapshots.findIndex(({ name }) => !seen.has(name));
      const first = unseen < 0 ? kill : unseen;
      assert.equal(await restore(first), 200);
      const statuses: number[] = [];
      const work = (async () => {
        for (let at = first + 1; unseen < 0; at++) statuses.push(await restore(at));
      })().catch(() => undefined);
      await sleep(random() * 60);
      await stop(server, 'SIGKILL');
      await work;
      assert.ok(statuses.every((status) => status === 200));
    }
    console.log(`      found ${[...seen].map(([name, count]) => `${count} × ${name}`).join(', ')}`);
    assert.ok(
      snapshots.every(({ name }) => (seen.get(name) ?? 0) > 0),
      'both were found',
    );
  });

  function facts(): string {
    const file = join(folder(), 'credits.ndjson');
    const records = Array.from({ length: 3000 }, (_, i) => ({
      ...{ kind: 'credits', date: DATE, service_account_name: `account-${i}` },
      ...{ model_name: 'm', credits_consumed: i },
    }));
    const member = { kind: 'user', user_email: 'ada@example.com' };
    const override = { kind: 'override', user_email: 'ada@example.com', ...OVERRIDE, config: { limit: '5' } };
    writeFileSync(file, [member, override, ...records].map((record) => JSON.stringify(record)).join('\n'));
    return file;
  }

  /** The snapshot of a server with its own budget and token, and its visible state. */
  async function snapshotOf(
    name: string,
    options: readonly string[],
  ): Promise<{ readonly name: string; readonly text: string; readonly view: string }> {
    const state = join(folder(), name);
    const server = await serve(['--state', state, '--now', '2026-11-21T09:00:00Z', ...options]);
    const client = new Client(server.info);
    await client.admin('POST', 'tokens', { scopes: ['analytics:read'], name });
    const { body } = await client.post(PATHS.getOverrides, {});
    const [first] = body.overrides as object[];
    await client.post(PATHS.setOverrides, { overrides: [{ ...first, config: { limit: '4711' } }] });
    const headers = { authorization: `Bearer ${server.info.adminToken}` };
    const text = await (await fetch(`${server.info.url}/__admin/snapshot`, { headers })).text();
    const seen = JSON.stringify(await view(client));
    await stop(server);
    return { name, text, view: seen };
  }

  /** Facts, budgets, and the names of tokens, which are unique. */
  async function view(client: Client): Promise<unknown> {
    const taken = await Promise.all(
      ['simulated', 'file'].map(async (name) => {
        const { status } = await client.admin('DELETE', `tokens/${encodeURIComponent(name)}`);
        return status === 200;
      }),
    );
    return [
      taken,
      (await client.post(PATHS.getOverrides, {})).body,
      (await client.get(PATHS.credits, { start_date: DATE, end_date: DATE, page_size: 500 })).body.records,
      (await client.post(PATHS.cost, {})).body.data_points,
    ];
  }
});

function writersPeople(): string[][] {
  return Array.from({ length: WRITERS }, (_, writer) =>
    Array.from({ length: PEOPLE }, (_, i) => `person-${writer}-${i}@example.com`),
  );
}

/** Sets the same limit for all its people, in one batch. */
function budgetWriter(people: readonly string[]): Writer {
  return {
    sent: 0,
    acknowledged: 0,
    send: (client, value) =>
      client.post(PATHS.setOverrides, {
        overrides: people.map((user_email) => ({ user_email, ...OVERRIDE, config: { limit: String(value) } })),
      }),
    async read(client) {
      const { body } = await client.post(PATHS.getOverrides, { user_emails: people });
      const limits = (body.overrides as { config: { limit: string } }[]).map(({ config }) => config.limit);
      if (limits.length === 0) return 0;
      assert.equal(limits.length, people.length, 'a batch is whole');
      assert.equal(new Set(limits).size, 1, 'a batch is whole');
      return Number(limits[0]);
    },
  };
}

/** Adds one credit for each of two accounts, in one import. */
function importWriter(): Writer {
  const fact = (service_account_name: string): string =>
    JSON.stringify({ kind: 'credits', date: DATE, service_account_name, model_name: 'm', credits_consumed: 1 });
  return {
    sent: 0,
    acknowledged: 0,
    send: (client) => client.admin('POST', 'import', `${fact('one')}\n${fact('two')}\n`),
    async read(client) {
      const { body } = await client.get(PATHS.credits, { start_date: DATE, end_date: DATE });
      const credits = (body.records as { credits_consumed: number }[]).map(({ credits_consumed }) => credits_consumed);
      if (credits.length === 0) return 0;
      assert.equal(credits.length, 2);
      assert.equal(credits[0], credits[1], 'an import is whole');
      return credits[0]!;
    },
  };
}
