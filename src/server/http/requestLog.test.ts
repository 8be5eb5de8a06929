import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { until } from '../../../test/support/until.ts';
import { RequestLog, type LoggedRequest, type RequestEntry } from './requestLog.ts';

const ENTRY: RequestEntry = {
  at: 0,
  method: 'GET',
  path: '/healthz',
  query: '',
  rawHeaders: [],
  durationMs: 1,
  caller: undefined,
  status: 200,
  warnings: [],
};

function logged(entry: Partial<RequestEntry>): LoggedRequest {
  const log = new RequestLog();
  log.add({ ...ENTRY, ...entry });
  return log.latest(1)[0]!;
}

describe('the log of requests', () => {
  it('keeps the beginning of what is long', () => {
    const long = 'x'.repeat(100_000);
    const cut = `${'x'.repeat(2_000)}...`;
    const { path, query, headers, message, warnings } = logged({
      path: long,
      query: long,
      rawHeaders: ['Accept', long],
      error: { code: 'InvalidArgument', message: long },
      warnings: new Array<string>(5_000).fill('odd'),
    });
    assert.deepEqual([path, query, headers.accept, message], [cut, cut, cut, cut]);
    assert.deepEqual([warnings.length, warnings.at(-1)], [21, '4980 more']);
  });

  it('shows no secret, wherever it stands and however its name is written', () => {
    const wanted: [string, string][] = [
      ['page_size=5&to=a/b', 'page_size=5&to=a/b'],
      ['token', 'token'],
      ['tok%65n=SECRET&a=1', 'tok%65n=[redacted]&a=1'],
      ['auth=SECRET/SECRET==&a=1', 'auth=[redacted]&a=1'],
      ['to=http%3A%2F%2Fx%3Ftoken%3DSECRET&a=1', 'to=[redacted]&a=1'],
      ['a=http://x/?access_token=SECRET', 'a=http://x/?access_token=[redacted]'],
      ['a=%zz&session%=SECRET', 'a=%zz&session%=[redacted]'],
    ];
    for (const [query, shown] of wanted) {
      assert.equal(logged({ query }).query, shown);
      assert.equal(logged({ rawHeaders: ['Referer', `http://h/?${query}`] }).headers.referer, `http://h/?${shown}`);
      const message = logged({ error: { code: 'NotFound', message: `there is no path /x?${query}` } }).message;
      assert.equal(message, `there is no path /x?${shown}`);
    }
    const names = ['X-Auth', 'X-Session', 'X-Access-Key', 'X-Credential', 'Bearer', 'Proxy-Authorization', 'X-Api-Key'];
    const shown = logged({
      path: '/v0/token=SECRET',
      rawHeaders: [...names.flatMap((name) => [name, 'SECRET']), 'X-Forwarded', 'Bearer SECRET', 'Accept', 'x/y; q=1'],
    });
    assert.ok(!JSON.stringify(shown).includes('SECRET'), JSON.stringify(shown));
    assert.equal(shown.headers.accept, 'x/y; q=1');
  });

  it('does not grow with the number of requests', async () => {
    const log = new RequestLog();
    const before = usedBytes();
    for (let i = 0; i < 100; i++) {
      const message = Buffer.alloc(8_000_000, 'x').toString('latin1');
      log.add({ ...ENTRY, error: { code: 'InvalidArgument', message } });
    }
    // What earlier tests left behind may take a moment.
    await until('less than a tenth of 800 MB is kept', () => usedBytes() - before < 80_000_000);
    assert.equal(log.latest(100).length, 100);
  });
});

/** Without unreachable objects. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
