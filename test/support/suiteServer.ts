import { AdminClient } from '../../src/server/admin/adminClient.ts';
import { SextantServer } from '../../src/server/server.ts';
import { temporaryFolder } from './temporary.ts';

/** Starts a server with a state folder before the tests of a suite, and closes it after them. Call it inside `describe`. */
export function suiteServer(
  edges?: Parameters<typeof SextantServer.start>[1],
  webhooks?: NonNullable<Parameters<typeof SextantServer.start>[0]>['webhooks'],
): SuiteServer {
  const folder = temporaryFolder();
  const suite = {} as SuiteServer;
  before(async () => {
    suite.server = await SextantServer.start({ state: folder(), webhooks }, edges);
    suite.client = new AdminClient(suite.server);
  });
  after(() => suite.server.close());
  return suite;
}

export interface SuiteServer {
  server: SextantServer;
  client: AdminClient;
}
