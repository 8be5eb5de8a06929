import * as l10n from '@vscode/l10n';
import type { BudgetChanges } from '../../analytics/budgets/budgetChanges.ts';
import type { AnalyticsData } from '../../analytics/client/analyticsData.ts';
import { endpoints, RATE_LIMITS } from '../../analytics/contract.ts';
import { describeRange, type DayRange } from '../../analytics/dateRules.ts';
import { identityKey, type Identity } from '../../analytics/identity.ts';
import { identityOf } from '../../analytics/insights/people.ts';
import { describeMoment } from '../../analytics/reports/report.ts';
import type { Table } from '../../analytics/reports/table.ts';
import type { PeopleReport } from '../../analytics/reports/usageReport.ts';
import { systemClock, type Clock } from '../../base/clock.ts';
import { SextantError } from '../../base/errors.ts';
import { formatCount, formatSeconds } from '../../base/format.ts';
import type { Logger } from '../../base/log.ts';
import { TABS, type List } from '../../protocol/dashboardChoices.ts';
import {
  choicesSchema,
  type Choices,
  type DashboardState,
  type ListedRow,
  type Page,
  type Progress,
  type ViewError,
} from '../../protocol/dashboardView.ts';
import { BudgetEditor } from './budgetEditor.ts';
import { budgetColumns, budgetListRows, budgetsContent } from './budgetsContent.ts';
import { none, type Content, type Look } from './content.ts';
import { chartOf, type Figure } from './figures.ts';
import { languagesContent } from './languagesContent.ts';
import { Names } from './names.ts';
import { overviewContent } from './overviewContent.ts';
import { peopleColumns, peopleContent, peopleRows, personContent } from './peopleContent.ts';
import { chosenRange, possibleRange } from './ranges.ts';
import { ReportStore, type Part, type ReportName, type Reports } from './reportStore.ts';
import { SortedList, type SourceRow } from './rowList.ts';
import { costContent, creditsContent, groups } from './spendingContent.ts';
import { describeDayRange, troubleOf, troubleOfPause, troubleOfReport } from './trouble.ts';

export const FIRST_CHOICES: Choices = {
  tab: 'overview',
  preset: '28d',
  first: '',
  last: '',
  compare: true,
  group: 'resource',
  filter: '',
  anonymise: false,
};

export interface ModelParts {
  /** What was chosen last, if anything; nobody checked it. */
  readonly kept: unknown;
  keep(choices: Choices): void;
  /** From which pseudonyms follow. */
  readonly secret: string;
  readonly logger: Logger;
  readonly clock?: Clock;
  onChange(): void;
  /** Limits were changed here, or are known to be others: whoever shows them asks again. */
  onOutdated(): void;
}

/** What changes limits of an account, and whom it knows besides those who are listed. */
export interface ModelBudgets {
  readonly changes: BudgetChanges;
  readonly people: () => readonly Identity[];
  /** Somebody has read what became of a batch. */
  readonly told: (batch: number) => void;
}

/** What can be exported of what is shown. */
export interface Shown {
  readonly title: string;
  readonly range: string;
  readonly asOf: string;
  readonly tiles: Page['tiles'];
  readonly figures: readonly Figure[];
  readonly table: Table | undefined;
}

const EMPTY: Content = { tiles: [], figures: [], table: none, empty: null };
const PER_PAGE = endpoints.userActivity.pageSize?.maximum ?? 1;
/** A list that is still coming is arranged anew when it has so much more: it would run away from whoever reads it. */
const GROWTH = 1.25;
const { perMinute } = RATE_LIMITS[endpoints.userActivity.rateGroup];

/**
 * What the dashboard shows, of which account, days and tab, whether its page is there or not. Knows no editor. Reports are loaded
 * when a tab needs them, and stay while the days are the same.
 */
export class DashboardModel {
  readonly #parts: ModelParts;
  readonly #clock: Clock;
  #choices: Choices;
  #names: Names;
  #account: DashboardState['account'] = { kind: 'none', name: '' };
  #data: AnalyticsData | undefined;
  #store: ReportStore | undefined;
  /** Why the days that were chosen cannot be shown: the ones before are. */
  #rangeTrouble: ViewError | undefined;
  #person: Identity | undefined;
  readonly #lists: Record<OwnList, SortedList | undefined> = { people: undefined, budgets: undefined };
  #budgets: ModelBudgets | undefined;
  /** Where limits are changed. */
  readonly desk: BudgetEditor;
  #peopleShown: PeopleReport | undefined;
  #rowsFor: { readonly of: readonly unknown[]; readonly rows: readonly SourceRow[] } = { of: [], rows: [] };

