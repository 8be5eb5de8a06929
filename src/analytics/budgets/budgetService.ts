import { SextantError } from '../../base/errors.ts';
import { sumOf } from '../insights/amounts.ts';
import { identityOf } from '../insights/people.ts';
import type { AnalyticsClient, CallOptions } from '../client/analyticsClient.ts';
import { IDENTITY_FIELDS, LIMITS, RESOURCE_OF_PLAN, type IdentityField, type Plan, type Scope } from '../contract.ts';
import { identityKey, type Identity } from '../identity.ts';
import { budgetErrors } from './errors.ts';
import { NO_LIMIT, type Limit } from './limit.ts';

/** What answers; a client whose writes are never repeated blindly. */
export type BudgetService = Pick<AnalyticsClient, 'call'>;

export interface Override {
  readonly identity: Identity;
  readonly limit: Limit;
}

/** The overrides of a moment. */
export interface Limits {
  /** By `identityKey`, in the order of the service. */
  readonly overrides: ReadonlyMap<string, Override>;
  /** The plan's, as far as overrides tell. */
  readonly unit: Plan | undefined;
}

/** All overrides, as they are now: the service gives them in real time and in one answer. */
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

/** The limit of one's own that somebody has; empty where there is none. */
export function limitIn({ overrides }: Limits, identity: Identity): Limit {
  return overrides.get(identityKey(identity))?.limit ?? NO_LIMIT;
}

/**
 * The unit of an organization's plan where no override tells it: whether its costs have credits. Where that is wrong, as it may
 * be of one that has used nothing yet, the service refuses each entry and names the other.
 */
export async function unitOfPlan(service: BudgetService, signal?: AbortSignal): Promise<Plan> {
  const options: CallOptions = { signal };
  const { data_points: points } = await allowed('analytics:read', () => service.call('costAnalytics', {}, options));
  const isUsd = sumOf(points, 'credits_consumed') === 0n && sumOf(points, 'billed_amount_usd') > 0n;
  return isUsd ? 'usd' : 'credits';
}

/** The keys of those that the organization does not know. */
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
 * The service refuses a question that names an unknown account, in a message that lists all of them. Names may hold anything,
 * also what looks like a list, so the message is not taken apart: it tells whom to ask for next, and only one that is the list
 * of all that were asked for proves them unknown, since that of fewer is shorter. Three requests, where names are no riddles.
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

/** Why the service does not answer for these accounts; nothing where it knows them all. */
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

/** Says which permission is missing where one is. */
export async function allowed<T>(scope: Scope, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof SextantError && error.code === 'PermissionDenied')
      throw budgetErrors.missingPermission(scope, error);
    throw error;
  }
}
