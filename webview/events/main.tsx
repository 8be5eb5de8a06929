import { render } from 'preact';
import type { EventsEvents, EventsMethods } from '../../src/protocol/eventsView.ts';
import { connect } from '../connect.ts';
import { eachFrame, showFailure } from '../page.tsx';
import '../base.css';
import '../icons.css';
import '../controls.css';
import './eventIcons.css';
import './events.css';
import { EventsModel, type Controls } from './eventsModel.ts';
import { EventsPage } from './eventsPage.tsx';

/* The entry of the page: connects the model, and draws it. */

const host = connect<EventsMethods, EventsEvents>();
const { caller } = host;
const controls: Controls = { box: null, list: null };
let model: EventsModel | undefined;

const draw = eachFrame(() => {
  if (model) render(<EventsPage {...{ model, controls }} />, document.body);
});

caller.on('state', (state) => model?.setState(state));
caller.on('list', (list) => model?.setList(list));
caller.on('event', (event) => model?.setEvent(event));
caller.on('show', ({ id, isEditing }) => void model?.open(id, isEditing));
caller.call('ready', undefined).then((state) => {
  const size = Number.parseFloat(getComputedStyle(document.body).fontSize) || 13;
  const keep = (kept: object): void => host.keep(kept);
  model = new EventsModel(state, { caller, rowHeight: Math.round(size * 1.8), draw, keep });
  const { query } = (host.kept ?? {}) as { readonly query?: unknown };
  if (state.query === '' && typeof query === 'string' && query !== '') model.type(query, 0);
  render(<EventsPage {...{ model, controls }} />, document.body);
  if (document.hasFocus()) controls.box?.focus();
}, showFailure);
