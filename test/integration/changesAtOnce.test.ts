import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMAND } from '../support/command.ts';
import { temporaryFolder } from '../support/temporary.ts';

const PROCESSES = 8;

describe('Processes that change a file of the user at once', () => {
  const folder = temporaryFolder();
  const numbers = Array.from({ length: PROCESSES }, (_, i) => i + 1);

  /** Runs a command line for each number at once. */
  async function runAll(cwd: string, argsOf: (number: number) => string[]): Promise<void> {
    const env = { ...process.env, XDG_DATA_HOME: join(folder(), 'data') };
    const ended = numbers.map(async (number) => {
      const child = spawn(process.execPath, [COMMAND, ...argsOf(number)], { cwd, env });
      let stderr = '';
      child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
      const [code] = (await once(child, 'close')) as [number | null];
      assert.equal(code, 0, stderr);
    });
    await Promise.all(ended);
  }

  it('add all tokens: token create', async () => {
    const cwd = folder();
    const scope = ['--scope', 'repositories:read'];
    await runAll(cwd, (number) => ['token', 'create', 'tokens.json', '--name', `ci-${number}`, ...scope]);
    const { tokens } = JSON.parse(readFileSync(join(cwd, 'tokens.json'), 'utf8')) as { tokens: { name: string }[] };
    assert.deepEqual(
      tokens.map(({ name }) => name).toSorted(),
      numbers.map((number) => `ci-${number}`),
    );
    assert.deepEqual(readdirSync(cwd), ['tokens.json'], 'no lock stays beside it');
  });

  it('give the name of a token to one of them: token create', async () => {
    const cwd = folder();
    const env = { ...process.env, XDG_DATA_HOME: join(folder(), 'data') };
    const args = [COMMAND, 'token', 'create', 'tokens.json', '--name', 'ci', '--scope', 'repositories:read'];
    const codes = numbers.map(
      async () => (await once(spawn(process.execPath, args, { cwd, env }), 'close')) as [number],
    );
    assert.deepEqual(
      (await Promise.all(codes)).flat().filter((code) => code === 0),
      [0],
    );
  });

  it('set all limits: budgets group set', async () => {
    const cwd = folder();
    const rows = numbers.map((number) => `a${number}@example.com,T${number}\n`).join('');
    writeFileSync(join(cwd, 'sextant-groups.csv'), `account,team\n${rows}`);
    await runAll(cwd, (number) => ['budgets', 'group', 'set', `team=T${number}`, '5']);
    const lines = readFileSync(join(cwd, 'sextant-budgets.csv'), 'utf8').trim().split('\r\n').toSorted();
    assert.deepEqual(lines, ['column,group,limit', ...numbers.map((number) => `team,T${number},5`)]);
    assert.deepEqual(readdirSync(cwd).toSorted(), ['sextant-budgets.csv', 'sextant-groups.csv']);
  });
});
