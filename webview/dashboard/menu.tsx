import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';

interface MenuProps {
  readonly label: string;
  readonly icon: string;
  readonly items: readonly { readonly name: string; readonly choose: () => void }[];
}

/** A menu that opens below a button; Escape and leaving it close it. */
export function Menu({ label, icon, items }: MenuProps): JSX.Element {
  const details = useRef<HTMLDetailsElement>(null);
  const close = (): void => {
    if (details.current) details.current.open = false;
  };
  const leave = ({ relatedTarget }: FocusEvent): void => {
    if (!details.current?.contains(relatedTarget as Node | null)) close();
  };
  const key = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    close();
    details.current?.querySelector('summary')?.focus();
  };
  return (
    <details class="menu" ref={details} onFocusOut={leave} onKeyDown={key}>
      <summary title={label} aria-label={label}>
        <span class={`icon ${icon}`} />
      </summary>
      <ul>
        {items.map(({ name, choose }) => (
          <li key={name}>
            <button
              type="button"
              onClick={() => {
                close();
                choose();
              }}
            >
              {name}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
