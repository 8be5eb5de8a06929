import * as l10n from '@vscode/l10n';
import { identityKey, identityOf, type Identity } from '../../analytics/identity.ts';
import { ORGANIZATION } from '../../analytics/insights/budgets.ts';
import { ATTENTION_REPORTS } from '../../analytics/reports/attention.ts';
import type { ReportName, ReportStore } from '../../analytics/reports/reportStore.ts';
import type { Choices, DashboardState } from '../../protocol/dashboardView.ts';
import { budgetsContent } from './budgetsContent.ts';
import { none, type Content, type ViewOptions } from './content.ts';
import { languagesContent } from './languagesContent.ts';
import { overviewContent } from './overviewContent.ts';
import { peopleContent, personContent } from './peopleContent.ts';
import { chosenPart } from './parts.ts';
import { costContent, creditsContent } from './spendingContent.ts';
import { groupAttentionIn } from '../../analytics/groups/attentionByGroup.ts';
import { chosenColumn, teamsContent } from './teamsContent.ts';

export const EMPTY: Content = { tiles: [], figures: [], table: none, empty: null };

/** The reports of a tab, or of a person's page. Without the first, the page is empty. */
export function reportsOf(choices: Choices, person: Identity | undefined): readonly [ReportName, ...ReportName[]] {
  const { tab, group } = choices;
  if (person) return ['person', 'people', 'budgets', 'cost'];
  switch (tab) {
    case 'overview':
      return ['usage', 'cost', 'people'];
    case 'people':
      return ['people', 'spending', 'usage'];
    case 'teams':
      return ['groups'];
    case 'languages':
      return ['languages', 'usage'];
    case 'credits':
    case 'cost':
      if (chosenPart(choices) !== '') return ['part', 'cost'];
      if (group === 'group') return ['cost', 'groupDays'];
      return group === 'user' ? ['cost', 'spending'] : group === 'expert' ? ['cost', 'experts'] : ['cost'];
    case 'budgets':
      return ['budgets', 'limits'];
  }
}

/** Reports of a tab that its content does not wait for. All name the groups that a page can be limited to. */
export function reportsBesides({ tab }: Choices): readonly ReportName[] {
  switch (tab) {
    case 'overview':
      return [...ATTENTION_REPORTS, 'mapping'];
    case 'credits':
    case 'cost':
      return ['experts', 'mapping', 'groupBudgets'];
    case 'people':
      return ['presence', 'mapping'];
    case 'languages':
      return ['mapping'];
    case 'teams':
      return ['mapping', ...ATTENTION_REPORTS];
    case 'budgets':
      return ['mapping', 'groupBudgets'];
  }
}

/** The content of a tab from the reports that are loaded. */
export function contentOf(store: ReportStore, options: ViewOptions): Content {
  const [usage, cost, people] = [store.report('usage'), store.report('cost'), store.report('people')];
  const spending = store.report('spending');
  const { tab } = options.choices;
  switch (tab) {
    case 'overview':
      return usage || cost
        ? overviewContent({ usage, cost, people, arePeopleComing: store.state('people').isLoading }, options)
        : EMPTY;
    case 'people':
      return people ? peopleContent({ people, spending, presence: store.report('presence') }, options) : EMPTY;
    case 'teams': {
      const groups = store.report('groups');
      if (!groups) return EMPTY;
      const { column } = chosenColumn(groups.columns, options.choices) ?? {};
      const attention = column !== undefined && store.data === store.data.whole ? groupAttentionIn(store, column) : [];
      return teamsContent(groups, { budgets: store.report('groupBudgets'), attention }, options);
    }
    case 'languages': {
      const report = store.report('languages');
      return report ? languagesContent(report, options) : EMPTY;
    }
    case 'credits':
    case 'cost': {
      const isAll = chosenPart(options.choices) === '';
      const part = isAll ? cost : store.report('part');
      if (!part) return EMPTY;
      const reports = {
        ...{ cost: part, spending, experts: store.report('experts'), groupDays: store.report('groupDays') },
        limit: isAll ? shownLimit(store) : undefined,
      };
      return tab === 'credits' ? creditsContent(reports, options) : costContent(reports, options);
    }
    case 'budgets': {
      const budgets = store.report('budgets');
      const limits = store.report('limits');
      return budgets
        ? budgetsContent(
            {
              budgets,
              spending: limits && 'points' in limits ? limits : undefined,
              groups: store.groupBudgets,
            },
            options,
          )
        : EMPTY;
    }
  }
}

/** The limit of the shown group, or of the organization. */
function shownLimit({ groupBudgets, data }: ReportStore): bigint | undefined {
  return groupBudgets?.statuses.find(({ of }) => of === ORGANIZATION || data !== data.whole)?.limit;
}

/** The content of a person's page. */
export function contentOfPerson(store: ReportStore, identity: Identity): Content {
  const key = identityKey(identity);
  const budgets = store.report('budgets');
  const status = budgets?.statuses.find((one) => one.key === key);
  return personContent({
    identity,
    activity: store.report('people')?.people.find((row) => identityKey(identityOf(row)) === key),
    lastActive: store.report('presence')?.presence?.people.find((one) => one.key === key)?.lastActive,
    languages: store.report('languages')?.languagesOf(key) ?? [],
    spending: store.report('person'),
    status,
    limitUnit: status && budgets?.unit,
  });
}

export function tabTitle(tab: Choices['tab']): string {
  return {
    overview: l10n.t('Overview'),
    people: l10n.t('People'),
    teams: l10n.t('Teams'),
    languages: l10n.t('Languages & Editors'),
    credits: l10n.t('Credits'),
    cost: l10n.t('Cost'),
    budgets: l10n.t('Budgets'),
  }[tab];
}

/** The controls of a tab: those without an effect on it are left out. */
export function controlsOf(
  store: ReportStore | undefined,
  { tab }: Choices,
  person: Identity | undefined,
): DashboardState['controls'] {
  if (person) return { days: true, compare: false, filter: false };
  if (tab === 'teams' && store?.report('groups')?.columns.length === 0)
    return { days: false, compare: false, filter: false };
  const isBilled = store?.report('cost')?.unit !== 'credits';
  return {
    days: tab !== 'budgets',
    compare: tab === 'overview' || tab === 'teams' || tab === 'credits' || (tab === 'cost' && isBilled),
    filter: tab !== 'overview',
  };
}
