import * as vscode from 'vscode';
import type { NewWebhookView } from '../../server/webhooks/views.ts';

interface Copyable extends vscode.QuickPickItem {
  readonly text: string;
}

/** Shows the URL and the secret of a webhook once. */
export function showSecret({ name, url, secret, type }: NewWebhookView): void {
  const curl = `curl -H 'Authorization: Bearer ${secret}' -H 'Content-Type: application/json' -d '{"hello": "world"}' ${url}`;
  showOnce(vscode.l10n.t('{0}: URL and Secret', name), [
    row('key', vscode.l10n.t('Secret'), secret),
    row('link', vscode.l10n.t('URL'), url),
    // A request with a signature cannot be written by hand.
    ...(type === 'bearer_token' ? [row('terminal', vscode.l10n.t('curl command'), curl)] : []),
  ]);
}

/** Shows the new key by which a forward signs, once. */
export function showKey(name: string, secret: string): void {
  showOnce(vscode.l10n.t('{0}: Key', name), [row('key', vscode.l10n.t('Key that signs'), secret)]);
}

function row(icon: string, label: string, text: string): Copyable {
  const copyButton = { iconPath: new vscode.ThemeIcon('copy'), tooltip: vscode.l10n.t('Copy') };
  const iconPath = new vscode.ThemeIcon(icon);
  return { label, text, detail: text, iconPath, buttons: [copyButton], alwaysShow: true };
}

/**
 * Shows a list from which Enter or a button copies. The list stays until it is closed. Documents and messages would keep the secret.
 */
function showOnce(title: string, rows: readonly Copyable[]): void {
  const pick = vscode.window.createQuickPick<Copyable>();
  pick.title = title;
  pick.placeholder = vscode.l10n.t('Enter copies. The secret will not be shown again.');
  pick.ignoreFocusOut = true;
  pick.items = rows;
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
