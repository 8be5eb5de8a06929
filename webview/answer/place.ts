import type { ShownPassage } from '../../src/protocol/answerView.ts';

/** `src/orders/retryPolicy.ts:6-14` */
export function formatPlace({ path, startLine, endLine }: ShownPassage): string {
  return `${path}:${startLine === endLine ? startLine : `${startLine}-${endLine}`}`;
}
