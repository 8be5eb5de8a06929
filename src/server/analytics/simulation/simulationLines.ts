import { costMetricsOf } from '../cost.ts';
import type { DayRange } from '../../../analytics/dateRules.ts';
import { identityFields } from '../../../analytics/identity.ts';
import { formatDay, type Day } from '../../../base/day.ts';
import { nonZero, type FactSource } from '../factSource.ts';
import type { Directory } from './directory.ts';
import { BOTS, EXPERTS } from './vocabulary.ts';

const EVERYTHING = { byDay: true, byProduct: true, byResource: true, byUser: true, byByok: true, byExpert: true };

/**
 * The facts of a range as lines of a data file, so that a server that reads them answers the same. Activity and costs end
 * with `newest`, the last day that is complete.
 */
export function* simulationLines(
  facts: FactSource,
  directory: Directory,
  range: DayRange,
  newest: Day,
): Generator<string> {
  yield JSON.stringify({ kind: 'org', ...facts.organization });
  for (const { identity, end, start } of directory.accounts) {
    if (!identity || start > range.last) continue;
    const kind = identity.kind === 'user_email' ? 'user' : 'service_account';
    yield JSON.stringify({ kind, ...identityFields(identity), ...(end <= range.last && { left: formatDay(end) }) });
  }
  for (const bot_name of [...BOTS].sort()) yield JSON.stringify({ kind: 'bot', bot_name });
  for (const { id, name } of EXPERTS) yield JSON.stringify({ kind: 'expert', expert_id: id, name });
  for (let day = range.first; day <= range.last; day++) {
    const date = formatDay(day);
    const one = { first: day, last: day };
    if (day <= newest) {
      for (const { identity, language, editor, figures } of facts.editorLanguages(day)) {
        const metrics = nonZero(figures);
        yield JSON.stringify({ kind: 'activity', date, ...identityFields(identity), language, editor, metrics });
      }
    }
    for (const { identity, model, credits } of facts.credits(one, { date: false, model: true }))
      yield JSON.stringify({
        ...{ kind: 'credits', date, ...identityFields(identity) },
        ...{ model_name: model, credits_consumed: credits },
      });
    if (day > newest) continue;
    for (const { values, sums } of facts.cost(one, EVERYTHING, {})) {
      const { expert_info, ...rest } = values;
      const { surcharge_usd: _, estimated_customer_cost_usd: __, ...cost_metrics } = costMetricsOf(sums, true);
      yield JSON.stringify({
        ...{ kind: 'cost', date, ...rest, ...(expert_info && { expert_id: expert_info.expert_id }) },
        cost_metrics,
      });
    }
  }
}
