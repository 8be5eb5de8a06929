import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { MAX_CSV, type BudgetScope, type BudgetEditorAction } from '../../src/protocol/budgetChoices.ts';
import type { BudgetEditorState, BudgetEditorPerson, TypedProblem } from '../../src/protocol/budgetsView.ts';
import type { RowList } from '../../src/protocol/rowList.ts';
import { Button } from '../components.ts';
import { AccountField, type TypedAccount } from './accountField.tsx';
import type { DashboardActions } from './actions.ts';
import { ActionButtons, ChangePanel, focusAccount } from './changePanel.tsx';
import { LimitField } from './limitField.tsx';
import { RowTable } from './rowTable.tsx';

interface BudgetEditorProps {
  readonly editor: BudgetEditorState;
  readonly actions: DashboardActions;
}

/** The budget editor above the list of limits: add one, import many, and the current or last change. */
export function BudgetEditorPanel({
  editor,
  actions,
  hasGroups,
}: BudgetEditorProps & { readonly hasGroups: boolean }): JSX.Element {
  const { step, interrupted, last, notice, unit } = editor;
  const [form, setForm] = useState<'none' | 'add' | 'import'>('none');
  const box = useRef<HTMLDivElement>(null);
  const act = (id: BudgetEditorAction): void => void actions.callEditor('act', { act: id });
  const leave = (): void => {
    const button = box.current?.querySelector<HTMLElement>(`[data-form="${form}"] vscode-button`);
    setForm('none');
    button?.focus();
  };
  // Closes the form: its request is now the current step.
  useEffect(() => {
    if (step.kind !== 'none') setForm('none');
  }, [step.kind]);
  return (
    <div class="budget-editor" ref={box}>
      {notice !== '' && <p class="quiet">{notice}</p>}
      {interrupted && (
        <div class="banner">
          <span class="icon icon-warning" />
          <p>{interrupted.text}</p>
          <ActionButtons actions={interrupted.actions} act={act} />
        </div>
      )}
      <div class="budget-editor-bar">
        <span data-form="add">
          <Button icon="icon-add" appearance="secondary" onClick={() => setForm(form === 'add' ? 'none' : 'add')}>
            {l10n.t('Add Limit…')}
          </Button>
        </span>
        <span data-form="import">
          <Button
            icon="icon-import"
            appearance="secondary"
            onClick={() => setForm(form === 'import' ? 'none' : 'import')}
          >
            {l10n.t('Import CSV…')}
          </Button>
        </span>
        <Button icon="icon-export" appearance="secondary" onClick={() => act('saveLimits')}>
          {l10n.t('Save Limits as CSV')}
        </Button>
        {hasGroups && (
          <>
            <Button icon="icon-edit" appearance="secondary" onClick={() => act('groupLimit')}>
              {l10n.t('Limit of a Group…')}
            </Button>
            <Button icon="icon-edit" appearance="secondary" onClick={() => act('spreadLimit')}>
              {l10n.t('Spread over Members…')}
            </Button>
          </>
        )}
      </div>
      {form === 'add' && <AddForm {...{ unit, actions, leave }} />}
      {form === 'import' && <ImportForm {...{ actions, leave, act }} />}
      {last && (
        <div class="last">
          <p class="quiet">{last.text}</p>
          <ActionButtons actions={last.actions} act={act} />
        </div>
      )}
      <ChangePanel {...{ step, actions }} looks={notice} />
    </div>
  );
}

interface AddFormProps {
  readonly unit: string;
  readonly actions: DashboardActions;
  readonly leave: () => void;
}

const NOTHING_WRONG = { field: '', problem: '' };

