import * as z from 'zod/mini';
import { SCOPES, messages, type TokenScope } from '../../analytics/contract.ts';
import { messageOfIssue } from '../../analytics/validate.ts';
import type { AdjustableClock } from '../../base/clock.ts';
import { TOKEN_NAME, TOKEN_NAME_RULE } from '../../base/tokenName.ts';
import { readJson } from '../analytics/query.ts';
import type { Organization } from '../analytics/organization.ts';
import { digest, requireToken } from '../auth/tokens.ts';
import { httpErrors } from '../http/errors.ts';
import type { HttpExchange, Operation, Reply, Resource } from '../http/exchange.ts';
import { readFaultRule } from '../faults/faultRules.ts';
import type { Faults } from '../faults/faults.ts';
import { SCENARIOS } from '../faults/scenarios.ts';
import type { RequestLog } from '../http/requestLog.ts';
import { checkMoment, readMoment } from './moment.ts';

const MAX_BODY = 65_536;
const MAX_REQUESTS = 1000;

/** Operations of the admin plane on its server. */
export interface Administered {
  readonly clock: AdjustableClock;
  readonly organization: Organization;
  readonly requestLog: RequestLog;
  /** All state as lines, and back. */
  snapshot(): Iterable<string>;
  restore(bytes: AsyncIterable<Uint8Array>): Promise<void>;
  readonly faults: Faults;
  /** The active scenario. */
  readonly scenario: string | undefined;
  /** Throws `InvalidArgument` for an unknown name. */
  applyScenario(name: string): void;
  clearScenario(): void;
  /** Restores the state at the start of the server. */
  reset(): Promise<void>;
  /** Throws `InvalidArgument` for a taken name. */
  createToken(
    name: string | undefined,
    scopes: readonly TokenScope[],
  ): Promise<{ readonly name: string; readonly token: string }>;
  /** Throws `NotFound`. */
  revokeToken(name: string): Promise<void>;
}

const clockChange = z.strictObject({
  now: z.optional(z.string(messages.mustBe('now', 'an ISO 8601 moment, such as 2026-11-21T01:00:00Z'))),
  advanceMs: z.optional(z.int(messages.mustBe('advanceMs', 'a whole number of milliseconds'))),
  frozen: z.optional(z.boolean(messages.mustBe('frozen', 'true or false'))),
});

const scenarioChoice = z.strictObject({ scenario: z.string(messages.mustBe('scenario', 'a string')) });

const tokenRequest = z.strictObject({
  scopes: z
    .array(z.enum(SCOPES, messages.oneOf('scopes', SCOPES)), messages.mustBe('scopes', 'an array'))
    .check(z.minLength(1, 'scopes must not be empty')),
  name: z.optional(
    z.string(messages.mustBe('name', 'a string')).check(z.regex(TOKEN_NAME, messages.mustBe('name', TOKEN_NAME_RULE))),
  ),
});

/** Creates a resource below `/__admin`. */
export type AdminResource = (path: string, methods: Resource['methods']) => Resource;

/** Guards resources below `/__admin` with the admin token. */
export function behindAdminToken(adminToken: string): AdminResource {
  const expected = digest(adminToken);
  return (path, methods) => ({
    path: `/__admin/${path}`,
    isLogged: false,
    guard: ({ authorization }) => {
      requireToken(authorization, expected);
      return { name: 'admin' };
    },
    methods,
  });
}

