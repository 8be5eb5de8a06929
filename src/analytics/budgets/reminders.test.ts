import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { person, serviceAccount } from '../../../test/support/budgets.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { parseDay } from '../../base/day.ts';
import { Reminders } from './reminders.ts';

const on = (text: string): number => parseDay(text)!;

describe('reminders', () => {
  const newFolder = temporaryFolder();

  it('are kept by account, the last one counts, and one window reports each once', () => {
    const folder = newFolder();
    const reminders = new Reminders(folder);
    assert.deepEqual([reminders.all(), reminders.takeDue(on('2026-11-22'))], [[], []]);
    const ada = { identity: person('../../Ada@x.io'), on: on('2026-11-22'), note: 'back to 50' };
    const nightly = { identity: serviceAccount('nightly'), on: on('2026-11-20'), note: '' };
    reminders.set({ ...ada, on: on('2026-12-31') });
    reminders.set(ada);
    reminders.set(nightly);
    assert.deepEqual(reminders.all(), [nightly, ada]);
    assert.deepEqual(reminders.due(on('2026-11-21')), [nightly]);
    const other = new Reminders(folder);
    assert.deepEqual(other.takeDue(on('2026-11-22')), [nightly, ada]);
    assert.deepEqual(reminders.takeDue(on('2026-11-22')), []);
    reminders.set({ ...ada, on: on('2026-11-21') });
    assert.equal(reminders.takeDue(on('2026-11-22')).length, 1, 'a new day is a new reminder');
    assert.equal(reminders.remove(person('../../ADA@x.io')), true);
    assert.equal(reminders.remove(ada.identity), false);
    assert.deepEqual(reminders.all(), [nightly]);
  });

  it('that are damaged are ignored', () => {
    const folder = newFolder();
    const reminders = new Reminders(folder);
    reminders.set({ identity: person('a@x.io'), on: 1, note: '' });
    const [file = ''] = readdirSync(join(folder, 'reminders'));
    writeFileSync(join(folder, 'reminders', file), '{"version":1');
    assert.deepEqual(reminders.all(), []);
  });
});