function AddForm({ unit, actions, leave }: AddFormProps): JSX.Element {
  const [who, setWho] = useState<TypedAccount>({ account: '', id: null });
  const [limit, setLimit] = useState('');
  const [wrong, setWrong] = useState<TypedProblem | typeof NOTHING_WRONG>(NOTHING_WRONG);
  const form = useRef<HTMLDivElement>(null);
  const preview = (text: string): void =>
    void actions.callEditor('addLimit', { ...who, limit: text }).then((problem) => {
      if (problem) setWrong(problem);
    });
  return (
    <div
      class="card form"
      ref={form}
      role="group"
      aria-label={l10n.t('Add a limit')}
      // The focus stays in the field: without it the list of accounts closes, and the pressed button moves before the click.
      onMouseDown={(event) => {
        if ((event.target as Element).closest('vscode-button')) event.preventDefault();
      }}
    >
      <AccountField
        value={who}
        problem={wrong.field === 'account' ? wrong.problem : ''}
        callEditor={actions.callEditor}
        onType={(account) => {
          setWho(account);
          setWrong(NOTHING_WRONG);
        }}
        onEnter={() => form.current?.querySelector<HTMLElement>('.limit-field input')?.focus()}
        onLeave={leave}
      />
      <LimitField
        name={who.account}
        value=""
        refused={wrong.field === 'limit' ? wrong.problem : ''}
        callEditor={actions.callEditor}
        onType={(text) => {
          setLimit(text);
          setWrong(NOTHING_WRONG);
        }}
        onEnter={preview}
        onLeave={leave}
        {...{ unit }}
      />
      <span class="quiet">{unit}</span>
      <Button onClick={() => preview(limit)}>{l10n.t('Preview')}</Button>
      <Button appearance="secondary" onClick={leave}>
        {l10n.t('Cancel')}
      </Button>
    </div>
  );
}

interface ImportFormProps {
  readonly actions: DashboardActions;
  readonly leave: () => void;
  readonly act: (id: BudgetEditorAction) => void;
}

const EXAMPLE = 'account,limit\nada@example.com,5000\nnightly-build,';

/** Form for pasted rows. They stay in their field: drawing thousands with every key would be slow. */
function ImportForm({ actions, leave, act }: ImportFormProps): JSX.Element {
  const [isEmpty, setIsEmpty] = useState(true);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const preview = (): void => {
    const csv = field.current?.value ?? '';
    if (csv.trim() !== '') void actions.callEditor('importLimits', { csv });
  };
  const key = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) preview();
    else if (event.key === 'Escape') leave();
    else return;
    event.preventDefault();
  };
  return (
    <div class="card form import" role="group" aria-label={l10n.t('Import limits')}>
      <label for="pasted-rows">
        {l10n.t(
          'Rows copied from a spreadsheet, or CSV, with the header: account and limit. An empty limit clears the override.',
        )}
      </label>
      <textarea
        id="pasted-rows"
        ref={field}
        rows={8}
        maxLength={MAX_CSV}
        spellcheck={false}
        placeholder={EXAMPLE}
        onInput={({ currentTarget }) => setIsEmpty(currentTarget.value.trim() === '')}
        onKeyDown={key}
      />
      <div class="next">
        <Button disabled={isEmpty} onClick={preview}>
          {l10n.t('Preview')}
        </Button>
        <Button appearance="secondary" onClick={() => act('chooseFile')}>
          {l10n.t('Choose a File…')}
        </Button>
        <Button appearance="secondary" onClick={leave}>
          {l10n.t('Cancel')}
        </Button>
      </div>
    </div>
  );
}

/** A limit that is edited in place. */
interface Edit {
  readonly id: string;
  readonly was: string;
  /** The problem with the sent value. */
  readonly refused: string;
}

interface LimitEdit {
  /** Id of the edited account; empty for none. */
  readonly id: string;
  readonly begin: (id: string) => void;
  readonly field: (name: string) => JSX.Element;
}

/**
 * Editing of a limit in place. When it is sent, the editor shows its effect; when it is left, the focus returns to its
 * old position.
 */
function useLimitEdit({ editor, actions }: BudgetEditorProps): LimitEdit {
  const [edit, setEdit] = useState<Edit>();
  const left = useRef('');
  const { kind } = editor.step;
  useEffect(() => {
    if (kind !== 'none') setEdit(undefined);
  }, [kind]);
  useEffect(() => {
    if (edit || left.current === '') return;
    focusAccount(left.current);
    left.current = '';
  }, [edit]);
  const begin = (id: string): void =>
    void actions.callEditor('limitOf', { id }).then((was) => {
      if (was !== undefined) setEdit({ id, was, refused: '' });
    });
  // The field may be closed by now.
  const refuse = (id: string, refused: string): void =>
    setEdit((now) => (now?.id === id && now.refused !== refused ? { ...now, refused } : now));
  const enter = (limit: string): void => {
    if (!edit) return;
    const { id, was } = edit;
    void actions.callEditor('setLimit', { id, limit, was }).then((wrong) => {
      if (wrong) refuse(id, wrong.problem);
    });
  };
  const leave = (): void => {
    left.current = edit?.id ?? '';
    setEdit(undefined);
  };
  const field = (name: string): JSX.Element => (
    <LimitField
      key={edit?.id}
      value={edit?.was ?? ''}
      refused={edit?.refused ?? ''}
      unit={editor.unit}
      callEditor={actions.callEditor}
      onType={() => refuse(edit?.id ?? '', '')}
      onEnter={enter}
      onLeave={leave}
      isFirst
      {...{ name }}
    />
  );
  return { id: edit?.id ?? '', begin, field };
}

