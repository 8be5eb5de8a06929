import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { times } from '../../test/support/runs.ts';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { until } from '../../test/support/until.ts';
import type { AttemptOutcome, StoredEvent } from './event.ts';
import { runCommand } from './runCommand.ts';
import type { CommandExpert } from './schemas.ts';

type Sent = Pick<StoredEvent, 'id' | 'headers' | 'body' | 'method' | 'query'>;

describe('a command', function () {
  this.timeout(60_000);
  const folder = temporaryFolder();
  const never = new AbortController().signal;

  /** Runs a program of Node; `rest` are its arguments. */
  function run(
    program: string,
    {
      rest = [],
      sent = {},
      signal = never,
      ...more
    }: Partial<CommandExpert> & {
      readonly rest?: readonly string[];
      readonly sent?: Partial<Sent>;
      readonly signal?: AbortSignal;
    } = {},
  ): Promise<AttemptOutcome> {
    const event = { id: 'evt_0000000001', headers: [], body: Buffer.from('{}'), ...sent };
    const argv = [process.execPath, '-e', program, '--', ...rest];
    const limits = { timeout_ms: 50_000, max_attempts: 3, concurrency: 1, input: 'body' as const };
    const expert = { name: 'c', type: 'command' as const, argv, cwd: folder(), env: {}, ...limits, ...more };
    return runCommand({ event, webhook: 'w', trigger: 't' }, expert, signal);
  }

  it('has any body byte for byte on its input, and its arguments as they are', async () => {
    const program = `
      const chunks = [];
      process.stdin.on('data', (c) => chunks.push(c));
      process.stdin.on('end', () => console.log(JSON.stringify([Buffer.concat(chunks).toString('hex'), ...process.argv.slice(1)])));`;
    // On Windows libuv ends a Node whose program starts one with the character U+10FFFF.
    const argument = fc.string({ unit: 'binary', maxLength: 30 }).map((text) => text.replace(/[\0\u{10ffff}]/gu, ''));
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 900 }), argument, async (bytes, one) => {
        const { answer = '', isDone } = await run(program, {
          sent: { body: Buffer.from(bytes) },
          rest: [one, '$HOME;*'],
        });
        assert.deepEqual(JSON.parse(answer), [Buffer.from(bytes).toString('hex'), one, '$HOME;*']);
        assert.ok(isDone);
      }),
      { numRuns: times(8) },
    );
  });

  it('knows of the event by its variables, and nothing of the tokens of the server', async () => {
    process.env.SEXTANT_SERVE_TOKEN = 'secret';
    try {
      const program = `console.log(JSON.stringify(Object.fromEntries(Object.entries(process.env).filter(([k]) => /^SEXTANT|^MINE/.test(k)))))`;
      const sent = { method: 'PUT', query: 'a=1' };
      const { answer = '' } = await run(program, { env: { MINE: 'x', SEXTANT_EVENT_ID: 'other' }, sent });
      assert.deepEqual(JSON.parse(answer), {
        MINE: 'x',
        SEXTANT_EVENT_ID: 'evt_0000000001',
        SEXTANT_WEBHOOK: 'w',
        SEXTANT_TRIGGER: 't',
        SEXTANT_EXPERT: 'c',
        SEXTANT_METHOD: 'PUT',
        SEXTANT_QUERY: 'a=1',
      });
    } finally {
      delete process.env.SEXTANT_SERVE_TOKEN;
    }
  });

  it('reads the event as JSON on request, with bytes that are no text in base64', async () => {
    const program = 'process.stdin.pipe(process.stdout)';
    const headers = [['X-A', 'b']] as const;
    const text = await run(program, { input: 'event', sent: { headers, body: Buffer.from('é') } });
    const event = { event_id: 'evt_0000000001', webhook: 'w', trigger: 't', method: 'POST', query: '' };
    assert.deepEqual(JSON.parse(text.answer!), { ...event, headers: [['X-A', 'b']], body: 'é' });
    const bytes = await run(program, { input: 'event', sent: { body: Buffer.from([255, 0]) } });
    assert.deepEqual(JSON.parse(bytes.answer!), { ...event, headers: [], body_base64: '/wA=' });
  });

  it('keeps the end of what it prints, on both outputs, and its exit code', async () => {
    const {
      isDone,
      error,
      answer = '',
    } = await run(
      `process.stdout.write('ö'.repeat(50_000), () => { console.error('the reason'); process.exitCode = 3; })`,
    );
    assert.deepEqual([isDone, error], [false, 'exit code 3']);
    assert.ok(Buffer.byteLength(answer) <= 4_010, `${Buffer.byteLength(answer)}`);
    assert.match(answer, /^…ö+/);
    assert.ok(answer.includes('the reason\n'));
  });

  it('may end without reading its input', async () => {
    const body = Buffer.alloc(1_000_000, 'x');
    assert.deepEqual(await run('process.exit(0)', { sent: { body } }), { isDone: true, canRetry: true });
  });

  it('that does not exist fails with the reason', async () => {
    const { isDone, error = '' } = await run('', { argv: ['./none'] });
    assert.equal(isDone, false);
    assert.match(error, /^could not be started: .*ENOENT|no such file/i);
  });

  it('ends at its time limit with all that it started, also if it ignores the request', async function () {
    if (process.platform === 'win32') this.skip();
    const place = folder();
    const child = `process.on('SIGTERM', () => undefined); require('fs').writeFileSync('child', String(process.pid)); setInterval(() => undefined, 1000)`;
    const program = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: 'inherit' }); setInterval(() => undefined, 1000)`;
    const { isDone, error } = await run(program, { cwd: place, timeout_ms: 1_500 });
    assert.deepEqual([isDone, error], [false, 'no end within 1.5 s']);
    if (!existsSync(join(place, 'child'))) return;
    const pid = Number(readFileSync(join(place, 'child'), 'utf8'));
    await until('the child has ended', () => !isAlive(pid));
  });

  it('ends when the server stops, and reports no result', async () => {
    const place = folder();
    const stopping = new AbortController();
    const running = run(`require('fs').writeFileSync('pid', String(process.pid)); setInterval(() => undefined, 1000)`, {
      cwd: place,
      signal: stopping.signal,
    });
    const pid = await until(
      'it runs',
      () => existsSync(join(place, 'pid')) && Number(readFileSync(join(place, 'pid'), 'utf8')),
    );
    stopping.abort();
    await assert.rejects(running, { name: 'AbortError' });
    await until('it has ended', () => !isAlive(pid));
    await assert.rejects(run('', { signal: stopping.signal }), { name: 'AbortError' });
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
