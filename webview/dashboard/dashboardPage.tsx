import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { MAX_FILTER, type NextStep } from '../../src/protocol/dashboardChoices.ts';
import type { Page, LoadProgress, Tile, ViewError } from '../../src/protocol/dashboardView.ts';
import { Button } from '../components.ts';
import { Notice } from '../controls.tsx';
import { About } from './about.tsx';
import { Attention } from './attention.tsx';
import type { DashboardActions, DashboardPageProps } from './actions.ts';
import { BudgetEditorPanel, BudgetTable, PersonBudgetEditor } from './budgets.tsx';
import { ChartCard } from './chartCard.tsx';
import { DashboardHeader } from './header.tsx';
import { RowTable } from './rowTable.tsx';
import { Tabs, panelId, tabId } from './tabs.tsx';

/** The whole page: the choice of tab and days, then their content. */
export function DashboardPage({ state, actions, tables, problem }: DashboardPageProps): JSX.Element {
  const { account, choices, tabs, page, editor, spoken } = state;
  return (
    <main>
      <h1 class="spoken">{l10n.t('Sextant Dashboard')}</h1>
      {account.kind === 'ready' || account.kind === 'loading' ? (
        <>
          <Tabs tabs={tabs} tab={choices.tab} choose={(tab) => actions.choose({ tab })} />
          <DashboardHeader {...{ state, actions }} />
          {problem !== '' && <Notice icon="icon-error">{problem}</Notice>}
          <section id={panelId} class="panel" role="tabpanel" aria-labelledby={tabId(choices.tab)} tabIndex={-1}>
            {page.tab === choices.tab && (
              <Filled {...{ page, editor, actions, tables }} hasGroups={state.onlyGroups.length > 0} />
            )}
          </section>
        </>
      ) : (
        <Welcome kind={account.kind} {...{ actions }} />
      )}
      {/* Announce each event once; loading is not announced. */}
      <div class="spoken" role="status">
        {spoken}
      </div>
    </main>
  );
}

interface FilledProps {
  readonly page: Page;
  readonly editor: DashboardPageProps['state']['editor'];
  readonly hasGroups: boolean;
  readonly actions: DashboardActions;
  readonly tables: readonly string[];
}

function Filled({ page, editor, hasGroups, actions, tables }: FilledProps): JSX.Element {
  const { error, progress, attention, tiles, charts, list, empty, isFilled, isLoading, person } = page;
  return (
    <>
      {person && (
        <div class="person">
          <Button appearance="secondary" icon="icon-back" onClick={() => actions.openPerson(null)}>
            {l10n.t('All people')}
          </Button>
          <h2>{person.name}</h2>
        </div>
      )}
      {error && isFilled && <Banner {...{ error, actions }} />}
      {editor &&
        (editor.person ? (
          <PersonBudgetEditor {...{ editor, actions }} person={editor.person} />
        ) : (
          <BudgetEditorPanel {...{ editor, actions, hasGroups }} />
        ))}
      {progress && <LoadingLine {...{ progress, actions }} />}
      {!isFilled && error && <Instead {...{ error, actions }} />}
      {!isFilled && !error && !empty && (isLoading || !progress) && <Skeleton />}
      {isFilled && attention && <Attention list={attention} actions={actions} />}
      {tiles.length > 0 && (
        <dl class={tiles.length > 5 ? 'tiles many' : 'tiles'}>
          {tiles.map((tile) => (
            <TileCard key={tile.id} tile={tile} />
          ))}
        </dl>
      )}
      {!error && empty && (
        <div class="instead">
          <span class="icon icon-graph large" />
          <h2>{empty.title}</h2>
          <p>{empty.message}</p>
          <NextSteps next={empty.next ?? []} actions={actions} />
        </div>
      )}
      {list &&
        (editor ? (
          <BudgetTable {...{ editor, list, actions }} />
        ) : (
          <RowTable key={list.list} list={list} actions={list.list === 'teams' ? openingMembers(actions) : actions} />
        ))}
      {charts.length > 0 && (
        <div class="charts">
          {charts.map((chart) => (
            <ChartCard key={`${page.tab} ${chart.id}`} isTable={tables.includes(chart.id)} {...{ chart, actions }} />
          ))}
        </div>
      )}
    </>
  );
}

/** A group in the list opens its members. */
function openingMembers(actions: DashboardActions): DashboardActions {
  const openPerson = (id: string | null): void =>
    actions.choose({ tab: 'people', filter: (id ?? '').slice(0, MAX_FILTER) });
  return { ...actions, openPerson };
}

const TONE_ICONS = { plain: undefined, good: undefined, warning: 'icon-warning', bad: 'icon-error' } as const;

/** Largest number of letters of a figure; longer values are names. */
const MAX_FIGURE = 24;

function TileCard({ tile: { label, value, note, tone, about } }: { readonly tile: Tile }): JSX.Element {
  const icon = TONE_ICONS[tone];
  return (
    <div class={`tile ${tone}`}>
      <dt>
        {label}
        <About label={label} text={about} />
      </dt>
      <dd class="value">
        {icon !== undefined && <span class={`icon ${icon}`} />}
        {value.length > MAX_FIGURE ? (
          <span class="long" title={value}>
            {value}
          </span>
        ) : (
          value
        )}
      </dd>
      {note !== '' && <dd class="note">{note}</dd>}
    </div>
  );
}

