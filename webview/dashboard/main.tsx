import * as l10n from '@vscode/l10n';
import { render } from 'preact';
import type { DashboardEvents, DashboardMethods, DashboardState, Page } from '../../src/protocol/dashboardView.ts';
import { chartPng, chartSvg } from '../charts/picture.ts';
import { connect } from '../connect.ts';
import { eachFrame, messageOf, showFailure } from '../page.tsx';
import '../base.css';
import '../icons.css';
import './dashboard.css';
import './budgets.css';
import type { DashboardActions } from './actions.ts';
import { DashboardPage } from './dashboardPage.tsx';

/* The entry of the page: keeps the state from the extension, and draws it. */

const host = connect<DashboardMethods, DashboardEvents>();
const { caller } = host;
let state: DashboardState | undefined;
let tables: readonly string[] = keptTables(host.kept);
let problem = '';
/** Number of requests so far, and of the last one that failed: its message stays until a later request succeeds. */
let [requests, failed] = [0, 0];
/** Number of choices that the extension has not confirmed yet. */
let unheard = 0;

function keptTables(kept: unknown): string[] {
  return Array.isArray(kept) ? kept.filter((one) => typeof one === 'string') : [];
}

const draw = eachFrame(() => {
  if (!state) return;
  render(<DashboardPage {...{ state, actions, tables, problem }} />, document.body);
  markPage(state.page);
});

/** States of a page that measurements wait for. */
const MARKS: Readonly<Record<string, (page: Page) => boolean>> = {
  filled: ({ isFilled }) => isFilled,
  loaded: ({ isFilled, isLoading }) => isFilled && !isLoading,
  judged: ({ attention }) => attention !== null && !attention.isLoading,
};
const marked = new Set<string>();

/** Marks the times at which the page enters these states. */
function markPage(page: Page): void {
  for (const [name, isReached] of Object.entries(MARKS)) {
    if (!isReached(page)) marked.delete(name);
    else if (!marked.has(name)) performance.mark(name);
    if (isReached(page)) marked.add(name);
  }
}

function send<K extends keyof DashboardMethods>(name: K, argument: Parameters<DashboardMethods[K]>[0]): void {
  void asked(name, argument);
}

/** Sends a request; the page shows its failure. */
async function asked<K extends keyof DashboardMethods>(
  name: K,
  argument: Parameters<DashboardMethods[K]>[0],
  onFailure: () => void = () => undefined,
): Promise<Awaited<ReturnType<DashboardMethods[K]>> | undefined> {
  const number = ++requests;
  try {
    const answer = await caller.call(name, argument as never);
    if (number > failed) say('');
    return answer as Awaited<ReturnType<DashboardMethods[K]>>;
  } catch (error) {
    report(error, number);
    onFailure();
    return undefined;
  }
}

function report(error: unknown, number: number): void {
  failed = Math.max(failed, number);
  say(messageOf(error));
}

function say(what: string): void {
  if (what === problem) return;
  problem = what;
  draw();
}

/** Choices that change the figures of the shown tab. */
const FIGURES = ['preset', 'first', 'last', 'before', 'compare', 'group', 'column', 'part', 'only'] as const;

function setLoading(isLoading: boolean): void {
  if (state) state = { ...state, page: { ...state.page, isLoading } };
  draw();
}

async function picture(what: 'svg' | 'png', figure: HTMLElement): Promise<string> {
  const title = figure.getAttribute('aria-label') ?? '';
  return what === 'svg' ? chartSvg(figure, title) : chartPng(figure, title);
}

const actions: DashboardActions = {
  choose(change) {
    if (!state) return;
    // The choice is shown at once; its content follows. Until then the figures are those of the choice before.
    const choices = { ...state.choices, ...change };
    state = { ...state, choices };
    if (FIGURES.some((name) => name in change)) setLoading(true);
    unheard++;
    void asked('choose', choices, () => setLoading(false)).then(() => unheard--);
    draw();
  },
  refresh: () => send('refresh', undefined),
  rows: (list, from, count) => caller.call('rows', { list, from, count }),
  sort: (list, column, direction) => send('sort', { list, column, direction }),
  openPerson: (id) => send('openPerson', { id }),
  export(what, chart, figure) {
    const image = figure && (what === 'svg' || what === 'png') ? picture(what, figure) : Promise.resolve(null);
    image.then(
      (drawn) => send('export', { what, chart: chart ?? null, image: drawn }),
      (error: unknown) => report(error, ++requests),
    );
  },
  go: (to) => send('go', { to }),
  callEditor: asked,
  toggleTable(chart) {
    tables = tables.includes(chart) ? tables.filter((one) => one !== chart) : [...tables, chart];
    host.keep(tables);
    draw();
  },
};

caller.on('state', (now) => {
  // A state sent before the last choice was confirmed does not undo it.
  state = state && unheard > 0 ? { ...now, choices: state.choices } : now;
  draw();
});

document.title = l10n.t('Sextant Dashboard');
try {
  state = await caller.call('ready', undefined);
  draw();
} catch (error) {
  showFailure(error);
}
