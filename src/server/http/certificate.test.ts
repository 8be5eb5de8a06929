import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:https';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { join } from 'node:path';
import { TestAuthority } from '../../../test/support/certificates.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { until } from '../../../test/support/until.ts';
import { forwardingLogger, silentLogger } from '../../base/log.ts';
import { SextantServer } from '../server.ts';
import { Certificate } from './certificate.ts';

describe('a server with a certificate', () => {
  const folder = temporaryFolder();
  let authority: TestAuthority;
  before(() => {
    authority = new TestAuthority(folder());
  });
  const servers: SextantServer[] = [];
  after(async () => {
    for (const server of servers) await server.close();
  });

  async function start(names = 'DNS:search.example.com,IP:127.0.0.1'): Promise<SextantServer> {
    const server = await SextantServer.start({ host: '0.0.0.0', port: 0, tls: authority.issue(names) });
    servers.push(server);
    return server;
  }

  /** Asks over TLS as a client that trusts `ca` alone, at 127.0.0.1, whatever the name. */
  function ask(
    url: string,
    ca?: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; text: string }> {
    const { hostname, port, pathname } = new URL(url);
    return new Promise((resolve, reject) => {
      const at = { host: '127.0.0.1', port, path: pathname, servername: hostname, ca };
      request({ ...at, headers: { host: `${hostname}:${port}`, ...headers } }, (answer) => {
        let text = '';
        answer.on('data', (piece: Buffer) => (text += piece.toString()));
        answer.on('end', () => resolve({ status: answer.statusCode!, text }));
      })
        .on('error', reject)
        .end();
    });
  }

  it('answers clients that trust its authority, under the names of the certificate, and no others', async () => {
    const server = await start();
    const { publicUrl, token } = server;
    assert.match(publicUrl, /^https:\/\/search\.example\.com:\d+$/);
    const ca = readFileSync(authority.ca, 'utf8');
    assert.deepEqual(JSON.parse((await ask(`${publicUrl}/healthz`, ca)).text), {
      ...{ status: 'ok', service: 'sextant', pid: process.pid },
    });
    const bearer = { authorization: `Bearer ${token}` };
    assert.equal((await ask(`${publicUrl}/analytics/v0/dau-count`, ca, bearer)).status, 200);
    assert.equal((await ask(`${publicUrl}/analytics/v0/dau-count`, ca)).status, 401);
    await assert.rejects(ask(`${publicUrl}/healthz`), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
    const other = publicUrl.replace('search', 'other');
    await assert.rejects(ask(`${other}/healthz`, ca), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    assert.equal((await ask(`${publicUrl}/healthz`, ca, { host: 'evil.example' })).status, 403);
  });

  it('speaks no HTTP at that port, nor old versions of TLS, and goes on', async () => {
    const { publicUrl } = await start();
    const { port } = new URL(publicUrl);
    await assert.rejects(fetch(`http://127.0.0.1:${port}/healthz`));
    const old = connect({ host: '127.0.0.1', port: Number(port), maxVersion: 'TLSv1.1', minVersion: 'TLSv1' });
    await assert.rejects(once(old, 'secureConnect'));
    assert.equal((await ask(`${publicUrl}/healthz`, readFileSync(authority.ca, 'utf8'))).status, 200);
  });

  it('serves this machine over HTTP at loopback', async () => {
    const { url, publicUrl } = await start();
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.notEqual(new URL(url).port, new URL(publicUrl).port);
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
  });

  it('uses a renewed certificate without a restart, and keeps the old one while the files do not fit', async () => {
    const place = folder();
    const files = { cert: join(place, 'cert.pem'), key: join(place, 'key.pem') };
    const install = ({ cert, key }: { cert: string; key: string }): void => {
      copyFileSync(key, files.key);
      copyFileSync(cert, files.cert);
    };
    install(authority.issue('DNS:old.example'));
    const log: string[] = [];
    const certificate = new Certificate(
      files,
      forwardingLogger((level, message) => void log.push(`${level}: ${message}`)),
    );
    const server = createServer(certificate.context).listen(0, '127.0.0.1');
    certificate.renew(server, 10);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const nameServed = async (): Promise<string | undefined> => {
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      const { subjectaltname } = socket.getPeerCertificate();
      socket.destroy();
      return subjectaltname;
    };
    try {
      assert.equal(await nameServed(), 'DNS:old.example');
      const next = authority.issue('DNS:new.example');
      copyFileSync(next.cert, files.cert);
      await until('the mismatch is reported', () => log.some((line) => line.startsWith('warn: The key in')));
      assert.equal(await nameServed(), 'DNS:old.example');
      install(next);
      await until('the new certificate is served', async () => (await nameServed()) === 'DNS:new.example');
    } finally {
      server.close();
    }
  });

  it('is refused with a reason when its files are none', () => {
    const { cert, key } = authority.issue('DNS:a.example');
    const other = authority.issue('DNS:b.example');
    const text = join(folder(), 'text.pem');
    writeFileSync(text, 'no certificate');
    for (const [files, expected] of [
      [{ cert: text, key }, /--tls-cert .* has no certificate in PEM/],
      [{ cert, key: text }, /--tls-key .* has no private key in PEM/],
      [{ cert, key: other.key }, /is not that of the certificate/],
      [{ cert: join(text, 'missing'), key }, /--tls-cert/],
    ] as const)
      assert.throws(() => new Certificate(files, silentLogger), { code: 'InvalidOption', message: expected });
  });

  it('warns of a certificate that ends soon', () => {
    const log: string[] = [];
    const logger = forwardingLogger((level, message) => void log.push(`${level}: ${message}`));
    new Certificate(authority.issue('DNS:a.example', 2), logger);
    assert.match(log.join('\n'), /^warn: The certificate in .* expires on /);
  });
});
