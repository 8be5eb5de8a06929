import { SextantError } from '../../base/errors.ts';
import { sumOf } from '../insights/amounts.ts';
import type { AnalyticsClient, CallOptions } from '../client/analyticsClient.ts';
import {
  IDENTITY_FIELDS,
  LIMITS,
  RESOURCE_OF_PLAN,
  type IdentityField,
  type Plan,
  type TokenScope,
} from '../contract.ts';
import { identityKey, identityOf, type Identity } from '../identity.ts';
import { budgetErrors } from './errors.ts';
import { NO_LIMIT, type Limit } from './limit.ts';

/** The service: a client that never repeats writes blindly. */
export type BudgetService = Pick<AnalyticsClient, 'call'>;

export interface Override {
  readonly identity: Identity;
  readonly limit: Limit;
}

/** The overrides at one moment. */
export interface Limits {
  /** Overrides by `identityKey`, in the order of the service. */
  readonly overrides: ReadonlyMap<string, Override>;
  /** The plan's unit, if there is an override to show it. */
  readonly unit: Plan | undefined;
}

/** All current overrides: the service returns them in real time and in one answer. */
export async function readLimits(service: BudgetService, signal?: AbortSignal): Promise<Limits> {
  const { overrides } = await allowed('analytics:read', () => service.call('getUserBudgetOverrides', {}, { signal }));
  const [first] = overrides;
  return {
    overrides: new Map(
      overrides.map((override) => {
        const identity = identityOf(override);
        return [identityKey(identity), { identity, limit: override.config.limit }];
      }),
    ),
    unit: first && (first.resource === RESOURCE_OF_PLAN.usd ? 'usd' : 'credits'),
  };
}

/** The override of an account; empty if there is none. */
export function limitIn({ overrides }: Limits, identity: Identity): Limit {
  return overrides.get(identityKey(identity))?.limit ?? NO_LIMIT;
}

/**
 * The unit of an organization's plan when no override shows it: whether its costs have credits. If that is wrong, which
 * is possible before any usage, the service refuses each entry and names the other unit.
 */
export async function unitOfPlan(service: BudgetService, signal?: AbortSignal): Promise<Plan> {
  const options: CallOptions = { signal };
  const { data_points: points } = await allowed('analytics:read', () => service.call('costAnalytics', {}, options));
  const isUsd = sumOf(points, 'credits_consumed') === 0n && sumOf(points, 'billed_amount_usd') > 0n;
  return isUsd ? 'usd' : 'credits';
}

/** The keys of accounts unknown to the organization. */
export async function findUnknown(
  service: BudgetService,
  identities: readonly Identity[],
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  const unknown = new Set<string>();
  for (const kind of IDENTITY_FIELDS) {
    const names = identities.filter((one) => one.kind === kind).map(({ name }) => name);
    for (let at = 0; at < names.length; at += LIMITS.maxOverrides)
      for (const name of await unknownNames(service, kind, names.slice(at, at + LIMITS.maxOverrides), signal))
        unknown.add(identityKey({ kind, name }));
  }
  return unknown;
}

/**
 * Finds unknown names by requests that name them: the service refuses with a message that lists all unknown ones. Names
 * may hold anything, even text like a list, so the message is not parsed. It suggests which names to request next. Only
 * a message that lists all names of a request proves them unknown, since that of fewer is shorter. Three requests for
 * ordinary names.
 */
async function unknownNames(
  service: BudgetService,
  kind: IdentityField,
  names: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const message = names.length === 0 ? undefined : await refusal(service, kind, names, signal);
  if (message === undefined) return [];
  if (names.length === 1 || message.endsWith(`: ${names.join(', ')}`)) return names;
  const listed = new Set(message.slice(message.indexOf(': ') + 2).split(', '));
  const seem = names.filter((name) => (name.includes(', ') ? message.includes(name) : listed.has(name)));
  const isGuess = seem.length > 0 && seem.length < names.length;
  const asked = isGuess ? new Set(seem) : new Set(names.slice(0, names.length >> 1));
  const others = names.filter((name) => !asked.has(name));
  return [
    ...(await unknownNames(service, kind, [...asked], signal)),
    ...(await unknownNames(service, kind, others, signal)),
  ];
}

/** The refusal of the service for these accounts; undefined if it knows them all. */
async function refusal(
  service: BudgetService,
  kind: IdentityField,
  names: readonly string[],
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const request = kind === 'user_email' ? { user_emails: [...names] } : { service_account_names: [...names] };
  try {
    await allowed('analytics:read', () => service.call('getUserBudgetOverrides', request, { signal }));
    return undefined;
  } catch (error) {
    if (error instanceof SextantError && error.code === 'InvalidArgument') return error.message;
    throw error;
  }
}

/** Adds the missing permission to the error if one is missing. */
export async function allowed<T>(scope: TokenScope, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof SextantError && error.code === 'PermissionDenied')
      throw budgetErrors.missingPermission(scope, error);
    throw error;
  }
}