  constructor(parts: ModelParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
    const kept = choicesSchema.safeParse(parts.kept);
    this.#choices = kept.success ? kept.data : FIRST_CHOICES;
    this.#names = new Names(parts.secret, this.#choices.anonymise);
    this.desk = new BudgetEditor({
      logger: parts.logger,
      known: () => ({
        names: this.#names,
        report: this.#store?.report('budgets'),
        identities: () => this.#identities(),
      }),
      onChange: () => parts.onChange(),
      onOutdated: () => parts.onOutdated(),
      onAcknowledged: (batch) => this.#budgets?.told(batch),
    });
  }

  get choices(): Choices {
    return this.#choices;
  }

  /** Shows this account from now on; of the one before nothing is left. */
  connect(account: DashboardState['account'], data: AnalyticsData | undefined, budgets?: ModelBudgets): void {
    const isOther = data !== this.#data;
    this.#account = account;
    if (isOther) {
      this.#data = data;
      this.#person = undefined;
      this.#lists.people = this.#lists.budgets = undefined;
      this.#budgets = budgets;
      this.desk.connect(budgets?.changes);
      this.#open();
    }
    this.#parts.onChange();
  }

  choose(choices: Choices): void {
    const before = this.#choices;
    this.#choices = choices;
    this.#parts.keep(choices);
    if (choices.anonymise !== before.anonymise) this.#names = new Names(this.#parts.secret, choices.anonymise);
    if (choices.tab !== before.tab) this.#person = undefined;
    const isOtherRange = (['preset', 'first', 'last'] as const).some((key) => choices[key] !== before[key]);
    if (isOtherRange) this.#open();
    else void this.#load();
    this.#parts.onChange();
  }

