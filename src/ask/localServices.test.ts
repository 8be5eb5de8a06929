import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findLocalModels, LOCAL_SERVICES } from './localServices.ts';

describe('Models on this machine', () => {
  const servers: Server[] = [];
  after(() => {
    for (const server of servers) server.closeAllConnections();
    for (const server of servers) server.close();
  });

  async function serve(answer: RequestListener): Promise<string> {
    const server = createServer(answer).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  }

  it('are found where a service lists them, without a key', async () => {
    const requests: string[] = [];
    const baseUrl = await serve((request, response) => {
      requests.push(`${request.method} ${request.url} ${request.headers.authorization ?? 'no key'}`);
      response.end(JSON.stringify({ object: 'list', data: [{ id: 'small:7b' }, { id: 'large' }] }));
    });
    assert.deepEqual(await findLocalModels([{ name: 'Ollama', baseUrl }]), [
      { service: 'Ollama', baseUrl, model: 'small:7b' },
      { service: 'Ollama', baseUrl, model: 'large' },
    ]);
    assert.deepEqual(requests, ['GET /v1/models no key']);
  });

  it('are none where another program answers, redirects, stays silent, or none listens', async () => {
    const services = [
      await serve((_, response) => response.end('<html>')),
      await serve((_, response) => response.end('{"data":[{"id":7}]}')),
      await serve((_, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()),
      await serve(() => undefined),
      'http://127.0.0.1:9/v1',
    ];
    assert.deepEqual(await findLocalModels(services.map((baseUrl) => ({ name: 'x', baseUrl }))), []);
  });

  it('are looked for on loopback only', () => {
    for (const { baseUrl } of LOCAL_SERVICES) assert.equal(new URL(baseUrl).hostname, '127.0.0.1');
  });
});
