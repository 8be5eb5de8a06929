import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { openSearchOf } from '../../src/cli/server/openSearchOptions.ts';
import { DirectContext } from '../../src/context/directContext.ts';
import { SextantServer } from '../../src/server/server.ts';
import { clusterOfTests } from '../support/opensearch.ts';

const found = (text: string): string[] => [...text.matchAll(/^Path: (.*)$/gm)].map(([, path]) => path!).sort();

describe('servers with one store on OpenSearch', () => {
  const cluster = clusterOfTests();
  const servers: SextantServer[] = [];
  before(async () => {
    const options = {
      store: 'opensearch',
      opensearchUrl: cluster().urls,
      opensearchPrefix: `servers-${randomUUID()}`,
      opensearchShards: 1,
    } as const;
    for (let i = 0; i < 2; i++)
      servers.push(await SextantServer.start({ context: { openStore: openSearchOf(options, {}) } }));
  });
  after(async () => {
    for (const server of servers) await server.close();
  });
  const service = (i: number): { apiUrl: string; apiKey: string } => {
    const { url, token } = servers[i]!;
    return { apiUrl: url, apiKey: token };
  };

  it('find each what was added by the other, and need no upload again', async () => {
    const files = Array.from({ length: 1_200 }, (_, i) => ({
      path: `src/file${i}.ts`,
      contents: `export function function${i}() {}\n`,
    }));
    files.push({ path: 'src/retry.ts', contents: 'export function retryPayment() {}\n' });
    await using one = await DirectContext.create(service(0));
    const added = await one.addToIndex(files);
    assert.equal(added.newlyUploaded.length, files.length);
    const state = one.export();
    assert.match(JSON.stringify(state), /checkpointId/);
    await using other = await DirectContext.import(state, service(1));
    assert.equal(found(await other.search('retry payment'))[0], 'src/retry.ts');
    await other.removeFromIndex(['src/retry.ts']);
    assert.ok(!found(await other.search('retry payment')).includes('src/retry.ts'));
    assert.equal(found(await one.search('retryPayment'))[0], 'src/retry.ts');
    await using again = await DirectContext.create(service(1));
    const { newlyUploaded } = await again.addToIndex(files);
    assert.deepEqual(newlyUploaded, []);
  });
});
