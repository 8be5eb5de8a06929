import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { MAX_LIMIT } from '../../src/protocol/budgetChoices.ts';
import type { BudgetEditorCall } from './actions.ts';

interface LimitFieldProps {
  /** Name of the account. */
  readonly name: string;
  readonly unit: string;
  /** Initial value in digits. */
  readonly value: string;
  readonly callEditor: BudgetEditorCall;
  /** The problem with the sent value. */
  readonly refused?: string;
  readonly onEnter: (limit: string) => void;
  readonly onLeave: () => void;
  /** Receives the typed text, for callers with a button of their own. */
  readonly onType?: (limit: string) => void;
  /** Whether the field takes the focus at once, with all text selected. */
  readonly isFirst?: boolean;
}

/**
 * Input for a limit: Enter sends it, Escape leaves it. It is text, as limits have more digits than a number; a problem
 * is shown beside it.
 */
export function LimitField(props: LimitFieldProps): JSX.Element {
  const { name, unit, value, callEditor, refused = '', onEnter, onLeave, onType, isFirst = false } = props;
  const [draft, setDraft] = useState(value);
  const [problem, setProblem] = useState('');
  const typed = useRef(value);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => {
    if (!isFirst) return;
    field.current?.focus();
    field.current?.select();
  }, []);
  const type = (text: string): void => {
    setDraft(text);
    typed.current = text;
    onType?.(text);
    void callEditor('checkLimit', { limit: text }).then((found = '') => {
      // The answer to an earlier text is outdated.
      if (typed.current === text) setProblem(found);
    });
  };
  const key = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') onEnter(draft);
    else if (event.key === 'Escape') onLeave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const shown = problem || refused;
  return (
    <span class="limit-field">
      <input
        ref={field}
        type="text"
        inputMode="numeric"
        spellcheck={false}
        autocomplete="off"
        value={draft}
        maxLength={MAX_LIMIT}
        aria-label={name === '' ? l10n.t('Limit, in {0}', unit) : l10n.t('Limit of {0}, in {1}', name, unit)}
        aria-invalid={shown !== ''}
        aria-describedby={id}
        onInput={({ currentTarget }) => type(currentTarget.value)}
        onKeyDown={key}
      />
      <span id={id} class={shown === '' ? 'field-problem none' : 'field-problem'} role="alert">
        {shown}
      </span>
    </span>
  );
}
