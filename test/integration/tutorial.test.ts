import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serve, stop, type ServeProcess } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary.ts';

const DOCS = join(import.meta.dirname, '../../docs/local-server.md');

/** The commands of the shell blocks of a section, each with its continuation lines. The test sets the variables itself. */
function commands(section: string): string[] {
  const text = readFileSync(DOCS, 'utf8').split(`## ${section}\n`)[1]!.split('\n## ')[0]!;
  return [...text.matchAll(/```sh\n([^`]*)```/g)]
    .flatMap(([, block]) => block!.replaceAll('\\\n', ' ').split('\n'))
    .filter((line) => line !== '' && !/^(#|URL=)/.test(line));
}

describe('the tutorial of docs/local-server.md', () => {
  const folder = temporaryFolder();
  let server: ServeProcess | undefined;
  afterEach(() => server && stop(server));

  it('prints the documented output', async function () {
    if (process.platform === 'win32') this.skip();
    const [start = '', ...others] = commands('Ten minutes with curl');
    assert.match(start, /^sextant serve .*--state \.\/tutorial .*&$/);
    const args = start.replace(' &', '').split(' ').slice(2);
    server = await serve(args.map((arg) => (arg === './tutorial' ? join(folder(), 'tutorial') : arg)));
    const { url } = server.info;
    const run = (command: string): Record<string, unknown> => {
      const output = execFileSync('sh', ['-c', command], {
        ...{ cwd: folder(), encoding: 'utf8', env: { ...process.env, URL: url } },
      });
      return (output === '' ? {} : JSON.parse(output)) as Record<string, unknown>;
    };
    const answers = others.map(run);
    assert.equal(answers.length, 14);
    const [counts, page, cost, budgets, clock, later, , outage, broken, over, fault, credits, requests] = answers;
    const active = (counts!.daily_active_user_counts as { user_count: number }[]).map(({ user_count: one }) => one);
    assert.ok(active.length === 7 && Math.max(active[0]!, active[1]!) < Math.max(...active.slice(2)), active.join(' '));
    assert.deepEqual(
      [(page!.users as unknown[]).length, (page!.pagination as { has_more: boolean }).has_more],
      [3, true],
    );
    assert.ok((cost!.data_points as unknown[]).length >= 4);
    assert.ok((budgets!.overrides as unknown[]).length > 0);
    assert.match(clock!.now as string, /^2026-11-23T09:0/);
    assert.equal((later!.metadata as { effective_date: string }).effective_date, '2026-11-22');
    assert.equal(outage!.active, 'outage');
    assert.equal((broken!.error as { code: string }).code, 'ServiceUnavailable');
    assert.equal(over!.active, null);
    assert.equal(fault!.id, 'fault-2');
    assert.ok((credits!.records as unknown[]).length > 5);
    assert.equal((requests!.requests as { status: number }[])[1]!.status, 503);
  });
});