interface BudgetTableProps extends BudgetEditorProps {
  readonly list: RowList;
}

/** Widths of account, status, used, consumed, limit with its buttons, at month's end, over on; groups follow. */
const WIDTHS = [
  'minmax(var(--first), 1.5fr)',
  'minmax(130px, 1fr)',
  'minmax(80px, 0.6fr)',
  'minmax(100px, 0.8fr)',
  'minmax(230px, 1.4fr)',
  'minmax(110px, 0.8fr)',
  'minmax(100px, 0.7fr)',
];
const GROUP_WIDTH = 'minmax(110px, 0.8fr)';

/** The list of limits with their budget status; each is edited in place. */
export function BudgetTable({ editor, list, actions }: BudgetTableProps): JSX.Element {
  const { scope, scopes } = editor;
  const edit = useLimitEdit({ editor, actions });
  const limitCell = (id: string, name: string, text: string, hasLimit: boolean): JSX.Element => (
    <span class="limit" data-account={id}>
      {edit.id === id ? (
        edit.field(name)
      ) : (
        <>
          <span>{hasLimit ? text : l10n.t('default')}</span>
          <RowButton
            icon="icon-edit"
            label={hasLimit ? l10n.t('Change the limit of {0}', name) : l10n.t('Set a limit for {0}', name)}
            onClick={() => edit.begin(id)}
          />
          {hasLimit && (
            <RowButton
              icon="icon-trash"
              label={l10n.t('Clear the limit of {0}', name)}
              onClick={() => void actions.callEditor('clearLimit', { id })}
            />
          )}
        </>
      )}
    </span>
  );
  return (
    <div class="budgets">
      <div class="budget-editor-bar">
        <label>
          <span class="quiet">{l10n.t('Show')}</span>{' '}
          <select
            value={scope}
            onChange={({ currentTarget: { value } }) =>
              void actions.callEditor('showScope', { scope: value as BudgetScope })
            }
          >
            {scopes.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
      <RowTable
        widths={list.columns.map((_, i) => WIDTHS[i] ?? GROUP_WIDTH).join(' ')}
        cellOf={({ id, cells, used }, column, text) =>
          column === 'limit' ? limitCell(id, cells[0] ?? '', text, used !== null) : undefined
        }
        {...{ list, actions }}
      />
    </div>
  );
}

interface RowButtonProps {
  readonly icon: string;
  readonly label: string;
  readonly onClick: () => void;
}

function RowButton({ icon, label, onClick }: RowButtonProps): JSX.Element {
  return (
    <button type="button" class="row-button" title={label} aria-label={label} onClick={onClick}>
      <span class={`icon ${icon}`} />
    </button>
  );
}

/** The budget editor on the page of one person. */
export function PersonBudgetEditor({
  editor,
  person,
  actions,
}: BudgetEditorProps & { readonly person: BudgetEditorPerson }): JSX.Element {
  const { step, interrupted } = editor;
  const { id, name, text, hasLimit, raise } = person;
  const edit = useLimitEdit({ editor, actions });
  return (
    <div class="budget-editor">
      {interrupted && <p class="quiet">{interrupted.text}</p>}
      <div class="budget-editor-bar" data-account={id}>
        <p>{text}</p>
        {edit.id === '' ? (
          <>
            <Button appearance="secondary" onClick={() => edit.begin(id)}>
              {hasLimit ? l10n.t('Change…') : l10n.t('Set a Limit…')}
            </Button>
            {hasLimit && (
              <Button appearance="secondary" onClick={() => void actions.callEditor('clearLimit', { id })}>
                {l10n.t('Clear…')}
              </Button>
            )}
            {raise !== '' && (
              <Button appearance="secondary" onClick={() => void actions.callEditor('raiseLimit', { id })}>
                {raise}
              </Button>
            )}
          </>
        ) : (
          edit.field(name)
        )}
      </div>
      <ChangePanel {...{ step, actions }} looks={editor.notice} />
    </div>
  );
}
