import assert from 'node:assert/strict';
import type { BrowserContext, Page } from 'playwright-core';
import type { DashboardState } from '../../src/protocol/dashboardView.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { openAlone } from './pageAlone.ts';

const STATE: DashboardState = {
  account: { kind: 'ready', name: 'acme', organizations: 1 },
  choices: { tab: 'people', preset: '28d', first: '', last: '', compare: true, group: 'resource', filter: '', anonymise: false }, // oxfmt-ignore
  tabs: [{ id: 'people', name: 'People' }],
  range: { text: '28 days', first: '2026-11-01', last: '2026-11-28', before: '', oldest: '2026-01-01', newest: '2026-11-28' }, // oxfmt-ignore
  controls: { days: true, compare: true, filter: true },
  ...{ groups: [], group: '', parts: [], part: '', onlyGroups: [], only: '' },
  page: {
    tab: 'people',
    ...{ isLoading: false, isFilled: true, error: null, empty: null, progress: null, asOf: '', attention: null },
    ...{ tiles: [], charts: [], person: null },
    list: {
      ...{ list: 'people', caption: 'People', count: 1, all: 1, sort: 'name', descending: false, version: 1 },
      columns: [{ id: 'name', title: 'Name', about: '', isNumber: false }],
    },
  },
  editor: null,
  spoken: '',
};

/** Answers the page's requests. Those to the methods in `held` wait in `waiting`; those to methods in `failing` are failures. */
const EXTENSION = `
  globalThis.held = new Set();
  globalThis.failing = new Set();
  globalThis.waiting = [];
  const answers = {
    ready: () => (${JSON.stringify(STATE)}),
    rows: () => [{ id: 'p1', cells: ['ada@example.com'], tone: 'plain', used: null }],
  };
  globalThis.acquireVsCodeApi = () => ({
    postMessage: ({ page, message: { kind, id, name, argument } }) => {
      globalThis.pageId = page;
      if (kind !== 'request') return;
      const message = failing.has(name)
        ? { kind: 'error', id, code: 'Internal', message: name + ' ended' }
        : { kind: 'result', id, value: answers[name]?.(argument) };
      const send = () => window.postMessage({ page, message });
      if (held.has(name)) waiting.push(send);
      else setTimeout(send);
    },
    getState: () => undefined,
    setState() {},
  });
`;

/** Number of visible lines of a long name. */
const LINES = `[...document.querySelectorAll('.tile .long')].map(
  (name) => name.clientHeight / parseFloat(getComputedStyle(name).lineHeight),
)[0]`;

describe('the page of the dashboard', () => {
  const newFolder = temporaryFolder();
  let context: BrowserContext;
  let tab: Page;
  let problems: string[];

  beforeEach(async () => {
    ({ context, tab, problems } = await openAlone({
      ...{ name: 'dashboard', title: 'Dashboard', beginning: '' },
      ...{ extension: EXTENSION, folder: newFolder() },
    }));
  });
  afterEach(async () => {
    await context.close();
    assert.deepEqual(problems, []);
  });

  it('shows figures as loading from the choice of other days on', async () => {
    const loading = tab.getByText('loading…');
    await tab.getByText('ada@example.com').waitFor();
    assert.equal(await tab.getByText(/^1 row$/).count(), 1);
    assert.equal(await loading.count(), 0);
    await tab.evaluate('held.add("choose")');
    await tab.getByLabel('Days').selectOption('7d');
    await loading.waitFor();
    const state = { ...STATE, choices: { ...STATE.choices, preset: '7d' } };
    await tab.evaluate(`{
      const event = { kind: 'event', name: 'state', value: ${JSON.stringify(state)} };
      window.postMessage({ page: pageId, message: event });
      for (const send of waiting.splice(0)) send();
    }`);
    await loading.waitFor({ state: 'detached' });
    await tab.evaluate('failing.add("choose"); held.clear()');
    await tab.getByLabel('Days').selectOption('90d');
    await tab.getByText('choose ended').waitFor();
    await loading.waitFor({ state: 'detached' });
  });

  it('keeps the failure of a request until a later one succeeds', async () => {
    await tab.getByText('ada@example.com').waitFor();
    const failure = tab.getByRole('alert').getByText('sort ended');
    await tab.evaluate('held.add("choose"); failing.add("sort")');
    await tab.getByLabel('Days').selectOption('7d');
    await tab.getByRole('button', { name: 'Name' }).click();
    await failure.waitFor();
    await tab.evaluate('for (const send of waiting.splice(0)) send()');
    await tab.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    assert.equal(await failure.count(), 1);
    await tab.evaluate('failing.clear(); held.clear()');
    await tab.getByRole('button', { name: 'Name' }).click();
    await failure.waitFor({ state: 'detached' });
  });

  it('reports that rows of a list cannot be read, and reads them again', async () => {
    await tab.getByText('ada@example.com').waitFor();
    await tab.evaluate('failing.add("rows")');
    const state = { ...STATE, page: { ...STATE.page, list: { ...STATE.page.list, version: 2 } } };
    await tab.evaluate(`window.postMessage({
      page: pageId, message: { kind: 'event', name: 'state', value: ${JSON.stringify(state)} },
    })`);
    const failure = tab.getByRole('alert').getByText('rows ended');
    await failure.waitFor();
    await tab.evaluate('failing.clear()');
    await tab.getByRole('button', { name: 'Try Again' }).click();
    await failure.waitFor({ state: 'detached' });
    await tab.getByText('ada@example.com').waitFor();
  });

  it('shows at most three lines of a long name in a tile, and all of it in the tooltip', async () => {
    const name = 'provider-of-models/a-model-for-long-contexts-and-tools-2026-11-20-preview-latest';
    const tile = { id: 'dearest', label: 'Highest cost', note: '$1.00', tone: 'plain', about: '' };
    const tiles = ['$1,204.50', name].map((value, i) => ({ ...tile, id: `dearest${i}`, value }));
    await tab.getByText('ada@example.com').waitFor();
    const state = { ...STATE, page: { ...STATE.page, tiles } };
    await tab.evaluate(`window.postMessage({
      page: pageId, message: { kind: 'event', name: 'state', value: ${JSON.stringify(state)} },
    })`);
    const long = tab.getByTitle(name);
    await long.waitFor();
    for (const width of [1200, 320]) {
      await tab.setViewportSize({ width, height: 800 });
      const lines = await tab.evaluate<number>(LINES);
      assert.ok(lines > 0 && lines < 3.5, `${lines} lines at ${width} pixels`);
      assert.equal(await long.textContent(), name);
    }
  });
});
