import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileSystemContext } from '../../src/index.ts';
import { COMMAND, copySample } from '../support/command.ts';
import { isAlive } from '../support/isAlive.ts';
import { killed, spawnUntil } from '../support/processes.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';

const QUERY = 'how long to wait before the next attempt';

describe('FileSystemContext', () => {
  const folder = temporaryFolder();

  /** An executable that writes its process id, then runs the command or another script. */
  const commandIn = (place: string, script = COMMAND): { readonly cliPath: string; readonly pid: () => number } => {
    const cliPath = join(place, 'sextant');
    const noted = join(place, 'pid');
    const become = `XDG_CACHE_HOME='${join(place, 'cache')}' exec '${process.execPath}' '${script}' "$@"`;
    writeFileSync(cliPath, `#!/bin/sh\necho $$ > '${noted}'\n${become}\n`, { mode: 0o755 });
    return { cliPath, pid: () => Number(readFileSync(noted, 'utf8')) };
  };

  it('indexes a folder, finds code in it, and ends the command', async () => {
    const { cliPath, pid } = commandIn(folder());
    await using context = await FileSystemContext.create({ directory: copySample(folder()), cliPath });
    assert.equal(isAlive(pid()), true);
    assert.match(await context.search(QUERY), /^These parts .*\nPath: src\/orders\/retryPolicy\.ts\n/);
    await context.close();
    assert.equal(isAlive(pid()), false);
    await assert.rejects(context.search(QUERY), { code: 'ContextClosed' });
    await context.close();
  });

  it('ends the command when it is disposed', async () => {
    const { cliPath, pid } = commandIn(folder());
    {
      await using context = await FileSystemContext.create({ directory: copySample(folder()), cliPath });
      assert.ok((await context.search('password')).length > 100);
    }
    assert.equal(isAlive(pid()), false);
  });

  it('passes the results to the given answerer', async () => {
    const { cliPath } = commandIn(folder());
    const prompts: string[] = [];
    const answer = (prompt: string): Promise<string> => Promise.resolve(`answer ${prompts.push(prompt)}`);
    await using context = await FileSystemContext.create({ directory: copySample(folder()), cliPath, answer });
    assert.equal(await context.searchAndAsk(QUERY, 'Is it random?'), 'answer 1');
    assert.match(prompts[0]!, /^Relevant context:\nThese parts [^]*retryPolicy\.ts[^]*\n\nIs it random\?$/);
  });

  it('needs credentials only for an answer by a service', async () => {
    const { cliPath } = commandIn(folder());
    const edges = { env: {}, home: folder() };
    await using context = await FileSystemContext.createWith(edges, { directory: copySample(folder()), cliPath });
    await assert.rejects(context.searchAndAsk(QUERY), {
      code: 'NoCredentials',
      message: /^API credentials are required for searchAndAsk\. API key is required/,
    });
  });

  it('explains what to do if the command cannot start', async () => {
    const directory = copySample(folder());
    const create = (options: object): Promise<FileSystemContext> => FileSystemContext.create({ directory, ...options });
    await assert.rejects(create({ cliPath: ' ' }), { code: 'InvalidCliPath', message: /^Invalid cliPath/ });
    await assert.rejects(create({ directory: join(directory, 'none') }), { code: 'NotAFolder' });
    const missing = { code: 'NoCommand', message: /\(ENOENT\)\. Install it with "npm install --global sextant-code"/ };
    await assert.rejects(create({ cliPath: join(directory, 'none') }), missing);
    const script = join(folder(), 'broken.mjs');
    writeFileSync(script, 'console.error("the disk is on fire"); process.exit(3);\n');
    const { cliPath } = commandIn(folder(), script);
    await assert.rejects(create({ cliPath }), {
      code: 'CommandFailed',
      message: /did not start: the disk is on fire$/,
    });
  });

  it('restarts the command after it died', async () => {
    const { cliPath, pid } = commandIn(folder());
    await using context = await FileSystemContext.create({ directory: copySample(folder()), cliPath });
    const first = pid();
    process.kill(first, 'SIGKILL');
    await until('the process has ended', () => !isAlive(first));
    await until('a search is answered again', async () => {
      try {
        return (await context.search(QUERY)).includes('retryPolicy.ts');
      } catch (error) {
        assert.equal((error as { code?: string }).code, 'RetrievalFailed');
        return false;
      }
    });
    assert.notEqual(pid(), first);
  });

  it('works with other commands of the protocol, and kills a command that does not end', async () => {
    const script = join(folder(), 'other.mjs');
    writeFileSync(
      script,
      `import { createInterface } from 'node:readline';
      const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
      console.log('Starting up …');
      for await (const line of createInterface(process.stdin)) {
        const { id, method, params } = JSON.parse(line);
        const info = { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: { name: 'o', version: '1' } };
        if (method === 'initialize') answer(id, info);
        if (method !== 'tools/call') continue;
        const { information_request: asked } = params.arguments;
        const texts = [process.argv.slice(2, 4).join(' '), asked].map((text) => ({ type: 'text', text }));
        if (asked === 'fail') console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message: 'no' } }));
        else answer(id, { content: [...texts, { type: 'image', data: 'AA==', mimeType: 'image/png' }] });
      }
      setInterval(() => {}, 1000);`,
    );
    const { cliPath, pid } = commandIn(folder(), script);
    await using context = await FileSystemContext.create({ directory: copySample(folder()), cliPath });
    assert.equal(await context.search('what'), '--mcp --workspace-root\nwhat');
    await assert.rejects(context.search('fail'), { message: /^Codebase retrieval failed: .*no$/ });
    await context.close();
    assert.equal(isAlive(pid()), false);
  });

  it('ends the command when the program is killed or ends without closing it', async () => {
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const place = folder();
      const { cliPath, pid } = commandIn(place);
      const code = `
        import { FileSystemContext } from './src/index.ts';
        const [directory, cliPath] = process.argv.slice(1);
        const context = await FileSystemContext.create({ directory, cliPath });
        console.log('ready');
        await context.search('password');`;
      const { child } = await spawnUntil('ready', code, [copySample(folder()), cliPath]);
      assert.ok(existsSync(join(place, 'pid')));
      const own = pid();
      assert.equal(isAlive(own), true);
      await killed(child, signal);
      await until('the command has ended', () => !isAlive(own));
    }
  });
});
