import { render as renderPage } from 'preact';
import type { SearchEvents, SearchMethods } from '../../src/protocol/searchView.ts';
import { connect } from '../connect.ts';
import { eachFrame, showFailure } from '../page.tsx';
import '../base.css';
import '../icons.css';
import '../controls.css';
import './searchIcons.css';
import './search.css';
import type { PopupItem } from '../popup.tsx';
import type { RowHeights } from './rows.ts';
import { SearchModel, type KeptPage } from './searchModel.ts';
import { SearchPage, type Controls } from './searchPage.tsx';

/* The entry of the page: connects the model, and draws it. */

const host = connect<SearchMethods, SearchEvents>();
const { caller } = host;
const controls: Controls = { box: null, list: null };
const model = new SearchModel({
  caller,
  heights: heights(),
  draw: eachFrame(render),
  keep: (page) => host.keep(page),
});

function render(): void {
  renderPage(<SearchPage {...{ model, controls, fetchChoices }} />, document.body);
}

async function fetchChoices(part: 'language' | 'folder'): Promise<readonly PopupItem[] | undefined> {
  const choices = await model.choices(part);
  return choices?.map(({ value, detail, isOn }) => ({ id: value, label: value, detail, isOn }));
}

/** Heights that fit the editor's font; the style sheet has the same factors. */
function heights(): RowHeights {
  const size = Number.parseFloat(getComputedStyle(document.body).fontSize) || 13;
  return { line: Math.round(size * 1.7), double: Math.round(size * 3.2) };
}

function focusBox(): void {
  controls.box?.focus();
  controls.box?.select();
}

// The editor moves the focus to the page; the box takes it unless another element has it.
window.addEventListener('focus', () => {
  if (document.activeElement === document.body) controls.box?.focus();
});
caller.on('state', (state) => model.setState(state));
caller.on('changed', () => model.refresh());
caller.on('focus', () => focusBox());
caller.on('show', (query) => {
  model.type(query, 0);
  controls.box?.focus();
});
// The box is there before this script, and may have been typed into.
const typed = document.querySelector('input')?.value ?? '';
if (typed !== '') model.type(typed, 0);
render();
// Without a request the focus stays in the editor when the window opens.
if (document.hasFocus() && typed === '') focusBox();
caller.call('ready', undefined).then((state) => {
  const isTyping = model.query !== '';
  model.begin(state, host.kept as Partial<KeptPage> | undefined);
  render();
  if (isTyping) return;
  if (!state.takesFocus && !document.hasFocus()) return;
  // Behind the filter of a folder one goes on typing.
  if (model.query.endsWith(' ')) controls.box?.focus();
  else focusBox();
}, showFailure);
