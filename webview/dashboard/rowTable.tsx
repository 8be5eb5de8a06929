import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { formatCount } from '../../src/base/format.ts';
import type { ListedRow, RowList } from '../../src/protocol/dashboardView.ts';
import { Notice } from '../controls.tsx';
import { messageOf } from '../page.tsx';
import type { DashboardActions } from './actions.ts';
import { ROW_PX, rowsInView, TALL_ROW_PX, type Window } from './rowsInView.ts';

interface RowTableProps {
  readonly list: RowList;
  readonly actions: Pick<DashboardActions, 'rows' | 'sort' | 'openPerson'>;
  /** Whether rows have nothing to choose: the keys scroll the list. */
  readonly isPlain?: boolean;
  /** Whether a row has room for two lines. */
  readonly isTall?: boolean;
  /** Widths of the columns; equal by default. */
  readonly widths?: string;
  /** Replacement for the text of a cell; undefined keeps the text. */
  readonly cellOf?: (row: ListedRow, column: string, text: string) => JSX.Element | undefined;
}

const TALL_PX = 420;
/** Least width of a column. */
const LEAST_PX = 104;

/**
 * A list of any length, of which only the rows in view exist. The extension sorts them and sends them on request. A
 * name opens its person; the arrow keys move from name to name. The heads stay in view.
 */
export function RowTable({
  list,
  actions,
  isPlain = false,
  isTall = false,
  widths,
  cellOf,
}: RowTableProps): JSX.Element {
  const { columns, count, all, sort, descending, version } = list;
  const scroller = useRef<HTMLDivElement>(null);
  const [scrollTop, setScrollTop] = useState(0);
  const [loaded, setLoaded] = useState<{ readonly window: Window; readonly rows: readonly ListedRow[] }>();
  const [failure, setFailure] = useState('');
  const wanted = useRef<string>('');
  const focusNext = useRef<number | undefined>(undefined);
  const rowPx = isTall ? TALL_ROW_PX : ROW_PX;
  const height = Math.min(TALL_PX, count * rowPx);
  const view = rowsInView(scrollTop, height, count, rowPx);

  useEffect(() => {
    const key = `${list.list} ${version} ${view.from} ${view.count}`;
    if (wanted.current === key || view.count === 0) return;
    wanted.current = key;
    const show = (message: string, rows?: readonly ListedRow[]): void => {
      // A late answer belongs to another position by now.
      if (wanted.current !== key) return;
      setFailure(message);
      if (rows) setLoaded({ window: view, rows });
    };
    actions.rows(list.list, view.from, view.count).then(
      (rows) => show('', rows),
      (error: unknown) => show(messageOf(error)),
    );
  });
  useEffect(() => {
    const button = scroller.current?.querySelector<HTMLElement>(`[data-row="${focusNext.current ?? -1}"]`);
    if (!button) return;
    focusNext.current = undefined;
    button.focus({ preventScroll: true });
  });

  const move = (event: KeyboardEvent, row: number): void => {
    const page = Math.floor(height / rowPx) - 1;
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -row,
      End: count - 1 - row,
    };
    const step = steps[event.key];
    const box = scroller.current;
    if (step === undefined || !box) return;
    event.preventDefault();
    const to = Math.min(count - 1, Math.max(0, row + step));
    focusNext.current = to;
    const top = to * rowPx;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + rowPx > box.scrollTop + height) box.scrollTop = top + rowPx - height;
    setScrollTop(box.scrollTop);
    // The row may exist already.
    box.querySelector<HTMLElement>(`[data-row="${to}"]`)?.focus({ preventScroll: true });
  };
  const order = (id: string): void => {
    const isSame = id === sort;
    // After sorting, the first rows matter.
    if (scroller.current) scroller.current.scrollTop = 0;
    actions.sort(list.list, id, isSame && descending ? 'ascending' : 'descending');
  };
  /** Requests the rows in view again when it is drawn. */
  const readAgain = (): void => {
    wanted.current = '';
    setFailure('');
  };
  const said =
    count < all
      ? l10n.t('{0} of {1} rows', formatCount(count), formatCount(all))
      : all === 1
        ? l10n.t('1 row')
        : l10n.t('{0} rows', formatCount(all));
  return (
    <section class="card rows" aria-label={list.caption}>
      <div class="head">
        <h2>
          {list.caption} <span class="quiet">{said}</span>
        </h2>
      </div>
      {failure !== '' && (
        <Notice icon="icon-error">
          {l10n.t('These rows could not be read: {0}', failure)}{' '}
          <button type="button" class="link" onClick={readAgain}>
            {l10n.t('Try Again')}
          </button>
        </Notice>
      )}
      {count === 0 ? (
        <p class="quiet">{all === 0 ? l10n.t('No rows.') : l10n.t('No names match.')}</p>
      ) : (
        <div
          class={isPlain ? 'scroll plain' : 'scroll'}
          ref={scroller}
          tabIndex={isPlain ? 0 : undefined}
          style={{ '--rows': `${height}px`, '--row': `${rowPx}px` }}
          onScroll={({ currentTarget }) => setScrollTop(currentTarget.scrollTop)}
        >
          <div
            class="table"
            role="table"
            aria-label={list.caption}
            aria-rowcount={count + 1}
            style={{
              '--columns':
                widths ?? `minmax(var(--first), 1.6fr) repeat(${columns.length - 1}, minmax(${LEAST_PX}px, 1fr))`,
            }}
          >
            <div role="rowgroup" class="top">
              <div role="row" aria-rowindex={1} class="line heads">
                {columns.map(({ id, title, about, isNumber }) => (
                  <div
                    key={id}
                    role="columnheader"
                    class={cellClass(isNumber, id === sort)}
                    aria-sort={id !== sort ? 'none' : descending ? 'descending' : 'ascending'}
                  >
                    <button type="button" title={about} onClick={() => order(id)}>
                      {title}
                      <span class={`icon ${id !== sort ? 'icon-none' : descending ? 'icon-down' : 'icon-up'}`} />
                    </button>
                  </div>
                ))}
              </div>
            </div>
            <div class="all" role="rowgroup" style={{ height: `${count * rowPx}px` }}>
              {loaded?.rows.map((row, i) => (
                <TableRow
                  key={row.id}
                  {...{ row, rowPx, columns, sort, actions, move, cellOf }}
                  i={loaded.window.from + i}
                />
              ))}
            </div>
          </div>
        </div>
      )}
    </section>
  );
}

