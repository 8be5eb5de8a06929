import { AdminClient } from '../../server/admin/adminClient.ts';
import type { EventDetailView } from '../../server/webhooks/views.ts';
import { isUnfinished } from '../../webhooks/event.ts';
import { eventsAfter } from './eventTail.ts';

/** Follows the events of a webhook, each until its runs end. */
export class EventFollower {
  readonly #client: AdminClient;
  readonly #webhook: string;
  /** The most events to follow at a time. */
  readonly #most: number;
  #newest: string;
  /** Ids of events to fetch: new ones, and those with runs under way. */
  readonly #unsettled = new Set<string>();

  /** `newest` is the id of the event after which to begin. */
  constructor(client: AdminClient, webhook: string, newest: string, most: number) {
    [this.#client, this.#webhook, this.#newest, this.#most] = [client, webhook, newest, most];
  }

  /** Yields the events that are new or whose runs were under way, oldest first. After an error, the next call goes on. */
  async *changed(): AsyncGenerator<EventDetailView> {
    for (const { event_id: id } of await eventsAfter(this.#newest, this.#client, this.#webhook)) {
      this.#newest = id;
      this.#unsettled.add(id);
    }
    for (const id of [...this.#unsettled].slice(0, -this.#most)) this.#unsettled.delete(id);
    for (const id of this.#unsettled) {
      const event = await this.#client.ask<EventDetailView>('GET', AdminClient.path(['events', id]));
      if (!isUnfinished(event.status)) this.#unsettled.delete(id);
      yield event;
    }
  }
}
