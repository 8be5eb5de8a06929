import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { BudgetEditorAction } from '../../src/protocol/budgetChoices.ts';
import type { ChangePart, BudgetEditorStep, NamedAction } from '../../src/protocol/budgetsView.ts';
import { Button } from '../components.ts';
import type { DashboardActions } from './actions.ts';
import { RowTable } from './rowTable.tsx';

interface ChangePanelProps {
  readonly step: BudgetEditorStep;
  readonly actions: DashboardActions;
  /** Changes when the display of names changes, so that rows are requested again. */
  readonly looks: string;
}

const TONE_ICONS = { plain: 'icon-edit', good: 'icon-check', warning: 'icon-warning', bad: 'icon-error' } as const;

/** Widths of the columns; reasons are sentences. */
const WIDTHS: Readonly<Record<string, string>> = {
  identity: 'minmax(var(--first), 1.2fr)',
  part: 'minmax(170px, 0.8fr)',
  before: 'minmax(100px, 0.6fr)',
  after: 'minmax(100px, 0.6fr)',
  consumed: 'minmax(100px, 0.6fr)',
  share: 'minmax(80px, 0.5fr)',
  line: '64px',
  why: 'minmax(280px, 4fr)',
};

/**
 * The current change: its preview, its progress, its result. Each step takes the focus if the page has it, so that it is
 * read out, and so that the Enter that started it does nothing more.
 */
export function ChangePanel({ step, actions, looks }: ChangePanelProps): JSX.Element | null {
  const { serial, kind, title, summary, note, tone, progress, parts, list } = step;
  const panel = useRef<HTMLElement>(null);
  const before = useRef({ serial, kind });
  /** The account of the change, which gets the focus afterwards. */
  const account = useRef('');
  useEffect(() => {
    if (before.current.serial === serial) return;
    if (before.current.kind === 'none') account.current = accountAt(document.activeElement);
    before.current = { serial, kind };
    // A step that comes while one works elsewhere in the editor would close an open list there.
    if (!document.hasFocus()) return;
    if (kind !== 'none') panel.current?.focus();
    else if (document.activeElement === document.body) focusAccount(account.current);
  }, [serial]);
  if (kind === 'none') return null;
  const act = (id: BudgetEditorAction): void => void actions.callEditor('act', { act: id });
  const key = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    act(kind === 'looking' || kind === 'running' ? 'cancel' : 'close');
  };
  return (
    <section
      class={`card change ${kind}`}
      ref={panel}
      tabIndex={-1}
      aria-labelledby="change-title"
      aria-describedby="change-summary"
      onKeyDown={key}
    >
      <h2 id="change-title">
        <span class={`icon ${TONE_ICONS[tone]} ${tone}`} /> {title}
      </h2>
      {progress && <progress aria-label={title} {...(progress.of > 0 && { value: progress.done, max: progress.of })} />}
      <p id="change-summary">{summary}</p>
      {note !== '' && <p class="quiet">{note}</p>}
      {parts.length > 0 && <Parts parts={parts} show={(part) => void actions.callEditor('showPart', { part })} />}
      {list && (
        <RowTable
          key={`${serial} ${looks}`}
          {...{ list, actions }}
          isPlain
          isTall={list.columns.some(({ id }) => id === 'why')}
          widths={list.columns.map(({ id }) => WIDTHS[id] ?? '1fr').join(' ')}
          cellOf={(_, column, text) =>
            column === 'identity' ? (
              <>{text}</>
            ) : column === 'why' ? (
              <span class="why" title={text}>
                {text}
              </span>
            ) : undefined
          }
        />
      )}
      <ActionButtons actions={step.actions} {...{ act }} isFirstPrimary={progress === null} />
    </section>
  );
}

function accountAt(element: Element | null): string {
  return element?.closest('[data-account]')?.getAttribute('data-account') ?? '';
}

/** Focuses the account, or the first button if it is not in view or there was none. */
export function focusAccount(id: string): void {
  const own = document.querySelector<HTMLElement>(`[data-account="${id}"] :is(button, vscode-button)`);
  (own ?? document.querySelector<HTMLElement>('.budget-editor-bar vscode-button'))?.focus();
}

/** Choice of the listed rows. */
function Parts({
  parts,
  show,
}: {
  readonly parts: readonly ChangePart[];
  readonly show: (part: string) => void;
}): JSX.Element {
  return (
    <div class="parts" role="group" aria-label={l10n.t('Filter rows')}>
      {parts.map(({ id, name, count, tone, isShown }) => (
        <button key={id} type="button" class="part" aria-pressed={isShown} onClick={() => show(id)}>
          {tone !== 'plain' && <span class={`icon ${TONE_ICONS[tone]} ${tone}`} />}
          {name} <b>{count}</b>
        </button>
      ))}
    </div>
  );
}

interface ActionButtonsProps {
  readonly actions: readonly NamedAction[];
  readonly act: (id: BudgetEditorAction) => void;
  readonly isFirstPrimary?: boolean;
}

export function ActionButtons({ actions, act, isFirstPrimary = false }: ActionButtonsProps): JSX.Element {
  return (
    <div class="next">
      {actions.map(({ id, name }, i) => (
        <Button key={id} appearance={i === 0 && isFirstPrimary ? 'primary' : 'secondary'} onClick={() => act(id)}>
          {name}
        </Button>
      ))}
    </div>
  );
}
