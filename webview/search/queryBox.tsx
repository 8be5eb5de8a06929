import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { MAX_QUERY } from '../../src/protocol/limits.ts';
import type { ShownProblem } from '../../src/protocol/searchView.ts';
import { ToolButton } from '../controls.tsx';
import type { SearchModel } from './searchModel.ts';

interface QueryBoxProps {
  readonly model: SearchModel;
  /** Receives the input once it exists, to focus it. */
  readonly control: (element: HTMLInputElement | null) => void;
  /** Moves the focus to the rows below. */
  readonly onDown: () => void;
}

/** The search box, with its problems underlined at their place. */
export function QueryBox({ model, control, onDown }: QueryBoxProps): JSX.Element {
  const { query, reply, state } = model;
  const input = useRef<HTMLInputElement | null>(null);
  const mirror = useRef<HTMLDivElement>(null);
  const follow = (): void => {
    if (mirror.current && input.current) mirror.current.scrollLeft = input.current.scrollLeft;
  };
  useLayoutEffect(follow);
  const onKeyDown = (event: KeyboardEvent): void => {
    // While an input method composes, its keys belong to it.
    if (event.isComposing) return;
    if (event.key === 'ArrowDown') onDown();
    else if (event.key === 'Enter') model.open(event.ctrlKey || event.metaKey);
    else if (event.key === 'Escape') void model.send('restore', undefined);
    else return;
    event.preventDefault();
  };
  const isKept = state.kept.includes(query.trim());
  const problems = reply?.problems ?? [];
  const keepLabel = isKept ? l10n.t('Remove from Kept Searches') : l10n.t('Keep This Search');
  return (
    <div class="box">
      <span class="icon icon-search" />
      <div class="field">
        <div class="mirror" aria-hidden="true" ref={mirror}>
          {underlined(query, problems)}
        </div>
        <input
          type="text"
          aria-label={l10n.t('Search code')}
          aria-describedby="problems"
          placeholder={l10n.t('Words, a name, "a phrase", lang:ts')}
          value={query}
          maxLength={MAX_QUERY}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          onInput={({ currentTarget }) => model.type(currentTarget.value)}
          onScroll={follow}
          onKeyDown={onKeyDown}
          ref={(element) => {
            input.current = element;
            control(element);
          }}
        />
      </div>
      {query.trim() !== '' && (
        <>
          <ToolButton
            label={keepLabel}
            icon={isKept ? 'icon-pinned' : 'icon-pin'}
            isPressed={isKept}
            onClick={() => void model.send('keep', { query: query.trim(), isKept: !isKept })}
          />
          <ToolButton
            label={l10n.t('Clear')}
            icon="icon-close"
            onClick={() => {
              model.type('', 0);
              input.current?.focus();
            }}
          />
        </>
      )}
    </div>
  );
}

/** The text in pieces, with those of problems underlined. The input above shows the text itself; here it is drawn by styles. */
function underlined(query: string, problems: readonly ShownProblem[]): JSX.Element[] {
  const pieces: JSX.Element[] = [];
  let at = 0;
  for (const { start, end } of problems) {
    if (start < at || end === start || end > query.length) continue;
    pieces.push(<span key={at} data-text={query.slice(at, start)} />);
    pieces.push(<u key={`${start}u`} data-text={query.slice(start, end)} />);
    at = end;
  }
  return pieces;
}
