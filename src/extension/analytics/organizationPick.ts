import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import type { AnalyticsAccount } from './analyticsAccount.ts';
import { row, type AnalyticsRow } from './analyticsRows.ts';
import { literal } from '../pickText.ts';

/** The organization that is shown in the status bar, where several are connected; a click switches. */
export class OrganizationItem implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem('sextant.organization', vscode.StatusBarAlignment.Right, 1.5);
  readonly #disposables = new DisposableStore();

  constructor() {
    this.#item.name = vscode.l10n.t('Sextant: Organization');
    this.#item.command = 'sextant.switchOrganization';
    this.#disposables.add(this.#item);
  }

  update({ organizations, name }: Pick<AnalyticsAccount, 'organizations' | 'name'>): void {
    if (organizations.length < 2) {
      this.#item.hide();
      return;
    }
    const shown = name ?? vscode.l10n.t('Sample data');
    this.#item.text = `$(organization) ${literal(shown)}`;
    this.#item.tooltip = vscode.l10n.t('Usage and cost of {0}. Click to switch.', shown);
    this.#item.accessibilityInformation = {
      label: vscode.l10n.t('Usage and cost of {0}. Switch organization.', shown),
      role: 'button',
    };
    this.#item.show();
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}

/** The connected organizations, each of which is shown by a click; none where there is only one. */
export function organizationRows({
  organizations,
  name,
}: Pick<AnalyticsAccount, 'organizations' | 'name'>): AnalyticsRow[] {
  if (organizations.length < 2) return [];
  const made = row(vscode.l10n.t('Organization'), name ?? vscode.l10n.t('Sample data'), 'organization');
  made.item.collapsibleState = vscode.TreeItemCollapsibleState.Expanded;
  const rows = organizations.map((one) => {
    const isShown = one.name === name;
    const other = row(one.name, isShown ? vscode.l10n.t('shown') : new URL(one.url).host, isShown ? 'check' : 'blank', {
      id: `organization ${one.name}`,
    });
    other.item.command = {
      command: 'sextant.switchOrganization',
      title: vscode.l10n.t('Switch Organization'),
      arguments: [one.name],
    };
    return other;
  });
  return [{ ...made, rows }];
}

/** Asks for a connected organization, or another one to connect; undefined if the user cancels. */
export async function pickOrganization({
  organizations,
  name,
}: Pick<AnalyticsAccount, 'organizations' | 'name'>): Promise<
  { readonly kind: 'show'; readonly name: string } | { readonly kind: 'connect' } | undefined
> {
  const items = organizations.map((one) => ({
    label: `${one.name === name ? '$(check)' : '$(blank)'} ${literal(one.name)}`,
    description: new URL(one.url).host,
    chosen: { kind: 'show' as const, name: one.name },
  }));
  const connect = { label: `$(plug) ${vscode.l10n.t('Connect Another…')}`, chosen: { kind: 'connect' as const } };
  const separator = { label: '', kind: vscode.QuickPickItemKind.Separator, chosen: undefined };
  const picked = await vscode.window.showQuickPick([...items, separator, connect], {
    title: vscode.l10n.t('Switch Organization'),
    placeHolder: vscode.l10n.t('Organization to show in all windows'),
  });
  return picked?.chosen;
}
