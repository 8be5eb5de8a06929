import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Exchange, NextAction } from '../../src/protocol/answerView.ts';
import { Button, IconButton, ProgressRing } from '../components.ts';
import type { AnswerActions } from './actions.ts';
import { MarkdownView } from './markdownView.tsx';
import { formatPlace } from './place.ts';

interface ExchangeProps {
  readonly exchange: Exchange;
  readonly actions: AnswerActions;
  readonly isLast: boolean;
}

/** One question, its answer so far, and its sources. */
export function ExchangeView({ exchange, actions, isLast }: ExchangeProps): JSX.Element {
  const { id, question, state, markdown, passages, followUps } = exchange;
  const isRunning = state.kind === 'searching' || state.kind === 'writing';
  const top = useRef<HTMLElement>(null);
  // A new question scrolls to the top, and stays there: later text below moves nothing under the reader's eyes.
  useEffect(() => {
    if (isRunning) top.current?.scrollIntoView({ block: 'start' });
  }, [id]);
  return (
    <article ref={top} aria-busy={isRunning} aria-labelledby={`question-${id}`}>
      <h2 id={`question-${id}`}>{question}</h2>
      <ExchangeHeader {...{ exchange }} />
      {exchange.reranking && <RerankingLine reranking={exchange.reranking} />}
      {exchange.problems.map((problem) => (
        <p key={problem} class="quiet">
          <span class="icon icon-warning" /> {problem}
        </p>
      ))}
      <div class="columns">
        <div class="answer">
          {state.kind === 'searching' && <Skeleton />}
          <MarkdownView {...{ markdown, passages, actions }} exchange={id} isQuoted={exchange.sent.characters === 0} />
          <ExchangeOutcome {...{ exchange, actions, isLast }} />
          {state.kind === 'done' && (
            <div class="tools">
              <IconButton label={l10n.t('Copy as Markdown')} icon="icon-copy" onClick={() => actions.copy(id)} />
              {isLast && (
                <>
                  <IconButton label={l10n.t('Ask Again')} icon="icon-again" onClick={() => actions.askAgain()} />
                  <IconButton
                    label={l10n.t('Choose Another Provider')}
                    icon="icon-swap"
                    onClick={() => actions.chooseProvider(true)}
                  />
                </>
              )}
            </div>
          )}
          {isLast && state.kind === 'done' && followUps.length > 0 && (
            <ul class="suggestions" aria-label={l10n.t('Questions that may come next')}>
              {followUps.map((one) => (
                <li key={one}>
                  <button type="button" onClick={() => actions.ask(one)}>
                    {one}
                  </button>
                </li>
              ))}
            </ul>
          )}
        </div>
        {passages.length > 0 && <Passages {...{ exchange, actions }} />}
      </div>
    </article>
  );
}

/** Provider of the answer, and the data sent to it. */
function ExchangeHeader({ exchange: { state, scope, provider, sent } }: Pick<ExchangeProps, 'exchange'>): JSX.Element {
  const isRunning = state.kind === 'searching' || state.kind === 'writing';
  return (
    <p class="header quiet">
      {isRunning ? <ProgressRing /> : <span class={`icon ${provider.isLocal ? 'icon-local' : 'icon-remote'}`} />}
      <span>{provider.label}</span>
      {state.kind === 'searching' ? (
        <span>{l10n.t('Looking for passages…')}</span>
      ) : (
        (scope !== 'team' || sent.characters > 0) && <span>{describeSent(provider.isLocal, sent)}</span>
      )}
      {scope === 'team' && <span>{l10n.t('The question went to the team’s service')}</span>}
      {state.kind === 'writing' && <span>{l10n.t('Answering…')}</span>}
    </p>
  );
}

/** The model that ordered the passages, and the data sent to it. */
function RerankingLine({ reranking }: { readonly reranking: NonNullable<Exchange['reranking']> }): JSX.Element {
  const { label, isLocal, sent, failure } = reranking;
  return (
    <p class="header quiet">
      <span class={`icon ${isLocal ? 'icon-local' : 'icon-remote'}`} />
      <span>
        {failure === undefined
          ? l10n.t('Ordered by {0}', label)
          : l10n.t('{0} did not change the order: {1}', label, failure)}
      </span>
      <span>{describeSent(isLocal, sent)}</span>
    </p>
  );
}

