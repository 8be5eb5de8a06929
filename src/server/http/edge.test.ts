import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { EventEmitter, once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { systemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/log.ts';
import { RawConnection } from '../../../test/support/rawHttp.ts';
import { HttpEdge, type EdgeTimeouts } from './edge.ts';
import type { Operation, Reply } from './exchange.ts';
import { HostCheck } from './hosts.ts';
import { RequestLog } from './requestLog.ts';

const HOUR_MS = 3_600_000;

const QUIET_MS = 100;

function edgeOf(handle: Operation['handle'], timeouts: Partial<EdgeTimeouts>, bodyBytes?: number): HttpEdge {
  return new HttpEdge({
    resources: [{ path: '/late', isLogged: true, methods: { GET: { handle }, POST: { handle, maxBytes: 100 } } }],
    ...(bodyBytes !== undefined && { bodyBytes }),
    hosts: new HostCheck([]),
    requestLog: new RequestLog(),
    clock: systemClock,
    logger: silentLogger,
    timeouts,
  });
}

const request = 'GET /late HTTP/1.1\r\nHost: localhost\r\n\r\n';

describe('HttpEdge', () => {
  it('does not close a connection that waits for a late answer, and closes it once it is idle', async () => {
    const handle = (): Promise<Reply> => setTimeout(5 * QUIET_MS, { json: 'late' });
    const edge = edgeOf(handle, { idleMs: QUIET_MS });
    const socket = connect(await edge.listen('127.0.0.1', 0), '127.0.0.1');
    const text = socket.setEncoding('utf8').toArray();
    socket.write(request);
    assert.match((await text).join(''), /"late"$/);
    await edge.close();
  });

  it('refuses bodies that would take too much memory together, and takes others when these have come', async () => {
    const steps = new EventEmitter();
    const handle: Operation['handle'] = async (exchange) => {
      const whole = exchange.body();
      steps.emit('begun');
      return { json: (await whole).length };
    };
    const edge = edgeOf(handle, {}, 150);
    const url = `http://127.0.0.1:${await edge.listen('127.0.0.1', 0)}`;
    const head = 'POST /late HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n';
    const slow = new RawConnection(url).send(`${head}${'a'.repeat(90)}`);
    // The beginning of the body comes with the head.
    await once(steps, 'begun');
    assert.equal((await new RawConnection(url).send(`${head}${'c'.repeat(100)}`).answer())?.status, 503);
    slow.send('a'.repeat(10));
    assert.deepEqual([(await slow.answer())?.body], ['100']);
    const { status, body } = (await new RawConnection(url).send(`${head}${'b'.repeat(100)}`).answer())!;
    assert.deepEqual([status, body], [200, '100']);
    await edge.close();
  });

  it('closes connections that clients opened and have not used, and answers what is in flight', async () => {
    const steps = new EventEmitter();
    const handle = async (): Promise<{ json: string }> => {
      steps.emit('begun');
      await once(steps, 'released');
      return { json: 'late' };
    };
    const edge = edgeOf(handle, { headersMs: HOUR_MS, idleMs: HOUR_MS });
    const port = await edge.listen('127.0.0.1', 0);
    const unused = connect(port, '127.0.0.1').resume();
    await once(unused, 'connect');
    // Connections are accepted in their order.
    const used = new RawConnection(`http://127.0.0.1:${port}`).send(request);
    await once(steps, 'begun');
    const closed = edge.close(HOUR_MS);
    await once(unused, 'close');
    steps.emit('released');
    assert.equal((await used.answer())?.body, '"late"');
    await closed;
  });
});
