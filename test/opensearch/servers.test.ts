import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/log.ts';
import { openSearchOf, type OpenSearchOptions } from '../../src/cli/server/openSearchOptions.ts';
import type { ContextStore } from '../../src/context/store/contextStore.ts';
import { DirectContext } from '../../src/context/directContext.ts';
import { SextantServer } from '../../src/server/server.ts';
import { pushFolder } from '../../src/context/push.ts';
import { WireClient } from '../../src/wire/wireClient.ts';
import { DEFAULT_EXCLUDE, MAX_FILE_BYTES } from '../../src/workspace/folderOptions.ts';
import { AwsProxy } from '../support/awsProxy.ts';
import { TestAuthority } from '../support/certificates.ts';
import { clusterOfTests } from '../support/opensearch.ts';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';
import { until } from '../support/until.ts';

const found = (text: string): string[] => [...text.matchAll(/^Path: (.*)$/gm)].map(([, path]) => path!).sort();

describe('a store behind TLS and the signatures of AWS', () => {
  const cluster = clusterOfTests();
  const folder = temporaryFolder();

  it('is used with the own authority and the keys of the environment, and refused without', async () => {
    const authority = new TestAuthority(folder());
    const account = {
      accessKeyId: 'AKIDTEST',
      secretAccessKey: 'a/b+c',
      sessionToken: 'x'.repeat(300),
      region: 'eu-central-1',
    };
    const proxy = await AwsProxy.start(cluster().urls[0]!, authority.issue('DNS:localhost'), account);
    const env = {
      ...{ AWS_ACCESS_KEY_ID: account.accessKeyId, AWS_SECRET_ACCESS_KEY: account.secretAccessKey },
      AWS_SESSION_TOKEN: account.sessionToken,
    };
    const prefix = `aws-${randomUUID()}`;
    const options = { store: 'opensearch', opensearchUrl: [proxy.url], opensearchPrefix: prefix } as const;
    const open = async (more: OpenSearchOptions, environment: NodeJS.ProcessEnv = env): Promise<ContextStore> =>
      openSearchOf({ ...options, ...more }, environment)!({ clock: systemClock, logger: silentLogger });
    const signed = { opensearchCa: authority.ca, opensearchAws: account.region };
    try {
      const store = await open(signed);
      const [name] = await store.upload([{ path: 'src/å (1).ts', content: 'export const heron = "ü€";\n' }]);
      const scope = { checkpointId: undefined, added: [name!], deleted: [] };
      assert.match(await store.retrieve('heron', scope), /Path: src\/å \(1\)\.ts/);
      await store.close();

      const file = join(folder(), 'keys.json');
      const print = ({ accessKeyId, secretAccessKey, sessionToken }: typeof account, seconds: number): void => {
        const keys = { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, SessionToken: sessionToken };
        const Expiration = new Date(Date.now() + 1000 * seconds).toISOString();
        writeFileSync(file, JSON.stringify({ Version: 1, ...keys, Expiration }));
      };
      print(account, 20);
      const renewed = await open({ ...signed, opensearchCredentials: file }, {});
      proxy.account = { ...account, accessKeyId: 'ASIANEW', secretAccessKey: 'new', sessionToken: 'y' };
      await assert.rejects(renewed.retrieve('heron', scope), { code: 'StoreDenied' });
      print(proxy.account, 3600);
      assert.match(await renewed.retrieve('heron', scope), /Path: src/);
      await renewed.close();
      proxy.account = account;

      await assert.rejects(open({ ...signed, opensearchAws: 'us-east-1' }), { code: 'StoreDenied' });
      await assert.rejects(open(signed, { ...env, AWS_SECRET_ACCESS_KEY: 'other' }), { code: 'StoreDenied' });
      await assert.rejects(open({ opensearchAws: account.region }), /OpenSearch does not answer \(.*certificate/);
      await assert.rejects(open(signed, {}), /needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/);
      const plain = { ...signed, opensearchUrl: ['http://search.example.com'] };
      await assert.rejects(open(plain), /would send the credentials unencrypted/);
    } finally {
      await proxy.close();
    }
  });
});

describe('servers with one store on OpenSearch', () => {
  const cluster = clusterOfTests();
  const folder = temporaryFolder();
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

  it('search what was pushed to the other, at its newest version', async () => {
    const clients = [0, 1].map((i) => {
      const { apiUrl: url, apiKey: token } = service(i);
      return new WireClient({ url, token, userAgent: 'test' });
    });
    const [one, other] = clients as [WireClient, WireClient];
    const push = async (text: string): Promise<number> => {
      const root = folder();
      writeFiles(root, { 'src/tariff.ts': text, 'README.md': '# Lighthouse\n' });
      const rules = { root, stateFolder: root, exclude: DEFAULT_EXCLUDE, maxFileBytes: MAX_FILE_BYTES };
      const { signal } = new AbortController();
      return (await pushFolder(rules, { name: 'acme/light' }, one, () => undefined, signal)).uploaded;
    };
    try {
      assert.equal(await push('export function oldTariff() {}\n'), 2);
      assert.equal((await other.searchRepositories('oldTariff')).results[0]?.path, 'src/tariff.ts');
      assert.equal(await push('export function newTariff() {}\n'), 1);
      // Another server may take its list of repositories from a second ago.
      await until('the other server sees the push', async () => {
        const { results } = await other.searchRepositories('newTariff');
        return results[0]?.places[0]?.symbol?.name === 'newTariff';
      });
      const { results } = await other.searchRepositories('oldTariff');
      assert.ok(!results.some(({ places }) => places.some(({ text }) => text.includes('oldTariff'))));
      assert.ok(await other.removeRepository('acme/light'));
    } finally {
      for (const client of clients) await client.close();
    }
  });
});
