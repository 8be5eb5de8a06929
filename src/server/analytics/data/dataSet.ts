import type { BudgetOverride, UserInfo } from '../../../analytics/contract.ts';
import { daysOf, type DayRange } from '../../../analytics/dateRules.ts';
import { identityKey, type Identity } from '../../../analytics/identity.ts';
import { formatDay, parseDay, type Day } from '../../../base/day.ts';
import type * as Facts from '../factSource.ts';
import { compareKeys } from '../factSource.ts';
import { CostGroups } from './costGroups.ts';
import { shownUser, spelled, type DataParts } from './dataParts.ts';
import { exportLines } from './exportLines.ts';
import { lowerBound } from './rows.ts';

/** The facts of data files, in memory. Never changes: what is added makes another one. */
export class DataSet implements Facts.FactSource {
  readonly parts: DataParts;
  /** As they are shown, by place. */
  readonly #identities: readonly Identity[];
  readonly #users: readonly UserInfo[];

  constructor(parts: DataParts) {
    this.parts = parts;
    this.#identities = parts.names.accounts.map((key) => spelled(parts, key)!);
    this.#users = parts.names.users.map((key) => shownUser(parts, key));
  }

  get organization(): Facts.OrganizationInfo {
    return this.parts.organization;
  }

  get isEmpty(): boolean {
    const { members, names, costTable } = this.parts;
    return members.size + names.accounts.length + costTable.length === 0;
  }

  findMember(identity: Identity, day: Day): Identity | undefined {
    const member = this.parts.members.get(identityKey(identity));
    return member && (member.left === undefined || member.left > day) ? member.identity : undefined;
  }

  activeCounts(range: DayRange): number[] {
    const counts: number[] = [];
    for (let day = range.first; day <= range.last; day++) counts.push(this.parts.activityTable.accountsOn(day));
    return counts;
  }

  *activeAccounts(day: Day, after?: Facts.RowKey): Generator<Facts.AccountRow> {
    const span = this.parts.activityTable.rowsOn(day);
    if (!span) return;
    const { to } = span;
    const from = after
      ? lowerBound(
          span.from,
          to,
          (row) => this.parts.names.accounts[this.parts.activityTable.account(row)]! > after[0]!,
        )
      : span.from;
    for (let row = from, last = -1; row < to; row++) {
      const account = this.parts.activityTable.account(row);
      if (account !== last) yield this.#row(account);
      last = account;
    }
  }

  usage(range: DayRange): (Facts.Figures | undefined)[] {
    return daysOf(range).map((day) => this.parts.activityTable.usageOn(day));
  }

  activity(range: DayRange, after?: Facts.RowKey, limit = Infinity): Facts.ActivityFact[] {
    const { accounts } = this.parts.names;
    return this.parts.activityTable
      .activity(this.#firstAccount(after?.[0]), this.#identities.length, range, limit)
      .map(({ account, activeDays, figures }) => ({
        key: [accounts[account]!],
        identity: this.#identities[account]!,
        activeDays,
        figures,
      }));
  }

  *editorLanguages(day: Day, after?: Facts.RowKey): Generator<Facts.EditorLanguageRow> {
    const span = this.parts.activityTable.rowsOn(day);
    if (!span) return;
    const { accounts, languages, editors } = this.parts.names;
    const table = this.parts.activityTable;
    const keyOf = (row: number): Facts.RowKey => [
      accounts[table.account(row)]!,
      languages[table.language(row)]!,
      editors[table.editor(row)]!,
    ];
    const from = after ? lowerBound(span.from, span.to, (row) => compareKeys(keyOf(row), after) > 0) : span.from;
    for (let row = from; row < span.to; row++) {
      const key = keyOf(row);
      const identity = this.#identities[table.account(row)]!;
      yield { key, identity, language: key[1]!, editor: key[2]!, figures: table.figures(row) };
    }
  }

  credits(
    range: DayRange,
    by: { readonly date: boolean; readonly model: boolean },
    after?: Facts.RowKey,
  ): Iterable<Facts.CreditFact> {
    return by.date ? this.#creditsByDay(range, by.model, after) : this.#creditsByAccount(range, by.model, after);
  }

  *cost(
    range: DayRange,
    by: Facts.CostGrouping,
    filters: Facts.CostFilters,
    after?: Facts.RowKey,
  ): Generator<Facts.CostFact> {
    const groups = new CostGroups(this.parts, this.#users, by, filters);
    if (!by.byDay) {
      for (let day = range.first; day <= range.last; day++) groups.add(day);
      yield* groups.rows(after);
      return;
    }
    const first = after === undefined ? range.first : Math.max(range.first, parseDay(after[0]!)!);
    for (let day = first; day <= range.last; day++) {
      groups.add(day);
      const date = formatDay(day);
      const afterThen = after?.[0] === date ? after.slice(1) : undefined;
      for (const { key, ...row } of groups.rows(afterThen)) yield { key: [date, ...key], day, ...row };
      groups.clear();
    }
  }

  overrides(): Iterable<BudgetOverride> {
    return this.parts.ownOverrides;
  }

  lines(): Iterable<string> {
    return exportLines(this.parts);
  }

  *#creditsByDay({ first, last }: DayRange, byModel: boolean, after?: Facts.RowKey): Generator<Facts.CreditFact> {
    const table = this.parts.creditTable;
    for (let day = after ? Math.max(first, parseDay(after[0]!)!) : first; day <= last; day++) {
      const date = formatDay(day);
      const rows = table.rowsOn(day);
      const keyOf = (row: number): string[] => {
        const account = this.parts.names.accounts[table.account(row)]!;
        return byModel ? [date, account, this.parts.names.models[table.model(row)]!] : [date, account];
      };
      const from = after ? lowerBound(0, rows.length, (at) => compareKeys(keyOf(rows[at]!), after) > 0) : 0;
      for (let at = from; at < rows.length;) {
        const key = keyOf(rows[at]!);
        const account = table.account(rows[at]!);
        let credits = 0;
        do credits += table.credits(rows[at++]!);
        while (!byModel && at < rows.length && table.account(rows[at]!) === account);
        yield { key, identity: this.#identities[account]!, credits, day, ...(byModel && { model: key[2]! }) };
      }
    }
  }

  *#creditsByAccount(range: DayRange, byModel: boolean, after?: Facts.RowKey): Generator<Facts.CreditFact> {
    const table = this.parts.creditTable;
    // Of the account at which the page before ended there may be more models.
    for (let account = this.#firstAccount(after?.[0], byModel); account < this.#identities.length; account++) {
      const span = table.rowsOf(account, range);
      if (!span) continue;
      const row = this.#row(account);
      if (!byModel) {
        yield { ...row, credits: table.sum(span) };
        continue;
      }
      const models = new Map<number, number>();
      for (let at = span.from; at < span.to; at++)
        models.set(table.model(at), (models.get(table.model(at)) ?? 0) + table.credits(at));
      for (const [place, credits] of [...models].sort(([a], [b]) => a - b)) {
        const model = this.parts.names.models[place]!;
        const key = [...row.key, model];
        if (!after || compareKeys(key, after) > 0) yield { ...row, key, credits, model };
      }
    }
  }

  #row(account: number): Facts.AccountRow {
    return { key: [this.parts.names.accounts[account]!], identity: this.#identities[account]! };
  }

  /** The place of the first account after a key, or of the key's own. */
  #firstAccount(after: string | undefined, orSame = false): number {
    if (after === undefined) return 0;
    const { accounts } = this.parts.names;
    return lowerBound(0, accounts.length, (at) => (orSame ? accounts[at]! >= after : accounts[at]! > after));
  }
}
