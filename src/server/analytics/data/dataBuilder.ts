import { BYOK_STATUSES, METRIC_FIELDS, RESOURCE_TYPES, type BudgetOverride } from '../../../analytics/contract.ts';
import { identityKey, type Identity } from '../../../analytics/identity.ts';
import type { OrganizationInfo } from '../factSource.ts';
import { overrideKeyOf } from '../overrides.ts';
import { ActivityTable } from './activityTable.ts';
import { RawCosts } from './costTable.ts';
import { CreditTable } from './creditTable.ts';
import { NAME_LISTS, partyOf, type Member, type NameList, type Party } from './dataParts.ts';
import { DataSet } from './dataSet.ts';
import { badLine } from './errors.ts';
import { NumberedNames } from './names.ts';
import type { CostRecord, DataRecord } from './records.ts';
import { RawRows } from './rows.ts';

/** Takes records one by one and makes a {@link DataSet} of them; facts with one key add up, declarations may follow them. */
export class DataBuilder {
  #organization: OrganizationInfo;
  readonly #members: Map<string, Member>;
  readonly #spellings: Map<string, Identity>;
  readonly #bots: Set<string>;
  readonly #experts: Map<string, string>;
  readonly #parties: Map<string, Party>;
  readonly #overrides = new Map<string, BudgetOverride>();
  readonly #names: Readonly<Record<NameList, NumberedNames>>;
  readonly #activity: RawRows;
  readonly #credits: RawRows;
  readonly #costs: RawCosts;
  readonly #metricTotals: number[];
  #creditTotal: number;
  /** Lines that only a later line can confirm: the first that names an expert, and the first that fits one plan only. */
  readonly #expertLines = new Map<string, number>();
  readonly #planLines = new Map<NonNullable<CostRecord['onlyFor']>, number>();

  /** Begins with what `base` has, without its overrides; `base` is not changed. */
  constructor({ parts: base }: DataSet = emptyDataSet()) {
    this.#organization = base.organization;
    this.#members = new Map(base.members);
    this.#spellings = new Map(base.spellings);
    this.#bots = new Set(base.bots);
    this.#experts = new Map(base.experts);
    this.#parties = new Map(base.parties);
    this.#names = forEachList((list) => new NumberedNames(base.names[list]));
    this.#activity = new RawRows(4, METRIC_FIELDS.length, base.activityTable.rows);
    this.#credits = new RawRows(3, 1, base.creditTable.rows);
    this.#costs = new RawCosts(base.costTable);
    this.#metricTotals = base.activityTable.totals();
    this.#creditTotal = base.creditTable.total();
  }

