import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import type { AttentionList, Tone } from '../../src/protocol/dashboardView.ts';
import type { DashboardActions } from './actions.ts';

const ICONS: Readonly<Record<Tone, string>> = {
  plain: 'icon-info',
  good: 'icon-check',
  warning: 'icon-warning',
  bad: 'icon-error',
};

interface AttentionProps {
  readonly list: AttentionList;
  readonly actions: DashboardActions;
}

/** What needs attention, first on the page: each sentence leads to its place. */
export function Attention({ list, actions }: AttentionProps): JSX.Element {
  const { rows, note, isLoading } = list;
  return (
    <section class="attention" aria-label={l10n.t('Needs attention')} aria-busy={isLoading}>
      <h2>{l10n.t('Needs attention')}</h2>
      {rows.length > 0 && (
        <ul>
          {rows.map(({ text, tone, tab, person }) => (
            <li key={text} class={tone}>
              <span class={`icon ${ICONS[tone]}`} />
              {tab === 'overview' ? (
                <span>{text}</span>
              ) : (
                <button
                  type="button"
                  class="link"
                  onClick={() => (person === null ? actions.choose({ tab }) : actions.openPerson(person))}
                >
                  {text}
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {note !== '' && <p class="quiet">{note}</p>}
    </section>
  );
}
