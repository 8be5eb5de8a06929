import * as vscode from 'vscode';
import { NO_LIMIT, problemOfLimit } from '../../analytics/budgets/limit.ts';
import type { Plan } from '../../analytics/contract.ts';
import { identityNamed, type Identity } from '../../analytics/identity.ts';
import { printable } from '../../base/columns.ts';
import { firstOfNextMonth, formatDay, parseDay, type Day } from '../../base/day.ts';
import { literal } from '../pickText.ts';
import { withoutLinks } from './budgetAlerts.ts';

/* The questions of the budget commands. Each returns undefined if the user cancels. */

type Picked<T> = Promise<T | undefined>;

/** A known account. */
export interface KnownAccount {
  readonly identity: Identity;
  readonly detail: string;
}

interface Choice extends vscode.QuickPickItem {
  readonly identity: Identity;
}

/** Picks a known account; with `isOpen`, also a typed one, as not all accounts of an organization are known. */
export function pickAccount(title: string, candidates: readonly KnownAccount[], isOpen: boolean): Picked<Identity> {
  const pick = vscode.window.createQuickPick<Choice>();
  const known = candidates.map(({ identity, detail }) => ({
    ...{ identity, label: literal(printable(identity.name)), description: detail },
    iconPath: new vscode.ThemeIcon(identity.kind === 'user_email' ? 'person' : 'server-process'),
  }));
  pick.title = title;
  pick.matchOnDescription = true;
  pick.placeholder = isOpen
    ? vscode.l10n.t('E-mail address or name of a service account')
    : vscode.l10n.t('Account with an override');
  pick.items = known;
  pick.onDidChangeValue((typed) => {
    const name = typed.trim();
    const isNew = isOpen && name !== '' && !candidates.some(({ identity }) => identity.name === name);
    const own = {
      label: literal(printable(name)),
      description: vscode.l10n.t('as typed'),
      identity: identityNamed(name),
    };
    pick.items = isNew ? [...known, { ...own, alwaysShow: true }] : known;
  });
  return new Promise((resolve) => {
    pick.onDidAccept(() => {
      const [chosen] = pick.selectedItems;
      if (!chosen) {
        reportUnmatched(pick.value.trim());
        return;
      }
      resolve(chosen.identity);
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}

/** Reports a name that no row matches. The list stays open, to correct it. */
function reportUnmatched(name: string): void {
  if (name === '') return;
  void vscode.window.showWarningMessage(
    vscode.l10n.t('No account with an override matches {0}. Choose one of the list.', withoutLinks(printable(name))),
  );
}

export async function askLimit(
  title: string,
  { name }: Identity,
  before: string | undefined,
  unit: Plan | undefined,
): Picked<string> {
  const limit = await vscode.window.showInputBox({
    title,
    value: before ?? '',
    prompt:
      unit === 'usd'
        ? vscode.l10n.t('Limit of {0}, in dollars a month', printable(name))
        : unit === 'credits'
          ? vscode.l10n.t('Limit of {0}, in credits a month', printable(name))
          : vscode.l10n.t("Limit of {0} a month, in the plan's unit", printable(name)),
    ignoreFocusOut: true,
    validateInput: (text) =>
      text.trim() === NO_LIMIT
        ? vscode.l10n.t('To remove a limit, use “Clear Override”.')
        : problemOfLimit(text.trim()),
  });
  return limit?.trim();
}

/** `YYYY-MM-DD` */
export function askDay(title: string, { name }: Identity, today: Day): Picked<string> {
  return Promise.resolve(
    vscode.window.showInputBox({
      title,
      value: formatDay(firstOfNextMonth(today)),
      prompt: vscode.l10n.t(
        'Day on which to end the limit of {0}. You are reminded; nothing is changed.',
        printable(name),
      ),
      ignoreFocusOut: true,
      validateInput: (text) =>
        parseDay(text) === undefined ? vscode.l10n.t('Type a day like {0}.', formatDay(today)) : undefined,
    }),
  );
}

export function askNote(title: string, { name }: Identity): Picked<string> {
  const prompt = vscode.l10n.t('Text of the reminder for {0} (optional)', printable(name));
  return Promise.resolve(vscode.window.showInputBox({ title, prompt, ignoreFocusOut: true }));
}

export type ImportFrom =
  | { readonly kind: 'file'; readonly file: vscode.Uri }
  | { readonly kind: 'document'; readonly document: vscode.TextDocument }
  | { readonly kind: 'paste' };

/** Picks the source of limits: a file, the open editor, or a new editor to paste into. */
export async function pickImport(): Picked<ImportFrom> {
  const document = vscode.window.activeTextEditor?.document;
  const isCsv = document && (document.isUntitled || /\.(csv|tsv|txt)$/i.test(document.uri.path));
  const choices: (vscode.QuickPickItem & { readonly from: ImportFrom['kind'] })[] = [
    { label: vscode.l10n.t('File…'), iconPath: new vscode.ThemeIcon('folder-opened'), from: 'file' },
    {
      label: vscode.l10n.t('New Editor for Pasted Rows'),
      iconPath: new vscode.ThemeIcon('new-file'),
      detail: vscode.l10n.t("The button in the editor's title previews the changes"),
      from: 'paste',
    },
    ...(isCsv
      ? [
          {
            label: vscode.l10n.t('Open Editor'),
            iconPath: new vscode.ThemeIcon('file'),
            description: document.uri.path.split('/').at(-1) ?? '',
            from: 'document' as const,
          },
        ]
      : []),
  ];
  const chosen = await vscode.window.showQuickPick(choices, { title: vscode.l10n.t('Import Budgets from CSV') });
  if (!chosen) return undefined;
  if (chosen.from === 'document' && document) return { kind: 'document', document };
  if (chosen.from !== 'file') return { kind: 'paste' };
  const [file] = (await vscode.window.showOpenDialog({ filters: { CSV: ['csv', 'tsv', 'txt'], '*': ['*'] } })) ?? [];
  return file && { kind: 'file', file };
}