const ERROR_ICONS: Readonly<Record<ViewError['kind'], string>> = {
  offline: 'icon-offline',
  partial: 'icon-warning',
  'rate-limited': 'icon-clock',
  unauthenticated: 'icon-key',
  forbidden: 'icon-key',
  range: 'icon-warning',
  failed: 'icon-error',
};

interface ViewErrorProps {
  readonly error: ViewError;
  readonly actions: DashboardActions;
}

/** A problem above content that is shown all the same. */
function Banner({ error, actions }: ViewErrorProps): JSX.Element {
  return (
    <div class={`banner ${error.kind}`}>
      <span class={`icon ${ERROR_ICONS[error.kind]}`} />
      <p>
        <strong>{error.title}.</strong> {error.message}
      </p>
      <NextSteps next={error.next} actions={actions} isQuiet />
    </div>
  );
}

/** A problem in place of all content. */
function Instead({ error, actions }: ViewErrorProps): JSX.Element {
  return (
    <div class={`instead ${error.kind}`}>
      <span class={`icon large ${ERROR_ICONS[error.kind]}`} />
      <h2>{error.title}</h2>
      <p>{error.message}</p>
      <NextSteps next={error.next} actions={actions} />
    </div>
  );
}

const stepName = (step: NextStep): string =>
  ({
    connect: l10n.t('Connect Again'),
    sample: l10n.t('Try with Sample Data'),
    startServer: l10n.t('Start Local Server'),
    retry: l10n.t('Try Again'),
    resume: l10n.t('Resume'),
    stop: l10n.t('Stop'),
    week: l10n.t('Show the Last 7 Days'),
    log: l10n.t('Show Log'),
    chooseGroups: l10n.t('Choose File…'),
    createGroups: l10n.t('Create File'),
  })[step];

interface NextStepsProps {
  readonly next: readonly NextStep[];
  readonly actions: DashboardActions;
  readonly isQuiet?: boolean;
}

function NextSteps({ next, actions, isQuiet = false }: NextStepsProps): JSX.Element | null {
  if (next.length === 0) return null;
  return (
    <div class="next">
      {next.map((step, i) => (
        <Button key={step} appearance={i === 0 && !isQuiet ? 'primary' : 'secondary'} onClick={() => actions.go(step)}>
          {stepName(step)}
        </Button>
      ))}
    </div>
  );
}

/** Progress of a long load, with actions to stop or resume it. */
function LoadingLine({
  progress,
  actions,
}: {
  readonly progress: LoadProgress;
  readonly actions: DashboardActions;
}): JSX.Element {
  const { state, text, done, of, next } = progress;
  return (
    <div class="progress">
      {of > 0 && <progress value={done} max={of} aria-label={text} />}
      <p>{text}</p>
      {state !== 'done' && <NextSteps {...{ next, actions }} isQuiet />}
    </div>
  );
}

/** Placeholder for figures. */
function Skeleton(): JSX.Element {
  return (
    <div class="skeleton" aria-busy="true">
      <p class="spoken">{l10n.t('Loading')}</p>
      <div class="tiles">
        {[1, 2, 3, 4].map((i) => (
          <div key={i} class="tile" />
        ))}
      </div>
      <div class="charts">
        {[1, 2].map((i) => (
          <div key={i} class="card" />
        ))}
      </div>
    </div>
  );
}

interface WelcomeProps {
  readonly kind: 'none' | 'stopped' | 'gone';
  readonly actions: DashboardActions;
}

/** Start page without a connection, or with an unusable one. */
function Welcome({ kind, actions }: WelcomeProps): JSX.Element {
  const texts = {
    none: [
      l10n.t('See usage, credits and cost'),
      l10n.t('Who uses the assistant, what it costs, and who is near a limit. Nothing is requested until you connect.'),
    ],
    stopped: [l10n.t("The local server isn't running"), l10n.t('It provides the sample data.')],
    gone: [l10n.t('The token is missing'), l10n.t("It is no longer in the editor's secret storage. Connect again.")],
  }[kind];
  return (
    <div class="instead">
      <span class="icon icon-graph large" />
      <h2>{texts[0]}</h2>
      <p>{texts[1]}</p>
      <div class="next">
        {kind === 'stopped' ? (
          <Button onClick={() => actions.go('startServer')}>{l10n.t('Start Local Server')}</Button>
        ) : (
          <Button onClick={() => actions.go('connect')}>{l10n.t('Connect')}</Button>
        )}
        {kind === 'none' && (
          <Button appearance="secondary" onClick={() => actions.go('sample')}>
            {l10n.t('Try with Sample Data')}
          </Button>
        )}
        {kind === 'stopped' && (
          <Button appearance="secondary" onClick={() => actions.go('connect')}>
            {l10n.t('Connect to a Service')}
          </Button>
        )}
      </div>
    </div>
  );
}
