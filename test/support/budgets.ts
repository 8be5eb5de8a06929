import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AdjustableClock } from '../../src/base/clock.ts';
import { AnalyticsClient } from '../../src/analytics/client/analyticsClient.ts';
import { RequestBudget } from '../../src/analytics/client/requestBudget.ts';
import type { Identity } from '../../src/analytics/identity.ts';
import type { DataRecordInput } from '../../src/server/testing.ts';

/** A client whose sleeps only advance its clock. `folder` holds its count of requests. */
export function quickClient(
  { url, token }: { readonly url: string; readonly token: string },
  folder: string,
): AnalyticsClient {
  const clock = new AdjustableClock();
  clock.freeze();
  const sleep = (ms: number): Promise<void> => {
    clock.advance(ms);
    return Promise.resolve();
  };
  return new AnalyticsClient({ url, token }, new RequestBudget(folder, { clock, sleep }), { clock, sleep });
}

export const person = (name: string): Identity => ({ kind: 'user_email', name });
export const serviceAccount = (name: string): Identity => ({ kind: 'service_account_name', name });

/** The records of an organization with these accounts; those with a limit have an override. */
export function organizationOf(
  accounts: readonly (readonly [Identity, limit: string])[],
  plan: 'credits' | 'usd' = 'credits',
): DataRecordInput[] {
  const resource = plan === 'usd' ? 'BUDGET_RESOURCE_USD_COST' : 'BUDGET_RESOURCE_CREDITS_CONSUMED';
  return [
    { kind: 'org', plan, enterprise: true },
    ...accounts.map(([{ kind, name }]) => ({ kind: kind === 'user_email' ? 'user' : 'service_account', [kind]: name })),
    ...accounts
      .filter(([, limit]) => limit !== '')
      .map(([{ kind, name }, limit]) => ({
        ...{ kind: 'override', [kind]: name, resource, period: 'BUDGET_PERIOD_MONTHLY', config: { limit } },
      })),
  ];
}

/**
 * Has no request of an editor wait for those before it, as if a minute passed twice a second: its budget of requests starts again.
 * `folder` has the editor's data. Returns what ends this.
 */
export function forgetRequests(folder: string): () => void {
  const requests = join(folder, 'sextant/analytics/requests');
  const timer = setInterval(() => {
    if (!existsSync(requests)) return;
    // Renamed first: another process may add a file meanwhile.
    renameSync(requests, `${requests}-of-before`);
    rmSync(`${requests}-of-before`, { recursive: true });
  }, 500);
  return () => clearInterval(timer);
}
