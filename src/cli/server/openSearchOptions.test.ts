import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { clusterOf, openSearchOf } from './openSearchOptions.ts';

const HTTPS = ['https://search.example.com:9200'];
const invalid = { code: 'InvalidOption' };

describe('options for a store on OpenSearch', () => {
  const folder = temporaryFolder();

  it('leave the store in the state folder by default', () => {
    assert.equal(openSearchOf({}, {}), undefined);
    assert.equal(openSearchOf({ store: 'folder' }, {}), undefined);
    assert.equal(typeof openSearchOf({ store: 'opensearch', opensearchUrl: HTTPS }, {}), 'function');
  });

  it('need an address', () => {
    assert.throws(() => openSearchOf({ store: 'opensearch' }, {}), invalid);
    assert.throws(() => clusterOf({ opensearchUrl: ['search.example.com'] }, {}), invalid);
    assert.deepEqual(clusterOf({}, { SEXTANT_OPENSEARCH_URL: 'https://a:9200,https://b:9200' }).urls, [
      'https://a:9200',
      'https://b:9200',
    ]);
    assert.throws(
      () => openSearchOf({ store: 'opensearch', opensearchUrl: HTTPS, opensearchPrefix: 'A*' }, {}),
      invalid,
    );
  });

  it('take credentials from the environment, or from a file instead', () => {
    const env = { SEXTANT_OPENSEARCH_USERNAME: 'sextant', SEXTANT_OPENSEARCH_PASSWORD: 'secret' };
    const { username, password } = clusterOf({ opensearchUrl: HTTPS }, env);
    assert.deepEqual([username, password], ['sextant', 'secret']);
    const file = join(folder(), 'credentials.json');
    writeFileSync(file, '{"bearer":"abc"}');
    const fromFile = clusterOf({ opensearchUrl: HTTPS, opensearchCredentials: file }, env);
    assert.deepEqual([fromFile.username, fromFile.bearer], [undefined, 'abc']);
  });

  it('never quote the file of credentials', () => {
    const file = join(folder(), 'credentials.json');
    for (const text of ['secret-word', '{"username":"secret-word"}', 'null']) {
      writeFileSync(file, text);
      for (const more of [{}, { opensearchAws: 'eu-central-1' }])
        assert.throws(
          () => clusterOf({ opensearchUrl: HTTPS, opensearchCredentials: file, ...more }, {}),
          (error: Error) => !error.message.includes('secret-word') && error.message.includes(file),
        );
    }
  });

  it('send credentials to loopback or over TLS only', () => {
    const env = { SEXTANT_OPENSEARCH_TOKEN: 'abc' };
    assert.throws(() => clusterOf({ opensearchUrl: ['http://search.example.com'] }, env), invalid);
    assert.throws(() => clusterOf({ opensearchUrl: ['http://127.0.0.1.example.com'] }, env), invalid);
    assert.throws(() => clusterOf({ opensearchUrl: ['https://user:password@search.example.com'] }, {}), invalid);
    assert.equal(clusterOf({ opensearchUrl: ['http://127.0.0.1:9200'] }, env).bearer, 'abc');
    assert.equal(clusterOf({ opensearchUrl: ['http://search.example.com'] }, {}).bearer, undefined);
  });
});
