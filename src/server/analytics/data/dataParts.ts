import type { BudgetOverride, UserInfo } from '../../../analytics/contract.ts';
import { foldCase, identityKey, type Identity } from '../../../analytics/identity.ts';
import type { Day } from '../../../base/day.ts';
import type { OrganizationInfo } from '../factSource.ts';
import type { ActivityTable } from './activityTable.ts';
import type { CostTable } from './costTable.ts';
import type { CreditTable } from './creditTable.ts';

/** Lists of names; tables have places in these instead of texts. Each is in the order of its code units. */
export const NAME_LISTS = [
  ...(['accounts', 'languages', 'editors', 'models'] as const),
  ...(['users', 'products', 'resources', 'resourceTypes', 'byokStatuses', 'experts'] as const),
] as const;
export type NameList = (typeof NAME_LISTS)[number];

/** A present or former member of the organization. */
export interface Member {
  readonly identity: Identity;
  /** The first day on which they are no longer. */
  readonly left: Day | undefined;
}

/** Who a cost is of. Users and service accounts have the key that they have everywhere. */
export interface Party {
  readonly key: string;
  readonly info: UserInfo;
}

export function partyOf(info: UserInfo): Party {
  const { user_email, service_account_name, bot_name } = info;
  if (user_email !== undefined) return { key: identityKey({ kind: 'user_email', name: user_email }), info };
  if (service_account_name !== undefined)
    return { key: identityKey({ kind: 'service_account_name', name: service_account_name }), info };
  return { key: bot_name === undefined ? `\0x${info.user_type ?? ''}` : `${foldCase(bot_name)}\0w${bot_name}`, info };
}

export interface DataParts {
  readonly organization: OrganizationInfo;
  /** By identity key, as are `spellings`: how the first fact about an account spells it. */
  readonly members: ReadonlyMap<string, Member>;
  readonly spellings: ReadonlyMap<string, Identity>;
  readonly bots: ReadonlySet<string>;
  /** Names by id. */
  readonly experts: ReadonlyMap<string, string>;
  readonly parties: ReadonlyMap<string, Party>;
  readonly ownOverrides: readonly BudgetOverride[];
  readonly names: Readonly<Record<NameList, readonly string[]>>;
  readonly activityTable: ActivityTable;
  readonly creditTable: CreditTable;
  readonly costTable: CostTable;
}

/** As declared, or else as the first fact has it. */
export function spelled({ members, spellings }: DataParts, key: string): Identity | undefined {
  return members.get(key)?.identity ?? spellings.get(key);
}

export function shownUser(parts: DataParts, key: string): UserInfo {
  const { info } = parts.parties.get(key)!;
  const identity = spelled(parts, key);
  return identity ? { ...info, [identity.kind]: identity.name } : info;
}
