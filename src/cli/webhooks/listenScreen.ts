import { formatBytes } from '../../base/format.ts';
import { cutToColumns, printable } from '../../base/columns.ts';
import { eventTypeOf } from '../../webhooks/eventType.ts';
import { Filter } from '../../webhooks/filter/filter.ts';
import { bytesOf, payloadOf } from '../../webhooks/payload.ts';
import { explanation, headerLines, prettyBody } from '../../server/webhooks/eventText.ts';
import type { EventDetailView } from '../../server/webhooks/views.ts';

/** Events that the screen remembers; older ones are listed by `sextant events list`. */
export const MAX_EVENTS = 200;
const KEYS = '↑↓ choose  o open  r replay  e edit and resend  n retry now  t test event  f filter  u undo  q quit';
const OPEN_KEYS = '↑↓ scroll  o close  r replay  e edit and resend  q close';

/** The list of events in a terminal, the chosen one, and its text while it is open. */
export class ListenScreen {
  readonly #head: readonly string[];
  /** Oldest first. */
  readonly #events: EventDetailView[] = [];
  #chosen: string | undefined;
  /** First line of the open event that is shown. */
  #scroll: number | undefined;
  /** As typed, and what it means. */
  #filter: { readonly typed: string; readonly fits: (event: EventDetailView) => boolean } | undefined;
  /** A message, or a question with what was typed so far. */
  note = '';

  constructor(head: readonly string[]) {
    this.#head = head;
  }

  /** The chosen event, or else the newest. */
  get chosen(): EventDetailView | undefined {
    const shown = this.#shown();
    return shown.find(({ event_id: id }) => id === this.#chosen) ?? shown.at(-1);
  }

  get isOpen(): boolean {
    return this.#scroll !== undefined;
  }

  /** Adds an event, or replaces what was known of it. */
  put(event: EventDetailView): void {
    const at = this.#events.findIndex(({ event_id: id }) => id === event.event_id);
    if (at >= 0) this.#events[at] = event;
    else this.#events.push(event);
    if (this.#events.length > MAX_EVENTS) this.#events.shift();
  }

  /** Chooses the event above or below, or scrolls the open one. */
  move(by: number): void {
    if (this.#scroll !== undefined) {
      this.#scroll = Math.max(0, this.#scroll + by);
      return;
    }
    const shown = this.#shown();
    const at = shown.findIndex(({ event_id: id }) => id === this.chosen?.event_id);
    const next = Math.min(Math.max(at + by, 0), shown.length - 1);
    // At the newest, the choice follows those that arrive.
    this.#chosen = next === shown.length - 1 ? undefined : shown[next]?.event_id;
  }

  toggleOpen(): void {
    this.#scroll = this.#scroll === undefined && this.chosen ? 0 : undefined;
    if (this.#scroll !== undefined) this.#chosen = this.chosen?.event_id;
  }

  /** Shows only events whose body contains a text, or for which a JSONLogic filter fires. Throws `InvalidFilter` and `SyntaxError`. */
  filter(typed: string): void {
    const words = typed.trim();
    if (words === '') this.#filter = undefined;
    else if (words.startsWith('{')) {
      const rule = new Filter(JSON.parse(words));
      this.#filter = { typed: words, fits: (event) => rule.fires(payloadOfView(event)) };
    } else this.#filter = { typed: words, fits: (event) => `${typeOf(event)}\n${event.body}`.includes(words) };
  }

  /** The lines of a terminal of this size. */
  lines(columns: number, rows: number): string[] {
    const foot = [this.note, this.isOpen ? OPEN_KEYS : KEYS];
    const head = [...this.#head, this.#filter ? `Only events with: ${this.#filter.typed}` : ''];
    const room = Math.max(1, rows - head.length - foot.length);
    const middle = this.isOpen ? this.#openLines(room) : this.#rows(room);
    const all = [...head, ...middle, ...Array<string>(room - middle.length).fill(''), ...foot];
    return all.map((line) => cutToColumns(printable(line), columns));
  }

  #shown(): EventDetailView[] {
    const { fits } = this.#filter ?? {};
    return fits ? this.#events.filter(fits) : this.#events;
  }

  #rows(room: number): string[] {
    const shown = this.#shown();
    if (shown.length === 0) return ['Waiting for events.'];
    const chosen = this.chosen?.event_id;
    const at = shown.findIndex(({ event_id: id }) => id === chosen);
    const start = Math.max(0, Math.min(at - Math.floor(room / 2), shown.length - room));
    return shown.slice(start, start + room).map((event) => `${event.event_id === chosen ? '›' : ' '} ${rowOf(event)}`);
  }

  #openLines(room: number): string[] {
    const event = this.chosen;
    if (!event) return [];
    const text = `${explanation(event)}\n${headerLines(event)}\n${prettyBody(event)}`.split('\n');
    this.#scroll = Math.min(this.#scroll ?? 0, Math.max(0, text.length - room));
    return text.slice(this.#scroll, this.#scroll + room);
  }
}

/** One line for an event: time, id, type, size, and the result of its runs. */
export function rowOf(event: EventDetailView): string {
  const { event_id: id, received_at: at, bytes, status, runs } = event;
  const last = runs.at(-1)?.attempts.at(-1);
  const answer = last && `${last.status ?? last.error ?? ''} in ${last.duration_ms} ms`;
  const again = runs.some(({ next_at: next }) => next !== undefined) ? 'will be retried' : undefined;
  const parts = [at.slice(11, 19), id, typeOf(event), formatBytes(bytes), status, answer, again];
  return parts.filter((part) => part !== undefined && part !== '').join('  ');
}

function typeOf(event: EventDetailView): string {
  return eventTypeOf(event.headers, payloadOfView(event)) ?? event.method ?? '';
}

function payloadOfView(event: EventDetailView): unknown {
  return payloadOf(event.headers, bytesOf(event));
}
