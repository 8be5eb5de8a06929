import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TestCertificate } from './certificates.ts';

/** Credentials that the proxy takes. */
export interface AwsAccount {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  readonly region: string;
}

/**
 * Stands before a cluster with TLS, and forwards what is signed by AWS Signature Version 4. Source: "Create a signed AWS API request" of the
 * IAM User Guide; it shares no code with the client's signer.
 */
export class AwsProxy {
  readonly #server: Server;
  account: AwsAccount;

  private constructor(server: Server, account: AwsAccount) {
    this.#server = server;
    this.account = account;
  }

  static async start(cluster: string, { cert, key }: TestCertificate, account: AwsAccount): Promise<AwsProxy> {
    const tls = { cert: readFileSync(cert), key: readFileSync(key) };
    const server = createServer(tls, (incoming, response) => {
      void buffer(incoming).then((body) => {
        const { method, url, headers } = incoming;
        if (!isSigned(incoming, body, proxy.account)) {
          response.writeHead(403, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ message: 'The request signature we calculated does not match' }));
          return;
        }
        const { authorization: _signature, host: _host, ...kept } = headers;
        const forwarded = request(`${cluster}${url}`, { method, headers: kept }, (answer) => {
          response.writeHead(answer.statusCode!, answer.headers);
          answer.pipe(response);
        });
        forwarded.end(body);
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const proxy = new AwsProxy(server, account);
    return proxy;
  }

  get url(): string {
    return `https://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }
}

function isSigned({ method, url, headers }: IncomingMessage, body: Buffer, account: AwsAccount): boolean {
  const found =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/es\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    );
  if (!found) return false;
  const [, id, day, region, names, signature] = found as unknown as [string, string, string, string, string, string];
  const time = String(headers['x-amz-date']);
  const signed = names.split(';');
  const isWhole =
    id === account.accessKeyId &&
    region === account.region &&
    headers['x-amz-security-token'] === account.sessionToken &&
    time.startsWith(day) &&
    ['host', 'x-amz-date', 'x-amz-security-token'].every((name) => signed.includes(name));
  if (!isWhole) return false;
  const { pathname, searchParams } = new URL(url!, 'https://host');
  const query = [...searchParams]
    .map(([name, value]) => `${strict(name)}=${strict(value)}`)
    .sort()
    .join('&');
  const canonical = [
    method,
    // Each part of the path is encoded twice.
    pathname.split('/').map(strict).join('/'),
    query,
    ...signed.map((name) => `${name}:${String(headers[name]).trim().replace(/\s+/g, ' ')}`),
    '',
    names,
    sha256(body),
  ].join('\n');
  const scope = `${day}/${region}/es/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = [day, region, 'es', 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${account.secretAccessKey}`);
  return hmac(key, toSign).toString('hex') === signature;
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(data: Buffer | string): string {
  return createHash('sha256').update(data).digest('hex');
}

function strict(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}
