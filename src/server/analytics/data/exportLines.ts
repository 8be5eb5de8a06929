import { TOKEN_FIELDS } from '../../../analytics/contract.ts';
import { identityFields } from '../../../analytics/identity.ts';
import { formatDay } from '../../../base/day.ts';
import { formatDecimal } from '../../../base/decimal.ts';
import { nonZero } from '../factSource.ts';
import { exact, MONEY_UNIT, TOKEN_UNIT, type Amount } from './amount.ts';
import { COST_LISTS, type CostList } from './costTable.ts';
import { shownUser, spelled, type DataParts } from './dataParts.ts';

/** Everything but overrides as records of a data file, in an order that depends on nothing but what there is. */
export function* exportLines(parts: DataParts): Generator<string> {
  yield JSON.stringify({ kind: 'org', ...parts.organization });
  for (const [, { identity, left }] of sortedEntries(parts.members)) {
    const kind = identity.kind === 'user_email' ? 'user' : 'service_account';
    yield JSON.stringify({ kind, ...identityFields(identity), ...(left !== undefined && { left: formatDay(left) }) });
  }
  for (const bot_name of [...parts.bots].sort()) yield JSON.stringify({ kind: 'bot', bot_name });
  for (const [expert_id, name] of sortedEntries(parts.experts))
    yield JSON.stringify({ kind: 'expert', expert_id, name });
  yield* activityLines(parts);
  yield* creditLines(parts);
  yield* costLines(parts);
}

function* activityLines(parts: DataParts): Generator<string> {
  const { columns, length } = parts.activityTable.rows;
  const [days, accounts, languages, editors] = columns as [Int32Array, Int32Array, Int32Array, Int32Array];
  for (let row = 0; row < length; row++) {
    yield JSON.stringify({
      kind: 'activity',
      date: formatDay(days[row]!),
      ...identityFields(spelled(parts, parts.names.accounts[accounts[row]!]!)!),
      language: parts.names.languages[languages[row]!],
      editor: parts.names.editors[editors[row]!],
      metrics: nonZero(parts.activityTable.figures(row)),
    });
  }
}

function* creditLines(parts: DataParts): Generator<string> {
  const { columns, figures, length } = parts.creditTable.rows;
  const [accounts, days, models] = columns as [Int32Array, Int32Array, Int32Array];
  for (let row = 0; row < length; row++) {
    yield JSON.stringify({
      kind: 'credits',
      date: formatDay(days[row]!),
      ...identityFields(spelled(parts, parts.names.accounts[accounts[row]!]!)!),
      model_name: parts.names.models[models[row]!],
      credits_consumed: figures[row]!,
    });
  }
}

function* costLines(parts: DataParts): Generator<string> {
  const table = parts.costTable;
  for (let row = 0; row < table.length; row++) {
    const name = (list: CostList): string => parts.names[list][table.place(COST_LISTS.indexOf(list), row)]!;
    const [billed, base, , credits, ...tokens] = table.amounts(row);
    const user = shownUser(parts, name('users'));
    yield JSON.stringify({
      kind: 'cost',
      date: formatDay(table.day(row)),
      product_display_name: name('products'),
      resource_display_name: name('resources'),
      resource_type: name('resourceTypes'),
      user_info: Object.keys(user).length === 0 ? null : user,
      byok_status: name('byokStatuses'),
      ...(name('experts') !== '' && { expert_id: name('experts') }),
      cost_metrics: {
        billed_amount_usd: formatDecimal(exact(billed!, MONEY_UNIT)),
        base_cost_usd: formatDecimal(exact(base!, MONEY_UNIT)),
        credits_consumed: formatDecimal(exact(credits!, MONEY_UNIT)),
        ...Object.fromEntries(TOKEN_FIELDS.map((field, i) => [field, tokenCount(tokens[i]!)])),
      },
    });
  }
}

function tokenCount(amount: Amount): number | string {
  const count = exact(amount, TOKEN_UNIT);
  return count > BigInt(Number.MAX_SAFE_INTEGER) ? String(count) : Number(count);
}

function sortedEntries<V>(map: ReadonlyMap<string, V>): [string, V][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
