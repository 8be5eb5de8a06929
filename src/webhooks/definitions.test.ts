import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { takeOver } from '../../test/support/lease.ts';
import { temporaryFolder } from '../../test/support/temporary.ts';
import { writeCheckedJson } from '../base/checkedJson.ts';
import { AdjustableClock } from '../base/clock.ts';
import { silentLogger } from '../base/log.ts';
import { fencedName, fencedNumbers } from '../base/lease.ts';
import { Definitions, type DefinitionsOptions, type ForwardExpert } from './definitions.ts';
import { isSecretOf } from './secrets.ts';

describe('definitions of webhooks', () => {
  const folder = temporaryFolder();
  let place: string;
  let clock: AdjustableClock;
  let definitions: Definitions;
  let said: string[];
  const open = (options: Partial<DefinitionsOptions> = {}): Definitions => {
    const logger = { ...silentLogger, error: (message: string) => void said.push(message) };
    return new Definitions({ fence: takeOver(place), folder: place, clock, logger, ...options });
  };
  /** The path of a file of the present lease. */
  const pathOf = (stem: string, rest: string): string =>
    join(place, fencedName(stem, fencedNumbers(place, stem, 'json')[0]!, rest));
  beforeEach(() => {
    place = folder();
    said = [];
    clock = new AdjustableClock();
    clock.freeze();
    definitions = open();
  });

  it('outlive the process, without a secret of a bearer webhook in any file', () => {
    const { webhook, secret } = definitions.createWebhook({ name: 'deploys', description: 'from CI' });
    const signed = definitions.createWebhook({ name: 'signed', type: 'standard_webhooks' });
    definitions.saveExpert({ name: 'bot', type: 'forward', url: 'https://bot.example/in' });
    const filter = { '==': [{ var: 'action' }, 'opened'] };
    definitions.saveTrigger({ name: 'opened', webhook: 'deploys', filter, expert: 'bot' });
    const again = open();
    assert.deepEqual(
      [again.webhooks, again.triggers, again.experts],
      [definitions.webhooks, definitions.triggers, definitions.experts],
    );
    assert.ok(isSecretOf(again.webhook('deploys').secrets, secret, clock.now()));
    assert.deepEqual(again.signingKeys(signed.webhook.id), [signed.secret]);
    assert.equal(again.triggersOf(webhook)[0]?.filter?.fires({ action: 'opened' }), true);
    assert.equal(
      again.describe(again.trigger('opened')),
      'When an event comes to deploys and `action` is "opened": run bot.',
    );
    for (const name of readdirSync(place).filter((one) => !one.startsWith('writer.'))) {
      if (process.platform !== 'win32') assert.equal(statSync(join(place, name)).mode & 0o777, 0o600, name);
      const text = readFileSync(join(place, name), 'utf8');
      assert.ok(!text.includes(secret), name);
      assert.equal(text.includes(signed.secret), name.startsWith('signing-keys'), name);
    }
  });

  it('take a rotated secret until its overlap is over', () => {
    for (const type of ['bearer_token', 'standard_webhooks'] as const) {
      const { webhook, secret: first } = definitions.createWebhook({ name: type, type });
      const { secret: second } = definitions.rotateSecret(type, 1000);
      const good = (): string[] =>
        type === 'bearer_token'
          ? [first, second].filter((one) => isSecretOf(definitions.webhook(type).secrets, one, clock.now()))
          : definitions.signingKeys(webhook.id);
      assert.deepEqual(new Set(good()), new Set([first, second]));
      clock.advance(1000);
      assert.deepEqual(good(), [second]);
      const { secret: third } = definitions.rotateSecret(type, 0);
      assert.ok(!good().includes(second) && third !== second);
    }
  });

  it('keep the old secret if the new one cannot be saved', () => {
    const files = [
      ['definitions', 'json'],
      ['definitions', 'copy.json'],
      ['signing-keys', 'json'],
      ['signing-keys', 'copy.json'],
    ] as const;
    for (const file of files) {
      place = folder();
      definitions = open();
      const { webhook, secret } = definitions.createWebhook({ name: 'w', type: 'standard_webhooks' });
      const path = pathOf(file[0], file[1]);
      const before = readFileSync(path);
      rmSync(path);
      mkdirSync(join(path, 'in the way'), { recursive: true });
      assert.throws(() => definitions.rotateSecret('w', 0), path);
      rmSync(path, { recursive: true });
      writeFileSync(path, before);
      for (const one of [definitions, open()]) {
        assert.deepEqual(one.signingKeys(webhook.id), [secret], path);
        assert.deepEqual(one.webhook('w').secrets, webhook.secrets, path);
      }
      definitions = open();
      const { secret: next } = definitions.rotateSecret('w', 0);
      assert.deepEqual(definitions.signingKeys(webhook.id), [next]);
    }
  });

  it('let a secret expire by the system clock', () => {
    const shown = new AdjustableClock(clock);
    definitions = open({ clock: shown, realClock: clock });
    const { webhook, secret } = definitions.createWebhook({ name: 'w', type: 'standard_webhooks' });
    definitions.rotateSecret('w', 1000);
    shown.advance(5000);
    assert.equal(definitions.signingKeys(webhook.id).length, 2);
    clock.advance(1000);
    shown.set(0);
    assert.ok(!definitions.signingKeys(webhook.id).includes(secret));
    assert.ok(!isSecretOf(definitions.webhook('w').secrets, secret, clock.now()));
  });

  it('report the users of a name before its deletion', () => {
    definitions.createWebhook({ name: 'w' });
    definitions.saveExpert({ name: 'bot', type: 'forward', url: 'http://127.0.0.1:1/' });
    definitions.saveTrigger({ name: 'one', webhook: 'w', expert: 'bot' });
    definitions.saveTrigger({ name: 'two', webhook: 'w', expert: 'bot' });
    const inUse = (fate: string) => ({ code: 'InUse', message: new RegExp(`used by the triggers one, two, ${fate}`) });
    assert.throws(() => definitions.deleteWebhook('w'), inUse('which would be deleted with it'));
    assert.throws(() => definitions.deleteExpert('bot'), inUse('which would no longer run'));
    definitions.saveTrigger({ name: 'two', webhook: 'w', expert: 'bot', enabled: false }, true);
    const message =
      'The expert bot is used by the trigger one, which would no longer run, and by the disabled trigger two, and by 3 runs that still wait, which would fail. Delete them first, or force it.';
    assert.throws(() => definitions.deleteExpert('bot', false, 3), { code: 'InUse', message });
    definitions.deleteTrigger('one');
    definitions.deleteTrigger('two');
    const waits = /: The expert bot is used by 1 run that still waits, which would fail\. Wait for it, or force it\.$/;
    assert.throws(() => definitions.deleteExpert('bot', false, 1), waits);
    const article = /There is an expert named bot already/;
    assert.throws(() => definitions.saveExpert({ name: 'bot', type: 'forward', url: 'http://a/' }), article);
    for (const name of ['one', 'two']) definitions.saveTrigger({ name, webhook: 'w' });
    definitions.deleteExpert('bot');
    definitions.createWebhook({ name: 'v' });
    definitions.saveTrigger({ name: 'other', webhook: 'v' });
    // Otherwise a new webhook of that name would have these triggers.
    assert.deepEqual(
      definitions.deleteWebhook('w', true).map(({ name }) => name),
      ['one', 'two'],
    );
    assert.deepEqual([definitions.webhooks.length, definitions.triggers.length], [1, 1]);
  });

  it('of a trigger keep the fields that a change does not name', () => {
    for (const name of ['w', 'v']) definitions.createWebhook({ name });
    definitions.saveExpert({ name: 'bot', type: 'forward', url: 'http://127.0.0.1:1/' });
    const filter = { '==': [{ var: 'action' }, 'opened'] };
    definitions.saveTrigger({ name: 't', webhook: 'w', filter, expert: 'bot', enabled: false });
    definitions.saveTrigger({ name: 'last', webhook: 'w' });
    const before = definitions.trigger('t');
    assert.deepEqual(definitions.changeTrigger('t', {}), before);
    assert.deepEqual(definitions.changeTrigger('t', { webhook: 'v' }), { ...before, webhook: 'v' });
    assert.deepEqual(definitions.changeTrigger('t', { enabled: true }).filter, filter);
    assert.equal('filter' in definitions.changeTrigger('t', { filter: null }), false);
    assert.equal(definitions.triggers[0]?.name, 't', 'the trigger keeps its position');
    assert.throws(() => definitions.changeTrigger('t', { expert: 'e' }), /There is no expert named e/);
    assert.throws(() => definitions.changeTrigger('t', { filters: 1 }), /trigger: filters is unknown/);
    assert.throws(() => definitions.changeTrigger('nobody', {}), /There is no trigger named nobody/);
  });

  it('are refused with the reason', () => {
    definitions.createWebhook({ name: 'w' });
    const refused: [run: () => unknown, message: RegExp][] = [
      [() => definitions.createWebhook({ name: 'w' }), /There is a webhook named w already/],
      [() => definitions.createWebhook({}), /webhook: name must be a string/],
      [() => definitions.createWebhook({ name: 'x', scoop: 1 }), /webhook: scoop is unknown/],
      [() => definitions.createWebhook({ name: '../x' }), /webhook: name must be 1 to 64/],
      [() => definitions.createWebhook([]), /webhook must be an object/],
      [() => definitions.saveTrigger({ name: 't', webhook: 'v' }), /There is no webhook named v/],
      [() => definitions.saveTrigger({ name: 't', webhook: 'w', expert: 'e' }), /There is no expert named e/],
      [() => definitions.saveTrigger({ name: 't', webhook: 'w', filter: { a: 1, b: 2 } }), /exactly one operator/],
      [
        () => definitions.saveExpert({ name: 'record', type: 'forward', url: 'http://a/' }),
        /expert named record already/,
      ],
      [
        () => definitions.saveExpert({ name: 'e', type: 'forward', url: 'file:///etc' }),
        /url must be an http or https/,
      ],
    ];
    for (const [run, message] of refused) assert.throws(run, message);
    assert.deepEqual([definitions.webhooks.length, definitions.triggers.length, definitions.experts.length], [1, 0, 1]);
  });

  function damage(file: string): void {
    const bytes = readFileSync(file);
    bytes[20]! ^= 1;
    writeFileSync(file, bytes);
  }

  it('come from the copy of a damaged file, and report the damage once', () => {
    for (const [stem, rest] of [
      ['definitions', 'json'],
      ['definitions', 'copy.json'],
      ['signing-keys', 'json'],
    ] as const) {
      place = folder();
      definitions = open();
      const { webhook, secret } = definitions.createWebhook({ name: 'w', type: 'standard_webhooks' });
      damage(pathOf(stem, rest));
      said = [];
      for (let start = 0; start < 2; start++) {
        const again = open();
        assert.deepEqual([again.webhooks.length, again.signingKeys(webhook.id)], [1, [secret]]);
        assert.equal(said.length, 1, said.join());
      }
      assert.match(
        said[0]!,
        new RegExp(`${stem}\\.\\d+\\.${rest.replace('.', String.raw`\.`)} was damaged. Nothing is lost`),
      );
    }
  });

  it('have no headers and key for a forward whose values are lost, and name it', () => {
    definitions.saveExpert({ name: 'bot', type: 'forward', url: 'http://a/', headers: { 'X-A': '1' }, sign: 'github' });
    const { headers, key = '' } = definitions.forwardSecrets(definitions.experts[1] as ForwardExpert)!;
    assert.deepEqual([headers, key.startsWith('whsec_')], [[['X-A', '1']], true]);
    for (const rest of ['json', 'copy.json']) damage(pathOf('signing-keys', rest));
    const again = open();
    assert.equal(again.forwardSecrets(again.experts[1] as ForwardExpert), undefined);
    assert.match(said.join(), /Rotate the secret of bot, /);
    again.deleteExpert('bot');
    again.saveExpert({ name: 'bot', type: 'forward', url: 'http://a/' });
    assert.deepEqual(again.forwardSecrets(again.experts[1] as ForwardExpert), { headers: [], key: undefined });
  });

  it('start empty if both copies are damaged, keep the files, and report the remedy once', () => {
    definitions.createWebhook({ name: 'w', type: 'standard_webhooks' });
    for (const rest of ['json', 'copy.json']) damage(pathOf('signing-keys', rest));
    said = [];
    assert.equal(open().webhooks.length, 1);
    assert.match(
      said.join(),
      /signing-keys\.\d+\.json and .*had the newest state of signing keys. Rotate the secret of w, /,
    );
    for (const rest of ['json', 'copy.json']) damage(pathOf('definitions', rest));
    said = [];
    definitions = open();
    assert.deepEqual([definitions.webhooks.length, said.length], [0, 1]);
    assert.match(said[0]!, /definitions\.\d+\.json .*Create them again, or stop the server and restore a backup/);
    assert.equal(readdirSync(place).filter((name) => name.endsWith('.damaged')).length, 4);
    definitions.createWebhook({ name: 'v' });
    assert.equal(open().webhooks.length, 1);
    assert.equal(said.length, 1);
  });

  it('are read from the files of earlier versions', () => {
    const { webhook, secret } = definitions.createWebhook({ name: 'w', type: 'standard_webhooks' });
    for (const stem of ['definitions', 'signing-keys']) {
      rmSync(pathOf(stem, 'copy.json'));
      renameSync(pathOf(stem, 'json'), join(place, `${stem}.json`));
    }
    const again = open();
    assert.deepEqual([again.webhook('w'), again.signingKeys(webhook.id)], [webhook, [secret]]);
    assert.ok(!readdirSync(place).includes('definitions.json'));
    assert.deepEqual(said, []);
  });

  it('of a process that lost its lease are refused, and never appear', () => {
    definitions.createWebhook({ name: 'w' });
    const heir = open();
    assert.throws(() => definitions.createWebhook({ name: 'late' }), { code: 'LeaseLost' });
    assert.throws(() => definitions.rotateSecret('w', 0), { code: 'LeaseLost' });
    assert.deepEqual(open().webhooks, heir.webhooks);
  });

  it('are opened with a filter that would be refused today', () => {
    const { webhook } = definitions.createWebhook({ name: 'w' });
    const trigger = { name: 't', webhook: 'w' };
    definitions.saveTrigger(trigger);
    const filter = { '!': { in: ['x'] } };
    assert.throws(() => definitions.saveTrigger({ ...trigger, name: 'u', filter }), { code: 'InvalidFilter' });
    const triggers = definitions.triggers.map((one) => ({ ...one, filter }));
    writeCheckedJson(pathOf('definitions', 'json'), { version: 1, webhooks: [webhook], triggers, experts: [] });
    const again = open();
    assert.equal(again.triggersOf(webhook)[0]?.filter?.fires({}), true);
    assert.match(again.describe(again.trigger('t')), /^When an event comes to w and /);
    assert.equal(again.changeTrigger('t', { enabled: false }).enabled, false);
    assert.throws(() => again.changeTrigger('t', { filter: { '!': filter } }), { code: 'InvalidFilter' });
  });
});
