import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { Button, IconButton } from '../components.ts';
import { Notice } from '../controls.tsx';
import type { AnswerPageProps } from './actions.ts';
import { Composer } from './composer.tsx';
import { ExchangeView } from './exchangeView.tsx';
import { spokenState } from './spokenState.ts';

/** The whole page: questions and answers, oldest first, and the input below. */
export function AnswerPage({ state, draft, problem, actions, control }: AnswerPageProps): JSX.Element {
  const { exchanges } = state;
  const last = exchanges.at(-1);
  return (
    <>
      <main class={last ? 'talk' : 'talk empty'}>
        <h1 class="spoken">{l10n.t('Ask About Workspace')}</h1>
        {last ? (
          <div class="tools">
            <IconButton label={l10n.t('New Conversation')} icon="icon-clear" onClick={() => actions.clear()} />
          </div>
        ) : (
          <Welcome {...{ state, actions }} />
        )}
        {exchanges.map((exchange) => (
          <ExchangeView key={exchange.id} {...{ exchange, actions }} isLast={exchange === last} />
        ))}
      </main>
      <footer>
        {problem !== '' && <Notice icon="icon-error">{problem}</Notice>}
        <Composer {...{ state, draft, actions, control }} />
      </footer>
      {/* Announce each event once and briefly, and the answer when it is complete: a stream of syllables is unusable. */}
      <div class="spoken" role="status">
        {last ? spokenState(last) : ''}
      </div>
    </>
  );
}

/** First questions for an unknown workspace. */
const examples = (): string[] => [
  l10n.t('Where does the program start?'),
  l10n.t('How are errors handled?'),
  l10n.t('What do the tests need to run?'),
];

function Welcome({ state, actions }: Pick<AnswerPageProps, 'state' | 'actions'>): JSX.Element {
  const { kind, summary } = state.workspace;
  const isTeam = state.scope === 'team';
  return (
    <section class="welcome">
      <span class="icon icon-ask large" />
      <h2>{l10n.t('Ask about your code')}</h2>
      <p>
        {isTeam
          ? l10n.t('Answers cite the lines they rest on, as they were pushed.')
          : l10n.t('Answers cite the lines they rest on, as they are in your files at this moment.')}
      </p>
      {kind === 'none' && !isTeam ? (
        <>
          <p>{l10n.t('There is nothing to ask about yet: no folder is open.')}</p>
          <Button onClick={() => actions.go('folder')}>{l10n.t('Open Folder')}</Button>
        </>
      ) : (
        <>
          <ul class="suggestions">
            {examples().map((example) => (
              <li key={example}>
                <button type="button" onClick={() => actions.ask(example)}>
                  {example}
                </button>
              </li>
            ))}
          </ul>
          <p class="quiet">
            {isTeam ? l10n.t('Questions go to the team’s service.') : summary}{' '}
            {kind === 'partial' && !isTeam && (
              <button type="button" class="link" onClick={() => actions.go('indexStatus')}>
                {l10n.t('Show Index Status')}
              </button>
            )}
          </p>
        </>
      )}
    </section>
  );
}
