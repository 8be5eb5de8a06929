import assert from 'node:assert/strict';
import { openFigures } from '../../../test/support/analytics.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { parseDay, type Day } from '../../base/day.ts';
import { SextantServer } from '../../server/server.ts';
import { Groups } from '../groups/groups.ts';
import { identityKey, identityNamed } from '../identity.ts';
import { wholeAmount } from '../insights/amounts.ts';
import { countLevels } from '../insights/budgets.ts';
import { attentionOf } from '../reports/attention.ts';
import { describeAttention } from '../reports/attentionTexts.ts';
import { alertEvents, type AlertEvent } from './alertEvents.ts';
import { alertReports } from './alertReports.ts';

describe('events of alerts', () => {
  const newFolder = temporaryFolder();
  let server: SextantServer | undefined;
  afterEach(() => server?.close());

  it('are those of the list of what needs attention, without its bounds, and have the groups of their accounts', async () => {
    server = await SextantServer.start({
      now: Date.parse('2026-11-25T12:00:00Z'),
      rateLimit: false,
      simulation: { seed: 7, users: 300, plan: 'credits' },
    });
    server.clock.freeze();
    const { data } = openFigures(server, newFolder);
    const rows = [{ line: 2, account: '*', values: { team: 'All' }, first: undefined, last: undefined }];
    const reports = await alertReports(data, new Groups(['team'], rows), []);
    const events = alertEvents(reports, data.today);
    const of = (...kinds: AlertEvent['kind'][]): AlertEvent[] => events.filter(({ kind }) => kinds.includes(kind));
    const levels = countLevels(reports.budgets!.statuses);
    assert.deepEqual(
      [of('over').length, of('near').length, of('projected').length],
      [levels.over, levels.near, levels.crossing],
    );
    const { items } = attentionOf(reports, [], data.newestDay);
    assert.equal(of('unusual').length, items.filter(({ kind }) => kind === 'unusual').length);
    const stopped = items.flatMap((item) => (item.kind === 'stopped' ? item.people : []));
    assert.deepEqual(of('stopped').map(({ subject }) => subject.name), stopped.map(({ identity }) => identity.name)); // oxfmt-ignore
    assert.ok(levels.over > 0, 'some limits are reached');
    assert.ok(stopped.length > 0, 'some accounts stopped');
    const limits = [
      { of: 'organization', limit: '1' },
      { of: { column: 'team', group: 'All' }, limit: '1' },
    ] as const;
    const limitedReports = await alertReports(data, new Groups(['team'], rows), limits);
    const limited = alertEvents(limitedReports, data.today);
    const [team, organization] = limited.filter(({ subject, kind }) => kind === 'over' && subject.type !== 'account').sort((a, b) => (a.subject.type < b.subject.type ? -1 : 1)); // oxfmt-ignore
    assert.deepEqual([team!.kind, team!.subject], ['over', { type: 'group', name: 'All', column: 'team' }]);
    assert.match(team!.text, /^Team All is [\d,]+ credits over the limit of 1 credit /);
    assert.deepEqual([organization!.kind, organization!.subject], ['over', { type: 'organization', name: '' }]);
    const listed = attentionOf(limitedReports, [], data.newestDay);
    const sentences = listed.items.slice(0, 2).map((item) => describeAttention(item, listed.unit, (_, name) => name));
    assert.deepEqual(sentences.sort(), [team!.text, organization!.text]);
    for (const { subject, groups } of events) if (subject.type === 'account') assert.deepEqual(groups, { team: 'All' });
    assert.equal(new Set(events.map(({ key }) => key)).size, events.length);
  });

  it('have a sentence and exact figures, one for each status and each unusual spending', () => {
    const countedUntil = Date.parse('2026-11-21T00:00:00Z');
    const status = (name: string, used: number, crossesOn?: Day) => ({
      ...{ identity: identityNamed(name), key: identityKey(identityNamed(name)), limit: 1000n, used, crossesOn },
      ...{ spent: wholeAmount(used * 1000), projected: wholeAmount(2000), high: undefined },
    });
    const crossing = parseDay('2026-11-27')!;
    const statuses = [status('a@x.io', 1.5, crossing), status('b@x.io', 0.95, crossing), status('c', 0.5, crossing), status('d', 0.5)]; // oxfmt-ignore
    const quality = { asOf: undefined, offline: undefined, missing: [] };
    const spending = {
      ...({ subject: 'day', key: '', name: '', since: '2026-11-16', until: '2026-11-18', days: 3 } as const),
      ...{ amount: wholeAmount(900), usual: wholeAmount(300), excess: wholeAmount(600) },
    };
    const reports = {
      budgets: { ...quality, unit: 'credits', statuses, others: [], countedUntil },
      unusual: { ...quality, unit: 'credits', found: [spending], accounts: 3 },
      groupBudgets: undefined,
      presence: undefined,
      groups: undefined,
    } as const;
    const events = alertEvents(reports, parseDay('2026-11-21')!);
    assert.deepEqual(
      events.map(({ kind, period, text }) => [kind, period, text]),
      [
        ['over', '2026-11', 'a@x.io is 500 credits over the limit of 1,000 credits (150.0 % used)'],
        ['near', '2026-11', 'b@x.io has 50 credits left of the limit (95.0 % used)'],
        ['projected', '2026-11', 'c is projected to reach the limit of 1,000 credits on 2026-11-27 (50.0 % used)'],
        [
          'unusual',
          '2026-11-16',
          'All accounts together spent 600 credits more than usual since 2026-11-16 (900 credits in 3 days)',
        ],
      ],
    );
    const { unit, limit, consumed, projected, crosses_on } = events[2]!.figures;
    assert.deepEqual([unit, limit, consumed, projected, crosses_on], ['credits', '1000', '500', '2000', '2026-11-27']);
    assert.deepEqual(events[3]!.subject, { type: 'organization', name: '' });
    assert.deepEqual(alertEvents({ ...reports, budgets: undefined, unusual: undefined }, 0), []);
  });

  it('are the same later in the month, and others in the next one', async () => {
    const keysAt = async (now: string): Promise<string[]> => {
      server = await SextantServer.start({
        now: Date.parse(now),
        rateLimit: false,
        simulation: { seed: 7, users: 300, plan: 'credits' },
      });
      server.clock.freeze();
      const { data } = openFigures(server, newFolder);
      const events = alertEvents(await alertReports(data, undefined, []), data.today);
      await server.close();
      server = undefined;
      return events.filter(({ kind }) => kind === 'over').map(({ key }) => key);
    };
    const early = await keysAt('2026-11-24T12:00:00Z');
    const late = new Set(await keysAt('2026-11-26T12:00:00Z'));
    const next = new Set(await keysAt('2026-12-24T12:00:00Z'));
    assert.ok(early.length > 0 && next.size > 0);
    for (const key of early) assert.ok(late.has(key) && !next.has(key), key);
  });
});
