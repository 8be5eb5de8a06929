import * as l10n from '@vscode/l10n';
import type { AnalyticsData } from '../../analytics/client/analyticsData.ts';
import { describeRange, type DayRange } from '../../analytics/dateRules.ts';
import { reportDocument, type ReportDocument } from '../../analytics/document/document.ts';
import { limitsOf } from '../../analytics/groups/groupLimits.ts';
import { titleOfColumn } from '../../analytics/groups/groupReport.ts';
import type { Groups } from '../../analytics/groups/groups.ts';
import { identityKey, type Identity } from '../../analytics/identity.ts';
import { attentionIn } from '../../analytics/reports/attention.ts';
import type { NameOf } from '../../analytics/reports/attentionTexts.ts';
import { describeMoment } from '../../analytics/reports/report.ts';
import type {
  LoadedReport,
  ReportName,
  Reports,
  ReportStore,
  StoreDependencies,
} from '../../analytics/reports/reportStore.ts';
import type { Table } from '../../analytics/reports/table.ts';
import { systemClock, type Clock } from '../../base/clock.ts';
import { formatDay } from '../../base/day.ts';
import { SextantError } from '../../base/errors.ts';
import { formatCount, formatDuration } from '../../base/format.ts';
import type { Logger } from '../../base/log.ts';
import { COLUMN, TABS, type List } from '../../protocol/dashboardChoices.ts';
import {
  choicesSchema,
  type Choices,
  type DashboardState,
  type ListedRow,
  type Page,
  type LoadProgress,
  type ViewError,
} from '../../protocol/dashboardView.ts';
import type { BudgetEditor } from '../analytics/budgetEditor.ts';
import { attentionList } from './attentionContent.ts';
import { BudgetEditorView } from './budgetEditorView.ts';
import type { Content } from './content.ts';
import { chartOf, type Figure } from './figures.ts';
import { AccountNames } from '../analytics/accountNames.ts';
import { knownIdentities } from './knownIdentities.ts';
import { languageProgress, peopleProgress } from './progress.ts';
import { chosenRange, comparedRange, possibleRange } from './ranges.ts';
import { chosenPart, filterOfPart, partsOf, withinPart } from './parts.ts';
import type { SortedList } from './rowList.ts';
import { GroupFilter, type GroupChoice } from './groupFilter.ts';
import { groupings } from './spendingContent.ts';
import { TabLists } from './tabLists.ts';
import { chosenColumn } from './teamsContent.ts';
import { contentOf, contentOfPerson, controlsOf, EMPTY, reportsBesides, reportsOf, tabTitle } from './tabs.ts';
import { describeDayRange, noSuchGroup, viewErrorOf, viewErrorOfStates } from './viewError.ts';

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

export interface ModelDependencies {
  /** The last choices, if any; not validated. */
  readonly kept: unknown;
  keep(choices: Choices): void;
  /** Key of the pseudonyms. */
  readonly secret: string;
  readonly editor: BudgetEditor;
  readonly logger: Logger;
  readonly clock?: Clock;
  onChange(): void;
}

/** The shown content, for an export. */
export interface ShownContent {
  readonly title: string;
  readonly range: string;
  readonly asOf: string;
  readonly tiles: Page['tiles'];
  readonly figures: readonly Figure[];
  readonly table: Table | undefined;
}

/**
 * The state of the dashboard: account, days, tab and person, whether its page is open or not. Independent of the
 * editor's API. Reports are loaded when a tab needs them, and stay while the days are the same.
 */
export class DashboardModel {
  readonly #dependencies: ModelDependencies;
  readonly #clock: Clock;
  #choices: Choices;
  #names: AccountNames;
  #account: DashboardState['account'] = { kind: 'none', name: '', organizations: 0 };
  /** The reports of the side bar. */
  #week: ReportStore | undefined;
  /** The reports of the chosen days. */
  #store: ReportStore | undefined;
  /** Reason why the chosen days cannot be shown; the earlier days stay. */
  #rangeError: ViewError | undefined;
  #person: Identity | undefined;
  /** The newest finished day, and today, when the shown days were loaded. */
  #loadedOn = '';
  readonly #lists = new TabLists();
  readonly #groupFilter = new GroupFilter();
  /** The groups that the shown days are limited by; undefined for all accounts. */
  #groups: Groups | undefined;
  readonly editor: BudgetEditorView;

  constructor(dependencies: ModelDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
    const kept = choicesSchema.safeParse(dependencies.kept);
    this.#choices = kept.success ? kept.data : FIRST_CHOICES;
    this.#names = new AccountNames(dependencies.secret, this.#choices.anonymise);
    const known = () => ({
      names: this.#names,
      report: this.#store?.report('budgets'),
      identities: () => this.#identities(),
    });
    this.editor = new BudgetEditorView(dependencies.editor, known, () => dependencies.onChange());
  }

