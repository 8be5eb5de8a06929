import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { COLUMN, MAX_FILTER, PRESETS, type CostGroup, type Preset } from '../../src/protocol/dashboardChoices.ts';
import { IconButton } from '../components.ts';
import type { DashboardPageProps } from './actions.ts';
import { Menu } from './menu.tsx';

/** Time after the last key until a filter is applied. */
const PAUSE_MS = 150;

const presetName = (preset: Preset): string =>
  ({
    '7d': l10n.t('Last 7 days'),
    '28d': l10n.t('Last 28 days'),
    '90d': l10n.t('Last 90 days'),
    month: l10n.t('This month'),
    lastMonth: l10n.t('Last month'),
    custom: l10n.t('Other days…'),
  })[preset];

/** Controls of all tabs: days, comparison, filter, names, and the age of the figures. */
export function DashboardHeader({ state, actions }: Pick<DashboardPageProps, 'state' | 'actions'>): JSX.Element {
  const { choices, range, controls, groups, group, parts, part, onlyGroups, only, page, account } = state;
  const columns = [...new Set(onlyGroups.map(({ column }) => column))];
  const { preset, compare, anonymise, tab } = choices;
  return (
    <header>
      <div class="controls">
        {controls.days && (
          <label>
            <span>{l10n.t('Days')}</span>
            <select
              value={preset}
              onChange={({ currentTarget: { value } }) =>
                actions.choose({
                  preset: value as Preset,
                  ...(value === 'custom' && { first: range.first, last: range.last }),
                })
              }
            >
              {PRESETS.map((one) => (
                <option key={one} value={one}>
                  {presetName(one)}
                </option>
              ))}
            </select>
          </label>
        )}
        {controls.days && preset === 'custom' && (
          <>
            <DayInput
              name={l10n.t('From')}
              value={choices.first}
              {...{ range }}
              choose={(first) => actions.choose({ first })}
            />
            <DayInput
              name={l10n.t('To')}
              value={choices.last}
              {...{ range }}
              choose={(last) => actions.choose({ last })}
            />
            {controls.compare && compare && (
              <DayInput
                name={l10n.t('Compare from')}
                value={choices.before ?? ''}
                {...{ range }}
                choose={(before) => actions.choose({ before })}
              />
            )}
          </>
        )}
        {groups.length > 0 && (
          <label>
            <span>{l10n.t('Group by')}</span>
            <select
              value={group}
              onChange={({ currentTarget: { value } }) =>
                actions.choose(tab === 'teams' ? { column: value } : groupingOf(value))
              }
            >
              {groups.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        {onlyGroups.length > 0 && (
          <label
            title={l10n.t('Limits the figures to a team or another group; each day counts in the group of that day')}
          >
            <span>{l10n.t('Group')}</span>
            <select value={only} onChange={({ currentTarget: { value } }) => actions.choose({ only: value })}>
              <option value="">{l10n.t('Everybody')}</option>
              {columns.map((column) => (
                <optgroup key={column} label={column}>
                  {onlyGroups
                    .filter((one) => one.column === column)
                    .map(({ id, name }) => (
                      <option key={id} value={id}>
                        {name}
                      </option>
                    ))}
                </optgroup>
              ))}
            </select>
          </label>
        )}
        {parts.length > 0 && (
          <label title={l10n.t('Limits the figures of the page to a product or an expert')}>
            <span>{l10n.t('Only')}</span>
            <select value={part} onChange={({ currentTarget: { value } }) => actions.choose({ part: value })}>
              <option value="">{l10n.t('All spending')}</option>
              {parts.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        {controls.filter && <FilterInput value={choices.filter} choose={(filter) => actions.choose({ filter })} />}
        {controls.compare && (
          <Check
            name={l10n.t('Compare')}
            title={l10n.t('With the previous period')}
            isOn={compare}
            choose={(on) => actions.choose({ compare: on })}
          />
        )}
        <Check
          name={l10n.t('Anonymise')}
          title={l10n.t('Pseudonyms instead of names, also in exports')}
          isOn={anonymise}
          choose={(on) => actions.choose({ anonymise: on })}
        />
        <div class="buttons">
          <IconButton label={l10n.t('Refresh')} icon="icon-again" onClick={() => actions.refresh()} />
          <Menu
            label={l10n.t('Export')}
            icon="icon-export"
            items={[
              { name: l10n.t('Table as CSV'), choose: () => actions.export('csv') },
              { name: l10n.t('Everything as JSON'), choose: () => actions.export('json') },
              { name: l10n.t('Summary as Markdown'), choose: () => actions.export('markdown') },
              { name: l10n.t('Report on All as HTML'), choose: () => actions.export('report') },
              ...(state.account.organizations > 1
                ? [{ name: l10n.t('Report on All Organizations'), choose: () => actions.export('reportOnAll') }]
                : []),
              { name: l10n.t('Copy Link to This View'), choose: () => actions.export('link') },
            ]}
          />
        </div>
      </div>
      <p class="quiet asof">
        <span>{range.before === '' ? range.text : l10n.t('{0}, compared with {1}', range.text, range.before)}</span>
        <span>{account.name}</span>
        {page.asOf !== '' && <span>{l10n.t('as of {0}', page.asOf)}</span>}
        {page.isLoading && <span>{l10n.t('loading…')}</span>}
      </p>
      <div class={page.isLoading ? 'loading bar' : 'bar'} aria-hidden="true" />
    </header>
  );
}

/** The choices of a grouping, which may be a column of the group file. */
function groupingOf(id: string): Partial<DashboardPageProps['state']['choices']> {
  return id.startsWith(COLUMN) ? { group: 'group', column: id.slice(COLUMN.length) } : { group: id as CostGroup };
}

interface DayProps {
  readonly name: string;
  readonly value: string;
  readonly range: DashboardPageProps['state']['range'];
  readonly choose: (day: string) => void;
}

function DayInput({ name, value, range, choose }: DayProps): JSX.Element {
  return (
    <label>
      <span>{name}</span>
      <input
        type="date"
        value={value}
        min={range.oldest}
        max={range.newest}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
    </label>
  );
}

interface CheckProps {
  readonly name: string;
  readonly title: string;
  readonly isOn: boolean;
  readonly choose: (isOn: boolean) => void;
}

function Check({ name, title, isOn, choose }: CheckProps): JSX.Element {
  return (
    <label class="check" title={title}>
      <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => choose(currentTarget.checked)} />
      <span>{name}</span>
    </label>
  );
}

interface FilterProps {
  readonly value: string;
  readonly choose: (filter: string) => void;
}

function FilterInput({ value, choose }: FilterProps): JSX.Element {
  const [draft, setDraft] = useState(value);
  const timer = useRef<number | undefined>(undefined);
  // Another part changed the filter, for instance by opening a person.
  useEffect(() => setDraft(value), [value]);
  const type = (text: string): void => {
    setDraft(text);
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => choose(text), PAUSE_MS);
  };
  return (
    <label class="filter">
      <span>{l10n.t('Filter')}</span>
      <input
        type="search"
        value={draft}
        maxLength={MAX_FILTER}
        placeholder={l10n.t('name')}
        title={l10n.t('Filters lists and parts of charts by name; totals stay')}
        onInput={({ currentTarget }) => type(currentTarget.value)}
      />
    </label>
  );
}
