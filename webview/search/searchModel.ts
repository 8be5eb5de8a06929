import { SextantError } from '../../src/base/errors.ts';
import type { RpcCaller } from '../../src/base/rpc.ts';
import { MAX_FILES, TYPING_PAUSE_MS } from '../../src/protocol/limits.ts';
import {
  TOKEN_REFUSED,
  type QueryPart,
  type SearchEvents,
  type SearchMethods,
  type SearchReply,
  type SearchState,
  type ShownChoice,
  type ShownFile,
} from '../../src/protocol/searchView.ts';
import type { SearchScope } from '../../src/protocol/searchScope.ts';
import { messageOf } from '../page.tsx';
import { RowLayout, type RowHeights } from './rows.ts';

/** Pause in typing after which to count: that takes a tenth of a second in a kernel, which the next search would wait for. */
const COUNT_PAUSE_MS = 250;
/** A search of the team's code goes over the network. */
const TEAM_PAUSE_MS = 150;
/** Factor of the limit when the end of the list is reached. */
const MORE = 4;

/** State of the page that it restores when the editor loads it again. */
export interface KeptPage {
  readonly query: string;
  readonly scrollTop: number;
}

interface SearchModelOptions {
  readonly caller: RpcCaller<SearchMethods, SearchEvents>;
  readonly heights: RowHeights;
  /** Draws the page; called for each change. */
  readonly draw: () => void;
  readonly keep: (state: KeptPage) => void;
}

/** Shown until the extension has answered: the box takes keys at once. */
const BEFORE_READY: SearchState = {
  query: '',
  scope: 'workspace',
  hasTeam: false,
  except: '',
  index: { kind: 'ready', text: '' },
  recent: [],
  kept: [],
  takesFocus: false,
};

/** What the page shows, and the requests that change it. */
export class SearchModel {
  readonly #options: SearchModelOptions;
  state = BEFORE_READY;
  /** Whether the extension has answered. */
  hasBegun = false;
  query = '';
  /** The answer to the last search, whose files are in {@link files}. */
  reply: SearchReply | undefined;
  files: readonly ShownFile[] = [];
  layout: RowLayout;
  /** Index of the row that keys act on; -1 while the box has the focus and no row was chosen. */
  active = -1;
  isSearching = false;
  /** Whether no file of the present query is shown yet. */
  isWaiting = false;
  error = '';
  /** Whether {@link error} is that the team's service refuses the token. */
  needsToken = false;
  /** Number of files that the query finds, if there are more than are shown. */
  count: { readonly files: number; readonly isLeast: boolean } | undefined;
  scrollTop = 0;
  readonly #folded = new Set<string>();
  #limit: number | null = null;
  #readAll = false;
  /** Whether results may be others since the running search began. */
  #isOutdated = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: AbortController | undefined;
  /** Enter was pressed before the results came. */
  #opensFirst: { readonly toSide: boolean } | undefined;

  constructor(options: SearchModelOptions) {
    this.#options = options;
    this.layout = new RowLayout([], this.#folded, options.heights);
  }

  /** Takes the extension's state, and restores the page that was kept unless the user has typed already. */
  begin(state: SearchState, kept: Partial<KeptPage> = {}): void {
    this.state = state;
    this.hasBegun = true;
    if (this.query !== '') return;
    const query = state.query === '' && state.index.kind !== 'none' ? (kept.query ?? '') : state.query;
    this.type(query, 0);
    if (kept.query === query) this.scrollTop = kept.scrollTop ?? 0;
  }

  isFolded(file: ShownFile): boolean {
    return this.#folded.has(file.key);
  }

  /** Whether a search that stopped early goes on. */
  get readsAll(): boolean {
    return this.#readAll;
  }

  setState(state: SearchState): void {
    this.state = state;
    this.#options.draw();
  }

  /** Takes another query, and searches for it after a pause in typing. */
  type(query: string, pause = this.state.scope === 'team' ? TEAM_PAUSE_MS : TYPING_PAUSE_MS): void {
    this.query = query;
    this.active = -1;
    this.#limit = null;
    this.#readAll = false;
    this.#opensFirst = undefined;
    this.scrollTop = 0;
    this.#folded.clear();
    this.#keep();
    clearTimeout(this.#timer);
    this.#running?.abort();
    this.isSearching = this.isWaiting = true;
    this.#timer = setTimeout(() => void this.#search(0, this.#filesInView()), pause);
    this.#options.draw();
  }

  /** Searches again for the same query, when its results may be others. */
  refresh(): void {
    if (this.query.trim() === '') return;
    // A running search may have read what has changed since.
    if (this.isSearching) this.#isOutdated = true;
    else void this.#search(0);
  }

  /** Fetches further files. */
  more(): void {
    if (!this.reply?.hasMore || this.isSearching || this.files.length >= MAX_FILES) return;
    this.#limit = Math.min(MAX_FILES, this.files.length * MORE);
    void this.#search(this.files.length);
  }

  /** Reads also the files that a search for a phrase left out. */
  searchAll(): void {
    this.#readAll = true;
    void this.#search(0);
  }

  /** Values of a filter to choose from; the page shows a failure. */
  choices(part: 'language' | 'folder'): Promise<readonly ShownChoice[] | undefined> {
    return this.#call(() => this.#options.caller.call('choices', { query: this.query, part }));
  }

  /** Searches elsewhere. */
  async searchIn(to: SearchScope): Promise<void> {
    await this.send('scope', { to });
    this.type(this.query, 0);
  }

  /** Asks for another token, and searches again. */
  async replaceToken(): Promise<void> {
    await this.send('replaceToken', undefined);
    this.type(this.query, 0);
  }

  async change(part: QueryPart, value = ''): Promise<void> {
    const { query: before } = this;
    const query = await this.#call(() => this.#options.caller.call('change', { query: before, part, value }));
    if (query === undefined) return;
    // The answer knows nothing of what was typed or chosen meanwhile.
    if (this.query === before) this.type(query, 0);
    else await this.change(part, value);
  }

  /** Opens a row, or the first result if none was chosen; without results yet, as soon as they come. */
  open(toSide: boolean, index = this.active): void {
    if (this.isWaiting && index < 0) {
      this.#opensFirst = { toSide };
      return;
    }
    const place = this.layout.rows[this.layout.firstPlace(Math.max(0, index))]?.place;
    // A folded file has no rows of places.
    const id = place?.id ?? this.layout.rows[index]?.file.places[0]?.id;
    if (id !== undefined) void this.send('open', { query: this.query, id, toSide });
  }

  /** Moves to a row, and shows its place. */
  move(index: number): void {
    const { rows } = this.layout;
    if (rows.length === 0) return;
    this.active = Math.max(0, Math.min(index, rows.length - 1));
    const id = rows[this.active]?.place?.id;
    if (id !== undefined) void this.send('preview', { id });
    if (this.active === rows.length - 1) this.more();
    this.#options.draw();
  }

  fold(file: ShownFile, isFolded: boolean): void {
    if (isFolded) this.#folded.add(file.key);
    else this.#folded.delete(file.key);
    this.#layOut();
    this.#options.draw();
  }

  scroll(scrollTop: number): void {
    this.scrollTop = scrollTop;
    this.#keep();
    this.#options.draw();
  }

  /** Sends a request without an answer; the page shows its failure. */
  async send<K extends keyof SearchMethods>(name: K, argument: Parameters<SearchMethods[K]>[0]): Promise<void> {
    await this.#call(() => this.#options.caller.call(name, argument as never));
  }

  async #call<T>(request: () => Promise<T>): Promise<T | undefined> {
    try {
      return await request();
    } catch (error) {
      this.#fail(error);
      this.#options.draw();
      return undefined;
    }
  }

  #fail(error: unknown): void {
    this.error = messageOf(error);
    this.needsToken = error instanceof SextantError && error.code === TOKEN_REFUSED;
  }

