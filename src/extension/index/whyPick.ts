import { basename, relative } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { describeError, isCancelled } from '../../base/errors.ts';
import type { WorkspaceClient } from '../../workspace/client.ts';
import type { FolderOptions } from '../../workspace/folderOptions.ts';
import { describeFileStatus, settingOf, type FileStatus } from '../../workspace/whyFile.ts';
import { asSentence, rankHeadline, rankReasons } from '../../workspace/rankSentences.ts';
import { MAX_RANK, compareContributions, describeMismatch, type RankAnswer } from '../../workspace/whyRank.ts';
import type { Folders } from './folders.ts';
import { literal } from '../pickText.ts';
import { maxResults } from '../settings.ts';
import { isPartial } from './statusText.ts';
import type { IndexRow } from './statusTree.ts';

interface WhyItem extends vscode.QuickPickItem {
  /** Action of Enter; missing on a row of plain text. */
  readonly run?: () => Thenable<unknown>;
  /** Set on the row that shows and hides the figures. */
  readonly isDetails?: true;
}

/** Pause in typing after which the query is explained. */
const TYPING_PAUSE_MS = 150;

/**
 * "Why Is This File (Not) Found?": the rule or limit that leaves it out, with a link to it. For an indexed file and a typed
 * query, its rank, and the difference between it and the first result.
 */
export class WhyPick implements vscode.Disposable {
  readonly #folders: Folders;
  readonly #client: WorkspaceClient;
  readonly #open = new Set<WhySession>();

  constructor(folders: Folders, client: WorkspaceClient) {
    this.#folders = folders;
    this.#client = client;
  }

  /** Explains a file: the one that `target` names, or the one in the active editor. */
  async show(target: unknown): Promise<void> {
    const { file, query } = this.#targetOf(target);
    const { activeNotebookEditor, activeTextEditor } = vscode.window;
    // The cell of a notebook has an address of its own.
    const uri = file ?? activeNotebookEditor?.notebook.uri ?? activeTextEditor?.document.uri;
    if (!uri) {
      const advice = vscode.l10n.t('Open a file first, or run the command from the context menu of a file.');
      await vscode.window.showInformationMessage(advice);
      return;
    }
    const found = this.#folders.folderOf(uri);
    if (!found) {
      const name = uri.scheme === 'file' ? uri.fsPath : uri.toString(true);
      const why = vscode.l10n.t('{0} is not in an indexed folder, so Sextant cannot find it.', name);
      await vscode.window.showInformationMessage(why);
      return;
    }
    const session = new WhySession(this.#folders, this.#client, found.folder, found.path, () =>
      this.#open.delete(session),
    );
    this.#open.add(session);
    await session.show(query);
  }

  dispose(): void {
    for (const session of this.#open) session.dispose();
  }

  /** The menu of a file passes its URI, the status view a row, and the search an object with its query. */
  #targetOf(target: unknown): { readonly file: vscode.Uri | undefined; readonly query: string } {
    if (target instanceof vscode.Uri) return { file: target, query: '' };
    const {
      kind,
      root,
      path,
      file,
      query = '',
    } = (target ?? {}) as Partial<IndexRow & { root: string; path: string; file: vscode.Uri; query: string }>;
    if (kind === 'file' && root !== undefined && path !== undefined) {
      return { file: vscode.Uri.joinPath(this.#folders.uriOf(root), path), query: '' };
    }
    return { file, query };
  }
}

class WhySession implements vscode.Disposable {
  readonly #folders: Folders;
  readonly #client: WorkspaceClient;
  readonly #folder: FolderOptions;
  readonly #path: string;
  readonly #pick = vscode.window.createQuickPick<WhyItem>();
  readonly #disposables = new DisposableStore();
  #status: FileStatus | undefined;
  #hasDetails = false;
  /** The rows of the last answer with a rank, with or without its figures. */
  #ranked: (() => WhyItem[]) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: AbortController | undefined;

  constructor(folders: Folders, client: WorkspaceClient, folder: FolderOptions, path: string, onHide: () => void) {
    this.#folders = folders;
    this.#client = client;
    this.#folder = folder;
    this.#path = path;
    const pick = this.#pick;
    pick.title = vscode.l10n.t('Why is {0} (not) found?', path);
    pick.placeholder = vscode.l10n.t('Type a query to see how this file ranks');
    // The rows are an explanation in a fixed order.
    (pick as { sortByLabel?: boolean }).sortByLabel = false;
    this.#disposables.add(pick.onDidChangeValue(() => this.#schedule(TYPING_PAUSE_MS)));
    this.#disposables.add(pick.onDidAccept(() => void this.#accept()));
    this.#disposables.add(
      folders.onDidChange(() => {
        if (isPartial(folders.statuses())) return;
        this.#status = undefined;
        this.#schedule(TYPING_PAUSE_MS);
      }),
    );
    this.#disposables.add(
      pick.onDidHide(() => {
        onHide();
        this.dispose();
      }),
    );
  }

