import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { decodeCsv } from '../../analytics/budgets/csv.ts';
import { IDENTITY_FIELDS } from '../../analytics/contract.ts';
import type { ReportDocument } from '../../analytics/document/document.ts';
import { formatHtml } from '../../analytics/document/html.ts';
import { joinDocuments } from '../../analytics/document/organizations.ts';
import type { Identity } from '../../analytics/identity.ts';
import { csvForFile, tableCsv } from '../../analytics/reports/csv.ts';
import { isObject } from '../../base/json.ts';
import { DisposableStore } from '../../base/disposable.ts';
import { describeError, isCancelled } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { Handlers } from '../../base/rpc.ts';
import type { BudgetEditorAction } from '../../protocol/budgetChoices.ts';
import { TABS, type DashboardExport, type NextStep, type Tab } from '../../protocol/dashboardChoices.ts';
import { dashboardView, type DashboardEvents, type DashboardMethods } from '../../protocol/dashboardView.ts';
import { readSharedView, SHARED_VIEW_PATH, writeSharedView } from '../../protocol/sharedView.ts';
import type { AnalyticsSource } from '../analytics/analyticsSource.ts';
import { CHOICES } from '../analytics/windowNames.ts';
import { WebviewHost } from '../webviewHost.ts';
import { DashboardModel } from './dashboardModel.ts';
import { asJson, asMarkdown } from './exportText.ts';
import { chooseGroups, createGroups } from './groupFiles.ts';
import { askGroupLimit, askSpread } from './groupLimitDialogs.ts';

export interface PanelDependencies {
  /** The connected account, shared with the side bar. */
  readonly source: () => AnalyticsSource;
  readonly onDidChangeSource: vscode.Event<unknown>;
  readonly context: Pick<vscode.ExtensionContext, 'workspaceState' | 'extensionUri' | 'extension'>;
  readonly log: Logger;
}

/** The tab, group of people, or person to open first, from a row of a tree. */
export interface DashboardTarget {
  readonly tab?: Tab;
  /** Such as `team=Search`. */
  readonly only?: string;
  readonly person?: Identity;
}

/** Interval of updates of the page: a load causes hundreds of changes. */
const UPDATE_MS = 60;
/** Interval of the checks for a new day. */
const DAYS_MS = 60_000;

/** "Sextant Usage: Open Dashboard": the model and its panel. */
export class DashboardPanel implements vscode.Disposable {
  readonly #dependencies: PanelDependencies;
  readonly #model: DashboardModel;
  readonly #host: WebviewHost<DashboardMethods, DashboardEvents>;
  readonly #disposables = new DisposableStore();
  #timer: NodeJS.Timeout | undefined;
  readonly #days: NodeJS.Timeout;

  static async create(dependencies: PanelDependencies): Promise<DashboardPanel> {
    if (vscode.l10n.bundle) l10n.config({ contents: vscode.l10n.bundle });
    return new DashboardPanel(dependencies, await dependencies.source().names.secret());
  }

  private constructor(dependencies: PanelDependencies, secret: string) {
    this.#dependencies = dependencies;
    const { context, log, source, onDidChangeSource } = dependencies;
    this.#model = new DashboardModel({
      kept: context.workspaceState.get<unknown>(CHOICES),
      keep: (choices) => {
        void context.workspaceState.update(CHOICES, choices);
        void source().names.hide(choices.anonymise);
      },
      secret,
      editor: source().editor,
      logger: log,
      onChange: () => this.#emitState(),
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
    this.#disposables.add(onDidChangeSource(() => this.#connect()));
    this.#days = setInterval(() => void this.#model.moveOn(), DAYS_MS).unref();
    this.#connect();
  }

  show(target: DashboardTarget | undefined): void {
    const { tab, only, person } = readTarget(target);
    if (person) this.#model.showPerson(person);
    else if (tab) this.#model.choose({ ...this.#model.choices, tab, ...(only !== undefined && { only }) });
    this.#host.show();
  }