/** The resources of the admin plane. */
export function adminResources(server: Administered, resource: AdminResource): Resource[] {
  return [
    resource('clock', {
      GET: { handle: () => clockReply(server.clock) },
      POST: withJson((body) => {
        changeClock(server.clock, checked(clockChange, body));
        return clockReply(server.clock);
      }),
    }),
    resource('reset', { POST: { handle: () => server.reset().then(() => ({ json: {} })) } }),
    resource('import', {
      POST: {
        handle: (exchange) => server.organization.import(exchange.stream()).then((lines) => ({ json: { lines } })),
      },
    }),
    resource('export', {
      GET: { handle: () => ({ lines: server.organization.lines(), contentType: 'application/x-ndjson' }) },
    }),
    resource('snapshot', {
      GET: { handle: () => ({ lines: server.snapshot(), contentType: 'application/x-ndjson' }) },
      POST: { handle: (exchange) => server.restore(exchange.stream()).then(() => ({ json: {} })) },
    }),
    resource('tokens', {
      POST: withJson(async (body) => {
        const { name, scopes } = checked(tokenRequest, body);
        return { json: await server.createToken(name, scopes) };
      }),
    }),
    resource('tokens/{name}', {
      DELETE: { handle: ({ parameters }) => server.revokeToken(parameters.name!).then(() => ({ json: {} })) },
    }),
    resource('faults', {
      GET: { handle: () => ({ json: { faults: server.faults.list() } }) },
      POST: withJson((body) => ({ json: server.faults.add(readFaultRule(body)) })),
      DELETE: {
        handle: () => {
          server.faults.clear();
          return { json: {} };
        },
      },
    }),
    resource('faults/{id}', {
      PUT: withJson((body, { parameters }) => {
        const entry = server.faults.replace(parameters.id!, readFaultRule(body));
        if (!entry) throw httpErrors.notFound(`fault ${parameters.id}`);
        return { json: entry };
      }),
      DELETE: {
        handle: ({ parameters }) => {
          if (!server.faults.remove(parameters.id!)) throw httpErrors.notFound(`fault ${parameters.id}`);
          return { json: {} };
        },
      },
    }),
    resource('scenario', {
      GET: { handle: () => scenarioReply(server) },
      POST: withJson((body) => {
        server.applyScenario(checked(scenarioChoice, body).scenario);
        return scenarioReply(server);
      }),
      DELETE: {
        handle: () => {
          server.clearScenario();
          return scenarioReply(server);
        },
      },
    }),
    resource('requests', {
      GET: { handle: (exchange) => ({ json: { requests: server.requestLog.latest(limitOf(exchange)) } }) },
    }),
  ];
}

function scenarioReply({ scenario }: Administered): Reply {
  const scenarios = Object.entries(SCENARIOS).map(([name, { description }]) => ({ name, description }));
  return { json: { active: scenario ?? null, scenarios } };
}

/** An operation that takes a JSON object of at most `maxBytes`. */
export function withJson(
  handle: (body: Readonly<Record<string, unknown>>, exchange: HttpExchange) => Reply | Promise<Reply>,
  maxBytes = MAX_BODY,
): Operation {
  const read = async (exchange: HttpExchange): Promise<Reply> => handle(readJson(await exchange.body()), exchange);
  return { accepts: ['application/json'], maxBytes, handle: read };
}

/** The schema of a text that may be missing. */
export function optionalText(name: string): z.ZodMiniOptional<z.ZodMiniString> {
  return z.optional(z.string(messages.mustBe(name, 'a string')));
}

/** Parses a body by a schema. Throws `InvalidArgument`. */
export function checked<S extends z.ZodMiniType>(schema: S, body: unknown): z.output<S> {
  const result = schema.safeParse(body);
  if (!result.success) throw httpErrors.badRequest(messageOfIssue(result.error.issues[0]!));
  return result.data;
}

function clockReply(clock: AdjustableClock): Reply {
  return { json: { now: new Date(clock.now()).toISOString(), frozen: clock.isFrozen } };
}

function changeClock(clock: AdjustableClock, { now, advanceMs, frozen }: z.output<typeof clockChange>): void {
  const moment = (now === undefined ? clock.now() : readMoment(now)) + (advanceMs ?? 0);
  const isSet = now !== undefined || advanceMs !== undefined;
  if (isSet) checkMoment(moment);
  if (frozen === true) clock.freeze(moment);
  else if (isSet) clock.set(moment);
  if (frozen === false) clock.run();
}

function limitOf({ query }: HttpExchange): number {
  const [limit = '100', another] = new URLSearchParams(query).getAll('limit');
  if (another !== undefined) throw httpErrors.badRequest(messages.repeated('limit'));
  if (!/^[1-9]\d{0,5}$/.test(limit))
    throw httpErrors.badRequest(messages.mustBe('limit', 'a whole number from 1 to 999999'));
  return Math.min(Number(limit), MAX_REQUESTS);
}
