import assert from 'node:assert/strict';
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

  it('does not grow with what it is told', () => {
    const log = new RequestLog();
    const before = process.memoryUsage().rss;
    for (let i = 0; i < 100; i++) {
      const message = Buffer.alloc(8_000_000, 'x').toString('latin1');
      log.add({ ...ENTRY, error: { code: 'InvalidArgument', message } });
    }
    assert.ok(process.memoryUsage().rss - before < 400_000_000);
    assert.equal(log.latest(100).length, 100);
  });
});