  /** Opens the page of somebody, also of whom nothing is loaded yet. */
  showPerson(identity: Identity): void {
    this.choose({ ...this.#choices, tab: 'people', filter: '' });
    this.#show(identity);
  }

  async refresh(): Promise<void> {
    this.desk.reread();
    // A day may have ended meanwhile.
    const range = this.#range();
    const store = this.#store;
    if (!store || (range && (range.first !== store.range.first || range.last !== store.range.last))) this.#open();
    else await store.load(this.#wanted(), this.#person, true);
  }

  async resume(): Promise<void> {
    if (!this.#store) this.#open();
    await this.#store?.resume(this.#wanted(), this.#person);
  }

  stop(): void {
    this.#store?.stop(['languages', 'people']);
  }

  /** Asks for the limits again, whatever is on its way: it may be what was before. */
  async limitsChanged(): Promise<void> {
    this.desk.reread();
    await this.#store?.reload(['budgets', 'limits'], this.#person);
  }

  rows(list: List, from: number, count: number): ListedRow[] {
    return this.#listNamed(list)?.rows(from, count) ?? [];
  }

  sort(list: List, column: string, descending: boolean): void {
    this.#listNamed(list)?.sort(column, descending);
    this.#parts.onChange();
  }

  #listNamed(list: List): SortedList | undefined {
    return list === 'changes' ? this.desk.list : this.#lists[list];
  }

  /** With `null` all of them again. */
  openPerson(id: string | null): void {
    this.#show(id === null ? undefined : this.#identities().find((one) => this.#names.id(one) === id));
  }

  dispose(): void {
    this.desk.dispose();
    this.#store?.dispose();
  }

  get state(): DashboardState {
    const data = this.#data;
    const possible = describeRange(data ? possibleRange(data.newestDay, data.today) : { first: 0, last: 0 });
    const shown = this.#store && describeRange(this.#store.range);
    const page = this.#page();
    return {
      account: this.#account,
      choices: this.#choices,
      tabs: TABS.map((id) => ({ id, name: tabTitle(id) })),
      range: {
        text: this.#store ? describeDayRange(this.#store.range) : '',
        first: shown?.effective_start_date ?? '',
        last: shown?.effective_end_date ?? '',
        oldest: possible.effective_start_date,
        newest: possible.effective_end_date,
      },
      groups: ['credits', 'cost'].includes(this.#choices.tab) ? groups() : [],
      page,
      desk: this.#choices.tab === 'budgets' || this.#person ? this.desk.state({ person: this.#person }) : null,
      spoken: this.#spoken(page),
    };
  }

  /** What is shown, for an export: with pseudonyms where those are shown. */
  get shown(): Shown {
    const content = this.#content();
    const list = this.#list();
    return {
      title: this.#person ? this.#names.of(this.#person) : tabTitle(this.#choices.tab),
      range: this.#store ? describeDayRange(this.#store.range) : '',
      asOf: describeMoment(this.#asOf()),
      tiles: content.tiles,
      figures: content.figures,
      table: list?.table ?? content.table(),
    };
  }

  #range(): DayRange | undefined {
    const data = this.#data;
    return data && chosenRange(this.#choices, data.newestDay, data.today);
  }

  /** Begins with the chosen days. */
  #open(): void {
    const data = this.#data;
    this.#rangeTrouble = undefined;
    if (!data) {
      this.#store?.dispose();
      this.#store = undefined;
      return;
    }
    try {
      const range = chosenRange(this.#choices, data.newestDay, data.today);
      this.#store?.dispose();
      this.#store = new ReportStore(data, range, {
        logger: this.#parts.logger,
        clock: this.#clock,
        onChange: () => this.#parts.onChange(),
      });
      void this.#load();
    } catch (error) {
      if (!(error instanceof SextantError)) throw error;
      this.#rangeTrouble = troubleOf(error);
    }
  }

  async #load(): Promise<void> {
    await this.#store?.load(this.#wanted(), this.#person);
  }

  /** The reports of the tab; without the first there is nothing to show. */
  #wanted(): readonly [ReportName, ...ReportName[]] {
    if (this.#person) return ['person', 'people', 'budgets', 'cost'];
    const { tab, group } = this.#choices;
    switch (tab) {
      case 'overview':
        return ['usage', 'cost', 'people'];
      case 'people':
        return ['people', 'spending', 'usage'];
      case 'languages':
        return ['languages', 'usage'];
      case 'credits':
      case 'cost':
        return group === 'user' ? ['cost', 'spending'] : group === 'expert' ? ['cost', 'experts'] : ['cost'];
      case 'budgets':
        return ['budgets', 'limits'];
    }
  }

  #content(): Content {
    const store = this.#store;
    if (!store) return EMPTY;
    const look: Look = { choices: this.#choices, names: this.#names };
    if (this.#person) return this.#personContent(store, this.#person);
    const [usage, cost, people] = [store.report('usage'), store.report('cost'), store.report('people')];
    const spending = store.report('spending');
    switch (this.#choices.tab) {
      case 'overview':
        return usage || cost
          ? overviewContent({ usage, cost, people, arePeopleComing: store.part('people').isLoading }, look)
          : EMPTY;
      case 'people':
        return people ? peopleContent({ people, spending }, look) : EMPTY;
      case 'languages': {
        const report = store.report('languages');
        return report ? languagesContent(report, look) : EMPTY;
      }
      case 'credits':
      case 'cost': {
        if (!cost) return EMPTY;
        const reports = { cost, spending, experts: store.report('experts') };
        return this.#choices.tab === 'credits' ? creditsContent(reports, look) : costContent(reports, look);
      }
      case 'budgets': {
        const budgets = store.report('budgets');
        const limits = store.report('limits');
        return budgets
          ? budgetsContent({ budgets, spending: limits && 'points' in limits ? limits : undefined }, look)
          : EMPTY;
      }
    }
  }

  #personContent(store: ReportStore, identity: Identity): Content {
    const key = identityKey(identity);
    const budgets = store.report('budgets');
    const standing = budgets?.standings.find((one) => one.key === key);
    return personContent({
      identity,
      activity: store.report('people')?.people.find((row) => identityKey(identityOf(row)) === key),
      spending: store.report('person'),
      standing,
      limitUnit: standing && budgets?.unit,
    });
  }

  #list(): SortedList | undefined {
    const store = this.#store;
    if (!store || this.#person) return undefined;
    const { tab, filter } = this.#choices;
    const names = this.#names;
    if (tab === 'people') {
      const people = this.#settled(store);
      if (!people || people.people.length === 0) return undefined;
      const spending = store.report('spending');
      const unit = spending?.unit ?? store.report('cost')?.unit ?? 'credits';
      const rows = this.#once([people, spending, names], () => peopleRows({ people, spending }, names));
      return this.#fill('people', () => new SortedList('people', peopleColumns(unit), l10n.t('People'), 'total_messages'), unit, rows, filter); // prettier-ignore
    }
    if (tab === 'budgets') {
      const budgets = store.report('budgets');
      if (!budgets || budgets.standings.length === 0) return undefined;
      const { scope } = this.desk;
      const rows = this.#once([budgets, names, scope], () => budgetListRows(budgets, names, scope));
      return this.#fill('budgets', () => new SortedList('budgets', budgetColumns(budgets.unit), l10n.t('Limits'), 'used'), budgets.unit, rows, filter); // prettier-ignore
    }
    return undefined;
  }

  /** The list as somebody sorted it, or a new one where its unit is another. */
  #fill(name: OwnList, make: () => SortedList, unit: string, rows: readonly SourceRow[], filter: string): SortedList {
    const known = this.#lists[name];
    const list = known?.state.columns.some(({ id }) => id === unitColumn(name, unit)) ? known : make();
    this.#lists[name] = list;
    list.fill(rows, filter);
    return list;
  }

  /** Those who are there, or of a list that grows those who were a moment ago. */
  #settled(store: ReportStore): PeopleReport | undefined {
    const people = store.report('people');
    const shown = this.#peopleShown;
    const isGrowing = people?.distinct === undefined && store.part('people').isLoading;
    const isOfThese = shown !== undefined && shown.range === people?.range;
    if (isGrowing && isOfThese && people.people.length < shown.people.length * GROWTH) return shown;
    return (this.#peopleShown = people);
  }

  /** Rows are made once of the same reports: with them the list, and where somebody is in it, stays. */
  #once(of: readonly unknown[], make: () => readonly SourceRow[]): readonly SourceRow[] {
    const { of: before } = this.#rowsFor;
    const isSame = before.length === of.length && of.every((one, i) => one === before[i]);
    if (!isSame) this.#rowsFor = { of, rows: make() };
    return this.#rowsFor.rows;
  }

