import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import type { Tab } from '../../src/protocol/dashboardChoices.ts';
import type { DashboardState } from '../../src/protocol/dashboardView.ts';
import { target } from '../charts/useMarks.ts';

export const panelId = 'panel';

export function tabId(tab: Tab): string {
  return `tab-${tab}`;
}

interface TabsProps {
  readonly tabs: DashboardState['tabs'];
  readonly tab: Tab;
  readonly choose: (tab: Tab) => void;
}

/** Tabs as one stop of the Tab key; arrows choose. */
export function Tabs({ tabs, tab, choose }: TabsProps): JSX.Element {
  const move = (event: KeyboardEvent): void => {
    const at = tabs.findIndex(({ id }) => id === tab);
    const to = tabs[target(event.key, at, tabs.length, tabs.length) ?? -1]?.id;
    if (!to) return;
    event.preventDefault();
    choose(to);
    document.getElementById(tabId(to))?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={l10n.t('Pages')} onKeyDown={move}>
      {tabs.map(({ id: one, name }) => (
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
          {name}
        </button>
      ))}
    </div>
  );
}
