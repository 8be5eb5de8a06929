import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import papa from 'papaparse';
import { AdminClient } from '../../src/server/admin/adminClient.ts';
import { FaultClient } from '../../src/server/admin/faultClient.ts';
import { COMMAND, type Outcome } from '../support/command.ts';
import { serve, stop, type ServeProcess } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { hasTerminal, runInTerminal } from '../support/terminal.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const yesterday = '2026-11-20';
const twoDaysAgo = '2026-11-19';
const CLOCK = pathToFileURL(join(import.meta.dirname, '../support/clockOfTest.mjs')).href;

/** The number of commands that were run. */
let count = 0;

/** Runs a command a minute after the last one by its clock, when the request budget is full again; the first at noon, like the server. */
function run(args: readonly string[], extra: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  const env = { SEXTANT_TEST_NOW: String(NOON + 60_000 * count++), ...extra };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ['--import', CLOCK, COMMAND, ...args],
      { env: { ...process.env, SEXTANT_ANALYTICS_URL: undefined, SEXTANT_ANALYTICS_TOKEN: undefined, ...env } },
      (_, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

describe('sextant usage, cost and budgets', () => {
  const newFolder = temporaryFolder();
  let folder: string;
  let server: ServeProcess;
  before(async () => {
    folder = newFolder();
    const facts = [
      { kind: 'org', plan: 'usd', enterprise: true },
      { kind: 'user', user_email: 'ada@example.com' },
      { kind: 'user', user_email: '=evil()@example.com' },
      ...['ada@example.com', '=evil()@example.com', 'ADA@example.com'].flatMap((user_email, i) =>
        [yesterday, twoDaysAgo].flatMap((date) => [
          { kind: 'activity', date, user_email, language: 'Go', editor: 'CLI', metrics: { total_messages: 3 + i, completions_count: 4, completions_accepted: 1 } },
          { kind: 'cost', date, user_info: { user_type: 'COST_ANALYTICS_USER_TYPE_USER', user_email }, product_display_name: 'Chat', resource_display_name: '\u001b[31mred', resource_type: 'COST_ANALYTICS_RESOURCE_TYPE_MODEL', byok_status: 'COST_ANALYTICS_BYOK_STATUS_NON_BYOK', cost_metrics: { billed_amount_usd: '0.1000000001', base_cost_usd: '0.1' } },
        ]),
      ),
      { kind: 'override', user_email: 'ada@example.com', resource: 'BUDGET_RESOURCE_USD_COST', period: 'BUDGET_PERIOD_MONTHLY', config: { limit: '50' } },
    ]; // oxfmt-ignore
    const file = join(folder, 'facts.ndjson');
    writeFileSync(file, facts.map((fact) => `${JSON.stringify(fact)}\n`).join(''));
    server = await serve([
      '--state',
      join(folder, 'server'),
      '--port',
      '0',
      '--data',
      file,
      '--now',
      new Date(NOON).toISOString(),
      '--no-rate-limit',
    ]);
  });
  after(() => stop(server, 'SIGKILL'));

  // The request budget is kept there: tests that shared one would wait for each other's.
  let state: string;
  beforeEach(() => {
    state = newFolder();
  });
  const of = (...args: string[]): string[] => [...args, '--state', state, '--server-state', join(folder, 'server')];
  const range = ['--from', twoDaysAgo, '--to', yesterday];

  it('use the local server if no service is named', async () => {
    const { code, stdout, stderr } = await run(of('usage', ...range));
    assert.equal(stderr, '');
    assert.equal(code, 0);
    assert.match(stdout, /^Use, .* to .*, as of \d{4}-\d\d-\d\d \d\d:\d\d UTC\n {2}People +2 different\n/);
    assert.match(stdout, /25\.0 % of suggestions accepted, – of suggested lines/);
    const summary = JSON.parse((await run(of('usage', ...range, '--json'))).stdout) as Record<string, unknown>;
    assert.deepEqual([summary.distinct_people, summary.acceptance], [2, { by_suggestions: 0.25, by_lines: null }]);
    const people = JSON.parse((await run(of('usage', ...range, '--by', 'person', '--json'))).stdout) as Record<
      string,
      unknown
    >[];
    const { identity, active_days, total_messages, acceptance_by_suggestions, acceptance_by_lines, completions_count } =
      people[0]!;
    assert.deepEqual(
      [identity, active_days, total_messages, acceptance_by_suggestions],
      ['ada@example.com', 2, 16, 0.25],
    );
    assert.deepEqual([acceptance_by_lines, completions_count], [null, 16], 'every field is there');
  });

  it('break the lines of a summary between words in a terminal', async function () {
    if (!hasTerminal) this.skip();
    const env = { TERM: 'dumb', NODE_OPTIONS: `--import ${CLOCK}`, SEXTANT_TEST_NOW: String(NOON + 60_000 * count++) };
    for (const command of ['usage', 'cost']) {
      const { code, shown } = await runInTerminal({ args: of(command, ...range), columns: 60, env });
      assert.equal(code, 0, shown);
      for (const line of shown.split('\r\n')) assert.ok(line.length <= 60, line);
    }
  });

  it('print exact amounts, without terminal controls or spreadsheet formulas', async () => {
    const cost = await run(of('cost', ...range));
    assert.match(
      cost.stdout,
      /^Cost, .*\n {2}Total +\$0\.60\n {2}Products +Chat \$0\.60\n {2}Resources +\[31mred \$0\.60\n/,
    );
    assert.equal(cost.stdout.includes('\u001b'), false);
    const csv = (await run(of('cost', ...range, '--by', 'user', '--csv'))).stdout;
    const { data } = papa.parse<Record<string, string>>(csv.trimEnd(), { header: true });
    assert.deepEqual(
      data.map(({ user, billed_amount_usd }) => [user, billed_amount_usd]),
      [
        ['ada@example.com', '0.4000000004'],
        ["'=evil()@example.com", '0.2000000002'],
      ],
    );
    const none = await run(of('cost', ...range, '--product', 'Agent'));
    assert.deepEqual([none.code, none.stderr], [1, '']);
    const one = await run(of('cost', ...range, '--user', 'ada@example.com', '--product', 'Chat', '--json'));
    const days = JSON.parse(one.stdout) as { day: string; billed_amount_usd: string }[];
    assert.deepEqual(days.map(({ day, billed_amount_usd }) => [day, billed_amount_usd]), [[twoDaysAgo, '0.2000000002'], [yesterday, '0.2000000002']]); // oxfmt-ignore
  });

  it('sum use and cost by the groups of a file, as accounts move, and check the file', async () => {
    const file = join(folder, 'teams.csv');
    writeFileSync(
      file,
      `account,team,to\nada@example.com,Search,${twoDaysAgo}\nada@example.com,Billing,\nbob@example.com,Search,\n`,
    );
    const groups = ['--groups', file, '--by', 'team'];
    const rows = async (...args: string[]): Promise<Record<string, string>[]> =>
      JSON.parse((await run(of(...args, ...range, '--json'))).stdout) as Record<string, string>[];
    assert.deepEqual(
      (await rows('usage', ...groups)).map(({ team, people, total_messages, billed_amount_usd }) => [
        ...[team, people, total_messages, billed_amount_usd],
      ]),
      [
        ['Billing', 1, 8, '0.2000000002'],
        ['Search', 1, 8, '0.2000000002'],
        ['unmapped', 1, 8, '0.2000000002'],
      ],
    );
    assert.deepEqual(
      (await rows('cost', ...groups)).map(({ team, billed_amount_usd }) => [team, billed_amount_usd]),
      [
        ['Billing', '0.2000000002'],
        ['Search', '0.2000000002'],
        ['unmapped', '0.2000000002'],
      ],
    );
    const people = await rows('usage', '--groups', file, '--by', 'person', '--group', 'team=Billing');
    assert.deepEqual(
      people.map(({ identity, active_days }) => [identity, active_days]),
      [['ada@example.com', 1]],
    );
    const billing = ['--groups', file, '--group', 'team=Billing'];
    const cost = await rows('cost', ...billing, '--by', 'resource');
    assert.deepEqual(cost.map((row) => row.billed_amount_usd), ['0.2000000002']); // oxfmt-ignore
    const check = await run(of('groups', 'check', file));
    assert.match(
      check.stdout,
      /^3 rows, 2 known accounts, grouped by team\nUnknown accounts: .*\n {2}bob@example\.com \(line 4\)\nDouble: .*\n {2}ada@example\.com \(line 3, as in line 2\)\nWithout team today\n {2}=evil/,
    );
    assert.equal(check.code, 1);
    assert.match((await run(of('groups', 'list', file))).stdout, /team +Billing +1\n +team +unmapped +1\n$/);
    const unknown = await run(of('usage', '--groups', file, '--by', 'manager'));
    assert.match(unknown.stderr, /manager is not a column of the group file\. Choose one of .*, team\./);
    assert.equal(unknown.code, 2);
    const misspelled = await run(of('usage', '--groups', file, '--group', 'team=Biling'));
    assert.match(misspelled.stderr, /No row of the group file has team=Biling\. Run sextant groups list/);
    assert.equal(misspelled.code, 2);
    const none = await run(of('cost', '--by', 'team'));
    assert.match(none.stderr, /no group file for team\. Choose one of .*; for a column of teams, add --groups FILE/);
  });

  it('write a report in each format, whose exit code says what CI asks', async () => {
    const file = join(folder, 'groups.json');
    writeFileSync(file, JSON.stringify([{ account: 'ada@example.com', team: 'Search' }]));
    const report = (...args: string[]): Promise<Outcome> =>
      run(of('report', '--since', twoDaysAgo, '--to', yesterday, '--groups', file, ...args));
    const markdown = await report('--fail-over', '100', '--fail-unusual');
    assert.equal(markdown.code, 0);
    assert.equal(markdown.stderr.includes('Warning'), false);
    assert.match(
      markdown.stdout,
      /^# Usage and cost\n\n2026-11-19 to 2026-11-20, compared with 2026-11-17 to 2026-11-18/,
    );
    assert.match(markdown.stdout, /\n## By team\n\n- 2 groups, \$0\.60 together\.\n/);
    assert.match(markdown.stdout, /\n\| Search \| 1 \| 16 \|.*\n\| unmapped \| 1 \| 8 \|/);
    const html = join(folder, 'report.html');
    assert.equal((await report('--format', 'html', '--output', html)).code, 0);
    assert.match(readFileSync(html, 'utf8'), /<h2 id="groups-by-team">By team<\/h2>/);
    const again = await report('--format', 'html', '--output', html);
    assert.deepEqual([again.code, again.stderr.includes('exists already')], [2, true], again.stderr);
    assert.equal((await report('--format', 'html', '--output', html, '--force')).code, 0);
    const malformed = await run(of('report', '--since', 'yesterday'));
    assert.deepEqual([malformed.code, malformed.stderr], [2, 'sextant: These days have no figures: --since must be a date like 2026-11-20.\n']); // oxfmt-ignore
    const json = await report('--format', 'json', '--fail-over', '0');
    assert.equal(json.code, 1, 'a limit is used by 0 % or more');
    assert.match(json.stderr, /A limit is used by 0 % or more/);
    const { sections } = JSON.parse(json.stdout) as { sections: { name: string; rows: Record<string, unknown>[] }[] };
    const byTeam = sections.find(({ name }) => name === 'groups-by-team')!;
    assert.deepEqual(
      byTeam.rows.map((row) => [row.team, row.billed_amount_usd]),
      [
        ['Search', '0.4000000004'],
        ['unmapped', '0.2000000002'],
      ],
    );
    const ofTeam = await report('--format', 'csv', '--group', 'team=Search');
    assert.equal(ofTeam.code, 0, ofTeam.stderr);
    assert.match(ofTeam.stdout, /0\.4000000004/);
    assert.doesNotMatch(ofTeam.stdout, /0\.6000000006|evil/, 'only figures of the group');
    const partly = await report('--compare', 'month');
    assert.match(partly.stderr, /A month is compared from its first day/);
    assert.equal(partly.code, 2);
  });

  it('list budgets, and filter those near their limit', async () => {
    const all = JSON.parse((await run(of('budgets', 'list', '--json'))).stdout) as {
      identity: string;
      limit: string;
    }[];
    assert.deepEqual(all.map(({ identity, limit }) => [identity, limit]), [['ada@example.com', '50']]); // oxfmt-ignore
    assert.match((await run(of('budgets', 'list'))).stdout, /^1 limit, this month/);
    const near = await run(of('budgets', 'list', '--over', '75'));
    assert.equal(near.code, 1, near.stderr);
    assert.match(near.stdout, /^0 of 1 limits, this month/);
  });

  it('lists what needs attention, and who of a roster was never active', async () => {
    const attention = (...args: string[]): Promise<Outcome> => run(of('usage', '--attention', ...args));
    const roster = join(state, 'seats.csv');
    writeFileSync(roster, 'Name,Email\nAda,ADA@example.com\nSeat,seat@example.com\n');
    const { code, stdout } = await attention('--roster', roster);
    assert.equal(code, 0);
    assert.match(stdout, /^- 1 on the roster was not active in 30 days: seat@example\.com$/m);
    assert.match(stdout, /^Looked at: /m);
    const { items } = JSON.parse((await attention('--roster', roster, '--json')).stdout) as {
      items: { kind: string; text: string }[];
    };
    assert.ok(items.some(({ kind }) => kind === 'never'));
    const teams = join(state, 'teams.csv');
    writeFileSync(teams, 'account,team\nseat@example.com,Search\n');
    const byTeam = await attention('--roster', roster, '--groups', teams, '--by', 'team', '--json');
    const [search] = JSON.parse(byTeam.stdout) as Record<string, unknown>[];
    assert.deepEqual([search?.team, search?.stopped, search?.never], ['Search', 0, 1]);
    writeFileSync(join(state, 'sextant-budgets.csv'), 'column,group,limit\norganization,,1\nteam,Search,1\n');
    // Ada's limit, and those of groups.
    assert.match((await attention('--groups', teams)).stdout, /^Looked at: 3 limits, /m);
    const ofGroup = await attention('--groups', teams, '--group', 'team=Search');
    assert.match(ofGroup.stdout, /^Looked at: 1 limit, /m);
    rmSync(join(state, 'sextant-budgets.csv'));
    writeFileSync(roster, 'Seat\n1\n');
    const refused = await attention('--roster', roster);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /names no accounts/);
  });

  it('says at once that the service fails, for how long it waits, and what a unit costs after that', async () => {
    const admin = new AdminClient(server.info);
    await new FaultClient(admin).addFault({ path: '/analytics/v0/daily-usage', status: 503, retryAfter: 2, times: 1 });
    const { code, stdout, stderr } = await run(of('usage', '--json', '--from', yesterday, '--to', yesterday));
    assert.match(
      stderr,
      /^sextant: The service failed \(503: .*\)\. Try again later\. Trying again in [12] s\. Ctrl\+C stops\.\n/,
    );
    assert.equal(code, 0);
    const { spending } = JSON.parse(stdout) as { spending: Readonly<Record<string, string>> };
    // Three bills of 0.1000000001, two people, and 3 + 4 + 5 messages; prices have six decimals.
    assert.deepEqual(
      [spending.unit, spending.total, spending.per_person, spending.per_message, spending.per_accepted_line],
      ['usd', '0.3000000003', '0.15', '0.025', null],
    );
  });

  it('report a wrong range, token or address', async () => {
    const says = async (
      code: number,
      pattern: RegExp,
      args: readonly string[],
      env?: NodeJS.ProcessEnv,
    ): Promise<void> => {
      const outcome = await run(args, env);
      assert.match(outcome.stderr, pattern);
      assert.equal(outcome.code, code, outcome.stderr);
      const failure = args.includes('--json')
        ? (JSON.parse(outcome.stdout) as { error: { message: string } })
        : undefined;
      if (failure) assert.match(failure.error.message, pattern);
      else assert.equal(outcome.stdout, '');
    };
    await says(2, /--to must be a date like/, of('usage', '--to', 'soon'));
    await says(2, /90 days are the most/, of('cost', '--from', '2026-01-01'));
    await says(2, /newest day with figures/, of('cost', '--to', '2099-01-01'));
    await says(2, /not counted by product/, of('cost', '--by', 'credits', '--product', 'Chat'));
    await says(2, /not counted by product/, of('cost', '--by', 'credits', '--expert', 'one'));
    await says(2, /cannot be used with/, of('usage', '--json', '--csv'));
    await says(2, /cannot be used with/, of('usage', '--days', '3', '--from', yesterday));
    const url = { SEXTANT_ANALYTICS_URL: server.info.url };
    await says(2, /SEXTANT_ANALYTICS_TOKEN/, of('usage'), url);
    await says(2, /refuses the token/, of('usage'), { ...url, SEXTANT_ANALYTICS_TOKEN: 'sxt_wrong' });
    await says(2, /without encryption/, of('usage', '--url', 'http://example.com'), { SEXTANT_ANALYTICS_TOKEN: 'x' });
    await says(2, /run sextant serve/, [
      'usage',
      '--server-state',
      join(folder, 'none'),
      '--state',
      join(folder, 'none'),
    ]);
  });

  it('have help with examples', async () => {
    for (const command of [['usage'], ['cost'], ['budgets', 'list']]) {
      const { stdout, code } = await run([...command, '--help']);
      assert.equal(code, 0);
      assert.match(stdout, new RegExp(`Examples:\n  sextant ${command.join(' ')}`));
      assert.match(stdout, /Exit codes: /);
    }
  });

  it('print what a failing service says without terminal controls, also while they wait for it', async () => {
    let requests = 0;
    const failing = createServer((_, response) => {
      response.writeHead(requests++ === 0 ? 500 : 403, { 'retry-after': '2' });
      response.end(
        JSON.stringify({ error: { code: 'x', message: 'down\u001b]0;x\u0007\u009b2J\r\nsextant: all is well' } }),
      );
    }).listen(0, '127.0.0.1');
    await once(failing, 'listening');
    const { port } = failing.address() as AddressInfo;
    const env = { SEXTANT_ANALYTICS_URL: `http://127.0.0.1:${port}`, SEXTANT_ANALYTICS_TOKEN: 'token' };
    const { code, stderr } = await run(['budgets', 'list', '--state', newFolder()], env);
    failing.close();
    assert.equal(code, 2);
    assert.match(stderr, /^sextant: The service failed \(500: down \]0;x {2}2J {2}sextant: all is well\)\..* 2 s\./);
    assert.doesNotMatch(stderr.replaceAll('\n', ''), /\p{Cc}/u);
  });

  it('show cached data with its age when the service is down, and store no token', async () => {
    assert.equal((await run(of('budgets', 'list'))).code, 0);
    await stop(server, 'SIGKILL');
    const env = { SEXTANT_ANALYTICS_URL: server.info.url, SEXTANT_ANALYTICS_TOKEN: server.info.token };
    const known = await run(of('budgets', 'list'), env);
    assert.equal(known.code, 0, known.stderr);
    assert.match(known.stderr, /cannot be reached\. .*Showing cached figures as of /);
    const unknown = await run(of('usage', '--from', '2026-01-01', '--to', '2026-01-02'), env);
    assert.deepEqual([unknown.code, unknown.stdout], [2, '']);
    const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    assert.ok(files.length > 5);
    for (const { parentPath, name } of files)
      assert.equal(readFileSync(join(parentPath, name)).includes(server.info.token), false);
  });
});
