import type { ChosenGroup } from '../../analytics/groups/groupData.ts';
import { describeGroup } from '../../analytics/groups/groupLimits.ts';
import { titleOfColumn } from '../../analytics/groups/groupReport.ts';
import { UNMAPPED, type Groups } from '../../analytics/groups/groups.ts';
import type { ReportStore } from '../../analytics/reports/reportStore.ts';
import type { Choices, DashboardState } from '../../protocol/dashboardView.ts';
import type { AccountNames } from '../analytics/accountNames.ts';

/** A group that the pages can be limited to. */
export interface GroupChoice {
  /** `team=Search`, with a pseudonym for a group that is a person. */
  readonly id: string;
  readonly name: string;
  /** Title of its column. */
  readonly column: string;
  readonly of: ChosenGroup;
}

/** The groups of a group file by column and name, listed once for the same file and names. */
export class GroupFilter {
  #of: readonly unknown[] = [];
  #choices: readonly GroupChoice[] = [];

  /** The groups that the tab can be limited to, and the chosen one. */
  state(
    choices: Choices,
    week: ReportStore | undefined,
    names: AccountNames,
  ): Pick<DashboardState, 'onlyGroups' | 'only'> {
    const { tab, only = '' } = choices;
    if (tab === 'teams') return { onlyGroups: [], only: '' };
    const chosen = this.chosen(choices, week, names)?.id ?? only;
    const listed = this.#choicesIn(week, names).map(({ id, name, column }) => ({ id, name, column }));
    const isKnown = chosen === '' || listed.some(({ id }) => id === chosen);
    return { onlyGroups: isKnown ? listed : [...listed, { id: chosen, name: chosen, column: '' }], only: chosen };
  }

  /** The chosen group, by its id or its real name; undefined for all, or if the file has none like that. */
  chosen({ only = '' }: Choices, week: ReportStore | undefined, names: AccountNames): GroupChoice | undefined {
    if (only === '') return undefined;
    return this.#choicesIn(week, names).find((one) => one.id === only || describeGroup(one.of) === only);
  }

  #choicesIn(week: ReportStore | undefined, names: AccountNames): readonly GroupChoice[] {
    const groups = week?.report('mapping')?.groups;
    if (this.#of[0] !== groups || this.#of[1] !== names) {
      this.#of = [groups, names];
      this.#choices = groupChoices(groups, names);
    }
    return this.#choices;
  }
}

/** The groups of a file by column and name; none without a file. */
export function groupChoices(groups: Groups | undefined, names: AccountNames): GroupChoice[] {
  return (groups?.columns ?? []).flatMap((column) => {
    const known = new Set(groups!.rows.flatMap(({ values }) => values[column] ?? []));
    const named = [...known].map((group) => ({ group, name: names.ofGroup(group) }));
    named.sort((a, b) => a.name.localeCompare(b.name, 'en'));
    return [...named, { group: UNMAPPED, name: UNMAPPED }].map(({ group, name }) => ({
      id: describeGroup({ column, group: name }),
      name,
      column: titleOfColumn(column),
      of: { column, group },
    }));
  });
}
