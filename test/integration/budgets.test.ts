import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readLimits } from '../../src/analytics/budgets/budgetService.ts';
import { AdminClient } from '../../src/server/admin/adminClient.ts';
import { FaultClient } from '../../src/server/admin/faultClient.ts';
import { organizationOf, person, quickClient, serviceAccount } from '../support/budgets.ts';
import { COMMAND, type Outcome } from '../support/command.ts';
import { assertGolden } from '../support/golden.ts';
import { serve, stop, type ServeProcess } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';

const SET = '/analytics/v0/set-user-budget-overrides';
const CROWD = 5_001;

interface Report {
  readonly endedAt?: string;
  readonly rows: readonly { readonly state: string; readonly identity: { readonly name: string } }[];
}

describe('sextant budgets', function () {
  const newFolder = temporaryFolder();
  let folder: string;
  let server: ServeProcess;
  let faults: FaultClient;
  let env: NodeJS.ProcessEnv;
  let state: string;

  before(async () => {
    folder = newFolder();
    const accounts = [
      [person('ada@example.com'), '100'],
      [person('bob@example.com'), ''],
      [person('=evil()@example.com'), '300'],
      [person('red\u001b[31m@example.com'), '5'],
      [serviceAccount('nightly, build'), '400'],
      ...Array.from({ length: CROWD }, (_, i) => [serviceAccount(`crowd-${i}`), ''] as const),
    ] as const;
    const file = join(folder, 'facts.ndjson');
    writeFileSync(
      file,
      organizationOf(accounts)
        .map((fact) => `${JSON.stringify(fact)}\n`)
        .join(''),
    );
    server = await serve(['--state', join(folder, 'server'), '--port', '0', '--data', file, '--no-rate-limit']);
    faults = new FaultClient(new AdminClient(server.info));
    env = { SEXTANT_ANALYTICS_URL: server.info.url, SEXTANT_ANALYTICS_TOKEN: server.info.token };
  });
  after(() => stop(server, 'SIGKILL'));
  beforeEach(async () => {
    await new AdminClient(server.info).ask('POST', 'reset');
    state = newFolder();
  });

  function start(
    args: readonly string[],
    extra: NodeJS.ProcessEnv = {},
    ofState: readonly string[] = ['--state', state],
  ): { pid: number; ended: Promise<Outcome> } {
    const child = spawn(process.execPath, [COMMAND, 'budgets', ...args, ...ofState], {
      env: { ...process.env, ...env, ...extra },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    return {
      pid: child.pid!,
      ended: once(child, 'close').then(([code]) => ({ code: code as number, stdout, stderr })),
    };
  }
  const run = (...args: string[]): Promise<Outcome> => start(args).ended;

  function csv(...lines: readonly string[]): string {
    const file = join(newFolder(), 'limits.csv');
    writeFileSync(file, lines.join('\r\n'));
    return file;
  }

  /** The limits of the service, by account. */
  async function limits(): Promise<Record<string, string>> {
    const { overrides } = await readLimits(quickClient(server.info, newFolder()));
    return Object.fromEntries([...overrides.values()].map(({ identity, limit }) => [identity.name, limit]));
  }

  const MIXED = [
    'Limit;Account;Team',
    '150;ADA@example.com;a',
    '1;bob@example.com;b',
    ';"nightly, build";c',
    '300;"\'=evil()@example.com";d',
    '5;nobody@example.com;e',
    '1E+5;ada@example.com;f',
    '7;"red\u001b[31m@example.com";g',
  ];

  it('import previews the changes, applies them, and lists the rows that fail', async () => {
    const before = await limits();
    const file = csv(...MIXED);
    const dry = await run('import', file, '--dry-run');
    assert.deepEqual([dry.code, dry.stderr], [1, '']);
    const told = (text: string): string =>
      text.replaceAll(file, 'limits.csv').replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'NOW');
    const unasked = await run('import', file);
    assert.deepEqual([unasked.code, unasked.stdout], [2, '']);
    assert.match(
      unasked.stderr,
      /4 changes: 1 new, 2 changed, 1 cleared; 1 unchanged; 2 problems; ignored column: Team\. Nothing was changed\. Add --yes/,
    );
    assert.deepEqual(await limits(), before);

    const failures = join(folder, 'failures.csv');
    writeFileSync(failures, 'mine');
    const refused = await run('import', file, '--yes', '--failures', failures);
    assert.match(refused.stderr, /exists already\. Name another with --failures, or replace it with --force\./);
    assert.deepEqual(await limits(), before, 'nothing is sent before');

    const done = await run('import', file, '--yes', '--failures', failures, '--force');
    assert.equal(done.code, 1, done.stderr);
    assertGolden('budgets-import.txt', `${told(dry.stdout)}\n${told(done.stdout)}`);
    assert.deepEqual(await limits(), { 'ada@example.com': '150', 'bob@example.com': '1', '=evil()@example.com': '300', 'red\u001b[31m@example.com': '7' }); // oxfmt-ignore
    assert.match(
      readFileSync(failures, 'utf8'),
      /^user_email,.*,error\r\nnobody@example\.com,,5,.*"?Line 6: The organization/,
    );

    const undone = await run('undo', '--yes', '--json');
    assert.equal(undone.code, 0, undone.stderr);
    assert.deepEqual(await limits(), before);

    const nobody = csv('user_email,limit', 'nobody@example.com,5');
    for (const option of ['--dry-run', '--yes']) {
      const none = await run('import', nobody, option, '--failures', failures, '--force');
      assert.equal(none.code, 1, none.stderr);
      assert.match(readFileSync(failures, 'utf8'), /^user_email,.*,error\r\nnobody@example\.com,,5,.*Line 2: /);
      writeFileSync(failures, '');
    }
  });

  it('export writes a file whose import changes nothing', async () => {
    const file = join(newFolder(), 'all.csv');
    assert.equal((await run('export', '--output', file)).code, 0);
    assert.match(readFileSync(file, 'utf8'), /\r\n"'=evil\(\)@example\.com",,300,/);
    const again = await run('import', file, '--dry-run');
    assert.deepEqual([again.code, again.stdout.includes('no changes; 4 unchanged.')], [0, true], again.stdout);
    assert.equal((await run('import', file)).code, 0, 'there is nothing to ask');
  });

  it('set and clear change one override, and status shows the change', async () => {
    assert.equal((await run('set', 'bob@example.com', '999999999999999999', '--yes')).code, 0);
    assert.equal((await limits())['bob@example.com'], '999999999999999999');
    assert.equal((await run('clear', 'nightly, build', 'ada@example.com', '--yes')).code, 0);
    assert.equal((await limits())['nightly, build'], undefined);
    const { rows } = JSON.parse((await run('status', '--json')).stdout) as Report;
    assert.deepEqual(
      rows.map(({ state, identity }) => [state, identity.name]),
      [
        ['confirmed', 'nightly, build'],
        ['confirmed', 'ada@example.com'],
      ],
    );
    const wrong = await run('set', 'bob@example.com', '5,000');
    assert.deepEqual([wrong.code, wrong.stderr.includes('without separators')], [2, true]);
    assert.equal((await run('set', 'nobody', '5', '--yes')).code, 1);
    assert.match((await run('import', join(folder, 'none.csv'))).stderr, /cannot be read/);
  });

  it('asks for confirmation on a terminal, and changes nothing without it', async function () {
    if (!existsSync('/usr/bin/script')) this.skip();
    const command = `${process.execPath} ${COMMAND} budgets set bob@example.com 5 --state ${state}`;
    for (const [answer, limit] of [
      ['n', undefined],
      ['y', '5'],
    ] as const) {
      const child = execFile('/usr/bin/script', ['-qec', command, '/dev/null'], { env: { ...process.env, ...env } });
      let seen = '';
      child.stdout!.on('data', (text: string) => {
        const asked = seen.includes('[y/N]');
        seen += text;
        if (!asked && seen.includes('[y/N]')) child.stdin!.write(`${answer}\n`);
      });
      await once(child, 'close');
      assert.match(seen, /1 change: 1 new\..*Apply 1 change\? \[y\/N\]/s);
      assert.equal((await limits())['bob@example.com'], limit, seen);
    }
  });

  it('name the missing permission', async () => {
    const { token } = await new AdminClient(server.info).ask<{ token: string }>('POST', 'tokens', {
      scopes: ['analytics:read'],
    });
    const { ended } = start(['set', 'bob@example.com', '5', '--yes'], { SEXTANT_ANALYTICS_TOKEN: token });
    const { code, stdout } = await ended;
    assert.equal(code, 2);
    assert.match(stdout, /does not have the permission budgets:write.*\n\nNot sent\n.*bob@example\.com/s);
  });

  it('remember on this machine which limits are meant to end', async () => {
    assert.equal((await run('remind', 'ada@example.com', '--on', '2026-12-31', '--note', 'back to 50')).code, 0);
    assert.equal((await run('remind')).stdout, 'ada@example.com, 2026-12-31: back to 50\n');
    assert.equal((await run('remind', 'ada@example.com', '--never')).code, 0);
    assert.equal((await run('remind')).code, 1);
    assert.equal((await run('remind', 'ada@example.com', '--on', 'soon')).code, 2);
  });

  it('import of 5,001 rows that is interrupted lists the rows that were not sent', async () => {
    const file = csv('account,limit', ...Array.from({ length: CROWD }, (_, i) => `crowd-${i},${i + 1}`));
    const failures = join(newFolder(), 'failures.csv');
    await faults.addFault({ path: SET, every: 2, status: 429, retryAfter: 60 });
    const { pid, ended } = start(['import', file, '--yes', '--failures', failures]);
    await until('the first batch is applied', async () => (await limits())['crowd-0']);
    process.kill(pid, 'SIGINT');
    const { code, stdout, stderr } = await ended;
    await faults.clearFaults();
    assert.match(stdout, /^5,000 of 5,001 limits are set as requested: 1 not sent, 5,000 applied\./m);
    assert.match(stderr, /The batch is not complete\..* Run sextant budgets resume\.\n/);
    assert.equal(code, 130, stderr);
    assert.match(readFileSync(failures, 'utf8'), /^user_email,.*,error\r\n,crowd-5000,5001,.*,not sent\r\n$/);
    assert.equal((await run('resume')).code, 0);
  });

  it('import of 5,001 rows survives a kill between batches and resumes; another process waits', async () => {
    const file = csv('account,limit', ...Array.from({ length: CROWD }, (_, i) => `crowd-${i},${i + 1}`));
    // The second batch is in flight long enough for a kill.
    await faults.addFault({ path: SET, every: 2, latency: { ms: 60_000 } });
    const { pid, ended } = start(['import', file, '--yes']);
    const journal = (): string => {
      const folders = readdirSync(state, { recursive: true, encoding: 'utf8' });
      const name = folders.find((one) => /batch-000001\.\d+\.log$/.test(one));
      return name === undefined ? '' : readFileSync(join(state, name), 'utf8');
    };
    await until('the second batch is being sent', () => journal().split('"type":"sending"').length === 3);
    const other = await run('set', 'ada@example.com', '7', '--yes');
    assert.deepEqual(
      [other.code, /another window or command \(process \d+\)/i.test(other.stderr)],
      [2, true],
      other.stderr,
    );
    process.kill(pid, 'SIGKILL');
    await ended;
    await faults.clearFaults();

    const status = await run('status', '--json');
    const { rows } = JSON.parse(status.stdout) as Report;
    const counts = new Map<string, number>();
    for (const { state } of rows) counts.set(state, (counts.get(state) ?? 0) + 1);
    assert.deepEqual([...counts], [['confirmed', 5_000], ['unknown', 1]]); // oxfmt-ignore
    assert.match((await run('status')).stderr, /sextant budgets resume/);
    assert.match((await run('set', 'ada@example.com', '7', '--yes')).stderr, /was interrupted/);

    const resumed = await run('resume', '--json');
    assert.equal(resumed.code, 0, resumed.stderr);
    const all = await limits();
    for (let i = 0; i < CROWD; i++) assert.equal(all[`crowd-${i}`], String(i + 1));
    assert.equal((await run('set', 'ada@example.com', '7', '--yes')).code, 0);
  });

  it('of groups are kept beside the group file, listed, and spread over members', async () => {
    const file = join(state, 'teams.csv');
    const members = ['ada@example.com', 'bob@example.com', '"nightly, build"'];
    writeFileSync(file, `account,team\n${members.map((name) => `${name},Search\n`).join('')}`);
    const group = (...args: string[]): Promise<Outcome> => run('group', ...args, '--groups', file);
    // The file of limits needs no folder of cached figures.
    const edit = (...args: string[]): Promise<Outcome> => start(['group', ...args, '--groups', file], {}, []).ended;
    assert.equal((await edit('set', 'team=Search', '1000')).stdout, 'team=Search: none → 1000\n');
    assert.equal((await edit('set', 'organization', '5000')).code, 0);
    const wrong = await edit('set', 'team=Serch', '1000');
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /No row of the group file has team=Serch/);
    const listed = JSON.parse((await group('list', '--json')).stdout) as readonly Record<string, unknown>[];
    assert.deepEqual(
      listed.map(({ column, group: name, limit }) => [column, name, limit]),
      [['organization', '', '5000'], ['team', 'Search', '1000']], // oxfmt-ignore
    );
    const preview = await group('spread', 'team=Search', '--dry-run');
    assert.equal(preview.code, 0, preview.stderr);
    assert.match(preview.stdout, /ada@example\.com +100 +334/);
    const spread = await group('spread', 'team=Search', '--yes', '--json');
    assert.equal(spread.code, 0, spread.stderr);
    const all = await limits();
    assert.deepEqual(
      ['ada@example.com', 'bob@example.com', 'nightly, build'].map((name) => all[name]),
      ['334', '333', '333'],
    );
    assert.equal((await edit('clear', 'team=Search')).stdout, 'team=Search: 1000 → none\n');
    assert.equal((await edit('clear', 'team=Search')).code, 1);
  });

  it('have help with examples and exit codes', async () => {
    const commands = ['set', 'export', 'import'];
    const helps = await Promise.all(commands.map((command) => run(command, '--help')));
    for (const [i, { stdout, code }] of helps.entries()) {
      assert.equal(code, 0);
      assert.match(stdout, new RegExp(`Examples:\n  sextant budgets ${commands[i]}`));
      assert.match(stdout, /Exit codes: /);
    }
    assertGolden('budgets-help.txt', helps[2]!.stdout);
  });
});
