import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import { SextantError } from '../../base/errors.ts';
import { formatCount } from '../../base/format.ts';
import type { Logger } from '../../base/log.ts';
import type { Handlers } from '../../base/rpc.ts';
import {
  searchView,
  TOKEN_REFUSED,
  type SearchEvents,
  type SearchMethods,
  type SearchReply,
  type SearchState,
  type SearchTarget,
  type ShownChoice,
  type ShownProblem,
} from '../../protocol/searchView.ts';
import type { SearchScope } from '../../protocol/searchScope.ts';
import type { QueryProblem } from '../../engine/query/queryLanguage.ts';
import type { Completion } from '../../workspace/completion.ts';
import {
  partsOf,
  setKind,
  toggleChanged,
  toggleFolder,
  toggleLanguage,
  toggleSymbol,
  FILE_KINDS,
} from '../../workspace/queryEditing.ts';
import { fixesOf } from '../../workspace/queryFixes.ts';
import type { KeptPlace } from '../../workspace/resultPlace.ts';
import { tokenRefusal } from '../../wire/explained.ts';
import { REPOSITORY_LIMITS } from '../../wire/repositories.ts';
import { isTeamRoot } from '../../wire/teamRoot.ts';
import type { FileLines, SearchRequest, SearchResponse, SearchResult } from '../../workspace/searcher.ts';
import type { CommandId } from '../commandIds.ts';
import { folderName } from '../index/folderName.ts';
import type { Folders } from '../index/folders.ts';
import { indexLine } from '../index/statusText.ts';
import { maxResults } from '../settings.ts';
import type { TeamCode, TeamResult } from '../team/teamCode.ts';
import { SideViewHost } from '../webviewHost.ts';
import { fixLabel } from './fixLabel.ts';
import { EditorPreview } from './preview.ts';
import type { QueryList } from './queryList.ts';
import { asLines, asSearchEditor, resultsAsMarkdown } from './resultsText.ts';
import { searchBeginning } from './searchBeginning.ts';
import { placesOf, toShownFile } from './shownResults.ts';

/** A search of the open folders. */
type SearchOfFolders = Omit<SearchRequest, 'folders' | 'isTrusted'>;

/** A search that can be repeated. */
export interface KeptSearch {
  readonly query: string;
  /** Lines to leave out of the results. */
  readonly except?: FileLines;
}

export interface SearchViewDependencies {
  readonly folders: Folders;
  readonly recent: QueryList;
  readonly kept: QueryList;
  readonly extensionUri: vscode.Uri;
  readonly log: Logger;
  search(
    request: SearchOfFolders,
    signal: AbortSignal,
    onFirst?: (first: SearchResponse) => void,
  ): Promise<SearchResponse>;
  count(query: string, limit: number, signal: AbortSignal): Promise<number | undefined>;
  complete(query: string, limit?: number): Promise<readonly Completion[]>;
  relocate(places: readonly KeptPlace[]): Promise<readonly (KeptPlace | undefined)[]>;
  readonly team: TeamCode;
}

/** Files that are counted; a search of the kernel's common words takes a tenth of a second for these. */
const MAX_COUNT = 1_000;
const MAX_CHOICES = 12;
/** Lines with a phrase or an expression that are listed of each file, besides the best place. */
const MAX_LINES = 100;
/** Files in one answer of the team's service. */
const MAX_TEAM = REPOSITORY_LIMITS.maxResults;
/** Interval of repeated searches while the index grows. */
const REFRESH_MS = 2_000;

