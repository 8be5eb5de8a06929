import { randomUUID } from 'node:crypto';
import { openSearchOf } from '../../src/cli/server/openSearchOptions.ts';
import type { ContextOptions } from '../../src/server/context/service.ts';
import { SextantServer } from '../../src/server/server.ts';
import { answer, describeDirectContext } from '../support/directContextSuite.ts';
import { clusterOfTests } from '../support/opensearch.ts';
import { describeProtocol } from '../support/protocolSuite.ts';

describe('a server with a store on OpenSearch', () => {
  const cluster = clusterOfTests();
  const openStore = (): ContextOptions['openStore'] =>
    openSearchOf(
      {
        ...{ store: 'opensearch' as const, opensearchUrl: cluster().urls },
        ...{ opensearchPrefix: `protocol-${randomUUID()}`, opensearchShards: 1 },
      },
      {},
    );

  describe('speaks the protocol', () => describeProtocol(openStore));

  describe('serves the library', () => {
    let server: SextantServer;
    before(async () => {
      server = await SextantServer.start({ context: { answer, openStore: openStore() } });
    });
    after(() => server.close());

    describeDirectContext(() => ({ apiKey: server.token, apiUrl: server.url }));
  });
});
