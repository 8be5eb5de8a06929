import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { Notice } from '../controls.tsx';
import { Chips } from './chips.tsx';
import { IndexStatus } from './indexStatus.tsx';
import type { PopupItem } from '../popup.tsx';
import { QueryBox } from './queryBox.tsx';
import { ResultList } from './resultList.tsx';
import type { SearchModel } from './searchModel.ts';
import { moveByArrows, StartPage } from './startPage.tsx';

/** Elements that take the focus. */
export interface Controls {
  box: HTMLInputElement | null;
  list: HTMLDivElement | null;
}

interface SearchPageProps {
  readonly model: SearchModel;
  readonly controls: Controls;
  readonly fetchChoices: (part: 'language' | 'folder') => Promise<readonly PopupItem[] | undefined>;
}

const numbers = new Intl.NumberFormat('en');

/** The whole page: the box, its filters and problems, the results, and the state of the index. */
export function SearchPage({ model, controls, fetchChoices }: SearchPageProps): JSX.Element {
  const focusBox = (): void => controls.box?.focus();
  const focusBelow = (): void => {
    const entry = document.querySelector<HTMLElement>('.entry');
    if (entry) entry.focus();
    else if (model.files.length > 0) focusResults(model, controls);
  };
  const isEmpty = model.query.trim() === '';
  const hasResults = !isEmpty && (model.state.scope === 'team' || model.state.index.kind !== 'none');
  const completions = isEmpty ? [] : (model.reply?.completions ?? []);
  return (
    <>
      <header>
        <h1 class="spoken">{l10n.t('Search')}</h1>
        <QueryBox
          model={model}
          onDown={focusBelow}
          control={(element) => {
            controls.box = element;
          }}
        />
        <Chips {...{ model, fetchChoices }} leave={focusBox} />
        <Problems model={model} leave={focusBox} />
        {completions.length > 0 && (
          <ul
            class="completions"
            aria-label={l10n.t('Completions')}
            onKeyDown={(event) => leaveByArrows(event, model, controls)}
          >
            {completions.map(({ filter, detail, query }) => (
              <li key={filter}>
                <button
                  type="button"
                  class="entry"
                  onClick={() => {
                    model.type(query, 0);
                    focusBox();
                  }}
                >
                  <span class="icon icon-filter" />
                  <span class="label">{filter}</span>
                  <span class="detail">{detail}</span>
                </button>
              </li>
            ))}
          </ul>
        )}
      </header>
      <div class={model.isSearching && hasResults ? 'progress busy' : 'progress'} aria-hidden="true" />
      {!hasResults ? (
        model.hasBegun && <StartPage {...{ model }} leave={focusBox} />
      ) : (
        <main>
          <Notices model={model} />
          {model.files.length > 0 ? (
            <ResultList
              model={model}
              leave={focusBox}
              control={(element) => {
                controls.list = element;
              }}
            />
          ) : (
            <Nothing model={model} />
          )}
        </main>
      )}
      <div class="spoken" role="status">
        {!hasResults || model.isSearching ? '' : found(model)}
      </div>
      {model.state.scope === 'workspace' && <IndexStatus model={model} />}
    </>
  );
}

/** Moves into the results, and shows the chosen one again, whose preview Escape has closed. */
function focusResults(model: SearchModel, { list }: Controls): void {
  const { active } = model;
  list?.focus();
  if (active >= 0) model.move(active);
}

/** Moves through the completions, and on to the results below them. */
function leaveByArrows(
  event: KeyboardEvent & { readonly currentTarget: HTMLElement },
  model: SearchModel,
  controls: Controls,
): void {
  const isLast = event.currentTarget.querySelector('li:last-child .entry') === document.activeElement;
  if (event.key === 'ArrowDown' && isLast && model.files.length > 0) {
    event.preventDefault();
    focusResults(model, controls);
  } else moveByArrows(event, () => controls.box?.focus());
}

