import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { delivery, load, openDescriptors, residentMegabytes } from '../bench/load.ts';
import { Client } from '../conformance/client.ts';
import { isSoak } from '../support/runs.ts';
import { serve, stop, type ServeProcess } from '../support/servers.ts';

/** `npm run soak`: half an hour. */
const SECONDS = Number(process.env.SEXTANT_SOAK_SECONDS ?? (isSoak ? 1800 : 4));
/** The number of memory samples; the requests between two samples are built beforehand. */
const SAMPLES = Math.max(20, Math.ceil(SECONDS / 5));
/** A small limit for stored events, so that everything with a limit reaches it soon. */
const KEEP = { events: 20_000, megabytes: 100 };

describe('A server that accepts webhooks for a long time', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sextant-soak-'));
  let server: ServeProcess;
  after(async () => {
    await stop(server);
    rmSync(folder, { recursive: true, force: true });
  });

  it('needs no more memory, files and disk space at the end than after its start', async function () {
    this.timeout((SECONDS + 120) * 1000);
    const state = join(folder, 'state');
    server = await serve([
      '--state',
      state,
      '--keep-events',
      String(KEEP.events),
      '--keep-megabytes',
      String(KEEP.megabytes),
    ]);
    const { pid } = server.child;
    const client = new Client(server.info);
    const hook = (await client.admin('POST', 'webhooks', { name: 'w' })).body as {
      url: string;
      secret: string;
    };
    const filter = { in: [{ var: 'action' }, ['opened', 'closed']] };
    await client.admin('POST', 'triggers', { name: 't', webhook: 'w', filter });

    let sent = 0;
    const batch = (): Buffer[] => Array.from({ length: 60_000 }, () => delivery(hook, ++sent, String(sent)));
    const warm = { seconds: Math.min(10, SECONDS / 4), status: 202 };
    const { requestsPerSecond: most } = await load(server.info.url, pid!, batch(), warm);
    const rate = most / 2;
    const memory: number[] = [];
    const descriptors: number[] = [];
    for (let sample = 0; sample < SAMPLES; sample++) {
      const seconds = SECONDS / SAMPLES;
      const requests = Array.from({ length: Math.ceil(rate * seconds * 1.1) + 100 }, () =>
        delivery(hook, ++sent, String(sent)),
      );
      await load(server.info.url, pid!, requests, { rate, seconds, status: 202 });
      memory.push(residentMegabytes(pid!) ?? Number.NaN);
      descriptors.push(openDescriptors(pid!) ?? Number.NaN);
    }
    const { body: journal } = await client.admin('GET', 'journal');
    const bytes = sizeOf(join(state, 'webhooks'));
    console.log(`      ${rate.toFixed(0)} a second for ${SECONDS} s; memory, MB: ${shown(memory)}`);
    console.log(`      open files and sockets: ${shown(descriptors)}; ${(bytes / 1e6).toFixed(0)} MB on the disk`);
    assert.deepEqual(journal.damage, []);
    assert.ok(Number(journal.events) <= KEEP.events);
    assert.ok(bytes < KEEP.megabytes * 1e6 * 1.2, `${bytes} bytes`);
    if (memory.some(Number.isNaN)) return;
    assert.ok(Math.max(...descriptors) < 64 + 40, 'those of the connections, and a few of its own');
    assert.ok(Math.max(...memory) < 450, 'of memory there is a limit');
    // A short run ends before all caches are warm.
    if (SECONDS < 120) return;
    const [early, late] = [memory.slice(SAMPLES >> 2, SAMPLES >> 1), memory.slice(-(SAMPLES >> 2))].map((some) =>
      Math.max(...some),
    );
    assert.ok(late! < early! * 1.2 + 10, `${late} MB after ${early} MB`);
  });
});

/** A sample, at even distances. */
function shown(samples: readonly number[]): string {
  const step = Math.ceil(samples.length / 20);
  return samples
    .filter((_, i) => i % step === 0)
    .map((one) => one.toFixed(0))
    .join(' ');
}

function sizeOf(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}
