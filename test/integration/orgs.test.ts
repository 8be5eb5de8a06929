import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMAND, type Outcome } from '../support/command.ts';
import { serve, stop, type ServeProcess } from '../support/servers.ts';
import { temporaryFolder } from '../support/temporary.ts';

interface JsonReport {
  readonly sections: readonly {
    readonly name: string;
    readonly organization: string | null;
    readonly figures: readonly { readonly label: string; readonly value: string }[];
    readonly rows: readonly Readonly<Record<string, string | number | null>>[];
  }[];
}

describe('sextant with several organizations', () => {
  const newFolder = temporaryFolder();
  let servers: readonly ServeProcess[];
  let state: string;
  let tokenFile: string;
  let groups: string;

  before(async () => {
    state = newFolder();
    const from = (seed: string) =>
      serve(['--state', newFolder(), '--port', '0', '--users', '30', '--seed', seed, '--no-rate-limit']);
    servers = await Promise.all([from('1'), from('2')]);
    tokenFile = join(newFolder(), 'token');
    writeFileSync(tokenFile, `${servers[1]!.info.token}\n`);
    groups = join(newFolder(), 'groups.csv');
    writeFileSync(groups, 'account,team\na*,Search\nb*,Billing\n');
  });
  after(() => Promise.all(servers.map((server) => stop(server, 'SIGKILL'))));

  const run = (...args: string[]): Outcome => {
    const env = { ...process.env, NODE_COMPILE_CACHE: undefined, NO_COLOR: '1', ACME_TOKEN: servers[0]!.info.token };
    const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args, '--state', state], { encoding: 'utf8', env }); // oxfmt-ignore
    return { code: status, stdout, stderr };
  };
  const ok = (...args: string[]): string => {
    const { code, stdout, stderr } = run(...args);
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const total = (organization: string): string => {
    const rows = JSON.parse(ok('cost', '--by', 'product', '--days', '7', '--json', '--org', organization)) as Record<string, string>[]; // oxfmt-ignore
    return add(rows.map((row) => row.credits_consumed!));
  };

  it('keeps them apart, each with its cache and token, and writes no token', () => {
    assert.equal(run('orgs', 'list').code, 1);
    ok('orgs', 'add', 'acme', servers[0]!.info.url, '--token-env', 'ACME_TOKEN');
    ok('orgs', 'add', 'Globex Ltd', servers[1]!.info.url, '--token-file', tokenFile);
    assert.match(ok('orgs', 'list'), /acme +http.* in ACME_TOKEN\n.*Globex Ltd +http.* in the file /);
    assert.equal(run('orgs', 'add', 'acme', servers[0]!.info.url, '--token-env', 'X').code, 2);
    const [acme, globex] = [total('acme'), total('Globex Ltd')];
    assert.notEqual(acme, globex);
    assert.equal(total('acme'), acme, 'from its cache');
    assert.equal(readdirSync(join(state, 'requests')).length, 2);
    for (const file of filesIn(state))
      for (const { info } of servers) assert.equal(readFileSync(file).includes(info.token), false, file);
    const unknown = run('cost', '--org', 'acm');
    assert.deepEqual([unknown.code, unknown.stderr], [2, 'sextant: There is no organization acm. Known are acme, Globex Ltd.\n']); // oxfmt-ignore
    assert.equal(run('cost', '--org', 'acme', '--url', servers[0]!.info.url).code, 2);
  });

  it('reports over all: the sums, each organization, and the groups together', () => {
    const report = JSON.parse(
      ok('report', '--all-orgs', '--days', '7', '--format', 'json', '--groups', groups),
    ) as JsonReport;
    const rowsOf = (name: string, organization: string | null = null) =>
      report.sections.find((one) => one.name === name && one.organization === organization)!.rows;
    const byOrganization = rowsOf('organizations');
    const amounts = new Map(byOrganization.map((row) => [row.organization, String(row.credits_consumed)]));
    assert.deepEqual([...amounts.keys()].sort(), ['Globex Ltd', 'acme']);
    for (const [name, amount] of amounts) assert.equal(amount, total(String(name)));
    const sum = add([...amounts.values()]);
    assert.equal(add(rowsOf('groups-by-team').map((row) => String(row.credits_consumed))), sum);
    for (const name of amounts.keys())
      assert.equal(add(rowsOf('groups-by-team', String(name)).map((row) => String(row.credits_consumed))), amounts.get(name)); // oxfmt-ignore
    const markdown = ok('report', '--all-orgs', '--days', '7', '--groups', groups);
    assert.match(markdown, /^# Usage and credits of 2 organizations\n/);
    assert.match(markdown, /\n## acme\n\n### Summary\n/);
  });

  it('counts an organization with two names once, and reports the second', () => {
    const before = ok('report', '--all-orgs', '--days', '7');
    const copy = join(newFolder(), 'token');
    writeFileSync(copy, servers[0]!.info.token);
    ok('orgs', 'add', 'Acme again', `${servers[0]!.info.url}/`, '--token-file', copy);
    const { code, stdout, stderr } = run('report', '--all-orgs', '--days', '7');
    assert.deepEqual([code, stdout], [0, before], stderr);
    assert.match(stderr, /^sextant: Acme again has the address and token of acme, and is left out\.$/m);
    ok('orgs', 'remove', 'Acme again');
  });

  it('reports nothing if the token of one is missing', () => {
    ok('orgs', 'add', 'initech', servers[0]!.info.url, '--token-env', 'NO_SUCH_VARIABLE');
    const { code, stdout, stderr } = run('report', '--all-orgs');
    assert.deepEqual([code, stdout, stderr], [2, '', 'sextant: The token of initech is missing. Set NO_SUCH_VARIABLE.\n']); // oxfmt-ignore
    ok('orgs', 'remove', 'initech');
    assert.equal(run('orgs', 'remove', 'initech').code, 1);
  });
});

/** The exact sum of decimal texts, apart from the product's own sums. */
function add(amounts: readonly string[]): string {
  const places = Math.max(...amounts.map((amount) => (amount.split('.')[1] ?? '').length));
  const sum = amounts
    .map((amount) => {
      const [whole = '', part = ''] = amount.split('.');
      return BigInt(`${whole}${part.padEnd(places, '0')}`);
    })
    .reduce((before, one) => before + one, 0n);
  const digits = String(sum).padStart(places + 1, '0');
  const part = digits.slice(digits.length - places).replace(/0+$/, '');
  return `${digits.slice(0, digits.length - places)}${places > 0 && part !== '' ? `.${part}` : ''}`;
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile());
}