  get names(): AccountNames {
    return this.#names;
  }

  get choices(): Choices {
    return this.#choices;
  }

  /** Shows another account; `reports` are those of the side bar. */
  connect(account: DashboardState['account'], reports: ReportStore | undefined): void {
    this.#account = account;
    if (reports !== this.#week) {
      this.#week = reports;
      this.#person = undefined;
      this.#lists.clear();
      this.#close();
      this.#open();
    }
    this.#dependencies.onChange();
  }

  choose(choices: Choices): void {
    const before = this.#choices;
    this.#choices = choices;
    this.#dependencies.keep(choices);
    if (choices.anonymise !== before.anonymise)
      this.#names = new AccountNames(this.#dependencies.secret, choices.anonymise);
    if (choices.tab !== before.tab || choices.only !== before.only) this.#person = undefined;
    if (choices.only !== before.only) this.#close();
    this.#store?.chooseColumn(choices.column);
    if (choices.part !== before.part) this.#store?.choosePart(filterOfPart(choices.part ?? ''));
    const isOtherRange = (['preset', 'first', 'last', 'before', 'only'] as const).some(
      (key) => choices[key] !== before[key],
    );
    if (isOtherRange) this.#open();
    else void this.#load();
    this.#dependencies.onChange();
  }

  /** Opens the page of a person, whose figures need not be loaded. */
  showPerson(identity: Identity): void {
    this.choose({ ...this.#choices, tab: 'people', filter: '' });
    this.#show(identity);
  }

  async refresh(): Promise<void> {
    this.#dependencies.editor.reread();
    // A day may have ended since.
    const range = this.#week && this.#range(this.#week.data);
    const store = this.#store;
    if (!store || (range && (range.first !== store.range.first || range.last !== store.range.last))) this.#open();
    else await store.load(this.#shown(), this.#person, true);
  }

  /** Moves an open page to the new day or month, once there is one. Has to be called now and then. */
  async moveOn(): Promise<void> {
    if (!this.#week || this.#loadedOn === daysIn(this.#week.data)) return;
    this.#open();
    this.#dependencies.onChange();
    await this.#store?.reloadCurrent();
  }

  async resume(): Promise<void> {
    if (!this.#store) this.#open();
    await this.#store?.resume(this.#shown(), this.#person);
  }

  stop(): void {
    // Sums are stopped only in a pause, of any of them: else they take a moment.
    const store = this.#store;
    const now = this.#clock.now();
    const shown = this.#shown();
    const isPaused = shown.some((name) => store && store.state(name).pausedUntil > now);
    store?.stop(['languages', 'people', ...(isPaused ? shown : [])]);
  }

  rows(list: List, from: number, count: number): ListedRow[] {
    return this.#listNamed(list)?.rows(from, count) ?? [];
  }

  sort(list: List, column: string, descending: boolean): void {
    this.#listNamed(list)?.sort(column, descending);
    this.#dependencies.onChange();
  }

  #listNamed(list: List): SortedList | undefined {
    return list === 'changes' ? this.editor.list : this.#lists.list(list);
  }

  /** Opens a person's page; with `null`, the list of all people. */
  openPerson(id: string | null): void {
    this.#show(id === null ? undefined : this.#identities().find((one) => this.#names.id(one) === id));
  }

  dispose(): void {
    this.editor.dispose();
    this.#store?.dispose();
  }

  get state(): DashboardState {
    const data = this.#week?.data;
    const possible = describeRange(data ? possibleRange(data.newestDay, data.today) : { first: 0, last: 0 });
    const shown = this.#store && describeRange(this.#store.range);
    const page = this.#page();
    const controls = controlsOf(this.#store, this.#choices, this.#person);
    return {
      account: this.#account,
      choices: this.#choices,
      tabs: TABS.map((id) => ({ id, name: tabTitle(id) })),
      range: {
        text: this.#store ? this.#rangeText(this.#store) : '',
        first: shown?.effective_start_date ?? '',
        last: shown?.effective_end_date ?? '',
        before: this.#store && controls.compare && this.#choices.compare ? describeDayRange(this.#store.before) : '',
        oldest: possible.effective_start_date,
        newest: possible.effective_end_date,
      },
      controls,
      ...this.#grouping(),
      ...this.#parts(),
      ...this.#groupFilter.state(this.#choices, this.#week, this.#names),
      page,
      editor: this.#choices.tab === 'budgets' || this.#person ? this.editor.state(this.#person) : null,
      spoken: this.#spoken(page),
    };
  }

  /** The shown content, for an export: with pseudonyms if names are hidden. */
  get shown(): ShownContent {
    const content = this.#content();
    const list = this.#list();
    return {
      title: this.#person ? this.#names.of(this.#person) : this.#title(),
      range: this.#store ? describeDayRange(this.#store.range) : '',
      asOf: describeMoment(this.#asOf()),
      tiles: content.tiles,
      figures: content.figures,
      table: list?.table ?? content.table(),
    };
  }

  /**
   * A document about the shown days, of the shown organization or of another one, with pseudonyms if names are hidden;
   * undefined without an account.
   */
  async document(signal: AbortSignal, data = this.#store?.data): Promise<ReportDocument | undefined> {
    const store = this.#store;
    if (!store || !data) return undefined;
    // Not from the report, which may be loading or outdated.
    const groups = await store.groups();
    const nameOf: NameOf = (key, name) => this.#names.ofKey(key, name);
    const only = data === store.data ? this.#only() : undefined;
    const limits = limitsOf(await store.groupLimits(), only?.of);
    const document = await reportDocument(data, store.range, { before: store.before, groups, limits, nameOf, signal });
    return only ? { ...document, title: `${document.title} of ${only.id}` } : document;
  }

  #title(): string {
    const { parts, part } = this.#parts();
    const name = parts.find(({ id }) => id === part)?.name;
    const title = tabTitle(this.#choices.tab);
    return name === undefined ? title : `${title}, ${name}`;
  }

  /** The chosen days; undefined, with the reason in `#rangeError`, if they cannot be shown. */
  #range({ newestDay, today }: AnalyticsData): DayRange | undefined {
    this.#rangeError = undefined;
    try {
      return chosenRange(this.#choices, newestDay, today);
    } catch (error) {
      if (!(error instanceof SextantError)) throw error;
      this.#rangeError = viewErrorOf(error);
      return undefined;
    }
  }

  #close(): void {
    this.#store?.dispose();
    this.#store = undefined;
  }

  /** Loads the chosen days. If they cannot be shown, those before stay, or else the side bar's are shown. */
  #open(): void {
    const week = this.#week;
    if (!week) return;
    this.#loadedOn = daysIn(week.data);
    const only = this.#only();
    const groups = only && week.report('mapping')?.groups;
    const chosen = this.#range(week.data);
    if (!chosen && this.#store && groups === this.#groups) return;
    this.#groups = groups;
    this.#close();
    const range = chosen ?? week.range;
    const dependencies: StoreDependencies = {
      logger: this.#dependencies.logger,
      clock: this.#clock,
      onChange: (name) => {
        if (name === 'mapping') this.#regroup();
        this.#dependencies.onChange();
      },
    };
    const before = comparedRange(this.#choices, range, week.data.newestDay);
    this.#store = groups
      ? week.ofGroup(groups, only.of, range, dependencies, before)
      : week.withRange(range, dependencies, before);
    this.#store.chooseColumn(this.#choices.column);
    this.#store.choosePart(filterOfPart(this.#choices.part ?? ''));
    void this.#load();
  }

  /** Opens the days again once the groups that they are limited by are known, or others. */
  #regroup(): void {
    if (this.#choices.only && this.#week?.report('mapping')?.groups !== this.#groups) this.#open();
  }

  /** The chosen group; undefined for all, or if the file has none like that. */
  #only(): GroupChoice | undefined {
    return this.#groupFilter.chosen(this.#choices, this.#week, this.#names);
  }

  /** Whether the pages wait for their group, or have none: figures of all accounts would be taken for its own. */
  get #lacksGroup(): boolean {
    return (this.#choices.only ?? '') !== '' && this.#groups === undefined;
  }

  async #load(): Promise<void> {
    await this.#store?.load(this.#shown(), this.#person);
  }

  /** The reports that the page shows. */
  #shown(): readonly ReportName[] {
    return this.#lacksGroup ? ['mapping'] : [...this.#wanted(), ...reportsBesides(this.#choices)];
  }

  #wanted(): readonly [ReportName, ...ReportName[]] {
    return reportsOf(withinPart(this.#choices), this.#person);
  }

  #content(): Content {
    const store = this.#store;
    if (!store || this.#lacksGroup) return EMPTY;
    return this.#person
      ? contentOfPerson(store, this.#person)
      : contentOf(store, { choices: withinPart(this.#choices), names: this.#names });
  }

  #rangeText({ range, data }: ReportStore): string {
    // Limits are those of this month, whatever days are chosen.
    const isMonth = this.#choices.tab === 'budgets';
    return isMonth ? l10n.t('Month {0}', formatDay(data.today).slice(0, 7)) : describeDayRange(range);
  }

  /** The groupings of the tab. */
  #grouping(): Pick<DashboardState, 'groups' | 'group'> {
    const { tab, group } = withinPart(this.#choices);
    if (tab === 'credits' || tab === 'cost') {
      const known = this.#store?.report('mapping')?.groups?.columns ?? [];
      const column = this.#store?.report('groupDays')?.column ?? this.#choices.column ?? known[0] ?? '';
      const shown = groupings(chosenPart(this.#choices) !== '', known);
      return { groups: shown, group: group === 'group' ? `${COLUMN}${column}` : group };
    }
    const columns = tab === 'teams' ? (this.#store?.report('groups')?.columns ?? []) : [];
    return {
      groups: columns.map(({ column }) => ({ id: column, name: titleOfColumn(column) })),
      group: chosenColumn(columns, this.#choices)?.column ?? '',
    };
  }

  /** The products and experts that the tab can be limited to. */
  #parts(): Pick<DashboardState, 'parts' | 'part'> {
    const { tab } = this.#choices;
    const part = chosenPart(this.#choices);
    const isOfSpending = (tab === 'credits' || tab === 'cost') && !this.#person;
    return { parts: isOfSpending && this.#store ? partsOf(this.#store, part) : [], part };
  }

  #list(): SortedList | undefined {
    const store = this.#store;
    if (!store || this.#person || this.#lacksGroup) return undefined;
    return this.#lists.fill(store, this.#choices, this.#names, this.editor.scope);
  }

  #page(): Page {
    const store = this.#store;
    const content = this.#content();
    const list = this.#list();
    const isFilled = content.tiles.length > 0 || content.figures.length > 0 || list !== undefined;
    const asOf = this.#asOf();
    return {
      tab: this.#choices.tab,
      isLoading: store !== undefined && this.#wanted().some((name) => store.state(name).isLoading),
      isFilled,
      error: this.#viewError() ?? null,
      empty: content.empty,
      progress: this.#progress() ?? null,
      asOf: this.#described(asOf) ?? '',
      attention: store && this.#choices.tab === 'overview' ? attentionList(attentionIn(store), this.#names) : null,
      tiles: content.tiles,
      charts: content.figures.map(chartOf),
      list: list?.state ?? null,
      person: this.#person ? { id: this.#names.id(this.#person), name: this.#names.of(this.#person) } : null,
    };
  }

  #viewError(): ViewError | undefined {
    if (this.#rangeError && this.#choices.tab !== 'budgets') return this.#rangeError;
    const store = this.#store;
    if (!store) return undefined;
    if (this.#lacksGroup) {
      const { report, error } = store.state('mapping');
      return error ? viewErrorOf(error) : report && noSuchGroup();
    }
    const states = this.#wanted().map((name): LoadedReport<Reports[ReportName]> => store.state(name));
    return viewErrorOfStates(states, this.#described(this.#asOf(), ', '), this.#clock.now());
  }

  /** Time of the oldest shown report. */
  #asOf(): string | undefined {
    const store = this.#store;
    const moments = store ? this.#wanted().flatMap((name) => store.report(name)?.asOf ?? []) : [];
    return moments.sort()[0];
  }

  /** `2026-11-21 09:30 UTC · 2 h 5 min ago` */
  #described(moment: string | undefined, between = ' · '): string | undefined {
    if (moment === undefined) return undefined;
    const seconds = (this.#clock.now() - Date.parse(moment)) / 1000;
    const age = seconds < 60 ? l10n.t('just now') : l10n.t('{0} ago', formatDuration(seconds));
    return `${describeMoment(moment)}${between}${age}`;
  }

  #progress(): LoadProgress | undefined {
    const store = this.#store;
    const { tab } = this.#choices;
    if (!store) return undefined;
    if (tab === 'languages') return languageProgress(store);
    return tab === 'people' && !this.#person ? peopleProgress(store) : undefined;
  }

  #spoken({ isLoading, error, asOf, list, empty }: Page): string {
    const title = tabTitle(this.#choices.tab);
    if (error) return `${title}: ${error.title}. ${error.message}`;
    if (isLoading) return '';
    if (empty) return `${title}: ${empty.title}`;
    const rows = list ? `, ${l10n.t('{0} of {1} rows', formatCount(list.count), formatCount(list.all))}` : '';
    return asOf === '' ? '' : `${title}${rows}, ${l10n.t('as of {0}', asOf)}`;
  }

  /** The known accounts, each once. */
  get accounts(): readonly Identity[] {
    return [...new Map(this.#identities().map((one) => [identityKey(one), one])).values()];
  }

  #identities(): Identity[] {
    return knownIdentities(this.#store, this.#week, this.#person);
  }

  #show(identity: Identity | undefined): void {
    this.#store?.forget('person');
    this.#person = identity;
    if (identity && this.#choices.tab !== 'people') {
      this.#choices = { ...this.#choices, tab: 'people' };
      this.#dependencies.keep(this.#choices);
    }
    void this.#load();
    this.#dependencies.onChange();
  }
}

function daysIn({ newestDay, today }: AnalyticsData): string {
  return `${newestDay} ${today}`;
}