  /** `line` is where the record stands. Throws an `Error` with the reason where the record cannot be taken. */
  add(record: DataRecord, line: number): void {
    switch (record.kind) {
      case 'org':
        this.#organization = { plan: record.plan, enterprise: record.enterprise };
        break;
      case 'member':
        this.#members.set(identityKey(record.identity), { identity: record.identity, left: record.left });
        break;
      case 'bot':
        this.#bots.add(record.name);
        break;
      case 'expert':
        this.#experts.set(record.id, record.name);
        break;
      case 'activity': {
        const { day, identity, language, editor, metrics } = record;
        for (let i = 0; i < metrics.length; i++) this.#metricTotals[i] = sum(this.#metricTotals[i]!, metrics[i]!);
        const { languages, editors } = this.#names;
        this.#activity.push([day, this.#account(identity), languages.idOf(language), editors.idOf(editor)], metrics);
        break;
      }
      case 'credits': {
        const { day, identity, model, credits } = record;
        this.#creditTotal = sum(this.#creditTotal, credits);
        this.#credits.push([this.#account(identity), day, this.#names.models.idOf(model)], [credits]);
        break;
      }
      case 'cost':
        this.#addCost(record, line);
        break;
      case 'override': {
        const key = overrideKeyOf(record.override);
        if (this.#overrides.has(key)) throw new Error('an earlier line has an override of this identity and resource');
        this.#overrides.set(key, record.override);
        break;
      }
    }
  }

  /** Throws `BadData` where a line proves wrong now that all are known. */
  build(): DataSet {
    for (const [expert, line] of this.#expertLines)
      if (!this.#experts.has(expert))
        throw badLine(line, `no record of kind "expert" declares the expert_id ${expert}`);
    const { enterprise } = this.#organization;
    const line = this.#planLines.get(enterprise ? 'self-serve' : 'enterprise');
    if (line !== undefined) {
      const right = enterprise
        ? 'base_cost_usd plus surcharge_usd, on enterprise'
        : 'billed_amount_usd, for self-serve';
      throw badLine(line, `estimated_customer_cost_usd must be ${right}`);
    }
    const sorted = forEachList((list) => this.#names[list].sorted());
    const ranks = (lists: readonly (NameList | undefined)[]): (Int32Array | undefined)[] =>
      lists.map((list) => list && sorted[list].ranks);
    return new DataSet({
      organization: this.#organization,
      members: this.#members,
      spellings: this.#spellings,
      bots: this.#bots,
      experts: this.#experts,
      parties: this.#parties,
      ownOverrides: [...this.#overrides.values()],
      names: forEachList((list) => sorted[list].names),
      activityTable: new ActivityTable(
        this.#activity.sorted(ranks([undefined, 'accounts', 'languages', 'editors']), true),
        sorted.accounts.names.length,
      ),
      creditTable: new CreditTable(this.#credits.sorted(ranks(['accounts', undefined, 'models']))),
      costTable: this.#costs.sorted(
        ranks(['users', 'products', 'resources', 'resourceTypes', 'byokStatuses', 'experts']),
      ),
    });
  }

  #account(identity: Identity): number {
    const key = identityKey(identity);
    if (!this.#spellings.has(key)) this.#spellings.set(key, identity);
    return this.#names.accounts.idOf(key);
  }

  #addCost(record: CostRecord, line: number): void {
    const { expert = '', onlyFor, isByok } = record;
    if (expert !== '' && !this.#expertLines.has(expert)) this.#expertLines.set(expert, line);
    if (onlyFor && !this.#planLines.has(onlyFor)) this.#planLines.set(onlyFor, line);
    const party = partyOf(record.user);
    if (!this.#parties.has(party.key)) this.#parties.set(party.key, party);
    const { users, products, resources, resourceTypes, byokStatuses, experts } = this.#names;
    this.#costs.push(
      record.day,
      [
        users.idOf(party.key),
        products.idOf(record.product),
        resources.idOf(record.resource),
        resourceTypes.idOf(RESOURCE_TYPES[record.resourceType]!),
        byokStatuses.idOf(BYOK_STATUSES[isByok ? 0 : 1]),
        experts.idOf(expert),
      ],
      [record.billed, record.base, isByok ? record.base : 0, record.credits, ...record.tokens],
    );
  }
}

export function emptyDataSet(): DataSet {
  return new DataSet({
    organization: { plan: 'credits', enterprise: true },
    members: new Map(),
    spellings: new Map(),
    bots: new Set(),
    experts: new Map(),
    parties: new Map(),
    ownOverrides: [],
    names: forEachList(() => []),
    activityTable: new ActivityTable(new RawRows(4, METRIC_FIELDS.length).sorted([]), 0),
    creditTable: new CreditTable(new RawRows(3, 1).sorted([])),
    costTable: new RawCosts().sorted([]),
  });
}

function forEachList<T>(make: (list: NameList) => T): Record<NameList, T> {
  return Object.fromEntries(NAME_LISTS.map((list) => [list, make(list)])) as Record<NameList, T>;
}

/** Sums of sums are answered as JSON numbers, so none may pass what those hold exactly. */
function sum(total: number, value: number): number {
  if (total + value > Number.MAX_SAFE_INTEGER) throw new Error('the sum over all records would be above 2^53 - 1');
  return total + value;
}
