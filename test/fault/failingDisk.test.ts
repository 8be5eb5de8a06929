import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger, type Logger } from '../../src/base/log.ts';
import { loadData, startOrAttach, type Launched } from '../../src/server/launch.ts';
import { FailingDisk, type FailureCode, type Persistence } from './failingDisk.ts';
import { ACTS, checkAll, Ledger, makeHooks, NOW, writeFacts, type Hooks } from './ledger.ts';
import { chooseSeed, fastFolder, keepForInspection, seeded } from './truth.ts';

/** The step between the writing calls that fail; 1 lets each call fail in its turn. */
const EVERY = Number(process.env.SEXTANT_FAULT_EVERY ?? 29);

describe('A server whose disk fails at a write', () => {
  const folder = fastFolder();
  const whole = join(folder, 'whole');
  const state = join(folder, 'state');
  const seed = chooseSeed();
  const random = seeded(seed);
  const data = writeFacts(join(folder, 'facts.ndjson'), 2);
  let disk: FailingDisk;
  let hooks: Hooks;
  let old: Ledger;
  let server: Launched['server'];
  const said: string[] = [];
  const logger: Logger = { ...silentLogger, error: (message) => void said.push(message) };

  async function start(at: string): Promise<Launched> {
    said.length = 0;
    const launched = await startOrAttach(
      { state: at, port: 0, rateLimit: false, now: Date.parse(NOW), data: () => loadData(data) },
      { logger },
    );
    server = launched.server;
    assert.ok(server, 'it has the state for itself');
    return launched;
  }

  async function stop(): Promise<void> {
    await server?.close();
    server = undefined;
  }

  before(async () => {
    const { info } = await start(whole);
    hooks = await makeHooks(info);
    old = new Ledger('0', hooks, random);
    for (const act of [...ACTS, ...ACTS]) assert.equal(await old.act(info, act), 'done');
    await stop();
    disk = await FailingDisk.below(state);
  });
  after(async () => {
    disk.heal();
    disk.restore();
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [code, persistence] of [
    ['ENOSPC', 'stays'],
    ['ENOSPC', 'once'],
    ['EROFS', 'stays'],
  ] as [FailureCode, Persistence][])
    it(`starts, refuses requests with the reason and loses nothing (${code}, ${persistence})`, async function () {
      this.timeout(1_800_000);
      const seen = { rounds: 0, done: 0, refused: 0 };
      for (let n = 1 + Math.floor(random() * EVERY); ; n += EVERY) {
        rmSync(state, { recursive: true, force: true });
        cpSync(whole, state, { recursive: true });
        const own = new Ledger('1', hooks, random);
        try {
          disk.failAt(n, persistence, code);
          let launched: Launched | undefined = await start(state);
          for (const act of [...ACTS, ...ACTS]) await own.act(launched.info, act);
          const hits = disk.heal();
          // The disk has space again.
          await checkAll(launched.info, [old, own]);
          for (const act of ACTS) assert.equal(await own.act(launched.info, act), 'done', `${act} with room`);
          await stop();
          launched = await start(state);
          await checkAll(launched.info, [old, own]);
          await stop();
          seen.rounds++;
          seen.done += own.counts.done;
          seen.refused += own.counts.refused;
          if (hits === 0) break;
        } catch (error) {
          disk.heal();
          await stop();
          const kept = keepForInspection(state, 'failingDisk');
          const where = `call ${n} failed; SEXTANT_FAULT_SEED=${seed}; the state is in ${kept}`;
          throw new Error(`${where}; the server said: ${said.slice(-3).join('\n')}`, { cause: error });
        }
      }
      console.log(`      ${seen.rounds} failing calls: ${seen.done} changes acknowledged, ${seen.refused} refused`);
      assert.ok(seen.refused > 0);
    });
});