/** "Search": the view with the search box, and the results below it. */
export class SearchView implements vscode.Disposable {
  readonly #dependencies: SearchViewDependencies;
  readonly #host: SideViewHost<SearchMethods, SearchEvents>;
  readonly #disposables = new DisposableStore();
  #search: KeptSearch = { query: '' };
  #scope: SearchScope = 'workspace';
  #takesFocus = false;
  /** Places by id, of the present results and of those before: a click may come when others have arrived. */
  #places = new Map<number, KeptPlace>();
  #before = new Map<number, KeptPlace>();
  #lastId = 0;
  #preview: EditorPreview | undefined;
  #line = '';
  #hasResults = false;
  #changedAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(dependencies: SearchViewDependencies) {
    this.#dependencies = dependencies;
    const { extensionUri, log, folders } = dependencies;
    const title = vscode.l10n.t('Search');
    const beginning = (): string =>
      searchBeginning(vscode.l10n.t('Search code'), vscode.l10n.t('Words, a name, "a phrase", lang:ts'));
    const view = { contract: searchView, title, handlers: this.#handlers(), extensionUri, log, beginning };
    this.#host = this.#disposables.add(new SideViewHost(view, () => this.#releasePreview()));
    this.#disposables.add(folders.onDidChange(() => this.#onIndexChange()));
    this.#disposables.add(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (!event.affectsConfiguration('sextant.team')) return;
        const hasOtherResults = this.#scope === 'team';
        if (!dependencies.team.isSet) this.#scope = 'workspace';
        this.#emitState();
        if (hasOtherResults) this.#host.emit('changed', null);
      }),
    );
  }

  resolve(view: vscode.WebviewView): void {
    this.#host.resolve(view);
  }

  /** Shows the view with the focus in its box, and searches unless `search` is missing. */
  async show(search?: KeptSearch): Promise<void> {
    this.#takesFocus = true;
    this.#setSearch(search);
    await vscode.commands.executeCommand('sextant.search.focus');
    // The page may have searched for its old query meanwhile.
    this.#setSearch(search);
    if (search) {
      this.#host.emit('state', this.#state());
      this.#host.emit('show', search.query);
    } else this.#host.emit('focus', null);
  }

  #setSearch(search: KeptSearch | undefined): void {
    if (!search) return;
    this.#search = search;
    this.#scope = 'workspace';
  }

  get #nameOf(): typeof folderName | undefined {
    return this.#dependencies.folders.all.length > 1 ? folderName : undefined;
  }

  /** Copies the places of all results. */
  async copyAll(): Promise<void> {
    if (this.#places.size > 0) await vscode.env.clipboard.writeText(asLines([...this.#places.values()], this.#nameOf));
  }

  /** Opens all results in a new editor. */
  async export(format: 'markdown' | 'search-result'): Promise<void> {
    const shown = [...this.#places.values()];
    if (shown.length === 0) return;
    const { query } = this.#search;
    const write = format === 'markdown' ? resultsAsMarkdown : asSearchEditor;
    const content = write(query, shown, this.#nameOf);
    const document = await vscode.workspace.openTextDocument({ language: format, content });
    await vscode.window.showTextDocument(document, { preview: false });
  }

  /** The place of a row's menu. */
  placeOf(row: unknown): KeptPlace | undefined {
    const { result } = (row ?? {}) as { readonly result?: unknown };
    return typeof result === 'number' ? this.#placeOf(result) : undefined;
  }

  async copy(place: KeptPlace | undefined): Promise<void> {
    if (place) await vscode.env.clipboard.writeText(asLines([place], this.#nameOf));
  }

  async explain(place: KeptPlace | undefined): Promise<void> {
    if (!place) return;
    const argument = { file: await this.#uriOf(place), query: this.#search.query };
    await vscode.commands.executeCommand('sextant.whyFile' satisfies CommandId, argument);
  }

  async open(place: KeptPlace | undefined, viewColumn: vscode.ViewColumn): Promise<void> {
    const now = place && (await this.#locate(place));
    if (!now) return;
    const preview = this.#preview ?? new EditorPreview(true);
    this.#preview = undefined;
    preview.open(await this.#uriOf(now), now, viewColumn);
    preview.dispose();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#releasePreview();
    this.#disposables.dispose();
  }

  #handlers(): Handlers<SearchMethods> {
    const { recent, kept } = this.#dependencies;
    return {
      ready: () => {
        const state = this.#state();
        this.#takesFocus = false;
        return state;
      },
      search: (request, signal, report) => this.#run(request, signal, report),
      count: async ({ query }, signal) => {
        if (this.#scope === 'team') return null;
        const files = await this.#dependencies.count(query, MAX_COUNT, signal);
        return files === undefined ? null : { files, isLeast: files === MAX_COUNT };
      },
      choices: ({ query, part }) => this.#choices(query, part),
      change: ({ query, part, value }) => {
        switch (part) {
          case 'language':
            return toggleLanguage(query, value);
          case 'folder':
            return toggleFolder(query, value);
          case 'kind':
            return setKind(query, FILE_KINDS.find((kind) => kind === value) ?? null);
          case 'changed':
            return toggleChanged(query);
          case 'symbol':
            return toggleSymbol(query);
        }
      },
      scope: async ({ to }) => {
        if (to === 'workspace' || (await this.#dependencies.team.connect())) this.#scope = to;
        this.#emitState();
      },
      replaceToken: async () => {
        await this.#dependencies.team.connect(true);
      },
      preview: async ({ id }) => {
        this.#preview ??= new EditorPreview(true);
        await this.#preview.showFound(async () => {
          const place = this.#placeOf(id);
          const now = place && (await this.#locate(place));
          return now && { uri: await this.#uriOf(now), place: now };
        });
      },
      open: async ({ query, id, toSide }) => {
        await recent.add(query);
        await this.open(this.#placeOf(id), toSide ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active);
        this.#emitState();
      },
      restore: () => {
        this.#preview?.dispose();
        this.#preview = undefined;
      },
      copy: ({ id }) => this.copy(this.#placeOf(id)),
      explain: ({ id }) => this.explain(this.#placeOf(id)),
      forget: async ({ query }) => {
        await recent.remove(query);
        this.#emitState();
      },
      keep: async ({ query, isKept }) => {
        await (isKept ? kept.add(query) : kept.remove(query.trim()));
        this.#emitState();
      },
      go: async ({ to }) => {
        await vscode.commands.executeCommand(TARGETS[to], ...(to === 'ask' ? [this.#search.query] : []));
      },
    };
  }

  async #run(
    { query, limit, from, first, readAll }: Parameters<SearchMethods['search']>[0],
    signal: AbortSignal,
    report: (beginning: SearchReply) => void,
  ): Promise<SearchReply> {
    if (query !== this.#search.query) {
      const hadExcept = this.#search.except !== undefined;
      this.#search = { query };
      if (hadExcept) this.#emitState();
    }
    const parts = partsOf(query);
    if (query.trim() === '') {
      this.#take([], false);
      const nothing = { from: 0, files: [], isBeginning: false, hasMore: false, problems: [], completions: [] };
      return { ...nothing, parts, isUnfinished: false, notice: '' };
    }
    if (this.#scope === 'team') return this.#searchTeam(query, limit ?? maxResults(), from, signal);
    const { except } = this.#search;
    const most = limit ?? maxResults();
    const request = {
      query,
      limit: most,
      readAll,
      excerpts: true,
      maxLines: MAX_LINES,
      ...(first > 0 && { first }),
      ...(except && { except }),
    };
    let known = from;
    let beginning: SearchReply['files'] = [];
    const toReply = async (response: SearchResponse, isBeginning: boolean): Promise<SearchReply> => {
      const completions = await completing;
      const { results, problems, isUnfinished } = response;
      const files = this.#take(results, known > 0 || beginning.length > 0);
      if (isBeginning) beginning = files;
      // As a rule the page has the first files: sending and drawing them again would delay the others.
      else if (beginning.length > 0) known = isBeginningOf(beginning, files) ? beginning.length : 0;
      // A filter that is still being typed is not reported yet.
      const reported = completions.length > 0 ? problems.filter(({ end }) => end < query.trimEnd().length) : problems;
      return {
        from: known,
        files: files.slice(known),
        isBeginning,
        hasMore: isBeginning || results.length === most,
        problems: reported.map((problem) => toShownProblem(query, problem)),
        completions: completions.map((one) => ({ filter: one.filter, detail: countOf(one), query: one.query })),
        parts,
        isUnfinished,
        notice: noticeOf(response),
      };
    };
    const searching = this.#dependencies.search(request, signal, (response) => {
      // A failure is that of the whole search.
      toReply(response, true).then(report, () => undefined);
    });
    const completing = this.#dependencies.complete(query);
    const [response] = await Promise.all([searching, completing]);
    return toReply(response, false);
  }

  async #searchTeam(query: string, limit: number, from: number, signal: AbortSignal): Promise<SearchReply> {
    const most = Math.min(limit, MAX_TEAM);
    const { results, problems } = await this.#dependencies.team.search(query, most, signal).catch((error: unknown) => {
      const refusal = tokenRefusal(error);
      throw refusal === undefined ? error : new SextantError(TOKEN_REFUSED, refusal);
    });
    const files = this.#take(results, from > 0);
    return {
      ...{ from, files: files.slice(from), isBeginning: false, problems: [], completions: [] },
      hasMore: results.length === most && most < MAX_TEAM,
      ...{ parts: partsOf(query), isUnfinished: false, notice: problems.join(' ') },
    };
  }

  /**
   * Gives each place an id, which it keeps while the results change: an open menu and a selected row name it. `isSame`: the list goes
   * on, and nothing in it is of the results before.
   */
  #take(results: readonly (SearchResult & Partial<TeamResult>)[], isSame: boolean): SearchReply['files'] {
    const several = this.#dependencies.folders.all.length > 1;
    const ids = new Map([...this.#before, ...this.#places].map(([id, place]) => [keyOf(place), id]));
    if (!isSame) this.#before = this.#places;
    this.#places = new Map();
    const files = results.map((result) => {
      const places = placesOf(result);
      const own = places.map((place) => {
        const id = ids.get(keyOf(place)) ?? ++this.#lastId;
        this.#places.set(id, place);
        return id;
      });
      return toShownFile(places, own, {
        ...{ severalFolders: several, alike: result.alike ?? 0, repositories: result.repositories },
        lines: Math.max(result.matchingLines ?? 0, places.length),
      });
    });
    const hasResults = results.length > 0;
    if (hasResults !== this.#hasResults) {
      // After the reply: the window draws its menus again for it.
      setImmediate(() => void vscode.commands.executeCommand('setContext', 'sextant.hasResults', this.#hasResults));
    }
    this.#hasResults = hasResults;
    return files;
  }

  async #choices(query: string, part: 'language' | 'folder'): Promise<readonly ShownChoice[]> {
    const isLanguage = part === 'language';
    const { languages, folders } = partsOf(query);
    const chosen = isLanguage ? languages : folders;
    const found = await this.#dependencies.complete(isLanguage ? 'lang:' : 'path:/', MAX_CHOICES);
    const offered = found.map((completion): ShownChoice => {
      const values = partsOf(completion.filter);
      const [value = ''] = isLanguage ? values.languages : values.folders;
      return { value, detail: countOf(completion), isOn: chosen.includes(value) };
    });
    const others = chosen.filter((value) => !offered.some((one) => one.value === value));
    return [...others.map((value) => ({ value, detail: '', isOn: true })), ...offered];
  }

  /** The place where its lines are now; shows a message if the file no longer has them. */
  async #locate(place: KeptPlace): Promise<KeptPlace | undefined> {
    // The service keeps each version of a file.
    if (isTeamRoot(place.root)) return place;
    const [now] = await this.#dependencies.relocate([place]);
    if (!now) void vscode.window.showInformationMessage(vscode.l10n.t('{0} no longer has this line.', place.path));
    return now;
  }

  /** Searches again after a change of the index: at intervals while it grows. */
  #onIndexChange(): void {
    const { kind, text } = indexLine(this.#dependencies.folders.statuses());
    if (text !== this.#line) this.#emitState();
    this.#line = text;
    if (this.#timer || this.#scope === 'team') return;
    const delay = kind === 'ready' ? 0 : Math.max(0, this.#changedAt + REFRESH_MS - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#changedAt = performance.now();
      this.#host.emit('changed', null);
    }, delay);
  }

  #emitState(): void {
    this.#host.emit('state', this.#state());
  }

  #state(): SearchState {
    const { folders, recent, kept } = this.#dependencies;
    const { query, except } = this.#search;
    return {
      query,
      scope: this.#scope,
      hasTeam: this.#dependencies.team.isSet,
      except: except ? vscode.l10n.t('Without the selected lines of {0}', except.path) : '',
      index: indexLine(folders.statuses()),
      recent: recent.all,
      kept: kept.all,
      takesFocus: this.#takesFocus,
    };
  }

  #placeOf(id: number): KeptPlace | undefined {
    return this.#places.get(id) ?? this.#before.get(id);
  }

  #releasePreview(): void {
    this.#preview?.release();
    this.#preview = undefined;
  }

  async #uriOf({ root, path }: KeptPlace): Promise<vscode.Uri> {
    if (isTeamRoot(root)) return this.#dependencies.team.files.uriOf({ root, path });
    return vscode.Uri.joinPath(this.#dependencies.folders.uriOf(root), path);
  }
}

const TARGETS: Readonly<Record<SearchTarget, string>> = {
  folder: 'vscode.openFolder',
  indexStatus: 'sextant.showStatus',
  update: 'sextant.updateIndex',
  pause: 'sextant.pauseIndexing',
  resume: 'sextant.resumeIndexing',
  log: 'sextant.showLog',
  trust: 'workbench.trust.manage',
  ask: 'sextant.askWorkspace',
};

function keyOf({ root, path, line, text }: KeptPlace): string {
  return [root, path, line, text].join('\0');
}

function isBeginningOf(first: SearchReply['files'], all: SearchReply['files']): boolean {
  return first.every(({ key, places }, i) => {
    const other = all[i];
    return key === other?.key && places.every(({ id }, j) => id === other.places[j]?.id);
  });
}

function toShownProblem(query: string, problem: QueryProblem): ShownProblem {
  const { start, end, message, code } = problem;
  const fixes = fixesOf(query, problem).map((fix) => ({ label: fixLabel(fix), query: fix.query }));
  return { start, end, message, fixes, needsTrust: code === 'NotTrusted' };
}

function countOf({ files }: Completion): string {
  if (files === undefined) return '';
  return files === 1 ? vscode.l10n.t('1 file') : vscode.l10n.t('{0} files', formatCount(files));
}

/** Explains results that may be missing. */
function noticeOf({ leftOut, isPartial: isDamaged }: SearchResponse): string {
  if (isDamaged) return vscode.l10n.t('The index is damaged and being repaired: results may be missing.');
  if (leftOut === 0) return '';
  return leftOut === 1
    ? vscode.l10n.t('1 file was left out because it was deleted or changed after it was indexed')
    : vscode.l10n.t(
        '{0} files were left out because they were deleted or changed after they were indexed',
        formatCount(leftOut),
      );
}
