import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Client, PATHS, type Answer } from '../../test/conformance/client.ts';
import { refused } from '../../test/conformance/suite.ts';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { silentLogger } from '../base/log.ts';
import { hashToken } from './auth/tokens.ts';
import { SextantServer, type ServerOptions } from './server.ts';
import { StateFolder } from './state/stateFolder.ts';

describe('the start of a server', () => {
  const folder = temporaryFolder();
  const running: SextantServer[] = [];
  afterEach(async () => {
    for (const server of running.splice(0)) await server.close();
  });

  async function start(options: ServerOptions = {}): Promise<Client> {
    const server = await SextantServer.start({ rateLimit: false, ...options });
    running.push(server);
    return new Client(server);
  }

  const create = (client: Client, name: string): Promise<Answer> =>
    client.admin('POST', 'tokens', { scopes: ['analytics:read'], name });

  describe('has a token of its own', () => {
    it('that nobody can revoke or replace, and no other has its name', async () => {
      const client = await start();
      refused(await client.admin('DELETE', 'tokens/default'), 400, 'InvalidArgument', /start/);
      refused(await create(client, 'default'), 400, 'InvalidArgument', /another name/);
      assert.equal((await client.get(PATHS.dau)).status, 200);
    });

    it('also where an older version let it be revoked and made anew', async () => {
      const state = join(folder(), 'state');
      const folderOfState = await StateFolder.open(state, silentLogger);
      await folderOfState.append({ type: 'revoke', name: 'default' });
      await folderOfState.append({ type: 'token', name: 'default', hash: hashToken('theirs'), scopes: [] });
      await folderOfState.close();
      const client = await start({ state, token: 'fresh' });
      assert.equal((await client.get(PATHS.dau)).status, 200);
      refused(await client.get(PATHS.dau, {}, 'theirs'), 401, 'Unauthenticated');
    });
  });
});
