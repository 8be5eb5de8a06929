import * as vscode from 'vscode';
import { NO_LIMIT, problemOfLimit, type Limit } from '../../analytics/budgets/limit.ts';
import { describeGroup, setGroupLimit } from '../../analytics/groups/groupLimits.ts';
import { ORGANIZATION, type LimitedGroup } from '../../analytics/insights/budgets.ts';
import type { Groups } from '../../analytics/groups/groups.ts';
import { spreadLimit, type Spread } from '../../analytics/groups/spread.ts';
import type { ReportStore } from '../../analytics/reports/reportStore.ts';
import { printable } from '../../base/columns.ts';
import type { AccountNames } from '../analytics/accountNames.ts';
import { groupLimitsFile } from '../analytics/analyticsConnection.ts';
import type { BudgetEditor } from '../analytics/budgetEditor.ts';
import { literal } from '../pickText.ts';
import { groupChoices } from './groupFilter.ts';

/* Dialogs for the limits of groups. Only Sextant knows these limits; spread, they become limits of accounts. */

interface PickedGroup extends vscode.QuickPickItem {
  readonly of: LimitedGroup;
  readonly limit: Limit;
}

/** Asks for a group and its limit, and keeps it in the file of limits. An empty limit clears it. */
export async function askGroupLimit(reports: ReportStore, names: AccountNames): Promise<void> {
  const picked = await pickGroup(vscode.l10n.t('Limit of a Group'), reports, names);
  if (!picked) return;
  const limit = await askLimit(picked, (text) => (text === NO_LIMIT ? undefined : problemOfLimit(text)));
  if (limit === undefined) return;
  const file = await groupLimitsFile();
  if (file === undefined) {
    void vscode.window.showErrorMessage(vscode.l10n.t('Open a folder, which the file of limits is in.'));
    return;
  }
  await setGroupLimit(file, picked.of, limit === NO_LIMIT ? undefined : limit);
  await reports.reloadGroups();
}

/** Asks for a group, a limit and a way to divide it, and previews the limits of its members as one change. */
export async function askSpread(reports: ReportStore, names: AccountNames, editor: BudgetEditor): Promise<void> {
  const picked = await pickGroup(vscode.l10n.t('Spread a Limit'), reports, names);
  const limit = picked && (await askLimit(picked, problemOfLimit));
  if (!picked || limit === undefined) return;
  const ways: readonly (vscode.QuickPickItem & { readonly by: Spread })[] = [
    { by: 'equal', label: vscode.l10n.t('Equal parts') },
    { by: 'use', label: vscode.l10n.t('As the members spent in the last six weeks') },
  ];
  const way = await vscode.window.showQuickPick(ways, {
    title: vscode.l10n.t('Spread {0} over {1}', limit, picked.label),
  });
  if (!way) return;
  const groups = groupsOf(reports);
  const spread = { of: picked.of, limit: BigInt(limit), by: way.by };
  void editor.preview({
    kind: 'spread',
    name: picked.label,
    wanted: (signal) => spreadLimit(reports.data, groups, spread, { signal }),
  });
}

async function pickGroup(title: string, reports: ReportStore, names: AccountNames): Promise<PickedGroup | undefined> {
  const known = new Map((await reports.groupLimits()).map(({ of, limit }) => [describeGroup(of), limit]));
  const item = (of: LimitedGroup, name: string, column: string): PickedGroup => {
    const limit = known.get(describeGroup(of)) ?? NO_LIMIT;
    const said = limit === NO_LIMIT ? '' : vscode.l10n.t('limit {0}', limit);
    const description = [column, said].filter((part) => part !== '').join(' · ');
    return { of, limit, label: literal(printable(name)), description };
  };
  const items = [
    item(ORGANIZATION, vscode.l10n.t('Organization'), ''),
    ...groupChoices(groupsOf(reports), names).map(({ of, name, column }) => item(of, name, column)),
  ];
  return vscode.window.showQuickPick(items, { title, matchOnDescription: true });
}

async function askLimit(
  { label, limit }: PickedGroup,
  problemOf: (text: string) => string | undefined,
): Promise<string | undefined> {
  const text = await vscode.window.showInputBox({
    title: label,
    value: limit,
    prompt: vscode.l10n.t('Limit of a month, in credits or dollars as the plan'),
    ignoreFocusOut: true,
    validateInput: (typed) => problemOf(typed.trim()),
  });
  return text?.trim();
}

function groupsOf(reports: ReportStore): Groups | undefined {
  return reports.report('mapping')?.groups;
}
