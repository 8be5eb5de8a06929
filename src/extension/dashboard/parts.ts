import * as l10n from '@vscode/l10n';
import type { CostFilter } from '../../analytics/client/analyticsData.ts';
import { costBy } from '../../analytics/insights/amounts.ts';
import type { ReportStore } from '../../analytics/reports/reportStore.ts';
import type { Choices } from '../../protocol/dashboardView.ts';

/* A part of the spending that the pages of spending can be limited to: a product or an expert. */

interface Part {
  /** `product:Chat`, `expert:` with its id. */
  readonly id: string;
  readonly name: string;
}

const PRODUCT = 'product:';
const EXPERT = 'expert:';

/** The chosen part of a tab; empty for all. */
export function chosenPart({ tab, part = '' }: Choices): string {
  return tab === 'credits' || tab === 'cost' ? part : '';
}

/** The choices as they have an effect: the accounts and experts of a part are not loaded. */
export function withinPart(choices: Choices): Choices {
  const { group } = choices;
  return chosenPart(choices) !== '' && (group === 'user' || group === 'expert' || group === 'group')
    ? { ...choices, group: 'resource' }
    : choices;
}

export function filterOfPart(part: string): CostFilter | undefined {
  if (part.startsWith(PRODUCT)) return { products: [part.slice(PRODUCT.length)] };
  return part.startsWith(EXPERT) ? { experts: [part.slice(EXPERT.length)] } : undefined;
}

/** The possible parts with `chosen`, which may have had no spending on these days. */
export function partsOf(store: ReportStore, chosen: string): Part[] {
  const products = (store.report('cost')?.byProduct ?? []).map(({ name }) => productPart(name));
  const experts = costBy(store.report('experts')?.points ?? [], 'expert', 'estimated_customer_cost_usd')
    .filter(({ key }) => key !== NO_EXPERT)
    .map(({ key, name }) => ({ id: `${EXPERT}${key}`, name: l10n.t('Expert {0}', name) }));
  const parts = [...products, ...experts];
  const isListed = chosen === '' || parts.some(({ id }) => id === chosen);
  const bare = chosen.slice(chosen.indexOf(':') + 1);
  const other = chosen.startsWith(EXPERT) ? { id: chosen, name: l10n.t('Expert {0}', bare) } : productPart(bare);
  return isListed ? parts : [...parts, other];
}

/** The key of spending without an expert. */
const NO_EXPERT = '\0';

function productPart(name: string): Part {
  return { id: `${PRODUCT}${name}`, name: l10n.t('Product {0}', name) };
}
