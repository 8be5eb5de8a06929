import type { ComponentChildren, JSX } from 'preact';

/* Parts of several pages. Styles of the buttons, which the search view and the page of events have, are in controls.css. */

interface ToolButtonProps {
  /** Text for screen readers, and the tooltip. */
  readonly label: string;
  readonly icon: string;
  readonly onClick: () => void;
  /** Missing for an action. */
  readonly isPressed?: boolean;
  /** A further class. */
  readonly name?: string;
}

/** A button with an icon, for the box and for heads. */
export function ToolButton({ label, icon, onClick, isPressed, name = '' }: ToolButtonProps): JSX.Element {
  return (
    <button
      type="button"
      class={`tool ${name}`}
      aria-pressed={isPressed}
      aria-label={label}
      title={label}
      {...{ onClick }}
    >
      <span class={`icon ${icon}`} />
    </button>
  );
}

interface MenuChipProps {
  readonly name: string;
  /** Empty if the filter is off. */
  readonly value: string;
  readonly isOpen: boolean;
  readonly onClick: (button: HTMLButtonElement) => void;
}

/** A filter that opens a menu of its values. */
export function MenuChip({ name, value, isOpen, onClick }: MenuChipProps): JSX.Element {
  return (
    <button
      type="button"
      class={value === '' ? 'chip' : 'chip on'}
      aria-haspopup="menu"
      aria-expanded={isOpen}
      aria-label={value === '' ? name : `${name}: ${value}`}
      // The press would close the open menu, and the click open it again.
      onMouseDown={(event) => isOpen && event.preventDefault()}
      onClick={({ currentTarget }) => onClick(currentTarget)}
    >
      <span class="value">{value === '' ? name : value}</span>
      <span class="icon icon-down" />
    </button>
  );
}

interface NoticeProps {
  readonly icon: 'icon-error' | 'icon-info' | 'icon-pause' | 'icon-warning';
  /** For what comes seldom: a screen reader reads each change. That of an error is `alert`. */
  readonly role?: 'status';
  readonly children: ComponentChildren;
}

/** What the user should know of the page's state. */
export function Notice({ icon, role, children }: NoticeProps): JSX.Element {
  return (
    <p class="notice" role={icon === 'icon-error' ? 'alert' : role}>
      <span class={`icon ${icon}`} /> <span>{children}</span>
    </p>
  );
}
