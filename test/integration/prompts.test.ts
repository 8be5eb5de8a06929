import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hasTerminal, runInTerminal } from '../support/terminal.ts';
import { folderOfTest } from '../support/temporary.ts';

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

describe('A prompt of the command', function () {
  if (!hasTerminal) return;
  const folder = folderOfTest();
  /** Types `keys` once `question` is shown. */
  const typed = (args: readonly string[], question: string, keys: string): ReturnType<typeof runInTerminal> => {
    let isTyped = false;
    const env = { HOME: folder(), XDG_DATA_HOME: join(folder(), 'data'), XDG_CACHE_HOME: join(folder(), 'cache') };
    return runInTerminal({
      args,
      cwd: folder(),
      env,
      onOutput: (shown, type) => {
        if (isTyped || !shown.includes(question)) return;
        isTyped = true;
        type(keys);
      },
    });
  };
  const SECRETS = [
    [['alerts', 'add', 'hook'], 'URL of hook (it is not shown): '],
    [['login', 'https://127.0.0.1:1'], 'Token for 127.0.0.1:1 (it is not shown): '],
  ] as const;

  for (const [args, question] of SECRETS) {
    it(`for a secret ends on Ctrl-C, also after a part of it: ${args.join(' ')}`, async () => {
      for (const keys of [CTRL_C, `https://127.0.0.1${CTRL_C}`]) {
        const { code, shown } = await typed(args, question, keys);
        assert.equal(shown, `${question}\r\nsextant: Interrupted.\r\n`);
        assert.equal(code, 130);
      }
    });

    it(`for a secret takes the end of the input as an empty one: ${args.join(' ')}`, async () => {
      const { code, shown } = await typed(args, question, CTRL_D);
      assert.match(shown, /: \r\nsextant: No (URL|token) was given\. Type it/);
      assert.equal(code, 2);
    });
  }

  it('for a secret takes a line, and shows none of it', async () => {
    const { code, shown } = await typed(SECRETS[0][0], SECRETS[0][1], 'http://127.0.0.1:1/hidden\r');
    assert.equal(code, 0, shown);
    assert.match(shown, /: \r\nAdded hook \(/);
    assert.ok(!shown.includes('hidden'), shown);
  });

  it('for a confirmation ends on Ctrl-C', async () => {
    for (const keys of [CTRL_C, `y${CTRL_C}`]) {
      const { code, shown } = await typed(['mcp', 'install', 'cursor'], '[y/N]', keys);
      assert.match(shown, /\[y\/N\] [^\n]*\r\nsextant: Interrupted\.\r\n$/);
      assert.equal(code, 130);
    }
    assert.ok(!existsSync(join(folder(), '.cursor')));
  });

  it('for a confirmation takes the end of the input as no', async () => {
    const { code, shown } = await typed(['mcp', 'install', 'cursor'], '[y/N]', CTRL_D);
    assert.match(shown, /\[y\/N\] [^\n]*\r\nNothing was changed\.\r\n$/);
    assert.equal(code, 2);
  });

  it('for a confirmation takes yes', async () => {
    const { code, shown } = await typed(['mcp', 'install', 'cursor'], '[y/N]', 'y\r');
    assert.equal(code, 0, shown);
    assert.ok(existsSync(join(folder(), '.cursor/mcp.json')));
  });
});
