import { randomBytes } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { BudgetChanges } from '../../analytics/budgets/budgetChanges.ts';
import { decodeCsv } from '../../analytics/budgets/csv.ts';
import { IDENTITY_FIELDS } from '../../analytics/contract.ts';
import type { Identity } from '../../analytics/identity.ts';
import { tableCsv } from '../../analytics/reports/csv.ts';
import { isObject } from '../../base/json.ts';
import { DisposableStore } from '../../base/disposable.ts';
import { describeError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { Handlers } from '../../base/rpc.ts';
import type { DeskAction } from '../../protocol/budgetChoices.ts';
import { TABS, type DashboardExport, type NextStep, type Tab } from '../../protocol/dashboardChoices.ts';
import { dashboardView, type DashboardEvents, type DashboardMethods } from '../../protocol/dashboardView.ts';
import type { AnalyticsSource } from '../analytics/analyticsActions.ts';
import { WebviewHost } from '../webviewHost.ts';
import { DashboardModel } from './dashboardModel.ts';
import { asJson, asMarkdown } from './exportText.ts';

export interface DashboardParts {
  /** The account that is connected, as the views in the side bar have it. */
  readonly source: () => AnalyticsSource;
  readonly onDidChangeSource: vscode.Event<unknown>;
  readonly onDidChangeLimits: vscode.Event<unknown>;
  readonly context: Pick<vscode.ExtensionContext, 'workspaceState' | 'secrets' | 'extensionUri'>;
  readonly log: Logger;
}

/** Where to begin: what the rows of a tree hand over. */
export interface DashboardTarget {
  readonly tab?: Tab;
  readonly person?: Identity;
}

const CHOICES = 'sextant.dashboard';
const SECRET = 'sextant.pseudonyms';
/** Changes come in hundreds while something loads; nobody sees more than these. */
const TELL_MS = 60;

/** "Sextant: Open Dashboard": what is shown, and the panel that shows it. */
export class DashboardPanel implements vscode.Disposable {
  readonly #parts: DashboardParts;
  readonly #model: DashboardModel;
  readonly #host: WebviewHost<DashboardMethods, DashboardEvents>;
  readonly #disposables = new DisposableStore();
  #timer: NodeJS.Timeout | undefined;

  static async create(parts: DashboardParts): Promise<DashboardPanel> {
    if (vscode.l10n.bundle) l10n.config({ contents: vscode.l10n.bundle });
    return new DashboardPanel(parts, await readSecret(parts.context.secrets));
  }

  private constructor(parts: DashboardParts, secret: string) {
    this.#parts = parts;
    const { context, log } = parts;
    this.#model = new DashboardModel({
      kept: context.workspaceState.get<unknown>(CHOICES),
      keep: (choices) => void context.workspaceState.update(CHOICES, choices),
      secret,
      logger: log,
      onChange: () => this.#emitState(),
      onOutdated: () => this.#parts.source().budgets?.changed(),
    });
    this.#host = new WebviewHost({
      contract: dashboardView,
      title: vscode.l10n.t('Sextant Dashboard'),
      handlers: this.#handlers(),
      extensionUri: context.extensionUri,
      log,
      drawsPictures: true,
    });
    this.#disposables.add(this.#host);
    this.#disposables.add(parts.onDidChangeSource(() => this.#connect()));
    this.#disposables.add(parts.onDidChangeLimits(() => void this.#model.limitsChanged()));
    this.#connect();
  }

  show(target: DashboardTarget | undefined): void {
    const { tab, person } = readTarget(target);
    if (person) this.#model.showPerson(person);
    else if (tab) this.#model.choose({ ...this.#model.choices, tab });
    this.#host.show();
  }

  restore(panel: vscode.WebviewPanel): void {
    this.#host.restore(panel);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#model.dispose();
    this.#disposables.dispose();
  }

  #connect(): void {
    const { account, data, budgets } = this.#parts.source();
    const { log: logger } = this.#parts;
    const changes = data && budgets && new BudgetChanges(data.service, budgets.folder, { logger });
    this.#model.connect(account, data, budgets && changes && { ...budgets, changes });
  }

  #emitState(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#host.emit('state', this.#model.state);
    }, TELL_MS);
  }

  #handlers(): Handlers<DashboardMethods> {
    const model = this.#model;
    const { desk } = model;
    return {
      ready: () => {
        desk.reread();
        return model.state;
      },
      choose: (choices) => model.choose(choices),
      refresh: () => void model.refresh(),
      rows: ({ list, from, count }) => model.rows(list, from, count),
      sort: ({ list, column, direction }) => model.sort(list, column, direction === 'descending'),
      openPerson: ({ id }) => model.openPerson(id),
      export: ({ what, chart, image }) => this.#export(what, chart, image),
      go: ({ to }) => this.#go(to),
      showScope: ({ scope }) => desk.showScope(scope),
      showPart: ({ part }) => desk.showPart(part),
      limitOf: ({ id }) => desk.limitOf(id),
      checkLimit: ({ limit }) => desk.checkLimit(limit),
      setLimit: ({ id, limit, was }) => desk.setLimit(id, limit, was),
      addLimit: ({ account, id, limit }) => desk.addLimit(account, id, limit),
      clearLimit: ({ id }) => desk.clearLimit(id),
      raiseLimit: ({ id }) => desk.raiseLimit(id),
      accounts: ({ text }) => desk.accounts(text),
      importLimits: ({ csv }) => desk.importLimits(csv, vscode.l10n.t('pasted rows')),
      act: ({ act }) => this.#act(act),
    };
  }

  async #act(act: DeskAction): Promise<void> {
    const { desk } = this.#model;
    switch (act) {
      case 'chooseFile': {
        const filters = { CSV: ['csv', 'tsv', 'txt'], '*': ['*'] };
        const [file] = (await vscode.window.showOpenDialog({ filters })) ?? [];
        if (file)
          desk.importLimits(decodeCsv(await vscode.workspace.fs.readFile(file)), file.path.split('/').at(-1) ?? 'CSV');
        break;
      }
      case 'saveFailures':
        await saveFile(await desk.failuresCsv(), 'failures', 'CSV', 'csv');
        break;
      case 'saveLimits':
        await saveFile(await desk.limitsCsv(), 'budgets', 'CSV', 'csv');
        break;
      default:
        desk.act(act);
    }
  }

  async #go(to: NextStep): Promise<void> {
    switch (to) {
      case 'connect':
        await vscode.commands.executeCommand('sextant.connectAnalytics');
        break;
      case 'sample':
      case 'startServer':
        await vscode.commands.executeCommand('sextant.trySampleData');
        break;
      case 'log':
        await vscode.commands.executeCommand('sextant.showLog');
        break;
      case 'retry':
      case 'resume':
        await this.#model.resume();
        break;
      case 'stop':
        this.#model.stop();
        break;
      case 'week':
        this.#model.choose({ ...this.#model.choices, preset: '7d' });
        break;
    }
  }

  /** Asks where to, and writes it. What a page drew is a picture, and written as such. */
  async #export(what: DashboardExport, chart: string | null, image: string | null): Promise<void> {
    const { shown } = this.#model;
    const figure = shown.figures.find(({ shape }) => shape.id === chart);
    const table = what === 'chartCsv' ? figure?.table : shown.table;
    const text = async (): Promise<string | Uint8Array | undefined> => {
      switch (what) {
        case 'csv':
        case 'chartCsv':
          return table && tableCsv(table);
        case 'json':
          return asJson(shown);
        case 'markdown':
          return asMarkdown(shown);
        case 'svg':
          return image ?? undefined;
        case 'png':
          return image === null ? undefined : Buffer.from(image, 'base64');
      }
    };
    const name = [shown.title, figure?.shape.title, shown.range]
      .filter((part) => part !== undefined && part !== '')
      .join(' ');
    await saveFile(await text(), name, ...FILES[what]);
  }
}

