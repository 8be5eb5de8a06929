import * as l10n from '@vscode/l10n';
import type { AttentionItem } from '../../analytics/insights/attention.ts';
import type { Attention } from '../../analytics/reports/attention.ts';
import { accountOf, allIsWell, describeAttention, tabOfAttention } from '../../analytics/reports/attentionTexts.ts';
import type { AttentionList, Tone } from '../../protocol/dashboardView.ts';
import type { AccountNames } from '../analytics/accountNames.ts';

/** The list at the top of the first tab. */
export function attentionList({ items, unit, lookedAt, isLoading }: Attention, names: AccountNames): AttentionList {
  const isWell = items.length === 0 && !isLoading && lookedAt !== '';
  return {
    rows: items.map((item) => {
      const identity = accountOf(item);
      return {
        text: describeAttention(item, unit, (key, name) => names.ofKey(key, name)),
        tone: toneOf(item),
        tab: tabOfAttention(item, unit),
        person: identity ? names.id(identity) : null,
      };
    }),
    note: [isWell ? allIsWell() : '', isLoading ? l10n.t('Still looking …') : '', lookedAt]
      .filter((part) => part !== '')
      .join(' '),
    isLoading,
  };
}

function toneOf({ kind }: AttentionItem): Tone {
  switch (kind) {
    case 'data':
    case 'over':
    case 'moreOver':
      return 'bad';
    case 'unusual':
    case 'unknown':
    case 'near':
    case 'projected':
    case 'moreNear':
      return 'warning';
    case 'stopped':
    case 'never':
      return 'plain';
  }
}
