import { formatDay, type Day } from '../../src/base/day.ts';
import type { AnalyticsData } from '../../src/analytics/client/analyticsData.ts';
import type { DayRange } from '../../src/analytics/dateRules.ts';
import { parseGroups } from '../../src/analytics/groups/groupFile.ts';
import type { Groups } from '../../src/analytics/groups/groups.ts';
import { identityKey, identityOf } from '../../src/analytics/identity.ts';
import { Simulation } from '../../src/server/analytics/simulation/simulation.ts';

/* A simulated organization of 10,000 people in 400 teams, of whom some move. */

export const NOW = Date.UTC(2026, 10, 21, 12);
export const SIMULATION = { seed: 7, users: 10_000, plan: 'credits' } as const;
const TEAMS = 400;
/** Every eleventh account moves to another team on one of two days, and every 53rd has no team. */
const MOVES_EVERY = 11;
const UNMAPPED_EVERY = 53;

/** A group file of the accounts that are active in the range, with a row for each, or two for those that move. */
export async function teamsOf(data: AnalyticsData, range: DayRange): Promise<Groups> {
  const { rows } = await data.activity(range);
  const moves: readonly Day[] = [range.first + 2, range.first + 5];
  const lines = rows.flatMap((row, i) => {
    const { name } = identityOf(row);
    const [team, center] = [`Team ${i % TEAMS}`, `CC-${i % 40}`];
    if (i % UNMAPPED_EVERY === 0) return [];
    if (i % MOVES_EVERY !== 0) return [`${name},${team},${center},,`];
    const day = moves[(i / MOVES_EVERY) % moves.length]!;
    return [
      `${name},${team},${center},,${formatDay(day - 1)}`,
      `${name},Team ${(i + 7) % TEAMS},${center},${formatDay(day)},`,
    ];
  });
  return parseGroups(`account,team,cost_center,from,to\n${lines.join('\n')}\n`, 'teams.csv');
}

/** The amount of each group, from each day's facts of each account: no sums of the product. */
export function truthOf(groups: Groups, column: string, range: DayRange): Map<string, bigint> {
  const by = { byDay: true, byProduct: false, byResource: false, byUser: true, byByok: false, byExpert: false };
  const truth = new Map<string, bigint>();
  for (const { day, values, sums } of new Simulation(SIMULATION, { now: () => NOW }).cost(range, by, {})) {
    const info = values.user_info;
    const isNamed = info?.user_email !== undefined || info?.service_account_name !== undefined;
    const group = (isNamed ? groups.groupOf(identityOf(info), column, day!) : undefined) ?? 'unmapped';
    truth.set(group, (truth.get(group) ?? 0n) + sums.credits);
  }
  return truth;
}

/** Number of accounts that change their group of a column within the range. */
export async function moversIn(data: AnalyticsData, groups: Groups, column: string, range: DayRange): Promise<number> {
  const { rows } = await data.activity(range);
  const accounts = new Map(rows.map((row) => [identityKey(identityOf(row)), identityOf(row)]));
  return [...accounts.values()].filter((one) => groups.movesOf(one, column, range).length > 0).length;
}
