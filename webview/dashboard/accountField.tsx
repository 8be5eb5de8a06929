import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { MAX_ACCOUNT } from '../../src/protocol/budgetChoices.ts';
import type { ProposedAccount } from '../../src/protocol/budgetsView.ts';
import type { BudgetEditorCall } from './actions.ts';

/** An account as typed, or as chosen from the suggestions. */
export interface TypedAccount {
  readonly account: string;
  readonly id: string | null;
}

interface AccountFieldProps {
  readonly value: TypedAccount;
  readonly problem: string;
  readonly callEditor: BudgetEditorCall;
  readonly onType: (account: TypedAccount) => void;
  /** Called when the account is entered, to move on to the limit. */
  readonly onEnter: () => void;
  readonly onLeave: () => void;
}

/** Input for the account of a limit: typed, or chosen from known names that contain the text. */
export function AccountField({ value, problem, callEditor, onType, onEnter, onLeave }: AccountFieldProps): JSX.Element {
  const [proposed, setProposed] = useState<readonly ProposedAccount[]>([]);
  /** Id of the account that the keys are at, as another list has it at another place. */
  const [marked, setMarked] = useState<string>();
  const at = proposed.findIndex(({ id }) => id === marked);
  const typed = useRef(value.account);
  const field = useRef<HTMLInputElement>(null);
  const list = useId();
  const wrong = useId();
  useEffect(() => field.current?.focus(), []);
  const close = (): void => {
    setProposed([]);
    setMarked(undefined);
  };
  const type = (account: string): void => {
    typed.current = account;
    onType({ account, id: null });
    setMarked(undefined);
    // Until the answer, a key must not choose an account that the text excludes.
    const text = account.trim().toLowerCase();
    setProposed(proposed.filter(({ name }) => name.toLowerCase().includes(text)));
    void callEditor('accounts', { text: account }).then((found = []) => {
      // The answer to an earlier text is outdated.
      if (typed.current === account) setProposed(found);
    });
  };
  const choose = ({ name, id }: ProposedAccount): void => {
    typed.current = name;
    onType({ account: name, id });
    close();
    onEnter();
  };
  const key = (event: KeyboardEvent): void => {
    const { length } = proposed;
    const chosen = proposed[at];
    if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && length > 0)
      setMarked(proposed[(at + (event.key === 'ArrowDown' ? 1 : at < 0 ? 0 : -1) + length) % length]?.id);
    else if (event.key === 'ArrowDown') type(value.account);
    else if (event.key === 'Enter' && chosen) choose(chosen);
    else if (event.key === 'Enter') {
      close();
      onEnter();
    } else if (event.key === 'Escape' && length > 0) close();
    else if (event.key === 'Escape') onLeave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const isOpen = proposed.length > 0;
  return (
    <span class="account-field">
      <input
        ref={field}
        type="text"
        role="combobox"
        spellcheck={false}
        autocomplete="off"
        value={value.account}
        maxLength={MAX_ACCOUNT}
        placeholder={l10n.t('e-mail or service account')}
        aria-label={l10n.t('Account')}
        aria-expanded={isOpen}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={at < 0 ? undefined : `${list}-${at}`}
        aria-invalid={problem !== ''}
        aria-describedby={wrong}
        onInput={({ currentTarget }) => type(currentTarget.value)}
        onKeyDown={key}
        onBlur={close}
      />
      <ul id={list} role="listbox" aria-label={l10n.t('Known accounts')} class={isOpen ? 'proposed' : 'proposed none'}>
        {proposed.map((one, i) => (
          <li
            key={one.id}
            id={`${list}-${i}`}
            role="option"
            aria-selected={i === at}
            // Runs before the field loses the focus, which closes the list.
            onMouseDown={(event) => {
              event.preventDefault();
              choose(one);
            }}
          >
            <span>{one.name}</span> <span class="quiet">{one.note}</span>
          </li>
        ))}
      </ul>
      <span id={wrong} class={problem === '' ? 'field-problem none' : 'field-problem'} role="alert">
        {problem}
      </span>
    </span>
  );
}
