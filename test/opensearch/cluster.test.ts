import assert from 'node:assert/strict';
import { clusterOfTests } from '../support/opensearch.ts';

describe('a cluster of OpenSearch for tests', () => {
  const cluster = clusterOfTests();

  it('answers, and has bitmap filters', async () => {
    const [url] = cluster().urls;
    const { version } = (await (await fetch(url!)).json()) as { version: { number: string } };
    const [major = 0, minor = 0] = version.number.split('.').map(Number);
    assert.ok(major > 2 || (major === 2 && minor >= 17), version.number);
  });
});
