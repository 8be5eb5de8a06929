import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { HostCheck } from './hosts.ts';

function check(allowed: readonly string[], hosts: readonly string[], url = '/'): string | undefined {
  const request = {
    headers: { host: hosts[0] },
    rawHeaders: hosts.flatMap((host, i) => [i % 2 === 0 ? 'Host' : 'hOST', host]),
    httpVersionMinor: 1,
    url,
  } as Partial<IncomingMessage> as IncomingMessage;
  try {
    new HostCheck(allowed).check(request);
    return undefined;
  } catch (error) {
    return `${(error as { code: string }).code}: ${(error as Error).message}`;
  }
}

describe('the hosts that requests may name', () => {
  it('are one in each request', () => {
    assert.equal(check([], ['localhost']), undefined);
    for (const second of ['evil.example', 'localhost', ''])
      assert.match(check([], ['localhost', second])!, /^InvalidArgument: the Host header is given more than once/);
  });

  it('may stand in the target', () => {
    for (const url of ['http://localhost/', 'HTTP://127.0.0.1:80?x', 'https://[::1]:5/x', '*', '//evil.example/'])
      assert.equal(check([], ['localhost'], url), undefined, url);
    for (const name of ['evil.example', 'localhost@evil.example', 'localhost:1@evil.example', ''])
      assert.match(check([], ['localhost'], `http://${name}/healthz`)!, /^PermissionDenied: the request target names/);
    assert.match(check([], ['evil.example'], 'http://localhost/')!, /^PermissionDenied: the Host header names/);
  });

  it('are those of the server, also where it listens on an IPv6 address', () => {
    for (const host of ['[2001:db8::7]', '[2001:DB8::7]:8080', '[2001:db8:0::7]'])
      assert.equal(check(['2001:DB8:0::7'], [host]), undefined, host);
    assert.equal(check(['fe80::1%lo'], ['[fe80::1%lo]:1']), undefined);
    assert.match(check(['2001:db8::7'], ['[2001:db8::8]'])!, /^PermissionDenied/);
  });
});
