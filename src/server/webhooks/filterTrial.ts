import { SextantError } from '../../base/errors.ts';
import type { Webhook } from '../../webhooks/definitions.ts';
import { eventNumber } from '../../webhooks/event.ts';
import { Filter } from '../../webhooks/filter/filter.ts';
import { payloadOf } from '../../webhooks/payload.ts';
import type { WebhookService } from './service.ts';
import type { FilterTestView } from './views.ts';

/** Evaluates a filter for the last events of a webhook; unreadable ones are left out. Throws `InvalidFilter`. */
export async function testFilter(
  { journal }: WebhookService,
  { id }: Webhook,
  rule: unknown,
  last: number,
): Promise<FilterTestView> {
  const filter = new Filter(rule);
  const results: FilterTestView['results'][number][] = [];
  for (const summary of journal.list({ webhook: id }, last)) {
    const event = await journal.read(eventNumber(summary.id)!).catch((error: unknown) => {
      if (!(error instanceof SextantError && error.code === 'JournalDamaged')) throw error;
    });
    if (!event) continue;
    const { fires, because, error } = filter.explain(payloadOf(event.headers, event.body));
    results.push({
      event_id: event.id,
      fires,
      ...(because !== undefined && { because }),
      ...(error !== undefined && { error }),
    });
  }
  return { words: filter.words, fires: results.filter((one) => one.fires).length, of: results.length, results };
}