/** Parts of the query that were not understood, each with its remedies, and folders that are not searched. */
function Problems({ model, leave }: { readonly model: SearchModel; readonly leave: () => void }): JSX.Element {
  const { query, reply } = model;
  const problems = query.trim() === '' ? [] : (reply?.problems ?? []);
  return (
    <ul class="problems" id="problems">
      {problems.map(({ start, end, message, fixes, needsTrust }) => (
        <li key={`${start}-${message}`}>
          <span class="icon icon-warning" />
          <span>
            {end > start && <q>{query.slice(start, end)}</q>} {message}{' '}
            {fixes.map((fix) => (
              <button
                key={fix.label}
                type="button"
                class="link"
                disabled={model.isWaiting}
                onClick={() => {
                  // A fix of an earlier query would take back what was changed since.
                  if (model.isWaiting) return;
                  model.type(fix.query, 0);
                  leave();
                }}
              >
                {fix.label}
              </button>
            ))}
            {needsTrust && (
              <button type="button" class="link" onClick={() => void model.send('go', { to: 'trust' })}>
                {l10n.t('Manage Workspace Trust')}
              </button>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** How many files are shown, and what may be missing. */
function Notices({ model }: { readonly model: SearchModel }): JSX.Element {
  const { reply, files, state, error } = model;
  const { text } = state.index;
  // The index is that of the workspace.
  const kind = state.scope === 'team' ? 'ready' : state.index.kind;
  return (
    <>
      {error !== '' && (
        <Notice icon="icon-error">
          {l10n.t('The search failed: {0}', error)}{' '}
          {model.needsToken && (
            <button type="button" class="link" onClick={() => void model.replaceToken()}>
              {l10n.t('Enter Another Token')}
            </button>
          )}{' '}
          <button type="button" class="link" onClick={() => model.type(model.query, 0)}>
            {l10n.t('Try Again')}
          </button>
        </Notice>
      )}
      {(kind === 'partial' || kind === 'paused') && (
        <Notice icon={kind === 'paused' ? 'icon-pause' : 'icon-info'}>
          {l10n.t('Results are partial: {0}', text)}{' '}
          {kind === 'paused' && (
            <button type="button" class="link" onClick={() => void model.send('go', { to: 'resume' })}>
              {l10n.t('Resume')}
            </button>
          )}
        </Notice>
      )}
      {kind === 'failed' && (
        <Notice icon="icon-warning">
          {l10n.t('Results are partial: {0}', text)}{' '}
          <button type="button" class="link" onClick={() => void model.send('go', { to: 'indexStatus' })}>
            {l10n.t('Show Index Status')}
          </button>
        </Notice>
      )}
      {reply && reply.notice !== '' && <Notice icon="icon-info">{reply.notice}</Notice>}
      {state.except !== '' && <Notice icon="icon-info">{state.except}</Notice>}
      {reply?.isUnfinished && (
        <Notice icon="icon-info">
          {l10n.t('A part of the files was searched for the phrase.')}{' '}
          <button type="button" class="link" onClick={() => model.searchAll()}>
            {l10n.t('Search the remaining files')}
          </button>
        </Notice>
      )}
      {files.length > 0 && <p class="found">{found(model)}</p>}
    </>
  );
}

/** The number of files, as far as it is known. */
function found({ files, reply, count, error }: SearchModel): string {
  if (error !== '') return '';
  const shown = numbers.format(files.length);
  if (files.length === 0) return l10n.t('No results');
  if (reply?.isBeginning) return l10n.t('Searching…');
  if (!reply?.hasMore) return files.length === 1 ? l10n.t('1 file') : l10n.t('{0} files', shown);
  if (!count || count.files <= files.length) return l10n.t('The best {0} files', shown);
  const all = numbers.format(count.files);
  return count.isLeast
    ? l10n.t('{0} of more than {1} files', shown, all)
    : l10n.t('{0} of about {1} files', shown, all);
}

/** Shown in place of results. */
function Nothing({ model }: { readonly model: SearchModel }): JSX.Element | null {
  const { reply, isSearching, error, state } = model;
  if (error !== '' || (!reply && !isSearching)) return null;
  if (isSearching) return <p class="nothing">{l10n.t('Searching…')}</p>;
  const isTeam = state.scope === 'team';
  const advice = isTeam
    ? l10n.t('No repository that you may read has it. Try fewer or other words.')
    : state.index.kind === 'ready'
      ? l10n.t('Try fewer or other words. To see why a file is missing, right-click it in the explorer.')
      : l10n.t('The index is not complete yet.');
  return (
    <div class="nothing">
      <p>
        <b>{l10n.t('No results')}</b>
      </p>
      <p>{advice}</p>
      {!isTeam && (
        <button type="button" class="link" onClick={() => void model.send('go', { to: 'ask' })}>
          {l10n.t('Ask about it instead')}
        </button>
      )}
    </div>
  );
}
