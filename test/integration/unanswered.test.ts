import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { BatchStore } from '../../src/analytics/budgets/batchStore.ts';
import { accountKey } from '../../src/analytics/client/account.ts';
import { silentLogger } from '../../src/base/log.ts';
import { createProgram } from '../../src/cli/main.ts';
import { StateFolder } from '../../src/server/state/stateFolder.ts';
import { COMMAND, copySample } from '../support/command.ts';
import { nameOf, runnable } from '../support/commandTree.ts';
import { hasTerminal, runInTerminal } from '../support/terminal.ts';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';

/** A command line that sends a request, and its standard input. */
interface Case {
  readonly args: readonly string[];
  readonly input?: string;
  /** What it reports if it is interrupted, where it has more to report. */
  readonly reports?: RegExp;
}

const TOKEN = 'sxt_token';
/** Stands in a command line for the address of the server. */
const URL_HERE = '<url>';
/** Commands that find the server by `--state`, which is added. */
const LOCAL: readonly (readonly string[])[] = [
  ['webhooks', 'create', 'w'],
  ['webhooks', 'list'],
  ['webhooks', 'edit', 'w', '--description', 'x'],
  ['webhooks', 'rotate', 'w'],
  ['webhooks', 'enable', 'w'],
  ['webhooks', 'disable', 'w'],
  ['webhooks', 'delete', 'w'],
  ['webhooks', 'send', 'w', '--data', '{}'],
  ['triggers', 'create', 't', '--webhook', 'w'],
  ['triggers', 'list'],
  ['triggers', 'enable', 't'],
  ['triggers', 'disable', 't'],
  ['triggers', 'delete', 't'],
  ['experts', 'create', 'e', '--url', 'http://127.0.0.1:1'],
  ['experts', 'edit', 'e', '--timeout', '5'],
  ['experts', 'list'],
  ['experts', 'delete', 'e'],
  ['events', 'list'],
  ['events', 'list', '--text', 'x'],
  ['events', 'show', 'evt_0000000001'],
  ['events', 'tail'],
  ['events', 'tail', '--webhook', 'w'],
  ['events', 'replay', 'evt_0000000001'],
  ['events', 'resend', 'evt_0000000001', '--type', 'x'],
  ['events', 'retry', 'evt_0000000001'],
  ['events', 'export'],
  ['events', 'refusals'],
  ['events', 'verify'],
  ['filters', 'test', 'true', '--webhook', 'w'],
  ['listen', '--forward', 'http://127.0.0.1:1'],
  ['listen', '--undo', 'w'],
  ['export'],
  ['login'],
];
/** Commands that find a service in the environment or by an option. */
const REMOTE: readonly Case[] = [
  { args: ['login', URL_HERE], input: 'token\n' },
  { args: ['push', '--name', 'acme/shop'] },
  { args: ['repos', 'list'] },
  { args: ['repos', 'search', 'shop'] },
  { args: ['repos', 'remove', 'acme/shop'] },
  { args: ['ask', 'where are retries?', '--team'] },
  { args: ['ask', 'where are retries?', '--provider', 'openai', '--base-url', URL_HERE, '--model', 'm'] },
  { args: ['usage'] },
  { args: ['cost'] },
  { args: ['report'] },
  { args: ['report', '--all-orgs'] },
  { args: ['export', '--facts', 'facts'] },
  { args: ['groups', 'check', 'groups.csv'] },
  { args: ['groups', 'list', 'groups.csv'] },
  { args: ['metrics', '--once'] },
  { args: ['budgets', 'list'] },
  { args: ['budgets', 'set', 'ada@example.com', '5', '--yes'] },
  { args: ['budgets', 'clear', 'ada@example.com', '--yes'] },
  { args: ['budgets', 'import', '-', '--yes'], input: 'account,limit\nada@example.com,5\n' },
  { args: ['budgets', 'undo', '--yes', '--state', '<ended>'] },
  { args: ['budgets', 'retry', '--yes', '--state', '<ended>'] },
  { args: ['budgets', 'resume', '--state', '<begun>'], reports: /^sextant: The batch is not complete\. .*resume\.$/m },
  { args: ['budgets', 'export'] },
  { args: ['budgets', 'group', 'list', '--groups', 'groups.csv'] },
  { args: ['budgets', 'group', 'spread', 'team=Search', '--groups', 'groups.csv', '--limit', '5', '--yes'] },
  { args: ['alerts', 'preview'] },
  { args: ['alerts', 'run'] },
  { args: ['alerts', 'test', 'hook', '--yes'] },
];
/** Commands that send no request. */
const OTHERS: ReadonlySet<string> = new Set([
  ...['index', 'search', 'find-usages', 'outline', 'mcp', 'mcp install', 'status', 'why', 'doctor'],
  ...['context export', 'context import', 'serve', 'webhooks library', 'completion', 'logout'],
  ...['token print', 'token create', 'orgs add', 'orgs list', 'orgs remove'],
  ...['budgets status', 'budgets remind'],
  ...['group set', 'group clear', 'alerts add', 'alerts list', 'alerts remove', 'alerts log'],
]);
/** Commands that only save an answer, or need nothing of it. */
const SENDS_LITTLE: ReadonlySet<string> = new Set(['export', 'login']);

