// Checks any server over HTTP: the local one, or the one that these variables name.
//   SEXTANT_CONFORMANCE_URL, SEXTANT_CONFORMANCE_TOKEN and, for figures, SEXTANT_CONFORMANCE_ADMIN_TOKEN
import { startServer, type TestServer } from '../../src/server/testing.ts';
import type { Target } from './client.ts';
import { describeFigures, describeRules } from './suite.ts';

const {
  SEXTANT_CONFORMANCE_URL: url,
  SEXTANT_CONFORMANCE_TOKEN: token = '',
  SEXTANT_CONFORMANCE_ADMIN_TOKEN: adminToken,
} = process.env;

describe(`the analytics API at ${url ?? 'a local server'}`, () => {
  let own: TestServer | undefined;
  const target = (): Target => own ?? { url: url!, token, adminToken };
  before(async () => {
    if (url === undefined) own = await startServer();
  });
  after(() => own?.close());

  describeRules(target);
  if (url === undefined || adminToken !== undefined) describeFigures(target);
});

if (url === undefined)
  describe('the analytics API of a simulated organization', () => {
    let own: TestServer;
    before(async () => {
      own = await startServer({ seed: 3, users: 60 });
    });
    after(() => own.close());

    describeRules(() => own);
  });