const TONE_ICONS = { plain: undefined, good: 'icon-check', warning: 'icon-warning', bad: 'icon-error' } as const;

interface RowProps {
  readonly row: ListedRow;
  readonly rowPx: number;
  readonly columns: RowList['columns'];
  readonly sort: string;
  readonly i: number;
  readonly actions: RowTableProps['actions'];
  readonly move: (event: KeyboardEvent, row: number) => void;
  readonly cellOf: RowTableProps['cellOf'] | undefined;
}

/** A narrow page shows the sorted column beside the name. */
function cellClass(isNumber: boolean, isSorted: boolean): string {
  return [isNumber ? 'number' : '', isSorted ? 'sorted' : ''].filter((name) => name !== '').join(' ');
}

function TableRow({ row, rowPx, columns, sort, i, actions, move, cellOf }: RowProps): JSX.Element {
  const { id, cells, tone, used } = row;
  const icon = TONE_ICONS[tone];
  return (
    <div role="row" aria-rowindex={i + 2} class="line" style={{ top: `${i * rowPx}px` }}>
      {cells.map((cell, c) => {
        const { isNumber, id: column } = columns[c] ?? { isNumber: false, id: '' };
        return (
          <div
            key={column}
            role={c === 0 ? 'rowheader' : 'cell'}
            class={cellClass(isNumber, column === sort)}
            title={c === 0 ? cell : undefined}
          >
            {cellOf?.(row, column, cell) ??
              (c === 0 ? (
                <button
                  type="button"
                  class="link"
                  data-row={i}
                  onClick={() => actions.openPerson(id)}
                  onKeyDown={(event) => move(event, i)}
                >
                  {cell}
                </button>
              ) : (
                <>
                  {c === 1 && icon !== undefined && <span class={`icon ${icon} ${tone}`} />}
                  {cell}
                  {column === 'used' && used !== null && (
                    <span class={`meter ${tone}`} aria-hidden="true">
                      <span style={{ width: `${used * 100}%` }} />
                    </span>
                  )}
                </>
              ))}
          </div>
        );
      })}
    </div>
  );
}
