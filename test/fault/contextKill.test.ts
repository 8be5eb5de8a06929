import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { documentId } from '../../src/engine/documentId.ts';
import type { ServerInfo } from '../../src/server/runningServer.ts';
import { WireClient } from '../../src/wire/wireClient.ts';
import { serve, stop } from '../support/servers.ts';
import { until } from '../support/until.ts';
import { folderOfTest } from '../support/temporary.ts';
import { chooseSeed, keepForInspection, seeded } from './truth.ts';

const KILLS = Math.max(5, Number(process.env.SEXTANT_FAULT_KILLS ?? 5));
const CLIENTS = 3;

interface Blob {
  readonly name: string;
  readonly path: string;
  readonly content: string;
  readonly size: number;
}

/** One unique word for each number. */
const word = (i: number): string => `${String(i).replaceAll(/\d/g, (digit) => 'bcdfghjklm'[Number(digit)]!)}z`;

function blobOf(i: number): Blob {
  const path = `f${i}.txt`;
  const content = `needle ${word(i)}\n`;
  return { name: documentId(path, Buffer.from(content)), path, content, size: content.length };
}

const connect = ({ url, token }: ServerInfo): WireClient =>
  // Requests of a killed server are dropped.
  new WireClient({ url, token, userAgent: 'test', timeoutMs: 20_000, backoffBaseMs: 10_000_000 });

describe('The index, search and ask service, killed with SIGKILL', () => {
  const folder = folderOfTest();
  // A second attempt starts from nothing.

  it('has, finds and keeps in checkpoints everything that it acknowledged, as a whole', async function () {
    this.timeout(KILLS * 30_000 + 600_000);
    const seed = chooseSeed();
    const random = seeded(seed);
    const state = join(folder(), 'state');
    const uploaded: number[] = [];
    const checkpoints = new Map<string, readonly number[]>();
    let next = 0;
    let unanswered = 0;
    for (let kill = 0; kill <= KILLS; kill++) {
      const server = await serve(['--state', state, '--users', '5']);
      const client = connect(server.info);
      try {
        await check(client, uploaded, checkpoints);
      } catch (error) {
        await stop(server, 'SIGKILL');
        const kept = keepForInspection(state, 'context');
        throw new Error(`After kill ${kill} of SEXTANT_FAULT_SEED=${seed}; the state is in ${kept}`, { cause: error });
      }
      await client.close();
      if (kill === KILLS) {
        assert.equal(await stop(server), 0);
        break;
      }
      const clients = Array.from({ length: CLIENTS }, async () => {
        const own = connect(server.info);
        try {
          for (;;) {
            const numbers = Array.from({ length: 1 + Math.floor(random() * 20) }, () => next++);
            const blobs = numbers.map(blobOf);
            assert.deepEqual(
              await own.upload(blobs),
              blobs.map(({ name }) => name),
            );
            uploaded.push(...numbers);
            const id = await own.checkpoint({
              checkpointId: undefined,
              added: blobs.map(({ name }) => name),
              deleted: [],
            });
            checkpoints.set(id, numbers);
          }
        } catch (error) {
          if (error instanceof assert.AssertionError) throw error;
          // The kill.
          unanswered++;
        } finally {
          await own.close();
        }
      });
      const before = checkpoints.size;
      // Most are killed during their work, some while they open the index.
      if (random() < 0.8) await until('work', () => checkpoints.size > before);
      await sleep(random() * 400);
      await stop(server, 'SIGKILL');
      await Promise.all(clients);
    }
    console.log(`      seed ${seed}: ${uploaded.length} files, ${checkpoints.size} checkpoints acknowledged`);
    assert.ok(uploaded.length > KILLS && checkpoints.size > 0 && unanswered === KILLS * CLIENTS);
  });
});

async function check(
  client: WireClient,
  uploaded: readonly number[],
  checkpoints: ReadonlyMap<string, readonly number[]>,
): Promise<void> {
  const names = uploaded.map((i) => blobOf(i).name);
  assert.deepEqual(await client.findMissing(names), { unknown: [], nonindexed: [] });
  const pathsFor = async (
    query: string,
    checkpointId: string | undefined,
    added: readonly string[],
  ): Promise<string[]> => {
    const text = await client.retrieve(query, { checkpointId, added, deleted: [] }, 80_000);
    return [...text.matchAll(/^Path: (.*)$/gm)].map(([, path]) => path!).sort();
  };
  for (const i of uploaded.slice(-5)) assert.deepEqual(await pathsFor(word(i), undefined, names), [`f${i}.txt`]);
  for (const [id, numbers] of [...checkpoints].slice(-5))
    assert.deepEqual(await pathsFor('needle', id, []), numbers.map((i) => `f${i}.txt`).sort());
  for (const [id] of checkpoints) await client.retrieve('', { checkpointId: id, added: [], deleted: [] });
}