/** How the server answers. */
type Answering = (response: ServerResponse, asked: () => void, path: string) => void;

const never: Answering = (_response, asked) => asked();
const partly: Answering = (response, asked) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
  response.write('{"webhooks": [', () => asked());
};
const cutOff: Answering = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
  response.write('{"webhooks": [', () => response.socket?.destroy());
};
const withPage =
  (status: number): Answering =>
  (response) => {
    response.writeHead(status, { 'content-type': 'text/html' });
    response.end('<html>not this one</html>');
  };

/** Answers for a forward and its newest event, and never to the next request for events. */
function followsOnce(): Answering {
  let requests = 0;
  return (response, asked, path) => {
    if (path === '/__admin/forwards') response.end(JSON.stringify(FORWARD));
    else if (path === '/__admin/webhooks') response.end(JSON.stringify({ webhooks: [FORWARD.webhook] }));
    else if (++requests === 1) response.end(JSON.stringify({ events: [], has_more: false }));
    else asked();
  };
}

const FORWARD = {
  name: 'w',
  webhook: { name: 'w', webhook_id: 'wh_1', type: 'anything', url: 'http://127.0.0.1:1' },
  expert: { name: 'w', type: 'forward', url: 'http://127.0.0.1:1' },
  is_new: true,
};

describe('A command whose server does not answer', () => {
  const folder = temporaryFolder();
  const home = { folder: '', root: '', state: '', ended: '', begun: '' };
  let server: Server;
  let url: string;
  let state: StateFolder;
  let answer: Answering;
  let answerHealth: Answering | undefined;
  let onAsked: () => void;

  before(async () => {
    home.folder = folder();
    home.root = copySample(join(folder(), 'project'));
    home.state = join(folder(), 'state');
    writeFiles(home.root, { 'groups.csv': 'account,team\nada@example.com,Search\n' });
    server = createServer((request, response) => {
      request.resume();
      if (request.url?.startsWith('/healthz') && !answerHealth)
        response.end(JSON.stringify({ status: 'ok', pid: process.pid }));
      else (answerHealth ?? answer)(response, () => onAsked(), request.url ?? '');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    url = `http://127.0.0.1:${port}`;
    state = await StateFolder.open(home.state, silentLogger);
    [home.ended, home.begun] = [folder(), folder()];
    await writeBatch(home.ended, true);
    await writeBatch(home.begun, false);
    state.publish(url, { port, token: 'token', adminToken: 'admin' });
    for (const [args, input] of [
      [['alerts', 'add', 'hook'], `${url}/hook\n`],
      [['orgs', 'add', 'acme', url, '--token-env', 'SEXTANT_ANALYTICS_TOKEN'], ''],
      [['budgets', 'group', 'set', 'team=Search', '5', '--groups', 'groups.csv'], ''],
      [['index'], ''],
    ] as const) {
      const options = { cwd: home.root, env: environment(), input, encoding: 'utf8' } as const;
      const { status, stderr } = spawnSync(process.execPath, [COMMAND, ...args], options);
      assert.equal(status, 0, stderr);
    }
  });
  beforeEach(() => (answerHealth = undefined));
  afterEach(() => server.closeAllConnections());
  after(async () => {
    await state.close();
    server.close();
  });

  function environment(): NodeJS.ProcessEnv {
    return {
      PATH: process.env.PATH,
      HOME: home.folder,
      XDG_CACHE_HOME: join(home.folder, 'cache'),
      XDG_DATA_HOME: join(home.folder, 'data'),
      NO_COLOR: '1',
      SEXTANT_ANALYTICS_URL: url,
      SEXTANT_ANALYTICS_TOKEN: TOKEN,
      SEXTANT_API_URL: url,
      SEXTANT_API_TOKEN: TOKEN,
      SEXTANT_OPENAI_KEY: TOKEN,
    };
  }

  /** Writes a batch of limits, one of which was applied if it has ended. */
  async function writeBatch(folder: string, isEnded: boolean): Promise<void> {
    const store = new BatchStore(join(folder, 'budgets', accountKey({ url, token: TOKEN })));
    const lease = store.lock();
    const at = new Date().toISOString();
    const rows = ['ada@example.com', 'bob@example.com'].map((name) => {
      return { kind: 'user_email', name, before: '', after: '5' } as const;
    });
    const log = await store.begin(lease, { at, source: { kind: 'set' }, unit: 'credits', rows });
    if (isEnded) {
      await log.append({ type: 'read', at, confirmed: [0], waiting: [1], already: [], conflict: [], differs: [] });
      await log.append({ type: 'ended', at });
    }
    await log.close();
    lease.release();
  }

  /** Runs a command, and sends it a signal when the server calls `onAsked`. */
  async function run(
    { args, input = '' }: Case,
    answers: Answering,
    signal: NodeJS.Signals = 'SIGINT',
    variables: NodeJS.ProcessEnv = {},
  ): Promise<{ code: number | null; stdout: string; stderr: string }> {
    const words = args.map((arg) => (arg === URL_HERE ? url : arg));
    const env = { ...environment(), ...variables };
    const child = spawn(process.execPath, [COMMAND, ...words], { cwd: home.root, env });
    answer = answers;
    // Once: a second signal ends a process that has not ended yet.
    onAsked = () => {
      onAsked = () => undefined;
      child.kill(signal);
    };
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.stdin.end(input);
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, stdout, stderr };
  }

  const local: readonly Case[] = LOCAL.map((args) => ({ args: [...args, '--state', '<state>'] }));
  const atState = ({ args, ...rest }: Case): Case => ({
    ...rest,
    args: args.map((arg) => ({ '<state>': home.state, '<ended>': home.ended, '<begun>': home.begun })[arg] ?? arg),
  });

  it('is each command that sends a request', async () => {
    const terminal = { ...process, signal: new AbortController().signal };
    const program = await createProgram(['node', 'sextant', 'completion'], '1.0.0', terminal, () => undefined);
    const lines = [...local, ...REMOTE].map(({ args }) => args.join(' '));
    const isHere = (name: string): boolean => lines.some((line) => `${line} `.includes(`${name} `));
    const missing = runnable(program)
      .map(nameOf)
      .filter((name) => !isHere(name) && !OTHERS.has(name));
    assert.deepEqual(missing, []);
  });

  for (const one of [...local, ...REMOTE]) {
    const title = one.args.join(' ').replace(' --state <state>', '');
    it(`ends on Ctrl-C: ${title}`, async () => {
      const { code, stderr } = await run(atState(one), never);
      assert.match(stderr, one.reports ?? /^sextant: Interrupted\./m);
      assert.equal(code, 130, stderr);
    });
  }

  for (const one of [...local, ...REMOTE.filter(({ args }) => args[0] !== 'alerts' || args[1] !== 'test')])
    it(`ends on SIGTERM within an answer: ${one.args.join(' ').replace(' --state <state>', '')}`, async () => {
      const { code, stderr } = await run(atState(one), partly, 'SIGTERM');
      assert.match(stderr, one.reports ?? /^sextant: Interrupted\./m);
      assert.equal(code, 130, stderr);
    });

  for (const args of [
    ['webhooks', 'list'],
    ['events', 'tail'],
    ['listen', '--forward', URL_HERE],
    ['login'],
    ['export'],
  ])
    it(`ends on Ctrl-C before it knows whether the server runs: ${args.join(' ')}`, async () => {
      answerHealth = never;
      const { code, stderr } = await run({ args: [...args, '--state', home.state] }, never);
      assert.deepEqual([code, stderr], [130, 'sextant: Interrupted.\n']);
    });

  it('gives the same reason in JSON as in words: webhooks list, repos list', async () => {
    for (const args of [
      ['webhooks', 'list', '--json', '--state', home.state],
      ['repos', 'list', '--json'],
    ]) {
      const { code, stdout, stderr } = await run({ args }, never);
      assert.deepEqual(JSON.parse(stdout), { error: { code: 'Cancelled', message: 'Interrupted.' } });
      assert.deepEqual([code, stderr], [130, 'sextant: Interrupted.\n']);
    }
  });

  it("names the setting if the team's service is another page, or redirects to one: repos list", async () => {
    const redirects: Answering = (response) =>
      void response.writeHead(302, { location: 'https://login.example' }).end();
    for (const [answering, reason] of [
      [withPage(200), 'answers with a web page, not with JSON. Check the URL'],
      [redirects, 'redirects to another address, which would receive the token'],
    ] as const) {
      const { code, stderr } = await run({ args: ['repos', 'list'] }, answering);
      assert.ok(stderr.includes(reason), stderr);
      assert.equal(code, 2);
    }
  });

  it('ends on Ctrl-C while it follows events, which is its end: events tail, listen', async () => {
    for (const args of [
      ['events', 'tail'],
      ['listen', '--forward', URL_HERE],
    ]) {
      const { code, stderr } = await run({ args: [...args, '--state', home.state] }, followsOnce());
      assert.deepEqual([code, stderr], [0, '']);
    }
    const args = ['events', 'tail', '--count', '1', '--state', home.state];
    const { code, stderr } = await run({ args }, followsOnce());
    assert.deepEqual([code, stderr], [130, 'sextant: Interrupted.\n']);
  });

  it('ends at its time limit: events tail --timeout', async () => {
    for (const [options, wanted] of [
      [[], 0],
      [['--count', '1'], 1],
    ] as const) {
      const follows = followsOnce();
      const args = ['events', 'tail', '--timeout', '1', ...options, '--state', home.state];
      const { code, stderr } = await run({ args }, (response, _, path) => follows(response, () => undefined, path));
      assert.deepEqual([code, stderr], [wanted, '']);
    }
  });

  it('prints the number of events that were stored before Ctrl-C: webhooks send --count', async () => {
    let requests = 0;
    const three: Answering = (response, asked) =>
      ++requests <= 3 ? response.end(JSON.stringify({ event_id: 'evt_0000000001' })) : asked();
    for (const [options, stored] of [
      [[], /^3 events in [\d.]+ s: [\d,]+ a second\.\n$/],
      [['--json'], /^\{"sent":\d+,"stored":3,"failed":0,"seconds":[\d.]+,"rate":[\d.]+\}\n\{\n {2}"error": /],
    ] as const) {
      requests = 0;
      const args = ['webhooks', 'send', 'w', '--data', '{}', '--count', '100', '--state', home.state, ...options];
      const { code, stdout, stderr } = await run({ args }, three);
      assert.match(stdout, stored);
      assert.match(stderr, /^sextant: Interrupted\.\n$/);
      assert.equal(code, 130);
    }
  });

  it('ends on Ctrl-C while it waits for the state of another process: listen', async () => {
    const busy = join(folder(), 'state');
    const other = await StateFolder.open(busy, silentLogger);
    const args = [COMMAND, 'listen', '--forward', url, '--state', busy];
    const child = spawn(process.execPath, args, { env: environment() });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      const isWaiting = stderr.includes('Waiting');
      stderr += chunk.toString();
      if (!isWaiting && stderr.includes('Waiting')) child.kill('SIGINT');
    });
    const [code] = (await once(child, 'close')) as [number | null];
    await other.close();
    assert.match(stderr, /^sextant: Process \d+ on \S+ has the state in .*\nsextant: Interrupted\.\n$/);
    assert.equal(code, 130);
  });

  it('ends on Ctrl-C in a terminal: listen', async function () {
    if (!hasTerminal) this.skip();
    answer = followsOnce();
    const { code, shown } = await runInTerminal({
      args: ['listen', '--forward', url, '--state', home.state],
      env: environment(),
      onStart: (type) => (onAsked = () => type('\u0003')),
    });
    assert.match(shown, /w is kept\. Undo: sextant listen --undo "w"\r\n$/);
    assert.equal(code, 0);
  });

  it('leaves Ctrl-C to an editor, and ends if that does: webhooks send --edit', async function () {
    if (!hasTerminal) this.skip();
    for (const [script, isSent] of [
      [`trap 'sed -i s/1/2/ "$1"; exit 0' INT; echo ready; while :; do sleep 0.05; done`, true],
      ['echo ready; exec sleep 600', false],
    ] as const) {
      const editor = join(folder(), 'editor.sh');
      writeFiles(editor, { '../editor.sh': `${script}\n` });
      let isTyped = false;
      answer = (response) => response.end(JSON.stringify({ event_id: 'evt_0000000001' }));
      const { code, shown } = await runInTerminal({
        args: ['webhooks', 'send', 'w', '--data', '{"a":1}', '--edit', '--state', home.state],
        env: { ...environment(), EDITOR: `sh ${editor}` },
        onOutput: (text, type) => {
          if (isTyped || !text.includes('ready')) return;
          isTyped = true;
          type('\u0003');
        },
      });
      assert.match(shown, isSent ? /evt_0000000001\r\n$/ : /sextant: Interrupted\.\r\n$/);
      assert.equal(code, isSent ? 0 : 130);
    }
  });

  const problems: readonly (readonly [string, Answering, string, RegExp])[] = [
    [
      'breaks off',
      cutOff,
      'NoAnswer',
      /^sextant: The server at \S+ broke off its answer\. Check whether it is running\. /,
    ],
    [
      'is a page',
      withPage(200),
      'UnexpectedResponse',
      /^sextant: The server at \S+ answered 200 without JSON\. Check /,
    ],
    ['refuses', withPage(502), 'UnexpectedResponse', /^sextant: The server at \S+ answered 502 without JSON\. Check /],
  ];
  for (const [what, answers, code, message] of problems) {
    for (const args of [
      ['webhooks', 'list'],
      ['events', 'list', '--text', 'x'],
    ])
      it(`explains an answer that ${what}: ${args.join(' ')}`, async () => {
        const ended = await run({ args: [...args, '--json', '--state', home.state] }, answers);
        assert.match(ended.stderr, message);
        assert.equal((JSON.parse(ended.stdout) as { error: { code: string } }).error.code, code);
        assert.equal(ended.code, 2);
      });
    // Its lines are saved as they are.
    if (answers !== problems[1]![1])
      it(`explains an answer that ${what}: export`, async () => {
        const ended = await run({ args: ['export', '--state', home.state] }, answers);
        assert.match(ended.stderr, message);
        assert.equal(ended.code, 2);
      });
  }

  for (const one of [...local.filter(({ args }) => !SENDS_LITTLE.has(args[0]!)), { args: ['usage'] }])
    it(`reports the JSON of another program: ${one.args.join(' ').replace(' --state <state>', '')}`, async () => {
      // An answer to a deletion has nothing that is needed.
      const body = one.args[1] === 'delete' ? 'null' : '{}';
      const { code, stderr } = await run(atState(one), (response) => response.end(body));
      assert.match(stderr, /^sextant: The (server at \S+ answered 200 without|answer of \S+ is not) .*\. Check /m);
      assert.equal(code, 2);
    });

  it('ends on Ctrl-C before it knows whether the server runs: usage', async () => {
    answerHealth = never;
    const args = ['usage', '--server-state', home.state];
    const variables = { SEXTANT_ANALYTICS_URL: undefined };
    const { code, stderr } = await run({ args }, never, 'SIGINT', variables);
    assert.deepEqual([code, stderr], [130, 'sextant: Interrupted.\n']);
  });
});
