import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';

/** Explains a figure: a dot with a text for the pointer, the keys and a screen reader. */
export function About({ label, text }: { readonly label: string; readonly text: string }): JSX.Element {
  const id = useId();
  return (
    <span class="about">
      <button type="button" aria-label={l10n.t('About {0}', label)} aria-describedby={id}>
        <span class="icon icon-info" />
      </button>
      <span id={id} role="tooltip" class="tip">
        {text}
      </span>
    </span>
  );
}
