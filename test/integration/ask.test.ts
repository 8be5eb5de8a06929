import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { COMMAND, copySample, type Outcome } from '../support/command.ts';
import { CompletionServer, answering, beginStream, piece } from '../support/completionServer.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';

const KEY = 'sk-test-0123456789abcdef';

describe('sextant ask', () => {
  const folder = temporaryFolder();
  let cache = '';
  let sample = '';
  let server: CompletionServer;
  before(async () => {
    cache = folder();
    sample = copySample(folder());
    server = await CompletionServer.start();
  });
  after(() => server.stop());
  beforeEach(() => (server.requests.length = 0));

  /** Runs the command without blocking the server of this process. */
  function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): ReturnType<typeof spawn> {
    const own = { PATH: process.env.PATH, HOME: cache, XDG_CACHE_HOME: cache, NO_COLOR: '1' };
    return spawn(process.execPath, [COMMAND, 'ask', ...args], {
      env: { ...own, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  async function ask(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
    const child = start(args, env);
    let stdout = '';
    let stderr = '';
    child.stdout!.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, stdout, stderr };
  }

  const openAi = (): string[] => ['--provider', 'openai', '--base-url', server.url, '--model', 'test-model'];

  it('answers with passages, reports that nothing was sent, and lists the citations', async () => {
    const { code, stdout, stderr } = await ask(['how is the money given back?', sample]);
    assert.equal(code, 0, stderr);
    assert.equal(stderr, 'sextant: Passages, no model. Nothing was sent.\n');
    assert.match(stdout, /^No AI model used\./);
    assert.match(stdout, /\n\[1\] src\/orders\/orderService\.ts:30 {2}cancelOrder function\n/);
    assert.ok(!stdout.includes('\u001b'));
  });

  it('sends a service the question and passages, with the key of the environment, and streams the answer', async () => {
    server.script = answering('The card is charged again [1', '], then mailed [77].\u001b[2J');
    const { code, stdout, stderr } = await ask(['how are payments retried?', sample, ...openAi()], {
      SEXTANT_OPENAI_KEY: ` ${KEY}\n`,
    });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^The card is charged again \[1\], then mailed\. \[2J\n\n\[1\] src\/orders\//);
    assert.match(stderr, /test-model at 127\.0\.0\.1:\d+ receives [\d,]+ characters, with passages of \d+ files\.\n/);
    assert.match(stderr, /1 citation was removed: no passage has its number\./);
    const [request] = server.requests;
    assert.equal(request!.headers.authorization, `Bearer ${KEY}`);
    assert.match(request!.body.messages.at(-1)!.content, /Question: how are payments retried\?$/);
    assert.ok(!`${stdout}${stderr}`.includes(KEY));
  });

  it('prints the whole answer as JSON', async () => {
    server.script = answering('It waits [1].');
    const { code, stdout } = await ask(['how long does it wait between attempts?', sample, '--json', ...openAi()]);
    assert.equal(code, 0);
    const answer = JSON.parse(stdout) as Record<string, unknown>;
    const { provider, markdown, removedCitations, upToDate, cited, sent } = answer;
    assert.deepEqual({ markdown, removedCitations, upToDate }, { markdown: 'It waits [1].', removedCitations: 0, upToDate: true }); // oxfmt-ignore
    assert.equal((provider as { id: string }).id, 'openai:test-model');
    assert.equal((cited as { path: string }[])[0]!.path, 'src/orders/retryPolicy.ts');
    const prompt = server.requests[0]!.body.messages.reduce((sum, { content }) => sum + content.length, 0);
    assert.equal((sent as { characters: number }).characters, prompt);
  });

  it('reports a missing index', async () => {
    const { code, stderr } = await ask(['orders', copySample(folder()), '--no-update']);
    assert.equal(code, 1);
    assert.match(stderr, /^sextant: There is no index of \S+ yet\. Run without --no-update to build it\.\n/);
  });

  it('reports that no file of the folder is indexed, and does not advise to wait', async () => {
    const { code, stdout, stderr } = await ask(['how are orders paid?', folder()]);
    assert.equal(code, 1);
    assert.match(stderr, /^sextant: No file of \S+ is indexed\. "sextant status --skipped" lists the reasons\.\n/);
    assert.equal(stdout, 'Nothing in the indexed files answers this. Use words that stand in the code.\n');
  });

  it('reports the parts of the question that cannot be searched', async () => {
    const { code, stderr } = await ask(['how are payments retried? lang:klingon', sample]);
    assert.equal(code, 0);
    assert.match(stderr, /^how are payments retried\? lang:klingon\n {31}\^{7} There is no language “klingon”\./);
    assert.equal(stderr.split('klingon').length, 3);
    const long = await ask([`how are payments retried? ${'failed payment '.repeat(40)} lang:klingon`, sample]);
    assert.match(long.stderr, /^sextant: There is no language “klingon”\./m);
  });

  it('has an exit code for each result', async () => {
    assert.equal((await ask(['zzyzx', sample])).code, 1);
    assert.equal((await ask(['why?', sample, '--provider', 'oracle'])).code, 2);
    const unset = await ask(['orders', sample, '--provider', 'openai', '--model', 'm']);
    assert.deepEqual([unset.code, unset.stdout], [2, '']);
    assert.match(
      unset.stderr,
      /has no base URL\. Set it with --base-url or SEXTANT_OPENAI_BASE_URL, or choose another/,
    );
    const noModel = await ask(['orders', sample, '--provider', 'openai', '--base-url', server.url]);
    assert.match(noModel.stderr, /has no model\. Set it with --model or SEXTANT_OPENAI_MODEL/);
    const unused = await ask(['orders', sample, '--model', 'm']);
    assert.deepEqual([unused.code, unused.stdout], [2, '']);
    assert.match(unused.stderr, /only --provider openai and --rerank use/);
    server.script = (response) => response.writeHead(401).end(`{"error":{"message":"bad ${KEY}"}}`);
    const refused = await ask(['orders', sample, ...openAi()], { SEXTANT_OPENAI_KEY: KEY });
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /refuses the key.* It is read from SEXTANT_OPENAI_KEY\.\n$/);
    assert.ok(!refused.stderr.includes(KEY));
  });

  it('refuses a key that no header can hold, before anything is sent', async () => {
    const { code, stderr } = await ask(['orders', sample, ...openAi()], { SEXTANT_OPENAI_KEY: `${KEY}\nsecond line` });
    assert.equal(code, 2);
    assert.match(stderr, /^sextant: SEXTANT_OPENAI_KEY has a space, a line break or another character/);
    assert.ok(!stderr.includes(KEY));
    assert.equal(server.requests.length, 0);
  });

  it('sends nothing to a service that is not named, whatever keys are in the environment', async () => {
    const env = {
      SEXTANT_OPENAI_BASE_URL: server.url,
      SEXTANT_OPENAI_MODEL: 'm',
      SEXTANT_OPENAI_KEY: KEY,
      OPENAI_API_KEY: KEY,
    };
    assert.equal((await ask(['orders', sample], env)).code, 0);
    assert.equal(server.requests.length, 0);
    server.script = answering('Yes [1].');
    assert.equal((await ask(['orders', sample, '--provider', 'openai'], env)).code, 0);
    assert.equal(server.requests.length, 1);
  });

  it('stops on Ctrl-C in the middle of an answer', async () => {
    server.script = (response) => beginStream(response).write(piece('It begins'));
    const child = start(['orders', sample, ...openAi()]);
    let stdout = '';
    child.stdout!.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    await until('the answer begins', () => stdout.includes('It'));
    child.kill('SIGINT');
    assert.deepEqual((await once(child, 'close'))[0], 130);
    assert.match(stdout, /^It begins\n$/);
    await until('the connection is closed', () => server.openConnections === 0);
    // A team's service has the index.
    server.script = () => undefined;
    const team = start(['orders', '--team'], { SEXTANT_API_URL: server.url, SEXTANT_API_TOKEN: 'token' });
    let stderr = '';
    team.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    await until('the service is asked', () => server.openConnections > 0);
    team.kill('SIGINT');
    assert.deepEqual((await once(team, 'close'))[0], 130);
    assert.equal(stderr, 'sextant: Interrupted.\n');
  });
});
