import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { AdminClient } from '../../src/server/admin/adminClient.ts';
import { FaultClient } from '../../src/server/admin/faultClient.ts';
import { commandRunner, COMMAND } from '../support/command.ts';
import { parsePrometheus } from '../support/prometheus.ts';
import { serve, stop, type ServeProcess } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';

describe('sextant metrics', () => {
  const newFolder = temporaryFolder();
  const sextant = commandRunner(newFolder);
  let folder: string;
  let server: ServeProcess;
  before(async () => {
    folder = newFolder();
    const organization = ['--seed', '7', '--users', '30', '--no-rate-limit'];
    server = await serve(['--state', join(folder, 'server'), '--port', '0', ...organization]);
  });
  after(() => stop(server, 'SIGKILL'));

  const places = (): string[] => ['--state', join(folder, 'state'), '--server-state', join(folder, 'server')];

  it('prints figures that a Prometheus parser reads', () => {
    const { code, stdout, stderr } = sextant('metrics', '--once', '--accounts', '5', ...places());
    assert.equal(code, 0, stderr);
    assert.match(stdout, /\n# EOF\n$/);
    const families = parsePrometheus(stdout);
    assert.ok(families.length >= 8);
    for (const { name, type, help, metrics } of families) {
      assert.equal(type, 'GAUGE', name);
      assert.match(name, /^sextant_[a-z_]+$/);
      assert.match(help, /\.$/);
      for (const { value } of metrics) assert.ok(Number.isFinite(Number(value)), `${name} ${value}`);
    }
  });

  it('wants --once or --listen', () => {
    assert.match(sextant('metrics', ...places()).stderr, /\(?Add --once to print/);
    assert.equal(sextant('metrics', '--once', '--listen').code, 2);
    assert.equal(sextant('metrics', '--once', '--accounts', '1001').code, 2);
  });

  it('serves them to programs of this machine, also while the service fails, until it is stopped', async () => {
    const client = new FaultClient(new AdminClient(server.info));
    const fault = { path: '/analytics/v0/dau-count', status: 503, retryAfter: 2, times: 1 };
    await client.addFault(fault);
    // Nothing is cached there.
    const own = ['--state', join(folder, 'own'), '--server-state', join(folder, 'server')];
    const child = spawn(process.execPath, [COMMAND, 'metrics', '--listen', '--port', '0', ...own]);
    try {
      const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
      const url = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(line)![0];
      const early = await fetch(url);
      assert.deepEqual([early.status, early.headers.get('retry-after')], [503, '15']);
      let scrape = early;
      await until('a scrape', async () => (scrape = await fetch(url)).status === 200);
      assert.match(scrape.headers.get('content-type')!, /^text\/plain; version=0\.0\.4/);
      assert.ok(parsePrometheus(await scrape.text()).length >= 8);
      const open = await fetch(url, { headers: { accept: 'application/openmetrics-text;version=1.0.0,*/*;q=0.1' } });
      assert.match(open.headers.get('content-type')!, /^application\/openmetrics-text; version=1\.0\.0/);
      assert.match(await open.text(), /# EOF\n$/);
      assert.equal((await fetch(url.replace('/metrics', '/'))).status, 404);
      assert.equal((await fetch(url, { method: 'POST' })).status, 405);
      const refused = await answerFor(url, 'evil.example');
      assert.deepEqual(refused, [403, 'Programs of this machine alone are answered, at http://127.0.0.1.\n']);
      const port = new URL(url).port;
      const second = sextant('metrics', '--listen', '--port', port, ...own);
      assert.equal(second.code, 2);
      assert.match(second.stderr, /another program listens there/);
    } finally {
      child.kill('SIGTERM');
    }
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });
});

/** The answer to a request with a `Host` of its own. */
async function answerFor(url: string, host: string): Promise<unknown> {
  const asked = request(url, { headers: { host } });
  asked.end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return [answer.statusCode, await text(answer)];
}
