import { seeded } from '../fault/truth.ts';
import { METRICS, plusDays, type DataRecord } from './naive.ts';

const PEOPLE = [
  'ada',
  'Bob',
  'çelik',
  'dora',
  'ADAM',
  'eve',
  'frank',
  'zoe',
  'Ünal',
  'mallory',
  'left-long-ago',
  'leaving-later',
];
const ACCOUNTS = ['nightly-build', 'Nightly-Build', 'release', 'ada@example.com'];
const BOTS = ['Reviewer', 'triage'];
const EXPERTS = ['e1', 'e2', 'E3'];

/**
 * An organization with everything that can be difficult: names in several cases, people who left or were never declared,
 * accounts that cannot be resolved, facts that add up, activity of nothing, amounts of many digits, today's credits.
 */
export function dataset(seed: number, today: string, plan: 'credits' | 'usd' = 'credits'): DataRecord[] {
  const random = seeded(seed);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const integer = (limit: number): number => Math.floor(random() * limit);
  const email = (person: string): string => `${person}@example.com`;
  const anyCase = (name: string): string => pick([name, name, name.toUpperCase(), name.toLowerCase()]);
  const somebody = (): Record<string, string> =>
    random() < 0.75
      ? { user_email: anyCase(email(pick([...PEOPLE, 'undeclared']))) }
      : { service_account_name: pick([...ACCOUNTS, 'gone-account']) };
  const date = (): string => plusDays(today, -integer(random() < 0.6 ? 12 : 120));
  const records: DataRecord[] = [];

  for (let i = 0; i < 900; i++) {
    const some = METRICS.filter(() => random() < 0.4);
    records.push({
      kind: 'activity',
      date: date(),
      ...somebody(),
      language: pick(['TypeScript', 'typescript', 'Go', 'Unknown', 'C++']),
      editor: pick(['VS Code', 'CLI', 'Unknown']),
      metrics: Object.fromEntries(some.map((metric) => [metric, random() < 0.3 ? 0 : integer(5000)])),
    });
  }
  for (let i = 0; i < 500; i++) {
    const model_name = pick(['sonnet', 'haiku', 'Opus']);
    records.push({ kind: 'credits', date: date(), ...somebody(), model_name, credits_consumed: integer(4000) });
  }
  for (let i = 0; i < 900; i++) records.push(cost());
  for (const [place, declaration] of declarations().entries()) records.splice(place * 37, 0, declaration);
  return [{ kind: 'org', plan, enterprise: true }, ...records, ...overrides()];

  function cost(): DataRecord {
    const digits = pick([0, 2, 6, 9, 12, 20]);
    const amount = (): string => {
      const fraction = Array.from({ length: digits }, () => integer(10)).join('');
      return `${random() < 0.05 ? '-' : ''}${integer(pick([10, 1000, 1e9]))}${fraction && `.${fraction}`}`;
    };
    const tokens = (): number | string =>
      random() < 0.1
        ? String(2n ** 53n + BigInt(integer(1e6)))
        : integer(random() < 0.1 ? Number.MAX_SAFE_INTEGER : 1e5);
    const who = random();
    const user =
      who < 0.7
        ? somebody()
        : who < 0.8
          ? { bot_name: pick([...BOTS, 'unknown bot']) }
          : who < 0.9
            ? pick([
                { user_type: 'COST_ANALYTICS_USER_TYPE_USER' },
                { user_type: 'COST_ANALYTICS_USER_TYPE_SERVICE_ACCOUNT' },
              ])
            : null;
    const type = user && ('user_email' in user ? 'USER' : 'bot_name' in user ? 'BOT' : 'SERVICE_ACCOUNT');
    const isCompute = random() < 0.2;
    return {
      kind: 'cost',
      date: date(),
      product_display_name: pick(['Chat', 'Agent', 'chat']),
      resource_display_name: isCompute ? pick(['runner', 'sonnet']) : pick(['sonnet', 'haiku', 'Opus']),
      resource_type: `COST_ANALYTICS_RESOURCE_TYPE_${isCompute ? 'COMPUTE' : 'MODEL'}`,
      user_info: user && { ...user, ...(!('user_type' in user) && { user_type: `COST_ANALYTICS_USER_TYPE_${type}` }) },
      byok_status: `COST_ANALYTICS_BYOK_STATUS_${random() < 0.3 ? 'BYOK' : 'NON_BYOK'}`,
      ...(random() < 0.5 && { expert_id: pick(EXPERTS) }),
      cost_metrics: {
        billed_amount_usd: amount(),
        base_cost_usd: amount(),
        credits_consumed: amount(),
        input_tokens: tokens(),
        output_tokens: tokens(),
        ...(random() < 0.5 && { cache_read_tokens: tokens(), cache_write_tokens: tokens() }),
      },
    };
  }

  function declarations(): DataRecord[] {
    const left: Readonly<Record<string, string>> = {
      'left-long-ago': plusDays(today, -60),
      mallory: today,
      'leaving-later': plusDays(today, 1),
    };
    return [
      ...PEOPLE.map((person) => ({
        kind: 'user',
        user_email: email(person),
        ...(left[person] !== undefined && { left: left[person] }),
      })),
      ...ACCOUNTS.map((service_account_name) => ({ kind: 'service_account', service_account_name })),
      ...BOTS.map((bot_name) => ({ kind: 'bot', bot_name })),
      ...EXPERTS.map((expert_id) => ({ kind: 'expert', expert_id, name: `Expert ${expert_id}` })),
    ];
  }

  function overrides(): DataRecord[] {
    const people = [...PEOPLE, 'undeclared'].map((person) => ({ user_email: anyCase(email(person)) }));
    const accounts = [...ACCOUNTS, 'gone-account'].map((service_account_name) => ({ service_account_name }));
    return [...people, ...accounts].flatMap((who) =>
      ['BUDGET_RESOURCE_CREDITS_CONSUMED', 'BUDGET_RESOURCE_USD_COST']
        .filter(() => random() < 0.7)
        .map((resource) => ({
          kind: 'override',
          ...who,
          resource,
          period: 'BUDGET_PERIOD_MONTHLY',
          config: { limit: String(1 + integer(1e15)) },
        })),
    );
  }
}
