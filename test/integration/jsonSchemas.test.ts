import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { makeJsonSchemas, schemaFiles, SCHEMAS } from '../../scripts/lib/jsonSchemas.mjs';
import { messageBody, sampleMessage } from '../../src/analytics/alerts/messages.ts';
import { COMMAND, copySample, type Outcome } from '../support/command.ts';
import { serve, stop, type ServeProcess } from '../support/servers.ts';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';
import { until } from '../support/until.ts';

type Schema = Readonly<Record<string, unknown>>;

const DAY_MS = 24 * 60 * 60 * 1000;
// Yesterday has no figures before 02:00.
const [FIRST_DAY, LAST_DAY] = [3, 2].map((days) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10));

const RANGE = ['--from', FIRST_DAY!, '--to', LAST_DAY!];

/** A schema whose objects have no other fields, so that a field without a description is found. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) => [key, closed(value)] as const);
  const isObject = 'type' in schema && schema.type === 'object' && !('additionalProperties' in schema);
  return { ...Object.fromEntries(entries), ...(isObject && { additionalProperties: false }) };
}

describe('The JSON of the command', () => {
  const folder = temporaryFolder();
  const seen = new Set<string>();
  let schemas: ReadonlyMap<string, Schema>;
  let env: NodeJS.ProcessEnv;
  let root: string;
  let state: string;
  let server: ServeProcess;

  before(async () => {
    schemas = makeJsonSchemas();
    root = copySample(folder());
    state = join(folder(), 'server');
    const facts = [
      { kind: 'org', plan: 'usd', enterprise: true },
      { kind: 'user', user_email: 'ada@example.com' },
      ...[FIRST_DAY, LAST_DAY].flatMap((date) => [
        { kind: 'activity', date, user_email: 'ada@example.com', metrics: { total_messages: 3, completions_count: 4 } },
        {
          kind: 'cost',
          date,
          user_info: { user_type: 'COST_ANALYTICS_USER_TYPE_USER', user_email: 'ada@example.com' },
          product_display_name: 'Chat',
          resource_display_name: 'model',
          resource_type: 'COST_ANALYTICS_RESOURCE_TYPE_MODEL',
          byok_status: 'COST_ANALYTICS_BYOK_STATUS_NON_BYOK',
          cost_metrics: { billed_amount_usd: '60.1', base_cost_usd: '0.1' },
        },
      ]),
      {
        kind: 'override',
        user_email: 'ada@example.com',
        resource: 'BUDGET_RESOURCE_USD_COST',
        period: 'BUDGET_PERIOD_MONTHLY',
        config: { limit: '50' },
      },
    ];
    const file = join(folder(), 'facts.ndjson');
    writeFileSync(file, facts.map((fact) => `${JSON.stringify(fact)}\n`).join(''));
    server = await serve(['--state', state, '--data', file, '--no-rate-limit']);
    env = {
      ...process.env,
      XDG_CACHE_HOME: folder(),
      XDG_DATA_HOME: folder(),
      SEXTANT_ANALYTICS_URL: server.info.url,
      SEXTANT_ANALYTICS_TOKEN: server.info.token,
      NO_COLOR: '1',
    };
  });
  after(() => stop(server));

  /** Runs a command; its output keeps to the schema, and has no field that the schema lacks. */
  function keeps(name: string, args: readonly string[], code = 0): unknown {
    const { code: exitCode, stdout, stderr } = run(args);
    assert.equal(exitCode, code, `${args.join(' ')}: ${stderr}${stdout}`);
    const value: unknown = JSON.parse(stdout);
    assertKept(name, value, args);
    return value;
  }

  function run(args: readonly string[]): Outcome {
    const all = [COMMAND, ...args, '--json'];
    const { status, stdout, stderr } = spawnSync(process.execPath, all, {
      encoding: 'utf8',
      env,
      cwd: root,
      input: '',
    });
    return { code: status, stdout, stderr };
  }

  function assertKept(name: string, value: unknown, args: readonly string[]): void {
    const schema = schemas.get(name);
    assert.ok(schema, name);
    for (const one of [schema, closed(schema) as Schema]) {
      const { errorMessage } = new AjvJsonSchemaValidator().getValidator(one)(value);
      assert.equal(errorMessage, undefined, `${args.join(' ')} (${name}): ${JSON.stringify(value)}`);
    }
    seen.add(name);
  }

  it('has its schemas in docs/json', () => {
    const files = schemaFiles(schemas as ReturnType<typeof makeJsonSchemas>);
    assert.deepEqual(readdirSync(SCHEMAS).sort(), [...files.keys()].sort(), 'npm run schemas');
    for (const [name, text] of files) assert.equal(readFileSync(join(SCHEMAS, name), 'utf8'), text, 'npm run schemas');
  });

  it('keeps to them for searches and indexes', () => {
    keeps('search', ['search', 'retry']);
    keeps('search', ['search', 'retry lang:klingon "wait', '--explain', '--vimgrep']);
    keeps('search', ['search', 'wombatish'], 1);
    keeps('find-usages', ['find-usages', 'nextRetryDelay']);
    keeps('outline', ['outline', 'src/orders']);
    keeps('outline', ['outline', 'src/orders/retryPolicy.ts']);
    keeps('ask', ['ask', 'how are payments retried?']);
    keeps('index', ['index']);
    keeps('index-list', ['index', '--list']);
    keeps('status', ['status', '--skipped']);
    keeps('why', ['why', '.env'], 1);
    keeps('why', ['why', 'nowhere.ts'], 1);
    keeps('why', ['why', 'src/orders/retryPolicy.ts', 'retry']);
    keeps('why', ['why', 'src/orders/retryPolicy.ts', 'retry payment lang:ts']);
    keeps('why', ['why', 'README.md', 'zebra lang:go'], 1);
    keeps('doctor', ['doctor']);
    keeps('index-remove', ['index', '--remove']);
  });

  it('keeps to them for usage, cost and limits', () => {
    keeps('usage', ['usage', ...RANGE]);
    keeps('table', ['usage', ...RANGE, '--by', 'person']);
    keeps('usage-attention', ['usage', '--attention']);
    const add = [COMMAND, 'alerts', 'add', 'ops', '--group', 'team=Search', '--quiet', '20:00-07:00', '--json'];
    const added = spawnSync(process.execPath, add, { encoding: 'utf8', env, input: 'http://127.0.0.1:9/hook/SECRET' });
    assertKept('alerts-add', JSON.parse(added.stdout), add);
    keeps('alerts-list', ['alerts', 'list']);
    keeps('alerts-remove', ['alerts', 'remove', 'ops']);
    // No program listens there; and early in a month no limit is reached.
    env.SEXTANT_ALERTS_URL = 'http://127.0.0.1:9/hook/SECRET';
    for (const command of ['preview', 'run', 'log'])
      assertKept(command === 'preview' ? 'alerts-preview' : 'alerts-log', JSON.parse(run(['alerts', command]).stdout), [command]); // oxfmt-ignore
    assertKept('alert-message', JSON.parse(messageBody('json', sampleMessage('id', 0))), ['message']);
    spawnSync(process.execPath, [COMMAND, 'alerts', 'add', 'ops'], { env, input: env.SEXTANT_ALERTS_URL });
    keeps('alerts-test', ['alerts', 'test', 'ops', '--yes'], 1);
    writeFiles(root, { 'teams.csv': 'account,team\nbob@example.com,Search\nbob@example.com,Billing\n' });
    const report = spawnSync(process.execPath, [COMMAND, 'report', ...RANGE, '--format', 'json'], {
      encoding: 'utf8',
      env,
    });
    assertKept('report', JSON.parse(report.stdout), ['report']);
    keeps('groups-check', ['groups', 'check', join(root, 'teams.csv')], 1);
    keeps('cost', ['cost', ...RANGE]);
    keeps('table', ['cost', ...RANGE, '--by', 'resource']);
    keeps('table', ['budgets', 'list']);
    keeps('table', ['groups', 'list', join(root, 'teams.csv')]);
    const limit = ['budgets', 'group', 'set', 'organization', '400000'];
    assert.equal(spawnSync(process.execPath, [COMMAND, ...limit], { env, cwd: root }).status, 0);
    keeps('table', ['budgets', 'group', 'list']);
    assert.equal(spawnSync(process.execPath, [COMMAND, ...limit.with(-1, '1')], { env, cwd: root }).status, 0);
    keeps('usage-attention', ['usage', '--attention']);
    const named = ['orgs', 'add', 'acme', 'https://acme.example.com', '--token-env', 'ACME_TOKEN'];
    assert.equal(spawnSync(process.execPath, [COMMAND, ...named], { env }).status, 0);
    keeps('table', ['orgs', 'list']);
    keeps('budgets-preview', ['budgets', 'set', 'ada@example.com', '70', '--dry-run']);
    keeps('budgets-change', ['budgets', 'set', 'ada@example.com', '70', '--yes']);
    const { code, stderr } = run([
      'budgets',
      'remind',
      'ada@example.com',
      '--on',
      '2030-01-01',
      '--note',
      'back to 50',
    ]);
    assert.equal(code, 0, stderr);
    keeps('budgets-remind', ['budgets', 'remind']);
  });

  it('keeps to them for webhooks and events', async () => {
    const here = ['--state', state];
    assertKept('serve', server.info, ['serve']);
    keeps('webhooks-create', ['webhooks', 'create', 'deploys', ...here]);
    keeps('webhooks-list', ['webhooks', 'list', ...here]);
    keeps('webhook', ['webhooks', 'disable', 'deploys', ...here]);
    keeps('webhook', ['webhooks', 'enable', 'deploys', ...here]);
    const { port } = new URL(server.info.url);
    keeps('expert', ['experts', 'create', 'other', '--url', `http://127.0.0.1:${port}/nowhere`, ...here]);
    keeps('experts-list', ['experts', 'list', ...here]);
    keeps('trigger', ['triggers', 'create', 'all', '--webhook', 'deploys', '--expert', 'record', ...here]);
    keeps('triggers-list', ['triggers', 'list', ...here]);
    const { event_id: id } = keeps('webhooks-send', ['webhooks', 'send', 'deploys', '--data', '{"n":1}', ...here]) as {
      event_id: string;
    };
    keeps('webhooks-send-many', ['webhooks', 'send', 'deploys', '--data', '{}', '--count', '3', ...here]);
    keeps('webhooks-library', ['webhooks', 'library']);
    keeps('events-replay', ['events', 'replay', id, ...here]);
    keeps('events-resend', ['events', 'resend', id, '--set', 'n=2', ...here]);
    keeps('events-retry', ['events', 'retry', id, ...here], 1);
    const exported = run(['events', 'export', ...here])
      .stdout.trimEnd()
      .split('\n');
    for (const line of exported) assertKept('events-export', JSON.parse(line), ['events', 'export']);
    const listen = [COMMAND, 'listen', '--forward', 'http://127.0.0.1:9/hooks', '--from', 'github', '--json', ...here];
    const listening = spawn(process.execPath, listen, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [made] = (await once(createInterface(listening.stdout), 'line')) as [string];
    assertKept('listen', JSON.parse(made), ['listen']);
    listening.kill();
    keeps('events-list', ['events', 'list', ...here]);
    for (const rule of ['{"==": [{"var": "n"}, 1]}', '{"map": [1, 2]}'])
      keeps('filters-test-events', ['filters', 'test', rule, '--webhook', 'deploys', ...here], 1);
    keeps('events-show', ['events', 'show', id, ...here]);
    const tail = [COMMAND, 'events', 'tail', '--count', '1', '--timeout', '30', '--json', ...here];
    const tailing = spawn(process.execPath, tail, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let tailed = '';
    tailing.stdout.on('data', (chunk) => (tailed += String(chunk)));
    await until('an event is followed', () => {
      if (tailed === '') run(['webhooks', 'send', 'deploys', '--data', '{"n":2}', ...here]);
      return tailed.endsWith('\n');
    });
    tailing.kill();
    assertKept('events-tail', JSON.parse(tailed), ['events', 'tail']);
    const [webhook] = keeps('webhooks-list', ['webhooks', 'list', ...here]) as [{ url: string }];
    await fetch(webhook.url, { method: 'POST', body: 'no secret' });
    keeps('events-refusals', ['events', 'refusals', ...here]);
    keeps('events-verify', ['events', 'verify', ...here]);
    keeps('delete', ['triggers', 'delete', 'all', ...here]);
    keeps('delete', ['webhooks', 'delete', 'deploys', '--force', ...here]);
    writeFiles(root, { 'event.json': '{"action":"opened"}' });
    keeps('filters-test', ['filters', 'test', '{"==": [{"var": "action"}, "closed"]}', 'event.json'], 1);
  });

  it('keeps to them for repositories', () => {
    Object.assign(env, { SEXTANT_API_URL: server.info.url, SEXTANT_API_TOKEN: server.info.token });
    keeps('push', ['push', root, '--name', 'shop', '--url', 'https://git.example.com/{path}']);
    keeps('repos-list', ['repos', 'list']);
    keeps('repos-search', ['repos', 'search', 'verifyPassword']);
    keeps('repos-remove', ['repos', 'remove', 'shop']);
    const tokens = join(folder(), 'tokens.json');
    keeps('token-create', ['token', 'create', tokens, '--name', 'ci', '--scope', 'repositories:push']);
  });

  it('keeps to them for failures of every kind', () => {
    keeps('error', ['search', 'x', '/nonexistent'], 2);
    keeps('error', ['search', 'x', '--limit', 'many'], 2);
    keeps('error', ['find-usages', 'two words'], 2);
    keeps('error', ['outline', '.env'], 2);
    keeps('error', ['why', '/etc/passwd'], 2);
    keeps('error', ['index', '--remove', '/nonexistent'], 2);
    keeps('error', ['webhooks', 'enable', 'nothing', '--state', state], 1);
    keeps('error', ['budgets', 'set', 'ada@example.com', 'much'], 2);
    keeps('error', ['usage', '--days', '0'], 2);
    for (const form of [['--format', 'json'], ['--format=json']]) {
      const { status, stdout } = spawnSync(process.execPath, [COMMAND, 'report', '--since', 'never', ...form], {
        encoding: 'utf8',
        env,
      });
      assert.equal(status, 2);
      assertKept('error', JSON.parse(stdout), ['report', ...form]);
    }
    keeps('error', ['events', 'list', '--state', join(state, 'nowhere')], 2);
  });

  it('has been compared with each schema', () => {
    assert.deepEqual(
      [...schemas.keys()].filter((name) => !seen.has(name)),
      [],
    );
  });
});
