import { accountKey } from '../../src/analytics/client/account.ts';
import { AnalyticsClient } from '../../src/analytics/client/analyticsClient.ts';
import { ServiceData, type AnalyticsData } from '../../src/analytics/client/analyticsData.ts';
import { AnswerCache } from '../../src/analytics/client/answerCache.ts';
import { RequestBudget } from '../../src/analytics/client/requestBudget.ts';
import { AdjustableClock } from '../../src/base/clock.ts';
import type { SextantServer } from '../../src/server/server.ts';

/** A server's figures, at its time. Waits of the budget of requests pass at once, on a clock of their own. */
export function openFigures(
  { clock, url, token }: Pick<SextantServer, 'clock' | 'url' | 'token'>,
  newFolder: () => string,
  cache = newFolder(),
): { readonly data: AnalyticsData; readonly client: AnalyticsClient } {
  const passing = new AdjustableClock();
  const sleep = (ms: number): Promise<void> => {
    passing.advance(ms);
    return Promise.resolve();
  };
  const budget = new RequestBudget(newFolder(), { clock: passing, sleep });
  const client = new AnalyticsClient({ url, token }, budget, { clock, sleep });
  const answers = new AnswerCache(cache, accountKey({ url, token }), { clock });
  return { client, data: new ServiceData(client, answers, clock) };
}
