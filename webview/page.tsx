import * as l10n from '@vscode/l10n';
import { render } from 'preact';

/** A function that schedules `draw` for the next frame, once for all calls until then. */
export function eachFrame(draw: () => void): () => void {
  let isComing = false;
  return () => {
    if (isComing) return;
    isComing = true;
    requestAnimationFrame(() => {
      isComing = false;
      draw();
    });
  };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Shows a failure in place of a page that could not start. */
export function showFailure(error: unknown): void {
  render(
    <p class="notice error" role="alert">
      {l10n.t('The view could not be opened: {0}', messageOf(error))}
    </p>,
    document.body,
  );
}
