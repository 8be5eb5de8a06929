import { isObject } from '../../base/json.ts';
import {
  IDENTITY_FIELDS,
  LIMITS,
  RESOURCE_OF_PLAN,
  messages,
  overrideSettings,
  type OverrideEntry,
  type ResponseOf,
} from '../../analytics/contract.ts';
import { invalidArgument } from '../../analytics/errors.ts';
import { identityFields, identityKey, identityOf, type Identity } from '../../analytics/identity.ts';
import { checkRequest, messageOfIssue } from '../../analytics/validate.ts';
import { dayOf, type Day } from '../../base/day.ts';
import type { HttpExchange } from '../http/exchange.ts';
import type { AnalyticsContext } from './context.ts';
import type { FactSource } from './factSource.ts';
import { overrideKey } from './overrides.ts';
import { readJson } from './query.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Section 4.11. */
export async function getUserBudgetOverrides(
  context: AnalyticsContext,
  exchange: HttpExchange,
): Promise<ResponseOf<'getUserBudgetOverrides'>> {
  const request = checkRequest('getUserBudgetOverrides', readJson(await exchange.body()));
  const facts = context.facts();
  const today = dayOf(context.clock.now());
  const asked: Identity[] = [
    ...(request.user_emails ?? []).map((name) => ({ kind: 'user_email', name }) as const),
    ...(request.service_account_names ?? []).map((name) => ({ kind: 'service_account_name', name }) as const),
  ];
  refuseUnknown(asked, facts, today);
  const wanted = asked.length === 0 ? undefined : new Set(asked.map(identityKey));
  const resource = RESOURCE_OF_PLAN[facts.organization.plan];
  const overrides = context.overrides.all().flatMap((override) => {
    const member = facts.findMember(identityOf(override), today);
    if (!member || override.resource !== resource) return [];
    if (wanted && !wanted.has(identityKey(member))) return [];
    // There is one period only, so `period` chooses nothing.
    if ((request.resource ?? resource) !== resource) return [];
    const { period, config } = override;
    return [{ ...identityFields(member), resource, period, config: { limit: config.limit } }];
  });
  return { overrides };
}

function refuseUnknown(asked: readonly Identity[], facts: FactSource, today: Day): void {
  const unknown = asked.filter((identity) => !facts.findMember(identity, today));
  const sentences = IDENTITY_FIELDS.flatMap((field) => {
    const names = new Set(unknown.filter(({ kind }) => kind === field).map(({ name }) => name));
    return names.size === 0 ? [] : [messages.unknownIdentities(field, [...names])];
  });
  if (sentences.length > 0) throw invalidArgument(sentences.join('; '));
}

/** Section 4.12. */
export async function setUserBudgetOverrides(
  context: AnalyticsContext,
  exchange: HttpExchange,
): Promise<ResponseOf<'setUserBudgetOverrides'>> {
  const entries = readEntries(readJson(await exchange.body()));
  const facts = context.facts();
  const today = dayOf(context.clock.now());
  const failures: ResponseOf<'setUserBudgetOverrides'>['failures'] = [];
  const changes: OverrideEntry[] = [];
  for (const { identity, fields } of entries) {
    const outcome = checkEntry(identity, fields, facts, today);
    if (typeof outcome === 'string') failures.push({ ...identityFields(identity), error_message: outcome });
    else changes.push(outcome);
  }
  if (changes.length > 0) await context.changeOverrides(changes);
  return { failures };
}

interface Entry {
  readonly identity: Identity;
  readonly fields: Fields;
}

/** What makes the whole request wrong. Throws `InvalidArgument`. */
function readEntries(body: Fields): Entry[] {
  const unknown = Object.keys(body).filter((field) => field !== 'overrides');
  if (unknown.length > 0) throw invalidArgument(messages.unknownFields(unknown));
  const { overrides } = body;
  if (!Array.isArray(overrides)) throw invalidArgument(messages.mustBe('overrides', 'an array'));
  if (overrides.length === 0) throw invalidArgument(messages.emptyOverrides);
  if (overrides.length > LIMITS.maxOverrides) throw invalidArgument(messages.tooManyOverrides);
  const seen = new Map<string, string>();
  return overrides.map((value: unknown, index) => {
    const path = `overrides[${index}]`;
    const fields = readObject(path, value);
    const identity = readIdentity(path, fields);
    const { resource, period } = fields;
    if (typeof resource === 'string' && typeof period === 'string') {
      const key = overrideKey(identity, resource, period);
      const other = seen.get(key);
      if (other !== undefined) throw invalidArgument(messages.sameOverride(path, other));
      seen.set(key, path);
    }
    return { identity, fields };
  });
}

const ENTRY_FIELDS: ReadonlySet<string> = new Set([...IDENTITY_FIELDS, 'resource', 'period', 'config']);

function readObject(path: string, value: unknown): Fields {
  if (!isObject(value)) throw invalidArgument(messages.mustBe(path, 'an object'));
  const inConfig = isObject(value.config) ? Object.keys(value.config).filter((field) => field !== 'limit') : [];
  const unknown = [
    ...Object.keys(value).filter((field) => !ENTRY_FIELDS.has(field)),
    ...inConfig.map((field) => `config.${field}`),
  ];
  if (unknown.length > 0) throw invalidArgument(messages.unknownFields(unknown.map((field) => `${path}.${field}`)));
  return value;
}

function readIdentity(path: string, fields: Fields): Identity {
  const given = IDENTITY_FIELDS.filter((field) => fields[field] !== undefined && fields[field] !== null);
  const [kind] = given;
  if (kind === undefined || given.length > 1) throw invalidArgument(messages.oneIdentity(path));
  const name = fields[kind];
  if (typeof name !== 'string') throw invalidArgument(messages.mustBe(`${path}.${kind}`, 'a string'));
  return { kind, name };
}

/** The change that an entry asks for, or why it is not applied. */
function checkEntry(identity: Identity, fields: Fields, facts: FactSource, today: Day): OverrideEntry | string {
  const member = facts.findMember(identity, today);
  if (!member) return messages.unknownIdentities(identity.kind, [identity.name]);
  const settings = overrideSettings.safeParse(fields);
  const issue = settings.error?.issues[0];
  const { plan } = facts.organization;
  // After what a resource is, and before all that is wrong with period and config.
  const { resource } = fields as unknown as OverrideEntry;
  if (issue?.path[0] !== 'resource' && resource !== RESOURCE_OF_PLAN[plan])
    return messages.wrongResource(resource, plan);
  if (!settings.success) return messageOfIssue(issue!);
  return { ...identityFields(member), ...settings.data };
}
