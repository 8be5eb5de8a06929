import { LIMITS, RATE_LIMITS, endpoints, type EndpointName } from '../../analytics/contract.ts';
import type { RateLimiter } from '../auth/rateLimiter.ts';
import type { TokenCaller, Tokens } from '../auth/tokens.ts';
import { httpErrors } from '../http/errors.ts';
import type { HttpExchange, Resource } from '../http/exchange.ts';
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
    guard: ({ authorization }) => admission.tokens.authenticate(authorization),
    admit: (caller: TokenCaller) => admit(name as EndpointName, caller, context, admission.limiter),
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

/** Throws `PermissionDenied` or `ResourceExhausted`. */
function admit(
  name: EndpointName,
  caller: TokenCaller,
  context: AnalyticsContext,
  limiter: RateLimiter | undefined,
): void {
  const { scope, rateGroup } = endpoints[name];
  if (!caller.scopes.has(scope)) throw httpErrors.missingScope(scope);
  if (!context.facts().organization.enterprise) throw httpErrors.notEnterprise();
  limiter?.admit(caller.name, rateGroup, RATE_LIMITS[rateGroup]);
}
