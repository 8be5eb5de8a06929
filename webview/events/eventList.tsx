import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { formatBytes } from '../../src/base/format.ts';
import type { EventVerdict, ShownEventRow } from '../../src/protocol/eventsView.ts';
import type { Controls, EventsModel } from './eventsModel.ts';

/** Rows above and below the visible ones, so that a short scroll shows no gap. */
const SPARE = 10;
const ICONS: Readonly<Record<EventVerdict, string>> = {
  received: 'icon-sync',
  pending: 'icon-sync',
  unmatched: 'icon-circle',
  succeeded: 'icon-pass',
  failed: 'icon-error',
};

interface EventListProps {
  readonly model: EventsModel;
  readonly controls: Controls;
}

/** All events, of which only the rows in view are drawn and fetched: a million of them are 24 million pixels. */
export function EventList({ model, controls }: EventListProps): JSX.Element {
  const list = useRef<HTMLDivElement | null>(null);
  const [height, setHeight] = useState(0);
  const { active, rowHeight, scrollTop, event } = model;
  const { total } = model.list;
  useLayoutEffect(() => {
    const element = list.current!;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    element.scrollTop = model.scrollTop;
    return () => observer.disconnect();
  }, []);
  // A new query begins at its top, and so does the list with new events.
  useLayoutEffect(() => {
    if (list.current && scrollTop === 0) list.current.scrollTop = 0;
  }, [scrollTop === 0]);
  useLayoutEffect(() => {
    const element = list.current;
    if (active < 0 || !element) return;
    const top = active * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowHeight - element.clientHeight;
  }, [model.moves]);
  const from = Math.max(0, Math.floor(scrollTop / rowHeight) - SPARE);
  const to = Math.min(total, Math.ceil((scrollTop + height) / rowHeight) + SPARE);
  const rows = Array.from({ length: Math.max(0, to - from) }, (_, i) => ({
    index: from + i,
    row: model.rowAt(from + i),
  }));
  return (
    <div
      class="list"
      role="listbox"
      aria-label={l10n.t('Events')}
      aria-activedescendant={active >= from && active < to ? `row-${active}` : undefined}
      tabIndex={0}
      ref={(element) => {
        list.current = element;
        controls.list = element;
      }}
      onScroll={({ currentTarget }) => model.scroll(currentTarget.scrollTop)}
      onFocus={() => {
        if (active < 0) model.move(Math.ceil(scrollTop / rowHeight));
      }}
      onKeyDown={(pressed) => onKey(pressed, model, controls, Math.max(1, Math.floor(height / rowHeight) - 1))}
    >
      <div class="all" role="presentation" style={{ height: `${total * rowHeight}px` }}>
        {rows.map(({ index, row }) => (
          <div
            key={row?.id ?? `#${index}`}
            id={`row-${index}`}
            role="option"
            class={`row${index === active ? ' active' : ''}${row && row.id === event?.row.id ? ' open' : ''}`}
            aria-selected={index === active}
            aria-posinset={index + 1}
            aria-setsize={total}
            aria-label={row ? undefined : l10n.t('Loading…')}
            style={{ top: `${index * rowHeight}px`, height: `${rowHeight}px` }}
            title={row ? `${row.id} · ${row.verdict}` : ''}
            onClick={() => {
              model.move(index);
              if (row) void model.open(row.id);
            }}
          >
            {row && <RowContent row={row} />}
          </div>
        ))}
      </div>
    </div>
  );
}

/** Time of an event, with its date unless it is of today. */
export function timeOf(at: string): string {
  const date = new Date(at);
  return date.toDateString() === new Date().toDateString() ? date.toLocaleTimeString() : date.toLocaleString();
}

/** The cells of a row; narrow pages leave some out. */
export function RowContent({ row }: { readonly row: ShownEventRow }): JSX.Element {
  return (
    <>
      <span class={`icon ${ICONS[row.status]} ${row.status}`} />
      <span class="time">{timeOf(row.at)}</span> <span class="sender">{row.sender}</span>{' '}
      <span class={row.type === '' ? 'type none' : 'type'}>{row.type === '' ? '–' : row.type}</span>{' '}
      <span class="line">{row.line}</span> <span class="verdict">{row.verdict}</span>{' '}
      <span class="bytes">{formatBytes(row.bytes)}</span> <span class="id">{row.id}</span>
      <span class={row.isPinned ? 'icon icon-pinned' : 'icon no-icon'} />
      {row.isPinned && <span class="spoken">{l10n.t('Pinned')}</span>}
    </>
  );
}

function onKey(event: KeyboardEvent, model: EventsModel, controls: Controls, page: number): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { active } = model;
  const row = active < 0 ? undefined : model.rowAt(active);
  switch (event.key) {
    case 'ArrowDown':
      model.move(active + 1);
      break;
    case 'ArrowUp':
      if (active <= 0) controls.box?.focus();
      else model.move(active - 1);
      break;
    case 'PageDown':
      model.move(active + page);
      break;
    case 'PageUp':
      model.move(active - page);
      break;
    case 'Home':
      model.move(0);
      break;
    case 'End':
      model.move(model.list.total - 1);
      break;
    case 'Enter':
    case ' ':
      if (row) void model.open(row.id);
      break;
    case 'r':
      if (row) void model.send('act', { id: row.id, action: 'replay', trigger: null });
      break;
    case 'e':
      if (row) void model.open(row.id, true);
      break;
    case 'p':
      if (row) void model.pin(row);
      break;
    case 'Escape':
      if (model.event) void model.open(null);
      else controls.box?.focus();
      break;
    default:
      return;
  }
  event.preventDefault();
}
