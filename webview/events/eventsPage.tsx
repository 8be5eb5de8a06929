import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { MAX_EVENT_QUERY, type EventVerdict, type ShownEventRow } from '../../src/protocol/eventsView.ts';
import { Button } from '../components.ts';
import { MenuChip, Notice, ToolButton } from '../controls.tsx';
import { Popup } from '../popup.tsx';
import { EventDetail } from './eventDetail.tsx';
import { EventList, RowContent } from './eventList.tsx';
import type { Controls, EventsModel } from './eventsModel.ts';

interface EventsPageProps {
  readonly model: EventsModel;
  readonly controls: Controls;
}

const numbers = new Intl.NumberFormat('en');

/** The words of a verdict. */
function verdictWord(status: EventVerdict): string {
  return {
    received: l10n.t('Evaluating triggers'),
    unmatched: l10n.t('No trigger fired'),
    pending: l10n.t('Running'),
    succeeded: l10n.t('Succeeded'),
    failed: l10n.t('A run failed'),
  }[status];
}

/** The whole page: the box with its filters, the list, and the page of one event. */
export function EventsPage({ model, controls }: EventsPageProps): JSX.Element {
  const { state, event, list, error } = model;
  return (
    <>
      <header>
        <h1 class="spoken">{l10n.t('Webhook Events')}</h1>
        <QueryBox {...{ model, controls }} />
        <Filters model={model} />
        {state.hasServer && error !== '' && (
          <p class="notice" role="alert">
            <span class="icon icon-error" />
            <span>{error}</span>
            <ToolButton label={l10n.t('Close')} icon="icon-close" onClick={() => model.dismiss()} />
          </p>
        )}
        {state.hasServer && list.problem !== '' && (
          <Notice icon="icon-warning" role="status">
            {list.problem}
          </Notice>
        )}
      </header>
      <div class={list.searched ? 'progress busy' : 'progress'} aria-hidden="true" />
      {state.hasServer ? (
        <main class={event ? 'split with-event' : 'split'}>
          <section class="list-pane" aria-label={l10n.t('Events')}>
            <Pinned model={model} />
            <Found model={model} />
            {list.total > 0 ? <EventList {...{ model, controls }} /> : <Nothing model={model} />}
          </section>
          {event && <EventDetail key={event.row.id} {...{ model, event }} leave={() => controls.list?.focus()} />}
        </main>
      ) : (
        <main class="nothing">
          <p>{l10n.t("The local server isn't running.")}</p>
          <div class="buttons">
            <Button onClick={() => void model.send('go', { to: 'startServer' })}>{l10n.t('Start Local Server')}</Button>
            <ForwardButton model={model} appearance="secondary" />
          </div>
        </main>
      )}
    </>
  );
}

function QueryBox({ model, controls }: EventsPageProps): JSX.Element {
  return (
    <div class="box">
      <span class="icon icon-search" />
      <div class="field">
        <input
          type="text"
          aria-label={l10n.t('Search events')}
          placeholder={l10n.t('Words, type:push, header:X-Name=value, or {"==": [{"var": "action"}, "opened"]}')}
          value={model.query}
          maxLength={MAX_EVENT_QUERY}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          onInput={({ currentTarget }) => model.type(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.isComposing || event.key !== 'ArrowDown') return;
            controls.list?.focus();
            event.preventDefault();
          }}
          ref={(element) => {
            controls.box = element;
          }}
        />
      </div>
      {model.query !== '' && (
        <ToolButton
          label={l10n.t('Clear Search')}
          icon="icon-close"
          onClick={() => {
            model.type('', 0);
            controls.box?.focus();
          }}
        />
      )}
    </div>
  );
}

const STATUSES = ['received', 'unmatched', 'pending', 'succeeded', 'failed'] as const;

