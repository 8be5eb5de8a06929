import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { IndexLine, SearchTarget } from '../../src/protocol/searchView.ts';
import { Popup } from '../popup.tsx';
import type { SearchModel } from './searchModel.ts';

const ICONS: Readonly<Record<IndexLine['kind'], string>> = {
  none: 'icon-info',
  ready: 'icon-check',
  partial: 'icon-sync',
  paused: 'icon-pause',
  failed: 'icon-warning',
};

/** The state of the index in one line, and a menu of what can be done with it. */
export function IndexStatus({ model }: { readonly model: SearchModel }): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const { kind, text } = model.state.index;
  if (kind === 'none') return null;
  const actions: readonly (readonly [SearchTarget, string])[] = [
    kind === 'paused' ? ['resume', l10n.t('Resume Indexing')] : ['pause', l10n.t('Pause Indexing')],
    ['update', l10n.t('Update Index')],
    ['indexStatus', l10n.t('Show Index Status')],
    ['log', l10n.t('Show Log')],
  ];
  const close = (): void => {
    setOpen(false);
    if (document.activeElement?.closest('.popup')) opener.current?.focus();
  };
  return (
    <footer>
      <button
        type="button"
        class="index"
        data-kind={kind}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        ref={opener}
        onMouseDown={(event) => isOpen && event.preventDefault()}
        onClick={() => setOpen(!isOpen)}
      >
        <span class={`icon ${ICONS[kind]}${kind === 'partial' ? ' spin' : ''}`} />
        <span class="label">{text}</span>
        <span class="icon icon-up" />
      </button>
      {isOpen && (
        <Popup
          label={l10n.t('Index')}
          items={actions.map(([id, label]) => ({ id, label }))}
          close={close}
          choose={(id) => {
            close();
            void model.send('go', { to: id as SearchTarget });
          }}
        />
      )}
    </footer>
  );
}
