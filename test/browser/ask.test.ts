import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { CompletionServer, answering, beginStream, event, piece } from '../support/completionServer.ts';
import { temporaryFolder, writeFiles } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { assertAccessible } from './accessible.ts';
import { LOOKS, THEMES, Workbench, copySample, shotName, untilTrue } from './support.ts';

const RETRY = 'src/orders/retryPolicy.ts';
const COMMAND = 'Sextant: Ask About Workspace';

/** The pieces of an answer with each kind of Markdown. */
const FULL = [
  'A failed payment is tried again by `withRetries` [1], after a delay that doubles [2]:\n\n',
  '1. The **first** attempt waits 200 ms.\n2. Each further one twice as long, at most ten seconds.\n\n',
  '| attempt | delay | what it is for, in more words than fit |\n| - | - | - |\n| 1 | 200 ms | a passing failure |\n\n',
  '```ts\nexport function nextRetryDelay(attempt: number, random: () => number = Math.random): number { /* and so on */ }\n```\n\n',
  '> What is not temporary is not tried again [1].\n\nSee [the docs](https://example.com/retries).',
];

/** A definition that is too long to be quoted whole. */
const LONG = `export function lighthouseTariff(): number {
${Array.from({ length: 80 }, (_, i) => `  const step${i} = ${i} * 2; // of the lamp\n`).join('')}  // The tariff of lighthouses is computed here.
  return step1;
}
`;

/** The answer view, used as a person uses it. */
class AnswerView {
  readonly #workbench: Workbench;
  frame!: Frame;

  constructor(workbench: Workbench) {
    this.#workbench = workbench;
  }

  async open(): Promise<void> {
    await this.#workbench.run(COMMAND);
    await this.find();
  }

  /** Finds the page of the view; the editor replaces a hidden page. */
  async find(): Promise<void> {
    this.frame = await this.#workbench.view();
    await this.question.waitFor();
  }

  get question(): Locator {
    return this.frame.getByRole('textbox');
  }

  async ask(question: string): Promise<void> {
    await this.question.click();
    await this.#workbench.page.keyboard.type(question);
    await this.#workbench.page.keyboard.press('Enter');
    await this.frame.getByRole('heading', { name: question, exact: true }).last().waitFor();
  }

  text(text: string | RegExp): Locator {
    return this.frame.getByText(text).first();
  }

  button(name: string | RegExp): Locator {
    return this.frame.getByRole('button', { name });
  }

  /** Waits until the last answer is whole. */
  async complete(): Promise<void> {
    await this.frame.locator('article').last().getByRole('button', { name: 'Copy as Markdown' }).waitFor();
  }
}

describe('Ask About Workspace, without a model', () => {
  const folder = temporaryFolder();
  let root: string;
  let workbench: Workbench;
  let view: AnswerView;

  before(async () => {
    root = copySample(join(folder(), 'harbour'));
    writeFiles(root, {
      'src/lighthouse.ts': LONG,
      'src/hostile.ts':
        '/** Explains <img src=x onerror=alert(1)> ![a](https://x.invalid/a.png) hostileness. */\nexport function hostile() {}\n',
    });
    workbench = await Workbench.open({ folder: root, size: { width: 1400 } });
    await workbench.treeItem(/^README.md/).waitFor();
    view = new AnswerView(workbench);
  });
  after(() => workbench.close());

  it('works with the keyboard alone: the command, a question, its answer, a citation, a follow-up', async () => {
    const { page } = workbench;
    await view.open();
    await view.text('17 files indexed').waitFor();
    await page.keyboard.type('How is a failed payment retried?');
    await page.keyboard.press('Enter');
    await view.frame.getByRole('heading', { name: 'How is a failed payment retried?' }).waitFor();
    await view.complete();
    await view.text('Nothing was sent').waitFor();
    await view.text('No AI model used.').waitFor();
    await view.frame
      .getByRole('status')
      .getByText(/^Answer: No AI model used/)
      .waitFor();
    await view.button(/^Passage 1: /).focus();
    await page.keyboard.press('Enter');
    await workbench.tab('retryPolicy.ts').waitFor();
    await page.locator('.monaco-editor.focused').waitFor();
    await page.locator('.monaco-editor .view-overlays .cdr').first().waitFor();
    await workbench.shoot('ask-opened');
    await workbench.run(COMMAND);
    await view.frame.locator('vscode-text-area:focus-within').waitFor();
    await untilTrue(view.frame, 'document.hasFocus()');
    await page.keyboard.type('And how is it tested?');
    await page.keyboard.press('Enter');
    await view.frame.getByRole('heading', { name: 'And how is it tested?' }).waitFor();
    await view.complete();
  });

  it('opens a citation at the present place of its lines, and reports deleted lines', async () => {
    const text = readFileSync(join(root, RETRY), 'utf8');
    await view.ask('nextRetryDelay');
    await view.complete();
    const passage = view.frame
      .locator('article')
      .last()
      .getByRole('button', { name: /nextRetryDelay.*retryPolicy\.ts/ });
    // A passage whose lines change before it is read is left out.
    await passage.waitFor();
    writeFiles(root, { [RETRY]: `// one\n// two\n// three\n${text}` });
    const line = text.split('\n').findIndex((one) => one.includes('function nextRetryDelay')) + 4;
    await until('the line is where it is now', async () => {
      await passage.click();
      return (await workbench.cursor()).startsWith(`Ln ${line}`);
    });
    writeFiles(root, { [RETRY]: '// nothing\n' });
    await passage.click();
    await workbench.page.getByText(`${RETRY} no longer has this line.`).first().waitFor();
    writeFiles(root, { [RETRY]: text });
    await workbench.run('Notifications: Clear All Notifications');
  });

  it('asks a suggested question, and copies an answer as Markdown', async () => {
    await view
      .button(/^Where is .* used\?$/)
      .first()
      .click();
    await view.frame
      .getByRole('heading', { name: /^Where is .* used\?$/ })
      .last()
      .waitFor();
    await view.complete();
    await view.button('Copy as Markdown').last().click();
    await workbench.page.getByText('The answer was copied as Markdown.').waitFor();
  });

  it('reports a filter of the question that it does not understand', async () => {
    await view.ask('How is a failed payment retried? lang:pyhton');
    await view.text('“pyhton”: There is no language “pyhton”. Did you mean python?').waitFor();
    await view.complete();
  });

  it('colours quotations, copies one, opens it to the side, and shows the whole of a long definition', async () => {
    await view.ask('How is the tariff of lighthouses computed?');
    await view.complete();
    const quotation = view.frame.locator('article').last().locator('.code').first();
    await quotation.locator('.token-keyword').first().waitFor();
    const shown = await quotation.locator('code').innerText();
    assert.ok(LONG.includes(shown), shown);
    for (const theme of THEMES) {
      await workbench.showTheme(theme, view.frame);
      const name = shotName('ask-quoted', theme, 1400);
      await workbench.shoot(name);
      await assertAccessible(view.frame, name, theme);
    }
    await workbench.showTheme(THEMES[0], view.frame);
    await quotation.getByRole('button', { name: 'Show Whole Definition' }).click();
    await until('the definition is whole', async () => {
      const code = await quotation.locator('code').innerText();
      return code.trim() === LONG.trim();
    });
    await quotation.getByRole('button', { name: 'Show Less' }).click();
    await quotation.getByRole('button', { name: 'Copy Code' }).click();
    await workbench.page.getByText('The code was copied.').waitFor();
    await quotation.getByRole('button', { name: 'Open to the Side' }).click();
    await workbench.tab('lighthouse.ts').waitFor();
  });

  it('shows HTML and Markdown of files as text, and fetches nothing', async () => {
    const requests: string[] = [];
    workbench.page.on('request', (request) => requests.push(request.url()));
    await view.ask('Explains hostileness');
    await view.complete();
    await view.text('<img src=x onerror=alert(1)>').waitFor();
    assert.equal(await view.frame.locator('img').count(), 0);
    assert.deepEqual(
      requests.filter((url) => url.includes('x.invalid')),
      [],
    );
  });

  it('keeps the conversation when the window is reloaded, within its content security policy', async () => {
    const refused: string[] = [];
    workbench.page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) refused.push(message.text());
    });
    await workbench.reload('<img src=x onerror=alert(1)>');
    await view.find();
    await view.frame.getByRole('heading', { name: 'Explains hostileness' }).waitFor();
    assert.deepEqual(refused, []);
  });

  it('forgets the conversation on command', async () => {
    await view.button('New Conversation').click();
    await view.text('Ask about your code').waitFor();
    assert.equal(await view.frame.locator('article').count(), 0);
  });
});

