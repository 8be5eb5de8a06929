import type { RpcCaller } from '../../src/base/rpc.ts';
import type {
  EventsEvents,
  EventsMethods,
  EventsState,
  EventVerdict,
  ShownEvent,
  ShownEventList,
  ShownEventRow,
} from '../../src/protocol/eventsView.ts';
import { messageOf } from '../page.tsx';

/** Pause in typing after which to search. */
const TYPING_PAUSE_MS = 150;
/** Pause after which rows with runs under way are fetched again. */
const RUNNING_MS = 1_000;
/** Rows that are requested together, and the most blocks of them in memory. */
const BLOCK = 100;
const MAX_BLOCKS = 40;

interface Block {
  version: number;
  rows: readonly ShownEventRow[];
  isLoading: boolean;
  timer?: ReturnType<typeof setTimeout>;
}

/** Elements that take the focus. */
export interface Controls {
  box: HTMLInputElement | null;
  list: HTMLDivElement | null;
}

interface EventsModelOptions {
  readonly caller: RpcCaller<EventsMethods, EventsEvents>;
  /** Height of a row in pixels. */
  readonly rowHeight: number;
  readonly draw: () => void;
  readonly keep: (state: { readonly query: string }) => void;
}

/** What the page shows, and the requests that change it. Rows are fetched in blocks, once they come into view. */
export class EventsModel {
  readonly #options: EventsModelOptions;
  state: EventsState;
  list: ShownEventList;
  query: string;
  error = '';
  /** Index of the row that keys act on; -1 for none. */
  active = -1;
  /** Number of moves by the user, each of which scrolls the active row into view. */
  moves = 0;
  scrollTop = 0;
  event: ShownEvent | null = null;
  isEditing = false;
  /** Whether secret values of the open event are shown. */
  hasSecrets = false;
  isLoading = false;
  /** Id of the active row's event, which stays active as others arrive above it. */
  #activeId: string | undefined;
  readonly #blocks = new Map<number, Block>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #opening = '';

  constructor(state: EventsState, options: EventsModelOptions) {
    this.#options = options;
    this.state = state;
    this.list = state.list;
    this.query = state.query;
    if (state.open !== null) void this.open(state.open, state.isEditing);
  }

  get rowHeight(): number {
    return this.#options.rowHeight;
  }

  setState(state: EventsState): void {
    this.state = state;
    // The page says that there is no server; what failed because of that is over when one runs again.
    if (!state.hasServer) this.error = '';
    this.setList(state.list);
  }

  setList(list: ShownEventList): void {
    this.list = list;
    if (this.active >= list.total) this.active = list.total - 1;
    this.#options.draw();
  }

  /** The open event changed, such as by a run. */
  setEvent(event: ShownEvent): void {
    if (this.event?.row.id === event.row.id) this.event = event;
    // Its row changed with it.
    this.#stale();
    this.#options.draw();
  }