/** Filters as buttons, each of which writes its part of the query; and the button that clears the list. */
function Filters({ model }: { readonly model: EventsModel }): JSX.Element {
  const [open, setOpen] = useState<'status' | 'webhook' | undefined>();
  const opener = useRef<HTMLButtonElement | null>(null);
  const close = (): void => {
    if (open === undefined) return;
    setOpen(undefined);
    if (document.activeElement?.closest('.popup')) opener.current?.focus();
  };
  const chip = (part: 'status' | 'webhook', name: string, value: string): JSX.Element => (
    <MenuChip
      {...{ name, value }}
      isOpen={open === part}
      onClick={(button) => {
        opener.current = button;
        if (open === part) close();
        else setOpen(part);
      }}
    />
  );
  const names = { status: l10n.t('Result'), webhook: l10n.t('Webhook') };
  const status = model.partOf('status');
  const known = STATUSES.find((one) => one === status);
  const values = open === 'status' ? STATUSES : model.state.webhooks;
  return (
    <div class="chips" role="group" aria-label={l10n.t('Filters')}>
      {chip('status', names.status, known ? verdictWord(known) : status)}
      {model.state.webhooks.length > 0 && chip('webhook', names.webhook, model.partOf('webhook'))}
      <button type="button" class="chip" onClick={() => void model.send('clear', { isCleared: !model.list.isCleared })}>
        {model.list.isCleared ? l10n.t('Show Cleared Events') : l10n.t('Clear List')}
      </button>
      {open !== undefined && (
        <Popup
          label={names[open]}
          items={values.map((id) => ({
            id,
            label: open === 'status' ? verdictWord(id as EventVerdict) : id,
            isOn: model.partOf(open) === id,
          }))}
          close={close}
          choose={(id) => {
            close();
            model.setPart(open, model.partOf(open) === id ? '' : id);
          }}
        />
      )}
    </div>
  );
}

/** Pinned events above the list. */
function Pinned({ model }: { readonly model: EventsModel }): JSX.Element | null {
  const { pinned } = model.state;
  if (pinned.length === 0) return null;
  return (
    <div class="pinned">
      <h2>{l10n.t('Pinned')}</h2>
      <ul>
        {pinned.map((row: ShownEventRow) => (
          <li key={row.id}>
            <button
              type="button"
              class={model.event?.row.id === row.id ? 'row open' : 'row'}
              onClick={() => void model.open(row.id)}
            >
              <RowContent row={row} />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The number of events, and of those that came since. */
function Found({ model }: { readonly model: EventsModel }): JSX.Element {
  const { total, newer, searched } = model.list;
  const count = total === 1 ? l10n.t('1 event') : l10n.t('{0} events', numbers.format(Math.max(0, total)));
  const share = searched && searched.of > 0 ? Math.floor((100 * searched.count) / searched.of) : 0;
  return (
    <p class="found">
      <span role="status">{searched ? l10n.t('{0}, {1} % searched', count, share) : count}</span>
      {newer > 0 && (
        <button type="button" class="link" onClick={() => model.scroll(0)}>
          {newer === 1 ? l10n.t('Show 1 new event') : l10n.t('Show {0} new events', numbers.format(newer))}
        </button>
      )}
    </p>
  );
}

interface ForwardButtonProps {
  readonly model: EventsModel;
  readonly appearance?: 'primary' | 'secondary';
}

function ForwardButton({ model, appearance = 'primary' }: ForwardButtonProps): JSX.Element {
  return (
    <Button {...{ appearance }} onClick={() => void model.send('go', { to: 'forward' })}>
      {l10n.t('Forward Webhooks to a Local Program…')}
    </Button>
  );
}

function Nothing({ model }: { readonly model: EventsModel }): JSX.Element {
  const { list, query, state } = model;
  if (list.searched) return <p class="nothing">{l10n.t('Searching…')}</p>;
  if (query.trim() !== '' || list.isCleared)
    return (
      <p class="nothing">
        {list.isCleared ? l10n.t('No event since the list was cleared.') : l10n.t('No event matches.')}
      </p>
    );
  return (
    <div class="nothing">
      <p>{l10n.t('No event yet. Events appear here as they arrive.')}</p>
      <div class="buttons">
        <ForwardButton model={model} />
        {state.webhooks.length > 0 && (
          <Button appearance="secondary" onClick={() => void model.send('go', { to: 'send' })}>
            {l10n.t('Send Test Event')}
          </Button>
        )}
      </div>
    </div>
  );
}
