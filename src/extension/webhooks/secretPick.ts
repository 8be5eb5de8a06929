import * as vscode from 'vscode';
import type { NewWebhookView } from '../../server/webhooks/views.ts';

interface Copyable extends vscode.QuickPickItem {
  readonly text: string;
}

/**
 * Shows the URL and the secret of a webhook once, in a list from which Enter or a button copies them. The list stays until it
 * is closed. Documents and messages would keep the secret.
 */
export function showSecret({ name, url, secret, type }: NewWebhookView): void {
  const pick = vscode.window.createQuickPick<Copyable>();
  const copyButton = { iconPath: new vscode.ThemeIcon('copy'), tooltip: vscode.l10n.t('Copy') };
  const row = (icon: string, label: string, text: string, detail: string): Copyable => ({
    ...{ label, text, detail, iconPath: new vscode.ThemeIcon(icon), buttons: [copyButton], alwaysShow: true },
  });
  const curl = `curl -H 'Authorization: Bearer ${secret}' -H 'Content-Type: application/json' -d '{"hello": "world"}' ${url}`;
  const title = vscode.l10n.t('{0}: URL and Secret', name);
  pick.title = title;
  pick.placeholder = vscode.l10n.t('Enter copies. The secret will not be shown again.');
  pick.ignoreFocusOut = true;
  pick.items = [
    row('key', vscode.l10n.t('Secret'), secret, secret),
    row('link', vscode.l10n.t('URL'), url, url),
    // A request with a signature cannot be written by hand.
    ...(type === 'bearer_token' ? [row('terminal', vscode.l10n.t('curl command'), curl, curl)] : []),
  ];
  const copy = async ({ label, text }: Copyable): Promise<void> => {
    await vscode.env.clipboard.writeText(text);
    pick.title = `${title} – ${vscode.l10n.t('{0} was copied', label)}`;
  };
  pick.onDidAccept(() => {
    const [active] = pick.activeItems;
    if (active) void copy(active);
  });
  pick.onDidTriggerItemButton(({ item }) => void copy(item));
  pick.onDidHide(() => pick.dispose());
  pick.show();
}
