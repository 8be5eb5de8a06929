import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { until } from '../../test/support/until.ts';
import { silentLogger } from '../base/log.ts';
import { startOrAttach } from './launch.ts';
import { LocalServer } from './localServer.ts';

describe('the local server of a window', () => {
  const folder = temporaryFolder();

  it('whose state another process took over fails with the reason, answers 503, and attaches to the new owner', async () => {
    const state = join(folder(), 'state');
    const thread = new URL('./serverThread.ts', import.meta.url);
    const server = new LocalServer({ thread, logger: silentLogger, onState: () => undefined });
    const kind = (): string => server.state.kind;
    try {
      await server.start({ state });
      const { url } = server.info!;
      writeFileSync(join(state, 'writer.2.lock'), 'released');
      assert.equal((await fetch(`${url}/openapi.json`)).status, 503);
      await until('the window knows', () => kind() === 'failed');
      assert.ok(server.state.kind === 'failed');
      assert.equal(server.state.code, 'LeaseLost');
      assert.match(server.state.message, /took over .*Stop it, and/);
      assert.equal(server.info, undefined);
      const other = await startOrAttach({ state });
      try {
        assert.notEqual(other.info.url, url, 'the old one is still there');
        await server.attach(state);
        assert.equal(kind(), 'attached');
        assert.deepEqual(server.info, other.info);
        await assert.rejects(fetch(`${url}/healthz`), 'the old one is stopped');
      } finally {
        await other.server?.close();
      }
      await until('its end is noticed', () => kind() === 'stopped');
      await server.start({ state });
      assert.equal(kind(), 'running');
    } finally {
      await server.dispose();
    }
  });
});
