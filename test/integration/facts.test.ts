import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { commandRunner } from '../support/command.ts';
import { serve, stop, type ServeProcess } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary.ts';

describe('sextant export --facts', () => {
  const newFolder = temporaryFolder();
  const sextant = commandRunner(newFolder);
  let state: string;
  let server: ServeProcess;
  before(async () => {
    state = join(newFolder(), 'server');
    const organization = ['--seed', '7', '--users', '10', '--no-rate-limit', '--now', '2026-11-21T12:00:00Z'];
    server = await serve(['--state', state, '--port', '0', ...organization]);
  });
  after(() => stop(server, 'SIGKILL'));

  it('saves a file for each day and dataset, for their owner, and keeps them', () => {
    const folder = join(newFolder(), 'facts');
    const days = ['--since', '2026-11-19', '--to', '2026-11-20'];
    const first = sextant('export', '--facts', folder, ...days, '--state', state);
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stdout, /^12 files with [\d,]+ rows saved\.\n$/);
    const names = readdirSync(folder).sort();
    assert.deepEqual(names, ['active_accounts', 'activity', 'cost', 'credits', 'languages', 'organization']);
    assert.deepEqual(readdirSync(join(folder, 'cost')).sort(), ['2026-11-19.ndjson', '2026-11-20.ndjson']);
    if (process.platform !== 'win32')
      assert.equal(statSync(join(folder, 'activity', '2026-11-20.ndjson')).mode & 0o777, 0o600);
    const again = sextant('export', '--facts', folder, '--since', '2026-11-18', '--to', '2026-11-20', '--state', state);
    assert.match(again.stdout, /^6 files with [\d,]+ rows saved, 12 were there\.\n$/);
  }).timeout(60_000);

  it('says what is wrong with the days and the options', () => {
    const wrong = sextant('export', '--facts', newFolder(), '--since', 'yesterday', '--state', state);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /Choose days as YYYY-MM-DD from 20\d\d-\d\d-\d\d to 20\d\d-\d\d-\d\d/);
    assert.equal(sextant('export', '--facts', newFolder(), '--seed', '7').code, 2);
    for (const args of [['--url', 'http://127.0.0.1:1'], ['--since', '2026-11-18'], ['--refresh']]) {
      const without = sextant('export', '--seed', '7', ...args);
      assert.deepEqual([without.code, without.stdout], [2, '']);
      assert.match(without.stderr, new RegExp(`^sextant: ${args[0]!} is for --facts DIR`));
    }
    assert.equal(sextant('export', '--facts', newFolder(), '--format', 'xml').code, 2);
  });
});