  async show(query: string): Promise<void> {
    this.#pick.value = query;
    this.#pick.show();
    await this.#answer();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#running?.abort();
    this.#disposables.dispose();
    this.#pick.dispose();
  }

  #schedule(delay: number): void {
    clearTimeout(this.#timer);
    this.#running?.abort();
    this.#timer = setTimeout(() => void this.#answer(), delay);
  }

  async #accept(): Promise<void> {
    const [item] = this.#pick.activeItems;
    if (item?.isDetails) {
      this.#hasDetails = !this.#hasDetails;
      if (this.#ranked) this.#pick.items = this.#ranked();
      this.#pick.activeItems = this.#pick.items.filter(({ isDetails }) => isDetails);
    }
    if (!item?.run) return;
    this.#pick.hide();
    try {
      await item.run();
    } catch (error) {
      await vscode.window.showErrorMessage(describeError(error));
    }
  }

  async #answer(): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    this.#pick.busy = true;
    let items: WhyItem[];
    try {
      items = await this.#items(this.#pick.value.trim(), running.signal);
    } catch (error) {
      if (isCancelled(error)) return;
      items = [row('error', vscode.l10n.t('Not available'), describeError(error))];
    }
    if (running.signal.aborted) return;
    this.#pick.items = items;
    this.#pick.busy = false;
  }

  async #items(query: string, signal: AbortSignal): Promise<WhyItem[]> {
    const path = this.#path;
    this.#status ??= await this.#client.searching.call('explainFile', { folder: this.#folder, path });
    const status = this.#status;
    const isIndexed = status.kind === 'indexed' || status.kind === 'waiting';
    if (query === '' || !isIndexed) return this.#statusItems(status);
    const { isTrusted } = vscode.workspace;
    const request = { folders: this.#folders.all, root: this.#folder.root, path, query, isTrusted };
    const answer = await this.#client.searching.call('explainRank', request, signal);
    if (answer.kind === 'unknown') return this.#statusItems(status);
    const waiting = status.kind === 'waiting' ? this.#statusItems(status) : [];
    this.#ranked = () => [...this.#rankItems(answer, query), ...waiting];
    return this.#ranked();
  }

  #statusItems(status: FileStatus): WhyItem[] {
    const { headline, details } = describeFileStatus(status, this.#path, this.#folder);
    const icon = status.kind === 'indexed' ? 'pass' : status.kind === 'waiting' ? 'clock' : 'circle-slash';
    const items = [row(icon, headline), ...details.map((detail) => row('info', detail))];
    const actions = this.#actions(status);
    actions.push({
      ...row('copy', vscode.l10n.t('Copy')),
      run: () => vscode.env.clipboard.writeText([headline, ...details].join('\n')),
    });
    return [...items, separator(vscode.l10n.t('actions')), ...actions];
  }

  #actions(status: FileStatus): WhyItem[] {
    if (status.kind === 'waiting') {
      const update = {
        ...row('refresh', vscode.l10n.t('Update Index')),
        run: runner('sextant.updateIndex'),
      };
      return [update];
    }
    if (status.kind !== 'skipped') return [];
    const { rule, excluded, skip } = status;
    if (rule) {
      const name = relative(this.#folder.root, rule.file);
      const at = new vscode.Position(rule.line - 1, 0);
      const options = { selection: new vscode.Range(at, at.with({ character: rule.pattern.length })) };
      const open = { ...row('go-to-file', vscode.l10n.t('Open Rule'), `${name}:${rule.line}`) };
      return [{ ...open, run: () => vscode.window.showTextDocument(vscode.Uri.file(rule.file), options) }];
    }
    const own = settingOf(skip);
    const settings = excluded ? settingsWith(excluded.pattern, this.#folder) : own === undefined ? [] : [own];
    return settings.map((setting) => ({
      ...row('settings-gear', vscode.l10n.t('Open Setting'), setting),
      run: runner('workbench.action.openSettings', `@id:${setting}`),
    }));
  }

  #rankItems(answer: Exclude<RankAnswer, { kind: 'unknown' }>, query: string): WhyItem[] {
    const { problems } = answer;
    const items: WhyItem[] = [];
    if (answer.kind === 'unmatched') {
      items.push(row('circle-slash', vscode.l10n.t('Not a result for “{0}”', query)));
      items.push(...answer.mismatches.map((mismatch) => row('close', describeMismatch(mismatch))));
      if (answer.mismatches.length === 0) {
        items.push(row('info', vscode.l10n.t('Each part of the query matches, but not all parts together.')));
      }
    } else {
      items.push(...this.#placeItems(answer, query));
      const figures = contributionItems(answer);
      if (figures.length > 0) {
        const label = this.#hasDetails ? vscode.l10n.t('Hide Details') : vscode.l10n.t('Details');
        items.push({ ...row(this.#hasDetails ? 'chevron-down' : 'chevron-right', label), isDetails: true });
      }
      if (this.#hasDetails) items.push(...figures);
    }
    if (isPartial(this.#folders.statuses())) {
      items.push(row('clock', vscode.l10n.t('The index is not complete yet, so this may change.')));
    }
    for (const { message } of problems) items.push(row('warning', message));
    return items;
  }

  /** The rank in sentences, and the first result. */
  #placeItems(answer: RankAnswer & { readonly kind: 'ranked' }, query: string): WhyItem[] {
    const { rank, first, file } = answer;
    const shown = maxResults();
    const isShown = rank !== undefined && rank <= shown;
    const limit = isShown ? '' : vscode.l10n.t('the search shows {0} (sextant.search.maxResults)', shown);
    const place =
      rank === undefined
        ? vscode.l10n.t('Below the first {0} results for “{1}”', MAX_RANK, query)
        : vscode.l10n.t('Result {0} for “{1}”', rank, query);
    const icon = isShown ? 'pass' : 'arrow-down';
    const [reason, ...others] = rankReasons(answer, query);
    const items =
      rank === undefined || reason === undefined
        ? [row(icon, place, limit), ...(reason === undefined ? [] : [row('dash', asSentence(reason))])]
        : [row(icon, rankHeadline(rank, reason), place), ...(isShown ? [] : [row('info', limit)])];
    items.push(...others.map((other) => row('dash', asSentence(other))));
    if (rank !== 1) {
      const uri = vscode.Uri.joinPath(this.#folders.uriOf(first.root), first.path);
      const at = new vscode.Position(first.line - 1, 0);
      items.push({
        ...row('go-to-file', vscode.l10n.t('First result: {0}', basename(first.path)), `${first.path}:${first.line}`),
        run: () => vscode.window.showTextDocument(uri, { selection: new vscode.Range(at, at) }),
      });
    }
    if (!file.explanation) {
      items.push(
        row('info', vscode.l10n.t('A query of filters alone is not ranked: results are in the order of their paths.')),
      );
    }
    return items;
  }
}

/** Smaller differences show as equal figures. */
const LEAST_DIFFERENCE = 0.005;

/** The score and its contributions, beside those of the first result; none for a query of filters alone. */
function contributionItems({ rank, file, first, isCandidate }: RankAnswer & { readonly kind: 'ranked' }): WhyItem[] {
  if (!file.explanation) return [];
  const isFirst = rank === 1;
  const shown = (mine: number, its: number): string =>
    isFirst ? mine.toFixed(2) : `${mine.toFixed(2)} : ${its.toFixed(2)}`;
  const compared = compareContributions(file, isFirst ? { ...first, explanation: [] } : first);
  const rows = compared
    .filter((one) => Math.abs(one.file - one.first) >= LEAST_DIFFERENCE)
    .map((one) => {
      const icon = isFirst ? 'dash' : one.file < one.first ? 'arrow-small-down' : 'arrow-small-up';
      return row(icon, one.group, shown(one.file, one.first));
    });
  if (!isCandidate) {
    const why = vscode.l10n.t('Not among the candidates for the full ranking');
    rows.push(row('info', why, vscode.l10n.t('features are computed as if it were')));
  }
  const title = isFirst ? vscode.l10n.t('contributions to the score') : vscode.l10n.t('this file : first result');
  return [separator(title), row('star-empty', vscode.l10n.t('score'), shown(file.score, first.score)), ...rows];
}

/** Settings with an exclude pattern; it must be removed from all of them. */
function settingsWith(pattern: string, { exclude, editorExclude = {} }: FolderOptions): string[] {
  const all = [['sextant.index.exclude', exclude] as const, ...Object.entries(editorExclude)];
  return all.filter(([, patterns]) => patterns.includes(pattern)).map(([setting]) => setting);
}

/** A row whose texts are literal: `$(…)` in names is no icon. */
function row(icon: string, label: string, description = ''): WhyItem {
  return {
    label: literal(label),
    description: literal(description),
    iconPath: new vscode.ThemeIcon(icon),
    // The typed text is a query; without this the editor filters the rows by it.
    alwaysShow: true,
  };
}

function separator(label: string): WhyItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

function runner(command: string, ...args: unknown[]): () => Thenable<unknown> {
  return () => vscode.commands.executeCommand(command, ...args);
}
