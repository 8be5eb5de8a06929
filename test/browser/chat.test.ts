import assert from 'node:assert/strict';
import { join } from 'node:path';
import { runInEditor } from '../../scripts/lib/workbench.mjs';
import { CompletionServer, answering } from '../support/completionServer.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { ROOT, Workbench, copySample } from './support.ts';

const KEY = 'sk-test-0123456789abcdef';

describe('Asking in the chat', () => {
  const folder = temporaryFolder();
  let server: CompletionServer;
  let workbench: Workbench;

  before(async () => {
    server = await CompletionServer.start();
    workbench = await Workbench.open({
      folder: copySample(join(folder(), 'harbour')),
      extensions: [ROOT, join(ROOT, 'test/vscode/model')],
      size: { width: 1400, height: 900 },
      settings: {
        'chat.disableAIFeatures': false,
        'sextant.ask.openai.baseUrl': server.url,
        'sextant.ask.openai.model': 'small',
      },
    });
    await workbench.openSextantView();
    await workbench.treeItem(/^harbour 15 files indexed/).waitFor();
  });
  after(async () => {
    await workbench.close();
    await server.stop();
  });

  const response = () => workbench.page.locator('.interactive-session .interactive-response').last();

  async function ask(question: string): Promise<void> {
    await workbench.run('Chat: New Chat');
    const input = workbench.page.locator('.interactive-session .interactive-input-editor').last();
    await input.click();
    await workbench.page.keyboard.type(`@sextant ${question}`, { delay: 15 });
    await workbench.page.keyboard.press('Enter');
  }

  async function answerInput(command: string, text: string): Promise<void> {
    await workbench.run(command);
    await workbench.pick.getByText(/Key for http/).waitFor();
    assert.equal(await workbench.query.getAttribute('type'), 'password');
    await workbench.page.keyboard.type(text);
    await workbench.page.keyboard.press('Enter');
    await workbench.pick.waitFor({ state: 'hidden' });
  }

  it('lets one choose who answers, and keeps a key that only the service is sent', async () => {
    await workbench.run('Sextant: Choose Who Answers Questions');
    await workbench.firstRow('Passages, no model');
    const rows = await workbench.rows();
    assert.ok(
      rows.some((row) => /^Parrot by sextant-test, .*Sends your question/.test(row)),
      rows.join('\n'),
    );
    await workbench.shoot('ask-providers');
    await workbench.pick.getByText(/^small at 127/).click();
    await workbench.pick.waitFor({ state: 'hidden' });
    await answerInput('Sextant: Set the Key of the OpenAI-Compatible Service', KEY);
    server.script = answering('The money goes back [1', '], and a receipt is mailed [55].');
    await ask('how is the money given back?');
    await response().getByText('orderService.ts').waitFor();
    assert.equal(server.requests.at(-1)!.headers.authorization, `Bearer ${KEY}`);
    const text = await until('the answer is whole', async () => {
      const shown = await response().innerText();
      return shown.includes('1 citation was removed') && shown;
    });
    assert.match(text, /small at 127\.0\.0\.1:\d+ was sent [\d,]+ characters, with passages of \d files/);
    assert.ok(!text.includes('[55]') && !text.includes('[1]'), text);
    await workbench.page.getByText('Where is cancelOrder used?').waitFor();
    await workbench.shoot('ask-chat');
  });

  it('opens the place when a citation is clicked', async () => {
    await response().getByText('orderService.ts').click();
    await workbench.tab('orderService.ts').waitFor();
    await until('the cursor is there', async () => (await workbench.cursor()).startsWith('Ln 30'));
  });

  it('says what is wrong and what to do, and sends no key once it is removed', async () => {
    await workbench.run('Sextant: Remove the Key of the OpenAI-Compatible Service');
    server.script = (answer) => answer.writeHead(401).end();
    await ask('how are passwords checked?');
    await response()
      .getByText(/refuses the key, or wants one/)
      .waitFor();
    await response().getByText('Set the Key', { exact: true }).waitFor();
    assert.equal(server.requests.at(-1)!.headers.authorization, undefined);
    await workbench.shoot('ask-chat-failed');
  });
});

describe('Tools in a workspace that is not trusted', () => {
  const folder = temporaryFolder();

  it('are off', async () => {
    const { code, said } = await runInEditor({
      folder: copySample(join(folder(), 'harbour')),
      extensions: [ROOT],
      tests: join(ROOT, 'out/test/vscode/untrusted.cjs'),
      settings: { 'security.workspace.trust.startupPrompt': 'never' },
      trust: true,
    });
    assert.equal(code, 0, said.slice(-5).join('\n'));
  });
});