  #page(): Page {
    const store = this.#store;
    const content = this.#content();
    const list = this.#list();
    const isFilled = content.tiles.length > 0 || content.figures.length > 0 || list !== undefined;
    const asOf = this.#asOf();
    return {
      tab: this.#choices.tab,
      isLoading: store !== undefined && this.#wanted().some((name) => store.part(name).isLoading),
      isFilled,
      trouble: this.#trouble() ?? null,
      empty: content.empty,
      progress: this.#progress() ?? null,
      asOf: this.#described(asOf) ?? '',
      tiles: content.tiles,
      charts: content.figures.map(chartOf),
      list: list?.state ?? null,
      person: this.#person ? { id: this.#names.id(this.#person), name: this.#names.of(this.#person) } : null,
    };
  }

  #trouble(): ViewError | undefined {
    if (this.#rangeTrouble) return this.#rangeTrouble;
    const store = this.#store;
    if (!store) return undefined;
    const parts = this.#wanted().map((name): Part<Reports[ReportName]> => store.part(name));
    const age = this.#described(this.#asOf(), ', ');
    for (const { error, report, pausedUntil } of parts)
      if (error) return troubleOf(error, { age: report && age, goesOnAt: this.#later(pausedUntil) });
    for (const { report, pausedUntil } of parts) {
      const trouble = report && troubleOfReport(report, { age, goesOnAt: this.#later(pausedUntil) });
      if (trouble) return trouble;
    }
    const paused = Math.max(0, ...parts.map(({ isLoading, pausedUntil }) => (isLoading ? pausedUntil : 0)));
    const goesOnAt = this.#later(paused);
    return goesOnAt === undefined ? undefined : troubleOfPause(goesOnAt);
  }

  /** A moment that is still to come. */
  #later(moment: number): number | undefined {
    return moment > this.#clock.now() ? moment : undefined;
  }

  /** As old as the oldest of what is shown. */
  #asOf(): string | undefined {
    const store = this.#store;
    const moments = store ? this.#wanted().flatMap((name) => store.report(name)?.asOf ?? []) : [];
    return moments.sort()[0];
  }

  /** `2026-11-21 09:30 UTC · 2 h 5 min ago` */
  #described(moment: string | undefined, between = ' · '): string | undefined {
    if (moment === undefined) return undefined;
    const seconds = (this.#clock.now() - Date.parse(moment)) / 1000;
    const age = seconds < 60 ? l10n.t('just now') : l10n.t('{0} ago', formatSeconds(seconds));
    return `${describeMoment(moment)}${between}${age}`;
  }

  #progress(): Progress | undefined {
    const { tab } = this.#choices;
    if (tab === 'languages') return this.#languageProgress();
    return tab === 'people' && !this.#person ? this.#peopleProgress() : undefined;
  }

  #languageProgress(): Progress | undefined {
    const store = this.#store;
    const { isLoading, isStopped } = store?.part('languages') ?? {};
    const report = store?.report('languages');
    if (!report || report.daysDone === report.days) return undefined;
    const { daysDone: done, days, rows, secondsLeft } = report;
    const so = l10n.t('{0} of {1} days', done, days);
    const more = rows > 0 ? `, ${l10n.t('{0} rows of the next', formatCount(rows))}` : '';
    const left = secondsLeft === undefined ? '' : `, ${l10n.t('about {0} left', formatSeconds(secondsLeft))}`;
    if (isLoading === true)
      return { state: 'running', done, of: days, text: `${so}${more}${left}`, next: ['stop'] };
    return isStopped === true
      ? { state: 'stopped', done, of: days, text: l10n.t('Stopped: {0}. What came is shown and kept.', so), next: ['resume'] }
      : undefined;
  } // prettier-ignore

  #peopleProgress(): Progress | undefined {
    const store = this.#store;
    const { isLoading, isStopped, report } = store?.part('people') ?? {};
    const done = report?.people.length ?? 0;
    if (!store || report?.distinct !== undefined || (isLoading === true && done === 0)) return undefined;
    // Nobody knows how many there are until all are there. Those who cost something are counted soon, and nearly all of them;
    // and so many there are at least as were active on one day.
    const counted = store.report('spending')?.points.length ?? 0;
    const least = Math.max(0, ...(store.report('usage')?.days ?? []).map(({ active }) => active ?? 0));
    const of = Math.max(counted, least);
    const count = formatCount(done);
    const so =
      done >= of
        ? l10n.t('{0} people so far', count)
        : counted > 0
          ? l10n.t('{0} of about {1} people', count, formatCount(of))
          : l10n.t('{0} of at least {1} people', count, formatCount(of));
    const bar = { done, of: done >= of ? 0 : of };
    if (isStopped === true)
      return { ...bar, state: 'stopped', text: l10n.t('Stopped: {0}. Those that came are shown and kept.', so), next: ['resume'] };
    if (isLoading !== true) return undefined;
    const seconds = (Math.ceil((of - done) / PER_PAGE) / perMinute) * 60;
    const left = done >= of ? '' : `, ${l10n.t('about {0} left', formatSeconds(seconds))}`;
    return { ...bar, state: 'running', text: `${so}${left}`, next: ['stop'] };
  } // prettier-ignore

  #spoken({ isLoading, trouble, asOf, list, empty }: Page): string {
    const title = tabTitle(this.#choices.tab);
    if (trouble) return `${title}: ${trouble.title}. ${trouble.message}`;
    if (isLoading) return '';
    if (empty) return `${title}: ${empty.title}`;
    const rows = list ? `, ${l10n.t('{0} of {1} rows', formatCount(list.count), formatCount(list.all))}` : '';
    return asOf === '' ? '' : `${title}${rows}, ${l10n.t('as of {0}', asOf)}`;
  }

  #identities(): Identity[] {
    const store = this.#store;
    return [
      ...(store?.report('people')?.people ?? []).map(identityOf),
      ...(store?.report('budgets')?.standings ?? []).map(({ identity }) => identity),
      ...(store?.report('budgets')?.others ?? []).map(({ identity }) => identity),
      ...(this.#person ? [this.#person] : []),
      ...(this.#budgets?.people() ?? []),
      ...(store?.report('spending')?.topPeople ?? []).map(({ identity }) => identity),
    ];
  }

  #show(identity: Identity | undefined): void {
    this.#store?.forget('person');
    this.#person = identity;
    if (identity && this.#choices.tab !== 'people') {
      this.#choices = { ...this.#choices, tab: 'people' };
      this.#parts.keep(this.#choices);
    }
    void this.#load();
    this.#parts.onChange();
  }
}

/** Those that are kept here, as somebody sorted them. */
type OwnList = Exclude<List, 'changes'>;

function unitColumn(list: OwnList, unit: string): string {
  if (list === 'budgets') return 'limit';
  return unit === 'usd' ? 'billed_amount_usd' : 'credits_consumed';
}

function tabTitle(tab: Choices['tab']): string {
  return {
    overview: l10n.t('Overview'),
    people: l10n.t('People'),
    languages: l10n.t('Languages & Editors'),
    credits: l10n.t('Credits'),
    cost: l10n.t('Cost'),
    budgets: l10n.t('Budgets'),
  }[tab];
}
