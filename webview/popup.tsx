import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface PopupItem {
  readonly id: string;
  readonly label: string;
  readonly detail?: string;
  /** Missing for an action. */
  readonly isOn?: boolean;
}

interface PopupProps {
  readonly label: string;
  /** `undefined` while they are fetched. */
  readonly items: readonly PopupItem[] | undefined;
  readonly choose: (id: string) => void;
  readonly close: () => void;
}

/** A menu over the page. It has the focus: arrow keys move, Enter chooses, Escape and leaving it close it. */
export function Popup({ label, items, choose, close }: PopupProps): JSX.Element {
  const menu = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    (menu.current?.querySelector<HTMLElement>('[aria-checked=true], button') ?? menu.current)?.focus();
  }, [items === undefined]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const all = [...(menu.current?.querySelectorAll('button') ?? [])];
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    const to: Readonly<Record<string, number>> = {
      ArrowDown: (at + 1) % all.length,
      ArrowUp: (at + all.length - 1) % all.length,
      Home: 0,
      End: all.length - 1,
    };
    const next = to[event.key];
    if (next !== undefined) all[next]?.focus();
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onFocusOut = ({ relatedTarget }: FocusEvent): void => {
    if (!menu.current?.contains(relatedTarget as Node | null)) close();
  };
  return (
    <div
      class="popup"
      role="menu"
      aria-label={label}
      aria-busy={items === undefined}
      tabIndex={-1}
      ref={menu}
      onKeyDown={onKeyDown}
      onFocusOut={onFocusOut}
    >
      {items?.map(({ id, label: text, detail, isOn }) => (
        <button
          key={id}
          type="button"
          role={isOn === undefined ? 'menuitem' : 'menuitemcheckbox'}
          aria-checked={isOn}
          tabIndex={-1}
          onClick={() => choose(id)}
        >
          {isOn !== undefined && <span class={`icon ${isOn ? 'icon-check' : ''}`} />}
          <span class="label">{text}</span>
          {detail !== undefined && detail !== '' && <span class="detail">{detail}</span>}
        </button>
      ))}
    </div>
  );
}
