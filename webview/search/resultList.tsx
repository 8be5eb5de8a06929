import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ShownPlace, TextSpan } from '../../src/protocol/searchView.ts';
import { marksInView, shownFrom, type Row } from './rows.ts';
import type { SearchModel } from './searchModel.ts';

interface ResultListProps {
  readonly model: SearchModel;
  /** Receives the list once it exists, to focus it. */
  readonly control: (element: HTMLDivElement | null) => void;
  /** Moves the focus to the box. */
  readonly leave: () => void;
}

/** Results by file, as a tree of which only the rows in view are drawn. */
export function ResultList({ model, control, leave }: ResultListProps): JSX.Element {
  const list = useRef<HTMLDivElement | null>(null);
  const [height, setHeight] = useState(0);
  const [width, setWidth] = useState(Infinity);
  const { layout, active } = model;
  useLayoutEffect(() => {
    const element = list.current!;
    const observer = new ResizeObserver(() => {
      setHeight(element.clientHeight);
      setWidth(charactersIn(element));
    });
    observer.observe(element);
    element.scrollTop = model.scrollTop;
    return () => observer.disconnect();
  }, []);
  // A new query begins at its top.
  useLayoutEffect(() => {
    if (list.current && model.scrollTop === 0) list.current.scrollTop = 0;
  }, [model.reply]);
  useLayoutEffect(() => {
    if (active < 0 || !list.current) return;
    list.current.scrollTop = layout.scrollTo(active, list.current.scrollTop, list.current.clientHeight);
  }, [active, layout]);
  const { from, to } = layout.inView(model.scrollTop, height);
  const isEnd = to === layout.rows.length && model.scrollTop > 0;
  useLayoutEffect(() => {
    if (isEnd) model.more();
  }, [isEnd, layout]);
  const activeRow = layout.rows[active];
  return (
    <div
      class="list"
      role="tree"
      aria-label={l10n.t('Results')}
      aria-activedescendant={active >= from && active < to ? `row-${active}` : undefined}
      aria-busy={model.isWaiting}
      tabIndex={0}
      data-vscode-context={contextOf(model, activeRow?.place ?? activeRow?.file.places[0])}
      ref={(element) => {
        list.current = element;
        control(element);
      }}
      onScroll={({ currentTarget }) => model.scroll(currentTarget.scrollTop)}
      onFocus={() => {
        if (active < 0) model.move(layout.firstPlace());
      }}
      onKeyDown={(event) => onKey(event, model, height, leave)}
    >
      <div class="all" role="presentation" style={{ height: `${layout.height}px` }}>
        {layout.rows.slice(from, to).map((row, i) => (
          <ResultRow key={`${row.file.key}:${row.place?.line ?? ''}`} {...{ model, row, width }} index={from + i} />
        ))}
      </div>
    </div>
  );
}

/** Data for the editor's own menu of a row. */
function contextOf({ state: { scope } }: SearchModel, place: ShownPlace | undefined): string | undefined {
  if (!place) return undefined;
  return JSON.stringify({
    webviewSection: 'result',
    searchScope: scope,
    result: place.id,
    preventDefaultContextMenuItems: true,
  });
}

interface ResultRowProps {
  readonly model: SearchModel;
  readonly row: Row;
  /** Of a line of code, in characters. */
  readonly width: number;
  readonly index: number;
}

