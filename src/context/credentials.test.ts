import assert from 'node:assert/strict';
import { join } from 'node:path';
import { temporaryFolder, writeFiles } from '../../test/support/temporary.ts';
import { resolveCredentials } from './credentials.ts';

describe('credentials', () => {
  const folder = temporaryFolder();
  const homeWith = (session?: string): string => {
    const home = folder();
    if (session !== undefined) writeFiles(home, { '.sextant/session.json': session });
    return home;
  };
  const session = (key: string): string => JSON.stringify({ accessToken: key, tenantURL: `http://${key}`, scopes: [] });

  it('come from the options, the session variable, the two variables or the file, each by itself', () => {
    const home = homeWith(session('file'));
    const variables = { SEXTANT_API_TOKEN: 'token', SEXTANT_API_URL: 'http://url' };
    const env = { SEXTANT_SESSION_AUTH: session('variable'), ...variables };
    const key = (given: object, one: Readonly<Record<string, string>>): readonly string[] => {
      const { apiKey, apiUrl } = resolveCredentials(given, { env: one, home });
      return [apiKey, apiUrl];
    };
    assert.deepEqual(key({ apiKey: 'k', apiUrl: 'u' }, env), ['k', 'u']);
    assert.deepEqual(key({ apiKey: 'k' }, env), ['k', 'http://variable']);
    assert.deepEqual(key({}, env), ['variable', 'http://variable']);
    assert.deepEqual(key({}, variables), ['token', 'http://url']);
    assert.deepEqual(key({}, { SEXTANT_API_TOKEN: 'token' }), ['token', 'http://file']);
    assert.deepEqual(key({ apiUrl: 'u' }, {}), ['file', 'u']);
    assert.deepEqual(key({}, {}), ['file', 'http://file']);
    const marked = homeWith(`\ufeff${session('marked')}`);
    assert.equal(resolveCredentials({}, { env: {}, home: marked }).apiKey, 'marked');
    assert.deepEqual(key({ apiKey: '' }, { SEXTANT_SESSION_AUTH: '' }), ['file', 'http://file']);
  });

  it('are reported missing, the key first, with the problem of the file', () => {
    const home = homeWith();
    assert.throws(() => resolveCredentials({}, { env: {}, home }), /API key is required/);
    assert.throws(() => resolveCredentials({ apiUrl: 'u' }, { env: {}, home }), /API key is required/);
    assert.throws(() => resolveCredentials({ apiKey: 'k' }, { env: {}, home }), /API URL is required/);
    for (const bad of ['{', '{}', '{"accessToken":"","tenantURL":"u"}', '{"accessToken":"k"}', 'null']) {
      const other = homeWith(bad);
      assert.throws(
        () => resolveCredentials({}, { env: {}, home: other }),
        (error: Error) =>
          error.message.includes('API key is required') &&
          error.message.includes(join(other, '.sextant', 'session.json')),
      );
    }
  });

  it('of the options need no other, whatever the session variable holds', () => {
    const given = { apiKey: 'k', apiUrl: 'u' };
    assert.deepEqual(resolveCredentials(given, { env: { SEXTANT_SESSION_AUTH: 'no session' } }), given);
  });

  it('are refused, and not shown, if the session variable holds no session', () => {
    for (const bad of ['sxt_secret', '{"accessToken":"sxt_secret"}'])
      assert.throws(
        () => resolveCredentials({ apiKey: 'k' }, { env: { SEXTANT_SESSION_AUTH: bad }, home: folder() }),
        (error: Error) =>
          error.message.includes('SEXTANT_SESSION_AUTH') &&
          error.cause === undefined &&
          !error.message.includes('secret'),
      );
  });
});
