import assert from 'node:assert/strict';
import { join } from 'node:path';
import { runInEditor } from '../../scripts/lib/workbench.mjs';
import { documentId } from '../../src/engine/documentId.ts';
import { SextantServer } from '../../src/server/server.ts';
import { WireClient } from '../../src/wire/wireClient.ts';
import { CompletionServer, answering } from '../support/completionServer.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { ROOT, Workbench, copySample } from './support.ts';

const KEY = 'sk-test-0123456789abcdef';

describe('@sextant in the chat, with mouse and keyboard', () => {
  const folder = temporaryFolder();
  let server: CompletionServer;
  let team: SextantServer;
  let workbench: Workbench;

  before(async () => {
    server = await CompletionServer.start();
    team = await SextantServer.start({ state: folder() });
    workbench = await Workbench.open({
      folder: copySample(join(folder(), 'harbour')),
      extensions: [ROOT, join(ROOT, 'test/vscode/model')],
      size: { width: 1400, height: 900 },
      settings: {
        'chat.disableAIFeatures': false,
        // Agent mode requires a model that calls tools; the test's model only answers.
        'chat.agent.enabled': false,
        'sextant.ask.openai.baseUrl': server.url,
        'sextant.ask.openai.model': 'small',
        'sextant.team.url': team.url,
      },
    });
    await workbench.openSextantView();
    await workbench.treeItem(/^harbour 15 files indexed/).waitFor();
  });
  after(async () => {
    await workbench.close();
    await server.stop();
    await team.close();
  });

  const response = () => workbench.page.locator('.interactive-session .interactive-response').last();

  /** Types a question into the chat and sends it. */
  async function ask(question: string): Promise<void> {
    const { page } = workbench;
    await workbench.run('Chat: New Chat');
    const input = page.locator('.interactive-session .interactive-input-editor').last();
    // The chat sends nothing until a model is selected, even to a participant that needs none.
    await page.locator('.interactive-session .chat-input-toolbars').getByText('Parrot').first().waitFor();
    await input.click();
    await page.keyboard.type(`@sextant ${question}`, { delay: 15 });
    await page.keyboard.press('Enter');
  }

  it('selects the answer model, and sends the stored key to its service only', async () => {
    const { page, pick } = workbench;
    await workbench.run('Sextant: Select Answer Model');
    await workbench.firstRow('Passages, no model');
    const rows = await workbench.rows();
    assert.ok(
      rows.some((row) => /^Parrot by sextant-test, .*Sends your question/.test(row)),
      rows.join('\n'),
    );
    await workbench.shoot('ask-providers');
    await page.keyboard.type('small');
    await workbench.settled();
    await page.keyboard.press('Enter');
    await pick.waitFor({ state: 'hidden' });

    await workbench.run('Sextant: Set the Key of the OpenAI-Compatible Service');
    await pick.getByText(/Key for http/).waitFor();
    assert.equal(await workbench.query.getAttribute('type'), 'password');
    await page.keyboard.type('with a space');
    await pick.getByText('A key has no spaces').waitFor();
    await workbench.query.fill('');
    await page.keyboard.type(KEY);
    await page.keyboard.press('Enter');
    await pick.waitFor({ state: 'hidden' });

    server.script = answering('The money goes back [1', '], and a receipt is mailed [55].');
    await ask('how is the money given back?');
    await response().getByText('orderService.ts').first().waitFor();
    assert.equal(server.requests.at(-1)!.headers.authorization, `Bearer ${KEY}`);
    const text = await until('the answer is whole', async () => {
      const shown = await response().innerText();
      return shown.includes('1 citation was removed') && shown;
    });
    assert.match(text, /small at 127\.0\.0\.1:\d+ was sent [\d,]+ characters, with passages of \d files/);
    assert.ok(!text.includes('[55]') && !text.includes('[1]'), text);
    await page.getByText('Where is cancelOrder used?').waitFor();
    await workbench.shoot('ask-chat');
  });

  it('opens the cited lines when a citation is clicked', async () => {
    await response().getByText('orderService.ts').first().click();
    await workbench.tab('orderService.ts').waitFor();
    // The function is selected from line 30 on, with the cursor at its end.
    await until('it is selected', async () => /^Ln 36, Col 2 \(\d+ selected\)/.test(await workbench.cursor()));
  });

  it('asks about the team’s code with /team', async () => {
    const { page, pick, query } = workbench;
    const tokens = { token: team.token, url: team.url };
    const client = new WireClient({ ...tokens, userAgent: 'test' });
    const content = 'export function lighthouseTariff(): number {\n  return 7;\n}\n';
    const path = 'src/tariff.ts';
    const name = documentId(path, Buffer.from(content));
    await client.upload([{ name, path, content, size: content.length }]);
    const blobs = { checkpointId: undefined, added: [name], deleted: [] };
    await client.putRepository({ name: 'acme/tools', blobs });
    await client.close();
    server.script = answering('Seven [1].');
    await ask('/team what is the lighthouse tariff?');
    await pick.getByText(`Token for ${team.url}`).waitFor();
    await query.fill((await team.createToken('chat', ['context:use', 'repositories:read'])).token);
    await query.press('Enter');
    await response().getByText('Seven').first().waitFor();
    assert.match(JSON.stringify(server.requests.at(-1)!.body), /acme\/tools\/src\/tariff\.ts/);
    await response().getByText('tariff.ts:1').first().click();
    await workbench.tab('tariff.ts').waitFor();
    await page.getByText('return 7;').first().waitFor();
  });

  it('offers to enter another token where the team’s service refuses it', async () => {
    const { pick, query } = workbench;
    await team.revokeToken('chat');
    await ask('/team what is the lighthouse tariff?');
    await response().getByText('refuses the token: it is wrong or was revoked.').waitFor();
    await workbench.shoot('ask-chat-token');
    await response().getByText('Enter Another Token', { exact: true }).click();
    await pick.getByText(`Token for ${team.url}`).waitFor();
    await query.fill(team.token);
    await query.press('Enter');
    await pick.waitFor({ state: 'hidden' });
    await ask('/team what is the lighthouse tariff?');
    await response().getByText('Seven').first().waitFor();
  });

  it('offers the team’s code to agents, too, once its service is connected', async () => {
    const { page, pick } = workbench;
    // The definition of the server changed with the token, and a running one was stopped.
    for (const action of [/(Start|Restart) Server/, 'Show Output']) {
      await workbench.run('MCP: List Servers');
      await pick.locator('.monaco-list-row').filter({ hasText: 'Sextant' }).click();
      await pick.locator('.monaco-list-row').filter({ hasText: action }).first().click();
    }
    await page.getByText('Discovered 8 tools').first().waitFor();
    await workbench.run('View: Toggle Panel Visibility');
  });

  it('says what is wrong and what to do, and sends no key once it is removed', async () => {
    await workbench.run('Sextant: Remove the Key of the OpenAI-Compatible Service');
    server.script = (answer) => answer.writeHead(401).end();
    await ask('how are passwords checked?');
    await response()
      .getByText(/refuses the key, or requires one/)
      .waitFor();
    await response().getByText('Set Key', { exact: true }).waitFor();
    assert.equal(server.requests.at(-1)!.headers.authorization, undefined);
    await workbench.shoot('ask-chat-failed');
  });
});

describe('language-model tools and MCP servers in a workspace that is not trusted', () => {
  const folder = temporaryFolder();

  it('are off', async () => {
    const { code, said } = await runInEditor({
      isStill: true,
      folder: copySample(join(folder(), 'harbour')),
      extensions: [ROOT],
      tests: join(ROOT, 'out/test/vscode/untrusted.cjs'),
      settings: { 'security.workspace.trust.startupPrompt': 'never' },
      trust: true,
    });
    assert.equal(code, 0, said.slice(-5).join('\n'));
  });
});
