import {
  provideVSCodeDesignSystem,
  vsCodeButton,
  vsCodeProgressRing,
  vsCodeTextArea,
} from '@vscode/webview-ui-toolkit';
import { h, type ComponentChildren, type JSX } from 'preact';

/* Controls that look and behave like the editor's own. The toolkit behind them is archived: only this file uses it, so
   that a replacement changes nothing else. Text, lists and tables are plain HTML instead. */

provideVSCodeDesignSystem().register(vsCodeButton(), vsCodeProgressRing(), vsCodeTextArea());

export interface ButtonProps {
  readonly children: ComponentChildren;
  readonly onClick: () => void;
  readonly appearance?: 'primary' | 'secondary';
  readonly disabled?: boolean;
  /** A class of `icons.css`. */
  readonly icon?: string;
}

export function Button({
  children,
  onClick,
  appearance = 'primary',
  disabled = false,
  icon,
}: ButtonProps): JSX.Element {
  const start = icon === undefined ? undefined : h('span', { slot: 'start', class: `icon ${icon}` });
  return h('vscode-button', { appearance, disabled, onClick }, start, children);
}

export interface IconButtonProps {
  /** Text for screen readers, and the tooltip. */
  readonly label: string;
  readonly icon: string;
  readonly onClick: () => void;
}

export function IconButton({ label, icon, onClick }: IconButtonProps): JSX.Element {
  const properties = { appearance: 'icon', 'aria-label': label, title: label, onClick };
  return h('vscode-button', properties, h('span', { class: `icon ${icon}` }));
}

/** A visual indicator; screen readers get words instead. */
export function ProgressRing(): JSX.Element {
  return h('vscode-progress-ring', { 'aria-hidden': 'true' });
}

export interface TextAreaProps {
  readonly label: string;
  readonly value: string;
  readonly rows: number;
  readonly maxLength: number;
  readonly placeholder: string;
  readonly onInput: (value: string) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  /** Receives the control once it exists, to focus it. */
  readonly control: (element: HTMLElement | null) => void;
}

export function TextArea({ label, maxLength, onInput, control, ...rest }: TextAreaProps): JSX.Element {
  return h(
    'vscode-text-area',
    {
      ...rest,
      maxlength: maxLength,
      ref: control,
      onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
        onInput(currentTarget.value),
    },
    label,
  );
}
