import assert from 'node:assert/strict';
import { readSnapshot } from './snapshot.ts';

describe('the first line of a snapshot', () => {
  async function* bytewise(text: string): AsyncGenerator<Uint8Array> {
    for (const byte of Buffer.from(text)) yield await Promise.resolve(Uint8Array.of(byte));
  }

  it('may come byte by byte', async () => {
    const header = {
      ...{ kind: 'snapshot', version: 1, clock: { now: 0, frozen: false } },
      ...{ simulation: null, scenario: 'ñ'.repeat(100_000), faults: [], tokens: [] },
    };
    const snapshot = await readSnapshot(bytewise(`${JSON.stringify(header)}\nrest`));
    assert.deepEqual(snapshot.header, header);
    let rest = '';
    for await (const chunk of snapshot.rest) rest += Buffer.from(chunk).toString();
    assert.equal(rest, 'rest');
  });
});
