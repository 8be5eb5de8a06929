import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { EventEmitter, once } from 'node:events';
import { systemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/log.ts';
import { RawConnection } from '../../../test/support/rawHttp.ts';
import { HttpEdge } from './edge.ts';
import { HostCheck } from './hosts.ts';
import { RequestLog } from './requestLog.ts';

const HOUR_MS = 3_600_000;

describe('HttpEdge', () => {
  it('closes connections that clients opened and have not used, and answers what is in flight', async () => {
    const steps = new EventEmitter();
    const handle = async (): Promise<{ json: string }> => {
      steps.emit('begun');
      await once(steps, 'released');
      return { json: 'late' };
    };
    const edge = new HttpEdge({
      resources: [{ path: '/late', isLogged: true, methods: { GET: { handle } } }],
      hosts: new HostCheck([]),
      requestLog: new RequestLog(),
      clock: systemClock,
      logger: silentLogger,
      timeouts: { headersMs: HOUR_MS, idleMs: HOUR_MS },
    });
    const port = await edge.listen('127.0.0.1', 0);
    const unused = connect(port, '127.0.0.1').resume();
    await once(unused, 'connect');
    // Connections are accepted in their order.
    const used = new RawConnection(`http://127.0.0.1:${port}`).send('GET /late HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(steps, 'begun');
    const closed = edge.close(HOUR_MS);
    await once(unused, 'close');
    steps.emit('released');
    assert.equal((await used.answer())?.body, '"late"');
    await closed;
  });
});
