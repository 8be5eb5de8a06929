import type { IncomingHttpHeaders } from 'node:http';
import { LIMITS, RATE_LIMITS, endpoints, type EndpointName } from '../../analytics/contract.ts';
import type { RateLimiter } from '../auth/rateLimiter.ts';
import type { Tokens } from '../auth/tokens.ts';
import { httpErrors } from '../http/errors.ts';
import type { Caller, HttpExchange, Resource } from '../http/exchange.ts';
import { WrittenJson } from '../http/jsonWriter.ts';
import { dailyUsage, dailyUserActivityByEditorLanguage, dau, dauCount, userActivity } from './activity.ts';
import { getUserBudgetOverrides, setUserBudgetOverrides } from './budgets.ts';
import type { AnalyticsContext } from './context.ts';
import { costAnalytics } from './cost.ts';
import { creditUsageByUser } from './credits.ts';

type Handler = (context: AnalyticsContext, exchange: HttpExchange) => unknown;

const HANDLERS: Readonly<Record<EndpointName, Handler>> = {
  dauCount,
  dau,
  dailyUsage,
  userActivity,
  dailyUserActivityByEditorLanguage,
  creditUsageByUser,
  costAnalytics,
  getUserBudgetOverrides,
  setUserBudgetOverrides,
};

export interface Admission {
  readonly tokens: Tokens;
  /** Missing where limits are switched off. */
  readonly limiter: RateLimiter | undefined;
}

/** The nine endpoints, each behind its permission and rate limit. */
export function analyticsResources(context: AnalyticsContext, admission: Admission): Resource[] {
  return Object.entries(endpoints).map(([name, { method, path }]) => ({
    path,
    isLogged: true,
    guard: (headers) => admit(name as EndpointName, headers, context, admission),
    methods: {
      [method]: {
        ...(method === 'POST' && { accepts: ['application/json'], maxBytes: LIMITS.maxBodyBytes }),
        handle: (exchange) => {
          const answer = HANDLERS[name as EndpointName](context, exchange);
          if (answer instanceof WrittenJson) return answer;
          return answer instanceof Promise ? answer.then((json: unknown) => ({ json })) : { json: answer };
        },
      },
    },
  }));
}

/** Throws `Unauthenticated`, `PermissionDenied` or `ResourceExhausted`. */
function admit(
  name: EndpointName,
  headers: IncomingHttpHeaders,
  context: AnalyticsContext,
  { tokens, limiter }: Admission,
): Caller {
  const { scope, rateGroup } = endpoints[name];
  const caller = tokens.authenticate(headers.authorization);
  if (!caller.scopes.has(scope)) throw httpErrors.missingScope(scope);
  if (!context.facts().organization.enterprise) throw httpErrors.notEnterprise();
  limiter?.admit(caller.name, rateGroup, RATE_LIMITS[rateGroup]);
  return caller;
}
