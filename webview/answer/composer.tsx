import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { MAX_QUESTION } from '../../src/protocol/limits.ts';
import { Button, TextArea } from '../components.ts';
import type { AnswerPageProps } from './actions.ts';

const MAX_ROWS = 8;

/** Input for questions: Enter sends, Shift+Enter begins a new line, Escape stops an answer. */
export function Composer({ state, draft, actions, control }: Omit<AnswerPageProps, 'problem'>): JSX.Element {
  const last = state.exchanges.at(-1);
  const isRunning = last?.state.kind === 'searching' || last?.state.kind === 'writing';
  const isEmpty = draft.trim() === '';
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && isRunning) actions.stop();
    // While an input method composes, Enter belongs to it.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    actions.ask();
  };
  const { scope, hasTeam } = state;
  const isTeam = scope === 'team';
  const { label, isLocal } = state.provider;
  const first = isTeam ? l10n.t('Question about the team’s code') : l10n.t('Question about this workspace');
  return (
    <div class="composer">
      <TextArea
        label={last ? l10n.t('Ask a follow-up question') : first}
        value={draft}
        rows={Math.min(MAX_ROWS, Math.max(2, draft.split('\n').length))}
        maxLength={MAX_QUESTION}
        placeholder={last ? l10n.t('And how is it tested?') : l10n.t('How is a failed request retried?')}
        onInput={(text) => actions.type(text)}
        onKeyDown={onKeyDown}
        control={control}
      />
      <div class="composer-row">
        <span class="provider">
          <button type="button" class="chip" onClick={() => actions.chooseProvider(false)}>
            <span class={`icon ${isLocal ? 'icon-local' : 'icon-remote'}`} />
            <span class="spoken">{l10n.t('Who answers:')} </span>
            <span>{label}</span>
            <span class="icon icon-down" />
          </button>
        </span>
        {hasTeam && (
          <button
            type="button"
            class={isTeam ? 'chip on' : 'chip'}
            aria-pressed={isTeam}
            title={l10n.t('Ask about all repositories of the team')}
            onClick={() => actions.searchIn(isTeam ? 'workspace' : 'team')}
          >
            {l10n.t('Team Code')}
          </button>
        )}
        <span class="hint quiet">{l10n.t('Enter to ask, Shift+Enter for a new line')}</span>
        {isRunning && isEmpty ? (
          <Button key="act" appearance="secondary" icon="icon-stop" onClick={() => actions.stop()}>
            {l10n.t('Stop')}
          </Button>
        ) : (
          <Button key="act" icon="icon-send" disabled={isEmpty} onClick={() => actions.ask()}>
            {l10n.t('Ask')}
          </Button>
        )}
      </div>
    </div>
  );
}
