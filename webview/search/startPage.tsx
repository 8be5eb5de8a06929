import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import type { SearchModel } from './searchModel.ts';

interface StartPageProps {
  readonly model: SearchModel;
  readonly leave: () => void;
}

/** Shown without a query: kept and recent searches, or what can be typed. */
export function StartPage({ model, leave }: StartPageProps): JSX.Element {
  const { index, kept, recent } = model.state;
  if (index.kind === 'none') {
    return (
      <main class="start">
        <p>{l10n.t('Search code in plain words or by name. It is indexed on this machine; nothing leaves it.')}</p>
        <button type="button" class="primary" onClick={() => void model.send('go', { to: 'folder' })}>
          {l10n.t('Open Folder')}
        </button>
      </main>
    );
  }
  const choose = (query: string): void => {
    model.type(query, 0);
    leave();
  };
  const remove = (query: string, isKept: boolean): void =>
    void (isKept ? model.send('keep', { query, isKept: false }) : model.send('forget', { query }));
  const list = (title: string, icon: string, queries: readonly string[], isKept: boolean): JSX.Element | null =>
    queries.length === 0 ? null : (
      <>
        <h2>{title}</h2>
        <ul>
          {queries.map((query) => (
            <li key={query}>
              <button
                type="button"
                class="entry"
                onClick={() => choose(query)}
                onKeyDown={(event) => event.key === 'Delete' && remove(query, isKept)}
              >
                <span class={`icon ${icon}`} />
                <span class="label">{query}</span>
              </button>
              <button
                type="button"
                class="tool"
                tabIndex={-1}
                aria-label={l10n.t('Remove {0}', query)}
                title={l10n.t('Remove')}
                onClick={() => remove(query, isKept)}
              >
                <span class="icon icon-close" />
              </button>
            </li>
          ))}
        </ul>
      </>
    );
  const examples: readonly (readonly [string, string])[] = [
    [l10n.t('where are errors handled'), l10n.t('plain words')],
    ['retryDelay', l10n.t('a name or a part of it')],
    ['"not found"', l10n.t('exactly this')],
    ['parse lang:ts -test', l10n.t('filters, and - to leave out')],
  ];
  return (
    <main class="start" onKeyDown={(event) => moveByArrows(event, leave)}>
      {list(l10n.t('Kept Searches'), 'icon-pinned', kept, true)}
      {list(l10n.t('Recent Searches'), 'icon-history', recent, false)}
      <h2>{l10n.t('What you can type')}</h2>
      <ul>
        {examples.map(([query, about]) => (
          <li key={query}>
            <button type="button" class="entry" onClick={() => choose(query)}>
              <span class="icon icon-search" />
              <span class="label">{query}</span>
              <span class="detail">{about}</span>
            </button>
          </li>
        ))}
      </ul>
    </main>
  );
}

/** Moves the focus through the entries of a list; above the first one is the box. */
export function moveByArrows(event: KeyboardEvent, leave: () => void): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const all = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('.entry')];
  const next = all.indexOf(document.activeElement as HTMLElement) + step;
  if (next < 0) leave();
  else all[Math.min(next, all.length - 1)]?.focus();
}