  /** `first` is the number of files to show before the others come. */
  async #search(from: number, first = 0): Promise<void> {
    clearTimeout(this.#timer);
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    this.isSearching = true;
    this.#isOutdated = false;
    this.#options.draw();
    const { query } = this;
    const limit = from === 0 && this.#limit === null ? null : Math.max(this.#limit ?? 0, this.files.length, 1);
    try {
      const request = { query, limit, from, first, readAll: this.#readAll };
      const reply = await this.#options.caller.call('search', request, running.signal, (beginning) => {
        if (running.signal.aborted) return;
        this.#take(beginning);
        this.#openFirst();
      });
      if (running.signal.aborted) return;
      this.#take(reply);
    } catch (error) {
      if (running.signal.aborted) return;
      this.#fail(error);
      this.#show(undefined, []);
    }
    this.isSearching = this.isWaiting = false;
    this.#openFirst();
    if (!this.#catchUp()) await this.#countFiles(running.signal);
  }

  /** Searches again if results may be others by now; returns whether it does. */
  #catchUp(): boolean {
    if (this.#isOutdated) this.refresh();
    return this.isSearching;
  }

  #take(reply: SearchReply): void {
    this.error = '';
    this.count = undefined;
    this.isWaiting = false;
    this.#show(reply, [...this.files.slice(0, reply.from), ...reply.files]);
  }

  #openFirst(): void {
    const opens = this.#opensFirst;
    this.#opensFirst = undefined;
    if (opens && this.files.length > 0) this.open(opens.toSide);
    this.#options.draw();
  }

  /** Number of files that fill the view: each has a row, and two or more for its places. */
  #filesInView(): number {
    return Math.ceil(innerHeight / this.#options.heights.line / 3);
  }

  #show(reply: SearchReply | undefined, files: readonly ShownFile[]): void {
    this.reply = reply;
    this.files = files;
    this.#layOut();
  }

  #layOut(): void {
    const chosen = this.layout.rows[this.active];
    this.layout = new RowLayout(this.files, this.#folded, this.#options.heights);
    if (!chosen) return;
    const found = this.layout.find(chosen.file.key, chosen.place?.line);
    // Keys go on from the first place where the chosen one is no result any more.
    this.active = found < 0 ? this.layout.firstPlace() : found;
  }

  /** Counts what the list does not show, after it is shown. */
  async #countFiles(signal: AbortSignal): Promise<void> {
    if (!this.reply?.hasMore) return;
    await new Promise((done) => setTimeout(done, COUNT_PAUSE_MS));
    if (signal.aborted) return;
    try {
      this.count = (await this.#options.caller.call('count', { query: this.query }, signal)) ?? undefined;
    } catch {
      // The list is complete without it; a new search has replaced this one, or will report the failure.
      return;
    }
    this.#options.draw();
  }

  #keep(): void {
    this.#options.keep({ query: this.query, scrollTop: this.scrollTop });
  }
}
