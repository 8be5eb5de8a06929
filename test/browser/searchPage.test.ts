import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { searchBeginning } from '../../src/extension/search/searchBeginning.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { openAlone } from './pageAlone.ts';
import { untilTrue } from './support.ts';

const LABEL = 'Search code';
const PLACEHOLDER = 'Words, a name, "a phrase", lang:ts';

/**
 * Answers the page's requests: each search finds `FILES` files with two places each. Not for files of a real index. Answers to the
 * methods in `held` wait in `waiting`; those to methods in `failing` are failures.
 */
const FILES = 100_000;
const EXTENSION = `
  globalThis.sent = [];
  globalThis.held = new Set();
  globalThis.failing = new Set();
  globalThis.waiting = [];
  globalThis.problems = [];
  globalThis.state = { query: '', except: '', index: { kind: 'ready', text: '' }, recent: [], kept: [], takesFocus: false,
    scope: 'workspace', hasTeam: false };
  const parts = { languages: [], folders: [], kind: null, isChanged: false, isSymbol: false };
  const file = (_, at) => ({
    key: 'file' + at, name: at + '.ts', folder: 'src', alike: 0,
    places: [1, 2].map((line) => ({
      id: at * 2 + line, line, text: 'const value = ' + at, marks: [], symbol: line === 1 ? { name: 'value', icon: 'constant' } : null,
    })),
  });
  const reply = () => ({
    from: 0, files: Array.from({ length: ${FILES} }, file), isBeginning: false, hasMore: false, problems, completions: [],
    parts, isUnfinished: false, notice: '',
  });
  const answers = {
    ready: () => state, search: reply, count: () => null,
    choices: ({ part }) => [{ value: part + 's', detail: '', isOn: false }],
    change: ({ query, part }) => query + ' ' + part + ':',
  };
  globalThis.acquireVsCodeApi = () => ({
    postMessage: (sending) => {
      const { page, message: { kind, id, name, argument } } = sending;
      sent.push(sending);
      globalThis.pageId = page;
      if (kind !== 'request') return;
      const message = failing.has(name)
        ? { kind: 'error', id, code: 'Internal', message: 'it ended' }
        : { kind: 'result', id, value: answers[name]?.(argument) };
      if (held.has(name)) waiting.push(() => window.postMessage({ page, message }));
      else setTimeout(() => window.postMessage({ page, message }));
    },
    getState: () => undefined,
    setState() {},
  });
`;

/** Sends an event of the extension. */
const event = (name: string, value: string): string =>
  `window.postMessage({ page: pageId, message: { kind: 'event', name: '${name}', value: ${value} } })`;