  /** Opens the view of a link; one that is not of Sextant is reported. */
  showShared(query: string): void {
    const view = readSharedView(query);
    if (view)
      this.#model.choose({
        ...this.#model.choices,
        column: undefined,
        before: undefined,
        part: undefined,
        only: undefined,
        ...view,
      });
    else
      void vscode.window.showErrorMessage(
        vscode.l10n.t('The link is not one to a view of the dashboard. Copy it again.'),
      );
    this.#host.show();
  }

  restore(panel: vscode.WebviewPanel): void {
    this.#host.restore(panel);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#days);
    this.#model.dispose();
    this.#disposables.dispose();
  }

  #connect(): void {
    const { account, reports } = this.#dependencies.source();
    this.#model.connect(account, reports);
  }

  #emitState(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#host.emit('state', this.#model.state);
    }, UPDATE_MS);
  }

  #handlers(): Handlers<DashboardMethods> {
    const model = this.#model;
    const { editor } = model;
    return {
      ready: () => {
        this.#dependencies.source().editor.reread();
        return model.state;
      },
      choose: (choices) => model.choose(choices),
      refresh: () => void model.refresh(),
      rows: ({ list, from, count }) => model.rows(list, from, count),
      sort: ({ list, column, direction }) => model.sort(list, column, direction === 'descending'),
      openPerson: ({ id }) => model.openPerson(id),
      export: ({ what, chart, image }) => this.#export(what, chart, image),
      go: ({ to }) => this.#go(to),
      showScope: ({ scope }) => editor.showScope(scope),
      showPart: ({ part }) => editor.showPart(part),
      limitOf: ({ id }) => editor.limitOf(id),
      checkLimit: ({ limit }) => editor.checkLimit(limit),
      setLimit: ({ id, limit, was }) => editor.setLimit(id, limit, was),
      addLimit: ({ account, id, limit }) => editor.addLimit(account, id, limit),
      clearLimit: ({ id }) => editor.clearLimit(id),
      raiseLimit: ({ id }) => editor.raiseLimit(id),
      accounts: ({ text }) => editor.accounts(text),
      importLimits: ({ csv }) => editor.importLimits(csv, vscode.l10n.t('pasted rows')),
      act: ({ act }) => this.#act(act),
    };
  }

  async #act(act: BudgetEditorAction): Promise<void> {
    const { editor, reports } = this.#dependencies.source();
    const view = this.#model.editor;
    switch (act) {
      case 'chooseFile': {
        const filters = { CSV: ['csv', 'tsv', 'txt'], '*': ['*'] };
        const [file] = (await vscode.window.showOpenDialog({ filters })) ?? [];
        if (file)
          view.importLimits(decodeCsv(await vscode.workspace.fs.readFile(file)), file.path.split('/').at(-1) ?? 'CSV');
        break;
      }
      case 'groupLimit':
        if (reports) await askGroupLimit(reports, this.#model.names);
        break;
      case 'spreadLimit':
        if (reports) await askSpread(reports, this.#model.names, editor);
        break;
      case 'saveFailures':
        await saveFile(await editor.failuresCsv(), 'failures', 'CSV', 'csv');
        break;
      case 'saveLimits':
        await saveFile(await editor.limitsCsv(), 'budgets', 'CSV', 'csv');
        break;
      default:
        view.act(act);
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
      case 'chooseGroups':
        await chooseGroups();
        break;
      case 'createGroups':
        await createGroups(this.#model.accounts);
        break;
      case 'week':
        this.#model.choose({ ...this.#model.choices, preset: '7d' });
        break;
    }
  }

  /** Saves the shown content, or a picture that the page drew. */
  async #export(what: DashboardExport, chart: string | null, image: string | null): Promise<void> {
    if (what === 'link') {
      await this.#copyLink();
      return;
    }
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
        case 'report':
          return this.#report((signal) => this.#model.document(signal));
        case 'reportOnAll':
          return this.#report((signal) => this.#documentOfAll(signal));
      }
    };
    const name = [shown.title, figure?.shape.title, shown.range]
      .filter((part) => part !== undefined && part !== '')
      .join(' ');
    try {
      await saveFile(await text(), name, ...FILES[what]);
    } catch (error) {
      if (!isCancelled(error)) void vscode.window.showErrorMessage(describeError(error));
    }
  }

  /** Copies a link that opens the same view in another's editor, with the figures of their own connection. */
  async #copyLink(): Promise<void> {
    const { choices, state } = this.#model;
    const { id } = this.#dependencies.context.extension;
    const uri = `${vscode.env.uriScheme}://${id}${SHARED_VIEW_PATH}?${writeSharedView(choices, state.range)}`;
    await vscode.env.clipboard.writeText(uri);
    vscode.window.setStatusBarMessage(vscode.l10n.t('Link copied'), 4000);
  }

  /** Loads a report on the shown days, which may take minutes for a large organization. */
  async #report(load: (signal: AbortSignal) => Promise<ReportDocument | undefined>): Promise<string | undefined> {
    const { Notification } = vscode.ProgressLocation;
    const title = vscode.l10n.t('Loading the report');
    return vscode.window.withProgress({ location: Notification, title, cancellable: true }, async (_, token) => {
      const loading = new AbortController();
      token.onCancellationRequested(() => loading.abort());
      const document = await load(loading.signal);
      return document && formatHtml(document);
    });
  }

  /** A document over all connected organizations; each has its own budget of requests. */
  async #documentOfAll(signal: AbortSignal): Promise<ReportDocument | undefined> {
    const all = await this.#dependencies.source().organizations();
    const parts = all.map(async ({ name, data }) => {
      const document = await this.#model.document(signal, data);
      return document ? [{ name, document }] : [];
    });
    const documents = (await Promise.all(parts)).flat();
    return documents.length === 0 ? undefined : joinDocuments(documents);
  }
}

/** Asks for a file and writes it. `name` may be any text. */
async function saveFile(
  content: string | Uint8Array | undefined,
  name: string,
  kind: string,
  extension: string,
): Promise<void> {
  if (content === undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t('There is nothing to export yet.'));
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
    const text = typeof content === 'string' && extension === 'csv' ? csvForFile(content) : content;
    await vscode.workspace.fs.writeFile(uri, typeof text === 'string' ? Buffer.from(text) : text);
    vscode.window.setStatusBarMessage(vscode.l10n.t('Exported to {0}', vscode.workspace.asRelativePath(uri)), 4000);
  } catch (error) {
    void vscode.window.showErrorMessage(describeError(error));
  }
}

const FILES: Readonly<Record<Exclude<DashboardExport, 'link'>, readonly [string, string]>> = {
  csv: ['CSV', 'csv'],
  chartCsv: ['CSV', 'csv'],
  json: ['JSON', 'json'],
  markdown: ['Markdown', 'md'],
  svg: ['SVG', 'svg'],
  png: ['PNG', 'png'],
  report: ['HTML', 'html'],
  reportOnAll: ['HTML', 'html'],
};

/** Command arguments are untrusted. */
function readTarget(target: unknown): DashboardTarget {
  const { tab, only, person } = isObject(target) ? (target as DashboardTarget) : {};
  const isTab = TABS.some((one) => one === tab);
  const isPerson = isObject(person) && IDENTITY_FIELDS.includes(person.kind) && typeof person.name === 'string';
  return {
    ...(isTab && tab && { tab }),
    ...(typeof only === 'string' && { only }),
    ...(isPerson && { person }),
  };
}