/** Asks where to, and writes it. `name` may be any text. */
async function saveFile(
  content: string | Uint8Array | undefined,
  name: string,
  kind: string,
  extension: string,
): Promise<void> {
  if (content === undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t('There is nothing to export here yet.'));
    return;
  }
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const file = `${name.replaceAll(/[^\p{L}\p{N}-]+/gu, '-').toLowerCase()}.${extension}`;
  const uri = await vscode.window.showSaveDialog({
    ...(folder && { defaultUri: vscode.Uri.joinPath(folder, file) }),
    filters: { [kind]: [extension] },
  });
  if (!uri) return;
  try {
    await vscode.workspace.fs.writeFile(uri, typeof content === 'string' ? Buffer.from(content) : content);
    vscode.window.setStatusBarMessage(vscode.l10n.t('Exported to {0}', vscode.workspace.asRelativePath(uri)), 4000);
  } catch (error) {
    void vscode.window.showErrorMessage(describeError(error));
  }
}

const FILES: Readonly<Record<DashboardExport, readonly [string, string]>> = {
  csv: ['CSV', 'csv'],
  chartCsv: ['CSV', 'csv'],
  json: ['JSON', 'json'],
  markdown: ['Markdown', 'md'],
  svg: ['SVG', 'svg'],
  png: ['PNG', 'png'],
};

/** Whoever binds the command may hand over anything. */
function readTarget(target: unknown): DashboardTarget {
  const { tab, person } = isObject(target) ? (target as DashboardTarget) : {};
  const isTab = TABS.some((one) => one === tab);
  const isPerson = isObject(person) && IDENTITY_FIELDS.includes(person.kind) && typeof person.name === 'string';
  return { ...(isTab && tab && { tab }), ...(isPerson && { person }) };
}

/** Made once for this machine, and kept where secrets are: whoever has it can try names until a pseudonym fits. */
async function readSecret(secrets: vscode.SecretStorage): Promise<string> {
  const known = await secrets.get(SECRET);
  if (known !== undefined) return known;
  const secret = randomBytes(32).toString('hex');
  await secrets.store(SECRET, secret);
  return secret;
}