describe('the page of the search view', () => {
  const newFolder = temporaryFolder();

  /** Opens the page; its scripts come when `coming` resolves. */
  const open = (coming: () => Promise<void>): ReturnType<typeof openAlone> =>
    openAlone({
      ...{ name: 'search', title: 'Search', beginning: searchBeginning(LABEL, PLACEHOLDER) },
      ...{ extension: EXTENSION, folder: newFolder(), coming },
    });

  it('takes keys before its script comes, and the script keeps the box, its text and the focus', async () => {
    let release: () => void = () => undefined;
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    const { context, tab, problems } = await open(() => isReleased);
    const box = tab.getByRole('textbox', { name: LABEL });
    await box.click();
    await tab.keyboard.type('retr');
    // Its width changes: the script puts buttons beside a text.
    const placeOf = async (): Promise<unknown> => ({ ...(await box.boundingBox()), width: 0 });
    const before = await placeOf();
    assert.equal(await box.getAttribute('placeholder'), PLACEHOLDER);
    await tab.evaluate('globalThis.early = document.querySelector("input")');
    assert.equal(await tab.getByRole('button', { name: 'Language' }).count(), 0);

    release();
    await tab.getByRole('button', { name: 'Language' }).waitFor();
    await tab.keyboard.type('ies');
    assert.equal(await box.inputValue(), 'retries');
    assert.equal(
      await tab.evaluate('document.querySelector("input") === early && document.activeElement === early'),
      true,
    );
    assert.deepEqual(await placeOf(), before);
    await untilTrue(tab, 'JSON.stringify(sent).includes("retries")');
    assert.equal(await tab.locator('input').count(), 1);
    assert.deepEqual(problems, []);
    await context.close();
  });

  it('has few elements for 100,000 files, and reaches each of them by keys and by scrolling', async () => {
    const { context, tab, problems } = await open(() => Promise.resolve());
    await tab.getByRole('button', { name: 'Language' }).waitFor();
    await tab.getByRole('textbox', { name: LABEL }).fill('value');
    await tab.getByText('100,000 files', { exact: true }).first().waitFor();
    const list = tab.getByRole('tree');
    const rows = tab.getByRole('treeitem');
    const fewRows = async (): Promise<void> => assert.ok((await rows.count()) < 100, `${await rows.count()} rows`);
    await fewRows();

    await list.focus();
    await tab.keyboard.press('End');
    const last = tab.locator('#row-299999');
    await last.waitFor();
    assert.equal(await last.getAttribute('aria-selected'), 'true');
    await fewRows();
    const bottomOf = async (locator: Locator): Promise<number> => {
      const { y, height } = (await locator.boundingBox())!;
      return y + height;
    };
    // Scroll positions are whole pixels.
    await until(
      'the last row ends where the list ends',
      async () => Math.abs((await bottomOf(last)) - (await bottomOf(list))) <= 1,
    );

    await tab.evaluate(
      '{ const tree = document.querySelector("[role=tree]"); tree.scrollTop = tree.scrollHeight / 2; }',
    );
    await tab.locator('#row-150000').waitFor();
    await fewRows();
    await tab.keyboard.press('Home');
    await tab.locator('#row-0[aria-selected=true]').waitFor();
    assert.equal(await tab.locator('#row-0').getAttribute('aria-setsize'), String(FILES));
    assert.deepEqual(problems, []);
    await context.close();
  });

  describe('while answers are late', () => {
    let opened: Awaited<ReturnType<typeof open>>;

    before(async () => {
      opened = await open(() => Promise.resolve());
      await opened.tab.getByRole('button', { name: 'Language' }).waitFor();
    });
    beforeEach(() => opened.tab.evaluate('held.clear(); failing.clear(); waiting.length = sent.length = 0'));
    after(() => opened.context.close());
    afterEach(() => assert.deepEqual(opened.problems, []));

    const box = (): Locator => opened.tab.getByRole('textbox', { name: LABEL });
    const hold = (name: string): Promise<unknown> => opened.tab.evaluate(`held.add(${JSON.stringify(name)})`);
    const waiting = (count: number): Promise<void> => untilTrue(opened.tab, `waiting.length === ${count}`);
    const release = (): Promise<unknown> =>
      opened.tab.evaluate('held.clear(); waiting.splice(0).forEach((answer) => answer())');

    it('keeps the items of a menu when those of another come', async () => {
      const { tab } = opened;
      await hold('choices');
      await tab.getByRole('button', { name: 'Language' }).click();
      await waiting(1);
      await tab.getByRole('button', { name: 'Kind' }).click();
      await tab.getByRole('menuitemcheckbox', { name: 'Source' }).waitFor();
      await release();
      // A later message, which the page draws.
      await tab.evaluate(event('state', "{ ...state, recent: ['all is drawn'] }"));
      await tab.getByText('all is drawn').waitFor();
      assert.deepEqual(await tab.getByRole('menuitemcheckbox').allInnerTexts(), ['Source', 'Tests', 'Documents']);
      await tab.keyboard.press('Escape');
    });

    it('closes a menu whose items cannot be found, and reports why', async () => {
      const { tab } = opened;
      await box().fill('value');
      await tab.evaluate("failing.add('choices')");
      await tab.getByRole('button', { name: 'Language' }).click();
      await tab.getByText('The search failed: it ended').waitFor();
      await tab.getByRole('menu').waitFor({ state: 'detached' });
    });

    it('adds the filters of chips that are pressed quickly to each other, and to what is typed meanwhile', async () => {
      const { tab } = opened;
      await box().fill('value');
      await hold('change');
      await tab.getByRole('button', { name: 'Changed' }).click();
      await tab.getByRole('button', { name: 'Symbol' }).click();
      await box().fill('values');
      await waiting(2);
      await release();
      await until('both are in the box', async () => {
        const text = await box().inputValue();
        return text.length > 'values changed: '.length && text;
      });
      assert.deepEqual((await box().inputValue()).split(' ').sort(), ['changed:', 'symbol:', 'values']);
    });

    it('shows a folder that is not searched without a part of the query, and underlines the other problem', async () => {
      const { tab } = opened;
      const none = '{ fixes: [], needsTrust: false }';
      await tab.evaluate(`problems = [
        { start: 0, end: 0, message: 'north is not searched.', ...${none} },
        { start: 0, end: 4, message: 'No file has it.', ...${none} },
      ]`);
      await box().fill('odds now');
      const shown = tab.locator('#problems li');
      await shown.nth(1).waitFor();
      assert.deepEqual(await shown.allInnerTexts(), ['north is not searched.', 'odds No file has it.']);
      assert.deepEqual(await tab.evaluate("[...document.querySelectorAll('u')].map((one) => one.dataset.text)"), [
        'odds',
      ]);
      await tab.evaluate('problems = []');
    });

    it('keeps a fix that was taken when another is clicked before the answer', async () => {
      const { tab } = opened;
      await tab.evaluate(`problems = [
        { start: 0, end: 1, message: 'one', needsTrust: false, fixes: [{ label: 'Use A', query: 'A b' }] },
        { start: 2, end: 3, message: 'two', needsTrust: false, fixes: [{ label: 'Use B', query: 'a B' }] },
      ]`);
      await box().fill('a b');
      await tab.getByRole('button', { name: 'Use B' }).waitFor();
      await hold('search');
      await tab.evaluate("for (const one of document.querySelectorAll('.problems button')) one.click()");
      await waiting(1);
      assert.equal(await box().inputValue(), 'A b');
      assert.equal(await tab.getByRole('button', { name: 'Use B' }).isEnabled(), false);
      await tab.evaluate('problems = []');
      await release();
    });

    it('searches again after a search during which the index changed', async () => {
      const { tab } = opened;
      const searches = "sent.filter(({ message }) => message.name === 'search').length";
      await hold('search');
      await box().fill('late');
      await waiting(1);
      await tab.evaluate(event('changed', 'null'));
      await release();
      await untilTrue(tab, `${searches} === 2`);
      await tab.getByText('100,000 files', { exact: true }).first().waitFor();
    });
  });
});
