import * as vscode from 'vscode';
import { describeError } from '../../base/errors.ts';
import type { FaultClient, Scenarios } from '../../server/admin/faultClient.ts';
import type { FaultRule } from '../../server/faults/faultRules.ts';
import type { FaultEntry } from '../../server/faults/faults.ts';

/** The faults that a server injects. */
export interface InjectedFaults {
  readonly scenario: string | undefined;
  readonly faults: readonly FaultEntry[];
}

export async function readInjectedFaults(client: FaultClient): Promise<InjectedFaults> {
  const [{ active }, faults] = await Promise.all([client.scenarios(), client.faults()]);
  return { scenario: active ?? undefined, faults };
}

/** The text of a new rule, for editing. */
const EXAMPLE: FaultRule = { path: '/analytics/*', every: 3, status: 500 };

/** Applies the scenario `name`, or one that a person picks; an empty name removes the scenario. */
export async function chooseScenario(client: FaultClient, name: string | undefined): Promise<void> {
  if (name !== undefined) {
    await (name === '' ? client.clearScenario() : client.applyScenario(name));
    return;
  }
  const chosen = await vscode.window.showQuickPick(scenarioItems(await client.scenarios()), {
    title: vscode.l10n.t('Local Server: Scenario'),
    placeHolder: vscode.l10n.t('Select the faults to inject'),
    matchOnDescription: true,
  });
  if (chosen) await (chosen.name === undefined ? client.clearScenario() : client.applyScenario(chosen.name));
}

function scenarioItems({
  active,
  scenarios,
}: Scenarios): (vscode.QuickPickItem & { readonly name: string | undefined })[] {
  const mark = (isActive: boolean): object => (isActive ? { iconPath: new vscode.ThemeIcon('check') } : {});
  const none = vscode.l10n.t('None');
  return [
    { label: none, description: vscode.l10n.t('no faults'), name: undefined, ...mark(active === null) },
    ...scenarios.map(({ name, description }) => ({ label: name, description, name, ...mark(active === name) })),
  ];
}

/** Lists the fault rules with their hits, to add, change and remove; resolves when the list is closed. */
export async function manageFaults(client: FaultClient): Promise<void> {
  for (;;) {
    const faults = await client.faults();
    const chosen = await pickFault(faults);
    if (chosen === undefined) return;
    if (chosen.kind === 'add') await editRule(client, undefined);
    else if (chosen.kind === 'clear') await client.clearFaults();
    else if (chosen.kind === 'remove') await client.removeFault(chosen.fault.id);
    else await editRule(client, chosen.fault);
  }
}

type Choice =
  | { readonly kind: 'add' }
  | { readonly kind: 'clear' }
  | { readonly kind: 'change'; readonly fault: FaultEntry }
  | { readonly kind: 'remove'; readonly fault: FaultEntry };
type FaultItem = vscode.QuickPickItem & { readonly choice: Choice };

function pickFault(faults: readonly FaultEntry[]): Promise<Choice | undefined> {
  const remove = { iconPath: new vscode.ThemeIcon('trash'), tooltip: vscode.l10n.t('Remove') };
  const pick = vscode.window.createQuickPick<FaultItem>();
  pick.title = vscode.l10n.t('Local Server: Faults');
  pick.placeholder = vscode.l10n.t('The first rule that matches a request applies');
  pick.items = [
    {
      label: vscode.l10n.t('Add Rule…'),
      iconPath: new vscode.ThemeIcon('add'),
      choice: { kind: 'add' },
    },
    ...faults.map((fault): FaultItem => {
      const { rule, hits, matches, scenario } = fault;
      const counts = vscode.l10n.t('hit {0} of {1} requests', hits, matches);
      return {
        label: JSON.stringify(rule),
        description: scenario === undefined ? counts : vscode.l10n.t('{0}; from {1}', counts, scenario),
        buttons: [remove],
        choice: { kind: 'change', fault },
      };
    }),
    ...(faults.length === 0
      ? []
      : [
          {
            label: vscode.l10n.t('Remove All Rules'),
            iconPath: new vscode.ThemeIcon('clear-all'),
            choice: { kind: 'clear' } as const,
          },
        ]),
  ];
  return new Promise((resolve) => {
    pick.onDidTriggerItemButton(({ item: { choice } }) => {
      if ('fault' in choice) resolve({ kind: 'remove', fault: choice.fault });
      pick.hide();
    });
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]?.choice);
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}

/** Asks for a rule until the server accepts it or the person cancels. */
function editRule(client: FaultClient, old: FaultEntry | undefined): Promise<void> {
  const input = vscode.window.createInputBox();
  input.title = old ? vscode.l10n.t('Change Fault Rule') : vscode.l10n.t('Add Fault Rule');
  input.prompt = vscode.l10n.t(
    'method, path; every, probability, seed, times; status, retryAfter, latency, truncate, drip, reset',
  );
  input.value = JSON.stringify(old?.rule ?? EXAMPLE);
  const save = async (): Promise<void> => {
    if (input.busy) return;
    input.busy = true;
    try {
      const rule: unknown = JSON.parse(input.value);
      await (old ? client.replaceFault(old.id, rule) : client.addFault(rule));
      input.hide();
    } catch (error) {
      input.validationMessage = describeError(error);
    } finally {
      input.busy = false;
    }
  };
  return new Promise((resolve) => {
    input.onDidChangeValue(() => (input.validationMessage = undefined));
    input.onDidAccept(() => void save());
    input.onDidHide(() => {
      resolve();
      input.dispose();
    });
    input.show();
  });
}
