import assert from 'node:assert/strict';
import { eventTypeOf } from '../eventType.ts';
import { TEMPLATES } from '../templates.ts';
import { payloadOf } from '../payload.ts';
import { formOf } from './entry.ts';
import { LIBRARY, templateEvent } from './library.ts';

describe('the library of events', () => {
  it('has at least 40 events of seven systems, each with its source', () => {
    const events = Object.values(LIBRARY);
    assert.ok(events.length >= 40, `${events.length}`);
    assert.equal(new Set(events.map(({ system }) => system)).size, 7);
    for (const { source } of events) assert.match(source, /^https:\/\/[\w.-]+\//);
  });

  it('names each event by its system and the type that its headers and body have', () => {
    for (const [name, { system, headers, body }] of Object.entries(LIBRARY)) {
      const type = eventTypeOf(headers, body, system);
      const wanted = name.slice(system.length + 1);
      const plain = (text = ''): string =>
        text
          .toLowerCase()
          .replace(/ hook/, '')
          .replaceAll(/[^a-z]+/g, '.');
      assert.ok(plain(type).startsWith(plain(wanted)), `${name}: ${type}`);
    }
  });

  it('has the event of each template, with its title', () => {
    for (const [name, { title, system, event }] of Object.entries(TEMPLATES)) {
      assert.deepEqual([LIBRARY[event]?.title, LIBRARY[event]?.system], [title, system]);
      assert.equal(templateEvent(name), LIBRARY[event]);
    }
    assert.equal(templateEvent('constructor'), undefined);
  });

  it('has forms of texts only, which a form keeps as they are', () => {
    const forms = Object.entries(LIBRARY).filter(([, { headers }]) =>
      headers.some(([, value]) => value.startsWith('application/x-www-form-urlencoded')),
    );
    assert.equal(forms.length, 5);
    for (const [name, { body, headers }] of forms)
      assert.deepEqual({ ...(payloadOf(headers, Buffer.from(formOf(body))) as object) }, body, name);
  });

  it('has bodies that JSON keeps as they are', () => {
    for (const [name, { body }] of Object.entries(LIBRARY))
      assert.deepEqual(JSON.parse(JSON.stringify(body)), body, name);
  });
});
