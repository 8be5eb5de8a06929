import { randomUUID } from 'node:crypto';
import { OpenSearchStore } from '../../src/context/opensearch/openSearchStore.ts';
import { describeBlobStore } from '../support/blobStore.ts';
import { clusterOfTests } from '../support/opensearch.ts';
import { describeRepositories } from '../support/repositoryStore.ts';

describe('the store of contexts on OpenSearch', () => {
  const cluster = clusterOfTests();
  // One store for all: an index for each would take longer than the tests.
  const prefix = `test-${randomUUID()}`;

  describeBlobStore(() =>
    OpenSearchStore.open({ cluster: { urls: cluster().urls }, prefix, shards: 2, refreshMs: 100 }),
  );
});

describe('repositories of a store on OpenSearch', () => {
  const cluster = clusterOfTests();

  // Each test lists all repositories, and needs a store of its own.
  describeRepositories(() =>
    OpenSearchStore.open({
      ...{ cluster: { urls: cluster().urls }, prefix: `test-${randomUUID()}` },
      ...{ shards: 1, replicas: 0, refreshMs: 100 },
    }),
  );
});
