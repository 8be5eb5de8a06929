import assert from 'node:assert/strict';
import { payloadOf } from './payload.ts';

const of = (type: string, body: string | Buffer): unknown => payloadOf([['content-Type', type]], Buffer.from(body));
const FORM = 'application/x-www-form-urlencoded; charset=utf-8';

describe('the value of a body for filters', () => {
  it('is its JSON, whatever the content type says', () => {
    assert.deepEqual(of('application/json', '{"a": [1]}'), { a: [1] });
    assert.deepEqual(of('text/plain', ' {"a": 1}'), { a: 1 });
    assert.deepEqual(of('application/json', '\ufeff{"a": 1}'), { a: 1 });
    assert.equal(of('application/json', 'null'), null);
  });

  it('is the fields of a form, and JSON in its payload', () => {
    const form = of(FORM, 'command=%2Fdeploy+it&text=a%20b&to=x&to=y&payload=%7B%22action%22%3A%22opened%22%7D&n=1');
    assert.deepEqual(
      { ...(form as object) },
      {
        command: '/deploy it',
        text: 'a b',
        to: ['x', 'y'],
        payload: { action: 'opened' },
        n: '1',
      },
    );
  });

  it('has fields of any name, and no others', () => {
    const form = of(FORM, '__proto__=a&constructor=b') as Record<string, unknown>;
    assert.deepEqual(Object.entries(form), [
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
    assert.equal(Object.getPrototypeOf(form), null);
  });

  it('is the text of other bodies, and null for bytes that are no text', () => {
    assert.equal(of('text/plain', 'héllo'), 'héllo');
    assert.equal(of('application/octet-stream', Buffer.from([0xff, 0xfe, 0x00])), null);
    assert.equal(of('text/plain', ''), '');
  });
});
