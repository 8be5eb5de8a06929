import assert from 'node:assert/strict';
import { readFileSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve, stop, type ServeProcess } from '../support/servers.ts';
import { until } from '../support/until.ts';
import { folderOfTest } from '../support/temporary.ts';
import { isSoak } from '../support/runs.ts';
import { ACTS, checkAll, Ledger, makeHooks, NOW, writeFacts, type Hooks } from './ledger.ts';
import { chooseSeed, keepForInspection, seeded } from './truth.ts';

const ROUNDS = Number(process.env.SEXTANT_FAULT_PAUSES ?? 3);
/** The round in which the next owner waits for a minute without a heartbeat, instead of finding an aged lock. */
const WAITS = isSoak ? 1 : 0;
const LEDGERS = 8;
/** More changes than one unfinished change of each kind. */
const ENOUGH = 25;

describe('A server that is paused while another takes over its state', () => {
  const folder = folderOfTest();
  // A second attempt starts from nothing.
  const running: ServeProcess[] = [];
  after(async () => {
    for (const server of running) if (server.child.exitCode === null) await stop(server, 'SIGKILL');
  });

  it('acknowledges and writes nothing afterwards, and the next owner has all acknowledged changes', async function () {
    if (process.platform === 'win32') this.skip();
    this.timeout(ROUNDS * 30_000 + WAITS * 600_000 + 600_000);
    const seed = chooseSeed();
    const random = seeded(seed);
    console.log(`      ${ROUNDS} pauses from seed ${seed}`);
    const state = join(folder(), 'state');
    const data = writeFacts(join(folder(), 'facts.ndjson'), LEDGERS + 1);
    const args = ['--state', state, '--data', data, '--now', NOW, '--no-rate-limit', '--port', '0'];
    const start = async (): Promise<ServeProcess> => {
      const server = await serve(args);
      running.push(server);
      return server;
    };
    let hooks: Hooks | undefined;
    let ledgers: Ledger[] = [];
    try {
      let owner = await start();
      for (let round = 0; round < ROUNDS + WAITS; round++) {
        hooks ??= await makeHooks(owner.info);
        if (ledgers.length === 0)
          ledgers = Array.from({ length: LEDGERS }, (_, i) => new Ledger(`${i}`, hooks!, random));
        // Half of the clients use the owner when it is paused, the others the next owner.
        const [before, after] = [ledgers.slice(0, LEDGERS / 2), ledgers.slice(LEDGERS / 2)];
        let isOver = false;
        const work = run(before, owner, () => isOver);
        await enough(before);
        await sleep(random() * 30);
        owner.child.kill('SIGSTOP');
        if (round < ROUNDS) ageLock(state);
        const heir = await start();
        assert.notEqual(heir.info.pid, owner.info.pid, 'the heir took over');
        assert.deepEqual([heir.info.token, heir.info.adminToken], [owner.info.token, owner.info.adminToken]);
        const later = run(after, heir, () => isOver);
        await enough(after);
        owner.child.kill('SIGCONT');
        const probe = new Ledger(`${LEDGERS}`, hooks, random, true);
        await assertFenced(owner, probe, state);
        await enough(after);
        isOver = true;
        await Promise.all([work, later]);
        // In any order, with SIGTERM or SIGKILL.
        const both = [owner, heir];
        if (random() < 0.5) both.reverse();
        for (const server of both) await stop(server, random() < 0.5 ? 'SIGTERM' : 'SIGKILL');
        owner = await start();
        await checkAll(owner.info, [...ledgers, probe]);
      }
      assert.equal(await stop(owner), 0);
    } catch (error) {
      const said = running.map((server) => server.stderr()).join('\n');
      const kept = keepForInspection(state, 'takeover');
      throw new Error(`SEXTANT_FAULT_SEED=${seed}; the state is in ${kept}; the servers said: ${said}`, {
        cause: error,
      });
    }
    const done = ledgers.reduce((sum, { counts }) => sum + counts.done, 0);
    const unknown = ledgers.reduce((sum, { counts }) => sum + counts.unknown, 0);
    console.log(`      ${done} changes acknowledged, ${unknown} without an answer or with 503`);
  });
});

async function run(ledgers: readonly Ledger[], server: ServeProcess, isOver: () => boolean): Promise<void> {
  await Promise.all(ledgers.map((ledger) => ledger.run(server.info, isOver)));
}

async function enough(ledgers: readonly Ledger[]): Promise<void> {
  const done = (): number => ledgers.reduce((sum, { counts }) => sum + counts.done, 0);
  const goal = done() + ENOUGH;
  await until('changes', () => done() >= goal);
}

/** Makes the owner's heartbeat older than a living owner's can be. */
function ageLock(state: string): void {
  const longAgo = new Date(Date.now() - 120_000);
  for (const folder of [state, join(state, 'context'), join(state, 'context', 'index')])
    for (const name of readdirSync(folder))
      if (/^writer\.\d+\.lock$/.test(name)) utimesSync(join(folder, name), longAgo, longAgo);
}

/** Checks that all changes are refused with 503 and the reason, or that the server has ended, with the reason in both logs. */
async function assertFenced(server: ServeProcess, probe: Ledger, state: string): Promise<void> {
  for (const act of [...ACTS, ...ACTS]) {
    const { outcome, answer } = await probe.try(server.info, act);
    assert.notEqual(outcome, 'done', `${act}: ${JSON.stringify(answer)}`);
  }
  const log = (): string => readFileSync(join(state, 'server.log'), 'utf8');
  await until('standard error and the log say why', () =>
    [server.stderr(), log()].every((text) => text.includes('took over')),
  );
}
