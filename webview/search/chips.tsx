import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { SearchScope } from '../../src/protocol/searchScope.ts';
import type { QueryPart, ShownParts } from '../../src/protocol/searchView.ts';
import { MenuChip } from '../controls.tsx';
import { Popup, type PopupItem } from '../popup.tsx';
import type { SearchModel } from './searchModel.ts';

const NO_PARTS: ShownParts = { languages: [], folders: [], kind: null, isChanged: false, isSymbol: false };

/** Chips that open a menu. */
type Menu = 'scope' | 'language' | 'folder' | 'kind';

interface ChipsProps {
  readonly model: SearchModel;
  /** Resolves to nothing after a failure, which the page shows. */
  readonly fetchChoices: (part: 'language' | 'folder') => Promise<readonly PopupItem[] | undefined>;
  /** Moves the focus to the box. */
  readonly leave: () => void;
}

/** Filters as buttons. Each writes its filter into the query, and shows one that was typed. */
export function Chips({ model, fetchChoices, leave }: ChipsProps): JSX.Element {
  const [open, setOpen] = useState<Menu | undefined>();
  const [items, setItems] = useState<readonly PopupItem[] | undefined>();
  const opener = useRef<HTMLButtonElement | null>(null);
  /** The last request for items, whose answer the menu awaits. */
  const fetching = useRef<Promise<unknown> | undefined>(undefined);
  const { languages, folders, kind, isChanged, isSymbol } = model.reply?.parts ?? NO_PARTS;
  const { scope, hasTeam } = model.state;
  const isTeam = scope === 'team';
  const scopes = { workspace: l10n.t('This Workspace'), team: l10n.t('Team Code') };
  const kinds = { source: l10n.t('Source'), tests: l10n.t('Tests'), docs: l10n.t('Documents') };
  const close = (): void => {
    if (open === undefined) return;
    fetching.current = undefined;
    setOpen(undefined);
    // The menu closes when it loses the focus; otherwise the focus goes back.
    if (document.activeElement?.closest('.popup')) opener.current?.focus();
  };
  const show = (part: Menu, button: HTMLButtonElement): void => {
    opener.current = button;
    fetching.current = undefined;
    if (open === part) {
      close();
      return;
    }
    setOpen(part);
    if (part === 'scope') {
      setItems(Object.entries(scopes).map(([id, label]) => ({ id, label, isOn: id === scope })));
      return;
    }
    if (part === 'kind') {
      setItems(Object.entries(kinds).map(([id, label]) => ({ id, label, isOn: id === kind })));
      return;
    }
    setItems(undefined);
    const choices = fetchChoices(part);
    fetching.current = choices;
    void choices.then((found) => {
      // The answer for another menu is late.
      if (fetching.current !== choices) return;
      if (found) setItems(found);
      else leave();
    });
  };
  const change = (part: QueryPart, value: string): void => {
    setOpen(undefined);
    leave();
    void model.change(part, value);
  };
  const searchIn = (to: SearchScope): void => {
    setOpen(undefined);
    leave();
    void model.searchIn(to);
  };
  const chip = (part: Menu, name: string, value: string): JSX.Element => (
    <MenuChip {...{ name, value }} isOpen={open === part} onClick={(button) => show(part, button)} />
  );
  const toggle = (part: 'changed' | 'symbol', name: string, about: string, isOn: boolean): JSX.Element => (
    <button
      type="button"
      class={isOn ? 'chip on' : 'chip'}
      aria-pressed={isOn}
      title={about}
      onClick={() => void model.change(part)}
    >
      {name}
    </button>
  );
  const names = {
    scope: l10n.t('Search in'),
    language: l10n.t('Language'),
    folder: l10n.t('Folder'),
    kind: l10n.t('Kind'),
  };
  return (
    <div class="chips" role="group" aria-label={l10n.t('Filters')}>
      {hasTeam && (isTeam ? chip('scope', names.scope, scopes.team) : chip('scope', scopes.workspace, ''))}
      {chip('language', names.language, languages.join(', '))}
      {!isTeam && chip('folder', names.folder, folders.join(', '))}
      {chip('kind', names.kind, kind === null ? '' : kinds[kind])}
      {!isTeam && toggle('changed', l10n.t('Changed'), l10n.t('Only files with uncommitted changes'), isChanged)}
      {toggle('symbol', l10n.t('Symbol'), l10n.t('Only definitions with such a name'), isSymbol)}
      {open !== undefined && (
        <Popup
          label={names[open]}
          items={items}
          close={close}
          choose={(id) =>
            open === 'scope'
              ? searchIn(id === 'team' ? 'team' : 'workspace')
              : change(open, open === 'kind' && id === kind ? '' : id)
          }
        />
      )}
    </div>
  );
}
