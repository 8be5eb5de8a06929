import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AdminClient } from './adminClient.ts';

describe('the client of the admin plane', () => {
  const answer = { status: 200, body: '' };
  const server = createServer((_, response) => response.writeHead(answer.status).end(answer.body));
  let client: AdminClient;

  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = new AdminClient({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      adminToken: 'admin',
    });
  });
  after(() => server.close());

  const unexpected = (status: number, missing: string): object => ({
    code: 'UnexpectedResponse',
    message: `The server at ${client.url} answered ${status} without ${missing}. Check whether another program listens there.`,
  });

  it('reports what the answer of another program lacks', async () => {
    for (const [method, path, body, missing] of [
      ['GET', 'webhooks?owner=ada', 'null', 'a JSON object'],
      ['GET', 'webhooks', '[]', 'a JSON object'],
      ['GET', 'webhooks', '"x"', 'a JSON object'],
      ['GET', 'webhooks', '{}', '“webhooks”'],
      ['GET', 'webhooks', '{"webhooks":{}}', '“webhooks”'],
      ['GET', 'webhooks', '<html>', 'JSON'],
      ['POST', 'webhooks', '{"name":"w"}', '“url”'],
      ['PATCH', 'triggers/a%20b', '{"name":"a b"}', '“words”'],
      ['DELETE', 'webhooks/w', '3', 'a JSON object'],
      ['DELETE', 'webhooks/w?force=true', '{}', '“triggers”'],
      ['POST', 'runs/retry', '{"retried":"1"}', '“retried”'],
      ['GET', 'unknown', '[]', 'a JSON object'],
    ] as const) {
      Object.assign(answer, { status: 200, body });
      await assert.rejects(client.ask(method, path), unexpected(200, missing), `${path} ${body}`);
    }
    Object.assign(answer, { status: 200, body: '{"webhooks":[],"more":1}' });
    assert.deepEqual(await client.ask('GET', 'webhooks?owner=ada'), { webhooks: [], more: 1 });
  });

  it('reports what the refusal of another program lacks', async () => {
    for (const [body, missing] of [
      ['null', 'a JSON object'],
      ['{"message":"no route"}', '“error”'],
      ['{"error":"Not found"}', '“error”'],
      ['{"error":{"code":404,"message":"Not found"}}', '“code”'],
    ] as const) {
      Object.assign(answer, { status: 404, body });
      await assert.rejects(client.ask('GET', 'webhooks'), unexpected(404, missing), body);
    }
  });

  it('reports what the lines of another program lack', async () => {
    for (const [path, body, missing] of [
      ['events/search', 'null\n', 'a JSON object'],
      ['events/search', '{}', '“event”'],
      ['events/find', '{"event":{}}\n', '“found”'],
      ['editor', '[]\n', 'a JSON object'],
      ['events/search', '<html>', 'JSON'],
    ] as const) {
      Object.assign(answer, { status: 200, body });
      await assert.rejects(client.lines('POST', path).next(), unexpected(200, missing), `${path} ${body}`);
    }
  });
});