  type(query: string, pause = TYPING_PAUSE_MS): void {
    this.query = query;
    this.active = -1;
    this.scrollTop = 0;
    this.#options.keep({ query });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#blocks.clear();
      void this.send('search', { query });
    }, pause);
    this.#options.draw();
  }

  /** Replaces the filter `name:` of the query; an empty value removes it. */
  setPart(name: 'status' | 'webhook', value: string): void {
    const rest = this.query.replaceAll(new RegExp(`(^|\\s)${name}:("[^"]*"?|\\S*)`, 'g'), '').trim();
    const part = value === '' ? '' : `${name}:${/\s/.test(value) ? `"${value}"` : value}`;
    this.type(rest.startsWith('{') ? part : [rest, part].filter((one) => one !== '').join(' '), 0);
  }

  partOf(name: 'status' | 'webhook'): string {
    const found = new RegExp(`(?:^|\\s)${name}:(?:"([^"]*)"?|(\\S+))`).exec(this.query);
    return this.query.trim().startsWith('{') ? '' : (found?.[1] ?? found?.[2] ?? '');
  }

  /** A row of the list, if it is loaded; otherwise its block is fetched. */
  rowAt(index: number): ShownEventRow | undefined {
    const number = Math.floor(index / BLOCK);
    const block = this.#blocks.get(number);
    if (block?.version !== this.list.version) void this.#fetch(number);
    return block?.rows[index % BLOCK];
  }

  scroll(scrollTop: number): void {
    const wasTop = this.scrollTop === 0;
    this.scrollTop = scrollTop;
    if (wasTop !== (scrollTop === 0)) void this.send('follow', { isOn: scrollTop === 0 });
    this.#options.draw();
  }

  move(index: number): void {
    if (this.list.total === 0) return;
    this.active = Math.max(0, Math.min(index, this.list.total - 1));
    this.moves++;
    this.#activeId = this.rowAt(this.active)?.id;
    this.#options.draw();
  }

  async open(id: string | null, isEditing = false): Promise<void> {
    this.#opening = id ?? '';
    this.isLoading = id !== null;
    this.#options.draw();
    const event = await this.#call(() => this.#options.caller.call('open', { id }));
    if (this.#opening !== (id ?? '')) return;
    this.isLoading = false;
    if (event?.row.id !== this.event?.row.id) this.hasSecrets = false;
    this.event = event ?? null;
    this.isEditing = isEditing && event !== undefined;
    this.#options.draw();
  }

  edit(isEditing: boolean): void {
    this.isEditing = isEditing;
    this.#options.draw();
  }

  showSecrets(): void {
    this.hasSecrets = true;
    this.#options.draw();
  }

  async resend(type: string, headers: readonly (readonly [string, string])[], body: string): Promise<void> {
    const id = this.event?.row.id;
    if (id === undefined) return;
    const sent = await this.#call(() => this.#options.caller.call('resend', { id, type, headers, body }));
    if (sent !== undefined) await this.open(sent);
  }

  /** Sends a request without an answer; the page shows its failure. */
  async send<K extends keyof EventsMethods>(name: K, argument: Parameters<EventsMethods[K]>[0]): Promise<void> {
    await this.#call(() => this.#options.caller.call(name, argument as never));
  }

  async pin(row: ShownEventRow): Promise<void> {
    await this.send('pin', { id: row.id, isPinned: !row.isPinned });
    this.#stale();
    if (this.event?.row.id === row.id) await this.open(row.id, this.isEditing);
  }

  dismiss(): void {
    this.error = '';
    this.#options.draw();
  }

  async #call<T>(request: () => Promise<T>): Promise<T | undefined> {
    try {
      const answer = await request();
      this.error = '';
      return answer;
    } catch (error) {
      this.error = messageOf(error);
      return undefined;
    } finally {
      this.#options.draw();
    }
  }

  /** Fetches a block; its old rows stay until the new ones are there. */
  async #fetch(number: number): Promise<void> {
    const block = this.#blocks.get(number) ?? { version: -1, rows: [], isLoading: false };
    if (block.isLoading) return;
    block.isLoading = true;
    // The block moves to the end, as the last one used.
    this.#blocks.delete(number);
    this.#blocks.set(number, block);
    const [oldest] = this.#blocks.keys();
    if (this.#blocks.size > MAX_BLOCKS && oldest !== undefined) this.#blocks.delete(oldest);
    const { version } = this.list;
    try {
      block.rows = await this.#options.caller.call('rows', { from: number * BLOCK, count: BLOCK });
      this.#keepActive(number * BLOCK, block.rows);
      // Runs under way change a row without a change of the list.
      clearTimeout(block.timer);
      if (block.rows.some(({ status }) => isUnfinished(status)))
        block.timer = setTimeout(() => this.#stale(number), RUNNING_MS);
    } catch (error) {
      this.error = messageOf(error);
    }
    block.version = version;
    block.isLoading = false;
    this.#options.draw();
  }

  #keepActive(from: number, rows: readonly ShownEventRow[]): void {
    const at = rows.findIndex(({ id }) => id === this.#activeId);
    if (this.active >= 0 && at >= 0) this.active = from + at;
    else if (this.active >= from) this.#activeId ??= rows[this.active - from]?.id;
  }

  #stale(number?: number): void {
    for (const [at, block] of this.#blocks) if (number === undefined || number === at) block.version = -1;
    this.#options.draw();
  }
}

function isUnfinished(status: EventVerdict): boolean {
  return status === 'received' || status === 'pending';
}
