import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { Webhook as Signature } from 'standardwebhooks';
import type {
  EventDetailView,
  EventSummaryView,
  JournalView,
  NewWebhookView,
  RefusalView,
  TriggerView,
  WebhookView,
} from '../../src/server/webhooks/views.ts';
import { COMMAND, type Outcome } from '../support/command.ts';
import { serve, stop, type ServeProcess } from '../support/servers.ts';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';
import { until } from '../support/until.ts';

describe('sextant webhooks, triggers, experts and events', () => {
  const folder = temporaryFolder();
  let state: string;
  let server: ServeProcess;
  before(async () => {
    state = join(folder(), 'state');
    server = await serve(['--state', state, '--max-body', '20000']);
  });
  after(() => stop(server));

  const argsOf = (args: readonly string[]): string[] => [COMMAND, ...args, '--state', state];

  function run(args: readonly string[], { input = '', env = {} } = {}): Outcome {
    const { status, stdout, stderr } = spawnSync(process.execPath, argsOf(args), {
      encoding: 'utf8',
      timeout: 30_000,
      input,
      env: { ...process.env, NO_COLOR: '1', ...env },
    });
    return { code: status, stdout, stderr };
  }

  /** Runs a command that succeeds; returns its output. */
  function said(...args: string[]): string {
    const { code, stdout, stderr } = run(args);
    assert.equal(code, 0, stderr);
    return stdout;
  }

  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- names the type of the JSON
  function json<T>(...args: string[]): T {
    return JSON.parse(said(...args, '--json')) as T;
  }

  /** Waits until the runs of an event have ended; returns the event. */
  function finished(id: string): Promise<EventDetailView> {
    return until(`${id} is finished`, () => {
      const event = json<EventDetailView>('events', 'show', id);
      return !['received', 'pending'].includes(event.status) && event;
    });
  }

  /** Runs a shell command that sends an event; returns the event's id. */
  function ranAsShell(command: string, secret: string): string {
    const answer = execFileSync('sh', ['-c', command], {
      encoding: 'utf8',
      env: { ...process.env, SECRET: secret },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return (JSON.parse(answer) as { event_id: string }).event_id;
  }

  it('refuse an address of another server without a token, and the reverse', () => {
    const list = (env: NodeJS.ProcessEnv): Outcome => {
      const all = { ...process.env, NO_COLOR: '1', XDG_DATA_HOME: folder(), ...env };
      const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, 'webhooks', 'list'], { encoding: 'utf8', env: all }); // oxfmt-ignore
      return { code: status, stdout, stderr };
    };
    const [url, token] = ['SEXTANT_WEBHOOKS_URL', 'SEXTANT_WEBHOOKS_TOKEN'];
    const onlyUrl = list({ [url]: 'http://127.0.0.1:9' });
    assert.equal(onlyUrl.code, 2);
    assert.match(onlyUrl.stderr, new RegExp(`^sextant: ${url} is set without ${token}\\. Set both`));
    assert.match(list({ [token]: 'abc' }).stderr, new RegExp(`^sextant: ${token} is set without ${url}\\. Set both`));
  });

  it('create webhooks for systems, with the secrets that these have', () => {
    const secret = 'whsec_ofStripe1234';
    const { code, stdout } = run(['webhooks', 'create', 'payments', '--type', 'stripe', '--secret', '-'], {
      input: `${secret}\n`,
    });
    assert.equal(code, 0);
    assert.match(stdout, /secret +whsec_ofStripe1234 \(the key that signs deliveries; it is shown only once\)/);
    const sent = said('webhooks', 'send', 'payments', '--template', 'stripe-payment');
    const [id = ''] = /evt_\d+/.exec(sent) ?? [];
    assert.match(said('events', 'show', id, '--headers'), /^Stripe-Signature: t=\d+,v1=[\da-f]{64}$/m);
    const curl = said('events', 'show', id, '--curl');
    const again = json<EventDetailView>('events', 'show', ranAsShell(curl, secret));
    assert.equal(again.body, json<EventDetailView>('events', 'show', id).body);

    const signature = '{"header": "X-Signature", "encoding": "base64"}';
    assert.match(said('webhooks', 'create', 'calls', '--type', 'hmac', '--signature', signature), /secret +whsec_/);
    assert.match(run(['webhooks', 'create', 'x', '--type', 'hmac']).stderr, /is for the type hmac, which needs it/);
    assert.match(
      run(['webhooks', 'create', 'x', '--type', 'hmac', '--signature', '{']).stderr,
      /--signature is not JSON/,
    );
    for (const name of ['payments', 'calls']) said('webhooks', 'delete', name);
  });

  it('show a secret once, rotate it, and list what a deletion would break', async () => {
    const text = said('webhooks', 'create', 'deploys', '--description', 'of production');
    const [, url = '', secret = ''] = /url +(\S+)\n +secret +(whsec_\S+) /.exec(text) ?? [];
    const post = async (token: string): Promise<number> => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      return (await fetch(url, { method: 'POST', headers, body: '{}' })).status;
    };
    assert.equal(await post(secret), 202);
    const list = said('webhooks', 'list');
    assert.match(list, /^deploys {2}bearer_token {2}personal {2}enabled {2}http:\S+ {2}no trigger {2}of production\n$/);
    assert.ok(!list.includes(secret) && !said('webhooks', 'list', '--json').includes(secret));
    const [webhook] = json<WebhookView[]>('webhooks', 'list');
    assert.deepEqual([webhook?.url, webhook?.description, webhook?.scope], [url, 'of production', 'personal']);

    said('webhooks', 'edit', 'deploys', '--scope', 'organization');
    said('webhooks', 'edit', 'deploys', '--description', 'of all');
    assert.match(said('webhooks', 'list'), / {2}organization {2}enabled {2}.* {2}of all\n$/);
    assert.match(
      run(['webhooks', 'edit', 'deploys']).stderr,
      /Give the --description, --scope, --owner, --content or --answer/,
    );
    assert.match(run(['webhooks', 'edit', 'deploys', '--scope', 'mine']).stderr, /Scope must be one of/);
    assert.equal(
      said('events', 'list', '--source', 'Webhook', '--webhook', 'deploys'),
      said('events', 'list', '--webhook', 'deploys'),
    );
    assert.match(said('events', 'list', '--webhook', 'deploys'), / 2 B\n$/, 'the length of the body');
    assert.match(
      run(['events', 'list', '--source', 'Slack']).stderr,
      /source must be Webhook, the only one that exists/i,
    );

    const second = json<NewWebhookView>('webhooks', 'rotate', 'deploys', '--overlap', '1h').secret;
    assert.deepEqual([await post(secret), await post(second)], [202, 202]);
    const third = json<NewWebhookView>('webhooks', 'rotate', 'deploys').secret;
    assert.deepEqual([await post(secret), await post(second), await post(third)], [401, 401, 202]);
    said('webhooks', 'disable', 'deploys');
    assert.equal(await post(third), 404);
    said('webhooks', 'enable', 'deploys');
    assert.equal(await post(third), 202);

    said('triggers', 'create', 'all', '--webhook', 'deploys');
    const refused = run(['webhooks', 'delete', 'deploys']);
    assert.equal(refused.code, 2);
    assert.match(
      refused.stderr,
      /^sextant: The webhook deploys is used by the trigger all, which would be deleted with it\./,
    );
    // Triggers are deleted too: one that stayed would run for the next webhook of that name.
    assert.equal(
      said('webhooks', 'delete', 'deploys', '--force'),
      'Also deleted the trigger all: When an event comes to deploys: record it.\n',
    );
    assert.equal(await post(third), 404);
    assert.match(said('events', 'list', '--webhook', webhook!.webhook_id), /wh_\S+ \(deleted\)/);
    assert.equal(run(['triggers', 'list']).code, 1);
  });

  it('send signed and edited test events as their systems do', async () => {
    const { secret } = json<NewWebhookView>('webhooks', 'create', 'w');
    const sent = async (...args: string[]): Promise<EventDetailView> =>
      finished(said('webhooks', 'send', 'w', ...args).trim());
    const headers = (event: EventDetailView): Record<string, string> => Object.fromEntries(event.headers);
    const mac = ({ body }: EventDetailView): string => createHmac('sha256', secret).update(body).digest('hex');

    const push = await sent(
      '--template',
      'github-push',
      '--set',
      'ref=refs/heads/next',
      'forced=true',
      '--secret',
      secret,
    );
    assert.deepEqual([push.is_test, push.webhook, push.status], [true, 'w', 'unmatched']);
    const { ref, forced } = JSON.parse(push.body) as { ref: string; forced: boolean };
    assert.deepEqual([ref, forced], ['refs/heads/next', true]);
    assert.equal(headers(push)['X-GitHub-Event'], 'push');
    assert.equal(headers(push)['X-Hub-Signature-256'], `sha256=${mac(push)}`);
    const incident = await sent('--template', 'pagerduty', '--secret', secret);
    assert.equal(headers(incident)['X-PagerDuty-Signature'], `v1=${mac(incident)}`);
    const gitlab = await sent('--template', 'gitlab-push', '--secret', secret);
    assert.equal(headers(gitlab)['X-Gitlab-Token'], '[redacted]', 'a header that is a secret is not kept');
    const pull = await sent('--template', 'github-pull-request');
    assert.equal(headers(pull)['X-Hub-Signature-256'], undefined, 'without the secret there is no signature');
    const exact = '{"n":12345678901234567890, "f":1.0,"a":{"b": null},"a":{"c": [1]}}';
    assert.equal((await sent('--data', exact)).body, exact);
    const file = join(folder(), 'event.json');
    writeFiles(join(file, '..'), { 'event.json': `\uFEFF${exact}\n` });
    assert.equal((await sent('--data', file)).body, `${exact}\n`);
    const assignments = ['a.c.0=1.50', 'a.c.1=x', 'a.d.e="1"', 'f=98765432109876543210'];
    assert.equal(
      (await sent('--data', exact, '--set', ...assignments)).body,
      '{"n":12345678901234567890, "f":98765432109876543210,"a":{"b": null},"a":{"c": [1.50,"x"],"d":{"e":"1"}}}',
    );
    assert.equal(
      (await sent('--data', '{"a": null, "b": []}', '--set', 'a.x=1', 'b.0=2')).body,
      '{"a": {"x":1}, "b": [2]}',
    );
    assert.match(said('webhooks', 'send', 'w', '--data', exact, '--print'), /^\{\n {2}"n": 12345678901234567890,\n/);
    assert.equal(run(['webhooks', 'send', 'w', '--data', '-'], { input: '{"b": 2}' }).code, 0);
    const wrong = run(['webhooks', 'send', 'w', '--data', '{}'], { env: { SEXTANT_WEBHOOK_SECRET: 'whsec_wrong' } });
    assert.deepEqual([wrong.code, /authenticat/i.test(wrong.stderr)], [2, true]);

    json('webhooks', 'create', 'signed', '--type', 'standard_webhooks');
    const { secret: key } = json<NewWebhookView>('webhooks', 'rotate', 'signed');
    const signed = await finished(said('webhooks', 'send', 'signed', '--template', 'github-push').trim());
    assert.ok(new Signature(key).verify(signed.body, headers(signed)), 'the library accepts the signature');
    if (process.platform !== 'win32') {
      const again = ranAsShell(said('events', 'show', signed.event_id, '--curl'), key);
      assert.equal(said('events', 'show', again, '--raw'), signed.body);
    }

    const printed = said('webhooks', 'send', 'w', '--template', 'pagerduty', '--set', 'event.data.number=7', '--print');
    assert.equal((JSON.parse(printed) as { event: { data: { number: number } } }).event.data.number, 7);
    const editor = join(folder(), 'editor.mjs');
    writeFiles(join(editor, '..'), {
      'editor.mjs':
        "#!/usr/bin/env node\nimport { readFileSync, writeFileSync } from 'node:fs';\nconst [, , file] = process.argv;\n" +
        "writeFileSync(file, readFileSync(file, 'utf8').replace('opened', 'reopened'));\n",
    });
    if (process.platform !== 'win32') {
      chmodSync(editor, 0o755);
      const args = ['webhooks', 'send', 'w', '--template', 'github-pull-request', '--edit'];
      const env = { VISUAL: `"${process.execPath}" "${editor}"` };
      const edited = run(args, { env });
      assert.equal((JSON.parse((await finished(edited.stdout.trim())).body) as { action: string }).action, 'reopened');
      const other = run(['webhooks', 'send', 'w', '--data', '{"n": 1.0, "is": "opened"}', '--edit'], { env });
      assert.equal((await finished(other.stdout.trim())).body, '{\n  "n": 1.0,\n  "is": "reopened"\n}\n');
    }
  });

  it('send events of the library in turn, in a burst and at a rate', () => {
    json('webhooks', 'create', 'lab', '--type', 'github');
    const as = ['--as', 'github.pull_request.opened', 'github.pull_request.closed'];
    const ids = said('webhooks', 'send', 'lab', ...as, '--set', 'number=7', '--delay', '300ms')
      .trim()
      .split('\n');
    const events = ids.map((id) => json<EventDetailView>('events', 'show', id));
    assert.deepEqual(
      events
        .map(({ body }) => JSON.parse(body) as { action: string; number: number })
        .map((one) => [one.action, one.number]),
      [
        ['opened', 7],
        ['closed', 7],
      ],
    );
    assert.ok(Date.parse(events[1]!.received_at) - Date.parse(events[0]!.received_at) >= 300);
    const burst = json<{ sent: number; failed: number }>('webhooks', 'send', 'lab', ...as, '--count', '50');
    assert.deepEqual([burst.sent, burst.failed], [50, 0]);
    const load = json<{ sent: number; seconds: number }>(
      'webhooks',
      'send',
      'lab',
      ...as,
      '--rate',
      '40',
      '--for',
      '1s',
    );
    assert.equal(load.sent, 40);
    assert.ok(load.seconds >= 0.9, 'no faster than the rate');
    assert.equal(json<EventSummaryView[]>('events', 'list', '--webhook', 'lab', '--limit', '200').length, 92);
    assert.match(run(['webhooks', 'send', 'lab', '--as', 'github.nothing']).stderr, /no event github\.nothing/);
    assert.match(run(['webhooks', 'send', 'lab', ...as, '--rate', '5']).stderr, /--rate and --for together/);
    const library = spawnSync(process.execPath, [COMMAND, 'webhooks', 'library', '--json'], { encoding: 'utf8' });
    assert.ok((JSON.parse(library.stdout) as object[]).length >= 40);
  });

  it('edit and resend events, retry runs, and try filters on the last events', async () => {
    json('webhooks', 'create', 'again', '--type', 'github');
    const id = said('webhooks', 'send', 'again', '--as', 'github.pull_request.opened').trim();
    const args = ['--type', 'pull_request.closed', '--set', 'number=9', '--header', 'X-Own: 1'];
    const resent = json<{ event_id: string; edits: number }>('events', 'resend', id, ...args);
    assert.equal(resent.edits, 1);
    const shown = said('events', 'show', resent.event_id);
    assert.match(shown, new RegExp(`It is ${id}, edited and sent again`));
    assert.match(shown, /"action": "closed"/);
    assert.match(shown, /^X-Own: 1$/m);
    assert.match(said('events', 'show', id), new RegExp(`1 edit of it: ${resent.event_id}`));
    const edited = run(['events', 'resend', id], { env: { EDITOR: 'sed -i s/opened/merged/' } });
    assert.equal(edited.code, 0, edited.stderr);

    const rule = '{"==": [{"var": "action"}, "closed"]}';
    const tried = run(['filters', 'test', rule, '--webhook', 'again']);
    assert.deepEqual([tried.code, tried.stdout.trim().split('\n').at(-1)], [1, 'Fires for 1 of the last 3.']);
    assert.match(tried.stdout, /does not fire: `action` is "closed": `action` was "opened"/);

    said('experts', 'create', 'closed port', '--url', 'http://127.0.0.1:9/', '--attempts', '1');
    said('triggers', 'create', 'wrong', '--webhook', 'again', '--expert', 'closed port');
    const failed = said('webhooks', 'send', 'again', '--as', 'github.push').trim();
    await finished(failed);
    const all = run(['events', 'retry', '--expert', 'closed port']);
    assert.deepEqual([all.code, all.stdout], [1, '0 runs begin again.\n']);
    assert.match(all.stderr, /closed port is down: http:\/\/127\.0\.0\.1:9\/ accepts no connection/);
    assert.match(run(['events', 'retry', failed]).stdout, /1 run begins again/);
    assert.match(run(['events', 'retry']).stderr, /Name an event/);
    said('triggers', 'create', 'wrong', '--replace', '--rename', 'right', '--expert', 'record');
    assert.equal(json<TriggerView[]>('triggers', 'list').find(({ name }) => name === 'right')?.expert, 'record');
    said('webhooks', 'edit', 'again', '--answer', '{"status": 201}', '--content', 'json');
    const { answer, content } = json<WebhookView[]>('webhooks', 'list').find(({ name }) => name === 'again')!;
    assert.deepEqual([answer?.status, content], [201, 'json']);
    said('webhooks', 'edit', 'again', '--no-answer');
    said('experts', 'delete', 'closed port', '--force');
  });

  it('describe a trigger in words, and explain for each event why it fired or not', async () => {
    said('webhooks', 'create', 'issues');
    const rule = join(folder(), 'rule.json');
    writeFiles(join(rule, '..'), { 'rule.json': '{"==": [{"var": "action"}, "opened"]}' });
    said('experts', 'create', 'bot', '--url', 'http://127.0.0.1:9/', '--attempts', '1', '--timeout', '2');
    assert.match(
      said('experts', 'list'),
      /^record +records .*\nbot +forwards to http:\/\/127\.0\.0\.1:9\/: 4 at once, 2 s each, 1 attempt$/m,
    );
    assert.match(
      said('experts', 'edit', 'bot', '--header', 'X-Stage: a: b', '--sign', 'github', '--secret', 'key-of-the-bot'),
      /^bot {2}forwards to http:\/\/127\.0\.0\.1:9\/, with X-Stage, signed as github: 4 at once, 2 s each, 1 attempt\nsecret {2}key-of-the-bot /,
    );
    assert.match(run(['experts', 'edit', 'bot', '--header', 'a-secret']).stderr, /--header takes "Name: value"/);
    assert.match(run(['experts', 'edit', 'bot']).stderr, /Give what to change/);
    assert.doesNotMatch(said('experts', 'edit', 'bot', '--no-header', '--no-sign'), /with|signed|secret/);
    assert.equal(
      said('triggers', 'create', 'opened', '--webhook', 'issues', '--filter', rule, '--expert', 'bot'),
      'When an event comes to issues and `action` is "opened": run bot.\n',
    );
    assert.match(said('triggers', 'list'), /^opened {2,}When an event comes to issues/m);
    assert.match(
      run(['triggers', 'create', 'opened', '--webhook', 'issues']).stderr,
      /There is a trigger named opened/,
    );
    assert.match(said('triggers', 'disable', 'opened'), /run bot\. It is disabled\.$/m);
    // Other options stay: a trigger that lost its filter would fire for every event.
    assert.equal(
      said('triggers', 'create', 'opened', '--replace', '--expert', 'record'),
      'When an event comes to issues and `action` is "opened": record it. It is disabled.\n',
    );
    assert.equal(
      said('triggers', 'create', 'opened', '--replace', '--no-filter'),
      'When an event comes to issues: record it. It is disabled.\n',
    );
    const unmatched = await finished(said('webhooks', 'send', 'issues', '--data', '{}').trim());
    assert.match(
      said('events', 'show', unmatched.event_id),
      /no trigger fired\.\nIt is a test event\.\n\nopened is disabled/,
    );
    said('triggers', 'create', 'opened', '--replace', '--filter', rule, '--expert', 'bot');
    assert.equal(json<TriggerView>('triggers', 'enable', 'opened').enabled, true);
    const bad = run(['triggers', 'create', 'bad', '--webhook', 'issues', '--filter', '{"equals": [1, 1]}']);
    assert.deepEqual([bad.code, bad.stderr.includes('there is no operator "equals"')], [2, true]);
    assert.match(run(['experts', 'delete', 'bot']).stderr, /The expert bot is used by the trigger opened/);

    const closed = await finished(said('webhooks', 'send', 'issues', '--data', '{"action":"closed","n":1.50}').trim());
    const shown = said('events', 'show', closed.event_id);
    assert.match(shown, /opened did not fire: `action` is "opened": `action` was "closed"/);
    assert.match(shown, /\nContent-Type: application\/json\n/);
    assert.match(shown, /\n\{\n {2}"action": "closed",\n {2}"n": 1\.50\n\}\n/);
    const opened = await finished(said('webhooks', 'send', 'issues', '--data', '{"action":"opened"}').trim());
    assert.equal(opened.status, 'failed');
    assert.match(
      said('events', 'show', opened.event_id, '--explain'),
      /opened fired\.[^]*bot, run by opened: failed\n {4}\S+Z, \d+ ms: .*9/,
    );
    assert.deepEqual(
      json<EventSummaryView[]>('events', 'list', '--webhook', 'issues', '--status', 'failed').map(
        (one) => one.event_id,
      ),
      [opened.event_id],
    );
    assert.match(said('events', 'replay', opened.event_id), /^evt_\d{10} replays evt_\d{10}\n$/);
  });

  it('list, search and export events byte for byte, and print a curl command that repeats one', async () => {
    const { url, secret } = json<NewWebhookView>('webhooks', 'create', 'bytes');
    const bodies = [` {"n" : 1.0, "it's": "é\\u00e9\\n", "n": 2}\n`, '{"n": 2}', '[3]'];
    for (const body of bodies) {
      const headers = {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        'x-kind': "it's",
        'webhook-id': body.trim().length.toString(),
      };
      assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 202);
    }
    const list = (...args: string[]): string[] =>
      json<EventSummaryView[]>('events', 'list', '--webhook', 'bytes', ...args).map(({ event_id: id }) => id);
    const [third, second, first] = list() as [string, string, string];
    assert.deepEqual(list('--limit', '2'), [third, second]);
    assert.deepEqual(list('--text', 'u00e9'), [first]);
    assert.deepEqual(list('--filter', '{"==": [{"var": "n"}, 2]}'), [second, first]);
    assert.deepEqual(list('--filter', '{"==": [{"var": "n"}, 2]}', '--limit', '1'), [second]);
    const large = join(folder(), 'large.json');
    const numbers = Array.from({ length: 15_000 }, (_, i) => i % 100);
    writeFiles(join(large, '..'), { 'large.json': JSON.stringify({ in: [{ var: 'n' }, numbers] }) });
    assert.ok(statSync(large).size > 40_000);
    assert.deepEqual(list('--filter', large), [second, first], 'a filter may be larger than the head of a request');
    assert.equal(run(['events', 'list', '--webhook', 'bytes', '--text', 'nowhere']).code, 1);
    assert.equal(said('events', 'show', first, '--raw'), bodies[0]);
    assert.match(said('events', 'show', first, '--headers'), /^authorization: \[redacted\]$/m);
    assert.match(said('events', 'show', first), /"n": 1\.0,\n {2}"it's": "é\\u00e9\\n",\n {2}"n": 2\n/);

    const picture = Buffer.from([0xef, 0xbb, 0xbf, 0x89, 0x50, 0xff, 0]);
    const { url: anything } = json<NewWebhookView>('webhooks', 'create', 'pictures', '--type', 'anything');
    await fetch(anything, { method: 'POST', body: picture });
    const [shown] = json<EventSummaryView[]>('events', 'list', '--webhook', 'pictures');
    const raw = argsOf(['events', 'show', shown!.event_id, '--raw']);
    assert.deepEqual(execFileSync(process.execPath, raw), picture);

    const file = join(folder(), 'events.ndjson');
    assert.equal(said('events', 'export', '--webhook', 'bytes', '-o', file), '');
    const exported = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as EventDetailView).body);
    assert.deepEqual(exported, [...bodies].reverse());
    if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o077, 0);
    assert.ok(!readFileSync(file, 'utf8').includes(secret));

    if (process.platform !== 'win32') {
      const curl = said('events', 'show', first, '--curl');
      assert.ok(!curl.includes(secret) && curl.includes("-H 'x-kind: it'\\''s'"));
      const again = ranAsShell(curl, secret);
      assert.ok(again > third, 'it is another event');
      assert.equal(said('events', 'show', again, '--raw'), bodies[0]);
    }
  });

  it('print events as they arrive, up to a count or a timeout', async () => {
    said('webhooks', 'create', 'tailed');
    const child = spawn(process.execPath, argsOf(['events', 'tail', '--webhook', 'tailed', '--count', '2', '--json']), {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    const lines: EventSummaryView[] = [];
    const read = (async () => {
      for await (const line of createInterface(child.stdout)) lines.push(JSON.parse(line) as EventSummaryView);
    })();
    const ids: string[] = [];
    // The tail prints events since its start, whose moment is unknown.
    while (lines.length < 2 && child.exitCode === null) {
      ids.push(said('webhooks', 'send', 'tailed', '--data', '[1]').trim());
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.deepEqual((await ended) as unknown, [0, null]);
    await read;
    const at = ids.indexOf(lines[0]!.event_id);
    assert.deepEqual(
      lines.map(({ event_id: id }) => id),
      ids.slice(at, at + 2),
    );
    assert.equal(run(['events', 'tail', '--count', '1', '--timeout', '1']).code, 1);
  });

  it('print the outcome of events, also after a restart of the server', async () => {
    const receiver = createServer((request, response) => {
      request.resume();
      setTimeout(() => response.end(), request.headers['x-slow'] === undefined ? 0 : 3000);
    });
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    const own = join(folder(), 'restarted');
    const args = ['--state', own];
    const sextant = async (...rest: string[]): Promise<Outcome> => start([COMMAND, ...rest, ...args]);
    let restarted = await serve(args);
    const child = spawn(process.execPath, [COMMAND, 'events', 'tail', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    try {
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
      const made = await sextant('webhooks', 'create', 'w', '--json');
      await sextant('experts', 'create', 'bot', '--url', url);
      await sextant('triggers', 'create', 'all', '--webhook', 'w', '--expert', 'bot');
      const { url: to, secret } = JSON.parse(made.stdout) as NewWebhookView;
      const lines: string[] = [];
      createInterface(child.stdout).on('line', (line) => lines.push(line));
      const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
      // The tail prints events since its start, whose moment is unknown.
      await until('the tail prints an event', async () => {
        await fetch(to, { method: 'POST', headers, body: '1' });
        await new Promise((resolve) => setTimeout(resolve, 500));
        return lines.length > 0;
      });
      await fetch(to, { method: 'POST', headers: { ...headers, 'x-slow': '1' }, body: '2' });
      await until('an event is printed as pending', () => lines.some((line) => line.includes('pending')));
      await until('the event is printed with its outcome', () => lines.at(-1)!.includes('succeeded'));
      const [first, ...others] = lines.map((line) => line.split(/ +/));
      assert.equal(first![3], 'succeeded');
      assert.deepEqual(
        others.slice(-2).map(([, , , status]) => status),
        ['pending', 'succeeded'],
      );
      await stop(restarted);
      await once(child.stderr, 'data');
      restarted = await serve(args);
      const { length } = lines;
      await sextant('webhooks', 'send', 'w', '--data', '[3]');
      await until('the tail prints later events', () => lines.length > length);
    } finally {
      child.kill();
      receiver.close();
      await stop(restarted);
    }
  });

  it('report that a list is empty', () => {
    const empty = (...args: string[]): string => {
      const { code, stdout, stderr } = run(args);
      assert.deepEqual([code, stdout], [1, '']);
      return stderr;
    };
    assert.match(empty('webhooks', 'list', '--scope', 'organization'), /^sextant: No webhook found\. Create one/);
    said('webhooks', 'create', 'quiet');
    assert.equal(empty('events', 'list', '--webhook', 'quiet'), 'sextant: No event found.\n');
    said('webhooks', 'delete', 'quiet');
    assert.deepEqual(JSON.parse(run(['webhooks', 'list', '--scope', 'organization', '--json']).stdout), []);
  });

  it('report that more events exist than are listed, and that a webhook is missing', async () => {
    said('webhooks', 'create', 'many');
    for (const data of ['1', '2']) said('webhooks', 'send', 'many', '--data', `[${data}]`);
    const list = ['events', 'list', '--webhook', 'many'];
    assert.equal(run(list).stderr, '');
    assert.match(run([...list, '--limit', '1']).stderr, /^sextant: There are more than this one; --limit shows more/);
    assert.match(run([...list, '--limit', '1', '--text', '[']).stderr, /^sextant: There may be more/);
    const [webhook] = json<WebhookView[]>('webhooks', 'list').filter(({ name }) => name === 'many');
    said('webhooks', 'delete', 'many');
    assert.match(said('events', 'list', '--webhook', webhook!.webhook_id), /\(deleted\)/);
    for (const verb of ['list', 'tail', 'export']) {
      const { code, stderr } = run(['events', verb, '--webhook', 'many']);
      assert.deepEqual([code, stderr.startsWith('sextant: There is no webhook named many.')], [1, true], verb);
    }
  });

  it('list refusals with their reasons, and report damaged events', async () => {
    const { url, webhook_id: id } = json<NewWebhookView>('webhooks', 'create', 'refusing');
    const none = run(['events', 'refusals', '--webhook', 'refusing']);
    assert.deepEqual([none.code, none.stdout], [1, '']);
    const headers = { authorization: 'Bearer whsec_wrong', 'content-type': 'application/json' };
    for (const to of [url, url, `${url}x`]) await (await fetch(to, { method: 'POST', headers, body: '{}' })).text();
    const refused = (...args: string[]): RefusalView[] => json<RefusalView[]>('events', 'refusals', ...args);
    assert.deepEqual(
      refused('--limit', '3').map(({ webhook, webhook_id: at, status }) => [webhook, at, status]),
      [
        [null, `${id}x`, 404],
        ['refusing', id, 401],
        ['refusing', id, 401],
      ],
    );
    assert.equal(refused('--webhook', 'refusing').length, 2);
    assert.equal(refused('--webhook', `${id}x`, '--limit', '7')[0]!.status, 404);
    const first = run(['events', 'refusals', '--webhook', 'refusing', '--limit', '1']);
    assert.equal(first.stderr, 'sextant: There are more than this one; --limit shows more.\n');
    const table = said('events', 'refusals', '--webhook', 'refusing');
    assert.match(table, /^(\d{4}-\S+Z {2}refusing {2}401 {2}\S.*\n){2}$/);
    assert.ok(!table.includes('whsec_wrong'));

    assert.match(said('events', 'verify'), /^[\d,]+ events, [\d.]+ .?B: all can be read\.\n$/);
    assert.deepEqual(json<JournalView>('events', 'verify').damage, []);
    const kept = said('webhooks', 'send', 'refusing', '--data', '["soon read"]').trim();
    const lost = said('webhooks', 'send', 'refusing', '--data', '["soon damaged"]').trim();
    const events = join(state, 'webhooks/events');
    for (const name of readdirSync(events)) {
      const bytes = readFileSync(join(events, name));
      const at = bytes.indexOf('soon damaged');
      if (at < 0) continue;
      bytes[at]! ^= 1;
      writeFileSync(join(events, name), bytes);
    }
    for (const args of [['list', '--text', 'soon'], ['export']]) {
      const { code, stdout, stderr } = run(['events', ...args, '--webhook', 'refusing']);
      assert.ok(code === 0 && stdout.includes(kept) && !stdout.includes(lost));
      assert.equal(stderr, `sextant: 1 event is damaged and left out: ${lost}\n`);
    }
    const shown = run(['events', 'show', lost]);
    assert.deepEqual([shown.code, shown.stdout], [1, '']);
    assert.match(
      shown.stderr,
      /^sextant: The record at byte \d+ of \S+\.log is damaged, and its content is lost\. Restore/,
    );
    const damaged = run(['events', 'verify']);
    assert.equal(damaged.code, 1, damaged.stderr);
    assert.match(damaged.stdout, /^The journal is damaged: \S+, bytes \d+ to \d+\. /);
    assert.equal(run(['events', 'verify', '--json']).code, 1);
  });

  it('report errors, and have help with examples', async () => {
    said('triggers', 'create', 'taken', '--webhook', 'w');
    const wrong: readonly [args: string[], code: number, message: RegExp][] = [
      [['webhooks', 'create', 'w'], 2, /There is a webhook named w already/],
      [
        ['triggers', 'create', 'taken', '--webhook', 'w'],
        2,
        /trigger named taken already\. .* To change it, add --replace\.\n/,
      ],
      [['webhooks', 'create', '../x'], 2, /name must be 1 to 64 letters/],
      [['webhooks', 'create', 'x', '--type', 'other'], 2, /type must be one of bearer_token, standard_webhooks/],
      [['webhooks', 'delete', 'nobody'], 1, /There is no webhook named nobody/],
      [['webhooks', 'rotate', 'w', '--overlap', 'soon'], 2, /30s, 15m, 24h or 7d/],
      [['webhooks', 'send', 'w'], 2, /Name an event --as, a --template \(github-push, /],
      [['webhooks', 'send', 'w', '--data', '{'], 2, /--data is not JSON/],
      [['webhooks', 'send', 'w', '--data', '{}', '--set', 'a'], 2, /write PATH=VALUE/],
      [['webhooks', 'send', 'w', '--data', '{"a": 1}', '--set', 'a.b=1'], 2, /--set a\.b=1: a has no parts/],
      [['webhooks', 'send', 'w', '--data', '{"a": [1]}', '--set', 'a.b=1'], 2, /--set a\.b=1: a has no part b/],
      [['webhooks', 'send', 'w', '--data', `["${'x'.repeat(20_000)}"]`], 2, /larger than 20000 bytes/],
      [['triggers', 'create', 't', '--webhook', 'nobody'], 1, /There is no webhook named nobody/],
      [['triggers', 'create', 't'], 2, /Name the --webhook/],
      [['triggers', 'create', 'nobody', '--replace'], 1, /There is no trigger named nobody/],
      [['triggers', 'disable', 'nobody'], 1, /There is no trigger named nobody/],
      [['triggers', 'delete', 'nobody'], 1, /There is no trigger named nobody/],
      // A script's variable may be empty, and the path without a name was another.
      [['triggers', 'delete', ''], 1, /Nothing has the name ""\./],
      [['webhooks', 'delete', '..'], 1, /Nothing has the name "\.\."\./],
      [['events', 'show', ''], 1, /Nothing has the name ""\./],
      [['events', 'show', 'evt_9999999999'], 1, /There is no event evt_9999999999/],
      [['events', 'list', '--status', 'lost'], 2, /Status must be one of received/],
      [['events', 'list', '--from', 'noon'], 2, /From must be an ISO 8601 moment/],
      [['events', 'replay', 'evt_1'], 1, /There is no event evt_1/],
    ];
    // All at once, since most of their time is start-up.
    await Promise.all(
      wrong.map(async ([args, code, message]) => {
        const outcome = await start(argsOf(args));
        assert.deepEqual([outcome.code, outcome.stdout], [code, ''], args.join(' '));
        assert.match(outcome.stderr, message);
      }),
    );
    const none = spawnSync(process.execPath, [COMMAND, 'events', 'list', '--state', join(folder(), 'none')], {
      encoding: 'utf8',
    });
    assert.deepEqual(
      [none.status, /^sextant: No server was found for .*none\. Start one/.test(none.stderr)],
      [2, true],
    );
    const verbs = {
      webhooks: ['create', 'list', 'rotate', 'enable', 'disable', 'delete', 'send'],
      triggers: ['create', 'list', 'enable', 'disable', 'delete'],
      experts: ['create', 'list', 'delete'],
      events: ['list', 'show', 'tail', 'replay', 'export', 'refusals', 'verify'],
    };
    const all = Object.entries(verbs).flatMap(([kind, those]) => those.map((verb) => [kind, verb] as const));
    await Promise.all(
      all.map(async ([kind, verb]) => {
        const { stdout } = await start([COMMAND, kind, verb, '--help']);
        assert.match(stdout, new RegExp(`--json[^]*Examples:\\n  sextant ${kind} ${verb}[^]*Exit codes: 0 `));
      }),
    );
  });
});

async function start(args: readonly string[]): Promise<Outcome> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close') as Promise<[number]>;
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code, stdout, stderr };
}
