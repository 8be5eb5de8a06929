import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { COMMAND } from '../support/command.ts';
import { parsePrometheus } from '../support/prometheus.ts';
import { serve, stop, type ServeProcess } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';

interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}

/** The first text in what a process writes that matches. */
async function firstMatch(stream: NodeJS.ReadableStream, pattern: RegExp): Promise<string> {
  const lines = createInterface(stream);
  for await (const line of lines) {
    const [, found] = pattern.exec(line) ?? [];
    if (found === undefined) continue;
    stream.resume();
    return found;
  }
  throw new Error(`It ended without ${pattern}.`);
}

const version = spawnSync('prometheus', ['--version'], { encoding: 'utf8' });
const isThere = version.status === 0;

/** Debian's package `prometheus`, or any other on the PATH. */
describe(`Prometheus${isThere ? '' : ' (skipped: not on this machine; apt-get install prometheus)'}`, () => {
  const newFolder = temporaryFolder();
  const running: ChildProcess[] = [];
  let server: ServeProcess | undefined;
  before(function () {
    if (!isThere) this.skip();
  });
  after(async () => {
    for (const child of running) child.kill('SIGKILL');
    if (server) await stop(server, 'SIGKILL');
  });

  function start(program: string, args: readonly string[]): ChildProcess {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    running.push(child);
    return child;
  }

  it('scrapes sextant metrics --listen, has every sample of it, and sees when it ends', async () => {
    const folder = newFolder();
    const organization = ['--seed', '7', '--users', '30', '--no-rate-limit'];
    server = await serve(['--state', join(folder, 'server'), '--port', '0', ...organization]);
    const places = ['--state', join(folder, 'state'), '--server-state', join(folder, 'server')];
    const metrics = start(process.execPath, [COMMAND, 'metrics', '--listen', '--port', '0', ...places]);
    const target = await firstMatch(metrics.stdout!, /http:\/\/(127\.0\.0\.1:\d+)\/metrics/);
    const config = join(folder, 'prometheus.yml');
    const scrape = { job_name: 'sextant', static_configs: [{ targets: [target] }] };
    // JSON is YAML.
    writeFileSync(config, JSON.stringify({ global: { scrape_interval: '1s' }, scrape_configs: [scrape] }));
    const place = [`--storage.tsdb.path=${join(folder, 'data')}`, '--web.listen-address=127.0.0.1:0'];
    const prometheus = start('prometheus', [`--config.file=${config}`, ...place]);
    const address = await firstMatch(prometheus.stderr!, /msg="Listening on".* address=([\d.:]+)/i);
    const query = async (text: string): Promise<readonly Sample[]> => {
      const response = await fetch(`http://${address}/api/v1/query?query=${encodeURIComponent(text)}`);
      // It does not answer queries until it has read its data.
      if (response.status === 503) return [];
      const { data } = (await response.json()) as { data?: { result: readonly Sample[] } };
      return data?.result ?? [];
    };
    await until('a scrape', async () => (await query('up{job="sextant"} == 1')).length === 1);
    const families = parsePrometheus(await (await fetch(`http://${target}/metrics`)).text());
    assert.ok(families.length >= 8);
    for (const { name, metrics: samples } of families) {
      const scraped = await query(name);
      const key = (labels: Readonly<Record<string, string>> | undefined, value: string | number): string =>
        JSON.stringify([Object.entries(labels ?? {}).filter(([label]) => !OWN_LABELS.has(label)).sort(), Number(value)]); // oxfmt-ignore
      assert.deepEqual(
        scraped.map(({ metric, value }) => key(metric, value[1])).sort(),
        samples.map(({ labels, value }) => key(labels, value)).sort(),
        name,
      );
    }
    const share = await query('sextant_budget_consumed_credits / sextant_budget_limit_credits > 0');
    assert.ok(share.length > 0, 'the share of docs/data-out.md');
    metrics.kill('SIGTERM');
    await once(metrics, 'exit');
    await until('a failed scrape', async () => (await query('up{job="sextant"} == 0')).length === 1);
  });
});

/** Labels that Prometheus adds. */
const OWN_LABELS = new Set(['__name__', 'instance', 'job']);