function describeSent(isLocal: boolean, { files, characters }: Exchange['sent']): string {
  if (characters === 0) return l10n.t('Nothing was sent');
  const counts = new Intl.NumberFormat(document.documentElement.lang);
  const what = [counts.format(files), counts.format(characters)] as const;
  return isLocal
    ? l10n.t('Sent within this machine: {0} files, {1} characters', ...what)
    : l10n.t('Sent: {0} files, {1} characters', ...what);
}

/** Placeholder for the text. */
function Skeleton(): JSX.Element {
  return (
    <div class="skeleton" aria-hidden="true">
      <span />
      <span />
      <span />
    </div>
  );
}

/** An outcome other than success, and the next action. */
function ExchangeOutcome({
  exchange: { state, removedCitations, markdown },
  actions,
  isLast,
}: ExchangeProps): JSX.Element | null {
  const anotherProvider = (
    <Button appearance="secondary" onClick={() => actions.chooseProvider(true)}>
      {l10n.t('Choose Another Provider…')}
    </Button>
  );
  const again = (appearance: 'primary' | 'secondary'): JSX.Element => (
    <Button {...{ appearance }} onClick={() => actions.askAgain()}>
      {l10n.t('Ask Again')}
    </Button>
  );
  switch (state.kind) {
    case 'failed':
      return (
        <div class="notice error">
          <p>
            <span class="icon icon-error" /> {state.message}
          </p>
          {isLast && (
            <div class="buttons">
              <NextButton next={state.next} actions={actions} />
              {state.next !== 'ask-again' && state.next !== 'choose-provider' && again('secondary')}
              {state.next !== 'choose-provider' && state.next !== 'enter-token' && anotherProvider}
            </div>
          )}
        </div>
      );
    case 'stopped':
    case 'interrupted':
      return (
        <div class="notice">
          <p>{describeStop(state.kind, markdown === '')}</p>
          {isLast && (
            <div class="buttons">
              {again('primary')}
              {anotherProvider}
            </div>
          )}
        </div>
      );
    case 'done':
      return removedCitations === 0 ? null : (
        <p class="quiet">
          {l10n.t('Citations taken out, because there is nothing where they point: {0}', removedCitations)}
        </p>
      );
    default:
      return null;
  }
}

function describeStop(kind: 'stopped' | 'interrupted', isEmpty: boolean): string {
  if (kind === 'interrupted') return l10n.t('The window was closed before the answer was complete.');
  return isEmpty ? l10n.t('Stopped before the answer began.') : l10n.t('Stopped. The answer is not complete.');
}

function NextButton({ next, actions }: { readonly next: NextAction; readonly actions: AnswerActions }): JSX.Element {
  switch (next) {
    case 'ask-again':
      return <Button onClick={() => actions.askAgain()}>{l10n.t('Ask Again')}</Button>;
    case 'choose-provider':
      return <Button onClick={() => actions.chooseProvider(true)}>{l10n.t('Choose Another Provider…')}</Button>;
    case 'set-key':
      return <Button onClick={() => actions.go('key')}>{l10n.t('Set Key…')}</Button>;
    case 'enter-token':
      return <Button onClick={() => actions.replaceToken()}>{l10n.t('Enter Another Token')}</Button>;
    case 'open-settings':
      return <Button onClick={() => actions.go('settings')}>{l10n.t('Open Settings')}</Button>;
  }
}

function Passages({ exchange: { id, passages }, actions }: Pick<ExchangeProps, 'exchange' | 'actions'>): JSX.Element {
  return (
    <div class="passages">
      <h3 id={`passages-${id}`}>{l10n.t('Passages')}</h3>
      <ol aria-labelledby={`passages-${id}`}>
        {passages.map((passage) => (
          <li key={passage.number}>
            <button type="button" onClick={() => actions.open(id, passage.number)}>
              <span class="number">{passage.number}</span>
              <span class="what">
                {passage.symbol && <span class="symbol">{passage.symbol.name}</span>}
                <span class="quiet">{formatPlace(passage)}</span>
              </span>
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}
