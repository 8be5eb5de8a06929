import * as l10n from '@vscode/l10n';
import type { Exchange } from '../../src/protocol/answerView.ts';
import { parseAnswer, plainText } from './markdown.ts';

/** Text for a screen reader when the state of an answer changes. */
export function spokenState({ state, passages, markdown, provider }: Exchange): string {
  switch (state.kind) {
    case 'searching':
      return l10n.t('Looking for passages.');
    case 'writing':
      return l10n.t('{0} passages found. {1} is answering.', passages.length, provider.label);
    case 'done':
      return l10n.t('Answer: {0}', plainText(parseAnswer(markdown, () => true)));
    case 'stopped':
      return l10n.t('Stopped.');
    case 'interrupted':
      return '';
    case 'failed':
      return state.message;
  }
}