describe('Ask About Workspace, with a model', () => {
  const folder = temporaryFolder();
  let server: CompletionServer;
  let workbench: Workbench;
  let view: AnswerView;
  /** The unfinished answer. */
  let held: ServerResponse;

  before(async () => {
    server = await CompletionServer.start();
    workbench = await Workbench.open({
      folder: copySample(join(folder(), 'harbour')),
      settings: {
        'sextant.ask.provider': 'openai',
        'sextant.ask.openai.baseUrl': server.url,
        'sextant.ask.openai.model': 'scripted',
      },
      size: { width: 1400, height: 900 },
    });
    await workbench.treeItem(/^README.md/).waitFor();
    view = new AnswerView(workbench);
    await view.open();
    await view.text('15 files indexed').waitFor();
  });
  after(async () => {
    await workbench.close();
    await server.stop();
  });

  const hold = (...pieces: readonly string[]): void => {
    server.script = (response) => {
      beginStream(response);
      for (const one of pieces) response.write(piece(one));
      held = response;
    };
  };

  it('is readable and accessible in each state and theme, at 400 and 1,400 pixels', async () => {
    const look = async (state: string): Promise<void> => {
      for (const { theme, width } of LOOKS) {
        await workbench.page.setViewportSize({ width, height: 900 });
        await untilTrue(view.frame, `innerWidth < ${width} && innerWidth > ${width - 120}`);
        await workbench.showTheme(theme, view.frame);
        const name = shotName(`ask-${state}`, theme, width);
        await workbench.shoot(name);
        await assertAccessible(view.frame, name, theme);
      }
    };
    try {
      await workbench.run('View: Close Primary Side Bar');
      await look('empty');
      hold(FULL[0]! + FULL[1]!);
      await view.ask('How is a failed payment retried?');
      await view.text('Each further one').waitFor();
      await look('loading');
      await view.button('Stop').click();
      await view.text('Stopped. The answer is not complete.').waitFor();
      held.destroy();
      await look('partial');
      server.script = answering(...FULL);
      await view.button('Ask Again').click();
      await view.complete();
      await look('full');
      server.script = (response) => response.writeHead(401).end('{"error":{"message":"no such key"}}');
      await view.ask('And how is it tested?');
      await view.text(/refuses the key/).waitFor();
      await look('failing');
    } finally {
      await workbench.page.setViewportSize({ width: 1400, height: 900 });
      await workbench.run('View: Focus into Primary Side Bar');
    }
    await view.button('New Conversation').click();
    await view.text('Ask about your code').waitFor();
  });

  it('names the model, streams the text, and shows the request', async () => {
    hold('It is tried **three** times', ' [1]');
    await view.ask('How is a failed payment retried?');
    await view.text('It is tried').waitFor();
    await view.text('Answering…').waitFor();
    await view.text(/^Sent within this machine: \d+ files, [\d,]+ characters$/).waitFor();
    await view.frame
      .getByRole('status')
      .getByText(/passages found\. .* is answering\./)
      .waitFor();
    held.write(piece(', then given up [99].'));
    await view.text(', then given up').waitFor();
    held.end(piece('', 'stop') + event('[DONE]'));
    await view.complete();
    await view.text('Citations taken out, because there is nothing where they point: 1').waitFor();
    assert.equal(await view.frame.locator('article .citation').count(), 1);
  });

  it('stops, keeps the partial answer, and asks again', async () => {
    hold('Only the beginning');
    await view.ask('What is in a cart?');
    await view.text('Only the beginning').waitFor();
    const closed = once(held, 'close');
    await workbench.page.keyboard.press('Escape');
    await view.text('Stopped. The answer is not complete.').waitFor();
    await view.text('Only the beginning').waitFor();
    await closed;
    server.script = answering('A cart has lines [1].');
    await view.button('Ask Again').click();
    await view.text('A cart has lines').waitFor();
    await view.complete();
  });

  it('goes on while hidden, and keeps a typed question', async () => {
    hold('Before');
    await view.ask('Where are passwords hashed?');
    await view.text('Before').waitFor();
    await workbench.page.keyboard.type('not asked yet');
    await workbench.treeItem(/^README.md/).dblclick();
    await workbench.tab('README.md').waitFor();
    await workbench.page.locator('iframe.webview').waitFor({ state: 'hidden' });
    held.write(piece(' and after.'));
    held.end(piece('', 'stop') + event('[DONE]'));
    await workbench.run(COMMAND);
    await view.find();
    await view.text('Before and after.').waitFor();
    await view.complete();
    assert.equal(await view.question.inputValue(), 'not asked yet');
    await view.question.fill('');
  });

  it('reports a failure and its remedy, and lets another provider answer', async () => {
    server.script = (response) => response.writeHead(401).end('{"error":{"message":"no such key"}}');
    await view.ask('How are prices imported?');
    await view.text(/refuses the key/).waitFor();
    await view.button('Set Key…').waitFor();
    await view.button('Choose Another Provider…').click();
    await workbench.pick.getByText('Passages, no model', { exact: true }).click();
    await view.text('No AI model used.').waitFor();
    await view.complete();
    await view.button('Who answers: Passages, no model').waitFor();
  });

  it('marks an answer that the end of the window cut off', async () => {
    hold('Half');
    await view.button(/^Who answers: /).click();
    await workbench.pick.getByText('scripted at 127.0.0.1').click();
    await view.button(/^Who answers: scripted/).waitFor();
    await view.ask('What does the worker do?');
    await view.text('Half').waitFor();
    await workbench.reload('What does the worker do?');
    await view.find();
    await view.text('The window was closed before the answer was complete.').waitFor();
    await view.button('Ask Again').waitFor();
  });
});
