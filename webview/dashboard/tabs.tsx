import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { TABS, type Tab } from '../../src/protocol/dashboardChoices.ts';
import { target } from '../charts/useMarks.ts';

export const panelId = 'panel';

export function tabId(tab: Tab): string {
  return `tab-${tab}`;
}

const names = (): Readonly<Record<Tab, string>> => ({
  overview: l10n.t('Overview'),
  people: l10n.t('People'),
  languages: l10n.t('Languages & Editors'),
  credits: l10n.t('Credits'),
  cost: l10n.t('Cost'),
  budgets: l10n.t('Budgets'),
});

interface TabsProps {
  readonly tab: Tab;
  readonly choose: (tab: Tab) => void;
}

/** One stop of the Tab key; arrows choose. */
export function Tabs({ tab, choose }: TabsProps): JSX.Element {
  const move = (event: KeyboardEvent): void => {
    const to = TABS[target(event.key, TABS.indexOf(tab), TABS.length, TABS.length) ?? -1];
    if (!to) return;
    event.preventDefault();
    choose(to);
    document.getElementById(tabId(to))?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={l10n.t('Pages')} onKeyDown={move}>
      {TABS.map((one) => (
        <button
          key={one}
          id={tabId(one)}
          type="button"
          role="tab"
          aria-selected={one === tab}
          aria-controls={panelId}
          tabIndex={one === tab ? 0 : -1}
          onClick={() => choose(one)}
        >
          {names()[one]}
        </button>
      ))}
    </div>
  );
}