function ResultRow({ model, row, width, index }: ResultRowProps): JSX.Element {
  const { file, at, place } = row;
  const { layout, active, files } = model;
  const isOpen = !model.isFolded(file);
  const common = {
    id: `row-${index}`,
    role: 'treeitem' as const,
    'aria-selected': index === active,
    'data-vscode-context': contextOf(model, place ?? file.places[0]),
    style: { top: `${layout.topOf(index)}px`, height: `${layout.heightOf(index)}px` },
  };
  const selected = index === active ? ' active' : '';
  if (!place) {
    return (
      <div
        {...common}
        class={`row file${selected}`}
        aria-level={1}
        aria-posinset={at + 1}
        aria-setsize={model.reply?.hasMore ? -1 : files.length}
        aria-expanded={isOpen}
        title={`${file.folder === '' ? '' : `${file.folder}/`}${file.name}`}
        onClick={() => {
          model.fold(file, isOpen);
          model.active = layout.find(file.key, undefined);
        }}
      >
        <span class={`icon ${isOpen ? 'icon-down' : 'icon-right'}`} />
        <span class="name">{file.name}</span>
        <span class="folder">{file.folder}</span>
        {file.alike > 0 && <span class="alike">{l10n.t('and {0} like it', file.alike)}</span>}
        <span class="badge">{file.lines}</span>
      </div>
    );
  }
  const { line, text, marks, symbol } = place;
  const act = (name: 'explain' | 'open', label: string, icon: string): JSX.Element => (
    <button
      type="button"
      class="tool"
      tabIndex={-1}
      aria-label={label}
      title={label}
      onClick={(event) => {
        event.stopPropagation();
        if (name === 'open') model.open(true, index);
        else void model.send('explain', { id: place.id });
      }}
    >
      <span class={`icon ${icon}`} />
    </button>
  );
  return (
    <div
      {...common}
      class={`row place${symbol ? ' named' : ''}${selected}`}
      aria-level={2}
      aria-posinset={file.places.indexOf(place) + 1}
      aria-setsize={file.places.length}
      onClick={(event) => (event.ctrlKey || event.metaKey ? model.open(true, index) : model.move(index))}
      onDblClick={() => model.open(false, index)}
    >
      {symbol && (
        <div class="title">
          <span class={`icon icon-${symbol.icon}`} />
          <span class="name">{symbol.name}</span>
        </div>
      )}
      <code>{text === '' ? ' ' : marked(text, marks, width)}</code>
      <span class="line">
        <span class="spoken">{l10n.t('line')} </span>
        {line}
      </span>
      {/* For the mouse: keys and the row's menu do the same. */}
      <span class="tools" aria-hidden="true">
        {model.state.scope === 'workspace' && act('explain', l10n.t('Why Is It Here?'), 'icon-question')}
        {act('open', l10n.t('Open to the Side'), 'icon-split')}
      </span>
    </div>
  );
}

/** Space of a row besides its line of code, in pixels, and the width of a character in the font of code. */
const BESIDE_CODE = 76;
const CHARACTER_EM = 0.6;

/** Number of characters of code that fit into a row. */
function charactersIn(list: HTMLElement): number {
  const font = Number.parseFloat(getComputedStyle(list).fontSize) * 0.95;
  return Math.max(0, Math.floor((list.clientWidth - BESIDE_CODE) / (font * CHARACTER_EM)));
}

/** A line of code with its matches marked, and its start hidden if else the first match would be. */
function marked(text: string, marks: readonly TextSpan[], width: number): (string | JSX.Element)[] {
  const pieces: (string | JSX.Element)[] = [];
  let at = shownFrom(text, marks, width);
  if (at > 0) {
    // A screen reader reads the whole line.
    pieces.push(<span class="spoken">{text.slice(0, at)}</span>, <span aria-hidden="true">…</span>);
  }
  for (const { start, end } of marksInView(marks, at, width)) {
    pieces.push(text.slice(at, start), <mark key={start}>{text.slice(start, end)}</mark>);
    at = end;
  }
  return [...pieces, text.slice(at)];
}

function onKey(event: KeyboardEvent, model: SearchModel, height: number, leave: () => void): void {
  const { layout, active } = model;
  const row = layout.rows[active];
  const isControl = event.ctrlKey || event.metaKey;
  switch (event.key) {
    case 'ArrowDown':
      model.move(active + 1);
      break;
    case 'ArrowUp':
      if (active <= 0) leave();
      else model.move(active - 1);
      break;
    case 'PageDown':
      model.move(Math.max(active + 1, layout.pageFrom(active, height)));
      break;
    case 'PageUp':
      model.move(Math.min(active - 1, layout.pageFrom(active, -height)));
      break;
    case 'Home':
      model.move(0);
      break;
    case 'End':
      model.move(layout.rows.length - 1);
      break;
    case 'ArrowRight':
      if (row && !row.place && model.isFolded(row.file)) model.fold(row.file, false);
      else if (row && !row.place) model.move(active + 1);
      break;
    case 'ArrowLeft':
      if (row?.place) model.move(layout.find(row.file.key, undefined));
      else if (row) model.fold(row.file, true);
      break;
    case ' ':
      if (row && !row.place) model.fold(row.file, !model.isFolded(row.file));
      break;
    case 'Enter':
      model.open(isControl);
      break;
    case 'Escape':
      void model.send('restore', undefined);
      leave();
      break;
    default: {
      const id = row?.place?.id;
      if (isControl && event.key === 'c' && id !== undefined) void model.send('copy', { id });
      // Typing goes on in the box.
      else if (!isControl && !event.altKey && (event.key.length === 1 || event.key === 'Backspace')) leave();
      return;
    }
  }
  event.preventDefault();
}
